#include "attach/knob_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/from_chars.h"
#include "base/plain_text.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;

constexpr std::uint32_t kMostLine = 10'000'000, kBlockLimit = 4096, kIterationLimit = 1'000'000;
constexpr double kMostCalls = 1e6;
constexpr Nanoseconds kLongestBlock = 24 * 3600 * base::kSecond;
constexpr std::uint64_t kMostDeferred = std::uint64_t{1} << 53;
/// From when the loop is known: the first iterations are often not like the others.
constexpr Nanoseconds kSettled = 2 * base::kSecond;

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename Number>
bool parse(std::string_view text, Number least, Number most, Number& number) {
  const auto [end, error] = base::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= least && number <= most;
}

/// Empty: no limit.
bool parse_limit(std::string_view text, std::optional<double>& limit) {
  if (text.empty()) return true;
  double number = 0;
  if (!parse(text, -1e300, 1e300, number)) return false;
  limit = number;
  return true;
}

/// A file and a line, or neither.
bool parse_place(std::string_view file, std::string_view line, Knob& knob) {
  knob.file = base::without_controls(file);
  return parse(line, std::uint32_t{0}, kMostLine, knob.line) && (!file.empty() || knob.line == 0);
}

/// Tabs and line ends divide.
bool can_be_a_field(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

std::string refusal_of(const Knob& knob, const std::string& value) {
  if (value.empty()) return tr("It needs a value.");
  if (!can_be_a_field(value)) return tr("A value cannot have a tab or a line break.");
  if (value == knob.value) return tr("It has this value already.");
  if (!knob.choices.empty() && std::ranges::find(knob.choices, value) == knob.choices.end()) {
    return tr("'{}' is not one of its values: {}.", value, fmt::format("{}", fmt::join(knob.choices, ", ")));
  }
  double number = 0;
  const double least = knob.least.value_or(-1e300), most = knob.most.value_or(1e300);
  if ((knob.least || knob.most) && !parse(value, least, most, number)) {
    if (!knob.most) return tr("'{}' is not a number from {:g} on.", value, least);
    if (!knob.least) return tr("'{}' is not a number up to {:g}.", value, most);
    return tr("'{}' is not a number from {:g} to {:g}.", value, least, most);
  }
  return {};
}

template <typename... Fields>
std::string line_of(const Fields&... fields) {
  std::string line;
  ((line += fmt::format("{}\t", fields)), ...);
  line.back() = '\n';
  return line.size() > wire::kMostText ? std::string() : 'K' + line;
}

}  // namespace

void KnobLines::begin(std::string refused) {
  known_.state = refused.empty() ? ProgramKnobs::State::Waiting : ProgramKnobs::State::Refused;
  known_.why = std::move(refused);
}

// --- what the program says -------------------------------------------------------------------------------------------

void KnobLines::take(std::string_view line) {
  if (!take_fields(split(line, '\t'))) ++malformed_;
}

bool KnobLines::take_fields(const Fields& fields) {
  using State = ProgramKnobs::State;
  const std::string_view word = fields[0];
  if (word == "own") return fields.size() >= 8 && take_own(fields);
  if (known_.state == State::Off || known_.state == State::Refused) return false;  // nothing else was asked for
  if (word == "able") return fields.size() >= 3;
  if (word == "unable") {
    if (fields.size() < 2) return false;
    known_.state = State::Refused;
    known_.why = base::without_controls(fields[1]);
    found_.clear();
    coming_.clear();
    show_knobs();
    end(known_.why);
    return true;
  }
  if (word == "knob") return fields.size() >= 9 && take_knob(fields);
  if (word == "looked") {
    std::uint32_t iterations = 0;
    if (fields.size() < 3 || !parse(fields[1], std::uint32_t{0}, kIterationLimit, iterations)) return false;
    known_.state = State::Ready;
    known_.counted_by = base::without_controls(fields[2]);
    found_ = std::move(coming_);
    coming_.clear();
    show_knobs();
    return true;
  }
  if ((word == "begun" || word == "block" || word == "ended") && fields.size() >= 2 && is_over(fields[1])) return true;
  if (word == "begun") {
    ProgramTrial* trial = fields.size() < 2 ? nullptr : open_trial(fields[1]);
    if (!trial || trial->state != ProgramTrial::State::Asked) return false;
    trial->state = ProgramTrial::State::Running;
    return true;
  }
  if (word == "block") return fields.size() >= 5 && take_block(fields);
  return word == "ended" && fields.size() >= 5 && take_end(fields);
}

bool KnobLines::take_knob(const Fields& fields) {
  const std::optional<KnobKind> kind = parse_knob_kind(fields[1]);
  Knob knob;
  if (!kind || *kind == KnobKind::Own || !parse_place(fields[2], fields[3], knob)) return false;
  knob.kind = *kind;
  knob.name = base::without_controls(fields[4]);
  knob.value = base::without_controls(fields[5]);
  if (!parse(fields[6], 0.0, kMostCalls, knob.calls)) return false;
  if (knob.kind == KnobKind::Variable && knob.name.empty()) return false;
  knob.refused = base::without_controls(fields[7]);
  knob.warning = base::without_controls(fields[8]);
  const auto same = std::ranges::find_if(coming_, [&](const Knob& other) {
    return other.kind == knob.kind && other.file == knob.file && other.line == knob.line && other.name == knob.name;
  });
  if (same != coming_.end()) {
    *same = std::move(knob);
    return true;
  }
  if (coming_.size() >= kMostKnobs) return false;
  coming_.push_back(std::move(knob));
  return true;
}

bool KnobLines::take_own(const Fields& fields) {
  Knob knob;
  knob.kind = KnobKind::Own;
  knob.name = base::without_controls(fields[1]);
  knob.value = base::without_controls(fields[2]);
  if (knob.name.empty() || !parse_limit(fields[3], knob.least) || !parse_limit(fields[4], knob.most) ||
      !parse_place(fields[6], fields[7], knob) || (knob.least && knob.most && *knob.least > *knob.most)) {
    return false;
  }
  if (!fields[5].empty()) {
    for (const std::string_view choice : split(fields[5], '|')) knob.choices.push_back(base::without_controls(choice));
    if (knob.choices.size() > kMostChoices) return false;
  }
  const auto same = std::ranges::find(own_, knob.name, &Knob::name);
  if (same == own_.end() && own_.size() >= kMostKnobs) return false;
  if (same == own_.end()) {
    own_.push_back(std::move(knob));
  } else {
    *same = std::move(knob);
  }
  show_knobs();
  return true;
}

bool KnobLines::take_block(const Fields& fields) {
  ProgramTrial* trial = open_trial(fields[1]);
  std::uint32_t turned = 0;
  TrialBlock block;
  if (!trial || trial->state != ProgramTrial::State::Running || trial->blocks.size() >= trial->plan.blocks ||
      !parse(fields[2], std::uint32_t{0}, std::uint32_t{1}, turned) ||
      !parse(fields[3], std::uint32_t{1}, trial->plan.iterations, block.iterations) ||
      !parse(fields[4], Nanoseconds{1}, kLongestBlock, block.duration_ns)) {
    return false;
  }
  block.turned = turned == 1;
  trial->blocks.push_back(block);
  trial->result = trial_result(trial->blocks);
  return true;
}

bool KnobLines::take_end(const Fields& fields) {
  ProgramTrial* trial = open_trial(fields[1]);
  const std::string_view how = fields[2];
  std::uint64_t deferred = 0;
  if (!trial || !parse(fields[3], std::uint64_t{0}, kMostDeferred, deferred)) return false;
  if (how != "done" && how != "stopped" && how != "failed") return false;
  trial->state = how == "failed" ? ProgramTrial::State::Failed : ProgramTrial::State::Done;
  trial->deferred = deferred;
  trial->ended = base::without_controls(fields[4]);
  if (trial->ended.empty() && how == "failed") trial->ended = tr("It failed, and the program gives no reason.");
  if (trial->ended.empty() && how == "stopped")
    trial->ended = tr("Stopped after {} of {} blocks.", trial->blocks.size(), trial->plan.blocks);
  look_again_ = true;
  return true;
}

ProgramTrial* KnobLines::open_trial(std::string_view number) {
  std::uint32_t named = 0;
  if (!trying() || !parse(number, std::uint32_t{1}, known_.trials.back().number, named)) return nullptr;
  return named == known_.trials.back().number ? &known_.trials.back() : nullptr;
}

// Such as one that was stopped before the program knew of it.
bool KnobLines::is_over(std::string_view number) const {
  std::uint32_t named = 0;
  return parse(number, std::uint32_t{1}, trials_, named) && (named < trials_ || !trying());
}

void KnobLines::show_knobs() {
  known_.knobs = found_;
  known_.knobs.insert(known_.knobs.end(), own_.begin(), own_.end());
  if (known_.knobs.size() > kMostKnobs) known_.knobs.resize(kMostKnobs);
}

bool KnobLines::end(const std::string& why) {
  if (!trying()) return false;
  known_.trials.back().state = ProgramTrial::State::Failed;
  known_.trials.back().ended = why;
  held_back_.clear();
  return true;
}

// --- what it is asked ------------------------------------------------------------------------------------------------

bool KnobLines::look_is_due(bool loop_known, Nanoseconds now_ns) {
  if (!loop_known) loop_since_ns_ = 0;
  if (known_.state == ProgramKnobs::State::Off || known_.state == ProgramKnobs::State::Refused || !loop_known) {
    return false;
  }
  if (loop_since_ns_ == 0) loop_since_ns_ = now_ns;
  if (!looked_) return now_ns - loop_since_ns_ >= kSettled;
  return look_again_;
}

std::string KnobLines::look() {
  if (known_.state == ProgramKnobs::State::Off || known_.state == ProgramKnobs::State::Refused || trying()) return {};
  known_.state = ProgramKnobs::State::Looking;
  looked_ = true;
  look_again_ = false;
  return line_of("look");
}

std::string KnobLines::refusal_of_plan(const TrialPlan& plan) const {
  if (known_.state == ProgramKnobs::State::Off) return tr("The program was not started with --knobs.");
  if (known_.state == ProgramKnobs::State::Refused) return known_.why;
  if (!plan.knob.refused.empty()) return plan.knob.refused;
  if (plan.blocks < 4 || plan.blocks % 4 != 0 || plan.blocks > kBlockLimit || plan.iterations <= plan.skipped ||
      plan.iterations > kIterationLimit) {
    return tr("A trial cannot have {} blocks of {} iterations, {} of them skipped.", plan.blocks, plan.iterations,
              plan.skipped);
  }
  if (plan.knob.kind == KnobKind::ReadEvery || plan.knob.kind == KnobKind::Variable ||
      plan.knob.kind == KnobKind::Own) {
    return refusal_of(plan.knob, plan.value);
  }
  return {};
}

ProgramTrial& KnobLines::add_trial(const TrialPlan& plan) {
  if (known_.trials.size() >= kMostTrials) known_.trials.erase(known_.trials.begin());
  ProgramTrial& trial = known_.trials.emplace_back();
  trial.number = ++trials_;
  trial.plan = plan;
  return trial;
}

std::string KnobLines::try_knob(const TrialPlan& plan) {
  if (trying()) return {};
  ProgramTrial& trial = add_trial(plan);
  std::string why = refusal_of_plan(plan), line;
  if (why.empty()) {
    const Knob& knob = plan.knob;
    line = line_of("try", trial.number, to_text(knob.kind), knob.file, knob.line, knob.name, plan.value, plan.blocks,
                   plan.iterations, plan.skipped);
    if (line.empty()) why = tr("Its names are too long.");
  }
  if (!why.empty()) {
    trial.state = ProgramTrial::State::Failed;
    trial.ended = std::move(why);
    return {};
  }
  if (known_.state != ProgramKnobs::State::Looking) return line;
  held_back_ = std::move(line);
  return {};
}

std::string KnobLines::held_back() {
  return known_.state == ProgramKnobs::State::Looking ? std::string() : std::exchange(held_back_, {});
}

std::string KnobLines::stop() {
  if (!trying()) return {};
  // The program may never come so far as to begin it, and then has nothing to end.
  if (known_.trials.back().state == ProgramTrial::State::Asked) {
    const bool sent = held_back_.empty();
    end(tr("Stopped before it began."));
    if (!sent) return {};
  }
  return line_of("stop");
}

std::string KnobLines::set_own_knob(const std::string& name, const std::string& value) {
  const auto known = std::ranges::find(own_, name, &Knob::name);
  if (known == own_.end() || !refusal_of(*known, value).empty()) return {};
  std::string line = line_of("set", name, value);
  if (!line.empty()) {  // the program says it again if it has made something else of it
    known->value = value;
    show_knobs();
  }
  return line;
}

}  // namespace lanescope::attach
