// Promises: 100,000,000 events fit into a machine's memory, and the cost of a frame depends on the screen, not on the
// number of events: all lanes with sub-rows, the bubbles, the run-ahead curve and the plots.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "promise.h"
#include "synthetic_loop.h"
#include "timeline/plot_set.h"
#include "timeline/timeline.h"

namespace lanescope::bench {
namespace {

constexpr float kWidth = 1200, kHeight = 700;
constexpr int kRounds = 61;
constexpr std::uint64_t kLarge = 100'000'000, kSmall = 10'000;

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  if (!(statm >> size >> resident)) throw std::runtime_error("/proc/self/statm cannot be read");
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Simulates the drawing between two frames, which evicts what was prepared from the nearest cache.
void draw_something_else() {
  static std::vector<std::uint32_t> pixels(1600 * 900);
  for (std::uint32_t& pixel : pixels) ++pixel;
  benchmark::DoNotOptimize(pixels.data());
}

// A trace and everything that a window keeps for it.
class Shown {
 public:
  explicit Shown(std::uint64_t events) : synthetic_(events), analysis_(synthetic_.trace()) {
    const auto begin = Clock::now();
    analysis_.update(std::numeric_limits<Nanoseconds>::max());
    analysis_.finish();
    analysis_ns_per_event_ =
        std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / static_cast<double>(events);
    timeline_.sync(synthetic_.trace());
    if (synthetic_.trace().counts().recorded != events || synthetic_.trace().counts().evicted != 0) {
      throw std::runtime_error("the trace does not hold what was written");
    }
  }

  std::pair<Nanoseconds, Nanoseconds> extent() const { return synthetic_.trace().extent(); }
  Nanoseconds whole() const { return extent().second - extent().first; }
  std::size_t trace_bytes() const { return synthetic_.trace().memory_bytes(); }
  double analysis_ns_per_event() const { return analysis_ns_per_event_; }
  std::size_t rectangles() const { return timeline_.rows().spans.size(); }

  void prepare_plots() {
    const auto [from, to] = extent();
    plots_.prepare(analysis_.records(), ui::TimeAxis(0, 1, 0, kWidth).fitted(from, to), to);
  }
  /// The time of one frame in seconds, with `span` of time in view, at the fraction `at` of the run.
  double prepare_s(Nanoseconds span, double at) {
    const auto [from, to] = extent();
    const Nanoseconds left = from + static_cast<Nanoseconds>(static_cast<double>(to - from - span) * at);
    const float label_width = ui::Timeline::kLabelWidth;
    const ui::TimeAxis axis = ui::TimeAxis(0, 1, label_width, kWidth - label_width).fitted(left, left + span);
    const ui::TimelineFrame frame{synthetic_.trace(), &analysis_, ui::theme(ui::ThemeName::Dark), to};
    std::vector<double> times;
    for (int round = 0; round < kRounds; ++round) {
      draw_something_else();
      const double begin = worked_s();
      timeline_.prepare(frame, axis, {0, 0, kWidth, kHeight});
      times.push_back(worked_s() - begin);
    }
    if (timeline_.rows().empty()) throw std::runtime_error("nothing was prepared");
    return median(times);
  }

 private:
  SyntheticTrace synthetic_;
  analysis::LiveAnalysis analysis_;
  ui::Timeline timeline_;
  ui::PlotSet plots_;
  double analysis_ns_per_event_ = 0;
};

struct Large {
  std::unique_ptr<Shown> shown;
  std::size_t bytes = 0;
};

// Created once, because that takes a while.
Large& large() {
  static Large large = [] {
    malloc_trim(0);
    const std::size_t before = resident_bytes();
    Large made{std::make_unique<Shown>(kLarge), 0};
    made.shown->prepare_s(made.shown->whole(), 0);
    made.shown->prepare_plots();
    made.bytes = resident_bytes() - before;
    return made;
  }();
  return large;
}

void memory(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["bytes_per_event"] = static_cast<double>(large().bytes) / static_cast<double>(kLarge);
    state.counters["trace_bytes_per_event"] =
        static_cast<double>(large().shown->trace_bytes()) / static_cast<double>(kLarge);
    state.counters["analysis_ns_per_event"] = large().shown->analysis_ns_per_event();
    at_most(state, static_cast<double>(large().bytes) * 1e-9, 4.0);
  }
}
BENCHMARK(memory)
    ->Name("memory: resident GB of 100,000,000 events with their analysis")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void prepare(benchmark::State& state) {
  for (auto _ : state) {
    Shown& many = *large().shown;
    Shown few(kSmall);
    double worst = 0;
    // From single events to the whole large run; beyond the small run's end, compare with the whole small run.
    for (Nanoseconds span = 2'000;; span *= 4) {
      double many_s = 0, few_s = 0;
      for (const double at : {0.31, 0.73}) {
        many_s += many.prepare_s(std::min(span, many.whole()), at);
        few_s += few.prepare_s(std::min(span, few.whole()), at);
      }
      if (getenv("LANESCOPE_BENCH_TALK")) {
        fprintf(stderr, "%12.3f us: %8.2f us / %8.2f us = %.2f  %zu/%zu rects\n", static_cast<double>(span) / 1e3,
                many_s * 5e5, few_s * 5e5, many_s / few_s, many.rectangles(), few.rectangles());
      }
      if (many_s / few_s > worst) {
        worst = many_s / few_s;
        state.counters["worst_us"] = many_s * 5e5;
        state.counters["worst_span_us"] = static_cast<double>(span) / 1e3;
      }
      if (span >= many.whole()) break;
    }
    at_most(state, worst, 2);
  }
}
BENCHMARK(prepare)
    ->Name("a frame costs what the screen has: prepare at 100,000,000 / 10,000 events")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
