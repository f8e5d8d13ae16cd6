// Trials of the knobs of a watched program: which knob does what a card advises, what a replay of the recording says of
// it, and what the trial has measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/replay.h"
#include "attach/program_state.h"
#include "base/background_job.h"
#include "inspect/run_snapshot.h"
#include "model/advice/advice.h"
#include "model/code/user_files.h"

namespace lanescope::ui {

/// What a trial turns: "non_blocking", "read every 10", "log_interval 10 → 100".
std::string turn_text(const attach::Knob& knob, const std::string& value);
/// What that does to the program, where, and what else it changes.
std::string knob_help(const attach::Knob& knob);
/// What a trial can turn it to, the most promising first; empty: it is only on or off, or a lanescope.knob().
std::vector<std::string> other_values(const attach::Knob& knob);
/// The same change for a replay of the recording; empty: no replay can tell. `reads`: where a variable decides about
/// reading, as its own place is that of the `if`.
std::vector<analysis::Edit> edits_of(const attach::Knob& knob, const std::string& value, const std::string& reads = {});

struct CodeLine {
  std::string file;  ///< a path, or only its end
  std::uint32_t line = 0;
};
/// Where the program makes a card's calls, as far as its range and the stack of its example tell.
std::vector<CodeLine> lines_of(const analysis::Card& card, const trace::Trace& trace);
/// Of these knobs, the one that does what the card advises, at its place; one that cannot be turned only where there is
/// no other. Null: there is none. `files`: what a variable's `if` decides about is known from its source.
const attach::Knob* knob_for(const analysis::Card& card, std::span<const CodeLine> lines,
                             std::span<const attach::Knob> knobs, const UserFiles& files);

/// "1.21 to 1.27x"
std::string interval_text(double least, double most);
/// The same, rounded outwards, as attach::result_text() does.
std::string interval_text(const attach::TrialResult& result);
/// In a few words: "block 12 of 64", "1.21 to 1.27x", "no difference above 2 %", "ended early".
std::string short_text(const attach::ProgramTrial& trial);
/// A patch with what the trial has measured, as a comment of its own below the place. Unchanged without a result.
std::string patch_with(const std::string& patch, const attach::ProgramTrial& trial);

/// What the bracket says after a trial: how long an iteration takes as the program is, and with the knob turned.
struct MeasuredTurn {
  std::string knob;  ///< ProgramTrials::key_of()
  std::string text;  ///< turn_text()
  std::string result;
  Nanoseconds now_ns = 0, turned_ns = 0;
  bool differs = false;
  SharedSnapshot run;                          ///< an iteration with it, as replayed; null: no replay can tell
  std::optional<analysis::TimeSpan> recorded;  ///< of which that is one
};

class ProgramTrials {
 public:
  /// Once per frame.
  void update(Model& model, std::span<const AdviceCard> cards, const UserFiles& files);
  void end();  ///< forgets everything
  bool busy() const { return job_.busy(); }

  /// A program is watched that has not ended.
  bool watching() const { return pid_ != 0; }
  bool on() const { return on_; }  ///< Watching::knobs_on()
  const attach::ProgramKnobs& known() const { return knobs_; }
  /// In one line why no trial is possible now; empty: one is.
  std::string why_none() const;
  /// Those that can be turned now: her own values first, then by their place in the program.
  std::vector<const attach::Knob*> offered() const;
  std::vector<const attach::Knob*> refused() const;
  /// Identifies a knob from one look to the next.
  static std::string key_of(const attach::Knob& knob);

  /// What a trial turns it to.
  std::string value(const attach::Knob& knob) const;
  void choose(const attach::Knob& knob, std::string value);
  /// Of a lanescope.knob(): what it is now, and the other side of its trial: what it was at the last trial, or before
  /// it was set here; empty: the same.
  std::string own_value(const attach::Knob& knob) const;
  std::optional<std::string> own_before(const attach::Knob& knob) const;
  /// Sets it in the program, where it stays.
  void set_own(Model& model, const attach::Knob& knob, const std::string& value);

  /// Starts a trial. Returns why that is not possible; empty on success.
  std::string start(Model& model, const attach::Knob& knob);
  /// Ends the trial that is running. False: none is, or it has been told so already.
  bool stop(Model& model);
  const attach::ProgramTrial* running() const;
  const attach::ProgramTrial* newest() const { return knobs_.trials.empty() ? nullptr : &knobs_.trials.back(); }
  /// The newest of this knob; null: none was made.
  const attach::ProgramTrial* newest(const attach::Knob& knob) const;
  /// What a replay said of the change when its trial began; null: nothing.
  const analysis::WhatIf* foretold(const attach::ProgramTrial& trial) const;

  /// The knob behind the card's button; null: the card has none.
  const attach::Knob* knob(const CardKey& card) const;
  /// The card's patch, with what its trial has measured.
  std::string patch(const AdviceCard& card) const;

  /// Once, when a trial has ended: what to say.
  std::string just_ended() { return std::exchange(just_ended_, {}); }
  /// Once, when it has measured something.
  bool just_measured() { return std::exchange(just_measured_, false); }
  /// What is told below the lanes; null: nothing, or it was put away.
  const MeasuredTurn* measured() const { return measured_ ? &*measured_ : nullptr; }
  void put_away() { measured_.reset(); }

 private:
  struct Own {
    std::string now, before;
    std::string told;    ///< the last value that was heard of
    bool tried = false;  ///< the two have been compared
    bool again = false;  ///< its trial has begun with the value before: afterwards it is set again
  };
  struct Foretold {
    std::string turn;  // key_of() and the value
    analysis::WhatIf answer;
    SharedSnapshot run;
    std::optional<analysis::TimeSpan> recorded;
  };
  struct OfCard {
    CardKey card;
    std::size_t knob = 0;  // its number
    std::string line;      // "train.py:41"
  };
  void take(const Model& model, std::span<const AdviceCard> cards, const UserFiles& files);
  void foretell(const Model& model, const attach::Knob& knob, const std::string& value);
  void take_ended(Model& model);

  std::uint64_t generation_ = 0;
  std::uint32_t pid_ = 0;
  Nanoseconds iteration_ns_ = 0;
  bool on_ = false;
  attach::ProgramKnobs knobs_;
  std::vector<OfCard> of_cards_;
  std::map<std::string, std::string> chosen_;  // by key_of()
  std::map<std::string, Own> own_;             // by name
  std::vector<Foretold> foretold_;
  base::BackgroundJob<Foretold> job_;
  // Numbers of trials.
  std::uint32_t ended_ = 0;    // the newest that was over at the last look
  std::uint32_t stopped_ = 0;  // it has been told to end
  std::string just_ended_;
  bool just_measured_ = false;
  std::optional<MeasuredTurn> measured_;
};

}  // namespace lanescope::ui
