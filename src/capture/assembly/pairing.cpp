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

}  // namespace lanescope::capture
