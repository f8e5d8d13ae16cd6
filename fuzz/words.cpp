// What is typed or printed as text: commands to attach to, their variables, axes of sweeps.
#include "attach/program_state.h"
#include "experiment/sweep.h"
#include "foreign.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::accepted([&] {
    const std::vector<std::string> words = attach::split_words(text);
    const std::string joined = attach::joined_words(words);
    fuzz::expect(attach::split_words(joined) == words, "words that change when joined", joined);
  });
  fuzz::accepted([&] { attach::parse_variables(text); });
  fuzz::accepted([&] { experiment::parse_axis(text); });
  return 0;
}
