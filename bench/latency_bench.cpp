// Promise: what happens in a watched program is on the screen at once. From an event's end to the end of the first
// frame that shows it, in a real window, for a training loop in a real interpreter on a GPU that is not there
// (tests/inject). Needs a display, usually a virtual one.
#include <GLFW/glfw3.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#include "attach/attachment.h"
#include "model/source/attached_source.h"
#include "promise.h"
#include "window/window.h"

namespace lanescope::bench {
namespace {

using base::Nanoseconds;

constexpr double kSettles_s = 3, kMeasured_s = 12;

struct Frame {
  Nanoseconds edge_ns, shown_ns;  ///< all that ended before `edge_ns` is on the screen since `shown_ns`
};

std::shared_ptr<attach::Attachment> train(wire::Level level) {
  setenv("LANESCOPE_INJECT", LANESCOPE_INJECT, 1);
  attach::AttachOptions options;
  options.command.words = {
      LANESCOPE_PYTHON, LANESCOPE_SOURCE_DIR "/tests/inject/train.py", "--iterations", "1000000", "--loader-us", "300"};
  options.command.variables = {{"FAKE_GPU_LIBRARIES", LANESCOPE_FAKES},
                               {"LANESCOPE_CUPTI", LANESCOPE_FAKES "/libcupti.so.13"}};
  options.intensity.level = level;
  return std::make_shared<attach::Attachment>(options);
}

// Ends the program also when something fails.
class Stopped {
 public:
  explicit Stopped(attach::Attachment& attachment) : attachment_(attachment) {}
  ~Stopped() { attachment_.signal(SIGKILL); }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;

 private:
  attach::Attachment& attachment_;
};

/// The latency of every call, kernel and copy that ended while it was measured, in milliseconds.
std::vector<double> latencies(const trace::Trace& trace, const std::vector<Frame>& frames) {
  std::vector<double> all;
  const trace::Trace::ReadLock lock(trace);
  for (trace::LaneId id = 0; id < trace.lane_count(); ++id) {
    const trace::Lane& lane = trace.lane(id);
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      for (auto i = row.first(); i < row.last(); ++i) {
        const trace::Event event = row.event(i);
        if (event.kind != trace::EventKind::Call && !trace::is_gpu_work(event.kind)) continue;
        if (event.end_ns <= frames.front().edge_ns || event.end_ns > frames.back().edge_ns) continue;
        const auto shown = std::ranges::lower_bound(frames, event.end_ns, {}, &Frame::edge_ns);
        all.push_back(static_cast<double>(shown->shown_ns - event.end_ns) * 1e-6);
      }
    }
  }
  return all;
}

/// Of what `of` says of each frame, given the one before.
template <typename Of>
double percentile_99(const std::vector<Frame>& frames, Of of) {
  std::vector<double> all;
  for (std::size_t i = 1; i < frames.size(); ++i) all.push_back(of(frames[i - 1], frames[i]));
  std::ranges::sort(all);
  return all.empty() ? 0 : all[all.size() * 99 / 100];
}

void latency(benchmark::State& state, wire::Level level) {
  for (auto _ : state) {
    const std::shared_ptr<attach::Attachment> attachment = train(level);
    const Stopped stopped(*attachment);
    ui::WindowOptions options;
    options.source = [attachment](std::size_t) { return std::make_unique<ui::AttachedSource>(attachment); };
    options.memory_cap_bytes = std::size_t{1} << 30;
    ui::Window window(options);
    glfwSetWindowSize(window.handle(), 1600, 900);
    window.shell().state().tour = ui::TourStep::Off;
    ui::Model& model = window.shell().state().model;
    std::vector<Frame> frames;
    const auto begin = Clock::now();
    for (double s = 0; s < kSettles_s + kMeasured_s && window.frame();
         s = std::chrono::duration<double>(Clock::now() - begin).count()) {
      const Frame frame{model.live_edge(), attachment->now_ns()};
      if (s > kSettles_s && (frames.empty() || frame.edge_ns > frames.back().edge_ns)) frames.push_back(frame);
    }
    if (frames.empty()) throw std::runtime_error("nothing has come");
    std::vector<double> ms = latencies(model.trace(), frames);
    if (ms.size() < 10'000) throw std::runtime_error("only " + std::to_string(ms.size()) + " events have come");
    std::ranges::sort(ms);
    state.counters["events"] = static_cast<double>(ms.size());
    state.counters["frames"] = static_cast<double>(frames.size());
    state.counters["median_ms"] = ms[ms.size() / 2];
    state.counters["most_ms"] = ms.back();
    state.counters["frame_ms_99"] = percentile_99(frames, [](const Frame& before, const Frame& frame) {
      return static_cast<double>(frame.shown_ns - before.shown_ns) * 1e-6;
    });
    state.counters["behind_ms_99"] = percentile_99(frames, [](const Frame&, const Frame& frame) {
      return static_cast<double>(frame.shown_ns - frame.edge_ns) * 1e-6;
    });
    at_most(state, ms[ms.size() * 99 / 100], 50);
  }
}
BENCHMARK_CAPTURE(latency, acquire, wire::Level::Acquire)
    ->Name("a watched program is live: ms from an event's end to the pixel, 99th percentile, in bursts")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(latency, all, wire::Level::All)
    ->Name("a watched program is live: ms from an event's end to the pixel, 99th percentile, everything recorded")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
