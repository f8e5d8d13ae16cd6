#include "app/screen.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::app {
namespace {

using base::tr;

[[noreturn]] void refuse_window() {
  throw base::UsageError(tr("this build for servers has no window; allowed: run, calibrate, list, report"));
}

}  // namespace

void check_window(const WindowRequest&) { refuse_window(); }
void show_window(const WindowRequest&) { refuse_window(); }
std::string measure_window(WindowMeasure, const WindowRequest&) { refuse_window(); }

class Painter::Canvas {};

Painter::Painter() {
  throw base::UsageError(
      tr("--screenshot: this build for servers draws no pictures; write a --trace and open it elsewhere"));
}
Painter::~Painter() = default;
void Painter::write(const std::filesystem::path&, std::span<const Part>) {}

}  // namespace lanescope::app
