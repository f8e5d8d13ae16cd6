// The conversation with inject/knobs.py in a watched program ("Knobs" in inject/wire.h): what it reports becomes a
// ProgramKnobs, and what is asked of it becomes a line. Nothing that comes from the program is trusted: what cannot be
// right is counted and skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attach/knobs.h"
#include "inject/wire.h"

namespace lanescope::attach {

class KnobLines {
 public:
  static constexpr std::size_t kMostKnobs = 256, kMostTrials = 64, kMostChoices = 64;

  /// Knobs were asked for. `refused`: why no trial is possible in this process, whatever it says; empty: it may be.
  void begin(std::string refused = {});
  /// A line from the program.
  void take(std::string_view line);
  /// Whoever could answer is gone: a trial that is not over has failed. Returns whether there was one.
  bool end(const std::string& why);

  // What to send, with the 'K' before it and the line's end; empty: nothing, because it makes no sense now.
  std::string look();
  /// A trial that cannot be is added as a failed one. The program refuses one while it looks: then it is held back.
  std::string try_knob(const TrialPlan& plan);
  std::string held_back();  ///< what can be sent now
  std::string stop();
  std::string set_own_knob(const std::string& name, const std::string& value);

  /// It is time for look(): for the first time when the loop has been known for a moment, and after each trial.
  bool look_is_due(bool loop_known, Nanoseconds now_ns);
  /// A trial has been asked for and is not over.
  bool trying() const { return !known_.trials.empty() && !known_.trials.back().over(); }
  const ProgramKnobs& known() const { return known_; }
  std::uint64_t malformed() const { return malformed_; }

 private:
  using Fields = std::vector<std::string_view>;
  bool take_fields(const Fields& fields);
  bool take_knob(const Fields& fields);
  bool take_own(const Fields& fields);
  bool take_block(const Fields& fields);
  bool take_end(const Fields& fields);
  ProgramTrial* open_trial(std::string_view number);
  bool is_over(std::string_view number) const;
  std::string refusal_of_plan(const TrialPlan& plan) const;
  ProgramTrial& add_trial(const TrialPlan& plan);
  void show_knobs();

  ProgramKnobs known_;
  std::vector<Knob> found_, coming_, own_;  // coming: of a look that is under way
  std::string held_back_;
  std::uint32_t trials_ = 0;  // so far
  std::uint64_t malformed_ = 0;
  Nanoseconds loop_since_ns_ = 0;  // 0: it is not known
  bool looked_ = false, look_again_ = false;
};

}  // namespace lanescope::attach
