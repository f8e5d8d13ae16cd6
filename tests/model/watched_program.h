// A program of the user's that runs by a script: a source with stacks, as an attached one has, without a process.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/source/source.h"

namespace lanescope::ui_test {

using base::Nanoseconds;
using trace::EventKind;
using trace::LaneKind;

/// Every millisecond an iteration of train.py:
///
///   line 2 (called by line 6, through a library)   launches for 10 µs   a kernel from 120 to 420 µs
///   line 7                                         launches for 20 µs   a kernel from 420 to 520 µs
///   line 8                                         waits: 300 to 540 µs, of which 10 are the call's own
class WatchedProgram final : public ui::Source, private ui::Growth, private ui::OpenCalls, private ui::Watching {
 public:
  static constexpr Nanoseconds kUs = 1'000, kMs = 1'000'000;
  static constexpr const char* kText =
      "def forward(x):\n"
      "    return gemm(x)\n"
      "\n"
      "def main():\n"
      "    for batch in loader:\n"
      "        out = forward(batch)\n"
      "        loss = out.sum()\n"
      "        print(loss.item())\n"
      "main()\n";

  /// `folder`: where the program runs, and its source file is written unless it is `elsewhere`.
  explicit WatchedProgram(const std::filesystem::path& folder, bool elsewhere = false) {
    std::filesystem::create_directories(folder);
    if (!elsewhere) std::ofstream(folder / "train.py") << kText;
    iterations_ = lane(LaneKind::Iterations, 0);
    calls_ = lane(LaneKind::Calls, 0);
    kernels_ = lane(LaneKind::Kernels, 7);
    state_.started = true;
    attach::ProcessState process;
    process.pid = 4711;
    process.name = "train.py";
    process.folder = folder;
    process.uses_gpu = true;
    process.state = wire::State::Watching;
    state_.processes = {process};
    command_.words = {"python", "train.py"};
    command_.folder = folder;
    launch_site_ = site({{"/usr/lib/python3/dist-packages/torch/nn.py", "linear", 99},
                         {"train.py", "forward", 2},
                         {"train.py", "main", 6},
                         {"train.py", "<module>", 9}},
                        1);
    sum_site_ = site({{"train.py", "main", 7}, {"train.py", "<module>", 9}}, 0);
    item_site_ = site({{"train.py", "main", 8}, {"train.py", "<module>", 9}}, 0);
  }

  const trace::Trace& trace() const override { return trace_; }
  trace::RunFacts facts() const override {
    trace::RunFacts facts;
    facts.device_name = "NVIDIA H200";
    facts.version.clear();
    return facts;
  }
  std::string title() const override { return "python train.py"; }
  device::DeviceInfo device() const override {
    device::DeviceInfo info;
    info.name = "NVIDIA H200";
    return info;
  }
  ui::SourceWords words() const override { return {"your program", "YOUR PROGRAM", "It runs."}; }
  bool own() const override { return false; }
  Growth* growth() override { return this; }
  OpenCalls* open_calls() override { return this; }
  Watching* watching() override { return this; }

  void play(int iterations) {
    for (int i = 0; i < iterations; ++i, ++played_) {
      const Nanoseconds at = played_ * kMs;
      const auto number = static_cast<std::uint32_t>(2 * played_ + 1);
      write(calls_, EventKind::Call, "cudaLaunchKernel", at + 100 * kUs, at + 110 * kUs, number, launch_site_);
      write(calls_, EventKind::Call, "cudaLaunchKernel", at + 200 * kUs, at + 220 * kUs, number + 1, sum_site_);
      write(kernels_, EventKind::Kernel, "gemm", at + 120 * kUs, at + 420 * kUs, number, 0);
      write(kernels_, EventKind::Kernel, "sum", at + 420 * kUs, at + 520 * kUs, number + 1, 0);
      write(calls_, EventKind::Call, "cudaStreamSynchronize", at + 300 * kUs, at + 540 * kUs, 0, item_site_);
      write(iterations_, EventKind::Range, "iteration", at, at + kMs, 0, 0);
      if (lines_)
        write(*lines_, EventKind::Range, "train.py:8  print(loss.item())", at + 300 * kUs, at + 540 * kUs, 0, 0);
    }
    trace_.publish();
    trace_.set_complete_until(played_ * kMs);
  }
  /// The call of line 8 does not return.
  void hang() {
    hangs_ = true;
    trace_.sites().note(calls_, played_ * kMs, item_site_);
  }

  /// From now on what line 8 does is a range of its own, as of an attached program.
  void tell_lines() {
    trace::LaneInfo info;
    info.kind = LaneKind::Phases;
    info.role = trace::LaneRole::Statements;
    info.process = "train.py";
    info.pid = info.tid = 4711;
    lines_ = trace_.add_lane(info);
  }

  // Its knobs. Trials go as far as the test says.
  void offer(std::vector<attach::Knob> knobs) {
    knobs_on_ = true;
    known().state = attach::ProgramKnobs::State::Ready;
    known().knobs = std::move(knobs);
  }
  attach::ProgramKnobs& known() { return state_.processes[0].knobs; }
  /// The next blocks of the trial, in the order A B B A, with so much time per iteration.
  void measure(int blocks, Nanoseconds as_it_is, Nanoseconds turned) {
    attach::ProgramTrial& trial = known().trials.back();
    trial.state = attach::ProgramTrial::State::Running;
    for (; blocks > 0; --blocks) {
      const std::size_t i = trial.blocks.size();
      const bool b = i % 4 == 1 || i % 4 == 2;
      const auto wander = static_cast<Nanoseconds>(i % 3) * 1'000;
      trial.blocks.push_back({b, 22, 22 * ((b ? turned : as_it_is) + wander)});
    }
    trial.result = attach::trial_result(trial.blocks);
  }
  void end_trial(attach::ProgramTrial::State how, std::string why = {}) {
    known().trials.back().state = how;
    known().trials.back().ended = std::move(why);
  }
  int stops = 0;                                              ///< how often a trial was told to end
  std::vector<std::pair<std::string, std::string>> own_sets;  ///< names and values

  std::vector<Nanoseconds> recorded;  ///< what record_for() was asked for
  trace::LaneId calls_lane() const { return calls_; }
  trace::LaneId kernels_lane() const { return kernels_; }

 private:
  struct At {
    const char *file, *function;
    std::uint32_t line;
  };
  std::uint32_t site(const std::vector<At>& stack, std::size_t own) {
    std::vector<trace::Frame> frames;
    for (const At& at : stack) {
      frames.push_back({trace_.names().intern(at.file), trace_.names().intern(at.function), at.line});
    }
    return trace_.sites().intern(frames, own);
  }
  trace::LaneId lane(LaneKind kind, int stream) {
    trace::LaneInfo info;
    info.kind = kind;
    info.process = "train.py";
    info.pid = 4711;
    info.tid = trace::is_cpu_lane(kind) ? 4711 : 0;
    info.stream = stream;
    return trace_.add_lane(info);
  }
  void write(trace::LaneId lane, EventKind kind, const char* name, Nanoseconds from, Nanoseconds to,
             std::uint32_t correlation, std::uint32_t site) {
    trace::Event e{.start_ns = from,
                   .end_ns = to,
                   .name = trace_.names().intern(name),
                   .correlation = correlation,
                   .lane = lane,
                   .kind = kind};
    if (kind == EventKind::Range)
      trace::set_range_kind(e, lane == iterations_ ? trace::RangeKind::Iteration : trace::RangeKind::Read);
    if (kind == EventKind::Call) e.flags = correlation != 0 ? trace::kLaunchFlag : trace::kSyncFlag;
    if (kind == EventKind::Call && correlation == 0) trace::set_parts(e, {10 * kUs, 0, 0, 5 * kUs});
    trace_.append(e);
    trace_.sites().note(lane, from, site);
  }

  void start() override {}
  void end() override {}
  bool running() const override { return true; }
  Nanoseconds live_edge_ns() const override { return played_ * kMs; }
  Nanoseconds now_ns() const override { return played_ * kMs + (hangs_ ? 900 * kMs : 0); }
  std::optional<ui::RunNotice> notice() const override { return std::nullopt; }
  void set_memory_cap(std::size_t bytes) override { trace_.set_memory_cap_bytes(bytes); }
  std::vector<trace::OpenCall> calls() const override {
    if (!hangs_) return {};
    return {{calls_, trace_.names().find("cudaStreamSynchronize"), played_ * kMs}};
  }

  attach::AttachState watched() const override { return state_; }
  const attach::Command& command() const override { return command_; }
  attach::Intensity intensity() const override { return intensity_; }
  void set_intensity(const attach::Intensity& intensity) override { intensity_ = intensity; }
  void record_for(Nanoseconds duration_ns) override { recorded.push_back(duration_ns); }
  void choose_loop(std::uint32_t, std::optional<attach::LoopKey>) override {}
  bool knobs_on() const override { return knobs_on_; }
  void try_knob(std::uint32_t, const attach::TrialPlan& plan) override {
    attach::ProgramTrial trial;
    trial.number = static_cast<std::uint32_t>(known().trials.size() + 1);
    trial.plan = plan;
    known().trials.push_back(std::move(trial));
  }
  void stop_trial(std::uint32_t) override { ++stops; }
  void set_own_knob(std::uint32_t, const std::string& name, const std::string& value) override {
    own_sets.emplace_back(name, value);
    for (attach::Knob& knob : known().knobs)
      if (knob.kind == attach::KnobKind::Own && knob.name == name) knob.value = value;
  }

  trace::Trace trace_;
  trace::LaneId iterations_ = 0, calls_ = 0, kernels_ = 0;
  std::optional<trace::LaneId> lines_;
  std::uint32_t launch_site_ = 0, sum_site_ = 0, item_site_ = 0;
  std::int64_t played_ = 0;
  bool hangs_ = false, knobs_on_ = false;
  attach::AttachState state_;
  attach::Command command_;
  attach::Intensity intensity_;
};

}  // namespace lanescope::ui_test
