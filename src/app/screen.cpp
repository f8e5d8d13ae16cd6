#include "app/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "io/png.h"
#include "ui/gl/offscreen.h"
#include "ui/picture.h"
#include "ui/sweep_picture.h"
#include "ui/theme.h"
#include "ui/window.h"

namespace lanescope::app {
namespace {

constexpr double kMeasuredSeconds = 10;
constexpr int kShownIterations = 4;

ui::WindowOptions options_of(const WindowRequest& request) {
  ui::WindowOptions options;
  options.session = request.session;
  options.experiment = request.experiment;
  options.plain = request.plain;
  if (!request.open.empty()) options.open = request.open;
  if (!request.theme.empty()) options.theme = ui::parse_theme(request.theme);
  options.shader_dir = request.shader_dir;
  return options;
}

}  // namespace

void check_window(const WindowRequest& request) { options_of(request); }

void show_window(const WindowRequest& request) {
  ui::Window window(options_of(request));
  if (!request.experiment.empty()) {
    if (request.side == experiment::Side::After) window.shell().show_side(request.side);
    if (!request.session.assignments.empty()) {
      const std::string refused = window.shell().state().model.assign(request.session.assignments);
      if (!refused.empty()) throw base::UsageError(refused);
    }
  }
  while (window.frame()) {
  }
}

std::string measure_window(WindowMeasure what, const WindowRequest& request) {
  const ui::WindowOptions options = options_of(request);
  if (what == WindowMeasure::Rest) {
    return fmt::format("{{\"cpu_fraction\": {}}}\n", ui::measure_rest(options, kMeasuredSeconds));
  }
  const ui::FrameMeasurement frames = ui::measure_frames(options, kMeasuredSeconds);
  return fmt::format("{{\"frames_per_second\": {}, \"p99_ms\": {}}}\n", frames.frames_per_second, frames.p99_ms);
}

class Painter::Canvas {
 private:
  ui::OffscreenContext context_;
};

Painter::Painter() : canvas_(std::make_unique<Canvas>()) {}
Painter::~Painter() = default;

void Painter::write(const std::filesystem::path& path, std::span<const Part> parts) {
  ui::PictureRequest picture;
  for (const Part& part : parts) {
    ui::PicturePart& drawn = picture.parts.emplace_back();
    drawn.trace = &part.run->trace();
    std::tie(drawn.from_ns, drawn.to_ns) = ui::typical_range(part.run->trace(), kShownIterations);
    drawn.title = part.title;
    drawn.summary = part.run->figures().summary;
    drawn.facts = part.run->facts();
  }
  // At one time scale the eye compares lengths.
  base::Nanoseconds span = 0;
  for (const ui::PicturePart& part : picture.parts) span = std::max(span, part.to_ns - part.from_ns);
  for (ui::PicturePart& part : picture.parts) part.to_ns = part.from_ns + span;
  io::write_png(path, ui::draw_picture(picture), ui::picture_text(picture));
}

class SweepPainter::Canvas {
 private:
  ui::OffscreenContext context_;
};

SweepPainter::SweepPainter() : canvas_(std::make_unique<Canvas>()) {}
SweepPainter::~SweepPainter() = default;

void SweepPainter::write(const std::filesystem::path& path, const experiment::SweepSpec& spec,
                         std::span<const experiment::SweepPoint> points, const std::string& unit,
                         const std::string& headline) {
  const ui::SweepPicture picture{.spec = spec, .points = points, .unit = unit, .headline = headline};
  io::write_png(path, ui::draw_sweep_picture(picture), ui::sweep_picture_text(picture));
}

}  // namespace lanescope::app
