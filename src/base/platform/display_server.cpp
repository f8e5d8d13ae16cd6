#include "base/platform/display_server.h"

#if __has_include(<xcb/xcb.h>)
#include <xcb/xcb.h>
#endif

#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

#include "base/platform/system.h"

namespace lanescope::base {

#if __has_include(<xcb/xcb.h>)
// libxcb is opened at run time: the program also starts where there is none.
struct CoveredWindow::X11 {
  decltype(&::xcb_connect) connect = nullptr;
  decltype(&::xcb_disconnect) disconnect = nullptr;
  decltype(&::xcb_connection_has_error) connection_has_error = nullptr;
  decltype(&::xcb_change_window_attributes) change_window_attributes = nullptr;
  decltype(&::xcb_flush) flush = nullptr;
  decltype(&::xcb_poll_for_event) poll_for_event = nullptr;
  xcb_connection_t* connection = nullptr;
  bool covered = false;

  X11() {
    std::string ignored;
    void* const library = open_library("libxcb.so.1", ignored);
    const auto find = [&](auto& function, const char* name) {
      function = find_function<std::remove_reference_t<decltype(function)>>(library, name);
      return function != nullptr;
    };
    if (library != nullptr && find(connect, "xcb_connect") && find(disconnect, "xcb_disconnect") &&
        find(connection_has_error, "xcb_connection_has_error") &&
        find(change_window_attributes, "xcb_change_window_attributes") && find(flush, "xcb_flush") &&
        find(poll_for_event, "xcb_poll_for_event")) {
      connection = connect(nullptr, nullptr);
    }
  }
  ~X11() {
    if (connection != nullptr) disconnect(connection);
  }
  X11(const X11&) = delete;
  X11& operator=(const X11&) = delete;
};

CoveredWindow::CoveredWindow(unsigned long x11_window) {
  if (x11_window == 0) return;
  // GLFW does not report how visible a window is; a second connection can ask for it, too.
  auto x11 = std::make_unique<X11>();
  if (x11->connection == nullptr || x11->connection_has_error(x11->connection)) return;
  const std::uint32_t events = XCB_EVENT_MASK_VISIBILITY_CHANGE;
  x11->change_window_attributes(x11->connection, static_cast<xcb_window_t>(x11_window), XCB_CW_EVENT_MASK, &events);
  x11->flush(x11->connection);
  x11_ = std::move(x11);
}

CoveredWindow::~CoveredWindow() = default;

bool CoveredWindow::covered() {
  while (xcb_generic_event_t* event = x11_ ? x11_->poll_for_event(x11_->connection) : nullptr) {
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
