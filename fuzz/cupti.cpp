// CUPTI's activity records. Walking a buffer is CUPTI's own; what is in a record is the input's: its kind (one byte),
// whether its times are far off (one byte), then its bytes.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "buffer_builder.h"
#include "capture/cupti/decoder.h"
#include "capture/recorder.h"
#include "examine.h"

using namespace lanescope;

namespace {

namespace cupti = capture::cupti;

constexpr base::Nanoseconds kNow = 100 * base::kSecond;
constexpr std::size_t kMostRecords = 400;

constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_RUNTIME,  CUPTI_ACTIVITY_KIND_DRIVER,          CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_KERNEL,   CUPTI_ACTIVITY_KIND_MEMCPY,          CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET,   CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_CUDA_EVENT,
    CUPTI_ACTIVITY_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_CONTEXT,         CUPTI_ACTIVITY_KIND_STREAM,
    CUPTI_ACTIVITY_KIND_NAME};

// CUPTI's own texts, and its clock's times as they are while a program runs, unless the input wants others.
constexpr const char* kNames[] = {"kernel", "_Z6kernelPf", "", "void f<float>(float*)", "_ZN\xff\xfe", nullptr};

template <typename Record>
void put_right(Record& record, bool far_off) {
  if (far_off) return;
  record.start %= 2 * static_cast<std::uint64_t>(kNow);
  record.end %= 2 * static_cast<std::uint64_t>(kNow);
}

template <typename Record>
Record& as(std::uint8_t* bytes) {
  return *reinterpret_cast<Record*>(bytes);
}

/// One buffer, whose records begin at multiples of eight bytes.
std::vector<std::uint64_t> buffer_of(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> words;
  for (std::size_t n = 0; size >= 2 && n < kMostRecords; ++n) {
    const CUpti_ActivityKind kind = kKinds[data[0] % std::size(kKinds)];
    const bool far_off = data[1] % 16 == 15;
    const std::uint8_t choice = data[1];
    data += 2;
    size -= 2;
    const std::size_t bytes = cupti::test::record_size(kind);
    const std::size_t taken = std::min(bytes, size), at = words.size();
    words.resize(at + (bytes + 7) / 8);
    auto* record = reinterpret_cast<std::uint8_t*>(words.data() + at);
    std::memcpy(record, data, taken);
    data += taken;
    size -= taken;
    std::memcpy(record, &kind, sizeof kind);
    switch (kind) {
      case CUPTI_ACTIVITY_KIND_RUNTIME:
      case CUPTI_ACTIVITY_KIND_DRIVER:
        put_right(as<CUpti_ActivityAPI>(record), far_off);
        break;
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      case CUPTI_ACTIVITY_KIND_KERNEL:
        put_right(as<CUpti_ActivityKernel10>(record), far_off);
        as<CUpti_ActivityKernel10>(record).name = kNames[choice / 16 % std::size(kNames)];
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        put_right(as<CUpti_ActivityMemcpy6>(record), far_off);
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        put_right(as<CUpti_ActivityMemcpyPtoP4>(record), far_off);
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        put_right(as<CUpti_ActivityMemset4>(record), far_off);
        break;
      case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        put_right(as<CUpti_ActivitySynchronization2>(record), far_off);
        break;
      case CUPTI_ACTIVITY_KIND_OVERHEAD:
        put_right(as<CUpti_ActivityOverhead3>(record), far_off);
        as<CUpti_ActivityOverhead3>(record).overheadData = choice / 16 % 2 == 0 ? nullptr : std::malloc(16);
        break;
      default:
        break;
    }
  }
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  cupti::CuptiTable table;
  table.get_next_record = &cupti::test::walk;
  table.get_callback_name = &cupti::test::name_call;
  table.version = CUPTI_API_VERSION;
  base::Nanoseconds now = kNow;
  trace::Trace trace(std::size_t{64} << 20);
  capture::Recorder recorder(trace, capture::WhenFull::Direct);
  capture::Counts counts;
  {
    cupti::Decoder decoder(
        table, recorder,
        cupti::ClockMap({.cupti_ns = [&] { return static_cast<std::uint64_t>(now); }, .trace_ns = [&] { return now; }}),
        counts);
    decoder.set_main_thread(data[0]);
    // In two buffers, between which the clock goes on.
    const std::size_t first = size * data[1] / 256;
    for (const auto& [from, count] : {std::pair{data, first}, std::pair{data + first, size - first}}) {
      std::vector<std::uint64_t> words = buffer_of(from, count);
      decoder.take(reinterpret_cast<std::uint8_t*>(words.data()), words.size() * sizeof(std::uint64_t));
      capture::Progress progress;
      progress.asked_ns = now;
      decoder.advance(progress);
      now += base::kSecond;
    }
    decoder.finish();
    fuzz::expect(counts.pending == 0, "records that are never written");
  }
  recorder.flush();
  fuzz::examine(trace, {}, fuzz::text_of(data, size));
  return 0;
}
