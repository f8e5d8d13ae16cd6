// What is typed or printed as text: commands to attach to, their variables, axes of sweeps, knobs to try; and what a
// watched program reports of its knobs.
#include "attach/knob_lines.h"
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
  fuzz::accepted([&] { attach::parse_knob_wish(text); });

  attach::KnobLines knobs;
  knobs.begin();
  knobs.look();
  const attach::TrialPlan plan = attach::plan_for({}, {}, 0);
  knobs.try_knob(plan);
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    knobs.take(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const attach::ProgramKnobs& known = knobs.known();
  fuzz::expect(known.knobs.size() <= attach::KnobLines::kMostKnobs, "too many knobs", text);
  fuzz::expect(known.trials.size() == 1 && known.trials[0].blocks.size() <= plan.blocks, "too many blocks", text);
  fuzz::expect(!attach::result_text(known.trials[0]).empty(), "a trial without words", text);
  return 0;
}
