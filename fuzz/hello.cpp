// What a process says first over the socket: a Hello, with the descriptor of its memory if the first byte is odd.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>

#include "attach/launcher.h"
#include "foreign.h"

using namespace lanescope;

namespace {

int connected(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int end = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  fuzz::expect(end >= 0 && ::connect(end, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0,
               "cannot connect to", path.native());
  return end;
}

void send_with(int end, std::string_view bytes, int descriptor) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
  }
  ::sendmsg(end, &message, MSG_NOSIGNAL);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static attach::Meeting meeting;
  static const int memory = ::memfd_create("memory", MFD_CLOEXEC);
  const int end = connected(meeting.socket_path());
  send_with(end, fuzz::text_of(data + 1, size - 1), data[0] % 2 == 1 ? memory : -1);
  ::close(end);
  const std::uint64_t refused = meeting.refused();
  for (int i = 0; i < 4; ++i) {
    const auto arrival = meeting.next();
    if (arrival) {
      fuzz::expect(arrival->socket >= 0 && arrival->memory >= 0, "a Hello without its memory");
      ::close(arrival->socket);
      ::close(arrival->memory);
      return 0;
    }
    if (meeting.refused() > refused) return 0;
  }
  fuzz::fail("a connection that is neither taken nor refused");
}
