// What the library in a watched program reads: the controls, which the viewer writes into the shared memory.
#include <algorithm>
#include <cstring>

#include "foreign.h"
#include "inject/connection.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::int64_t now = 0;
  if (size < sizeof now) return 0;
  std::memcpy(&now, data, sizeof now);
  now &= (std::int64_t{1} << 62) - 1;  // CLOCK_MONOTONIC, which is the library's own
  wire::Controls controls{};
  std::memcpy(static_cast<void*>(&controls), data + sizeof now, std::min(size - sizeof now, sizeof controls));
  const inject::ViewerRequest request = inject::request_of(controls, now);
  fuzz::expect(request.level <= wire::Level::All, "a level that there is not");
  fuzz::expect(request.burst >= inject::kMillisecond && request.burst <= inject::kLongestBurst,
               "a burst that is not allowed");
  fuzz::expect(request.period >= request.burst && request.period <= inject::kLongestPeriod,
               "a period that is not allowed");
  fuzz::expect(request.boost_until >= 0 && request.boost_until - now <= inject::kLongestBoost,
               "recording for too long");
  fuzz::expect(
      request.sample == 0 || (request.sample >= inject::kMillisecond && request.sample <= inject::kRarestSample),
      "samples that are not allowed");
  return 0;
}
