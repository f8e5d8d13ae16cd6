#include <windows.h>
// windows.h first
#include <shellapi.h>

#include "base/platform/open_folder.h"

namespace lanescope::base {

bool open_folder(const std::filesystem::path& folder) {
  // More than 32 is success.
  return reinterpret_cast<INT_PTR>(::ShellExecuteW(nullptr, L"open", folder.c_str(), nullptr, nullptr, SW_SHOWNORMAL)) >
         32;
}

}  // namespace lanescope::base
