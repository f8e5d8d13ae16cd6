#include "app/graphics.h"

#include <fmt/format.h>

#include "app/version_text.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::app {
namespace {

using base::tr;

[[noreturn]] void refuse_window() {
  throw base::UsageError(
      tr("this server build has no window; allowed: run, sweep, calibrate, list, report, lesson, grade"));
}

[[noreturn]] void refuse_pictures(const char* instead) {
  throw base::UsageError(tr("--screenshot: this server build draws no pictures; {}", instead));
}

}  // namespace

void check_window(const WindowRequest&) { refuse_window(); }
void show_window(const WindowRequest&) { refuse_window(); }
std::string measure_window(WindowMeasure, const WindowRequest&) { refuse_window(); }

std::string window_libraries() { return tr("none: a server build"); }

void check_picture(const PictureOptions&) {}

class Painter::Canvas {};

Painter::Painter(const PictureOptions&) { refuse_pictures(tr("write a --trace and open it elsewhere")); }
Painter::~Painter() = default;
void Painter::write(std::span<const Part>) {}

TimelineSvg draw_timeline(const TimelineView&) { return {}; }

class SweepPainter::Canvas {};

SweepPainter::SweepPainter(const PictureOptions&) { refuse_pictures(tr("write --csv and draw it elsewhere")); }
SweepPainter::~SweepPainter() = default;
void SweepPainter::write(const experiment::SweepSpec&, std::span<const experiment::SweepPoint>, const std::string&,
                         const std::string&) {}

}  // namespace lanescope::app
