// Chrome Trace Event JSON, mutated as JSON.
#include "examine.h"
#include "io/trace_file.h"
#include "json_mutator.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::accepted(
      [&] { fuzz::examine(io::read_chrome_trace(bytes, "input.json", nullptr, fuzz::limits_for(bytes)), bytes); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  fuzz::Dice dice(seed);
  return fuzz::give(fuzz::mutated_json(fuzz::text_of(data, size), dice), data, size, max_size);
}
