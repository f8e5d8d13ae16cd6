// A watched program from its start to its end: starts it, meets its processes, reads what they send on a thread of its
// own, and keeps the trace. The program goes on at full speed when an Attachment ends before it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "attach/enter.h"
#include "attach/launcher.h"
#include "attach/program_state.h"
#include "attach/watched_process.h"
#include "capture/recorder.h"
#include "trace/capture_health.h"
#include "trace/clock_facts.h"

namespace lanescope::attach {

class Attachment {
 public:
  /// Throws base::Error or base::UsageError. Does not start the program.
  explicit Attachment(AttachOptions options);
  ~Attachment();
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  /// Throws base::Error if the program cannot be started, or not be entered.
  void start();
  /// Stops watching; the program goes on. What it has sent is in the trace.
  void detach();
  /// The same without waiting for it; safe in a signal handler.
  void leave() { stop_.store(true, std::memory_order_release); }
  /// Waits until the program has ended, and all that it sent is in the trace. Returns the status of waitpid(); 0 for
  /// one that was running before, for which leave() ends the waiting, too.
  int wait();
  /// The program has not ended yet, and is watched.
  bool running() const { return running_.load(std::memory_order_acquire); }
  void signal(int number);
  std::optional<int> wait_status() const;
  /// 0: not started, or ended, or not started by us.
  pid_t program() const { return program_.load(std::memory_order_relaxed); }

  const AttachOptions& options() const { return options_; }
  const trace::Trace& trace() const { return trace_; }
  trace::Trace& trace() { return trace_; }
  Nanoseconds now_ns() const;
  Nanoseconds live_edge_ns() const { return trace_.complete_until(); }

  // For any thread.
  AttachState state() const;
  std::vector<trace::OpenCall> open_calls() const;
  /// Of this machine, read at the start, every kClockEvery and at the end.
  trace::ClockFacts clock() const;
  Intensity intensity() const;
  void set_intensity(const Intensity& intensity);
  /// Everything is recorded for so long from now on; 0: not that.
  Nanoseconds boosted_ns() const;
  /// Records everything for this long from now on, and not for less than was asked for before.
  void record_for(Nanoseconds duration_ns);
  /// What the iterations of a process are counted by; empty: found by itself.
  void choose_loop(std::uint32_t pid, std::optional<LoopKey> loop);
  void set_memory_cap(std::size_t bytes);

  // Of a process's knobs; what became of it is in state(). One that is not watched any more: nothing happens.
  void look_for_knobs(std::uint32_t pid);
  /// Ignored while another trial of that process is not over; one that cannot be is in the list as a failed one.
  void try_knob(std::uint32_t pid, const TrialPlan& plan);
  void stop_trial(std::uint32_t pid);
  void set_own_knob(std::uint32_t pid, const std::string& name, const std::string& value);

 private:
  class Mapping;
  struct Watched;
  struct Ended {
    ProcessState state;
    std::vector<Remark> remarks;
    std::size_t forked = 0;
  };

  void run();
  void meet();
  std::size_t read_all();
  void steer(Watched& watched);
  void steer_knobs(Watched& watched);
  static void send(Watched& watched, const std::string& line);
  static void send_rest(Watched& watched);
  /// Done by the reading thread; nothing if the process is not watched any more.
  void ask(std::uint32_t pid, std::function<std::string(KnobLines&)> line);
  void end_of(Watched& watched);
  void look_around(const std::set<std::uint32_t>& known);  // those that have reported in
  void say_what_is_missing(std::vector<Remark>& remarks, Nanoseconds now, bool ended) const;
  static ProcessState state_of(Watched& watched);
  static void add_health(trace::CaptureHealth& health, const Watched& watched, const ProcessState& state);
  static void add_remarks(std::vector<Remark>& remarks, const Watched& watched, const ProcessState& state);
  void publish();
  void read_clock();
  Nanoseconds clock_now() const;
  std::optional<int> ended() const;  // with mutex_ held

  AttachOptions options_;
  const Nanoseconds origin_ns_;
  trace::Trace trace_;
  std::unique_ptr<capture::Recorder> recorder_;  // the reading thread puts events into the trace itself
  std::unique_ptr<Meeting> meeting_;
  // The reading thread's.
  std::vector<std::unique_ptr<Watched>> processes_;
  std::deque<Ended> ended_;  // the newest of those that have
  trace::CaptureHealth health_of_ended_;
  std::vector<Remark> unwatched_, found_;  // processes that were turned away; what look_around() found
  std::size_t others_ = 0;                 // processes that have not reported in
  Nanoseconds looked_ns_ = 0, published_ns_ = 0, clock_read_ns_ = 0;
  std::thread thread_;
  std::atomic<bool> running_{false}, stop_{false};
  std::atomic<Nanoseconds> boost_until_ns_{0};
  mutable std::atomic<pid_t> program_{0};

  mutable std::mutex mutex_;  // guards what follows
  std::unique_ptr<Launched> launched_;
  std::unique_ptr<RunningProcess> running_process_;  // the other kind; constant once it is there
  std::optional<Entry> entry_;
  Intensity intensity_;
  AttachState state_;
  trace::ClockFacts clock_;
  std::vector<trace::OpenCall> open_calls_;
  std::vector<std::pair<std::uint32_t, std::optional<LoopKey>>> chosen_;
  std::vector<std::pair<std::uint32_t, std::function<std::string(KnobLines&)>>> asked_;  // of knobs: what to send
};

}  // namespace lanescope::attach
