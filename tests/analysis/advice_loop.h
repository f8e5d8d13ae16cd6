// A hand-written loop of five iterations of 100 µs, and the advisor's cards for it.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "analysis/advisor.h"
#include "analysis/trace_builder.h"

namespace lanescope::analysis_test {

inline constexpr Nanoseconds kPeriod = 100'000;
inline constexpr int kIterations = 5;

class AdviceLoop : public testing::Test {
 protected:
  template <typename Iteration>
  void loop(Iteration iteration) {
    for (int i = 0; i < kIterations; ++i) {
      const Nanoseconds t = i * kPeriod;
      b_.iteration(t, t + kPeriod);
      iteration(t);
    }
    b_.publish();
  }
  trace::Event& range(std::string_view name, Nanoseconds start, Nanoseconds end) { return b_.range(name, start, end); }
  void kernel(Nanoseconds launched, Nanoseconds start, Nanoseconds end, Nanoseconds launch_ns = 2'000) {
    b_.launch(launched, launched + launch_ns, ++correlation_);
    b_.kernel(start, end, correlation_);
  }
  /// An asynchronous upload whose call blocked the CPU until `returned`.
  void upload(Nanoseconds called, Nanoseconds returned, Nanoseconds start, Nanoseconds end, std::uint64_t bytes,
              trace::MemoryKind memory) {
    if (memory == trace::MemoryKind::Pageable) {
      b_.staging_copy(called, returned, ++correlation_);
    } else {
      b_.copy_call(called, returned, ++correlation_);
    }
    b_.upload(start, end, bytes, correlation_);
    trace::set_copy_traits(b_.events.back(), {CopyDirection::HostToDevice, memory, trace::MemoryKind::Device, true});
  }
  analysis::Evidence evidence() { return analysis::gather(trace_, 0, kIterations * kPeriod); }
  std::vector<analysis::Card> cards(const analysis::AdviceContext& context = {}) {
    return analysis::advise(evidence(), trace_.names(), context);
  }
  static std::vector<analysis::Rule> rules(const std::vector<analysis::Card>& cards) {
    std::vector<analysis::Rule> found;
    for (const analysis::Card& card : cards) found.push_back(card.rule);
    return found;
  }

  trace::Trace trace_;
  TraceBuilder b_{trace_};
  std::uint32_t correlation_ = 0;
};

}  // namespace lanescope::analysis_test
