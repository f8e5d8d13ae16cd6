// A session file that another program still writes: the first part is read, then the rest.
#include "examine.h"
#include "session_mutator.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::text_of(data, size);
  const std::size_t first = size * data[size - 1] / 256;
  static fuzz::InputFile file(".lanescope");
  const std::filesystem::path& path = file.write(bytes.substr(0, first));
  fuzz::accepted([&] {
    io::SessionFollower follower(path, std::size_t{256} << 20);
    fuzz::accepted([&] { follower.read(); });
    file.append(bytes.substr(first));
    fuzz::accepted([&] {
      while (follower.read()) {
      }
    });
    static_cast<void>(follower.facts());
    static_cast<void>(follower.health());
    fuzz::examine(follower.trace(), follower.facts(), bytes);
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return fuzz::mutate_session(data, size, max_size, seed);
}
