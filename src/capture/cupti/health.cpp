#include "capture/cupti/health.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/translate.h"

namespace lanescope::capture::cupti {
namespace {

using base::tr;
using trace::CaptureState;

bool driver_library_is_there() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver) dlclose(driver);
  return driver != nullptr;
}

}  // namespace

std::string result_text(const CuptiTable& table, CUptiResult result) {
  const char* text = nullptr;
  if (table.get_result_string && table.get_result_string(result, &text) == CUPTI_SUCCESS && text) return text;
  return tr("CUPTI error {}", static_cast<int>(result));
}

std::string library_text(const CuptiTable& table) {
  const std::string file = table.path.substr(table.path.rfind('/') + 1);  // npos + 1 is 0
  return fmt::format("{} (API {})", file.empty() ? "CUPTI" : file, table.version);
}

Verdict refusal(const CuptiTable& table, CUptiResult result, const std::string& incumbent) {
  const std::string code = result_text(table, result);
  switch (static_cast<int>(result)) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      if (!incumbent.empty()) {
        return {CaptureState::Busy, tr("another profiler is using CUPTI: {}", incumbent)};
      }
      return {CaptureState::Busy,
              tr("another profiler or debugger is using CUPTI (Nsight, torch.profiler, cuda-gdb, ...): close it")};
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return {CaptureState::Denied, tr("the system does not permit tracing ({}): an administrator can allow it", code)};
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return {CaptureState::Unsupported, tr("this virtual GPU cannot be traced ({})", code)};
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return {CaptureState::Unsupported, tr("a GPU in confidential computing mode cannot be traced ({})", code)};
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return {CaptureState::Unsupported, tr("a part of a GPU (MIG) cannot be traced ({})", code)};
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return {CaptureState::Unsupported, tr("a GPU under WSL cannot be traced ({})", code)};
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
      return {CaptureState::Unsupported, tr("this GPU or its mode cannot be traced ({})", code)};
    case CUPTI_ERROR_UNKNOWN:
    case CUPTI_ERROR_NOT_INITIALIZED:
      if (!driver_library_is_there()) {
        return {CaptureState::Unavailable, tr("there is no NVIDIA driver (no libcuda.so.1; {})", code)};
      }
      return {CaptureState::Unavailable, tr("CUPTI cannot start: no GPU, or a driver too old for it ({})", code)};
    default:
      return {CaptureState::Unavailable, tr("CUPTI cannot start ({})", code)};
  }
}

// --- watch -----------------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// Counts only time in which there were calls: a single wait of a minute does not count.
constexpr std::int64_t kSilence = 2 * kSecond;
constexpr std::int64_t kLongestLook = kSecond;  // maximum counted between two checks

std::int64_t realtime_ns() {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}

}  // namespace

void Watch::look(const CuptiTable& table, std::int64_t now_ns, std::uint64_t calls, std::uint64_t buffers,
                 std::uint64_t clock_steps) {
  look_for_buffers(now_ns, calls, buffers);
  look_at_clock(table, clock_steps);
}

void Watch::look_for_buffers(std::int64_t now_ns, std::uint64_t calls, std::uint64_t buffers) {
  if (buffers != buffers_ || last_look_ns_ == 0) {
    last_buffer_ns_ = now_ns;
    with_calls_ns_ = 0;
    silent_since_ns_.store(0, std::memory_order_relaxed);
  } else if (calls != calls_) {
    with_calls_ns_ += std::min(now_ns - last_look_ns_, kLongestLook);
    if (with_calls_ns_ > kSilence && silent_since_ns() == 0) {
      silent_since_ns_.store(last_buffer_ns_, std::memory_order_relaxed);
    }
  }
  buffers_ = buffers;
  calls_ = calls;
  last_look_ns_ = now_ns;
}

// A clock that was never the system's belongs to another platform (WSL). One that changes before the first record has
// merely settled. One that changes while records arrive belongs to someone else's callback.
void Watch::look_at_clock(const CuptiTable& table, std::uint64_t clock_steps) {
  std::uint64_t stamp = 0;
  const std::int64_t before = realtime_ns();
  if (table.get_timestamp(&stamp) != CUPTI_SUCCESS) return;
  const std::int64_t after = realtime_ns();
  const auto cupti = static_cast<std::int64_t>(stamp);
  const bool outside = cupti < before - kSecond || cupti > after + kSecond;
  outside_ = outside ? outside_ + 1 : 0;
  clock_was_ours_ = clock_was_ours_ || !outside;
  if (clock_was_ours_ && outside_ >= 2 && clock_steps > 0) foreign_clock_.store(true, std::memory_order_relaxed);
}

}  // namespace lanescope::capture::cupti
