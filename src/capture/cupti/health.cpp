#include "capture/cupti/health.h"

#include <dlfcn.h>
#include <fmt/format.h>

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

}  // namespace lanescope::capture::cupti
