// Who reports in, and what is taken from him.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>

#include "attach/launcher.h"

namespace lanescope::attach {
namespace {

namespace fs = std::filesystem;

int connected_to(const Meeting& meeting) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = meeting.socket_path().string();
  std::copy(path.begin(), path.end(), address.sun_path);
  const int s = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::connect(s, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  return s;
}

/// A Hello of so many bytes, with two files.
void say_hello(int s, std::size_t bytes = sizeof(wire::Hello)) {
  wire::Hello hello{wire::kMagic, wire::kVersion, 1, 1, 4096};
  const std::array<int, 2> files{::memfd_create("a", MFD_CLOEXEC), ::memfd_create("b", MFD_CLOEXEC)};
  iovec part{&hello, bytes};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(files))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(files));
  std::memcpy(CMSG_DATA(head), files.data(), sizeof(files));
  EXPECT_EQ(::sendmsg(s, &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes));
  for (const int file : files) ::close(file);
}

std::ptrdiff_t open_files() { return std::distance(fs::directory_iterator("/proc/self/fd"), {}); }

// poll() would return at once, again and again, for somebody who cannot be let in.
TEST(MeetingTest, AtTheLimitOfDescriptorsNobodyIsAwaited) {
  Meeting meeting;
  const int client = connected_to(meeting);
  const int next = ::dup(client);
  ::close(next);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none_left{static_cast<rlim_t>(next), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none_left), 0);
  EXPECT_FALSE(meeting.next());
  const std::size_t awaited = meeting.descriptors().size();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(awaited, 0u);
  EXPECT_FALSE(meeting.next());  // it has said nothing yet
  EXPECT_EQ(meeting.descriptors().size(), 2u);
  ::close(client);
}

TEST(MeetingTest, OnlyItsUserMayEnter) {
  const Meeting meeting;
  struct stat folder {
  }, socket{};
  ASSERT_EQ(::stat(meeting.socket_path().parent_path().c_str(), &folder), 0);
  ASSERT_EQ(::stat(meeting.socket_path().c_str(), &socket), 0);
  EXPECT_EQ(folder.st_mode & 07777, 0700u);
  EXPECT_EQ(socket.st_mode & 0777, 0600u);
  EXPECT_EQ(folder.st_uid, ::geteuid());
}

// The room for one descriptor is rounded up to that for two.
TEST(MeetingTest, OfSeveralFilesOneIsTakenAndNoneIsLeftOpen) {
  Meeting meeting;
  const int s = connected_to(meeting);
  say_hello(s);
  const std::ptrdiff_t before = open_files();
  const auto arrival = meeting.next();
  ASSERT_TRUE(arrival);
  EXPECT_EQ(open_files(), before + 2) << "its connection and its memory";
  ::close(arrival->memory);
  ::close(arrival->socket);
  ::close(s);
}

TEST(MeetingTest, NonsenseIsRefusedAndLeavesNothingOpen) {
  Meeting meeting;
  const int s = connected_to(meeting);
  say_hello(s, 4);
  const std::ptrdiff_t before = open_files();
  EXPECT_FALSE(meeting.next());
  EXPECT_EQ(meeting.refused(), 1u);
  EXPECT_EQ(open_files(), before);
  ::close(s);
}

}  // namespace
}  // namespace lanescope::attach
