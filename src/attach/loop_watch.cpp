#include "attach/loop_watch.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

namespace lanescope::attach {
namespace {

// A round that lasts longer is an epoch rather than an iteration, if a deeper loop has shorter ones.
constexpr Nanoseconds kLongRound = 5 * base::kSecond;
// A loop that has not begun again for this many of its rounds has ended, unless some round took that long, or one call
// did: a program that runs ahead of the GPU is stopped now and then until there is room for more launches.
constexpr Nanoseconds kMostMissed = 1000;  // rounds
constexpr int kRoundsUntilEnded = 20, kLongestUntilEnded = 3;
// A loop that began again once, so long after the first call, is expected to do so within this many times as long.
constexpr int kWaitForRound = 3;

// The innermost loop around both places; 0: none.
std::uint32_t loop_around(const FramePlace& a, const FramePlace& b) {
  std::uint32_t head = 0;
  for (std::size_t i = 0; i < a.loops.size() && a.loops.at(i) == b.loops.at(i); ++i) {
    if (a.loops.at(i) != 0) head = a.loops.at(i);
  }
  return head;
}

template <typename T>
T median(std::deque<T> values) {
  if (values.empty()) return T{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Nanoseconds mean(const std::deque<Nanoseconds>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), Nanoseconds{0}) / static_cast<Nanoseconds>(values.size());
}

}  // namespace

std::optional<LoopKey> LoopFinder::add(Nanoseconds start_ns, std::span<const FramePlace> stack, bool complete,
                                       bool alone, bool launches) {
  if (stack.empty()) return std::nullopt;
  if (!began_ns_) began_ns_ = now_ns_ = start_ns;
  const Nanoseconds pause = std::max<Nanoseconds>(0, start_ns - now_ns_);
  now_ns_ += pause;
  const std::vector<FramePlace> now(stack.rbegin(), stack.rend());
  std::optional<LoopKey> again;
  std::size_t depth = 0;
  if (!last_.empty()) {
    const std::size_t common = std::min(now.size(), last_.size());
    while (depth < common && now[depth].same_place(last_[depth])) ++depth;
    if (depth < common) {
      if (now[depth].code == last_[depth].code && now[depth].offset <= last_[depth].offset) {
        std::uint32_t head = loop_around(now[depth], last_[depth]);
        std::size_t looping = depth;
        while (head == 0 && looping > 0 && now[looping].read && now[looping - 1].read) {
          --looping;
          head = loop_around(now[looping], now[looping]);
        }
        if (head != 0) depth = looping;
        again = LoopKey{static_cast<std::uint32_t>(depth), now[depth].code, false, head};
      }
    } else if (now.size() == last_.size()) {  // the same statement again
      depth = now.size() - 1;
      std::size_t looping = depth;
      while (alone && looping > 0 && loop_around(now[looping], now[looping]) == 0) --looping;
      const std::uint32_t head = alone ? loop_around(now[looping], now[looping]) : 0;
      if (head != 0) depth = looping;
      again = LoopKey{static_cast<std::uint32_t>(depth), now[depth].code, head == 0, head};
    }
  }
  for (auto& [key, loop] : loops_) {
    ++loop.calls_now;
    loop.launched_now = loop.launched_now || launches;
    loop.complete_now = loop.complete_now && complete;
    loop.longest_pause_ns = std::max(loop.longest_pause_ns, pause);
  }
  if (again && (loops_.contains(*again) || loops_.size() < kMostLoops)) {
    Loop& loop = loops_[*again];
    if (loop.rounds > 0) {
      loop.durations.push_back(start_ns - loop.last_ns);
      if (loop.durations.size() > kRemembered) loop.durations.pop_front();
      if (loop.complete_now) {
        loop.calls.push_back(loop.calls_now);
        if (loop.calls.size() > kRemembered) loop.calls.pop_front();
      }
    } else {
      loop.first_ns = start_ns;
    }
    if (loop.frame == 0 || now[depth].offset < loop.offset) {
      loop.frame = now[depth].frame;
      loop.caller = depth > 0 ? now[depth - 1].frame : 0;
      loop.offset = now[depth].offset;
      loop.own = now[depth].own;
      for (std::size_t i = 0; i < now[depth].loops.size(); ++i) {
        if (again->head != 0 && now[depth].loops.at(i) == again->head) loop.epoch = (now[depth].epochs >> i & 1) != 0;
      }
    }
    ++loop.rounds;
    if (loop.launched_now) ++loop.rounds_with_launches;
    loop.last_ns = start_ns;
    loop.longest_pause_ns = 0;
    loop.calls_now = 0;
    loop.launched_now = launches;
    loop.complete_now = complete;
  }
  last_ = now;
  return again;
}

std::vector<FoundLoop> LoopFinder::loops() const {
  std::vector<FoundLoop> found;
  for (const auto& [key, loop] : loops_) {
    if (loop.rounds < kEnough) continue;
    found.push_back({key, loop.frame, loop.caller, loop.rounds, mean(loop.durations), median(loop.calls)});
  }
  return found;
}

bool LoopFinder::own(const LoopKey& key) const {
  const auto found = loops_.find(key);
  return found != loops_.end() && found->second.own;
}

bool LoopFinder::launches(const LoopKey& key) const {
  const auto found = loops_.find(key);
  return found != loops_.end() && 2 * found->second.rounds_with_launches > found->second.rounds;
}

std::optional<LoopKey> LoopFinder::iteration() const {
  const auto found = iteration(false);
  return found ? found : iteration(true);
}

bool LoopFinder::has_ended(const Loop& loop) const {
  const Nanoseconds round = std::max<Nanoseconds>(1, median(loop.durations));  // the first may have compiled for long
  const Nanoseconds longest = loop.durations.empty() ? 0 : *std::ranges::max_element(loop.durations);
  const Nanoseconds without_it = now_ns_ - loop.last_ns - loop.longest_pause_ns;
  return without_it > std::max(kRoundsUntilEnded * round, kLongestUntilEnded * longest);
}

// Rounds of an inner loop of the user's own take most of its time: many of them, or it says itself what it is.
bool LoopFinder::is_epoch(const LoopKey& key, const Loop& loop) const {
  if (key.head == 0) return false;
  return std::ranges::any_of(loops_, [&](const auto& one) {
    const auto& [inner_key, inner] = one;
    const bool within = inner_key.depth > key.depth ||
                        (inner_key.depth == key.depth && inner_key.code == key.code && inner_key.head > key.head);
    if (!within || inner_key.repeat || !inner.own || 2 * inner.rounds_with_launches < inner.rounds) return false;
    const auto rounds = static_cast<double>(inner.rounds) / static_cast<double>(loop.rounds);
    const double share = rounds * static_cast<double>(mean(inner.durations)) /
                         static_cast<double>(std::max<Nanoseconds>(1, mean(loop.durations)));
    return rounds >= (loop.epoch ? 2 : kManyInner) && share > 0.5;
  });
}

// A loop of the user's own has made so many rounds that one around it would have begun again more often.
bool LoopFinder::waits_in_vain(const LoopKey& key) const {
  return std::ranges::any_of(loops_, [&](const auto& one) {
    const auto& [other_key, other] = one;
    return key < other_key && !other_key.repeat && other.own && other.rounds >= kInVain && !has_ended(other) &&
           2 * other.rounds_with_launches > other.rounds;
  });
}

std::optional<LoopKey> LoopFinder::iteration(bool repeat) const {
  std::optional<LoopKey> slow;
  for (const auto& [key, loop] : loops_) {  // shallowest first
    if (key.repeat != repeat) continue;
    if (loop.rounds < kEnough) {
      // It has begun again once or twice: it is waited for, but not for ever.
      const bool may_come = now_ns_ - loop.last_ns <= kWaitForRound * (loop.last_ns - *began_ns_);
      if (may_come && !waits_in_vain(key)) return slow;
      continue;
    }
    if (has_ended(loop)) continue;
    if (median(loop.durations) > kLongRound) {
      if (!slow) slow = key;
    } else if (!is_epoch(key, loop)) {
      return key;
    }
  }
  return slow;
}

// --- loop watch ------------------------------------------------------------------------------------------------------

namespace {

constexpr int kRangesForSteps = 3;
constexpr std::size_t kMostRangeNames = 4096;

bool names_a_step(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 4> kWords{"profilerstep", "iteration", "train_step", "training_step"};
  if (std::any_of(kWords.begin(), kWords.end(), [&](auto word) { return lower.find(word) != std::string::npos; })) {
    return true;
  }
  // "step 12", "iter_3", but not "optimizer.step".
  const auto first_letters = lower.substr(0, lower.find_first_of(" _#:-"));
  return first_letters == "step" || first_letters == "iter" || first_letters == "batch";
}

}  // namespace

std::vector<LoopWatch::Iteration> LoopWatch::add(const Call& call, std::span<const FramePlace> stack) {
  std::vector<Iteration> ended;
  const auto one = follow(call, stack);
  if (!keeps_) {
    if (one) ended.push_back(*one);
    return ended;
  }
  kept_.push_back({call, {stack.begin(), stack.end()}});
  if (!kept_from_ns_) kept_from_ns_ = call.start_ns;
  if (settled()) {
    if (!settled_at_ns_) settled_at_ns_ = call.start_ns;
    const bool in_vain = tries_ >= kRoundsWithoutAnchor || call.start_ns - *settled_at_ns_ > kWithoutAnchor;
    if (!began_ && !in_vain) return ended;
    ++tries_;
    return from_the_first(!in_vain).value_or(ended);
  }
  settled_at_ns_.reset();
  tries_ = 0;
  forget_kept(call.start_ns);
  if (call.start_ns - *kept_from_ns_ > kLongestSearch) {
    keeps_ = false;
    kept_.clear();
  }
  return ended;
}

bool LoopWatch::settled() const {
  if (!loop_ || chosen_) return loop_.has_value();
  const bool launches = finder_.launches(*loop_);
  if (launches && rounds_ >= kManyRounds && finder_.own(*loop_)) return true;
  const bool doubtful = !launches || (loop_->repeat && ever_recorded_);
  return last_round_ns_ - loop_since_ns_ >= (doubtful ? std::max(settled_ns_, kSettledIfDoubtful) : settled_ns_);
}

void LoopWatch::forget_kept(Nanoseconds now) {
  const Nanoseconds until = settled_at_ns_.value_or(now);
  while (!kept_.empty() && (kept_.size() > kMostKept || until - kept_.front().call.start_ns > kKept)) kept_.pop_front();
}

std::vector<LoopWatch::Iteration> LoopWatch::finish() {
  return keeps_ && loop_ ? *from_the_first(false) : std::vector<Iteration>{};
}

std::optional<Nanoseconds> LoopWatch::undecided_since(Nanoseconds now_ns) {
  forget_kept(now_ns);
  return keeps_ && !kept_.empty() ? std::optional(kept_.front().call.start_ns) : std::nullopt;
}

// What a watch finds that knows the loop from the beginning, and in a second pass also its anchor. `with_anchor`:
// nothing if there is none yet.
std::optional<std::vector<LoopWatch::Iteration>> LoopWatch::from_the_first(bool with_anchor) {
  std::vector<Iteration> ended;
  LoopWatch again(0, false);
  for (int pass = 0; pass < 2; ++pass) {
    const std::optional<Anchor> anchor = again.anchor_;
    again = LoopWatch(0, false);
    again.chosen_ = again.loop_ = loop_;
    again.anchor_ = anchor;
    again.past_ = true;
    ended.clear();
    for (const KeptCall& kept : kept_) {
      if (kept.recording_changes) {
        again.recording_changed();
      } else if (const auto one = again.follow(kept.call, kept.stack)) {
        ended.push_back(*one);
      }
    }
    if (!again.anchor_) break;
  }
  if (with_anchor && !again.anchor_) return std::nullopt;
  anchor_ = again.anchor_;
  anchor_is_new_ = true;
  anchor_calls_ = again.anchor_calls_;
  begun_ns_ = again.begun_ns_;
  counts_ = std::move(again.counts_);
  api_counts_ = std::move(again.api_counts_);
  round_since_ns_ = again.round_since_ns_;
  whole_rounds_ = again.whole_rounds_;
  whole_ = again.whole_;
  missed_ = again.missed_;
  keeps_ = false;
  kept_.clear();
  return ended;
}

namespace {

// The call is made by the loop's function, but by another statement than the loop.
bool is_outside(const LoopKey& loop, std::span<const FramePlace> stack) {
  if (loop.head == 0 || stack.size() <= loop.depth) return false;
  const FramePlace& at = stack[stack.size() - 1 - loop.depth];
  return at.code == loop.code && at.read && std::ranges::find(at.loops, loop.head) == at.loops.end();
}

}  // namespace

std::optional<LoopWatch::Iteration> LoopWatch::follow(const Call& call, std::span<const FramePlace> stack) {
  ++calls_;
  std::optional<LoopKey> again;
  // Every call that is watched is here: those that are recorded, or, where nothing ever was, those that block.
  const bool all_here = call.recorded || !ever_recorded_;
  if (all_here) {
    ever_recorded_ = call.recorded;
    if (in_gap_) {
      finder_.forget_last();
      left_out_ns_ += call.start_ns - last_start_ns_;
      in_gap_ = false;
    }
    // Only while everything is recorded is it certain that nothing was launched.
    again =
        finder_.add(call.start_ns - left_out_ns_, stack, call.recorded, call.alone, call.launches || !call.recorded);
    last_start_ns_ = call.start_ns;
  }
  const std::optional<LoopKey> now = loop();
  if (now != loop_) {
    loop_ = now;
    loop_since_ns_ = last_round_ns_ = call.start_ns;
    rounds_ = 0;
    drop_anchor();
  }
  const bool round = again && again == loop_;
  began_ = round;
  if (round) {
    last_round_ns_ = call.start_ns;
    rounds_ = std::min(rounds_ + 1, kManyRounds);
  }
  std::optional<Iteration> ended;
  const auto begin = [&](Nanoseconds t) {
    if (begun_ns_ && t > *begun_ns_) ended = Iteration{*begun_ns_, t};
    if (ended && missed_calls_) {
      const Nanoseconds usual = std::max<Nanoseconds>(1, usual_round_ns_);
      const Nanoseconds rounds = std::max<Nanoseconds>((t - *begun_ns_ - held_up_ns_ + usual / 2) / usual, 1);
      if (usual_round_ns_ == 0 || rounds > kMostMissed) {
        ended.reset();
      } else {
        ended->rounds = static_cast<std::uint32_t>(rounds);
      }
    } else if (ended) {
      const Nanoseconds took = t - *begun_ns_;
      usual_round_ns_ += usual_round_ns_ == 0 ? took : (took - usual_round_ns_) / 16;
    }
    missed_calls_ = false;
    begun_ns_ = t;
  };
  if (!settled()) return ended;
  // Evaluation, a checkpoint: what follows the loop's last round is no part of it.
  if (begun_ns_ && loop_ && is_outside(*loop_, stack)) {
    if (!anchor_) begin(call.start_ns);
    begun_ns_.reset();
    return ended;
  }
  counted_ = loop_;
  const bool anchored = anchor_.has_value();
  if (round && all_here) {
    if (whole_) {
      missed_ = anchor_ && anchor_calls_ != anchor_->times ? missed_ + 1 : 0;
      if (missed_ == kRoundsForAnchor) drop_anchor();  // the program has gone on without it
      look_for_anchor(call.start_ns);
    }
    for (auto& [key, count] : counts_) count.now = 0;
    api_counts_.clear();
    anchor_calls_ = 0;
    round_since_ns_ = call.start_ns;
    whole_ = true;
  }
  if (all_here && call.site != 0 && (counts_.size() < kMostCandidates || counts_.contains({call.api, call.site}))) {
    Count& count = counts_[{call.api, call.site}];
    ++count.now;
    count.always_watched = call.always_watched;
  }
  if (all_here) ++api_counts_[call.api];
  if (anchor_ && call.api == anchor_->api && call.site == anchor_->site) {
    if (++anchor_calls_ % anchor_->times == 0) begin(call.end_ns);
  } else if (round && all_here && !(anchor_ && anchored)) {
    begin(call.start_ns);
  }
  return ended;
}

void LoopWatch::look_for_anchor(Nanoseconds now) {
  ++whole_rounds_;
  for (auto& [key, count] : counts_) {
    count.rounds = count.now == 0 ? 0 : count.now == count.each ? count.rounds + 1 : 1;
    count.each = count.now;
  }
  if (anchor_ || whole_rounds_ < kRoundsForAnchor) return;
  // The callback of a call that is watched only for this costs about a microsecond.
  constexpr Nanoseconds kCallback = base::kMicrosecond, kMostShare = 200;
  std::pair least{(now - round_since_ns_) / kMostShare, kMostTimes};
  for (const auto& [key, count] : counts_) {
    if (count.rounds < kRoundsForAnchor || (count.each > 1 && !count.always_watched)) continue;
    const std::pair costs{count.always_watched ? 0 : kCallback * api_counts_[key.first], count.each};
    if (costs > least || (anchor_ && costs == least)) continue;
    anchor_ = Anchor{key.first, key.second, count.always_watched, count.each};
    least = costs;
  }
  anchor_is_new_ = anchor_.has_value();
}

void LoopWatch::drop_anchor() {
  anchor_.reset();
  begun_ns_.reset();
  counts_.clear();
  api_counts_.clear();
  whole_rounds_ = missed_ = 0;
  whole_ = false;
}

void LoopWatch::recording_changed() {
  if (keeps_ && !kept_.empty()) {
    KeptCall change;
    change.call.start_ns = kept_.back().call.start_ns;
    change.recording_changes = true;
    kept_.push_back(std::move(change));
  }
  whole_ = false;
  in_gap_ = last_start_ns_ != 0;
  if (!anchor_ || ((past_ || anchor_is_new_) && !anchor_->always_watched)) begun_ns_.reset();
  anchor_is_new_ = false;
}

void LoopWatch::choose(std::optional<LoopKey> loop) {
  if (loop == chosen_) return;
  chosen_ = loop;
}

std::string StepRanges::without_digits(std::string_view name) {
  std::string plain;
  std::copy_if(name.begin(), name.end(), std::back_inserter(plain),
               [](unsigned char c) { return std::isdigit(c) == 0; });
  while (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return plain;
}

bool StepRanges::add(std::string_view name, std::uint32_t thread) {
  std::pair<std::string, std::uint32_t> key{without_digits(name), thread};
  if (found()) return key == chosen_;
  if (!names_a_step(name) || (counts_.size() >= kMostRangeNames && !counts_.contains(key))) return false;
  if (++counts_[key] < kRangesForSteps) return false;
  chosen_ = std::move(key);
  return true;
}

}  // namespace lanescope::attach
