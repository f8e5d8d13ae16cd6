// Promise: on a busy machine the picture gets coarser rather than late. As many other processes as there are CPUs work
// beside a real window in which a run goes on and 200,000 events arrive per second. Needs a display, usually a virtual
// one.
#include <benchmark/benchmark.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "live_window.h"
#include "live_writer.h"
#include "promise.h"

namespace lanescope::bench {
namespace {

constexpr double kEventsPerSecond = 2e5;
constexpr double kSettles_s = 5, kMeasured_s = 15;

/// Other programs that want all of the machine, one per CPU. They sleep until they are set to work.
class OtherPrograms {
 public:
  OtherPrograms() {
    cpu_set_t ours;
    if (sched_getaffinity(0, sizeof(ours), &ours) != 0) throw std::runtime_error("how many CPUs are there?");
    for (int i = 0; i < CPU_COUNT(&ours); ++i) {
      const pid_t process = fork();
      if (process < 0) throw std::runtime_error("no process to be had");
      if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        raise(SIGSTOP);
        for (volatile bool working = true; working;) {
        }
      }
      all_.push_back(process);
      waitpid(process, nullptr, WUNTRACED);
    }
  }
  ~OtherPrograms() {
    signal_all(SIGKILL);
    for (const pid_t process : all_) waitpid(process, nullptr, 0);
  }
  OtherPrograms(const OtherPrograms&) = delete;
  OtherPrograms& operator=(const OtherPrograms&) = delete;

  std::size_t count() const { return all_.size(); }
  void work() const { signal_all(SIGCONT); }

 private:
  void signal_all(int number) const {
    for (const pid_t process : all_) kill(process, number);
  }
  std::vector<pid_t> all_;
};

void behind(benchmark::State& state) {
  for (auto _ : state) {
    const OtherPrograms others;  // before there are threads
    ui::WindowOptions options;
    options.plain = true;
    options.speed = 1;
    options.first_start = true;
    options.session.device = "sim:rtx4090";
    ui::Window window(options);
    make_ready(window);
    session::Session& session = session_of(window);
    const LiveWriter writer(session, kEventsPerSecond);
    const ui::ShellState& shown = window.shell().state();
    others.work();
    std::vector<float> behind_ms;
    std::size_t coarse = 0;
    base::Nanoseconds edge = 0;
    const auto begin = Clock::now();
    for (double s = 0; s < kSettles_s + kMeasured_s && window.frame(); s = seconds_since(begin)) {
      // The picture before this one was on the screen until now.
      if (s > kSettles_s) {
        behind_ms.push_back(static_cast<float>(session.now_ns() - edge) * 1e-6f);
        coarse += shown.figures.coarse_frames_per_second > 0 ? 1 : 0;
      }
      edge = shown.model.live_edge();
    }
    state.counters["programs_beside_it"] = static_cast<double>(others.count());
    state.counters["frames_per_second"] = static_cast<double>(behind_ms.size()) / kMeasured_s;
    state.counters["coarse"] = static_cast<double>(coarse) / static_cast<double>(behind_ms.size());
    state.counters["most_ms"] = static_cast<double>(std::ranges::max(behind_ms));
    at_most(state, p99_of(std::move(behind_ms)), 100);
  }
}
BENCHMARK(behind)
    ->Name("on a busy machine: ms that the picture is behind, 99th percentile")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
