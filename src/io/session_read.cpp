#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "base/platform/files.h"
#include "base/platform/system.h"
#include "base/time.h"
#include "base/translate.h"
#include "io/byte_source.h"
#include "io/chrome_vocabulary.h"
#include "io/session_file.h"
#include "io/session_format.h"
#include "trace/owners.h"

namespace lanescope::io {
namespace {

using base::Nanoseconds;
using base::tr;
using session::Bytes;
using trace::Event;
using trace::EventKind;
using trace::LaneId;
using Act = trace::RecordingChange::Act;

constexpr std::size_t kLeastTraceBytes = std::size_t{2} << 30;
constexpr std::size_t kMemoryMargin = 64u << 20;
constexpr std::uint64_t kTextShare = 8;  // of the memory for events, at most, goes to texts, stacks and notes
constexpr std::uint64_t kTextOverhead = 100;
constexpr std::size_t kKinds = 7;

class SessionReader {
 public:
  SessionReader(std::filesystem::path path, session::NextPiece next, ReadProgress& progress, const ReadLimits& limits)
      : path_(std::move(path)),
        input_(std::move(next)),
        progress_(progress),
        memory_bytes_(memory_for(limits)),
        unpacker_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (!unpacker_) throw std::bad_alloc();
    opened_.trace = std::make_unique<trace::Trace>(std::max<std::size_t>(kLeastTraceBytes, memory_bytes_));
    opened_.own = true;
  }

  OpenedTrace read() {
    read_head();
    while (!ended_ && next_chunk()) take_chunk();
    if (!stepped_) {
      fail_file(damage_.empty() ? tr("the file is truncated: it ends before its first events")
                                : tr("damaged or cut off before its first events: {}", damage_));
    }
    if (!damage_.empty()) {
      opened_.incomplete =
          tr("The file is damaged or cut off: {}. What comes before is shown, what comes after is not.", damage_);
    }
    if (!ended_ && opened_.incomplete.empty()) {
      opened_.incomplete = tr("The file was cut off or is still being written: it ends at byte {}.", input_.position());
    }
    trace::Trace& trace = *opened_.trace;
    trace.publish();
    take_counts();
    trace.set_complete_until(complete_ == kUnknown ? trace.extent().second : complete_);
    opened_.events_read = events_;
    for (std::size_t l = 0; l < kinds_.size(); ++l) {
      const trace::LaneKind lane = trace.lane(static_cast<LaneId>(l)).info().kind;
      for (std::size_t k = 0; k < kKinds; ++k) {
        if (kinds_[l][k] > 0)
          opened_.read_by_category[std::string(category_of(static_cast<EventKind>(k), lane))] += kinds_[l][k];
      }
    }
    return std::move(opened_);
  }

  // --- a file that is still being written: step by step, by SessionFollower ---

  OpenedTrace& opened() { return opened_; }
  std::uint64_t position() const { return input_.position(); }
  bool ended() const { return ended_; }
  /// Takes what comes next, which is there as a whole: the head of the file or a chunk. True after a STEP.
  bool take_next() {
    if (position() == 0) {
      read_head();
      return false;
    }
    if (!next_chunk()) fail_file(tr("damaged: {}", damage_));
    take_chunk();
    if (chunk_.type != session::kStep) return false;
    take_counts();
    if (complete_ != kUnknown) opened_.trace->set_complete_until(complete_);
    return true;
  }

 private:
  static constexpr Nanoseconds kUnknown = std::numeric_limits<Nanoseconds>::min();

  struct Counts {
    std::uint64_t dropped = 0, late = 0, clamped = 0;
  };
  // An event that was gone before it was written is as lost as a dropped one.
  void take_counts() {
    opened_.trace->count_dropped(counts_.dropped - counted_.dropped);
    opened_.trace->count_late(counts_.late - counted_.late);
    opened_.trace->count_clamped(counts_.clamped - counted_.clamped);
    counted_ = counts_;
  }

  static std::uint64_t memory_for(const ReadLimits& limits) {
    if (limits.memory_bytes > 0) return limits.memory_bytes;
    const std::uint64_t machine = base::machine_memory_bytes();
    return machine > 0 ? machine / 2 : kLeastTraceBytes;
  }

  void read_head() {
    input_.take(head_, session::kFileHeadBytes);
    if (head_.size() < session::kFileHeadBytes) fail_file(tr("the file is truncated: it ends before its first events"));
    Bytes head(head_);
    head.take_bytes(session::kMagic.size());
    const auto format = head.take<std::uint16_t>();
    head.take<std::uint16_t>();
    if (head.take<std::uint32_t>() != session::checksum(std::string_view(head_).substr(0, session::kFileHeadBytes - 4)))
      fail_file(tr("damaged: the checksum of its first bytes is wrong"));
    if (format > session::kFormat) fail_file(tr("written by a newer Lanescope; this one cannot read it"));
    if (format == 0) fail_file(tr("not a session file: its format is 0"));
  }

  /// Puts the next chunk into bytes_. False at the end of what is whole.
  bool next_chunk() {
    chunk_.type = 0;
    chunk_.place = input_.position();
    ++chunk_.number;
    input_.take(head_, session::kChunkHeadBytes);
    if (head_.empty()) return false;
    if (head_.size() < session::kChunkHeadBytes) return stop(tr("it ends too early"));
    Bytes head(head_);
    chunk_.type = head.take<std::uint32_t>();
    const auto packing = head.take<std::uint32_t>();
    const auto stored = head.take<std::uint32_t>();
    const auto size = head.take<std::uint32_t>();
    const auto sum = head.take<std::uint32_t>();
    if (!session::stored_bytes(head_)) return stop(tr("the checksum of its head is wrong"));
    const bool known_packing = packing <= static_cast<std::uint32_t>(session::Packing::Zstd);
    if (!known_packing) fail_file(tr("written by a newer Lanescope; this one cannot read it"));
    if (size > session::kMostBytes || stored > ZSTD_compressBound(session::kMostBytes)) {
      fail(tr("it claims {}; allowed: {}", base::format_bytes(std::max(size, stored)),
              base::format_bytes(session::kMostBytes)));
    }
    input_.take(stored_, stored);
    if (stored_.size() < stored) return stop(tr("it ends too early"));
    if (session::checksum(stored_) != sum) return stop(tr("its checksum is wrong"));
    if (packing == static_cast<std::uint32_t>(session::Packing::None)) {
      if (stored != size) fail(tr("its two lengths differ"));
      bytes_.swap(stored_);
      return true;
    }
    bytes_.resize(size);
    const std::size_t unpacked =
        ZSTD_decompressDCtx(unpacker_.get(), bytes_.data(), bytes_.size(), stored_.data(), stored_.size());
    if (ZSTD_isError(unpacked) || unpacked != size) fail(tr("its compressed data makes no sense"));
    return true;
  }

  [[noreturn]] void fail_file(std::string_view why) const {
    throw base::FileError(fmt::format("{}: {}", path_.string(), why));
  }
  // What comes before is shown, and nothing after.
  bool stop(const std::string& why) {
    damage_ = fmt::format("{}: {}", chunk_.name(), why);
    return false;
  }
  // Its checksum is right, so nobody knows what else is not as it should be.
  [[noreturn]] void fail(const std::string& why) const { fail_file(fmt::format("{}: {}", chunk_.name(), why)); }
  void check(bool right, const char* why) const {
    if (!right) fail(tr(why));
  }

  void take_chunk() {
    Bytes in(bytes_);
    switch (chunk_.type) {
      case session::kFacts:
        return take_facts(in);
      case session::kHealth:
        return take_health(in);
      case session::kLanes:
        return take_lanes(in);
      case session::kNames:
        return take_names(in, opened_.trace->names());
      case session::kArguments:
        return take_names(in, opened_.trace->arguments());
      case session::kLaunches:
        return take_launches(in);
      case session::kStacks:
        return take_stacks(in);
      case session::kEvents:
        return take_events(in);
      case session::kNotes:
        return take_notes(in);
      case session::kCoverage:
        return take_coverage(in);
      case session::kClock:
        return take_clock(in);
      case session::kStep:
        return take_step(in);
      case session::kEnd:
        check(bytes_.empty(), N_("it should be empty"));
        ended_ = true;
        return;
      default:
        if (!session::optional_type(chunk_.type)) fail(tr("written by a newer Lanescope; this one cannot read it"));
    }
  }

  template <typename Function>
  void for_each_text(Bytes& in, const Function& function) {
    const auto count = in.take<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && !in.bad(); ++i) {
      const std::string_view key = in.take_text(), value = in.take_text();
      if (!in.bad()) function(key, value);
    }
    check(!in.bad(), N_("it ends too early"));
  }

  template <typename Taken>
  void take_texts(Bytes& in, Taken& taken) {
    for_each_text(in, [&](std::string_view key, std::string_view value) {
      check(session::take_text(taken, key, value), N_("it has something else where a number belongs"));
    });
  }
  void take_facts(Bytes& in) {
    RunFacts facts;
    take_texts(in, facts);
    facts.clock = std::move(opened_.facts.clock);  // it has chunks of its own
    opened_.facts = std::move(facts);
  }
  void take_clock(Bytes& in) {
    take_memory(bytes_.size() / session::kClockReadingBytes * sizeof(trace::ClockReading) + kTextOverhead);
    trace::ClockFacts& clock = opened_.facts.clock;
    const auto before = static_cast<std::ptrdiff_t>(clock.readings.size());
    check(session::take_clock(in, clock), N_("it ends too early"));
    const auto allowed = [](Nanoseconds t) { return t >= -base::kMaxTime && t <= base::kMaxTime; };
    check(allowed(clock.origin_ns) && std::all_of(clock.readings.begin() + before, clock.readings.end(),
                                                  [&](const trace::ClockReading& reading) {
                                                    return allowed(reading.monotonic_ns) && allowed(reading.real_ns);
                                                  }),
          N_("it has a time that is not allowed"));
  }
  void take_health(Bytes& in) {
    trace::CaptureHealth health;
    take_texts(in, health);
    opened_.health = std::move(health);
  }

  void take_lanes(Bytes& in) {
    while (in.more()) {
      Bytes lane(in.take_text());
      trace::LaneInfo info;
      const auto kind = lane.take<std::uint8_t>(), role = lane.take<std::uint8_t>();
      info.kind = static_cast<trace::LaneKind>(kind);
      info.role = static_cast<trace::LaneRole>(role);
      info.pid = lane.take<std::int64_t>();
      info.tid = lane.take<std::int64_t>();
      info.device = lane.take<std::int32_t>();
      info.stream = lane.take<std::int32_t>();
      info.reorder_window = lane.take<std::uint32_t>();
      for (std::string* text : {&info.name, &info.process, &info.host, &info.thread}) *text = lane.take_text();
      check(!lane.bad(), N_("it ends too early"));
      info.rank = trace::rank_in(info.process);
      if (lane.more()) {
        const auto rank = lane.take<std::int32_t>();
        if (!lane.bad()) info.rank = rank >= 0 ? std::optional<int>(rank) : std::nullopt;
      }
      check(kind <= static_cast<std::uint8_t>(trace::LaneKind::Counter) && role < trace::kLaneRoles,
            N_("it has a lane of an unknown kind"));
      check(kinds_.size() < trace::Trace::kMaxLanes, N_("too many lanes"));
      check(opened_.trace->add_lane(info) == kinds_.size(), N_("it names a lane twice"));
      kinds_.emplace_back();
    }
    check(!in.bad(), N_("it ends too early"));
  }

  void take_memory(std::uint64_t bytes) {
    text_bytes_ += bytes;
    check(text_bytes_ <= std::max<std::uint64_t>(memory_bytes_ / kTextShare, session::kMostBytes),
          N_("the file's texts take more memory than is allowed for them"));
  }

  // Numbers count without a gap, so that they are those of the file.
  void take_names(Bytes& in, base::NameTable& table) {
    std::uint64_t number = in.take<std::uint32_t>();
    while (in.more()) {
      const std::string_view text = in.take_text();
      if (in.bad()) break;
      take_memory(text.size() + kTextOverhead);
      check(number == table.size() && table.intern(text) == number, N_("its numbers do not follow those before"));
      ++number;
    }
    check(!in.bad(), N_("it ends too early"));
  }

  void take_launches(Bytes& in) {
    auto number = in.take<std::uint32_t>();
    while (in.more()) {
      trace::LaunchShape launch;
      for (std::uint32_t& n : launch.grid) n = in.take<std::uint32_t>();
      for (std::uint32_t& n : launch.block) n = in.take<std::uint32_t>();
      for (std::uint32_t* n : {&launch.registers_per_thread, &launch.shared_bytes, &launch.static_shared_bytes,
                               &launch.dynamic_shared_bytes, &launch.context})
        *n = in.take<std::uint32_t>();
      for (double* x : {&launch.blocks_per_sm, &launch.warps_per_sm, &launch.occupancy_percent}) *x = in.take<double>();
      if (in.bad()) break;
      check(number > trace::LaunchTable::kOverflow && opened_.trace->launches().intern(launch) == number,
            N_("its numbers do not follow those before"));
      ++number;
    }
    check(!in.bad(), N_("it ends too early"));
  }

  void take_stacks(Bytes& in) {
    auto number = in.take<std::uint32_t>();
    std::vector<trace::Frame> frames;
    while (in.more()) {
      frames.resize(in.take<std::uint16_t>());
      const std::size_t own = in.take<std::uint16_t>();
      check(!frames.empty() && frames.size() <= trace::CallSites::kMostFrames && own <= frames.size(),
            N_("it has a stack that makes no sense"));
      for (trace::Frame& frame : frames) {
        for (std::uint32_t* n : {&frame.file, &frame.function, &frame.line}) *n = in.take<std::uint32_t>();
        check(frame.file < opened_.trace->names().size() && frame.function < opened_.trace->names().size(),
              N_("it refers to a name that is not there"));
      }
      if (in.bad()) break;
      take_memory(kTextOverhead + frames.size() * sizeof(trace::Frame));
      check(number == stacks_ + 1 && opened_.trace->sites().intern(frames, own) == number,
            N_("its numbers do not follow those before"));
      stacks_ = number++;
    }
    check(!in.bad(), N_("it ends too early"));
  }

  enum Column { Gap, Duration, NameKindFlags, Correlation, A, B, C, kColumns };

  void take_events(Bytes& in) {
    while (in.more()) {
      const auto lane = in.take<std::uint16_t>();
      const std::size_t row = in.take<std::uint16_t>();
      const std::size_t count = in.take<std::uint32_t>();
      const auto base = in.take<Nanoseconds>();
      check(!in.bad(), N_("it ends too early"));
      check(lane < kinds_.size(), N_("it refers to a lane that is not there"));
      check(count > 0 && count <= session::kMostRunEvents, N_("it has a number of events that is not allowed"));
      for (auto& column : columns_) {
        column.resize(count);
        check(session::take_column(in, column), N_("it has a column that makes no sense"));
      }
      append(lane, row, base);
      events_ += count;
      progress_.events.store(events_, std::memory_order_relaxed);
      progress_.picture.show();
      if (progress_.cancelled.load(std::memory_order_relaxed)) throw Cancelled("");
    }
    opened_.trace->publish();
  }

  void append(LaneId lane, std::size_t row, Nanoseconds time) {
    check(time >= -base::kMaxTime && time <= base::kMaxTime, N_("it has a time that is not allowed"));
    trace::Trace& trace = *opened_.trace;
    // Many rows with a few events each need a block per row, which is never evicted.
    check(trace.memory_bytes() <= std::max<std::uint64_t>(trace.memory_cap_bytes(), memory_bytes_) + kMemoryMargin,
          N_("its lanes need more memory than is allowed for events"));
    const base::NameId names = trace.names().size();
    std::array<std::uint64_t, kKinds>& kinds = kinds_[lane];
    const std::size_t count = columns_[Gap].size();
    const std::uint64_t *gap = columns_[Gap].data(), *duration = columns_[Duration].data(),
                        *packed = columns_[NameKindFlags].data(), *correlation = columns_[Correlation].data(),
                        *a = columns_[A].data(), *b = columns_[B].data(), *c = columns_[C].data();
    std::uint64_t wide = 0;
    for (std::size_t i = 0; i < count; ++i) wide |= packed[i] | correlation[i] | a[i] | b[i] | c[i];
    check(wide <= std::numeric_limits<std::uint32_t>::max(), N_("it has a number that is not allowed"));
    const trace::LaneInfo& info = trace.lane(lane).info();
    Event e;
    e.lane = lane;
    for (std::size_t i = 0; i < count; ++i) {
      const auto room = static_cast<std::uint64_t>(base::kMaxTime - time);
      const bool in_time = gap[i] <= room && duration[i] <= room - gap[i];
      const auto kind = static_cast<std::size_t>(packed[i] >> 20 & 15);
      const auto name = static_cast<base::NameId>(packed[i] & (base::NameTable::kCapacity - 1));
      if (!in_time || kind >= kKinds) fail(tr("it has a time or a kind that is not allowed"));
      e.start_ns = time + static_cast<Nanoseconds>(gap[i]);
      e.end_ns = e.start_ns + static_cast<Nanoseconds>(duration[i]);
      e.name = name < names ? name : base::NameTable::kEmpty;
      e.kind = static_cast<EventKind>(kind);
      e.flags = static_cast<std::uint8_t>(packed[i] >> 24);
      e.correlation = static_cast<std::uint32_t>(correlation[i]);
      e.a = static_cast<std::uint32_t>(a[i]);
      e.b = static_cast<std::uint32_t>(b[i]);
      e.c = static_cast<std::uint32_t>(c[i]);
      time = e.end_ns;
      if (!origin_) origin_ = e.start_ns;
      if (e.start_ns - *origin_ < -base::kLongestTrace / 2 || e.end_ns - *origin_ > base::kLongestTrace / 2) {
        ++opened_.events_malformed;
        continue;
      }
      if (!trace.append_in_row(row, e)) fail(tr("it has an event that overlaps the one before, or a row out of order"));
      ++kinds[kind];
      progress_.picture.add(lane, info, e.start_ns, e.end_ns);
    }
  }

  void take_notes(Bytes& in) {
    while (in.more()) {
      const auto lane = in.take<std::uint16_t>();
      const std::size_t count = in.take<std::uint32_t>();
      check(!in.bad(), N_("it ends too early"));
      check(lane < kinds_.size(), N_("it refers to a lane that is not there"));
      check(count > 0 && count <= session::kMostRunEvents, N_("it has a number of events that is not allowed"));
      take_memory(count * sizeof(trace::CallSites::NotedCall));
      std::array<std::vector<std::uint64_t>, 2> columns;
      for (auto& column : columns) {
        column.resize(count);
        check(session::take_column(in, column), N_("it has a column that makes no sense"));
      }
      Nanoseconds before = std::numeric_limits<Nanoseconds>::min();
      for (std::size_t i = 0; i < count; ++i) {
        const auto start = static_cast<Nanoseconds>(columns[0][i]);
        check(columns[1][i] > 0 && columns[1][i] <= stacks_, N_("it refers to a stack that is not there"));
        check(start >= before, N_("it has a time that is not allowed"));  // a late one costs more the more there are
        opened_.trace->sites().note(lane, start, static_cast<std::uint32_t>(columns[1][i]));
        before = start;
      }
    }
    check(!in.bad(), N_("it ends too early"));
  }

  // Its times need not make sense; those that do not ascend are cut by the trace.
  void take_coverage(Bytes& in) {
    while (in.more()) {
      const auto act = in.take<std::uint8_t>();
      trace::RecordingChange change;
      change.pid = in.take<std::int64_t>();
      change.time_ns = in.take<Nanoseconds>();
      change.calls_from_ns = in.take<Nanoseconds>();
      check(!in.bad(), N_("it ends too early"));
      check(act <= static_cast<std::uint8_t>(Act::Bursts) && base::in_reach(change.time_ns) &&
                base::in_reach(change.calls_from_ns),
            N_("it has a time or a kind that is not allowed"));
      change.act = static_cast<Act>(act);
      opened_.trace->change_recording(change);
    }
  }

  void take_step(Bytes& in) {
    complete_ = in.take<Nanoseconds>();
    in.take<std::uint64_t>();  // recorded
    const auto missed = in.take<std::uint64_t>();
    Counts now;
    now.dropped = in.take<std::uint64_t>() + missed;
    now.late = in.take<std::uint64_t>();
    now.clamped = in.take<std::uint64_t>();
    const auto events = in.take<std::uint64_t>();
    check(!in.bad(), N_("it ends too early"));
    check(now.dropped >= counts_.dropped && now.late >= counts_.late && now.clamped >= counts_.clamped,
          N_("it counts fewer losses than before"));
    counts_ = now;
    check(events == events_, N_("it has a number of events that is not allowed"));
    stepped_ = true;
  }

  const std::filesystem::path path_;
  session::ChunkInput input_;
  ReadProgress& progress_;
  const std::uint64_t memory_bytes_;  // limit for events
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> unpacker_;
  OpenedTrace opened_;
  session::Chunk chunk_;
  std::string head_, stored_, bytes_;  // keep their memory
  std::string damage_;                 // where it is damaged, and how
  std::array<std::vector<std::uint64_t>, kColumns> columns_;
  std::vector<std::array<std::uint64_t, kKinds>> kinds_;  // of each lane: how many events of each kind
  std::uint64_t events_ = 0, text_bytes_ = 0;
  std::optional<Nanoseconds> origin_;  // where the first event starts
  Counts counts_, counted_;            // in the last STEP; in the trace
  std::uint32_t stacks_ = 0;
  Nanoseconds complete_ = kUnknown;
  bool stepped_ = false, ended_ = false;
};

}  // namespace

bool is_session_file(std::string_view beginning) { return beginning.starts_with(session::kMagic); }

OpenedTrace read_session(ByteSource& source, ReadProgress* progress, const ReadLimits& limits) {
  ReadProgress unused;
  ReadProgress& reported = progress ? *progress : unused;
  source.report_to(reported);
  try {
    return SessionReader(
               source.path(), [&source] { return source.next(); }, reported, limits)
        .read();
  } catch (const std::bad_alloc&) {
    source.fail(tr("cannot read: out of memory"));
  }
}

class SessionFollower::Impl {
 public:
  Impl(std::filesystem::path path, std::size_t memory_bytes)
      : path_(std::move(path)),
        file_(path_, base::PlainFile::For::Reading),
        reader_(
            path_, [this] { return piece(); }, progress_, ReadLimits{memory_bytes}) {
    if (!file_) fail(errno);
    trace().set_memory_cap_bytes(memory_bytes);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool read() {
    bool stepped = false;
    while (!ended() && has_next()) {
      stepped |= reader_.take_next();
      const std::lock_guard lock(mutex_);
      facts_ = reader_.opened().facts;
      health_ = reader_.opened().health;
      ended_ = reader_.ended();
    }
    return stepped;
  }
  bool ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  RunFacts facts() const {
    const std::lock_guard lock(mutex_);
    return facts_;
  }
  std::optional<trace::CaptureHealth> health() const {
    const std::lock_guard lock(mutex_);
    return health_;
  }
  trace::Trace& trace() { return *reader_.opened().trace; }

 private:
  [[noreturn]] void fail(int error) const {
    throw base::FileError(fmt::format("{}: {}: {}", path_.string(), tr("cannot read"), base::system_error_text(error)));
  }

  // What the reader takes next has been written as a whole; piece() then delivers exactly that.
  bool has_next() {
    const std::uint64_t at = reader_.position();
    const std::optional<std::uint64_t> size = file_.size();
    if (!size) fail(errno);
    const std::uint64_t there = *size;
    left_ = session::kFileHeadBytes;
    if (at > 0) {
      left_ = session::kChunkHeadBytes;
      std::string head(session::kChunkHeadBytes, '\0');
      if (there < at + head.size() || !get(head.data(), head.size(), at)) return false;
      // The reader says what is wrong with a head that makes no sense; what that claims is not waited for.
      const std::uint32_t stored = session::stored_bytes(head).value_or(0);
      if (stored <= ZSTD_compressBound(session::kMostBytes)) left_ += stored;
    }
    return there >= at + left_;
  }

  std::string_view piece() {
    piece_.resize(std::min<std::size_t>(left_, std::size_t{256} << 10));
    if (piece_.empty() || !get(piece_.data(), piece_.size(), reader_.position())) return {};
    left_ -= piece_.size();
    return piece_;
  }

  bool get(char* out, std::size_t count, std::uint64_t at) const {
    while (count > 0) {
      const std::optional<std::size_t> got = file_.read(out, count, at);
      if (!got) fail(errno);
      if (*got == 0) return false;
      out += *got;
      at += *got;
      count -= *got;
    }
    return true;
  }

  const std::filesystem::path path_;
  const base::PlainFile file_;
  ReadProgress progress_;
  std::string piece_;
  std::uint64_t left_ = 0;  // of what the reader takes now
  SessionReader reader_;
  mutable std::mutex mutex_;  // guards what follows
  RunFacts facts_;
  std::optional<trace::CaptureHealth> health_;
  bool ended_ = false;
};

SessionFollower::SessionFollower(std::filesystem::path path, std::size_t memory_bytes)
    : impl_(std::make_unique<Impl>(std::move(path), memory_bytes)) {}
SessionFollower::~SessionFollower() = default;
bool SessionFollower::read() { return impl_->read(); }
bool SessionFollower::ended() const { return impl_->ended(); }
RunFacts SessionFollower::facts() const { return impl_->facts(); }
std::optional<trace::CaptureHealth> SessionFollower::health() const { return impl_->health(); }
trace::Trace& SessionFollower::trace() { return impl_->trace(); }
const trace::Trace& SessionFollower::trace() const { return impl_->trace(); }

}  // namespace lanescope::io
