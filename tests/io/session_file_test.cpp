// The session file: nothing is lost, a cut or damaged file shows only what is whole, and a hostile one does no harm.
#include "io/session_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <csignal>
#include <random>

#include "analysis/builders.h"
#include "analysis/run_figures.h"
#include "io/byte_source.h"
#include "io/session_format.h"
#include "io/trace_file.h"
#include "scratch.h"
#include "sessions.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using testing::HasSubstr;
using Act = trace::RecordingChange::Act;

OpenedTrace read_bytes_as_session(std::string_view bytes, const ReadLimits& limits = {}) {
  ByteSource source(bytes, "some.lanescope");
  return read_session(source, nullptr, limits);
}

struct SessionFile : Scratch {
  OpenedTrace again(const trace::Trace& trace) {
    write_session(file("a.lanescope"), trace, full_facts());
    return read_trace(file("a.lanescope"));
  }
};

TEST_F(SessionFile, KeepsEverything) {
  trace::Trace trace;
  fill_randomly(trace, 1, 300);
  trace::LaunchShape launch;
  launch.grid = {7, 8, 9};
  launch.registers_per_thread = 40;
  launch.occupancy_percent = 1.0 / 3;
  LaneInfo kernels = gpu_lane(LaneKind::Kernels, "kernels", 3);
  kernels.rank = 12;
  const LaneId lane = trace.add_lane(kernels);
  Event kernel = make_event(trace, lane, EventKind::Kernel, "gemm", 5, 10, 77);
  trace::set_launch(kernel, trace.launches().intern(launch));
  trace::set_arguments(kernel, trace.arguments().intern("\"Input Dims\":[[64,3]]"));
  trace.append(kernel);
  trace.publish();
  note_some_sites(trace);
  trace.set_complete_until(123'456);
  trace.change_recording({Act::Bursts, 5, 1'000, 10'000});
  trace.end_recorded(5, 100);  // recorded from the start until 100
  trace.begin_recorded(5, 300, 250);
  trace.end_recorded(5, 400);
  trace.begin_recorded(5, 500);  // still open
  trace.change_recording({Act::Nothing, 6, 0, 0});
  trace.count_dropped(3);
  trace.count_late(4);
  trace.count_clamped(5);
  const trace::CaptureHealth health = some_health();
  write_session(file("a.lanescope"), trace, full_facts(), &health);
  const OpenedTrace opened = read_trace(file("a.lanescope"));
  expect_same_rows(trace, *opened.trace);
  expect_same_sites(trace, *opened.trace);
  EXPECT_EQ(opened.facts, full_facts());
  EXPECT_TRUE(opened.own);
  EXPECT_EQ(opened.incomplete, "");
  EXPECT_EQ(opened.events_read, trace.counts().recorded);
  EXPECT_EQ(opened.trace->complete_until(), 123'456);
  EXPECT_EQ(intervals_of(trace, 5), intervals_of(*opened.trace, 5));
  EXPECT_EQ(opened.trace->coverage(5).bursts(), (trace::Bursts{1'000, 10'000}));
  EXPECT_FALSE(opened.trace->coverage(6).complete());
  EXPECT_TRUE(opened.trace->coverage(7).complete());
  const trace::TraceCounts counts = opened.trace->counts();
  EXPECT_EQ(counts.dropped, 3u);
  EXPECT_EQ(counts.late, 4u);
  EXPECT_EQ(counts.clamped, 5u);
  ASSERT_TRUE(opened.health);
  EXPECT_EQ(opened.health->state, health.state);
  EXPECT_EQ(opened.health->reason, health.reason);
  EXPECT_EQ(opened.health->library, health.library);
  std::vector<double> numbers, others;
  session::for_each_number(health, [&](const char*, const auto& n) { numbers.push_back(static_cast<double>(n)); });
  session::for_each_number(*opened.health,
                           [&](const char*, const auto& n) { others.push_back(static_cast<double>(n)); });
  EXPECT_EQ(numbers, others);
}

// Each reading is written once, however often the facts are; a recording that is cut off keeps those that it has.
TEST_F(SessionFile, TheClocksReadingsAreAppended) {
  trace::Trace trace;
  std::uintmax_t once = 0, with_one_more = 0;
  const auto bytes = [&] { return std::filesystem::file_size(file("a.lanescope")); };
  {
    SessionWriter writer(file("a.lanescope"), trace);
    RunFacts facts = full_facts();
    facts.clock = some_clock(1);
    writer.append(facts);
    const std::uintmax_t before = bytes();
    writer.append(facts);
    once = bytes() - before;
    facts.clock = some_clock(3);
    facts.program = "other.py";
    writer.append(facts);
    facts.clock = some_clock(4);
    const std::uintmax_t then = bytes();
    writer.append(facts);
    with_one_more = bytes() - then;
  }
  const OpenedTrace cut_off = read_trace(file("a.lanescope"));
  EXPECT_NE(cut_off.incomplete, "");
  EXPECT_EQ(cut_off.facts.program, "other.py");
  EXPECT_EQ(cut_off.facts.clock, some_clock(4));
  EXPECT_LT(with_one_more - once, 200u);
}

// 5 s after the trace's 0; and nobody corrects a clock whose kernel says so or says nothing.
TEST(ClockFacts, AReadingHasAPlaceInTheTrace) {
  trace::ClockFacts clock = some_clock(1), other = some_clock(1);
  clock.readings[0].monotonic_ns = clock.origin_ns + 5 * base::kSecond;
  EXPECT_EQ(clock.trace_ns(clock.readings[0]), 5 * base::kSecond);
  EXPECT_TRUE(clock.readings[0].synchronised());
  clock.readings[0].status |= 0x40;
  EXPECT_FALSE(clock.readings[0].synchronised());
  clock.readings[0].status = trace::ClockReading::kClockUnknown;
  EXPECT_FALSE(clock.readings[0].synchronised());
  other.origin_ns += base::kSecond;
  EXPECT_TRUE(clock.same_clock(other));
  other.time_namespace = "time:[4026532000]";
  EXPECT_FALSE(clock.same_clock(other));
  EXPECT_FALSE(trace::ClockFacts().same_clock(trace::ClockFacts())) << "nothing is known of either";
}

TEST_F(SessionFile, KeepsRandomTraces) {
  for (std::uint32_t seed = 2; seed < 6; ++seed) {
    trace::Trace trace;
    fill_randomly(trace, seed, static_cast<int>(seed) * 100);
    SCOPED_TRACE(seed);
    expect_same_rows(trace, *again(trace).trace);
  }
}

TEST_F(SessionFile, AgreesWithJson) {
  trace::Trace trace;
  fill_randomly(trace, 20, 500);
  write_trace(file("a.json"), trace, full_facts());
  write_trace(file("a.lanescope"), trace, full_facts());
  const OpenedTrace json = read_trace(file("a.json")), own = read_trace(file("a.lanescope"));
  ASSERT_EQ(lanes_of(*json.trace), lanes_of(*own.trace));
  for (std::size_t l = 0; l < trace.lane_count(); ++l) EXPECT_EQ(events_of(*json.trace, l), events_of(*own.trace, l));
  EXPECT_EQ(json.read_by_category, own.read_by_category);
  EXPECT_EQ(json.events_read, own.events_read);
  EXPECT_EQ(json.own, own.own);
}

TEST_F(SessionFile, KeepsAnEmptyTrace) {
  trace::Trace trace;
  EXPECT_EQ(again(trace).events_read, 0u);
}

// What was appended in many steps is the same as what is written at once. The trace is filled in between, and so little
// memory is allowed that it evicts; an event that was evicted before its step is counted.
TEST_F(SessionFile, IsAppendedWhileTheTraceGrows) {
  trace::Trace trace;
  SessionWriter writer(file("live.lanescope"), trace);
  const LaneId calls = trace.add_lane(cpu_lane(LaneKind::Calls, "calls", 5));
  std::uint32_t site = 0;
  for (int step = 0; step < 40; ++step) {
    const LaneId lane = trace.add_lane(cpu_lane(LaneKind::Phases, "phases " + std::to_string(step / 10), 5));
    for (int i = 0; i < 100; ++i) {
      const Nanoseconds t = step * 10'000 + i * 100;
      trace.append(make_event(trace, calls, EventKind::Call, "call " + std::to_string(step), t, t + 150));  // overlap
      trace.append(make_event(trace, lane, EventKind::Range, "range", t, t + 50));
      if (i == 0) {
        const std::array<trace::Frame, 1> frames{
            trace::Frame{trace.names().intern("file " + std::to_string(step)), 0, static_cast<std::uint32_t>(step)}};
        site = trace.sites().intern(frames, 0);
      }
      trace.sites().note(calls, t, site);
    }
    if (step % 4 == 0) trace.begin_recorded(5, step * 10'000);
    if (step % 4 == 2) trace.end_recorded(5, step * 10'000);
    trace.publish();
    trace.set_complete_until((step + 1) * 10'000);
    RunFacts facts = full_facts();
    facts.settings["step"] = std::to_string(step);
    writer.append(facts);
    EXPECT_EQ(writer.events(), trace.counts().recorded);
    if (step % 13 != 0) continue;
    const OpenedTrace now = read_trace(file("live.lanescope"));  // as after kill -9
    expect_same_rows(trace, *now.trace);
    EXPECT_EQ(now.facts, facts);
    EXPECT_EQ(now.trace->complete_until(), trace.complete_until());
    EXPECT_THAT(now.incomplete, HasSubstr("cut off"));
  }
  writer.finish(full_facts());
  const OpenedTrace opened = read_trace(file("live.lanescope"));
  expect_same_rows(trace, *opened.trace);
  expect_same_sites(trace, *opened.trace);
  EXPECT_EQ(intervals_of(trace, 5), intervals_of(*opened.trace, 5));
  EXPECT_EQ(opened.incomplete, "");
}

TEST_F(SessionFile, CountsWhatWasEvictedBeforeItWasWritten) {
  trace::Trace trace(12 * sizeof(trace::Block));  // three of them for the list of blocks
  const LaneId lane = trace.add_lane(cpu_lane(LaneKind::Calls, "calls"));
  SessionWriter writer(file("live.lanescope"), trace);
  for (int i = 0; i < 20'000; ++i) {
    trace.append(make_event(trace, lane, EventKind::Call, "call", i * 10, i * 10 + 5));
    if (i == 2'999) {
      trace.publish();
      writer.append({});
    }
  }
  trace.publish();
  writer.finish({});
  const std::uint64_t first = trace.lane(lane).row(0).first();
  ASSERT_GT(first, 3'000u);
  EXPECT_EQ(writer.missed(), first - 3'000);
  const OpenedTrace opened = read_trace(file("live.lanescope"));
  EXPECT_EQ(opened.events_read, 20'000 - (first - 3'000));
  EXPECT_EQ(opened.trace->counts().dropped, first - 3'000);
}

// --- files that are not whole ----------------------------------------------------------------------------------------

TEST_F(SessionFile, ATruncatedFileShowsWhatIsWhole) {
  const std::string bytes = small_file(file("a.lanescope"));
  const OpenedTrace whole = read_bytes_as_session(bytes);
  const std::vector<NamedEvent> all = events_of(*whole.trace, 0);
  std::uint64_t before = 0;
  bool refused_before = true;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    SCOPED_TRACE(size);
    std::optional<OpenedTrace> opened;
    const std::string error =
        error_of([&] { opened = read_bytes_as_session(std::string_view(bytes).substr(0, size)); });
    if (!opened) {
      EXPECT_THAT(error, HasSubstr("some.lanescope: "));
      EXPECT_TRUE(refused_before);  // once there is something to show, there always is
      continue;
    }
    refused_before = false;
    EXPECT_THAT(opened->incomplete, HasSubstr("cut off"));
    EXPECT_GE(opened->events_read, before);
    before = opened->events_read;
    EXPECT_EQ(opened->events_read % 20, 0u);  // whole chunks
    const std::vector<NamedEvent> shown = events_of(*opened->trace, 0);
    EXPECT_TRUE(std::equal(shown.begin(), shown.end(), all.begin()));
    EXPECT_LE(opened->trace->complete_until(), static_cast<Nanoseconds>(shown.size()) / 20 * 1'000);
  }
  EXPECT_EQ(before, 80u);
  EXPECT_FALSE(refused_before);
}

TEST_F(SessionFile, ADamagedByteIsNamedAndNothingOfItIsShown) {
  const std::string bytes = small_file(file("a.lanescope"));
  const std::vector<NamedEvent> all = events_of(*read_bytes_as_session(bytes).trace, 0);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    SCOPED_TRACE(at);
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::optional<OpenedTrace> opened;
    const std::string error = error_of([&] { opened = read_bytes_as_session(damaged); });
    const std::string& said = opened ? opened->incomplete : error;
    if (at >= session::kFileHeadBytes) {
      EXPECT_THAT(said, HasSubstr("chunk "));
      EXPECT_THAT(said, HasSubstr("checksum"));
    } else if (at >= session::kMagic.size()) {
      EXPECT_THAT(said, HasSubstr("checksum"));
    }
    if (!opened) continue;
    const std::vector<NamedEvent> shown = events_of(*opened->trace, 0);
    ASSERT_LE(shown.size(), all.size());
    EXPECT_TRUE(std::equal(shown.begin(), shown.end(), all.begin()));
  }
}

// With the checksums put right again, so that the damage reaches what reads the contents.
std::string with_right_checksums(std::string bytes) {
  const auto number = [&](std::size_t at) {
    std::uint32_t n = 0;
    std::memcpy(&n, bytes.data() + at, sizeof n);
    return n;
  };
  const auto set = [&](std::size_t at, std::uint32_t n) { std::memcpy(bytes.data() + at, &n, sizeof n); };
  if (bytes.size() < session::kFileHeadBytes) return bytes;
  set(12, session::checksum(std::string_view(bytes).substr(0, 12)));
  for (std::size_t at = session::kFileHeadBytes; at + session::kChunkHeadBytes <= bytes.size();) {
    const std::size_t stored = number(at + 8), begin = at + session::kChunkHeadBytes;
    if (stored > bytes.size() - begin) break;
    set(at + 16, session::checksum(std::string_view(bytes).substr(begin, stored)));
    set(at + 20, session::checksum(std::string_view(bytes).substr(at, 20)));
    at = begin + stored;
  }
  return bytes;
}

TEST_F(SessionFile, RandomDamageDoesNoHarm) {
  trace::Trace trace;
  SessionWriter writer(file("a.lanescope"), trace);
  for (std::uint32_t seed = 1; seed < 6; ++seed) {
    fill_randomly(trace, seed, 4);
    note_some_sites(trace);
    writer.append(full_facts());
  }
  writer.finish(full_facts());
  const std::string bytes = read_bytes(file("a.lanescope"));
  std::mt19937 random(7);
  int refused = 0, shown = 0;
  for (int round = 0; round < 600; ++round) {
    std::string damaged = bytes;
    for (std::uint32_t n = 1 + random() % 8; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    if (round % 3 == 0) damaged.resize(random() % damaged.size());
    if (round % 2 == 0) damaged = with_right_checksums(damaged);
    if (damaged.empty()) continue;
    std::optional<OpenedTrace> opened;
    const std::string error = error_of([&] { opened = read_bytes_as_session(damaged); });
    ++(opened ? shown : refused);
    if (!opened) {
      EXPECT_NE(error, "");
      continue;
    }
    for (std::size_t l = 0; l < opened->trace->lane_count(); ++l) events_of(*opened->trace, l);
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(shown, 50);
}

// --- files that are meant to do harm ---------------------------------------------------------------------------------

std::string head() {
  std::string bytes(session::kMagic);
  session::put(bytes, session::kFormat);
  session::put(bytes, std::uint16_t{0});
  session::put(bytes, session::checksum(bytes));
  return bytes;
}

std::string chunk(std::uint32_t type, std::string_view stored, std::uint32_t size, session::Packing packing) {
  std::string bytes;
  session::put(bytes, type);
  session::put(bytes, static_cast<std::uint32_t>(packing));
  session::put(bytes, static_cast<std::uint32_t>(stored.size()));
  session::put(bytes, size);
  session::put(bytes, session::checksum(stored));
  session::put(bytes, session::checksum(bytes));
  return bytes += stored;
}
std::string chunk(std::uint32_t type, std::string_view bytes) {
  return chunk(type, bytes, static_cast<std::uint32_t>(bytes.size()), session::Packing::None);
}
std::string packed_chunk(std::uint32_t type, std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
  return chunk(type, packed, static_cast<std::uint32_t>(bytes.size()), session::Packing::Zstd);
}
/// `after`: what follows the texts of each lane.
std::string lane_chunk(int lanes = 1, std::string_view process = "", std::string_view after = "") {
  std::string bytes;
  for (int i = 0; i < lanes; ++i) {
    std::string lane(2, '\2');
    lane[1] = 0;
    session::put(lane, std::int64_t{i});
    session::put(lane, std::int64_t{0});
    for (int n = 0; n < 3; ++n) session::put(lane, std::uint32_t{0});
    for (const std::string_view text : {std::string_view(), process, std::string_view(), std::string_view()})
      session::put_text(lane, text);
    session::put_text(bytes, lane += after);
  }
  return chunk(session::kLanes, bytes);
}
std::string step_chunk(std::uint64_t events) {
  std::string bytes;
  session::put(bytes, Nanoseconds{0});
  for (const std::uint64_t n : {events, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}, events})
    session::put(bytes, n);
  return chunk(session::kStep, bytes);
}
/// A run of one event, of which one column can be another.
std::string run(std::uint16_t lane, std::uint16_t row, std::uint32_t count, Nanoseconds base, int other = -1,
                std::uint64_t value = 0) {
  std::string bytes;
  session::put(bytes, lane);
  session::put(bytes, row);
  session::put(bytes, count);
  session::put(bytes, base);
  for (int column = 0; column < 7; ++column) {
    session::put(bytes, std::uint8_t{0});
    session::put(bytes, std::uint8_t{0});
    session::put(bytes, column == other ? value : std::uint64_t{0});
  }
  return bytes;
}

TEST(HostileSession, SizesAreCheckedBeforeMemoryIsTaken) {
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const auto claiming = [](std::uint32_t stored, std::uint32_t size) {
    std::string bytes;
    session::put(bytes, session::kEvents);
    session::put(bytes, std::uint32_t{1});
    session::put(bytes, stored);
    session::put(bytes, size);
    session::put(bytes, std::uint32_t{0});
    session::put(bytes, session::checksum(bytes));
    return head() + bytes;
  };
  EXPECT_THAT(error_of([&] { read_bytes_as_session(claiming(10, 0xFFFFFFFF)); }),
              HasSubstr("chunk 1 (EVNT) at byte 16: it claims 4"));
  EXPECT_THAT(error_of([&] { read_bytes_as_session(claiming(0xFFFFFFFF, 10)); }), HasSubstr("it claims 4"));
  // Allowed, but not there.
  EXPECT_THAT(error_of([&] { read_bytes_as_session(claiming(16u << 20, 16u << 20)); }), HasSubstr("it ends too early"));
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 8 * 1024);  // KiB
}

TEST(HostileSession, WhatMakesNoSenseIsRefused) {
  const auto error = [](const std::string& chunks) {
    return error_of([&] { read_bytes_as_session(head() + chunks); });
  };
  const auto events = [&](const std::string& runs) { return error(lane_chunk() + chunk(session::kEvents, runs)); };
  EXPECT_THAT(events(run(1, 0, 1, 0)), HasSubstr("chunk 2 (EVNT)"));
  EXPECT_THAT(events(run(1, 0, 1, 0)), HasSubstr("a lane that is not there"));
  EXPECT_THAT(events(run(0, 1, 1, 0)), HasSubstr("a row out of order"));
  EXPECT_THAT(events(run(0, 0, 0, 0)), HasSubstr("number of events"));
  EXPECT_THAT(events(run(0, 0, 65'537, 0)), HasSubstr("number of events"));
  EXPECT_THAT(events(run(0, 0, 1, std::numeric_limits<Nanoseconds>::max())), HasSubstr("time"));
  EXPECT_THAT(events(run(0, 0, 2, 0, 1, std::uint64_t{1} << 61)), HasSubstr("time"));  // 2 * 2^61 ns is too late
  EXPECT_THAT(events(run(0, 0, 1, 0, 0, ~std::uint64_t{0})), HasSubstr("time"));
  EXPECT_THAT(events(run(0, 0, 1, 0, 2, std::uint64_t{7} << 20)), HasSubstr("kind"));
  EXPECT_THAT(events(run(0, 0, 1, 0, 3, std::uint64_t{1} << 32)), HasSubstr("number that is not allowed"));
  EXPECT_THAT(events(run(0, 0, 1, 10) + run(0, 0, 1, 9)), HasSubstr("overlaps"));
  EXPECT_THAT(events(run(0, 0, 1, 0).substr(0, 40)), HasSubstr("column"));
  EXPECT_THAT(error(lane_chunk() + lane_chunk()), HasSubstr("a lane twice"));
  EXPECT_THAT(error(lane_chunk() + step_chunk(1)), HasSubstr("number of events"));
  std::string clock;
  session::put_clock(clock, some_clock(1), 0);
  EXPECT_THAT(error(chunk(session::kClock, clock + "x")), HasSubstr("(clok) at byte 16: it ends too early"));
  clock.replace(clock.size() - session::kClockReadingBytes, 8, 8, '\x7F');
  EXPECT_THAT(error(chunk(session::kClock, clock)), HasSubstr("(clok) at byte 16: it has a time that is not allowed"));
  EXPECT_THAT(error(chunk(session::chunk_type("WHAT"), "")), HasSubstr("newer Lanescope"));
  EXPECT_THAT(error(chunk(session::kNames, std::string("\7\0\0\0\1\0\0\0x", 9))), HasSubstr("do not follow"));
  EXPECT_THAT(error(packed_chunk(session::kNames, "\2").substr(0, 24) + "x"), HasSubstr("chunk 1 (NAME)"));
  EXPECT_THAT(error(chunk(session::kNames, "abc", 3, session::Packing::Zstd)), HasSubstr("makes no sense"));
}

TEST(HostileSession, ChunksThatMayBeLeftOutAreLeftOut) {
  const OpenedTrace opened =
      read_bytes_as_session(head() + chunk(session::chunk_type("what"), "new") + lane_chunk() +
                            chunk(session::kEvents, run(0, 0, 3, 5)) + step_chunk(3) + chunk(session::kEnd, ""));
  EXPECT_EQ(opened.incomplete, "");
  EXPECT_EQ(opened.events_read, 3u);
}

// Files of older versions have the rank in the process's name only.
TEST(HostileSession, ARankIsTheOneStatedOrTheOneInTheName) {
  const auto rank = [](std::string_view process, std::string_view after) {
    return read_bytes_as_session(head() + lane_chunk(1, process, after) + chunk(session::kEvents, run(0, 0, 1, 5)) +
                                 step_chunk(1) + chunk(session::kEnd, ""))
        .trace->lane(0)
        .info()
        .rank;
  };
  const auto stated = [](std::int32_t number) {
    std::string bytes;
    session::put(bytes, number);
    return bytes;
  };
  EXPECT_EQ(rank("rank 3 · train.py", ""), 3);
  EXPECT_EQ(rank("train.py", ""), std::nullopt);
  EXPECT_EQ(rank("train.py", stated(7)), 7);
  EXPECT_EQ(rank("train.py", stated(7) + "of a newer version"), 7);
  EXPECT_EQ(rank("train.py", stated(-5)), std::nullopt);
  EXPECT_EQ(rank("rank 3 · train.py", "ab"), 3) << "too short to be one";
}

TEST(HostileSession, EventsYearsFromTheFirstAreLeftOut) {
  constexpr Nanoseconds kYear = Nanoseconds{365} * 24 * 3600 * base::kSecond;
  const OpenedTrace opened =
      read_bytes_as_session(head() + lane_chunk() + chunk(session::kEvents, run(0, 0, 1, 5) + run(0, 0, 1, kYear)) +
                            step_chunk(2) + chunk(session::kEnd, ""));
  EXPECT_EQ(opened.events_malformed, 1u);
  EXPECT_EQ(opened.trace->extent(), std::pair(Nanoseconds{5}, Nanoseconds{5}));
}

// A file of some kilobytes with texts of 16 MB each, which compress to nothing.
TEST(HostileSession, TextsTakeOnlySoMuchMemory) {
  std::string bytes = head();
  for (std::uint32_t i = 2; i < 6; ++i) {
    std::string names;
    session::put(names, i);
    session::put_text(names, std::string((8u << 20) + i, 'x'));
    bytes += packed_chunk(session::kNames, names);
  }
  ASSERT_LT(bytes.size(), 100'000u);
  EXPECT_THAT(error_of([&] { read_bytes_as_session(bytes, {.memory_bytes = 64u << 20}); }),
              HasSubstr("more memory than is allowed"));
}

// --- writing ---------------------------------------------------------------------------------------------------------

TEST_F(SessionFile, AFullDiskIsSaidAndLeavesTheOldFile) {
  trace::Trace trace;
  fill_randomly(trace, 3, 5'000);
  write("old.lanescope", "old");
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int wrong = 0;
    try {
      write_session(file("old.lanescope"), trace, {});
      wrong |= 1;
    } catch (const base::FileError& error) {
      if (std::string_view(error.what()).find("cannot write") == std::string_view::npos) wrong |= 2;
    }
    if (read_bytes(file("old.lanescope")) != "old") wrong |= 4;
    SessionWriter writer(file("live.lanescope"), trace);
    try {
      writer.append({});
      wrong |= 8;
    } catch (const base::FileError&) {
    }
    try {
      writer.finish({});  // nothing more is appended after what failed
      wrong |= 16;
    } catch (const base::FileError&) {
    }
    _exit(wrong);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files_in_folder(), 2u);  // no temporary file stays
}

// What was whole before the disk was full is still read.
TEST_F(SessionFile, WhatWasAppendedBeforeTheDiskWasFullIsKept) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    trace::Trace trace;
    const LaneId lane = trace.add_lane(cpu_lane(LaneKind::Calls, "calls"));
    SessionWriter writer(file("live.lanescope"), trace);
    const rlimit limit{50'000, 50'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::mt19937 random(1);
    Nanoseconds t = 0;
    try {
      for (int step = 0; step < 1'000; ++step) {
        for (int i = 0; i < 100; ++i) {
          t += 10 + static_cast<Nanoseconds>(random() % 100'000);
          trace.append(
              make_event(trace, lane, EventKind::Call, "call", t, t + 5, static_cast<std::uint32_t>(random())));
        }
        trace.publish();
        trace.set_complete_until(t);
        writer.append({});
      }
    } catch (const base::FileError&) {
      _exit(3);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 3);
  const OpenedTrace opened = read_trace(file("live.lanescope"));
  EXPECT_GT(opened.events_read, 1'000u);
  EXPECT_EQ(opened.events_read % 100, 0u);
  EXPECT_THAT(opened.incomplete, HasSubstr("still being written"));
}

TEST_F(SessionFile, SurvivesKillAtAnyMoment) {
  for (int round = 0; round < 5; ++round) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      trace::Trace trace;
      const LaneId lane = trace.add_lane(cpu_lane(LaneKind::Calls, "calls"));
      SessionWriter writer(file("live.lanescope"), trace);
      for (Nanoseconds step = 0;; ++step) {
        for (int i = 0; i < 100; ++i) {
          const Nanoseconds t = (step * 100 + i) * 10;
          trace.append(make_event(trace, lane, EventKind::Call, "call", t, t + 5));
        }
        trace.publish();
        trace.set_complete_until((step + 1) * 1'000);
        writer.append({});
        const char byte = 0;
        if (::write(ready[1], &byte, 1) != 1) _exit(1);  // this step must be there
      }
    }
    close(ready[1]);
    std::uint64_t steps = 0;
    char byte = 0;
    while (steps < 20 + static_cast<std::uint64_t>(round) * 7 && ::read(ready[0], &byte, 1) == 1) ++steps;
    kill(child, SIGKILL);
    while (::read(ready[0], &byte, 1) == 1) ++steps;
    waitpid(child, nullptr, 0);
    close(ready[0]);
    const OpenedTrace opened = read_trace(file("live.lanescope"));
    EXPECT_GE(opened.events_read, steps * 100);
    EXPECT_LE(opened.events_read, (steps + 1) * 100);
    EXPECT_NE(opened.incomplete, "");
  }
}

}  // namespace
}  // namespace lanescope::io
