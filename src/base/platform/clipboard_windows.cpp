#include <windows.h>
// After windows.h, which declares what they need.
#include <objidl.h>
#include <shlwapi.h>
// After both.
#include <gdiplus.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "base/platform/clipboard.h"
#include "base/translate.h"

namespace lanescope::base {
namespace {

class Open {
 public:
  Open() : window_(::CreateWindowExW(0, L"STATIC", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, nullptr, nullptr, nullptr)) {
    constexpr int kTries = 20;
    constexpr std::chrono::milliseconds kPause{50};
    for (int i = 0; i < kTries; ++i) {
      open_ = ::OpenClipboard(window_) != 0;
      if (open_) return;
      std::this_thread::sleep_for(kPause);
    }
  }
  ~Open() {
    if (open_) ::CloseClipboard();
    ::DestroyWindow(window_);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  explicit operator bool() const { return open_; }

 private:
  HWND window_;
  bool open_ = false;
};

bool put_bytes(UINT format, std::span<const std::uint8_t> bytes) {
  HGLOBAL const memory = ::GlobalAlloc(GMEM_MOVEABLE, bytes.size());
  if (memory == nullptr) return false;
  std::memcpy(::GlobalLock(memory), bytes.data(), bytes.size());
  ::GlobalUnlock(memory);
  if (::SetClipboardData(format, memory) != nullptr) return true;
  ::GlobalFree(memory);
  return false;
}

// For the many programs that know no PNG; from it, Windows makes the other kinds of bitmaps.
void put_bitmap(std::span<const std::uint8_t> png) {
  ULONG_PTR token = 0;
  const Gdiplus::GdiplusStartupInput input;
  if (Gdiplus::GdiplusStartup(&token, &input, nullptr) != Gdiplus::Ok) return;
  if (IStream* const stream = ::SHCreateMemStream(png.data(), static_cast<UINT>(png.size()))) {
    Gdiplus::Bitmap picture(stream);
    HBITMAP bitmap = nullptr;
    if (picture.GetHBITMAP(Gdiplus::Color(255, 255, 255), &bitmap) == Gdiplus::Ok &&
        ::SetClipboardData(CF_BITMAP, bitmap) == nullptr) {
      ::DeleteObject(bitmap);
    }
    stream->Release();
  }
  Gdiplus::GdiplusShutdown(token);
}

}  // namespace

// The system keeps what was copied, also when the program has ended.
void copy_png(std::span<const std::uint8_t> bytes) {
  const Open open;
  if (!open || !::EmptyClipboard() || !put_bytes(::RegisterClipboardFormatW(L"PNG"), bytes)) {
    throw FileError(tr("no clipboard: another program keeps it"));
  }
  put_bitmap(bytes);
}

}  // namespace lanescope::base
