#include "capture/assembly/assembler.h"

#include <algorithm>
#include <utility>

namespace lanescope::capture {
namespace {

constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
constexpr Nanoseconds kMargin = 250 * base::kMillisecond;  // so that late calls still find what they waited for
constexpr std::size_t kMostHeld = 1 << 20;

constexpr std::array<trace::LaneKind, 4> kLaneKinds{trace::LaneKind::Kernels, trace::LaneKind::CopyH2D,
                                                    trace::LaneKind::CopyD2H, trace::LaneKind::CopyOther};

std::size_t lane_of(const Record& op) {
  if (op.event_kind != trace::EventKind::Copy) return 0;
  trace::Event copy;
  copy.flags = op.copy_flags;
  switch (trace::copy_traits_of(copy).direction) {
    case trace::CopyDirection::HostToDevice:
      return 1;
    case trace::CopyDirection::DeviceToHost:
      return 2;
    default:
      return 3;
  }
}

trace::Event event_of(const Record& record) {
  trace::Event event;
  event.start_ns = record.start_ns;
  event.end_ns = record.end_ns;
  event.name = record.name;
  event.correlation = record.correlation;
  event.kind = record.event_kind;
  return event;
}

}  // namespace

Assembler::Assembler(trace::EventSink& sink, Counts& counts, LaneNames names, OnCallWritten noted)
    : sink_(sink),
      counts_(counts),
      names_(std::move(names)),
      noted_(std::move(noted)),
      writer_(sink.open_writer()),
      pairing_(counts),
      waits_(pairing_, counts) {
  // Other writers of the trace may have reported their progress already. Until this one reports, it would not count.
  writer_->complete_until(complete_ns_);
}

void Assembler::set_main_thread(std::uint32_t tid) {
  if (is_main(tid)) return;
  main_tids_.push_back(tid);
  for (Thread& thread : threads_) {
    if (thread.tid == tid) thread.calls.id = kNoLane;  // it gets a new name from now on
  }
}

void Assembler::add(const Record& record) {
  switch (record.kind) {
    case RecordKind::Call:
      add_call(record);
      break;
    case RecordKind::Operation:
      add_operation(record);
      break;
    case RecordKind::Sync:
      waits_.add_sync(record);
      break;
    case RecordKind::GpuEvent:
      waits_.add_gpu_event(record);
      break;
    case RecordKind::Overhead:
      add_overhead(record);
      break;
    case RecordKind::Context:
      waits_.add_context(record);
      break;
    case RecordKind::Stream:
      waits_.add_stream(record);
      break;
  }
}

void Assembler::add_call(const Record& record) {
  const std::uint32_t place = thread_of(record.thread);
  if (place == kTooMany) return capture::add(counts_.dropped);
  Thread& thread = threads_[place];
  if (!pairing_.add_call(record, place)) return capture::add(counts_.duplicates);
  thread.calls.held.push(record);
  ++held_;
}

void Assembler::add_operation(const Record& record) {
  const std::uint32_t place = stream_of(record);
  if (place == kTooMany) return capture::add(counts_.dropped);
  Stream& stream = streams_[place];
  stream.context = record.context;
  pairing_.add_operation(record, place);
  waits_.add_operation(record, place);
  stream.lanes[lane_of(record)].held.push(record);
  ++held_;
}

void Assembler::add_overhead(const Record& record) {
  switch (record.detail) {
    case kQueueFull:
      waits_.add_stall(record);
      break;
    case kBufferRequest:
    case kBufferFlush:
    case kInstrumentation:
    case kResource:
      capture::add(counts_.overhead_ns, static_cast<std::uint64_t>(record.end_ns - record.start_ns));
      break;
    default:
      break;
  }
}

std::uint32_t Assembler::thread_of(std::uint32_t tid) {
  if (last_thread_ < threads_.size() && threads_[last_thread_].tid == tid) return last_thread_;
  const auto known = thread_places_.find(tid);
  if (known != thread_places_.end()) return last_thread_ = known->second;
  if (threads_.size() >= kMost) return kTooMany;
  last_thread_ = static_cast<std::uint32_t>(threads_.size());
  threads_.emplace_back();
  threads_.back().tid = tid;
  thread_places_.emplace(tid, last_thread_);
  return last_thread_;
}

std::uint32_t Assembler::stream_of(const Record& op) {
  if (last_stream_ < streams_.size()) {
    const Stream& last = streams_[last_stream_];
    if (last.device == op.device && last.number == op.stream) return last_stream_;
  }
  const std::uint64_t key = std::uint64_t{op.device} << 32 | op.stream;
  const auto known = stream_places_.find(key);
  if (known != stream_places_.end()) return last_stream_ = known->second;
  if (streams_.size() >= kMost) return kTooMany;
  last_stream_ = static_cast<std::uint32_t>(streams_.size());
  streams_.emplace_back();
  streams_.back().device = op.device;
  streams_.back().number = op.stream;
  stream_places_.emplace(key, last_stream_);
  return last_stream_;
}

// --- completeness ----------------------------------------------------------------------------------------------------

Nanoseconds Assembler::complete_at(const Progress& progress) {
  Nanoseconds complete = std::min(progress.asked_ns, progress.oldest_open_call_ns);
  complete = std::min(complete, pairing_.oldest_missing(progress.asked_ns));
  // A wait that has ended, while what it waited for may still be under way to us. A thread has one such call at most.
  for (Thread& thread : threads_) {
    const Record* const begin = thread.calls.held.begin();
    const Record* const last = std::partition_point(
        begin, thread.calls.held.end(), [&](const Record& call) { return call.start_ns < progress.asked_ns; });
    if (last == begin) continue;
    const Record& call = *(last - 1);
    const bool waits = call.nature == trace::CallNature::Sync && (call.traits & kAlone) == 0;
    if (waits && call.end_ns > progress.asked_ns) complete = std::min(complete, call.start_ns);
  }
  return complete;
}

void Assembler::advance(const Progress& progress, Nanoseconds now_ns) {
  const Nanoseconds complete = complete_at(progress);
  if (complete > complete_ns_) {
    release(complete, now_ns);
    complete_ns_ = complete;
    waits_.forget_before(complete - kMargin);
    writer_->complete_until(complete);
  } else {
    release(complete_ns_, now_ns);  // late events
  }
  latency_.publish(counts_, now_ns);
  publish_pending();
}

void Assembler::finish(Nanoseconds now_ns) {
  release(kNever, now_ns);
  pairing_.finish();
  if (now_ns > complete_ns_) {
    complete_ns_ = now_ns;
    writer_->complete_until(now_ns);
  }
  latency_.publish(counts_, now_ns, true);
  publish_pending();
}

void Assembler::relieve(Nanoseconds now_ns) {
  if (held_ > kMostHeld) {
    starts_.clear();
    const auto collect = [this](Lane& lane) {
      for (const Record* r = lane.held.begin(); r != lane.held.end(); ++r) starts_.push_back(r->start_ns);
    };
    for (Thread& thread : threads_) collect(thread.calls);
    for (Stream& stream : streams_) {
      for (Lane& lane : stream.lanes) collect(lane);
    }
    const auto middle = starts_.begin() + static_cast<std::ptrdiff_t>(starts_.size() / 2);
    std::nth_element(starts_.begin(), middle, starts_.end());
    // Releases at least one event, even if all start at the same time.
    release(*middle + 1, now_ns);
    waits_.forget_before(*middle - kMargin);
  }
  publish_pending();
}

// --- writing ---------------------------------------------------------------------------------------------------------

trace::LaneInfo Assembler::describe(const Thread& thread) const {
  return names_.calls(thread.tid, is_main(thread.tid));
}

trace::LaneInfo Assembler::describe(const Stream& stream, std::size_t which) const {
  return names_.stream(kLaneKinds[which], stream.device, stream.number,
                       waits_.is_default_stream(stream.context, stream.number));
}

template <typename Describe>
bool Assembler::open(Lane& lane, Describe&& describe) {
  if (lane.id == kNoLane) {
    try {
      lane.id = sink_.lane(describe());
    } catch (...) {
      lane.id = kNowhere;  // its events are counted individually
    }
  }
  return lane.id != kNowhere;
}

void Assembler::write(const trace::Event& event, Lane& lane) {
  if (event.start_ns < lane.written_ns) capture::add(counts_.late);
  lane.written_ns = std::max(lane.written_ns, event.start_ns);
  writer_->write(event);
}

template <typename Write>
void Assembler::release(Lane& lane, Nanoseconds until, Write&& write_record) {
  const Record* const begin = lane.held.begin();
  const Record* it = begin;
  for (; it != lane.held.end() && it->start_ns < until; ++it) write_record(*it);
  const auto count = static_cast<std::size_t>(it - begin);
  if (count == 0) return;
  lane.held.drop(count);
  held_ -= count;
}

void Assembler::release(Nanoseconds until, Nanoseconds now_ns) {
  std::uint64_t operations = 0, calls = 0, dropped = 0, duplicates = 0;
  waits_.set_known_until(until);
  for (Stream& stream : streams_) {
    for (std::size_t which = 0; which < stream.lanes.size(); ++which) {
      Lane& lane = stream.lanes[which];
      release(lane, until, [&](const Record& record) {
        if (!open(lane, [&] { return describe(stream, which); })) return void(++dropped);
        trace::Event event = event_of(record);
        event.lane = static_cast<trace::LaneId>(lane.id);
        if (record.event_kind != trace::EventKind::Kernel) {
          trace::set_bytes(event, record.value);
          event.flags = record.copy_flags;
        } else {
          trace::set_launch(event, record.detail);
          trace::set_arguments(event, static_cast<base::NameId>(record.value));
          trace::set_external_id(event, static_cast<std::uint32_t>(record.value >> 32));
        }
        write(event, lane);
        latency_.add(now_ns - record.end_ns);
        ++operations;
      });
    }
  }
  for (std::uint32_t place = 0; place < threads_.size(); ++place) {
    Thread& thread = threads_[place];
    release(thread.calls, until, [&](const Record& record) {
      if (!pairing_.is_outermost(record, place)) return void(++duplicates);
      if (!open(thread.calls, [&] { return describe(thread); })) return void(++dropped);
      trace::Event event = event_of(record);
      event.lane = static_cast<trace::LaneId>(thread.calls.id);
      waits_.work_out(event, record);
      write(event, thread.calls);
      if (noted_) noted_(event, record);
      ++calls;
    });
  }
  if (operations) capture::add(counts_.operations, operations);
  if (calls) capture::add(counts_.calls, calls);
  if (dropped) capture::add(counts_.dropped, dropped);
  if (duplicates) capture::add(counts_.duplicates, duplicates);
}

}  // namespace lanescope::capture
