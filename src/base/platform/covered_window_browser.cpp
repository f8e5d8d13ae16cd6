#include "base/platform/covered_window.h"

namespace lanescope::base {

// The browser draws no page that cannot be seen.
struct CoveredWindow::X11 {};

CoveredWindow::CoveredWindow(unsigned long) {}
CoveredWindow::~CoveredWindow() = default;
bool CoveredWindow::covered() { return false; }

}  // namespace lanescope::base
