#include "model/advice/program_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <string_view>
#include <tuple>

#include "base/translate.h"
#include "inspect/figure_text.h"
#include "model/model.h"

namespace lanescope::ui {
namespace {

using analysis::Card;
using analysis::Edit;
using analysis::EditKind;
using analysis::Remedy;
using analysis::Rule;
using attach::Knob;
using attach::KnobKind;
using attach::ProgramTrial;
using base::tr;

constexpr std::int64_t kMostReplayed = 100'000;  // events
constexpr std::size_t kMostForetold = 64;

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool has_value(KnobKind kind) { return kind == KnobKind::Variable || kind == KnobKind::Own; }

/// One of the two is the other, or its end.
bool same_file(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  return !b.empty() && a.ends_with(b) && (a.size() == b.size() || a[a.size() - b.size() - 1] == '/');
}

std::string turn_key(const Knob& knob, const std::string& value) { return ProgramTrials::key_of(knob) + '=' + value; }

// What helps against a card's trouble, the closest to its advice first.
std::vector<KnobKind> cures_of(const Card& card) {
  const auto helps = [&](Remedy remedy) { return std::ranges::count(card.remedies, remedy) > 0; };
  if (card.weight != analysis::Weight::Costs) return {};
  std::vector<KnobKind> kinds;
  if (helps(Remedy::PinMemory) || helps(Remedy::PinAhead)) kinds.push_back(KnobKind::Pinned);
  if (helps(Remedy::NonBlocking)) kinds.push_back(KnobKind::NonBlocking);
  if (helps(Remedy::MoreWorkers)) kinds.push_back(KnobKind::Prefetch);
  const bool waits = card.rule == Rule::SyncBubble || card.rule == Rule::NeedlessSync ||
                     card.rule == Rule::RepeatedSync || helps(Remedy::ReadLessOften);
  if (!waits) return kinds;
  for (const KnobKind kind : {KnobKind::Variable, KnobKind::Own, KnobKind::ReadEvery, KnobKind::ReadLate})
    kinds.push_back(kind);
  kinds.push_back(KnobKind::NoSynchronize);  // only at its own line: none reads there
  return kinds;
}

const ProgramTrial* last_over(std::span<const ProgramTrial> trials) {
  const auto found = std::find_if(trials.rbegin(), trials.rend(), [](const ProgramTrial& one) { return one.over(); });
  return found == trials.rend() ? nullptr : &*found;
}

// The last line of what a variable's `if` decides about; without the source, the one below it.
std::uint32_t end_of_block(const Knob& knob, const UserFiles& files) {
  const std::vector<std::string>* lines = files.lines(knob.file);
  if (!lines || knob.line == 0 || knob.line > lines->size()) return knob.line + 1;
  const auto indent = [](const std::string& line) { return line.find_first_not_of(" \t"); };
  const std::size_t own = indent((*lines)[knob.line - 1]);
  std::uint32_t last = knob.line;
  for (std::uint32_t i = knob.line; i < lines->size(); ++i) {
    const std::size_t at = indent((*lines)[i]);
    if (at == std::string::npos) continue;  // an empty line is in any block
    if (own == std::string::npos || at <= own) break;
    last = i + 1;
  }
  return last;
}

}  // namespace

// --- words -----------------------------------------------------------------------------------------------------------

std::string turn_text(const Knob& knob, const std::string& value) {
  switch (knob.kind) {
    case KnobKind::NonBlocking:
      return "non_blocking";
    case KnobKind::Pinned:
      return tr("pinned");
    case KnobKind::Prefetch:
      return tr("prefetch");
    case KnobKind::ReadEvery:
      return tr("read every {}", value);
    case KnobKind::ReadLate:
      return tr("read late");
    case KnobKind::NoSynchronize:
      return tr("no synchronize()");
    case KnobKind::Variable:
    case KnobKind::Own:
      break;
  }
  return fmt::format("{} {} → {}", knob.name, knob.value, value);
}

std::string knob_help(const Knob& knob) {
  std::string text;
  const auto line = [&](std::string says) {
    if (!text.empty() && !says.empty()) text += '\n';
    text += says;
  };
  line(knob.file.empty() ? tr("everywhere in the program") : fmt::format("{}:{}", knob.file, knob.line));
  switch (knob.kind) {
    case KnobKind::NonBlocking:
      line(tr("Copies to the GPU return at once, as with non_blocking=True."));
      break;
    case KnobKind::Pinned:
      line(tr("What is copied to the GPU comes from pinned memory."));
      break;
    case KnobKind::Prefetch:
      line(tr("The next batch is fetched and pinned while this one is computed."));
      break;
    case KnobKind::ReadEvery:
      line(tr("The value is read every N-th time; in between it is the last one."));
      break;
    case KnobKind::ReadLate:
      line(tr("The value is that of one step before, so the loop does not wait for it."));
      break;
    case KnobKind::NoSynchronize:
      line(tr("torch.cuda.synchronize() returns at once."));
      break;
    case KnobKind::Variable:
      line(tr("A variable of the program, changed while it runs."));
      break;
    case KnobKind::Own:
      line(tr("A lanescope.knob() of the program: what it is set to stays."));
      break;
  }
  if (knob.calls > 0 && knob.calls != 1) line(tr("{:.3g} calls in an iteration", knob.calls));
  line(knob.warning);
  if (knob.kind != KnobKind::Own)
    line(tr("A trial runs the program with and without it in turn, and ends by itself; Esc ends it at once."));
  return text;
}

std::vector<std::string> other_values(const Knob& knob) {
  if (knob.kind == KnobKind::ReadEvery) return {"10", "2", "5", "20", "50", "100"};
  if (knob.kind != KnobKind::Variable) return {};
  if (knob.value == "True") return {"False"};
  if (knob.value == "False") return {"True"};
  const std::optional<std::int64_t> now = integer(knob.value);
  if (!now || *now <= 0 || *now > 1'000'000) return {};
  std::vector<std::string> values;
  for (const std::int64_t factor : {10, 2, 5, 100}) values.push_back(std::to_string(*now * factor));
  if (*now > 1) values.emplace_back("1");
  return values;
}

std::vector<Edit> edits_of(const Knob& knob, const std::string& value, const std::string& reads) {
  const std::string place = knob.line > 0 ? knob.place() : std::string();
  // Everywhere means reads and copies alike to a replay, and data is never waited for at a place of its own.
  const bool anywhere = knob.kind == KnobKind::NonBlocking || knob.kind == KnobKind::Pinned;
  if (place.empty() && !anywhere && knob.kind != KnobKind::Prefetch) return {};
  switch (knob.kind) {
    case KnobKind::NonBlocking:
      return {{EditKind::NonBlocking, 0, place}};
    case KnobKind::Pinned:
      return {{EditKind::Pinned, 0, place}};
    case KnobKind::Prefetch:
      return {{EditKind::Loader, 0, {}}};
    case KnobKind::ReadLate:
      return {{EditKind::ReadLate, 0, place}};
    case KnobKind::NoSynchronize:
      return {{EditKind::NoWait, 0, place}};
    case KnobKind::ReadEvery:
      if (const auto every = integer(value); every && *every > 1)
        return {{EditKind::ReadEvery, static_cast<double>(*every), place}};
      return {};
    case KnobKind::Variable: {
      const auto before = integer(knob.value), after = integer(value);
      if (reads.empty()) return {};
      if (!before || !after || *before <= 0 || *after <= *before || *after % *before != 0) return {};
      return {{EditKind::ReadEvery, static_cast<double>(*after / *before), reads}};
    }
    case KnobKind::Own:
      break;
  }
  return {};
}

std::string interval_text(double least, double most) {
  const std::string from = fmt::format("{:.2f}", least), to = fmt::format("{:.2f}", most);
  return from == to ? factor_text(least) : tr("{} to {}x", from, to);
}

std::string interval_text(const attach::TrialResult& result) {
  const auto [least, most] = attach::interval_ends(result);
  return tr("{} to {}x", least, most);
}

std::string short_text(const ProgramTrial& trial) {
  if (trial.state == ProgramTrial::State::Asked) return tr("begins …");
  if (trial.state == ProgramTrial::State::Running)
    return tr("block {} of {}", std::min<std::size_t>(trial.blocks.size() + 1, trial.plan.blocks), trial.plan.blocks);
  if (trial.state == ProgramTrial::State::Failed || !trial.result) return tr("ended early");
  return trial.result->differs ? interval_text(*trial.result)
                               : tr("no difference above {}", attach::resolved_percent(*trial.result) + " %");
}

std::string patch_with(const std::string& patch, const ProgramTrial& trial) {
  if (trial.state != ProgramTrial::State::Done || !trial.result || patch.empty()) return patch;
  const std::string comment = "# " +
                              tr("measured in the running program: {} ({})", attach::result_text(trial),
                                 turn_text(trial.plan.knob, trial.plan.value)) +
                              '\n';
  const std::size_t below = patch.find('\n');
  if (below == std::string::npos) return patch + '\n' + comment;
  return patch.substr(0, below + 1) + comment + patch.substr(below + 1);
}

// --- a card's knob ---------------------------------------------------------------------------------------------------

std::vector<CodeLine> lines_of(const Card& card, const trace::Trace& trace) {
  std::vector<CodeLine> lines;
  static const std::regex kLine(R"(^(.*\.py):(\d{1,9})(?:  .*)?$)");
  std::smatch parts;
  constexpr std::size_t kLongest = 500;  // a regular expression takes stack for each letter
  if (card.range.size() <= kLongest && std::regex_match(card.range, parts, kLine))
    lines.push_back({parts[1], static_cast<std::uint32_t>(std::stoul(parts[2]))});
  if (card.place.end_ns == 0 || card.place.lane >= trace.lane_count()) return lines;
  const auto stack = trace.sites().stack(trace.sites().at(card.place.lane, card.place.start_ns));
  if (const trace::Frame* own = stack.own_frame(); own && own->line > 0)
    lines.push_back({std::string(trace.names().text(own->file)), own->line});
  return lines;
}

const Knob* knob_for(const Card& card, std::span<const CodeLine> lines, std::span<const Knob> knobs,
                     const UserFiles& files) {
  const auto is_here = [&](const Knob& knob) {
    const std::uint32_t last = knob.kind == KnobKind::Variable ? end_of_block(knob, files) : knob.line;
    return std::ranges::any_of(lines, [&](const CodeLine& at) {
      return at.line >= knob.line && at.line <= last && same_file(at.file, knob.file);
    });
  };
  const Knob* refused = nullptr;
  for (const KnobKind kind : cures_of(card)) {
    const Knob* everywhere = nullptr;
    for (const Knob& knob : knobs) {
      if (knob.kind != kind) continue;
      // Of a loader, the line that makes it and the one that waits are not the same.
      const bool anywhere = knob.file.empty() || kind == KnobKind::Prefetch;
      if (!anywhere && !is_here(knob)) continue;
      // A synchronisation without a line is anybody's.
      if (anywhere && kind == KnobKind::NoSynchronize) continue;
      if (!knob.refused.empty()) {
        if (!refused) refused = &knob;
      } else if (is_here(knob)) {
        return &knob;
      } else if (!everywhere) {
        everywhere = &knob;
      }
    }
    if (everywhere) return everywhere;
  }
  return refused;
}

// --- trials ----------------------------------------------------------------------------------------------------------

std::string ProgramTrials::key_of(const Knob& knob) {
  return fmt::format("{} {}:{} {}", static_cast<int>(knob.kind), knob.file, knob.line, knob.name);
}

void ProgramTrials::end() { *this = {}; }

void ProgramTrials::update(Model& model, std::span<const AdviceCard> cards, const UserFiles& files) {
  if (generation_ != model.generation()) {
    end();
    generation_ = model.generation();
  }
  if (auto answer = job_.take()) {
    std::erase_if(foretold_, [&](const Foretold& old) { return old.turn == answer->turn; });
    if (foretold_.size() >= kMostForetold) foretold_.erase(foretold_.begin());
    foretold_.push_back(std::move(*answer));
  }
  take(model, cards, files);
  take_ended(model);
}

void ProgramTrials::take(const Model& model, std::span<const AdviceCard> cards, const UserFiles& files) {
  const Watching* watching = model.source().watching();
  of_cards_.clear();
  if (!watching) {
    pid_ = 0;
    knobs_ = {};
    return;
  }
  on_ = watching->knobs_on();
  attach::AttachState state = watching->watched();
  // Of a job, the first process in which something can be turned.
  const auto turns = [](const attach::ProcessState& one) {
    return one.knobs.state == attach::ProgramKnobs::State::Ready || !one.knobs.knobs.empty();
  };
  const auto known = [](const attach::ProcessState& one) {
    return one.knobs.state != attach::ProgramKnobs::State::Off;
  };
  auto process = std::ranges::find(state.processes, pid_, &attach::ProcessState::pid);
  if (pid_ == 0 || process == state.processes.end() || !turns(*process)) {
    process = std::ranges::find_if(state.processes, turns);
    if (process == state.processes.end()) process = std::ranges::find_if(state.processes, known);
    if (process == state.processes.end())
      process = std::ranges::find_if(state.processes, [](const attach::ProcessState& one) { return one.uses_gpu; });
  }
  if (process == state.processes.end()) {
    pid_ = 0;
    knobs_ = {};
    return;
  }
  if (process->pid != pid_ && !process->ended) {
    const ProgramTrial* last = last_over(process->knobs.trials);
    ended_ = last ? last->number : 0;
    stopped_ = 0;
  }
  pid_ = process->ended || state.ended ? 0 : process->pid;
  iteration_ns_ = process->iteration_ns;
  knobs_ = std::move(process->knobs);
  for (const Knob& knob : knobs_.knobs) {
    // The program may have made something else of what it was set to.
    const auto own = knob.kind == KnobKind::Own ? own_.find(knob.name) : own_.end();
    if (own == own_.end() || own->second.told == knob.value) continue;
    own->second.told = knob.value;
    if (!own->second.again) own->second.now = knob.value;
  }
  for (const AdviceCard& card : cards) {
    if (knobs_.knobs.empty()) break;
    const std::vector<CodeLine> lines = lines_of(card.card, model.trace());
    const Knob* knob = knob_for(card.card, lines, knobs_.knobs, files);
    if (!knob) continue;
    const std::string& range = card.card.range;  // of "train.py:41  loss.item()" the line says enough
    of_cards_.push_back(
        {card.key, static_cast<std::size_t>(knob - knobs_.knobs.data()), range.substr(0, range.find("  "))});
  }
}

void ProgramTrials::take_ended(Model& model) {
  const ProgramTrial* last = last_over(knobs_.trials);
  if (!last || last->number <= ended_) return;
  ended_ = last->number;
  const ProgramTrial& trial = *last;
  const Knob& knob = trial.plan.knob;
  if (const auto own = own_.find(knob.name); knob.kind == KnobKind::Own && own != own_.end() && own->second.again) {
    own->second.again = false;
    if (Watching* watching = model.source().watching()) watching->set_own_knob(pid_, knob.name, own->second.now);
  }
  const std::string place = knob.place(), text = turn_text(knob, trial.plan.value);
  just_ended_ = fmt::format("{}: {}", place.empty() || has_value(knob.kind) ? text : text + " " + place,
                            attach::result_text(trial));
  if (trial.state != ProgramTrial::State::Done || !trial.result) return;
  just_measured_ = true;
  MeasuredTurn turn;
  turn.knob = key_of(knob);
  turn.text = text;
  turn.result = attach::result_text(trial);
  turn.now_ns = trial.result->before_ns;
  turn.turned_ns = trial.result->after_ns;
  turn.differs = trial.result->differs;
  const auto said = std::ranges::find(foretold_, turn_key(knob, trial.plan.value), &Foretold::turn);
  if (said != foretold_.end()) {
    turn.run = said->run;
    turn.recorded = said->recorded;
  }
  measured_ = std::move(turn);
}

std::string ProgramTrials::why_none() const {
  if (!watching()) return {};
  if (!on_) return tr("Start with --knobs to turn non_blocking, pinned and reads in this program");
  switch (knobs_.state) {
    case attach::ProgramKnobs::State::Off:
    case attach::ProgramKnobs::State::Waiting:
      return tr("knobs: waiting for the program's loop");
    case attach::ProgramKnobs::State::Looking:
      if (knobs_.knobs.empty()) return tr("knobs: looking at some iterations …");
      break;  // what was found before holds
    case attach::ProgramKnobs::State::Refused:
      return tr("no knobs: {}", knobs_.why);
    case attach::ProgramKnobs::State::Ready:
      break;
  }
  const bool any = std::ranges::any_of(knobs_.knobs, [](const Knob& knob) { return knob.refused.empty(); });
  return any ? std::string() : std::string(tr("nothing in this program can be turned"));
}

std::vector<const Knob*> ProgramTrials::offered() const {
  std::vector<const Knob*> knobs;
  if (!watching()) return knobs;
  const auto add = [&](const Knob& knob) {
    const bool can = knob.kind != KnobKind::Variable || !other_values(knob).empty();
    if (can && knob.refused.empty() && std::ranges::find(knobs, &knob) == knobs.end()) knobs.push_back(&knob);
  };
  for (const Knob& knob : knobs_.knobs) add(knob);
  // A value of her own says more than what we do to her calls. By place, because each look begins somewhere else in the
  // loop, and what she is about to press must not move.
  std::ranges::stable_sort(knobs, {}, [](const Knob* knob) {
    return std::tuple(!has_value(knob->kind), knob->file.empty(), std::string_view(knob->file), knob->line, knob->kind);
  });
  return knobs;
}

std::vector<const Knob*> ProgramTrials::refused() const {
  std::vector<const Knob*> knobs;
  for (const Knob& knob : knobs_.knobs)
    if (!knob.refused.empty() && watching()) knobs.push_back(&knob);
  return knobs;
}

std::string ProgramTrials::value(const Knob& knob) const {
  if (knob.kind == KnobKind::Own) return own_value(knob);
  const std::vector<std::string> values = other_values(knob);
  const auto chosen = chosen_.find(key_of(knob));
  if (chosen != chosen_.end() && std::ranges::find(values, chosen->second) != values.end()) return chosen->second;
  return values.empty() ? std::string() : values.front();
}

void ProgramTrials::choose(const Knob& knob, std::string value) { chosen_[key_of(knob)] = std::move(value); }

std::string ProgramTrials::own_value(const Knob& knob) const {
  const auto own = own_.find(knob.name);
  return own == own_.end() ? knob.value : own->second.now;
}

std::optional<std::string> ProgramTrials::own_before(const Knob& knob) const {
  const auto own = own_.find(knob.name);
  if (own == own_.end() || own->second.before == own->second.now) return std::nullopt;
  return own->second.before;
}

void ProgramTrials::set_own(Model& model, const Knob& knob, const std::string& value) {
  Watching* watching = model.source().watching();
  if (!watching || value == own_value(knob)) return;
  Own& own = own_.try_emplace(knob.name, Own{knob.value, knob.value, knob.value}).first->second;
  if (std::exchange(own.tried, false)) own.before = own.now;
  own.now = value;
  watching->set_own_knob(pid_, knob.name, value);
}

std::string ProgramTrials::start(Model& model, const Knob& asked) {
  Watching* watching = model.source().watching();
  if (!watching || pid_ == 0) return tr("The program has ended");
  if (!on_) return why_none();
  if (running()) return tr("Another trial is running");
  if (!asked.refused.empty()) return asked.refused;
  Knob knob = asked;
  const std::string to = value(knob);
  if (knob.kind == KnobKind::Own) {
    const std::optional<std::string> before = own_before(knob);
    if (!before) return tr("Set it to another value first: the trial compares the two");
    knob.value = *before;
    own_.at(knob.name).tried = own_.at(knob.name).again = true;
    watching->set_own_knob(pid_, knob.name, *before);
  }
  foretell(model, knob, to);
  watching->try_knob(pid_, attach::plan_for(knob, to, iteration_ns_));
  return {};
}

// Of what was recorded before it began: afterwards there are iterations of both sides.
void ProgramTrials::foretell(const Model& model, const Knob& knob, const std::string& value) {
  const std::string turn = turn_key(knob, value);
  std::erase_if(foretold_, [&](const Foretold& old) { return old.turn == turn; });
  const auto card = std::ranges::find_if(
      of_cards_, [&](const OfCard& one) { return key_of(knobs_.knobs[one.knob]) == key_of(knob); });
  std::vector<Edit> edits = edits_of(knob, value, card == of_cards_.end() ? std::string() : card->line);
  const auto plan = edits.empty() ? std::nullopt : plan_of(model, kMostReplayed);
  if (!plan) return job_.supersede();
  job_.start(
      [trace = model.shared_trace(), plan = *plan, edits = std::move(edits), turn](const base::Stop& stop) -> Foretold {
        const analysis::Replay replay(*trace, plan.from_ns, plan.to_ns, plan.gpu, &stop, plan.rare);
        Foretold said{turn, replay.with(edits, plan.run.link), nullptr, {}};
        const auto iteration = replay.iteration(edits, plan.run.link);
        if (!iteration || stop) return said;
        said.run = replayed_snapshot(*trace, *iteration, analysis::texts_of(edits));
        said.recorded = iteration->recorded;
        return said;
      });
}

bool ProgramTrials::stop(Model& model) {
  const ProgramTrial* trial = running();
  Watching* watching = model.source().watching();
  if (!trial || !watching || stopped_ == trial->number) return false;
  stopped_ = trial->number;
  watching->stop_trial(pid_);
  return true;
}

const ProgramTrial* ProgramTrials::running() const {
  return watching() && !knobs_.trials.empty() && !knobs_.trials.back().over() ? &knobs_.trials.back() : nullptr;
}

const ProgramTrial* ProgramTrials::newest(const Knob& knob) const {
  const auto found = std::find_if(knobs_.trials.rbegin(), knobs_.trials.rend(),
                                  [&](const ProgramTrial& trial) { return key_of(trial.plan.knob) == key_of(knob); });
  return found == knobs_.trials.rend() ? nullptr : &*found;
}

const analysis::WhatIf* ProgramTrials::foretold(const ProgramTrial& trial) const {
  const auto found = std::ranges::find(foretold_, turn_key(trial.plan.knob, trial.plan.value), &Foretold::turn);
  return found == foretold_.end() ? nullptr : &found->answer;
}

const Knob* ProgramTrials::knob(const CardKey& card) const {
  const auto found = std::ranges::find(of_cards_, card, &OfCard::card);
  return found == of_cards_.end() ? nullptr : &knobs_.knobs[found->knob];
}

std::string ProgramTrials::patch(const AdviceCard& card) const {
  const Knob* own = knob(card.key);
  const ProgramTrial* trial = own ? newest(*own) : nullptr;
  return trial ? patch_with(card.card.paste, *trial) : card.card.paste;
}

}  // namespace lanescope::ui
