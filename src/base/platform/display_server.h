// The display that shows the window: whether other windows cover it, and that it can go away: its server ends or is
// killed, or the connection to it breaks.
#pragma once

#include <memory>

namespace lanescope::base {

/// Whether other windows cover one of ours completely, where the system says so.
class CoveredWindow {
 public:
  /// The number of a window on the X server of DISPLAY; 0: none, which is never covered.
  explicit CoveredWindow(unsigned long x11_window);
  ~CoveredWindow();
  CoveredWindow(const CoveredWindow&) = delete;
  CoveredWindow& operator=(const CoveredWindow&) = delete;
  /// It only checks a socket.
  bool covered();

 private:
  struct X11;
  std::unique_ptr<X11> x11_;  // null: not on X11
};

/// From now on `what_to_do` is called then, once, on the thread that talked to the display; the program ends
/// afterwards, because the system's library cannot go on. It must not use the display. Only X11 has this.
void when_display_goes(void (*what_to_do)());

}  // namespace lanescope::base
