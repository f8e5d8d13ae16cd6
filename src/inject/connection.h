// The connection to the viewer, and the library's own thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "inject/durations.h"
#include "inject/wire.h"

namespace lanescope::inject {

// --- what the viewer asks --------------------------------------------------------------------------------------------
// What the viewer asks of the library. The viewer is not trusted: its numbers are brought into the range that is
// allowed.

inline constexpr std::int64_t kLongestBurst = 10 * kSecond, kLongestPeriod = 128 * kSecond,
                              kLongestBoost = 60 * kSecond;
inline constexpr std::int64_t kRarestSample = 10 * kSecond;

struct ViewerRequest {
  wire::Level level;
  std::int64_t burst, period, boost_until;  ///< period >= burst >= 1 ms
  std::int64_t sample;                      ///< 0: never
  std::uint32_t anchor;
};

inline std::int64_t clamp(std::int64_t v, std::int64_t least, std::int64_t most) {
  return v < least ? least : v > most ? most : v;
}

inline ViewerRequest request_of(const wire::Controls& c, std::int64_t now) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  ViewerRequest w{};
  const std::uint32_t level = c.level.load(kRelaxed);
  w.level = level <= static_cast<std::uint32_t>(wire::Level::All) ? static_cast<wire::Level>(level) : wire::Level::Off;
  const auto microseconds = [](std::uint32_t us, std::uint32_t otherwise) {
    return std::int64_t{us == 0 ? otherwise : us} * 1000;
  };
  w.burst = clamp(microseconds(c.burst_us.load(kRelaxed), 50'000), kMillisecond, kLongestBurst);
  w.period = clamp(microseconds(c.period_us.load(kRelaxed), 500'000), w.burst, kLongestPeriod);
  w.boost_until = clamp(c.boost_until_ns.load(kRelaxed), 0, now + kLongestBoost);
  w.anchor = c.anchor.load(kRelaxed);
  const std::uint32_t sample = c.sample_us.load(kRelaxed);
  w.sample = sample == 0 ? 0 : clamp(std::int64_t{sample} * 1000, kMillisecond, kRarestSample);
  return w;
}

// --- bursts of a job -------------------------------------------------------------------------------------------------

/// A burst that has begun may seem to have begun just before its time once somebody has corrected the clock: what is
/// nearer than this is the same one. No more, since the first one of a rank begins with the rank.
inline constexpr std::int64_t kSameBurst = 30 * kMillisecond;
/// When the first burst after `begin` starts on the grid of a job: at multiples of the period since 1970, which all
/// machines know without a word between them. `ahead`: CLOCK_REALTIME less CLOCK_MONOTONIC; the times here are the
/// latter.
inline std::int64_t next_on_grid(std::int64_t begin, std::int64_t period, std::int64_t ahead) {
  const std::int64_t from = begin + kSameBurst + ahead;
  const std::int64_t since = ((from % period) + period) % period;
  return from - since + period - ahead;
}

// --- session ---------------------------------------------------------------------------------------------------------

/// Once per process: creates the memory, connects to the viewer, says Hello, starts the thread. False if nobody is to
/// be told anything: no LANESCOPE_ATTACH, or nobody answers.
bool start();
/// LANESCOPE_ATTACH says "sleep": there is no viewer yet, and perhaps there never will be.
bool is_asleep();
/// Starts the thread that waits for one. Once per process.
void fall_asleep();
/// A viewer listens at this socket, and the program has been running for some time. Only starts a thread, which does
/// all else; also when an earlier viewer has left. 0, or why not.
int enter(const char* path);
inline constexpr int kServing = 1, kNoPath = 2, kNoThread = 3;  ///< kServing: another viewer is there
/// Starts CUPTI, once for each viewer.
void begin_cupti();
/// Does what the controls ask for now, on the calling thread, which is in cuInit.
void step_now();
/// The library's thread looks at once whether there is something to do. Safe in a callback.
void wake_up();
/// Starts a detached thread of the library's, which receives none of the program's signals.
bool start_thread(void* (*run)(void*));
/// At the program's end sends what there is. To be called after CUPTI was loaded, so that it comes before CUPTI's own
/// end. Once.
void leave_at_exit();

}  // namespace lanescope::inject
