#include "shell/picture_state.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"
#include "render/draw_pictures.h"
#include "shell/presenting.h"
#include "shell/scope.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr double kAround = 0.3;      // share of the selection, on either side
constexpr double kAroundAlone = 1;   // if nothing is related to it
constexpr int kPreviewWidth = 1100;  // pixels, about

// Hides the rows that are shown but not selected, including the run-ahead curve.
void keep_lanes(LaneLayout& layout, const Timeline& timeline, const std::vector<trace::LaneId>& wanted) {
  for (const LanePlace& place : timeline.places()) {
    if (place.lane && std::find(wanted.begin(), wanted.end(), *place.lane) != wanted.end()) continue;
    LaneChoice choice = layout.choice(place.key);
    choice.hidden = true;
    layout.set(place.key, choice);
  }
}

// As in the window, but only of GPUs that communicate.
PictureJob job_of(const ShellState& state) {
  const JobState& job = state.job;
  if (!job.visible() || !job.has_ranks() || answers_hidden(state)) return {};
  return {&job.collectives(), job.bands(), job.selected, job.heading(), job.sentence()};
}

PicturePart part_of(const ShellState& state, const PictureMoment& moment) {
  const Model& model = state.model;
  PicturePart part;
  part.trace = &model.trace();
  part.analysis = &model.analysis();
  part.from_ns = moment.from;
  part.to_ns = moment.to;
  part.live_edge = model.live_edge();
  part.summary = state.selection.range && state.range_figures.job.answer ? state.range_figures.job.answer->summary
                                                                         : model.recent();
  part.facts = model.facts();
  PictureOverlay& over = part.over;
  over.layout = state.lanes;
  over.selection = state.selection;
  over.marks = state.marks;
  over.marks.open.reset();
  over.marks.editing.reset();
  over.cause = state.cause;
  over.cause.highlight = {};  // that belongs to the mouse position
  over.found = &state.search;
  over.label_origin = moment.label_origin;
  over.open_calls = model.open_calls();
  over.now = model.now();
  over.colouring = state.colours.colouring;
  over.job = job_of(state);
  if (state.view.trigger_instant() == moment.label_origin) over.trigger = moment.label_origin;
  if (shows_average(state)) {
    over.average = &state.scope.picture;
    over.average_at = moment.label_origin;
  }
  return part;
}

}  // namespace

std::pair<Nanoseconds, Nanoseconds> picture_range(const Selection& selection, const CausePath& path,
                                                  std::pair<Nanoseconds, Nanoseconds> extent) {
  if (selection.range) return *selection.range;
  Nanoseconds from = 0, to = 0;
  int count = 0;
  const auto take = [&](Nanoseconds start, Nanoseconds end) {
    from = count == 0 ? start : std::min(from, start);
    to = count == 0 ? end : std::max(to, end);
    ++count;
  };
  if (selection.event) take(selection.event->event.start_ns, selection.event->event.end_ns);
  if (selection.bubble) take(selection.bubble->start_ns, selection.bubble->end_ns);
  if (selection.linked) take(selection.linked->event.start_ns, selection.linked->event.end_ns);
  for (const auto& event : {path.wait, path.last_operation, path.its_launch, path.next_launch, path.next_operation}) {
    if (event) take(event->event.start_ns, event->event.end_ns);
  }
  if (path.bubble) take(path.bubble->start_ns, path.bubble->end_ns);
  const double around = static_cast<double>(to - from) * (count > 1 ? kAround : kAroundAlone);
  const auto margin = std::max<Nanoseconds>(10, std::llround(around));
  // Never beyond the known extent, but always including the selection.
  return {std::min(from, std::max(from - margin, extent.first)), std::max(to, std::min(to + margin, extent.second))};
}

PictureMoment picture_moment(const ShellState& state) {
  const TimeAxis& axis = state.view.axis();
  PictureMoment moment{axis.begin_ns(), axis.end_ns(), state.view.label_origin(), state.model.generation()};
  // Leave out what is not known yet; an average is complete as it is.
  if (!shows_average(state) && state.model.open_calls().empty()) {
    moment.to = std::min(moment.to, std::max(state.model.live_edge(), moment.from + 1));
  }
  return moment;
}

PictureRequest picture_request(const ShellState& state, const PictureChoices& choices, const PictureMoment& moment) {
  PictureRequest request;
  request.theme = choices.theme.value_or(state.preferences.theme);
  request.scale = choices.scale;
  request.caption = choices.caption;
  request.headline = base::tr(state.model.title());
  PicturePart& part = request.parts.emplace_back(part_of(state, moment));
  if (choices.subject != PictureSubject::Selection) return request;
  if (state.selection.empty()) {
    throw base::UsageError(tr("nothing is selected: click an event or a bubble, or drag over a range of the lanes"));
  }
  std::tie(part.from_ns, part.to_ns) = picture_range(state.selection, state.cause.path, state.model.extent());
  part.over.average = nullptr;  // the selection is from one iteration, not from the average
  if (state.selection.range) {
    part.over.selection.range.reset();  // it fills the whole picture
    part.over.label_origin = part.from_ns;
    if (!state.selection.lanes.empty()) {
      keep_lanes(part.over.layout, state.timeline, state.selection.lanes);
      part.over.job = {};
    }
  }
  return request;
}

ComparePicture comparison_picture(const ShellState& state, const PictureChoices& choices) {
  const CompareState& compare = state.comparison.state;
  if (!compare.b()) throw base::UsageError(tr("there are no A and B yet: pin a run as A, then turn a knob"));
  ComparePicture picture{compare.a(), compare.b(), compare.align};
  const CompareView& view = state.comparison.view;
  if (compare.open && view.version() == compare.version()) {
    picture.view = {view.axis().begin_ns(), view.axis().end_ns()};
  }
  picture.theme = choices.theme.value_or(state.preferences.theme);
  picture.scale = choices.scale;
  picture.caption = choices.caption;
  picture.colouring = state.colours.colouring;
  return picture;
}

PreviewKey preview_key(const ShellState& state) {
  PreviewKey key;
  key.choices = state.pictures.choices;
  key.choices.scale = 0;  // it looks the same at any scale, and as SVG
  key.choices.format = PictureFormat::Png;
  if (state.pictures.moment) key.moment = *state.pictures.moment;
  const Selection& selection = state.selection;
  key.event = selection.event;
  if (selection.bubble) key.bubble = selection.bubble->start_ns;
  key.range = selection.range;
  key.lanes = selection.lanes;
  key.figures = state.range_figures.job.answer.has_value();
  key.layout = state.lanes.version();
  key.marks = state.marks.version();
  for (const PinnedTooltip& pin : state.marks.pinned) key.pins.push_back({static_cast<float>(pin.id), pin.dx, pin.dy});
  key.found = state.search.found.size();
  key.averaged = state.scope.picture.count();
  key.theme = state.preferences.theme;
  key.colouring = state.colours.colouring;
  const PictureJob job = job_of(state);
  for (const JobBand& band : job.bands) key.bands.push_back(band.gpu);
  key.collective = job.selected;
  if (state.pictures.choices.subject == PictureSubject::Comparison) {
    key.compared = state.comparison.state.version();
    key.by_time = state.comparison.state.align == CompareAlign::Time;
    const TimeAxis axis = state.comparison.view.axis();
    key.compared_view = {axis.begin_ns(), axis.end_ns()};
  }
  return key;
}

void update_preview(ShellState& state) {
  PictureState& pictures = state.pictures;
  PicturePreview& preview = pictures.preview;
  PreviewKey key = preview_key(state);
  const bool same_look = preview.of == key;
  if (same_look && preview.scale == pictures.choices.scale) return;
  preview.scale = pictures.choices.scale;
  preview.of = std::move(key);
  preview.problem.clear();
  try {
    if (pictures.choices.subject == PictureSubject::Window) {
      if (!same_look)
        preview.texture.set(pictures.paint_window(1, preview.of->choices.theme.value_or(preview.of->theme)));
      preview.size = {static_cast<int>(std::lround(static_cast<float>(preview.texture.width()) * preview.scale)),
                      static_cast<int>(std::lround(static_cast<float>(preview.texture.height()) * preview.scale))};
      return;
    }
    if (pictures.choices.subject == PictureSubject::Comparison) {
      ComparePicture picture = comparison_picture(state, pictures.choices);
      preview.size = compare_picture_size(picture);
      if (same_look) return;
      picture.scale =
          std::max(kLeastPictureScale, static_cast<float>(kPreviewWidth) / static_cast<float>(picture.width));
      preview.texture.set(draw_compare_picture(picture));
      return;
    }
    PictureRequest request = picture_request(state, pictures.choices, *pictures.moment);
    preview.size = picture_size(request);
    if (same_look) return;
    request.scale = std::max(kLeastPictureScale, static_cast<float>(kPreviewWidth) / static_cast<float>(request.width));
    preview.texture.set(draw_picture(request));
  } catch (const base::Error& error) {
    preview.texture.clear();
    preview.problem = error.what();
  }
}

}  // namespace lanescope::ui
