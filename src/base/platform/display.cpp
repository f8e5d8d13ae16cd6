#include "base/platform/display.h"

#include <cstdlib>
#include <string>

#include "base/platform/library.h"
#if __has_include(<xcb/xcb.h>)
#include "base/platform/xcb.h"
#endif

namespace lanescope::base {

#if __has_include(<xcb/xcb.h>)
struct CoveredWindow::X11 {
  const Xcb& x;
  xcb_connection_t* connection;
  bool covered = false;

  explicit X11(const Xcb& functions) : x(functions), connection(x.connect(nullptr, nullptr)) {}
  ~X11() { x.disconnect(connection); }
  X11(const X11&) = delete;
  X11& operator=(const X11&) = delete;
};

CoveredWindow::CoveredWindow(unsigned long x11_window) {
  std::string ignored;
  const Xcb* const x = x11_window != 0 ? xcb(ignored) : nullptr;
  if (x == nullptr) return;
  // GLFW does not report how visible a window is; a second connection can ask for it, too.
  auto x11 = std::make_unique<X11>(*x);
  if (x->connection_has_error(x11->connection)) return;
  const std::uint32_t events = XCB_EVENT_MASK_VISIBILITY_CHANGE;
  x->change_window_attributes(x11->connection, static_cast<xcb_window_t>(x11_window), XCB_CW_EVENT_MASK, &events);
  x->flush(x11->connection);
  x11_ = std::move(x11);
}

CoveredWindow::~CoveredWindow() = default;

bool CoveredWindow::covered() {
  while (xcb_generic_event_t* event = x11_ ? x11_->x.poll_for_event(x11_->connection) : nullptr) {
    if ((event->response_type & 0x7f) == XCB_VISIBILITY_NOTIFY) {
      const auto* change = reinterpret_cast<const xcb_visibility_notify_event_t*>(event);
      x11_->covered = change->state == XCB_VISIBILITY_FULLY_OBSCURED;
    }
    std::free(event);
  }
  return x11_ && x11_->covered;
}
#else
struct CoveredWindow::X11 {};

CoveredWindow::CoveredWindow(unsigned long) {}
CoveredWindow::~CoveredWindow() = default;
bool CoveredWindow::covered() { return false; }
#endif

namespace {

void (*chosen)() = nullptr;

// What XSetIOErrorHandler takes; without libX11's headers, because it is opened at run time. Libx11 ends the program
// when this returns.
int on_error(void* /*display*/) {
  if (void (*const once)() = chosen) {
    chosen = nullptr;
    once();
  }
  return 0;
}

}  // namespace

void when_display_goes(void (*what_to_do)()) {
  using Handler = int (*)(void*);
  std::string why;
  void* const library = open_library("libX11.so.6", why);
  if (library == nullptr) return;
  if (const auto set = find_function<Handler (*)(Handler)>(library, "XSetIOErrorHandler")) {
    chosen = what_to_do;
    set(what_to_do != nullptr ? on_error : nullptr);
  }
}

}  // namespace lanescope::base
