// A long run: memory stays bounded, and the decoder keeps up.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>

#include "buffer_builder.h"
#include "capture/cupti/decoder.h"
#include "decoder_rig.h"

namespace lanescope::capture::cupti::test {
namespace {

#if defined(LANESCOPE_SANITIZED) || !defined(NDEBUG)
constexpr std::uint64_t kRecords = 500'000;
constexpr bool kMeasured = false;
#else
constexpr std::uint64_t kRecords = 25'000'000;
constexpr bool kMeasured = true;
#endif

/// Counts, and checks the order on every lane.
class CountingSink final : public trace::EventSink {
 public:
  trace::LaneId lane(const trace::LaneInfo&) override { return static_cast<trace::LaneId>(lanes++); }
  trace::NameId name(std::string_view text) override { return names.intern(text); }
  std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<Writer>(*this); }

  base::NameTable names;
  int lanes = 0;
  std::uint64_t events = 0, blocking = 0, disorder = 0;
  std::array<Nanoseconds, 64> last{};

 private:
  class Writer final : public trace::EventWriter {
   public:
    explicit Writer(CountingSink& sink) : sink_(sink) {}
    void write(const trace::Event& event) noexcept override {
      ++sink_.events;
      sink_.blocking += trace::is_blocking(event);
      sink_.disorder += event.start_ns < sink_.last[event.lane];
      sink_.last[event.lane] = event.start_ns;
    }
    void complete_until(Nanoseconds) noexcept override {}

   private:
    CountingSink& sink_;
  };
};

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Ten launches with their kernels, a copy and a synchronisation with its record: 25 records in 25 us, a million per
// second. Correlation numbers wrap around on the way.
TEST(Soak, MillionsOfRecordsNeedNoMoreMemoryThanAFew) {
  constexpr Nanoseconds kRound = 25'000;
  constexpr std::uint64_t kPerRound = 25, kRoundsPerBuffer = 20;
  const CuptiTable table = reading_table();
  CountingSink sink;
  Counts counts;
  Nanoseconds now = kMs;
  Decoder decoder(table, sink, ClockMap({.cupti_ns = [&] { return stamp(now); }, .trace_ns = [&] { return now; }}),
                  counts);
  decoder.set_main_thread(kThread);

  Buffer buffer;
  std::uint32_t correlation = 0xFFFFFFFF - static_cast<std::uint32_t>(kRecords / 8);
  std::uint64_t made = 0, in_buffer = 0, resident_early = 0, resident_most = 0;
  std::chrono::nanoseconds decoding{0};
  for (std::uint64_t round = 0; made < kRecords; ++round) {
    const Nanoseconds t = kMs + static_cast<Nanoseconds>(round) * kRound;
    for (int i = 0; i < 10; ++i) {
      if (++correlation == 0) ++correlation;
      buffer.launch(t + i * 2000, t + i * 2000 + 1500, t + 1800 + i * 2000, t + 3500 + i * 2000, correlation);
    }
    if (++correlation == 0) ++correlation;
    buffer.call(Api::MemcpyAsync, t + 20'000, t + 20'500, correlation).copy({}, t + 22'000, t + 23'000, correlation);
    if (++correlation == 0) ++correlation;
    buffer.call(Api::StreamSync, t + 20'600, t + 24'000, correlation);
    buffer.sync(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, t + 20'700, t + 23'900, correlation, kStream);
    buffer.overhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, t, t + 10, kThread);
    made += kPerRound;
    if (++in_buffer < kRoundsPerBuffer) continue;
    in_buffer = 0;
    now = t + kRound;
    const auto begin = std::chrono::steady_clock::now();
    decoder.take(buffer.data(), buffer.size());
    if (round % 400 < kRoundsPerBuffer) decoder.advance({now, {kThread}, kForever});
    decoding += std::chrono::steady_clock::now() - begin;
    buffer.clear();
    if (round / kRoundsPerBuffer % 100 != 0) continue;
    const std::uint64_t resident = resident_bytes();
    // By then, 21 s of trace time, everything limited by time has been filled once.
    if (made > kRecords * 9 / 10 && resident_early == 0) resident_early = resident_most;
    resident_most = std::max(resident_most, resident);
  }
  decoder.finish();

  std::printf("[ soak     ] %llu records, %.0f ns each; %s; %.0f MB resident at most, %.1f MB more in the last tenth\n",
              static_cast<unsigned long long>(made), static_cast<double>(decoding.count()) / static_cast<double>(made),
              table.path.c_str(), static_cast<double>(resident_most) / 1e6,
              static_cast<double>(resident_most - resident_early) / 1e6);
  EXPECT_EQ(counts.received, made);
  EXPECT_EQ(counts.calls, made / 25 * 12);
  EXPECT_EQ(counts.operations, made / 25 * 11);
  EXPECT_EQ(sink.events, made / 25 * 23);
  EXPECT_EQ(sink.blocking, made / 25) << "every synchronisation, and nothing else";
  EXPECT_EQ(sink.disorder, 0u);
  EXPECT_EQ(counts.pending + counts.late + counts.launches_unmatched + counts.operations_unmatched, 0u);
  EXPECT_EQ(counts.duplicates + counts.clamped + counts.far_off + counts.before_call, 0u);
  if (kMeasured) {
    EXPECT_LT(resident_most, 400u << 20);
    EXPECT_LT(resident_most - resident_early, 4u << 20) << "it grows";
  }
}

}  // namespace
}  // namespace lanescope::capture::cupti::test
