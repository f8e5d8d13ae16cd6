#include "device/sim/gpu_timeline.h"

#include <algorithm>
#include <vector>

namespace lanescope::device::sim {

std::uint32_t GpuTimeline::add_stream(bool blocking) {
  constexpr std::size_t kFirstSize = 64;
  Stream& stream = streams_.emplace_back();
  stream.ring.resize(kFirstSize);
  stream.work.resize(kFirstSize);
  stream.blocking = blocking;
  return static_cast<std::uint32_t>(streams_.size() - 1);
}

void GpuTimeline::grow(Stream& stream) {
  const std::size_t size = stream.ring.size();
  std::vector<Entry> ring(size * 2);
  std::vector<Work> work(size * 2);
  for (std::uint64_t seq = stream.head; seq < stream.tail; ++seq) {
    ring[seq & (size * 2 - 1)] = stream.at(seq);
    work[seq & (size * 2 - 1)] = stream.work[seq & (size - 1)];
  }
  stream.ring = std::move(ring);
  stream.work = std::move(work);
}

void GpuTimeline::join_legacy(std::uint32_t s, Nanoseconds arrival) {
  const auto wait_for = [&](std::uint32_t waiting, std::uint32_t other, std::uint64_t& known) {
    Stream& from = streams_[other];
    if (known < from.tail && from.head < from.tail) {
      append(waiting, Engine::None, arrival).after = {other, from.tail - 1};
    }
    known = from.tail;
  };
  if (s == 0) {
    for (std::uint32_t other = 1; other < streams_.size(); ++other) {
      if (streams_[other].blocking) wait_for(0, other, streams_[other].default_waits_for);
    }
  } else if (streams_[s].blocking) {
    wait_for(s, 0, streams_[s].waits_for_default);
  }
}

Position GpuTimeline::push(std::uint32_t s, const Entry& entry, const Work* work) {
  Entry& added = add(s, entry.engine, entry.arrival_ns);
  const std::uint64_t order = added.order;
  added = entry;
  added.order = order;
  if (entry.has_work) set_work(s, *work);
  return last(s);
}

Position GpuTimeline::push_marker(std::uint32_t s, Nanoseconds arrival, Position after, EventStamp* stamp) {
  Entry& marker = add(s, Engine::None, arrival);
  marker.after = after;
  marker.stamp = stamp;
  return last(s);
}

inline void GpuTimeline::decide_entry(Stream& stream, Entry& entry, Nanoseconds start) {
  Nanoseconds end = start;
  if (entry.is_operation()) {
    Nanoseconds& engine_free = engine_free_[static_cast<std::size_t>(entry.engine)];
    entry.free_ns = std::max(engine_free, stream.last_work_end);
    const bool ruled = rule_ != nullptr && &stream == &streams_[ruled_.stream] && stream.next == ruled_.seq;
    end = ruled ? rule_->end_for(start) : std::max(start + entry.duration_ns, entry.earliest_end_ns);
    engine_free = end;
    entry.copy_start_ns = entry.event.kind == trace::EventKind::Copy ? start : end;
    stream.last_work_end = end;
  } else {
    entry.copy_start_ns = start == stream.last_end ? stream.last_copy_start : end;
    // Held back by its stream or by what it waits for, not only by its own launch latency.
    if (start > entry.arrival_ns) stream.last_work_end = start;
    if (entry.stamp != nullptr) {
      const auto index = static_cast<std::uint32_t>(&stream - streams_.data());
      if (entry.stamp->position == Position{index, stream.next}) entry.stamp->at_ns = start;
    }
  }
  entry.event.start_ns = start;
  entry.event.end_ns = end;
  stream.last_end = end;
  stream.last_copy_start = entry.copy_start_ns;
  last_end_ = std::max(last_end_, end);
  next_end_ = std::min(next_end_, end);
  if (entry.is_operation()) writer_.write(entry.event);
}

bool GpuTimeline::step(Nanoseconds limit) {
  Stream* best = nullptr;
  Nanoseconds best_start = kNever, best_ready = kNever;
  for (Stream& stream : streams_) {
    if (stream.next == stream.tail) continue;
    const Entry& entry = stream.at(stream.next);
    Nanoseconds ready = std::max(entry.arrival_ns, stream.last_end + entry.gap_ns);
    if (entry.after.stream != Position::kNoStream) {
      if (!decided(entry.after)) continue;
      // Finished entries ended before the host's clock, and this entry's launch reaches the device only after it.
      if (!finished(entry.after))
        ready = std::max(ready, streams_[entry.after.stream].at(entry.after.seq).event.end_ns);
    }
    const Nanoseconds start =
        entry.is_operation() ? std::max(ready, engine_free_[static_cast<std::size_t>(entry.engine)]) : ready;
    const bool earlier = best == nullptr || start < best_start ||
                         (start == best_start &&
                          (ready < best_ready || (ready == best_ready && entry.order < best->at(best->next).order)));
    if (earlier) {
      best = &stream;
      best_start = start;
      best_ready = ready;
    }
  }
  if (best == nullptr || best_start > limit) {
    next_start_ = best_start;
    return false;
  }
  decide_entry(*best, best->at(best->next), best_start);
  ++best->next;
  return true;
}

// A single stream, as most programs have, needs no choice between streams: the same as step() until it returns false.
inline void GpuTimeline::decide_alone(Nanoseconds now) {
  Stream& stream = streams_.front();
  for (; stream.next != stream.tail; ++stream.next) {
    Entry& entry = stream.at(stream.next);
    Nanoseconds start = std::max(entry.arrival_ns, stream.last_end + entry.gap_ns);
    if (entry.is_operation()) start = std::max(start, engine_free_[static_cast<std::size_t>(entry.engine)]);
    if (start > now) {
      next_start_ = start;
      return;
    }
    decide_entry(stream, entry, start);
  }
  next_start_ = kNever;
}

inline void GpuTimeline::finish_alone(Nanoseconds now) {
  Stream& stream = streams_.front();
  for (; stream.head != stream.next; ++stream.head) {
    const Entry& entry = stream.at(stream.head);
    if (entry.event.end_ns > now) {
      next_end_ = entry.event.end_ns;
      return;
    }
    if (entry.is_operation()) --stream.operations;
    if (entry.has_work) memory_.run(stream.work[stream.head & (stream.work.size() - 1)]);
  }
  next_end_ = kNever;
}

void GpuTimeline::decide_until(Nanoseconds now) {
  if (streams_.size() == 1) return decide_alone(now);
  while (step(now)) {
  }
}

const Entry& GpuTimeline::decide(Position position) {
  while (!decided(position) && step(kNever)) {
  }
  return streams_[position.stream].at(position.seq);
}

const Entry& GpuTimeline::decide(Position position, EndRule& rule) {
  ruled_ = position;
  rule_ = &rule;
  const Entry& entry = decide(position);
  rule_ = nullptr;
  return entry;
}

void GpuTimeline::decide_all() {
  while (step(kNever)) {
  }
}

void GpuTimeline::finish_until(Nanoseconds now) {
  if (streams_.size() == 1) return finish_alone(now);
  // Bytes change in the order in which operations end, across all streams.
  for (;;) {
    Stream* first = nullptr;
    Nanoseconds first_end = kNever;
    std::uint64_t first_order = 0;
    for (Stream& stream : streams_) {
      if (stream.head == stream.next) continue;
      const Entry& entry = stream.at(stream.head);
      if (first == nullptr || entry.event.end_ns < first_end ||
          (entry.event.end_ns == first_end && entry.order < first_order)) {
        first = &stream;
        first_end = entry.event.end_ns;
        first_order = entry.order;
      }
    }
    if (first == nullptr || first_end > now) {
      next_end_ = first_end;
      return;
    }
    const std::uint64_t seq = first->head++;
    const Entry& entry = first->at(seq);
    if (entry.is_operation()) --first->operations;
    if (entry.has_work) memory_.run(first->work[seq & (first->work.size() - 1)]);
  }
}

bool GpuTimeline::tail(std::uint32_t s, Position& out) const {
  const Stream& stream = streams_[s];
  if (stream.head == stream.tail) return false;
  out = {s, stream.tail - 1};
  return true;
}

Position GpuTimeline::oldest_operation(std::uint32_t s) const {
  const Stream& stream = streams_[s];
  std::uint64_t seq = stream.head;
  while (!stream.at(seq).is_operation()) ++seq;
  return {s, seq};
}

// --- staging ---------------------------------------------------------------------------------------------------------

namespace {

using base::Nanoseconds;

Nanoseconds staging_rounded(double ns) { return static_cast<Nanoseconds>(ns + 0.5); }

std::size_t count_chunks(const StagingRates& rates, std::size_t bytes) {
  return (bytes + rates.chunk - 1) / rates.chunk;
}

}  // namespace

StagedUpload::StagedUpload(const StagingRates& rates, std::size_t bytes, Nanoseconds begin)
    : rates_(rates), bytes_(bytes), chunks_(count_chunks(rates, bytes)), begin_(begin) {}

std::size_t StagedUpload::chunk_bytes(std::size_t i) const {
  return i + 1 < chunks_ ? rates_.chunk : bytes_ - (chunks_ - 1) * rates_.chunk;
}

Nanoseconds StagedUpload::arrival() const {
  return begin_ + staging_rounded(static_cast<double>(chunk_bytes(0)) * rates_.host_ns_per_byte) + rates_.latency;
}

Nanoseconds StagedUpload::filled() const {
  const std::size_t filled_bytes = fits() ? bytes_ : rates_.slots * rates_.chunk;
  return begin_ + staging_rounded(static_cast<double>(filled_bytes) * rates_.host_ns_per_byte);
}

Nanoseconds StagedUpload::dma_duration() const {
  return rates_.fixed + staging_rounded(static_cast<double>(bytes_) * rates_.dma_ns_per_byte);
}

Nanoseconds StagedUpload::earliest_end() const {
  return filled() + rates_.latency +
         staging_rounded(static_cast<double>(chunk_bytes(chunks_ - 1)) * rates_.dma_ns_per_byte);
}

StagedUpload::Result StagedUpload::run(Nanoseconds start, std::vector<double>& scratch) const {
  scratch.assign(std::min(rates_.slots, chunks_), 0.0);  // when the DMA that last used a slot has ended
  const double latency = static_cast<double>(rates_.latency);
  double staged = 0;
  double dma_end = static_cast<double>(start - begin_ + rates_.fixed);
  for (std::size_t i = 0; i < chunks_; ++i) {
    const double bytes = static_cast<double>(chunk_bytes(i));
    double& slot = scratch[i % scratch.size()];
    staged = std::max(staged, slot) + bytes * rates_.host_ns_per_byte;
    dma_end = std::max(dma_end, staged + latency) + bytes * rates_.dma_ns_per_byte;
    slot = dma_end;
  }
  return {begin_ + staging_rounded(staged), begin_ + staging_rounded(dma_end)};
}

StagedDownload staged_download(const StagingRates& rates, std::size_t bytes, std::vector<double>& scratch) {
  const std::size_t chunks = count_chunks(rates, bytes);
  scratch.assign(std::min(rates.slots, chunks), 0.0);  // when the CPU has emptied a slot
  double dma_end = static_cast<double>(rates.fixed);
  double emptied = 0;
  for (std::size_t i = 0; i < chunks; ++i) {
    const double size = static_cast<double>(i + 1 < chunks ? rates.chunk : bytes - (chunks - 1) * rates.chunk);
    double& slot = scratch[i % scratch.size()];
    dma_end = std::max(dma_end, slot) + size * rates.dma_ns_per_byte;
    emptied = std::max(emptied, dma_end) + size * rates.host_ns_per_byte;
    slot = emptied;
  }
  return {staging_rounded(dma_end), staging_rounded(emptied)};
}

}  // namespace lanescope::device::sim
