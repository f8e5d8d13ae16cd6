#include "attach/loop_finder.h"

#include <algorithm>
#include <numeric>

namespace lanescope::attach {
namespace {

// A round that lasts longer is an epoch rather than an iteration, if a deeper loop has shorter ones.
constexpr Nanoseconds kLongRound = 5 * base::kSecond;
// A loop that has not begun again for this many of its rounds has ended, unless some round took that long, or one call
// did: a program that runs ahead of the GPU is stopped now and then until there is room for more launches.
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
        again =
            LoopKey{static_cast<std::uint32_t>(depth), now[depth].code, false, loop_around(now[depth], last_[depth])};
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

std::optional<LoopKey> LoopFinder::iteration(bool repeat) const {
  std::optional<LoopKey> slow;
  for (const auto& [key, loop] : loops_) {  // shallowest first
    if (key.repeat != repeat) continue;
    if (loop.rounds < kEnough) {
      // It has begun again once or twice: it is waited for, but not for ever.
      if (now_ns_ - loop.last_ns <= kWaitForRound * (loop.last_ns - *began_ns_)) return slow;
      continue;
    }
    const Nanoseconds round = std::max<Nanoseconds>(1, median(loop.durations));  // the first may have compiled for long
    const Nanoseconds longest = loop.durations.empty() ? 0 : *std::ranges::max_element(loop.durations);
    const Nanoseconds without_it = now_ns_ - loop.last_ns - loop.longest_pause_ns;
    if (without_it > std::max(kRoundsUntilEnded * round, kLongestUntilEnded * longest)) continue;
    if (round <= kLongRound) return key;
    if (!slow) slow = key;
  }
  return slow;
}

}  // namespace lanescope::attach
