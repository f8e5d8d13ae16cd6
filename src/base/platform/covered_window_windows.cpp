#include "base/platform/covered_window.h"

namespace lanescope::base {

struct CoveredWindow::X11 {};

CoveredWindow::CoveredWindow(unsigned long) {}
CoveredWindow::~CoveredWindow() = default;
bool CoveredWindow::covered() { return false; }

}  // namespace lanescope::base
