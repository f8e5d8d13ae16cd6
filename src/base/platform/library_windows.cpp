#include <windows.h>

#include <system_error>

#include "base/platform/library.h"
#include "base/platform/wide_windows.h"

namespace lanescope::base {

void* open_library(const std::string& name, std::string& why) {
  HMODULE const library = ::LoadLibraryW(wide(name).c_str());
  if (library == nullptr) why = std::system_category().message(static_cast<int>(::GetLastError()));
  return library;
}

void* find_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace lanescope::base
