#include <windows.h>
// After windows.h, which declares what it needs.
#include <shellapi.h>

#include <array>
#include <memory>
#include <system_error>

#include "base/platform/paths.h"
#include "base/platform/wide_windows.h"

namespace lanescope::base {

namespace fs = std::filesystem;

fs::path path_of(std::string_view text) { return wide(text); }

std::string environment(const char* name) {
  const std::wstring wide_name = wide(name);
  std::wstring value(::GetEnvironmentVariableW(wide_name.c_str(), nullptr, 0), L'\0');
  if (value.empty()) return {};
  value.resize(::GetEnvironmentVariableW(wide_name.c_str(), value.data(), static_cast<DWORD>(value.size())));
  return narrow(value);
}

std::vector<std::string> command_words(int, const char* const*) {
  int count = 0;
  const std::unique_ptr<LPWSTR, decltype(&::LocalFree)> words(::CommandLineToArgvW(::GetCommandLineW(), &count),
                                                              ::LocalFree);
  std::vector<std::string> result;
  for (int i = 0; i < count; ++i) result.push_back(narrow(words.get()[i]));
  return result;
}

fs::path this_program() {
  constexpr DWORD kLongest = 32'768;
  std::wstring name(kLongest, L'\0');
  name.resize(::GetModuleFileNameW(nullptr, name.data(), kLongest));
  return name;
}

fs::path find_program(const char* name) {
  const std::string path = environment("PATH");
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(';', at), path.size());
    fs::path candidate = path_of(path.substr(at, end - at)) / wide(name);
    candidate += L".exe";
    if (candidate.is_absolute() && is_program(candidate)) return candidate;
    at = end + 1;
  }
  return {};
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace lanescope::base
