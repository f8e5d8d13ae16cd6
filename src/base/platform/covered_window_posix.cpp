#if __has_include(<xcb/xcb.h>)
#include <cstdlib>

#include "base/platform/covered_window.h"
#include "base/platform/xcb_posix.h"

namespace lanescope::base {

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

}  // namespace lanescope::base
#else
#include "base/platform/covered_window.h"

namespace lanescope::base {

struct CoveredWindow::X11 {};

CoveredWindow::CoveredWindow(unsigned long) {}
CoveredWindow::~CoveredWindow() = default;
bool CoveredWindow::covered() { return false; }

}  // namespace lanescope::base
#endif
