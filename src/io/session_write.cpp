#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/platform/files.h"
#include "base/translate.h"
#include "io/atomic_file.h"
#include "io/session_file.h"
#include "io/session_format.h"

namespace lanescope::io {
namespace {

using base::Nanoseconds;
using trace::Coverage;
using trace::Event;
using trace::EventIndex;
using trace::LaneId;
using SessionAct = trace::RecordingChange::Act;

constexpr int kSessionLevel = 1;               // for events: level 3 saves a few per cent more, in twice the time
constexpr std::size_t kChunkBytes = 1u << 20;  // before compression: what a crash can lose
constexpr std::size_t kNotWorthPacking = 64;
constexpr EventIndex kSessionEventsPerLock = 2048;  // a ReadLock must be held only briefly
constexpr std::size_t kRunEvents = 32'768;
constexpr std::uint64_t kSliceEvents = 200'000;  // of a whole trace: what is missing if the file is damaged
constexpr Nanoseconds kAll = std::numeric_limits<Nanoseconds>::max();
constexpr Nanoseconds kUnknown = std::numeric_limits<Nanoseconds>::min();

std::string bytes_of(const session::Texts& texts) {
  std::string bytes;
  session::put(bytes, static_cast<std::uint32_t>(texts.size()));
  for (const auto& [key, value] : texts) {
    session::put_text(bytes, key);
    session::put_text(bytes, value);
  }
  return bytes;
}

}  // namespace

/// Turns what a trace has published into chunks.
class SessionEncoder {
 public:
  using Output = std::function<void(std::string_view)>;

  SessionEncoder(const trace::Trace& trace, Output output)
      : trace_(trace), output_(std::move(output)), packer_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!packer_) throw std::bad_alloc();
  }

  void begin() {
    std::string head(session::kMagic);
    session::put(head, session::kFormat);
    session::put(head, std::uint16_t{0});
    session::put(head, session::checksum(head));
    output_(head);
  }

  /// Only if they have changed.
  void write_facts(const RunFacts& facts, const trace::CaptureHealth* health) {
    if (std::string bytes = bytes_of(session::texts_of(facts)); bytes != facts_) {
      write_chunk(session::kFacts, bytes);
      facts_ = std::move(bytes);
    }
    write_clock(facts.clock);
    if (!health) return;
    if (std::string bytes = bytes_of(session::texts_of(*health)); bytes != health_) {
      write_chunk(session::kHealth, bytes);
      health_ = std::move(bytes);
    }
  }

  /// Readings that have come since; what is of the clock itself is written again with them.
  void write_clock(const trace::ClockFacts& clock) {
    if (clock.readings.size() <= clock_readings_ && (clock_written_ || clock == trace::ClockFacts())) return;
    std::string bytes;
    session::put_clock(bytes, clock, clock_readings_);
    write_chunk(session::kClock, bytes);
    clock_readings_ = clock.readings.size();
    clock_written_ = true;
  }

  /// Everything published until now is what the following steps write. Writes what its events refer to.
  void look() {
    complete_ = trace_.complete_until();  // first: what it promises has been published
    const std::size_t lanes = trace_.lane_count();
    rows_.resize(lanes);
    for (std::size_t l = 0; l < lanes; ++l) {
      const trace::Lane& lane = trace_.lane(static_cast<LaneId>(l));
      rows_[l].resize(lane.row_count());
      for (std::size_t r = 0; r < rows_[l].size(); ++r) rows_[l][r].last = lane.row(r).last();
    }
    const std::size_t stacks = trace_.sites().size();  // before the names that they use
    write_lanes(lanes);
    write_table(session::kNames, trace_.names(), names_);
    write_table(session::kArguments, trace_.arguments(), arguments_);
    write_launches();
    write_stacks(stacks);
  }

  /// Writes the events that start before `until`, and what is known of the time before it.
  void step(Nanoseconds until, bool last) {
    for (std::size_t l = 0; l < rows_.size(); ++l) {
      for (std::size_t r = 0; r < rows_[l].size(); ++r) write_row(static_cast<LaneId>(l), r, until);
    }
    flush(session::kEvents);
    const Nanoseconds known = std::min(until, complete_);
    for (std::size_t l = 0; l < rows_.size(); ++l) write_notes(static_cast<LaneId>(l), last ? kAll : known);
    flush(session::kNotes);
    write_coverage();
    const trace::TraceCounts counts = trace_.counts();
    std::string bytes;
    session::put(bytes, known);
    for (const std::uint64_t n : {counts.recorded, missed_, counts.dropped, counts.late, counts.clamped, written_})
      session::put(bytes, n);
    write_chunk(session::kStep, bytes);
  }

  void end() { write_chunk(session::kEnd, ""); }

  std::uint64_t published() const {
    std::uint64_t count = 0;
    for (const auto& lane : rows_) {
      for (const RowState& row : lane) count += row.last - row.next;
    }
    return count;
  }
  std::uint64_t written() const { return written_; }
  std::uint64_t missed() const { return missed_; }

 private:
  struct RowState {
    EventIndex next = 0, last = 0;  // the next to write, and one past the last
    Nanoseconds end = 0;            // of the last one written
  };
  enum Column { Gap, Duration, NameKindFlags, Correlation, A, B, C, kColumns };

  void write_chunk(std::uint32_t type, std::string_view bytes) {
    session::Packing packing = session::Packing::None;
    std::string_view stored = bytes;
    if (bytes.size() > kNotWorthPacking) {
      packed_.resize(ZSTD_compressBound(bytes.size()));
      const std::size_t size =
          ZSTD_compressCCtx(packer_.get(), packed_.data(), packed_.size(), bytes.data(), bytes.size(), kSessionLevel);
      if (ZSTD_isError(size)) throw base::Error(ZSTD_getErrorName(size));
      if (size < bytes.size()) {
        packing = session::Packing::Zstd;
        stored = std::string_view(packed_).substr(0, size);
      }
    }
    chunk_.clear();
    session::put(chunk_, type);
    session::put(chunk_, static_cast<std::uint32_t>(packing));
    session::put(chunk_, static_cast<std::uint32_t>(stored.size()));
    session::put(chunk_, static_cast<std::uint32_t>(bytes.size()));
    session::put(chunk_, session::checksum(stored));
    session::put(chunk_, session::checksum(chunk_));
    chunk_ += stored;
    output_(chunk_);
  }

  void flush(std::uint32_t type) {
    if (bytes_.empty()) return;
    write_chunk(type, bytes_);
    bytes_.clear();
  }
  void flush_if_full(std::uint32_t type) {
    if (bytes_.size() >= kChunkBytes) flush(type);
  }

  void write_lanes(std::size_t count) {
    for (; lanes_ < count; ++lanes_) {
      const trace::LaneInfo& info = trace_.lane(static_cast<LaneId>(lanes_)).info();
      std::string lane;
      session::put(lane, static_cast<std::uint8_t>(info.kind));
      session::put(lane, static_cast<std::uint8_t>(info.role));
      session::put(lane, info.pid);
      session::put(lane, info.tid);
      session::put(lane, info.device);
      session::put(lane, info.stream);
      session::put(lane, info.reorder_window);
      for (const std::string* text : {&info.name, &info.process, &info.host, &info.thread})
        session::put_text(lane, *text);
      if (info.rank) session::put(lane, static_cast<std::int32_t>(*info.rank));
      session::put_text(bytes_, lane);
      flush_if_full(session::kLanes);
    }
    flush(session::kLanes);
  }

  /// Each chunk begins with the number of its first text.
  void write_table(std::uint32_t type, const base::NameTable& table, base::NameId& next) {
    for (const base::NameId end = table.size(); next < end; ++next) {
      if (bytes_.empty()) session::put(bytes_, next);
      session::put_text(bytes_, table.text(next));
      flush_if_full(type);
    }
    flush(type);
  }

  void write_launches() {
    for (; const auto launch = trace_.launches().find(launches_); ++launches_) {
      if (bytes_.empty()) session::put(bytes_, launches_);
      for (const std::uint32_t n : launch->grid) session::put(bytes_, n);
      for (const std::uint32_t n : launch->block) session::put(bytes_, n);
      for (const std::uint32_t n : {launch->registers_per_thread, launch->shared_bytes, launch->static_shared_bytes,
                                    launch->dynamic_shared_bytes, launch->context})
        session::put(bytes_, n);
      for (const double x : {launch->blocks_per_sm, launch->warps_per_sm, launch->occupancy_percent})
        session::put(bytes_, x);
      flush_if_full(session::kLaunches);
    }
    flush(session::kLaunches);
  }

  void write_stacks(std::size_t count) {
    for (; stacks_ < count; ++stacks_) {
      const trace::CallSites::Stack stack = trace_.sites().stack(static_cast<std::uint32_t>(stacks_ + 1));
      if (bytes_.empty()) session::put(bytes_, static_cast<std::uint32_t>(stacks_ + 1));
      session::put(bytes_, static_cast<std::uint16_t>(stack.frames.size()));
      session::put(bytes_, static_cast<std::uint16_t>(stack.own));
      for (const trace::Frame& frame : stack.frames) {
        for (const std::uint32_t n : {frame.file, frame.function, frame.line}) session::put(bytes_, n);
      }
      flush_if_full(session::kStacks);
    }
    flush(session::kStacks);
  }

  void write_row(LaneId l, std::size_t r, Nanoseconds until) {
    RowState& state = rows_[l][r];
    const trace::Row& row = trace_.lane(l).row(r);
    while (state.next < state.last) {
      for (auto& column : columns_) column.clear();
      EventIndex end = state.last;
      Nanoseconds base = 0;
      while (state.next < end && columns_[Gap].size() < kRunEvents) {
        const trace::Trace::ReadLock lock(trace_);
        const EventIndex first = row.first();
        if (first > state.next) {
          // Some were evicted. Those already taken still come before what follows.
          missed_ += std::min(first, state.last) - state.next;
          state.next = std::min(first, state.last);
          if (state.next == state.last) break;
        }
        if (until != kAll) end = row.first_starting_at_or_after(until, state.next, state.last);
        const EventIndex to = std::min(end, state.next + kSessionEventsPerLock);
        for (; state.next < to; ++state.next) {
          const Event e = row.event(state.next);
          if (columns_[Gap].empty()) state.end = base = e.start_ns;
          take(e, state.end);
        }
      }
      if (columns_[Gap].empty()) return;
      write_run(l, r, base);
      if (state.next >= end) return;
    }
  }

  void take(const Event& e, Nanoseconds& end) {
    columns_[Gap].push_back(static_cast<std::uint64_t>(e.start_ns) - static_cast<std::uint64_t>(end));
    columns_[Duration].push_back(static_cast<std::uint64_t>(e.end_ns) - static_cast<std::uint64_t>(e.start_ns));
    columns_[NameKindFlags].push_back(e.name | std::uint64_t{static_cast<std::uint8_t>(e.kind)} << 20 |
                                      std::uint64_t{e.flags} << 24);
    columns_[Correlation].push_back(e.correlation);
    columns_[A].push_back(e.a);
    columns_[B].push_back(e.b);
    columns_[C].push_back(e.c);
    end = e.end_ns;
  }

  void write_run(LaneId l, std::size_t r, Nanoseconds base) {
    session::put(bytes_, l);
    session::put(bytes_, static_cast<std::uint16_t>(r));
    session::put(bytes_, static_cast<std::uint32_t>(columns_[Gap].size()));
    session::put(bytes_, base);
    for (const auto& column : columns_) session::put_column(bytes_, column);
    written_ += columns_[Gap].size();
    flush_if_full(session::kEvents);
  }

  void write_notes(LaneId l, Nanoseconds until) {
    const Nanoseconds from = l < noted_until_.size() ? noted_until_[l] : kUnknown;
    if (until <= from) return;
    if (l >= noted_until_.size()) noted_until_.resize(l + 1, kUnknown);
    noted_until_[l] = until;
    std::vector<trace::CallSites::NotedCall> notes = trace_.sites().between(l, from, until);
    std::erase_if(notes, [this](const trace::CallSites::NotedCall& note) { return note.site > stacks_; });
    for (std::size_t begin = 0; begin < notes.size(); begin += kRunEvents) {
      const std::size_t count = std::min(kRunEvents, notes.size() - begin);
      std::array<std::vector<std::uint64_t>, 2> columns;
      for (std::size_t i = begin; i < begin + count; ++i) {
        columns[0].push_back(static_cast<std::uint64_t>(notes[i].start_ns));
        columns[1].push_back(notes[i].site);
      }
      session::put(bytes_, l);
      session::put(bytes_, static_cast<std::uint32_t>(count));
      for (const auto& column : columns) session::put_column(bytes_, column);
      flush_if_full(session::kNotes);
    }
  }

  struct CoverageState {
    trace::Bursts bursts;
    bool in_parts = false, open = false;
    Coverage::Index next = 0;
  };

  void put_change(SessionAct act, std::int64_t pid, Nanoseconds time, Nanoseconds calls_from) {
    session::put(bytes_, static_cast<std::uint8_t>(act));
    session::put(bytes_, pid);
    session::put(bytes_, time);
    session::put(bytes_, calls_from);
    flush_if_full(session::kCoverage);
  }

  void write_coverage() {
    {
      const trace::Trace::ReadLock lock(trace_);
      for (std::size_t c = 0; c < trace_.coverage_count(); ++c) {
        const std::int64_t pid = trace_.covered_pid(c);
        const Coverage& coverage = trace_.coverage(pid);
        CoverageState& state = coverage_[pid];
        const trace::Bursts bursts = coverage.bursts();
        if (bursts != state.bursts) put_change(SessionAct::Bursts, pid, bursts.burst_ns, bursts.period_ns);
        state.bursts = bursts;
        if (coverage.complete()) continue;
        const Coverage::Index first = coverage.first(), last = coverage.last();
        if (!state.in_parts) {
          const bool from_the_start = first < last && coverage.interval(first).begin == Coverage::kAlways;
          if (!from_the_start) put_change(SessionAct::Nothing, pid, 0, 0);
          state.in_parts = true;
        }
        if (state.open) {
          const bool kept = state.next > first;
          const Nanoseconds end = kept           ? coverage.interval(state.next - 1).end
                                  : first < last ? coverage.interval(first).calls_from
                                                 : Coverage::kNever;
          if (end != Coverage::kNever) put_change(SessionAct::End, pid, end, 0);
          state.open = end == Coverage::kNever;
        }
        for (state.next = std::max(state.next, first); state.next < last; ++state.next) {
          const Coverage::Interval interval = coverage.interval(state.next);
          if (interval.begin != Coverage::kAlways)
            put_change(SessionAct::Begin, pid, interval.begin, interval.calls_from);
          state.open = interval.end == Coverage::kNever;
          if (!state.open) put_change(SessionAct::End, pid, interval.end, 0);
        }
      }
    }
    flush(session::kCoverage);
  }

  const trace::Trace& trace_;
  const Output output_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> packer_;
  Nanoseconds complete_ = kUnknown;
  std::vector<std::vector<RowState>> rows_;
  std::size_t lanes_ = 0, stacks_ = 0;
  base::NameId names_ = base::NameTable::kOverflow + 1, arguments_ = base::NameTable::kOverflow + 1;
  std::uint32_t launches_ = trace::LaunchTable::kOverflow + 1;
  std::vector<Nanoseconds> noted_until_;
  std::map<std::int64_t, CoverageState> coverage_;
  std::uint64_t written_ = 0, missed_ = 0;
  std::string facts_, health_;
  std::size_t clock_readings_ = 0;
  bool clock_written_ = false;
  std::array<std::vector<std::uint64_t>, kColumns> columns_;
  std::string bytes_, packed_, chunk_;  // keep their memory
};

void write_session(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts,
                   const trace::CaptureHealth* health) {
  ByteSink sink(path, false);
  SessionEncoder encoder(trace, [&](std::string_view bytes) { sink.write(bytes); });
  encoder.begin();
  encoder.write_facts(facts, health);
  encoder.look();
  // In slices of time, so that the beginning of a damaged file is a whole trace of a shorter time.
  const auto [from, to] = trace.extent();
  const std::uint64_t slices = encoder.published() / kSliceEvents + 1;
  for (std::uint64_t i = 1; i < slices; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(slices);
    encoder.step(from + static_cast<Nanoseconds>((static_cast<double>(to) - static_cast<double>(from)) * share), false);
  }
  encoder.step(kAll, true);
  encoder.end();
  sink.commit();
}

class SessionWriter::Impl {
 public:
  Impl(const std::filesystem::path& path, const trace::Trace& trace)
      : path_(path),
        file_(path, base::PlainFile::For::Writing),
        encoder_(trace, [this](std::string_view bytes) { write(bytes); }) {
    if (!file_) fail(errno);
    encoder_.begin();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void append(const RunFacts& facts, const trace::CaptureHealth* health, bool last) {
    if (error_ != 0) fail(error_);
    encoder_.write_facts(facts, health);
    encoder_.look();
    encoder_.step(kAll, last);
    if (!last) return;
    encoder_.end();
    if (!file_.sync()) fail(errno);
  }

  const SessionEncoder& encoder() const { return encoder_; }

 private:
  void write(std::string_view bytes) {
    if (!file_.append(bytes)) {
      error_ = errno;
      file_.shorten(whole_);  // no half chunk stays
      fail(error_);
    }
    whole_ += bytes.size();
  }
  [[noreturn]] void fail(int error) const {
    throw base::FileError(path_.string() + ": " + base::tr("cannot write") + ": " + base::system_error_text(error));
  }

  const std::filesystem::path path_;
  base::PlainFile file_;
  int error_ = 0;
  std::uint64_t whole_ = 0;  // bytes of whole chunks
  SessionEncoder encoder_;
};

SessionWriter::SessionWriter(const std::filesystem::path& path, const trace::Trace& trace)
    : impl_(std::make_unique<Impl>(path, trace)) {}
SessionWriter::~SessionWriter() = default;
void SessionWriter::append(const RunFacts& facts, const trace::CaptureHealth* health) {
  impl_->append(facts, health, false);
}
void SessionWriter::finish(const RunFacts& facts, const trace::CaptureHealth* health) {
  impl_->append(facts, health, true);
}
std::uint64_t SessionWriter::events() const { return impl_->encoder().written(); }
std::uint64_t SessionWriter::missed() const { return impl_->encoder().missed(); }

}  // namespace lanescope::io
