// One process of the watched program: turns what its injected library sends into events of the trace.
//
//   ring ─▶ names, stacks ─▶ calls, operations ─▶ Assembler ─▶ lanes of calls and of the GPU
//                └─▶ LoopWatch, lines, NVTX ─▶ lanes of iterations, lines and ranges
//
// The thread that reads is the only one that uses it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "attach/knob_lines.h"
#include "attach/loop_watch.h"
#include "attach/nccl_calls.h"
#include "attach/program_state.h"
#include "attach/recorded_bursts.h"
#include "attach/vocabulary.h"
#include "base/time.h"
#include "capture/assembly/assembler.h"
#include "trace/capture_health.h"
#include "trace/trace.h"

namespace lanescope::attach {

/// How often a thread is sampled between bursts.
inline constexpr Nanoseconds kSampleEvery = 5 * base::kMillisecond;

class WatchedProcess {
 public:
  struct Identity {
    std::uint32_t pid = 0, parent = 0;
    std::string name;              ///< "train.py"
    std::filesystem::path folder;  ///< its working directory
    Nanoseconds loop_settled_ns = LoopWatch::kSettled;
    std::optional<int> rank{};  ///< in a job of several
    int ranks = 0;              ///< of the job; 0: unknown

    std::string shown() const;  ///< "rank 3 · train.py"; without a rank the name
  };
  /// `origin_ns` is CLOCK_MONOTONIC at the trace's time 0. Everything given must outlive it.
  WatchedProcess(Identity identity, RingReader ring, trace::Trace& trace, trace::EventSink& sink,
                 Nanoseconds origin_ns);
  ~WatchedProcess();

  /// Reads what is there, at most `most` messages, and writes what is complete. Returns the number of messages.
  std::size_t read(std::size_t most, Nanoseconds now_ns);
  /// The process has ended: what it sent is read to its end and written.
  void finish(Nanoseconds now_ns);

  const Identity& identity() const { return identity_; }
  RingReader& ring() { return ring_; }
  const RingReader& ring() const { return ring_; }
  const capture::Counts& counts() const { return counts_; }
  bool uses_gpu() const { return operations_ > 0 || calls_ > 0; }
  bool recording() const { return bursts_.on(); }
  Nanoseconds last_gpu_work_ns() const { return last_operation_ns_; }
  std::vector<trace::OpenCall> open_calls();
  const std::vector<std::uint32_t>& forked() const { return forked_; }
  const std::string& gpu() const { return gpu_; }  ///< the name of its first GPU; empty: unknown

  std::vector<LoopChoice> loops();
  /// "train.py:41 for batch in loader", or the name of the program's own ranges; empty: no loop has been found.
  std::string iteration_text();
  std::optional<LoopKey> chosen_loop() const { return chosen_; }
  void choose_loop(std::optional<LoopKey> loop);
  /// A call that is watched only so that iterations are known between bursts (domain << 16 | id); 0: none.
  std::uint32_t anchor();
  Nanoseconds iteration_ns() const { return usual_.ns; }  ///< median of the last iterations; 0: unknown
  std::uint32_t iterations() const { return iteration_count_; }
  Nanoseconds last_call_ns() const { return last_call_ns_; }  ///< of any thread; 0: none yet
  /// The median duration of the last iterations that lay wholly inside a burst, and wholly between two; 0: none did.
  /// Their ratio is what a burst costs the program; what being attached costs is in both.
  Nanoseconds iteration_recorded_ns() const { return usual_recorded_.ns; }
  Nanoseconds iteration_between_ns() const { return usual_between_.ns; }

  KnobLines& knobs() { return knobs_; }

  /// Says in the trace how it is recorded, for the words that explain the gaps. 0, 0: not in bursts.
  void set_bursts(Nanoseconds burst_ns, Nanoseconds period_ns) { bursts_.set(burst_ns, period_ns); }

 private:
  struct Line {  // the statement that a thread is in, as a range that grows
    std::uint32_t frame = 0;
    Nanoseconds start_ns = 0, end_ns = 0;
    bool reads = false, syncs = false;
  };
  struct OpenRange {
    base::NameId name = 0;
    std::string text;
    std::uint32_t domain = 0;
    std::uint64_t depth = 0;  ///< among the domain's; 0: not known
    Nanoseconds start_ns = 0;
    base::NameId arguments = 0;
    bool nccl = false;
  };
  /// Samples since the thread's last call, of which some tell that it waits: for data, or in a library for the GPU.
  struct Quiet {
    enum class Tells : std::uint8_t { Nothing, Data, Gpu };
    Tells tells = Tells::Nothing;
    std::uint32_t samples = 0, telling = 0, blocked = 0;  ///< blocked: of those that tell
    std::uint32_t stack = 0;
    bool from_the_first = false, to_the_last = false;
    Nanoseconds from_ns = 0, to_ns = 0;
  };
  /// Gaps between two calls from the same two places, while all calls are seen: what the samples in some of them tell
  /// is true of the others, too, which were too short for one.
  struct GapKind {
    std::uint32_t sampled = 0, telling = 0;  ///< gaps
    Quiet::Tells tells = Quiet::Tells::Nothing;
    std::uint32_t stack = 0;
    bool blocked = false;
    // How close to either end of a gap such a sample was.
    Nanoseconds after_begin_ns = std::numeric_limits<Nanoseconds>::max(), before_end_ns = after_begin_ns;
  };
  struct Thread {
    Thread(Nanoseconds loop_settled_ns, bool main) : loops(loop_settled_ns, main) {}

    std::string name;
    LoopWatch loops;
    std::uint64_t own_launches = 0, own_calls = 0;  // with a frame of the user's
    Line line;
    std::optional<trace::LaneId> lines_lane, ranges_lane, iterations_lane;
    std::vector<OpenRange> ranges;  // pushed, not yet popped
    NcclCalls nccl;
    Nanoseconds last_end_ns = 0;
    Quiet quiet;
    std::uint32_t last_site = 0;
    std::unordered_map<std::uint64_t, GapKind> gaps;  // by both places
  };

  Nanoseconds here(std::int64_t monotonic_ns) const { return messages_.here(monotonic_ns); }
  bool plausible(Nanoseconds start_ns, Nanoseconds end_ns) { return messages_.plausible(start_ns, end_ns); }
  void take(const Message& message);
  /// `lent`: the stack is that of the thread that waits in backward() for this one.
  void take_call(const wire::CallMessage& call, bool lent);
  const FramePlace& loop_place(std::uint32_t frame);
  void take_operation(capture::Record record);
  void forget_deeper(Thread& caller, std::uint32_t domain, std::uint64_t depth);
  void take_range(const wire::RangeMessage& range, const std::optional<wire::CollectivePayload>& payload);
  base::NameId arguments(const NcclArguments& of_nccl);
  void take_recording(const wire::RecordingMessage& recording);
  void cut_if_dropped(Nanoseconds known_until);
  Quiet::Tells told_by(const Vocabulary::Stack& stack);
  void take_sample(const wire::SampleMessage& sample);

  void take_knobs(const Message& message);

  void take_thread(std::uint32_t tid, const std::string& name);
  void take_end(std::uint32_t tid);
  Thread& thread(std::uint32_t tid);
  trace::LaneId lane(std::optional<trace::LaneId>& lane, trace::LaneKind kind, trace::LaneRole role, std::string name,
                     std::uint32_t tid);
  std::string line_name(const Vocabulary::Frame& frame);
  void note_line(Thread& thread, std::uint32_t tid, const Vocabulary::Stack& stack, const capture::Record& call);
  void end_line(Thread& thread, std::uint32_t tid);
  void learn_whether_it_waits(const trace::Event& call, const capture::Record& record);
  void end_samples(Thread& thread, std::uint32_t tid, Nanoseconds until_ns, std::uint32_t next_site);
  void write_wait(Thread& thread, std::uint32_t tid, Quiet::Tells tells, bool blocked, std::uint32_t stack,
                  Nanoseconds from, Nanoseconds to);
  void write_iterations(Thread& thread, std::uint32_t tid, const std::vector<LoopWatch::Iteration>& iterations);
  void write_iteration(Thread& thread, std::uint32_t tid, const LoopWatch::Iteration& iteration);
  void write_range(const trace::Event& range);
  Thread* loop_thread();

  Identity identity_;
  RingReader ring_;
  trace::Trace& trace_;
  trace::EventSink& sink_;
  SourceLines source_;
  Vocabulary words_;
  capture::Counts counts_;
  capture::MessageReader messages_;
  std::unordered_map<std::uint32_t, Thread> threads_;
  ThreadNumbers numbers_;
  capture::Assembler assembler_;
  std::unique_ptr<trace::EventWriter> ranges_;
  RecordedBursts bursts_;
  std::optional<std::uint32_t> first_call_;  // the correlation of this burst's first
  std::uint64_t dropped_ = 0;                // messages, at the last read
  bool kernels_before_ = false;              // those that were launched before this burst are recorded, too
  /// Asynchronous copies that were recorded, by kind_of_copy(): whether one of these waited.
  std::unordered_map<std::uint64_t, bool> copies_that_wait_;
  std::unordered_map<std::uint64_t, OpenRange> started_;            // NVTX start/end, by number
  std::unordered_map<std::uint32_t, base::NameId> line_names_;      // by frame
  std::unordered_map<std::uint32_t, FramePlace> loop_places_;       // by frame
  std::unordered_map<std::uint32_t, std::uint64_t> nccl_launches_;  // the value of the record to come, by correlation
  CollectiveNumbers collective_numbers_;
  std::vector<std::uint32_t> forked_;
  std::string gpu_;

  KnobLines knobs_;
  std::optional<LoopKey> chosen_;
  StepRanges steps_;
  Nanoseconds now_ns_ = 0;
  Nanoseconds last_operation_ns_ = 0, last_call_ns_ = 0;
  /// The median of the last ones: the first iteration of a program may take a hundred times as long as the others.
  struct Usual {
    Nanoseconds ns = 0;
    std::array<Nanoseconds, 33> last{};
    std::size_t count = 0;
    void add(Nanoseconds value);
  };
  Usual usual_, usual_recorded_, usual_between_;  // iterations
  std::uint32_t iteration_count_ = 0;
  std::uint64_t operations_ = 0, calls_ = 0;
  std::uint32_t waits_found_ = 0;  // by samples
  Nanoseconds complete_ns_ = std::numeric_limits<Nanoseconds>::min() + 1;
};

}  // namespace lanescope::attach
