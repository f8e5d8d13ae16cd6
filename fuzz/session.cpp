// The session file.
#include "examine.h"
#include "io/byte_source.h"
#include "session_mutator.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  // Without its beginning a file is not taken for a session.
  if (!io::is_session_file(bytes)) return 0;
  fuzz::accepted([&] {
    io::ByteSource source(bytes, "input.lanescope");
    fuzz::examine(io::read_session(source, nullptr, fuzz::limits_for(bytes)), bytes);
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return fuzz::mutate_session(data, size, max_size, seed);
}
