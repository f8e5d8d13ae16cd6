#include "capture/assembly/pairing.h"

#include <algorithm>

namespace lanescope::capture {
namespace {

constexpr Nanoseconds kUnknown = std::numeric_limits<Nanoseconds>::min();
constexpr Nanoseconds kPairingNever = std::numeric_limits<Nanoseconds>::max();
constexpr std::size_t kMostCaptures = 64;
constexpr std::size_t kMostMissing = 1 << 19;  // per thread

bool within_reach(Nanoseconds a, Nanoseconds b) { return a - b <= Pairing::kReach && b - a <= Pairing::kReach; }

}  // namespace

Link* Pairing::find(std::uint32_t correlation, Nanoseconds near) {
  if (correlation == 0) return nullptr;
  Link* link = links_.find(correlation);
  return link && !link->empty() && within_reach(link->time_ns(), near) ? link : nullptr;
}

Link* Pairing::find_or_add(std::uint32_t correlation, Nanoseconds near) {
  if (correlation == 0) return nullptr;
  Link& link = links_.add(correlation, near);
  if (link.empty() || within_reach(link.time_ns(), near)) return &link;
  if (link.time_ns() > near) return nullptr;  // from a previous generation of the number
  const Nanoseconds before = link.has_call && link.has_op ? link.call_start_ns : 0;
  link = Link{};
  link.matched_before_ns = before;
  return &link;
}

void Pairing::matched(Link& link, Nanoseconds op_start_ns) {
  if (link.thread < threads_.size()) {
    Nanoseconds& newest = threads_[link.thread].newest_matched_ns;
    newest = std::max(newest, link.call_start_ns);
  }
  if (op_start_ns >= link.call_start_ns) return;
  add(counts_.before_call);
  const auto early = static_cast<std::uint64_t>(link.call_start_ns - op_start_ns);
  if (early > counts_.worst_before_call_ns.load(std::memory_order_relaxed)) {
    counts_.worst_before_call_ns.store(early, std::memory_order_relaxed);
  }
}

bool Pairing::add_call(const Record& call, std::uint32_t thread) {
  calls_seen_ = true;
  while (threads_.size() <= thread) threads_.emplace_back();
  if (call.traits & (kBeginsCapture | kEndsCapture)) note_capture(threads_[thread], call);
  Link* link = find_or_add(call.correlation, call.start_ns);
  if (!link) return true;
  const bool driver = (call.traits & kDriverCall) != 0;
  if (link->has_call) {
    if (link->thread != thread) return true;
    // The runtime call contains the driver call; of two calls of the same API, the longer contains the shorter.
    const bool outer =
        driver != link->driver ? !driver : call.end_ns - call.start_ns > link->call_end_ns - link->call_start_ns;
    if (!outer || link->written) return false;
  }
  const bool first = !link->has_call;
  link->has_call = true;
  link->call_start_ns = call.start_ns;
  link->call_end_ns = call.end_ns;
  link->thread = thread;
  link->driver = driver;
  if (first && link->has_op) matched(*link, link->first_op_ns);
  if (call.is_launch() && !(call.traits & (kFailed | kNeverOnGpu | kAlone)) && !link->has_op) {
    auto& missing = threads_[thread].missing;
    const bool may_be_idle = (call.traits & kMayBeIdle) != 0;
    missing.push({call.start_ns, call.end_ns, call.correlation, may_be_idle});
    threads_[thread].firm += may_be_idle ? 0 : 1;
    if (missing.size() > kMostMissing) {
      if (const Missing oldest = missing.front(); !has_come(oldest)) give_up(oldest);
      pop_missing(threads_[thread]);
    }
  }
  return true;
}

void Pairing::add_operation(const Record& op, std::uint32_t stream) {
  Link* link = find_or_add(op.correlation, op.start_ns);
  if (!link) return;
  if (!link->has_op || op.start_ns < link->first_op_ns) link->first_op_ns = op.start_ns;
  link->has_op = true;
  if (op.event_kind == trace::EventKind::Copy) {
    if (!link->has_copy || op.start_ns < link->copy_start_ns) {
      link->copy_start_ns = op.start_ns;
      link->copy_flags = op.copy_flags;
      link->copy_stream = stream;
    }
    link->copy_end_ns = link->has_copy ? std::max(link->copy_end_ns, op.end_ns) : op.end_ns;
    link->copied_bytes += op.value;
    link->has_copy = true;
  }
  if (link->has_call) return matched(*link, op.start_ns);
  if (op.traits & kAlone) return;
  orphans_.push_back({op.correlation, op.start_ns});
  if (orphans_.size() > kMostOrphans) check_orphan();
}

void Pairing::add_stall(const Record& overhead) {
  // It has no time without a call or an operation. The call that contains it arrives soon or never.
  Link* link = find_or_add(overhead.correlation, overhead.start_ns);
  if (!link) return;
  if (link->empty()) link->first_op_ns = overhead.start_ns;
  const Nanoseconds sum = link->stalled_ns + (overhead.end_ns - overhead.start_ns);
  link->stalled_ns = static_cast<std::uint32_t>(std::min<Nanoseconds>(sum, std::numeric_limits<std::uint32_t>::max()));
}

bool Pairing::is_outermost(const Record& call, std::uint32_t thread) {
  Link* link = find(call.correlation, call.start_ns);
  if (!link || !link->has_call || link->thread != thread) return true;
  if (link->call_start_ns != call.start_ns || link->call_end_ns != call.end_ns ||
      link->driver != ((call.traits & kDriverCall) != 0)) {
    return false;
  }
  link->written = true;
  return true;
}

Nanoseconds Pairing::issued(std::uint32_t correlation, Nanoseconds near) {
  const Link* link = find(correlation, near);
  return link && link->has_call ? link->call_start_ns : kUnknown;
}

// Launches into a graph that is being captured run only when the graph is launched.
void Pairing::note_capture(Thread& thread, const Record& call) {
  if (call.traits & kFailed) return;
  if (call.traits & kBeginsCapture) {
    thread.captures.push_back({call.start_ns, call.start_ns + kReach});
    if (thread.captures.size() > kMostCaptures) thread.captures.pop_front();
  } else if (!thread.captures.empty() && call.start_ns >= thread.captures.back().begin_ns) {
    thread.captures.back().end_ns = std::min(thread.captures.back().end_ns, call.end_ns);
  }
}

bool Pairing::captured(const Thread& thread, Nanoseconds t) {
  return std::any_of(thread.captures.begin(), thread.captures.end(),
                     [t](const GraphCapture& c) { return c.begin_ns <= t && t < c.end_ns; });
}

void Pairing::pop_missing(Thread& thread) {
  thread.firm -= thread.missing.front().may_be_idle ? 0 : 1;
  thread.missing.pop();
}

bool Pairing::has_come(const Missing& launch) {
  const Link* link = links_.find(launch.correlation);
  if (!link) return false;
  if (link->has_op && within_reach(link->time_ns(), launch.start_ns)) return true;
  return link->matched_before_ns == launch.start_ns;
}

void Pairing::give_up(const Missing& launch) {
  if (has_come(launch)) return;
  Link* link = find(launch.correlation, launch.start_ns);
  if (link && link->given_up) return;  // the outer or inner one of two nested calls was given up
  if (link) link->given_up = true;
  add(counts_.launches_unmatched);
}

void Pairing::check_orphan() {
  const Orphan orphan = orphans_.front();
  orphans_.pop_front();
  const Link* link = find(orphan.correlation, orphan.start_ns);
  // If calls are not recorded at all, none is missing.
  if (calls_seen_ && !(link && link->has_call)) add(counts_.operations_unmatched);
}

Nanoseconds Pairing::oldest_missing(Thread& thread, Nanoseconds asked_ns) {
  while (!thread.doubtful.empty() && (thread.doubtful.front().start_ns < asked_ns - kReach)) {
    give_up(thread.doubtful.front());
    thread.doubtful.pop_front();
  }
  while (!thread.missing.empty()) {
    const Missing oldest = thread.missing.front();
    if (has_come(oldest)) {
      if (oldest.correlation == thread.blocked_on) thread.moved_ns = asked_ns;
    } else if (captured(thread, oldest.start_ns)) {
      // Nothing is missing.
    } else if (oldest.start_ns < asked_ns - kReach) {
      give_up(oldest);
    } else if (oldest.may_be_idle && asked_ns - std::max(oldest.end_ns, thread.moved_ns) >= kPatience &&
               (thread.firm == 0 || thread.newest_matched_ns > oldest.start_ns)) {
      thread.doubtful.push_back(oldest);
    } else {
      thread.blocked_on = oldest.correlation;
      return oldest.start_ns;
    }
    pop_missing(thread);
  }
  thread.blocked_on = 0;
  return kPairingNever;
}

Nanoseconds Pairing::oldest_missing(Nanoseconds asked_ns) {
  Nanoseconds oldest = kPairingNever;
  for (Thread& thread : threads_) oldest = std::min(oldest, oldest_missing(thread, asked_ns));
  while (!orphans_.empty() && orphans_.front().start_ns < asked_ns - kReach) check_orphan();
  // Calls that are held back still look up their partners.
  links_.forget_before(asked_ns - 2 * kReach);
  return oldest;
}

void Pairing::finish() {
  for (Thread& thread : threads_) {
    for (; !thread.missing.empty(); pop_missing(thread)) {
      const Missing oldest = thread.missing.front();
      if (!captured(thread, oldest.start_ns)) give_up(oldest);
    }
    for (const Missing& launch : thread.doubtful) give_up(launch);
    thread.doubtful.clear();
  }
  while (!orphans_.empty()) check_orphan();
}

// --- waits -----------------------------------------------------------------------------------------------------------

namespace {

using trace::CallNature;

constexpr std::uint64_t kInlineCopyBytes = 64 * 1024;  // pageable copies up to this size travel in the command queue
constexpr int kMaxStepsBack = 64;
constexpr Nanoseconds kWaitUnknown = std::numeric_limits<Nanoseconds>::min();
constexpr std::uint32_t kUsualNullStream = 7;
constexpr std::size_t kMostRemembered = 1 << 13;  // threads, contexts or streams
constexpr std::size_t kMostStalls = 1 << 14;      // per thread
constexpr std::size_t kMostEnded = 1 << 20;       // per stream

std::uint64_t stream_key(std::uint32_t context, std::uint32_t stream) { return std::uint64_t{context} << 32 | stream; }

template <typename Map, typename Key>
void remember(Map& map, Key key, std::uint32_t value) {
  if (map.size() >= kMostRemembered) map.clear();
  map[key] = value;
}

}  // namespace

void Waits::add_operation(const Record& op, std::uint32_t stream) {
  if (stream >= streams_.size()) streams_.resize(stream + 1);
  GpuStream& s = streams_[stream];
  s.context = op.context;
  s.number = op.stream;
  s.ended.push({op.start_ns, op.end_ns, op.correlation, op.event_kind == trace::EventKind::Copy});
  if (s.ended.size() > kMostEnded) {
    s.ended.settle();
    s.ended.drop(kMostEnded / 2);
  }
}

void Waits::add_sync(const Record& sync) {
  if (sync.correlation == 0) return;
  syncs_.add(sync.correlation, sync.start_ns) = {sync.start_ns, sync.value, sync.detail, sync.context, sync.stream};
}

void Waits::add_gpu_event(const Record& event) {
  gpu_events_.add(event.value, event.start_ns) = {event.correlation, event.context, event.stream, true};
}

void Waits::add_stall(const Record& overhead) {
  if (overhead.correlation != 0) pairing_.add_stall(overhead);
  if (overhead.thread == 0) return;
  if (stalls_.size() >= kMostRemembered) stalls_.clear();
  auto& stalls = stalls_[overhead.thread];
  stalls.push({overhead.start_ns, overhead.end_ns});
  if (stalls.size() <= kMostStalls) return;
  stalls.settle();
  stalls.pop();
}

void Waits::add_context(const Record& context) { remember(null_streams_, context.context, context.detail); }

void Waits::add_stream(const Record& stream) {
  remember(stream_flags_, stream_key(stream.context, stream.stream), stream.detail);
}

bool Waits::is_default_stream(std::uint32_t context, std::uint32_t stream) const {
  const auto known = null_streams_.find(context);
  return stream == (known == null_streams_.end() ? kUsualNullStream : known->second);
}

void Waits::forget_before(Nanoseconds t) {
  for (GpuStream& stream : streams_) {
    const Ended* begin = stream.ended.begin();
    const Ended* end = stream.ended.end();
    const Ended* keep = begin;
    while (keep != end && keep->end_ns < t) ++keep;
    if (keep != begin) stream.ended.drop(static_cast<std::size_t>(keep - begin));
  }
  for (auto it = stalls_.begin(); it != stalls_.end();) {
    while (!it->second.empty() && it->second.front().end_ns < t) it->second.pop();
    it = it->second.empty() ? stalls_.erase(it) : std::next(it);
  }
  syncs_.forget_before(t - 2 * Pairing::kReach);
  gpu_events_.forget_before(t - 2 * Pairing::kReach);
}

Waits::Awaited Waits::awaited_by(const Sync* sync, Nanoseconds call_start_ns) {
  Awaited awaited;
  awaited.issued_before = call_start_ns;
  if (!sync) return awaited;
  awaited.any_context = false;
  awaited.context = sync->context;
  if (sync->type == kStreamSynchronize) {
    awaited.any_stream = false;
    awaited.stream = sync->stream;
  } else if (sync->type == kEventSynchronize && sync->event != 0) {
    const GpuEvent* event = gpu_events_.find(sync->event);
    if (event && event->known) {
      awaited.any_stream = false;
      awaited.context = event->context;
      awaited.stream = event->stream;
      const Nanoseconds recorded = pairing_.issued(event->correlation, call_start_ns);
      if (recorded != kWaitUnknown) {
        awaited.issued_before = std::min(recorded, call_start_ns);
      }
    }
  }
  return awaited;
}

bool Waits::issued_before(const Ended& op, Nanoseconds t) {
  const Nanoseconds issued = pairing_.issued(op.correlation, op.start_ns);
  if (issued != kWaitUnknown) return issued < t;
  // Its call is lost. If it were still to come, it would start after everything known so far.
  return op.start_ns < known_until_ns_;
}

bool Waits::covers(const Awaited& awaited, const GpuStream& stream) const {
  if (awaited.any_context) return true;
  if (stream.context != awaited.context) return false;
  if (awaited.any_stream || stream.number == awaited.stream) return true;
  // The legacy default stream waits for all blocking streams.
  if (!is_default_stream(awaited.context, awaited.stream)) return false;
  const auto flag = stream_flags_.find(stream_key(stream.context, stream.number));
  return flag != stream_flags_.end() && flag->second == kBlockingStream;
}

std::optional<Waits::Ended> Waits::last_ended(GpuStream& stream, const Awaited& awaited, Nanoseconds from,
                                              Nanoseconds to) {
  const Ended* const begin = stream.ended.begin();
  const Ended* it =
      std::upper_bound(begin, stream.ended.end(), to, [](Nanoseconds t, const Ended& op) { return t < op.end_ns; });
  for (int step = 0; it != begin && step < kMaxStepsBack; ++step) {
    --it;
    if (it->end_ns <= from) break;
    if (issued_before(*it, awaited.issued_before)) return *it;
  }
  return std::nullopt;
}

std::optional<Waits::Ended> Waits::last_ended(const Awaited& awaited, Nanoseconds from, Nanoseconds to) {
  std::optional<Ended> last;
  for (GpuStream& stream : streams_) {
    if (!covers(awaited, stream)) continue;
    const auto here = last_ended(stream, awaited, from, to);
    if (here && (!last || here->end_ns > last->end_ns)) last = here;
  }
  return last;
}

void Waits::work_out(trace::Event& call, const Record& record) {
  const Link* link = pairing_.find(record.correlation, record.start_ns);
  if (link && !link->has_call) link = nullptr;
  const bool has_op = link && link->has_op;
  const bool issues =
      record.is_launch() && !(record.traits & (kFailed | kNeverOnGpu)) && !(link && pairing_.captured(*link));
  if (has_op || issues) call.flags |= trace::kLaunchFlag;
  if (record.traits & kAlone) {
    // What it waited for is not recorded. It is called in order to wait, so all of it counts.
    if (record.nature != CallNature::Sync && record.nature != CallNature::BlockingCopy) return;
    call.flags |= trace::kSyncFlag;
    trace::set_parts(call, {});
  } else if (record.nature == CallNature::Sync) {
    call.flags |= trace::kSyncFlag;
    work_out_sync(call, record);
  } else if (record.nature == CallNature::BlockingCopy || record.nature == CallNature::AsyncCopy) {
    work_out_copy(call, record, link);
  }
  if (record.is_launch() && !trace::is_blocking(call)) work_out_stall(call, record, link);
}

void Waits::work_out_sync(trace::Event& call, const Record& record) {
  const Sync* sync = record.correlation == 0 ? nullptr : syncs_.find(record.correlation);
  // A synchronisation lies within its call. If not, it belongs to another generation of the number.
  if (sync && (sync->type == 0 || sync->start_ns < call.start_ns - base::kSecond || sync->start_ns > call.end_ns)) {
    sync = nullptr;
  }
  const std::optional<Ended> last = last_ended(awaited_by(sync, call.start_ns), call.start_ns, call.end_ns);
  if (!last) return;
  trace::CallParts parts;
  if (sync) parts.own = std::clamp<Nanoseconds>(sync->start_ns - call.start_ns, 0, last->end_ns - call.start_ns);
  if (last->copy) parts.copying = last->end_ns - std::max(last->start_ns, call.start_ns + parts.own);
  parts.copying = std::max<Nanoseconds>(parts.copying, 0);
  parts.returning = call.end_ns - last->end_ns;
  trace::set_parts(call, parts);
}

void Waits::work_out_copy(trace::Event& call, const Record& record, const Link* link) {
  if (!link || !link->has_copy) {
    if (record.nature == CallNature::BlockingCopy) call.flags |= trace::kSyncFlag;
    return;
  }
  const bool asynchronous = record.nature == CallNature::AsyncCopy;
  trace::Event copy;
  copy.flags = link->copy_flags;
  const trace::CopyTraits traits = trace::copy_traits_of(copy);
  const bool to_host = traits.direction == trace::CopyDirection::DeviceToHost;
  const bool from_host = traits.direction == trace::CopyDirection::HostToDevice;
  if (!to_host && !from_host) return;  // the host does not wait for copies between devices
  const bool to_pageable = to_host && traits.destination == trace::MemoryKind::Pageable;
  const bool from_pageable = from_host && traits.source == trace::MemoryKind::Pageable;
  const bool staged = from_pageable && link->copied_bytes > kInlineCopyBytes;
  if (!asynchronous || to_pageable) call.flags |= trace::kSyncFlag;
  if (asynchronous && !to_pageable && !staged) return;

  const Nanoseconds begin = std::clamp(link->copy_start_ns, call.start_ns, call.end_ns);
  const Nanoseconds end = std::clamp(link->copy_end_ns, begin, call.end_ns);
  if (begin >= end) return;  // the bytes moved after the call had returned
  std::optional<Ended> waited;
  if (link->copy_stream < streams_.size()) {
    const GpuStream& stream = streams_[link->copy_stream];
    waited = last_ended({false, false, stream.context, stream.number, call.start_ns}, call.start_ns, begin);
  }
  // Own cost is everything except waiting. Part of it may lie between the wait and the copy, but it is placed first.
  trace::CallParts parts;
  parts.own = begin - (waited ? waited->end_ns : call.start_ns);
  parts.copying = end - begin;
  parts.returning = call.end_ns - end;
  trace::set_parts(call, parts);
}

void Waits::work_out_stall(trace::Event& call, const Record& record, const Link* link) {
  Nanoseconds stalled = 0;
  if (const auto found = stalls_.empty() ? stalls_.end() : stalls_.find(record.thread); found != stalls_.end()) {
    auto& stalls = found->second;
    const Stall* const begin = stalls.begin();
    // Stalls of a thread do not overlap, so at most one of them started before the call.
    const Stall* it = std::lower_bound(begin, stalls.end(), call.start_ns,
                                       [](const Stall& s, Nanoseconds t) { return s.start_ns < t; });
    if (it != begin) --it;
    for (; it != stalls.end() && it->start_ns < call.end_ns; ++it) {
      stalled += std::max<Nanoseconds>(0, std::min(it->end_ns, call.end_ns) - std::max(it->start_ns, call.start_ns));
    }
  }
  if (stalled == 0 && link) stalled = link->stalled_ns;
  stalled = std::min(stalled, call.duration());
  if (stalled <= 0) return;
  add(counts_.queue_full_ns, static_cast<std::uint64_t>(stalled));
  trace::set_parts(call, {.own = call.duration() - stalled});
}

}  // namespace lanescope::capture
