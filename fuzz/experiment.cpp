// Experiments of the user's own (TOML). What was read is written and read again.
#include "experiment/experiment.h"

#include "foreign.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepted([&] {
    const experiment::Experiment read = experiment::parse_experiment(fuzz::text_of(data, size), "input.toml");
    const std::string text = experiment::to_toml(read);
    fuzz::accepted([&] {
      fuzz::expect(experiment::parse_experiment(text, "input.toml") == read, "an experiment that changes when written",
                   text);
    });
  });
  return 0;
}
