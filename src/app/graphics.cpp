#include "app/graphics.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "app/version_text.h"
#include "base/crash_reports.h"
#include "base/error.h"
#include "base/translate.h"
#include "io/png.h"
#include "picture/compare_picture.h"
#include "picture/picture.h"
#include "picture/svg.h"
#include "render/draw_pictures.h"
#include "render/offscreen.h"
#include "shell/rescue.h"
#include "timeline/theme.h"
#include "timeline/timeline.h"
#include "window/measure.h"
#include "window/window.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

constexpr double kMeasuredSeconds = 10;
constexpr int kShownIterations = 4;
constexpr float kPictureScale = 2;  // for dense displays

ui::WindowOptions options_of(const WindowRequest& request) {
  ui::WindowOptions options;
  options.session = request.session;
  options.memory_cap_bytes = request.memory_cap_bytes;
  options.experiment = request.experiment;
  options.lesson = request.lesson;
  options.student = request.student;
  options.plain = request.plain;
  options.source = request.source;
  options.open = request.open;
  if (!request.theme.empty()) options.theme = ui::parse_theme(request.theme);
  options.language = request.language;
  options.shader_dir = request.shader_dir;
  return options;
}

ui::ThemeName theme_of(const std::string& name) { return name.empty() ? ui::ThemeName::Dark : ui::parse_theme(name); }

// Null if the run has recorded nothing.
ui::SharedSnapshot snapshot_of(const Painter::Part& part) {
  std::optional<ui::SnapshotPlan> plan =
      ui::plan_ended(part.run->trace(), part.run->analysis(), part.run->figures().summary);
  if (!plan) return nullptr;
  plan->facts = part.run->facts();
  plan->title = part.title.empty() ? workload::workload_info(plan->facts.workload).title : part.title;
  plan->label = part.label;
  return ui::take_snapshot(std::move(*plan));
}

// No headings, a low run-ahead curve, and lanes without events in the stretch as strips.
ui::LaneLayout low_layout(const trace::Trace& trace, base::Nanoseconds from, base::Nanoseconds to) {
  constexpr float kRunAheadHeight = 0.6f;
  ui::LaneLayout layout;
  layout.set_grouping(ui::LaneGrouping::None);
  layout.set(ui::kRunAheadKey, {.height = kRunAheadHeight});
  const std::vector<std::string> keys = ui::lane_keys(trace);
  for (std::size_t l = 0; l < keys.size(); ++l) {
    if (!ui::any_event(trace.lane(static_cast<trace::LaneId>(l)), from, to)) layout.set(keys[l], {.folded = true});
  }
  return layout;
}

}  // namespace

void check_window(const WindowRequest& request) { options_of(request); }

void show_window(const WindowRequest& request) {
  auto open = std::make_unique<ui::Window>(options_of(request));
  ui::Window& window = *open;
  if (!request.experiment.empty()) {
    if (request.side == experiment::Side::After) window.shell().show_side(request.side);
    if (!request.session.assignments.empty()) {
      const std::string refused = window.shell().state().model.assign(request.session.assignments);
      if (!refused.empty()) throw base::UsageError(refused);
    }
  }
  if (const auto report = base::take_new_crash_report(base::crash_folder())) {
    window.shell().state().crash_report = *report;
  }
  if (const auto run = ui::take_rescued_run(ui::rescue_folder())) window.shell().state().rescued_run = *run;
  window.run();
#ifdef __EMSCRIPTEN__
  [[maybe_unused]] const auto* const lives_on = open.release();  // the page goes on asking it for frames
#endif
}

std::string window_libraries() { return ui::library_versions(); }

std::string measure_window(WindowMeasure what, const WindowRequest& request) {
  const ui::WindowOptions options = options_of(request);
  if (what == WindowMeasure::Rest) {
    return fmt::format("{{\"cpu_fraction\": {}}}\n", ui::measure_rest(options, kMeasuredSeconds));
  }
  if (what == WindowMeasure::Start) {
    return fmt::format("{{\"first_picture_at_s\": {}}}\n", ui::measure_start(options));
  }
  const bool large = what == WindowMeasure::LargeFrames;
  const ui::FrameMeasurement frames =
      large ? ui::measure_large_frames(options, kMeasuredSeconds) : ui::measure_frames(options, kMeasuredSeconds);
  return fmt::format("{{\"frames_per_second\": {}, \"p99_ms\": {}}}\n", frames.frames_per_second, frames.p99_ms);
}

void check_picture(const PictureOptions& options) {
  const ui::PictureFormat format = ui::picture_format(options.file);
  if (format == ui::PictureFormat::Svg && options.content == PictureOptions::Content::Sweep) {
    throw base::UsageError(base::tr("{}: the chart of a sweep is a PNG; allowed ending: .png", options.file.string()));
  }
  theme_of(options.theme);
}

class Painter::Canvas {
 private:
  ui::OffscreenContext context_;
};

Painter::Painter(const PictureOptions& options) : options_(options) {
  if (ui::picture_format(options.file) == ui::PictureFormat::Png) canvas_ = std::make_unique<Canvas>();
}
Painter::~Painter() = default;

void Painter::write(std::span<const Part> parts) {
  if (parts.size() == 2 && write_both(parts[0], parts[1])) return;
  ui::PictureRequest picture;
  picture.theme = theme_of(options_.theme);
  picture.scale = kPictureScale;
  for (const Part& part : parts) {
    ui::PicturePart& drawn = picture.parts.emplace_back();
    drawn.trace = &part.run->trace();
    std::tie(drawn.from_ns, drawn.to_ns) = ui::typical_range(part.run->trace(), kShownIterations);
    drawn.title = part.title;
    if (!part.label.empty()) drawn.title += (part.title.empty() ? "" : ", ") + part.label;
    drawn.summary = part.run->figures().summary;
    drawn.facts = part.run->facts();
  }
  // The same time scale, so that lengths can be compared.
  base::Nanoseconds span = 0;
  for (const ui::PicturePart& part : picture.parts) span = std::max(span, part.to_ns - part.from_ns);
  for (ui::PicturePart& part : picture.parts) part.to_ns = part.from_ns + span;
  ui::write_picture(options_.file, picture);
}

// As A and B, like runs pinned in the window.
bool Painter::write_both(const Part& a, const Part& b) {
  ui::ComparePicture picture;
  picture.theme = theme_of(options_.theme);
  picture.scale = kPictureScale;
  picture.a = snapshot_of(a);
  picture.b = snapshot_of(b);
  if (!picture.a || !picture.b) return false;
  ui::write_compare_picture(options_.file, picture);
  return true;
}

TimelineSvg draw_timeline(const TimelineView& view) {
  ui::PictureRequest picture;
  picture.width = view.width;
  picture.caption = false;
  ui::PicturePart& part = picture.parts.emplace_back();
  part.trace = view.trace;
  part.analysis = view.analysis;
  part.from_ns = view.from_ns;
  part.to_ns = view.to_ns;
  part.facts = view.facts;
  if (view.low) part.over.layout = low_layout(*view.trace, view.from_ns, view.to_ns);
  if (view.path_to && view.analysis) part.over.cause.path = ui::cause_path(view.analysis->links(), *view.path_to);
  ui::ThemedSvg drawn = ui::draw_themed_svg(picture, view.prefix, view.alt);
  TimelineSvg timeline{std::move(drawn.svg), {}};
  for (const ui::ThemedSvg::Paint& paint : drawn.paints) timeline.paints.push_back({paint.dark, paint.light});
  return timeline;
}

class SweepPainter::Canvas {
 private:
  ui::OffscreenContext context_;
};

SweepPainter::SweepPainter(const PictureOptions& options) : options_(options), canvas_(std::make_unique<Canvas>()) {}
SweepPainter::~SweepPainter() = default;

void SweepPainter::write(const experiment::SweepSpec& spec, std::span<const experiment::SweepPoint> points,
                         const std::string& unit, const std::string& headline) {
  const ui::SweepPicture picture{.spec = spec,
                                 .points = points,
                                 .unit = unit,
                                 .headline = headline,
                                 .theme = theme_of(options_.theme),
                                 .scale = kPictureScale};
  io::write_png(options_.file, ui::draw_sweep_picture(picture), ui::sweep_picture_text(picture));
}

}  // namespace lanescope::app
