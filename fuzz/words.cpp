// What is typed or printed as text: commands to attach to, their variables, quick probes, axes of sweeps.
#include "attach/program_state.h"
#include "calibration/quick_probe.h"
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
  static_cast<void>(calibration::parse_op(text));
  if (const auto probe = calibration::parse_quick_probe(text)) {
    const std::string written = calibration::to_text(*probe);
    fuzz::expect(calibration::parse_quick_probe(written).has_value(), "a probe that cannot be read again", written);
  }
  return 0;
}
