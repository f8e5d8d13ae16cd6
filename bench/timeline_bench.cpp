// Promise: the cost of a frame depends on the screen. Preparing the timeline of 10,000,000 events compared with 10,000
// events, at the same width, for the worst zoom, with drawing in between as in a window.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "analysis/live_analysis.h"
#include "experiment/session.h"
#include "promise.h"
#include "timeline/timeline.h"

namespace lanescope::bench {
namespace {

using trace::Nanoseconds;

constexpr float kWidth = 1200, kHeight = 700;
constexpr int kRounds = 101;

// Simulates the drawing between two frames, which evicts what was prepared from the nearest cache.
void draw_something_else() {
  static std::vector<std::uint32_t> pixels(1600 * 900);
  for (std::uint32_t& pixel : pixels) ++pixel;
  benchmark::DoNotOptimize(pixels.data());
}

// A finished run of linear-mse with about this many events, and its analysis.
class Recorded {
 public:
  explicit Recorded(std::uint64_t events) {
    session::SessionOptions options;
    options.workload = "linear-mse";
    options.assignments = {"log_interval=1"};
    options.paced = false;
    options.iterations = 100;
    session_ = std::make_unique<session::Session>(options);
    finish();
    options.iterations = std::max<std::uint64_t>(1, events * options.iterations / session_->trace().counts().recorded);
    session_ = std::make_unique<session::Session>(options);
    finish();
    analysis_ = std::make_unique<analysis::LiveAnalysis>(session_->trace());
    analysis_->update(std::numeric_limits<Nanoseconds>::max());
    analysis_->finish();
    timeline_.sync(session_->trace());
  }

  std::uint64_t events() const { return session_->trace().counts().recorded; }
  std::pair<Nanoseconds, Nanoseconds> extent() const { return session_->trace().extent(); }

  /// The time of one frame in seconds, with `span` of time from the middle of the run in view.
  double prepare_s(Nanoseconds span) {
    const auto [from, to] = extent();
    const Nanoseconds left = from + (to - from - span) / 2;
    const float label_width = ui::Timeline::kLabelWidth;
    const ui::TimeAxis axis = ui::TimeAxis(0, 1, label_width, kWidth - label_width).fitted(left, left + span);
    const ui::TimelineFrame frame{session_->trace(), analysis_.get(), ui::theme(ui::ThemeName::Dark), to};
    std::vector<double> times;
    for (int round = 0; round < kRounds; ++round) {
      draw_something_else();
      times.push_back(ns_per(1, [&] { timeline_.prepare(frame, axis, {0, 0, kWidth, kHeight}); }) * 1e-9);
    }
    if (timeline_.rows().empty()) throw std::runtime_error("nothing was prepared");
    return median(times);
  }

 private:
  void finish() {
    session_->start();
    session_->wait();
    if (!session_->runner().error().empty()) throw std::runtime_error(session_->runner().error());
  }

  std::unique_ptr<session::Session> session_;
  std::unique_ptr<analysis::LiveAnalysis> analysis_;
  ui::Timeline timeline_;
};

void timeline(benchmark::State& state) {
  for (auto _ : state) {
    Recorded large(10'000'000), small(10'000);
    const auto whole = [](const Recorded& run) { return run.extent().second - run.extent().first; };
    double worst = 0, worst_us = 0;
    // From a few events to the whole large run; beyond the small run's end, compare with the whole small run.
    for (Nanoseconds span = 20'000;; span *= 4) {
      const double large_s = large.prepare_s(std::min(span, whole(large)));
      const double small_s = small.prepare_s(std::min(span, whole(small)));
      if (large_s / small_s > worst) {
        worst = large_s / small_s;
        worst_us = large_s * 1e6;
      }
      if (span >= whole(large)) break;
    }
    state.counters["events"] = static_cast<double>(large.events());
    state.counters["worst_us"] = worst_us;
    at_most(state, worst, 2);
  }
}
BENCHMARK(timeline)
    ->Name("a frame costs what the screen has: prepare at 10,000,000 / 10,000 events")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
