#include <windows.h>
// After windows.h, which declares what it needs.
#include <commdlg.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

#include "base/platform/file_dialog.h"
#include "base/platform/wide_windows.h"

namespace lanescope::base {
namespace {

constexpr std::size_t kLongestPath = 32'768;

// "Traces (*.json)", "*.json;*.json.gz", each ended by a zero, and one more at the end.
std::wstring filter_of(const FileQuestion& question) {
  std::wstring patterns;
  for (const std::string& ending : question.endings) patterns += (patterns.empty() ? L"*" : L";*") + wide(ending);
  std::wstring filter = wide(question.kind) + L" (" + patterns + L")";
  filter += L'\0';
  filter += patterns;
  filter += L'\0';
  filter += L"*.*";
  filter += L'\0';
  filter += L"*.*";
  filter += L'\0';
  return filter;
}

FileAnswer ask(const FileQuestion& question) {
  std::error_code ignored;
  const std::filesystem::path start = std::filesystem::absolute(question.start, ignored);
  const std::wstring folder = (question.save ? start.parent_path() : start).wstring();
  const std::wstring filter = filter_of(question), title = wide(question.title);
  std::wstring name(kLongestPath, L'\0');
  if (question.save) start.filename().wstring().copy(name.data(), kLongestPath - 1);
  OPENFILENAMEW dialog{};
  dialog.lStructSize = sizeof dialog;
  dialog.lpstrFilter = filter.c_str();
  dialog.lpstrFile = name.data();
  dialog.nMaxFile = static_cast<DWORD>(name.size());
  dialog.lpstrInitialDir = folder.c_str();
  dialog.lpstrTitle = title.c_str();
  dialog.Flags = OFN_EXPLORER | OFN_NOCHANGEDIR | OFN_HIDEREADONLY |
                 (question.save ? OFN_OVERWRITEPROMPT | OFN_PATHMUSTEXIST : OFN_FILEMUSTEXIST);
  const bool chosen = (question.save ? ::GetSaveFileNameW(&dialog) : ::GetOpenFileNameW(&dialog)) != 0;
  if (!chosen) return {{}, ::CommDlgExtendedError() != 0};
  return {name.c_str(), false};
}

BOOL CALLBACK cancel(HWND window, LPARAM) {
  ::PostMessageW(window, WM_COMMAND, IDCANCEL, 0);
  return TRUE;
}

}  // namespace

bool has_file_dialog() { return true; }

FileAnswer ask_with_file_dialog(const FileQuestion& question, const std::function<bool()>& enough) {
  FileAnswer answer;
  std::atomic<bool> done{false};
  std::atomic<DWORD> number{0};
  std::thread thread([&] {
    number = ::GetCurrentThreadId();
    answer = ask(question);
    done = true;
  });
  while (!done) {
    constexpr std::chrono::milliseconds kPause{20};
    std::this_thread::sleep_for(kPause);
    if (enough() && number != 0) ::EnumThreadWindows(number, cancel, 0);
  }
  thread.join();
  return answer;
}

}  // namespace lanescope::base
