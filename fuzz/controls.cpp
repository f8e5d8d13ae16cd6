// What the library in a watched program reads: the controls, which the viewer writes into the shared memory.
#include <algorithm>
#include <cstring>

#include "foreign.h"
#include "inject/session.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::int64_t now = 0;
  if (size < sizeof now) return 0;
  std::memcpy(&now, data, sizeof now);
  now &= (std::int64_t{1} << 62) - 1;  // CLOCK_MONOTONIC, which is the library's own
  wire::Controls controls{};
  std::memcpy(static_cast<void*>(&controls), data + sizeof now, std::min(size - sizeof now, sizeof controls));
  const inject::Wish wish = inject::wish_of(controls, now);
  fuzz::expect(wish.level <= wire::Level::All, "a level that there is not");
  fuzz::expect(wish.burst >= inject::kMillisecond && wish.burst <= inject::kLongestBurst,
               "a burst that is not allowed");
  fuzz::expect(wish.period >= wish.burst && wish.period <= inject::kLongestPeriod, "a period that is not allowed");
  fuzz::expect(wish.boost_until >= 0 && wish.boost_until - now <= inject::kLongestBoost, "recording for too long");
  fuzz::expect(wish.sample == 0 || (wish.sample >= inject::kMillisecond && wish.sample <= inject::kRarestSample),
               "samples that are not allowed");
  return 0;
}
