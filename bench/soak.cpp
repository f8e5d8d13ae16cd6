// A window that runs for long: does it stay as fast and as large as it was, and is everything accounted for?
//
//   soak [--minutes N] [--json FILE] [PART...]      default: 60 minutes for each of live and attached; all parts
// scripts/soak.sh builds it and gives it a display.
//
// live      a simulated run to which 200,000 events/s are written, with a memory cap that is reached
// attached  a training loop in a real interpreter on a GPU that is not there (tests/inject), everything recorded
// churn     1,000 starts of runs, 200 changes of the device, 500 opened files
//
// Needs a display, usually a virtual one. Exit status 1 if a check fails; JSON: [{"check", "value", "goal", "ok"}].
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/trace_file.h"
#include "live_window.h"
#include "live_writer.h"
#include "promise.h"
#include "resident.h"
#ifdef LANESCOPE_INJECT
#include "attach/attachment.h"
#include "model/source/attached_source.h"
#endif

namespace lanescope::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kEventsPerSecond = 200'000;
constexpr std::size_t kMemoryCap = std::size_t{512} << 20;  // reached within minutes
constexpr int kParts = 10;                                  // of the time: the last is compared with an early one
constexpr int kEarly = 2;                                   // by then the cap is reached, and caches are warm
constexpr int kRuns = 1'000, kDeviceChanges = 200, kFiles = 500;

struct Check {
  std::string what;
  double value = 0, at_most = 0;
  bool ok() const { return value <= at_most; }
};
std::vector<Check> checks;

void check(const std::string& what, double value, double at_most) {
  checks.push_back({what, value, at_most});
  fmt::print("{:<6} {}: {:.6g} (at most {:.6g})\n", checks.back().ok() ? "ok" : "FAILED", what, value, at_most);
  std::fflush(stdout);
}

std::size_t entries_of(const char* folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}
double open_files() { return static_cast<double>(entries_of("/proc/self/fd")); }
double threads() { return static_cast<double>(entries_of("/proc/self/task")); }
double resident_mib() {
  malloc_trim(0);
  return static_cast<double>(resident_bytes()) / (1 << 20);
}

std::uint64_t kept_in(const trace::Trace& trace) {
  const trace::Trace::ReadLock lock(trace);
  std::uint64_t kept = 0;
  for (trace::LaneId id = 0; id < trace.lane_count(); ++id) {
    const trace::Lane& lane = trace.lane(id);
    for (std::size_t r = 0; r < lane.row_count(); ++r) kept += lane.row(r).last() - lane.row(r).first();
  }
  return kept;
}

ui::WindowOptions options() {
  ui::WindowOptions o;
  o.plain = true;
  o.first_start = true;
  o.speed = 0.05;
  o.session.device = "sim:rtx4090";
  o.memory_cap_bytes = kMemoryCap;
  return o;
}

/// Draws for that long, and checks that the last tenth was like the third one.
void live_for(ui::Window& window, double seconds, const std::string& name) {
  double early_ms = 0, early_mib = 0, early_kept = 0, last_ms = 0, last_mib = 0, last_kept = 0;
  window.forget_frame_times();
  for (int part = 0; part < kParts; ++part) {
    for (const auto begin = Clock::now(); seconds_since(begin) < seconds / kParts && window.frame();) {
    }
    const std::vector<float> times = window.frame_times_ms();
    last_ms = p99_of(times);
    window.forget_frame_times();
    last_mib = resident_mib();
    const trace::TraceCounts counts = window.shell().state().model.trace().counts();
    last_kept = static_cast<double>(counts.recorded - counts.evicted);
    fmt::print(
        "       {} {}/{}: {} frames, median {:.1f} ms, 99th percentile {:.1f} ms, {:.0f} MiB, {} events, {} kept\n",
        name, part + 1, kParts, times.size(), median({times.begin(), times.end()}), last_ms, last_mib, counts.recorded,
        last_kept);
    std::fflush(stdout);
    if (part == kEarly) {
      early_ms = last_ms;
      early_mib = last_mib;
      early_kept = last_kept;
    }
  }
  // A third is what the same part differs by from one run to the next here.
  check(name + ": 99th percentile of frame times, the last tenth by the third", last_ms / early_ms, 1.33);
  check(name + ": memory, the last tenth by the third", last_mib / early_mib, 1.05);
  check(name + ": events kept, the third tenth by the last", early_kept / last_kept, 1.02);
}

void account_for(const trace::Trace& trace, std::uint64_t written, const std::string& name) {
  const trace::TraceCounts counts = trace.counts();
  const auto recorded = static_cast<double>(counts.recorded);
  check(name + ": events neither kept nor evicted",
        std::abs(recorded - static_cast<double>(kept_in(trace) + counts.evicted)), 0);
  check(name + ": events written that were neither recorded nor dropped",
        std::max(0.0, static_cast<double>(written) - recorded - static_cast<double>(counts.dropped)), 0);
  check(name + ": events dropped", static_cast<double>(counts.dropped), 0);
}

void soak_live(double minutes) {
  const std::string name = fmt::format("live for {:g} min", minutes);
  ui::WindowOptions o = options();
  o.speed = 1;
  ui::Window window(o);
  make_ready(window);
  session::Session& session = session_of(window);
  std::uint64_t written = 0;
  {
    LiveWriter writer(session, kEventsPerSecond);
    live_for(window, minutes * 60, name);
    written = writer.written();
    check(name + ": seconds per 200,000 events", minutes * 60 * kEventsPerSecond / static_cast<double>(written), 1.02);
  }
  session.stop();
  account_for(session.trace(), written, name);
}

#ifdef LANESCOPE_INJECT
void soak_attached(double minutes) {
  const std::string name = fmt::format("attached for {:g} min", minutes);
  setenv("LANESCOPE_INJECT", LANESCOPE_INJECT, 1);
  attach::AttachOptions attaching;
  attaching.command.words = {LANESCOPE_PYTHON, LANESCOPE_SOURCE_DIR "/tests/inject/train.py",
                             "--iterations",   "1000000000",
                             "--loader-us",    "300"};
  attaching.command.variables = {{"FAKE_GPU_LIBRARIES", LANESCOPE_FAKES},
                                 {"LANESCOPE_CUPTI", LANESCOPE_FAKES "/libcupti.so.13"}};
  attaching.intensity.level = wire::Level::All;
  const auto attachment = std::make_shared<attach::Attachment>(attaching);
  ui::WindowOptions o = options();
  o.source = [attachment](std::size_t) { return std::make_unique<ui::AttachedSource>(attachment); };
  ui::Window window(o);
  make_ready(window);
  window.shell().state().model.set_memory_cap(kMemoryCap / 4);
  live_for(window, minutes * 60, name);
  attachment->signal(SIGKILL);
  ui::Model& model = window.shell().state().model;
  for (const auto begin = Clock::now(); model.running() && seconds_since(begin) < 60 && window.frame();) {
  }
  account_for(model.trace(), 0, name);
}
#endif

/// Draws until what was asked for is shown, and a moment longer, so that threads that have nothing left to do can end.
void settle(ui::Window& window, std::uint64_t before) {
  ui::Model& model = window.shell().state().model;
  for (const auto begin = Clock::now(); model.generation() == before && seconds_since(begin) < 60 && window.frame();) {
  }
}

void soak_churn() {
  ui::WindowOptions o = options();
  o.frames_unlimited = true;
  ui::Window window(o);
  ui::ShellState& state = window.shell().state();
  const fs::path file = fs::temp_directory_path() / fmt::format("lanescope-soak-{}.lanescope", ::getpid());
  const auto rounds = [&](const std::string& name, int count, const auto& once) {
    const auto some = [&](int n) {
      for (int i = 0; i < n; ++i) {
        const std::uint64_t before = state.model.generation();
        once(i);
        settle(window, before);
      }
      for (const auto begin = Clock::now(); seconds_since(begin) < 1 && window.frame();) {
      }
    };
    some(count / 10);  // what is made once is made by then
    const double files = open_files(), thread_count = threads(), mib = resident_mib();
    some(count - count / 10);
    check(fmt::format("{} {}: file descriptors left", count, name), open_files() - files, 0);
    check(fmt::format("{} {}: threads left", count, name), threads() - thread_count, 0);
    check(fmt::format("{} {}: MiB left", count, name), resident_mib() - mib, 16);
  };
  const session::SessionOptions run = state.model.options_now();
  rounds("starts of runs", kRuns, [&](int) { state.model.start_run(run); });
  rounds("changes of the device", kDeviceChanges, [&](int i) {
    session::SessionOptions other = run;
    other.device = i % 2 == 0 ? "cpu" : "sim:h200";
    state.model.start_run(other);
  });
  state.model.start_run(run);
  for (const auto begin = Clock::now(); seconds_since(begin) < 2 && window.frame();) {
  }
  io::write_trace(file, state.model.trace(), state.model.facts());
  rounds("opened files", kFiles, [&](int) { state.requests.files = {file}; });
  fs::remove(file);
}

int run(const std::vector<std::string>& arguments) {
  double minutes = 60;
  fs::path json;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool takes_value = word == "--minutes" || word == "--json";
    if (takes_value && i + 1 == arguments.size()) throw base::UsageError(word + " needs a value");
    if (word == "--json") {
      json = arguments[++i];
    } else if (word == "--minutes") {
      const std::string& text = arguments[++i];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minutes);
      if (error != std::errc() || end != text.data() + text.size() || !(minutes > 0 && minutes <= 1440)) {
        throw base::UsageError("--minutes '" + text + "'; allowed: more than 0, at most 1440");
      }
    } else if (word == "live" || word == "attached" || word == "churn") {
      parts.push_back(word);
    } else {
      throw base::UsageError("unknown argument '" + word +
                             "'; allowed: --minutes N, --json FILE, live, attached, churn");
    }
  }
  const auto wanted = [&](const char* part) { return parts.empty() || std::ranges::find(parts, part) != parts.end(); };
  if (wanted("churn")) soak_churn();
  if (wanted("live")) soak_live(minutes);
#ifdef LANESCOPE_INJECT
  if (wanted("attached")) soak_attached(minutes);
#endif
  if (!json.empty()) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Check& c : checks) {
      rows.push_back({{"check", c.what}, {"value", c.value}, {"goal", c.at_most}, {"ok", c.ok()}});
    }
    io::write_text_file(json, rows.dump(2) + "\n");
  }
  return std::ranges::all_of(checks, &Check::ok) ? 0 : 1;
}

}  // namespace
}  // namespace lanescope::bench

int main(int argc, char** argv) {
  try {
    return lanescope::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "soak: {}\n", error.what());
    return 1;
  }
}
