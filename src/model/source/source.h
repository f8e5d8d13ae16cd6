// What the window shows: a trace, what is known of it, and what can be done with it. The window asks for a capability
// and never for a kind of source. So a new kind (see live_source.h, file_source.h) needs no change in a panel.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attach/program_state.h"
#include "experiment/session.h"
#include "io/reading.h"
#include "model/source/capture_text.h"

namespace lanescope::ui {

using base::Nanoseconds;

class Source;

// The capabilities. Their functions are called on the window's thread.

/// The trace grows.
class Growth {
 public:
  /// Begins to write the trace. Called once, after the source is shown.
  virtual void start() = 0;
  /// Ends the run and frees the device. The trace and everything known of it stay.
  virtual void end() = 0;
  /// A run without a thread of its own (base/background_job.h) goes on until `until`. Once per frame.
  virtual void advance(std::chrono::steady_clock::time_point /*until*/) {}
  /// False: the run has ended, and the trace will not grow any more.
  virtual bool running() const = 0;
  /// The newest instant up to which all events are known.
  virtual Nanoseconds live_edge_ns() const = 0;
  /// The present on the trace's clock; in virtual time, the live edge.
  virtual Nanoseconds now_ns() const = 0;
  /// Why the run has ended, if it failed.
  virtual std::optional<RunNotice> notice() const = 0;
  /// How much memory the events may take up from now on; the oldest are evicted first.
  virtual void set_memory_cap(std::size_t bytes) = 0;

 protected:
  ~Growth() = default;
};

/// The run is one of our workloads: it can be paused, its settings can be changed, and the speed of its clock if that
/// is virtual.
class Steering {
 public:
  virtual bool paused() const = 0;
  virtual void set_paused(bool paused) = 0;
  virtual bool virtual_time() const = 0;
  /// Virtual time per wall time.
  virtual double speed() const = 0;
  virtual void set_speed(double speed) = 0;
  virtual const workload::WorkloadInfo& workload() const = 0;
  virtual workload::Settings settings() const = 0;
  virtual std::uint32_t settings_version() const = 0;
  /// Throws base::UsageError when the value is not allowed.
  virtual void set(std::string_view key, const workload::Value& value) = 0;
  /// Several settings ("key=value") as one change: all of them or none. Throws base::UsageError.
  virtual void assign(const std::vector<std::string>& assignments) = 0;
  /// The figures that the workload itself measures.
  virtual std::vector<workload::Figure> figures() const = 0;
  /// Options for a run of the same workload at the same speed, with the settings that the user changed. All other
  /// settings are the defaults of the device that it is started on.
  virtual session::SessionOptions options() const = 0;

 protected:
  ~Steering() = default;
};

/// Calls are known while they are in progress.
class OpenCalls {
 public:
  virtual std::vector<trace::OpenCall> calls() const = 0;

 protected:
  ~OpenCalls() = default;
};

/// Events are captured, and the state of the capture is known.
class CaptureMonitor {
 public:
  virtual trace::CaptureHealth health() const = 0;
  virtual double recorder_latency_ms() const = 0;
  /// Why no GPU is used where one would have been preferred; empty: there is nothing to explain.
  virtual std::string no_gpu() const = 0;

 protected:
  ~CaptureMonitor() = default;
};

/// The source is a program of the user's that is watched while it runs.
class Watching {
 public:
  virtual attach::AttachState watched() const = 0;
  virtual const attach::Command& command() const = 0;
  virtual attach::Intensity intensity() const = 0;
  virtual void set_intensity(const attach::Intensity& intensity) = 0;
  /// Everything is recorded for so long from now on; 0: not that.
  virtual Nanoseconds boosted_ns() const { return 0; }
  /// Records everything for this long from now on.
  virtual void record_for(Nanoseconds duration_ns) = 0;
  /// What the iterations of a process are counted by; empty: found by itself.
  virtual void choose_loop(std::uint32_t pid, std::optional<attach::LoopKey> loop) = 0;

  // The program's knobs (attach/knobs.h); what is known of them is in watched(). A source that cannot turn them does
  // nothing.
  /// They were asked for, and trials are possible.
  virtual bool knobs_on() const { return false; }
  /// Finds them anew; they are found by themselves when the loop is known, and after each trial.
  virtual void look_for_knobs(std::uint32_t /*pid*/) {}
  /// Does nothing while another trial of that process is not over.
  virtual void try_knob(std::uint32_t /*pid*/, const attach::TrialPlan& /*plan*/) {}
  virtual void stop_trial(std::uint32_t /*pid*/) {}
  /// Of a lanescope.knob() in the program. Needs no knobs_on(): it is the program that asks for its value.
  virtual void set_own_knob(std::uint32_t /*pid*/, const std::string& /*name*/, const std::string& /*value*/) {}

 protected:
  ~Watching() = default;
};

/// How to make a source, independent of any other source.
struct Recipe {
  std::function<std::unique_ptr<Source>()> make;  ///< throws base::Error
  /// Throws base::Error if make() is sure to fail. Called before another source is ended to make way for this one.
  std::function<void()> check;
  /// The source needs something that only one source can have at a time, such as the capture of a GPU.
  bool exclusive = false;
};

/// The run can be started again.
class Restarting {
 public:
  virtual Recipe recipe() const = 0;

 protected:
  ~Restarting() = default;
};

/// What a panel says about a source whose settings cannot be changed.
struct SourceWords {
  std::string kind;      ///< within a sentence: "an opened trace"
  std::string heading;   ///< "TRACE FILE"
  std::string sentence;  ///< "Written by Lanescope: nothing is missing."
};

class Source {
 public:
  virtual ~Source() = default;

  virtual const trace::Trace& trace() const = 0;
  virtual io::RunFacts facts() const = 0;  ///< with the current settings
  virtual std::string title() const = 0;   ///< a workload's title, to be translated; or the file's name
  /// The id is that of the device's entry in the device menu, or empty.
  virtual device::DeviceInfo device() const = 0;
  virtual SourceWords words() const { return {}; }
  /// Recorded by Lanescope: its workload is known, and its iterations are numbered from 1.
  virtual bool own() const = 0;
  /// The source has something that only one can have at a time (Recipe::exclusive).
  virtual bool exclusive() const { return false; }
  /// The file that the source was read from. Marks are kept beside that file.
  virtual std::optional<std::filesystem::path> file() const { return std::nullopt; }
  /// What was read and skipped; null if the source was not read from a file.
  virtual const io::OpenedTrace* opened() const { return nullptr; }

  // Null: the source does not have the capability.
  virtual Growth* growth() { return nullptr; }
  virtual Steering* steering() { return nullptr; }
  virtual OpenCalls* open_calls() { return nullptr; }
  virtual CaptureMonitor* capture_monitor() { return nullptr; }
  virtual Restarting* restarting() { return nullptr; }
  virtual Watching* watching() { return nullptr; }

  const Growth* growth() const { return mutable_self().growth(); }
  const Steering* steering() const { return mutable_self().steering(); }
  const OpenCalls* open_calls() const { return mutable_self().open_calls(); }
  const CaptureMonitor* capture_monitor() const { return mutable_self().capture_monitor(); }
  const Restarting* restarting() const { return mutable_self().restarting(); }
  const Watching* watching() const { return mutable_self().watching(); }

 private:
  Source& mutable_self() const { return const_cast<Source&>(*this); }
};

}  // namespace lanescope::ui
