#include <windows.h>

#include <array>
#include <cerrno>

#include "base/platform/files.h"
#include "base/platform/paths.h"
#include "base/platform/run_program.h"
#include "base/platform/wide_windows.h"

namespace lanescope::base {
namespace {

// As CommandLineToArgvW() takes it apart again: backslashes count only before a quote.
std::wstring quoted(const std::string& word) {
  std::wstring result = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t c : wide(word)) {
    if (c == L'"') result.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    result += c;
  }
  result.append(backslashes, L'\\');
  return result + L'"';
}

struct CloseHandleOf {
  using pointer = HANDLE;
  void operator()(HANDLE handle) const { ::CloseHandle(handle); }
};
using Handle = std::unique_ptr<HANDLE, CloseHandleOf>;

/// A file that is gone when it is closed, and that a child inherits.
Handle temporary_file() {
  const std::filesystem::path folder = make_temporary_folder("lanescope-run");
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  HANDLE const file = ::CreateFileW((folder / "file").c_str(), GENERIC_READ | GENERIC_WRITE | DELETE,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inherited, CREATE_NEW,
                                    FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
  return Handle(file == INVALID_HANDLE_VALUE ? nullptr : file);
}

}  // namespace

ProgramRun run_program(const std::vector<std::string>& command, const RunOptions& options) {
  ProgramRun run;
  const Handle in = temporary_file(), out = temporary_file();
  DWORD count = 0;
  if (!in || !out ||
      !::WriteFile(in.get(), options.in.data(), static_cast<DWORD>(options.in.size()), &count, nullptr)) {
    run.error = EIO;
    return run;
  }
  ::SetFilePointer(in.get(), 0, nullptr, FILE_BEGIN);
  std::wstring line;
  for (const std::string& word : command) line += (line.empty() ? L"" : L" ") + quoted(word);
  STARTUPINFOW start{};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = in.get();
  start.hStdOutput = out.get();
  start.hStdError = options.quiet ? nullptr : ::GetStdHandle(STD_ERROR_HANDLE);
  PROCESS_INFORMATION process{};
  if (!::CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, CREATE_NO_WINDOW, nullptr, nullptr, &start,
                        &process)) {
    run.error = ::GetLastError() == ERROR_ACCESS_DENIED ? EACCES : ENOENT;
    return run;
  }
  const Handle child(process.hProcess), thread(process.hThread);
  constexpr DWORD kPause = 10;
  while (::WaitForSingleObject(child.get(), options.enough ? kPause : INFINITE) == WAIT_TIMEOUT) {
    if (!options.enough()) continue;
    run.killed = true;
    ::TerminateProcess(child.get(), 1);
    ::WaitForSingleObject(child.get(), INFINITE);
  }
  DWORD status = 0;
  ::GetExitCodeProcess(child.get(), &status);
  run.status = static_cast<int>(status);
  ::SetFilePointer(out.get(), 0, nullptr, FILE_BEGIN);
  std::array<char, 4096> buffer{};
  while (::ReadFile(out.get(), buffer.data(), static_cast<DWORD>(buffer.size()), &count, nullptr) && count > 0) {
    run.out.append(buffer.data(), count);
  }
  return run;
}

}  // namespace lanescope::base
