// Whether other windows cover one of ours completely, where the system says so.
#pragma once

#include <memory>

namespace lanescope::base {

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

}  // namespace lanescope::base
