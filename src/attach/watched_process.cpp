#include "attach/watched_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/translate.h"
#include "capture/assembly/operation_names.h"
#include "trace/owners.h"

namespace lanescope::attach {
namespace {

using base::tr;
using capture::Record;
using capture::RecordKind;
using trace::CallNature;

constexpr std::size_t kProcessMessagesAtOnce = 4096;
constexpr std::size_t kMostThreads = 4096;
constexpr std::size_t kMostRemembered = 1 << 16;
constexpr Nanoseconds kFarOff = 3600 * base::kSecond;
constexpr std::uint32_t kReorder = 64;
constexpr trace::LaneId kNoLane = 0xFFFF;
/// Two calls of the same statement that are further apart are drawn as two.
constexpr Nanoseconds kStatementPause = 50 * base::kMillisecond;
/// Queueing a copy takes a few microseconds; one that takes longer waited for it.
constexpr Nanoseconds kQueueingACopy = 50 * base::kMicrosecond;

/// The same for copies that are likely to wait alike: those from one site or, if that is not known, of one thread.
std::uint64_t kind_of_copy(const Record& record) {
  constexpr std::uint32_t kThread = 1u << 31;
  return std::uint64_t{record.name} << 32 | (record.detail != 0 ? record.detail : kThread | record.thread);
}

constexpr Nanoseconds kLongAway = base::kSecond;

/// Correlations count up, and may wrap.
bool comes_before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

// Libraries whose arrays are read without a CUDA call on the thread that waits for the value.
bool reads_a_result(std::string_view file) {
  return file.ends_with("jax/_src/array.py") ||
         file.find("tensorflow/python/framework/ops.py") != std::string_view::npos;
}

bool waits_for_data(std::string_view function, std::string_view file) {
  return function.ends_with("__next__") || (function.ends_with("get") && file.ends_with("queue.py")) ||
         file.find("torch/utils/data") != std::string_view::npos;
}

}  // namespace

std::string WatchedProcess::Identity::shown() const { return rank ? trace::rank_name(*rank, name) : name; }

WatchedProcess::WatchedProcess(Identity identity, RingReader ring, trace::Trace& trace, trace::EventSink& sink,
                               Nanoseconds origin_ns)
    : identity_(std::move(identity)),
      ring_(std::move(ring)),
      trace_(trace),
      sink_(sink),
      source_(identity_.folder),
      words_(trace, sink),
      messages_(words_, counts_, origin_ns),
      assembler_(sink, counts_,
                 capture::LaneNames{identity_.shown(), static_cast<std::int64_t>(identity_.pid),
                                    [this](std::uint32_t tid) {
                                      const auto found = threads_.find(tid);
                                      return found == threads_.end() ? std::string() : found->second.name;
                                    },
                                    identity_.rank},
                 [this](const trace::Event& call, const Record& record) {
                   if (record.detail != 0) trace_.sites().note(call.lane, call.start_ns, record.detail);
                   if (record.nature == CallNature::AsyncCopy) learn_whether_it_waits(call, record);
                 }),
      ranges_(sink.open_writer()),
      bursts_(identity_.pid, [this](const trace::RecordingChange& change) { ranges_->recording(change); }) {
  assembler_.set_main_thread(identity_.pid);
  ranges_->recording({trace::RecordingChange::Act::Nothing, identity_.pid, 0, 0});
  ranges_->complete_until(complete_ns_);
}

WatchedProcess::~WatchedProcess() = default;

// --- reading ---------------------------------------------------------------------------------------------------------

std::size_t WatchedProcess::read(std::size_t most, Nanoseconds now_ns) {
  now_ns_ = now_ns;
  messages_.set_now(now_ns);
  // Before the ring is read: calls that were open then and have ended since have sent their message.
  Nanoseconds oldest_open = std::numeric_limits<Nanoseconds>::max();
  const auto open = ring_.open_calls();
  for (const OpenCallEntry& call : open) {  // nothing is held up by what is not shown, see plausible()
    const Nanoseconds start = here(call.start_ns);
    if (start >= now_ns - 24 * kFarOff) oldest_open = std::min(oldest_open, start);
  }
  const Nanoseconds known_until = bursts_.delivered_ns();
  const std::size_t n = ring_.read(most, [this](const Message& message) { take(message); });
  cut_if_dropped(known_until);
  assembler_.relieve(now_ns);
  if (n == most) return n;  // there is more, so nothing is known to be complete

  capture::Progress progress;
  progress.oldest_open_call_ns = oldest_open;
  // A call's message is sent after its end was taken, so the last instants are not known yet.
  const Nanoseconds calls_known = now_ns - base::kMillisecond;
  progress.asked_ns = bursts_.complete_until(calls_known);
  assembler_.advance(progress, now_ns);
  const Nanoseconds complete = std::min(assembler_.complete_until(), calls_known);
  if (complete > complete_ns_) {
    complete_ns_ = complete;
    // Lines are written as they end, and they may have ended some time ago.
    Nanoseconds ranges_complete = complete;
    for (auto& [tid, thread] : threads_) {
      if (thread.line.frame != 0 && complete - thread.line.end_ns > kStatementPause) end_line(thread, tid);
      if (thread.line.frame != 0) ranges_complete = std::min(ranges_complete, thread.line.end_ns);
      ranges_complete = std::min(ranges_complete, thread.loops.undecided_since(now_ns).value_or(ranges_complete));
    }
    ranges_->complete_until(ranges_complete);
  }
  return n;
}

void WatchedProcess::finish(Nanoseconds now_ns) {
  now_ns_ = now_ns;
  messages_.set_now(now_ns);
  ring_.writer_ended();
  const Nanoseconds known_until = bursts_.delivered_ns();
  while (ring_.read(kProcessMessagesAtOnce, [this](const Message& message) { take(message); }) ==
         kProcessMessagesAtOnce) {
  }
  knobs_.end(tr("It was not over when the program ended."));
  cut_if_dropped(known_until);
  for (auto& [tid, thread] : threads_) {
    end_line(thread, tid);
    write_iterations(thread, tid, thread.loops.finish());
    while (!thread.ranges.empty()) {  // ranges that the program did not end
      OpenRange& range = thread.ranges.back();
      trace::Event event;
      event.start_ns = range.start_ns;
      event.end_ns = now_ns;
      event.name = range.name;
      trace::set_arguments(event, range.arguments);
      event.lane = lane(thread.ranges_lane, trace::LaneKind::Phases, trace::LaneRole::None, "NVTX", tid);
      write_range(event);
      thread.ranges.pop_back();
    }
  }
  bursts_.finish();
  assembler_.finish(now_ns);
  assembler_.close();
  ranges_->complete_until(now_ns);
  ranges_.reset();
}

void WatchedProcess::take(const Message& message) {
  counts_.received.fetch_add(1, std::memory_order_relaxed);
  switch (message.kind) {
    case wire::MessageKind::Text:
    case wire::MessageKind::Frame:
    case wire::MessageKind::Stack:
    case wire::MessageKind::Shape:
      return words_.learn(message);
    case wire::MessageKind::Thread:
      if (const auto named = message.as<wire::ThreadMessage>()) take_thread(named->thread, words_.text(named->name));
      return;
    case wire::MessageKind::Ended:
      if (const auto ended = message.as<wire::EndedMessage>()) take_end(ended->thread);
      return;
    case wire::MessageKind::Call:
      if (auto call = message.as<wire::CallMessage>()) {
        call->thread = numbers_.shown(call->thread);
        take_call(*call, (message.mark & wire::kLent) != 0);
      }
      return;
    case wire::MessageKind::Kernel:
    case wire::MessageKind::Copy:
    case wire::MessageKind::Sync:
    case wire::MessageKind::Stall:
    case wire::MessageKind::Context:
    case wire::MessageKind::Stream:
    case wire::MessageKind::Event:
      if (auto record = messages_.record(message)) {
        if (record->kind == RecordKind::Operation) return take_operation(*record);
        record->thread = numbers_.shown(record->thread);
        assembler_.add(*record);
      }
      return;
    case wire::MessageKind::Range:
      if (auto range = message.as<wire::RangeMessage>()) {
        range->thread = numbers_.shown(range->thread);
        take_range(*range, payload_in(message.after<wire::RangeMessage>(), range->payload));
      }
      return;
    case wire::MessageKind::Recording:
      if (const auto recording = message.as<wire::RecordingMessage>()) take_recording(*recording);
      return;
    case wire::MessageKind::Sample:
      if (auto sample = message.as<wire::SampleMessage>()) {
        sample->thread = numbers_.shown(sample->thread);
        take_sample(*sample);
      }
      return;
    case wire::MessageKind::Forked:
      if (const auto child = message.as<wire::ForkedMessage>(); child && forked_.size() < kMostThreads) {
        forked_.push_back(child->process);
      }
      return;
    case wire::MessageKind::Device:
      if (const auto device = message.as<wire::DeviceMessage>(); device && (gpu_.empty() || device->device == 0)) {
        gpu_ = words_.text(device->name);
      }
      return;
    case wire::MessageKind::Knobs:
      return take_knobs(message);
    case wire::MessageKind::None:
      return;
  }
  counts_.unknown_kind.fetch_add(1, std::memory_order_relaxed);
}

void WatchedProcess::take_knobs(const Message& message) {
  const auto head = message.as<wire::TextMessage>();
  const auto bytes = message.after<wire::TextMessage>();
  const bool whole = head && head->bytes <= bytes.size() && head->bytes <= wire::kMostText;
  knobs_.take(whole ? std::string_view(reinterpret_cast<const char*>(bytes.data()), head->bytes) : std::string_view());
}

void WatchedProcess::take_thread(std::uint32_t tid, const std::string& name) {
  thread(numbers_.begins(tid, name)).name = name;
}

void WatchedProcess::take_end(std::uint32_t tid) {
  if (tid == identity_.pid) return;
  const std::optional<std::uint32_t> shown = numbers_.ends(tid);
  const auto known = shown ? threads_.find(*shown) : threads_.end();
  if (known == threads_.end()) return;
  Thread& thread = known->second;
  end_line(thread, *shown);
  thread.ranges.clear();
  thread.nccl = {};
  thread.quiet = {};
  thread.last_end_ns = 0;
}

WatchedProcess::Thread& WatchedProcess::thread(std::uint32_t tid) {
  const auto known = threads_.find(tid);
  if (known != threads_.end()) return known->second;
  if (threads_.size() >= kMostThreads) tid = 0;  // the rest share one entry
  Thread& thread = threads_.try_emplace(tid, identity_.loop_settled_ns, tid == identity_.pid).first->second;
  thread.loops.choose(chosen_);
  return thread;
}

// --- calls -----------------------------------------------------------------------------------------------------------

void WatchedProcess::take_call(const wire::CallMessage& call, bool lent) {
  const Vocabulary::Call known = words_.call(call);
  const std::optional<Record> sent = messages_.call(call, known);
  if (!sent) return;
  Record record = *sent;
  const Vocabulary::Stack* from = words_.stack(call.stack);
  record.detail = from ? from->site : 0;
  const bool recorded = bursts_.recorded(record.end_ns);
  if (!recorded) {
    record.traits |= capture::kAlone;
    if (record.nature == CallNature::AsyncCopy) {
      const auto learnt = copies_that_wait_.find(kind_of_copy(record));
      const bool waits = learnt != copies_that_wait_.end() ? learnt->second : true;
      if (waits && record.end_ns - record.start_ns > kQueueingACopy) record.nature = CallNature::BlockingCopy;
    }
  }
  ++calls_;
  if (bursts_.within(record.start_ns) && (!first_call_ || comes_before(call.correlation, *first_call_))) {
    first_call_ = call.correlation;
  }
  assembler_.add(record);
  if (recorded && record.nature == CallNature::Launch) {
    if (const NcclLaunch of_nccl = thread(call.thread).nccl.launched(); !of_nccl.members.empty()) {
      if (nccl_launches_.size() >= kMostRemembered) nccl_launches_.clear();  // their kernels have not come
      nccl_launches_[call.correlation] = capture::kernel_value(arguments(of_nccl), of_nccl.number);
    }
  }
  if (record.nature == CallNature::Sync) bursts_.nothing_ran(record.start_ns, record.end_ns);

  Thread& caller = thread(call.thread);
  end_samples(caller, call.thread, record.start_ns, record.detail);
  caller.last_end_ns = std::max(caller.last_end_ns, record.end_ns);
  last_call_ns_ = std::max(last_call_ns_, record.end_ns);
  caller.last_site = record.detail;
  if (!from || from->frames.empty()) return;
  note_line(caller, call.thread, *from, record);
  if (lent) return;  // the loop is that of the thread that waits in backward()

  std::vector<FramePlace> places;
  places.reserve(from->frames.size());
  for (const std::uint32_t id : from->frames) places.push_back(loop_place(id));
  if (from->own < from->frames.size()) {
    ++caller.own_calls;
    if (known.launches) ++caller.own_launches;
  }
  const bool always = known.nature == CallNature::Sync || known.nature == CallNature::BlockingCopy ||
                      known.nature == CallNature::AsyncCopy || known.launches_graph;
  const std::vector<LoopWatch::Iteration> iterations =
      caller.loops.add({record.start_ns, record.end_ns, call.api, record.detail, always, recorded && bursts_.on(),
                        known.launches_graph, known.launches},
                       places);
  if (!iterations.empty()) write_iterations(caller, call.thread, iterations);
}

void WatchedProcess::note_line(Thread& thread, std::uint32_t tid, const Vocabulary::Stack& from, const Record& call) {
  if (from.own >= from.frames.size()) return;
  const std::uint32_t id = from.frames[from.own];
  Line& line = thread.line;
  const Vocabulary::Frame& now = words_.known_frame(id);
  const bool same = line.frame != 0 && words_.known_frame(line.frame).place == now.place &&
                    call.start_ns - line.end_ns < kStatementPause;
  if (!same) {
    end_line(thread, tid);
    line = {id, call.start_ns, call.end_ns};
  }
  line.end_ns = std::max(line.end_ns, call.end_ns);
  line.syncs = line.syncs || call.nature == CallNature::Sync || call.nature == CallNature::BlockingCopy;
  line.reads = line.reads || call.nature == CallNature::BlockingCopy || call.nature == CallNature::AsyncCopy;
}

void WatchedProcess::end_line(Thread& thread, std::uint32_t tid) {
  Line& line = thread.line;
  if (line.frame == 0) return;
  base::NameId& name = line_names_[line.frame];
  if (name == 0) name = words_.name(line_name(words_.known_frame(line.frame)));
  trace::Event event;
  event.start_ns = line.start_ns;
  event.end_ns = line.end_ns;
  event.name = name;
  event.lane = lane(thread.lines_lane, trace::LaneKind::Phases, trace::LaneRole::Statements, "lines", tid);
  trace::set_range_kind(event, line.reads && line.syncs ? trace::RangeKind::Read
                               : line.syncs             ? trace::RangeKind::Sync
                                                        : trace::RangeKind::Phase);
  write_range(event);
  line = {};
}

WatchedProcess::Quiet::Tells WatchedProcess::told_by(const Vocabulary::Stack& stack) {
  using Tells = Quiet::Tells;
  for (std::size_t i = 0; i < stack.frames.size(); ++i) {
    const auto& place = words_.known_frame(stack.frames[i]).place;
    const std::string_view function = trace_.names().text(place.function), file = trace_.names().text(place.file);
    if (waits_for_data(function, file)) return Tells::Data;
    if (i < stack.own && reads_a_result(file)) return Tells::Gpu;
  }
  return Tells::Nothing;
}

void WatchedProcess::take_sample(const wire::SampleMessage& sample) {
  using Tells = Quiet::Tells;
  if (!plausible(here(sample.since_ns), here(sample.time_ns))) return;
  Quiet& quiet = thread(sample.thread).quiet;
  const Vocabulary::Stack* stack = words_.stack(sample.stack);
  const Tells tells = stack ? told_by(*stack) : Tells::Nothing;
  ++quiet.samples;
  quiet.to_the_last = tells != Tells::Nothing && (quiet.tells == Tells::Nothing || tells == quiet.tells);
  if (!quiet.to_the_last) return;
  if (quiet.tells == Tells::Nothing) {
    quiet.tells = tells;
    quiet.from_the_first = quiet.samples == 1;
    quiet.from_ns = here(sample.time_ns);
  }
  quiet.to_ns = here(sample.time_ns);
  quiet.stack = sample.stack;
  ++quiet.telling;
  quiet.blocked += sample.runs == 0;
}

// The thread makes a call: what it did since its last one.
void WatchedProcess::end_samples(Thread& thread, std::uint32_t tid, Nanoseconds until_ns, std::uint32_t next_site) {
  constexpr std::uint32_t kManySamples = 4, kManyGaps = 3;
  using Tells = Quiet::Tells;
  const Quiet quiet = std::exchange(thread.quiet, {});
  const Nanoseconds begin = thread.last_end_ns;
  if (begin == 0 || until_ns <= begin) return;
  const bool told = quiet.tells != Tells::Nothing && 2 * quiet.telling >= quiet.samples;
  const bool blocked = 2 * quiet.blocked >= quiet.telling;
  const bool all_seen = bursts_.within(begin);
  const std::uint64_t places = std::uint64_t{thread.last_site} << 32 | next_site;
  const bool may_be_new = quiet.samples > 0 && thread.gaps.size() < kMostRemembered;
  if (all_seen && quiet.samples < kManySamples && thread.last_site != 0 && next_site != 0 &&
      (may_be_new || thread.gaps.contains(places))) {
    GapKind& kind = thread.gaps[places];
    if (quiet.samples > 0) ++kind.sampled;
    if (told && (kind.telling == 0 || kind.tells == quiet.tells)) {
      ++kind.telling;
      kind.tells = quiet.tells;
      kind.stack = quiet.stack;
      kind.blocked = blocked;
      kind.after_begin_ns = std::min(kind.after_begin_ns, quiet.from_ns - begin);
      kind.before_end_ns = std::min(kind.before_end_ns, until_ns - quiet.to_ns);
    }
    if (kind.sampled >= kManyGaps && kind.telling >= kManyGaps) {
      const Nanoseconds from = begin + kind.after_begin_ns;
      Nanoseconds to = until_ns - kind.before_end_ns;
      // A share of the samples is the same share of the time.
      const Nanoseconds share = (until_ns - begin) * kind.telling / kind.sampled;
      if (2 * share < to - from) to = from + share;
      if (to > from) write_wait(thread, tid, kind.tells, kind.blocked, kind.stack, from, to);
      return;
    }
  }
  if (!told) return;
  // Between bursts most calls are not seen: there, the wait begins and ends between two samples, on average.
  const Nanoseconds from = all_seen && quiet.from_the_first ? begin : std::max(begin, quiet.from_ns - kSampleEvery / 2);
  const Nanoseconds to = all_seen && quiet.to_the_last ? until_ns : std::min(until_ns, quiet.to_ns + kSampleEvery / 2);
  write_wait(thread, tid, quiet.tells, blocked, quiet.stack, from, to);
}

void WatchedProcess::write_wait(Thread& thread, std::uint32_t tid, Quiet::Tells tells, bool blocked,
                                std::uint32_t stack, Nanoseconds from, Nanoseconds to) {
  const Vocabulary::Stack* at = words_.stack(stack);
  if (!at || at->own >= at->frames.size()) return;
  if (tells == Quiet::Tells::Gpu) {
    Record wait;
    wait.kind = RecordKind::Call;
    wait.event_kind = trace::EventKind::Call;
    wait.nature = CallNature::Sync;
    wait.traits = capture::kAlone;
    wait.start_ns = from;
    wait.end_ns = to;
    wait.name = words_.name("waiting for a result");
    wait.correlation = 1u << 31 | ++waits_found_;  // none of CUPTI's
    wait.thread = tid;
    wait.detail = at->site;
    assembler_.add(wait);
    note_line(thread, tid, *at, wait);
    return;
  }
  end_line(thread, tid);
  trace::Event event;
  event.start_ns = from;
  event.end_ns = to;
  event.name = words_.name(line_name(words_.known_frame(at->frames[at->own])));
  event.lane = lane(thread.lines_lane, trace::LaneKind::Phases, trace::LaneRole::Statements, "lines", tid);
  trace::set_range_kind(event, trace::RangeKind::Load);
  if (blocked) event.flags |= trace::kWaitFlag;
  if (event.lane != kNoLane) trace_.sites().note(event.lane, event.start_ns, at->site);
  write_range(event);
}

// Waiting for a place in the launch queue does not count: every call waits for that.
void WatchedProcess::learn_whether_it_waits(const trace::Event& call, const Record& record) {
  if ((record.traits & capture::kAlone) != 0 || copies_that_wait_.size() >= kMostRemembered) return;
  copies_that_wait_[kind_of_copy(record)] |= trace::is_sync(call) || trace::parts_of(call).copying > 0;
}

// --- the GPU ---------------------------------------------------------------------------------------------------------

void WatchedProcess::take_operation(Record record) {
  const bool launched_before = !first_call_ || comes_before(record.correlation, *first_call_);
  if (launched_before) record.traits |= capture::kAlone;
  if (record.event_kind == trace::EventKind::Kernel) {
    if (const auto of_nccl = nccl_launches_.find(record.correlation); of_nccl != nccl_launches_.end()) {
      record.value = of_nccl->second;
      nccl_launches_.erase(of_nccl);
    }
  }
  ++operations_;
  if (kernels_before_ || !launched_before) bursts_.operation(record.start_ns, record.end_ns);
  last_operation_ns_ = std::max(last_operation_ns_, record.end_ns);
  assembler_.add(record);
}

void WatchedProcess::take_recording(const wire::RecordingMessage& recording) {
  const Nanoseconds t = here(recording.time_ns);
  if (!plausible(t, t)) return;
  if (recording.act == wire::RecordingAct::Away) {
    for (auto& [tid, thread] : threads_) {
      thread.loops.calls_missed(Nanoseconds{recording.held_up_us} * 1000);
      // Long, because another profiler had CUPTI: what a thread did since its last call is not known.
      if (recording.took_ns < kLongAway) continue;
      thread.quiet = {};
      thread.last_end_ns = 0;
    }
    return;
  }
  if (!bursts_.take(recording.act, t)) return;
  if (bursts_.on()) {
    first_call_.reset();
    kernels_before_ = recording.kernels_before != 0;
  }
  for (auto& [tid, thread] : threads_) thread.loops.recording_changed();
}

// The library had no room for a message, perhaps of a kernel: what came after `known_until` may have holes, so that
// burst ends there and another begins now.
void WatchedProcess::cut_if_dropped(Nanoseconds known_until) {
  const std::uint64_t dropped = ring_.status().dropped.load(std::memory_order_acquire);
  if (std::exchange(dropped_, dropped) == dropped || !bursts_.on()) return;
  bursts_.take(wire::RecordingAct::Off, known_until);
  bursts_.take(wire::RecordingAct::On, now_ns_);
  first_call_.reset();
  kernels_before_ = true;  // what ends from now on is delivered
  for (auto& [tid, thread] : threads_) thread.loops.recording_changed();
}

// --- ranges ----------------------------------------------------------------------------------------------------------

trace::LaneId WatchedProcess::lane(std::optional<trace::LaneId>& known, trace::LaneKind kind, trace::LaneRole role,
                                   std::string name, std::uint32_t tid) {
  if (known) return *known;
  trace::LaneInfo info;
  info.kind = kind;
  info.role = role;
  info.name = std::move(name);
  info.process = identity_.shown();
  info.rank = identity_.rank;
  info.pid = identity_.pid;
  info.tid = tid == identity_.pid ? 0 : tid;
  info.thread = thread(tid).name;
  // A range of the program's own is written after those inside it. The others are written in order: what is held back
  // here would be missing where the record is said to be complete.
  if (kind == trace::LaneKind::Phases && role == trace::LaneRole::None) info.reorder_window = kReorder;
  try {
    known = sink_.lane(info);
  } catch (const std::exception&) {
    known = kNoLane;  // a program with thousands of threads; what they do is counted
  }
  return *known;
}

void WatchedProcess::write_range(const trace::Event& range) {
  trace::Event event = range;
  event.kind = trace::EventKind::Range;
  if (event.lane == kNoLane) return capture::add(counts_.dropped);
  ranges_->write(event);
}

std::vector<trace::OpenCall> WatchedProcess::open_calls() {
  std::vector<trace::OpenCall> calls;
  capture::LaneNames names{identity_.shown(), static_cast<std::int64_t>(identity_.pid), {}, identity_.rank};
  for (const OpenCallEntry& open : ring_.open_calls()) {
    const std::uint32_t tid = numbers_.shown(open.thread);
    const auto known = threads_.find(tid);
    if (known == threads_.end() || !plausible(here(open.start_ns), here(open.start_ns))) continue;
    trace::LaneInfo info = names.calls(tid, tid == identity_.pid);
    info.thread = known->second.name;
    trace::LaneId lane = kNoLane;
    try {
      lane = sink_.lane(info);
    } catch (const std::exception&) {
      continue;  // as above
    }
    const Vocabulary::Stack* from = words_.stack(open.stack);
    if (from && trace_.sites().at(lane, here(open.start_ns)) == 0) {
      trace_.sites().note(lane, here(open.start_ns), from->site);
    }
    calls.push_back({lane, words_.name(trace::plain_api_name(words_.text(open.name))), here(open.start_ns)});
  }
  return calls;
}

}  // namespace lanescope::attach
