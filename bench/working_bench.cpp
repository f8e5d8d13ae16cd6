// Promises: the display stays smooth while somebody works with the window and 1,000,000 events arrive per second:
// zooms, pans, selections, a search, the view of A and B. Needs a display, usually a virtual one.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <string>

#include "live_window.h"
#include "live_writer.h"
#include "promise.h"
#include "shell/finding.h"
#include "shell/selecting.h"

namespace lanescope::bench {
namespace {

constexpr double kEventsPerSecond = 1e6;
constexpr double kRoundSeconds = 10;
constexpr int kRounds = 2;

constexpr std::array kParts{"zooming_ms", "panning_ms", "selecting_ms", "searching_ms", "comparing_ms"};

/// What somebody does in a round, by the seconds of it that have passed: one thing after the other, two seconds each.
class Work {
 public:
  int part() const { return part_; }
  explicit Work(ui::ShellState& state) : state_(state) {}

  void at(double seconds, double since_last) {
    ui::ViewControl& view = state_.view;
    const float middle = view.axis().left_px() + view.axis().width_px() / 2;
    const double phase = std::fmod(seconds, 2.0);
    const int part = static_cast<int>(seconds / 2) % 5;
    if (part != part_) begin(part);
    switch (part) {
      case 0:
        return view.zoom(std::exp((phase < 1 ? -2 : 2) * since_last), middle);
      case 1:
        return view.pan(static_cast<float>((phase < 1 ? 600 : -600) * since_last));
      case 2: {  // a range that grows, as a drag makes it
        const auto edge = state_.model.live_edge();
        const auto width = static_cast<base::Nanoseconds>(phase * 20e6);
        return ui::select_range(state_, edge - 50'000'000 - width, edge - 50'000'000);
      }
      default:
        return;
    }
  }

 private:
  void begin(int part) {
    if (part_ == 3) ui::close_search(state_);
    if (part_ == 4) state_.requests.actions.push_back(ui::Action::CompareView);
    if (part == 0) state_.requests.actions.push_back(ui::Action::Roll);
    if (part == 3) ui::search_for(state_, "kernel_7");
    if (part == 4) {
      state_.requests.actions.push_back(ui::Action::PinA);
      state_.requests.actions.push_back(ui::Action::CompareView);
    }
    part_ = part;
  }

  ui::ShellState& state_;
  int part_ = -1;
};

struct Measured {
  double frames_per_second = 0, p99_ms = 0;
  std::array<double, kParts.size()> parts_ms{};  ///< the 99th percentile of each
  std::uint64_t lost = 0;                        ///< dropped, or written but not in the trace
};

Measured measure() {
  ui::WindowOptions options;
  options.plain = true;
  options.speed = 1;
  options.frames_unlimited = true;
  options.first_start = true;
  options.session.device = "sim:rtx4090";
  options.memory_cap_bytes = std::size_t{4} << 30;
  ui::Window window(options);
  make_ready(window);
  ui::ShellState& state = window.shell().state();
  session::Session& session = session_of(window);
  Work work(state);
  std::array<std::vector<float>, kParts.size()> by_part;
  std::size_t known = 0;
  const auto run_for = [&](double wanted, bool working) {
    const auto begin = Clock::now();
    double last = 0;
    for (double now = 0; now < wanted; now = seconds_since(begin)) {
      if (working) work.at(now, now - last);
      last = now;
      if (!window.frame()) break;
      const std::vector<float>& times = window.frame_times_ms();
      if (working && times.size() > known) by_part[static_cast<std::size_t>(work.part())].push_back(times.back());
      known = times.size();
    }
    return seconds_since(begin);
  };
  run_for(2, false);  // for fonts, shaders and the first iterations
  Measured measured;
  std::uint64_t written = 0;
  {
    LiveWriter writer(session, kEventsPerSecond);
    run_for(1, false);
    window.forget_frame_times();
    const double took = run_for(kRounds * kRoundSeconds, true);
    measured.frames_per_second = static_cast<double>(window.frame_times_ms().size()) / took;
    written = writer.written();
  }
  measured.p99_ms = p99_of(window.frame_times_ms());
  for (std::size_t i = 0; i < kParts.size(); ++i) measured.parts_ms[i] = p99_of(by_part[i]);
  session.stop();
  const trace::TraceCounts counts = session.trace().counts();
  measured.lost = counts.dropped + counts.evicted + (counts.recorded < written ? written - counts.recorded : 0);
  return measured;
}

const Measured& measured() {
  static const Measured once = measure();
  return once;
}

void frame_rate(benchmark::State& state) {
  for (auto _ : state) at_least(state, measured().frames_per_second, 60);
}
BENCHMARK(frame_rate)
    ->Name("smooth at work at 1,000,000 events per second: frames per second")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void frame_time(benchmark::State& state) {
  for (auto _ : state) {
    at_most(state, measured().p99_ms, 33);
    for (std::size_t i = 0; i < kParts.size(); ++i) state.counters[kParts[i]] = measured().parts_ms[i];
  }
}
BENCHMARK(frame_time)
    ->Name("smooth at work at 1,000,000 events per second: 99th percentile of frame times, ms")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void loss(benchmark::State& state) {
  for (auto _ : state) at_most(state, static_cast<double>(measured().lost), 0);
}
BENCHMARK(loss)
    ->Name("smooth at work at 1,000,000 events per second: events lost")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
