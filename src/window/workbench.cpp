// Where the parts of the window are, at a desk and in a presentation.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/time.h"
#include "render/labels.h"
#include "window/panels/compare/compare_panel.h"
#include "window/panels/details/details_panels.h"
#include "window/panels/lesson/lesson_panels.h"
#include "window/panels/lists/lists_panels.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/shell.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

constexpr ImGuiWindowFlags kPanel = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoBackground;

constexpr ImGuiWindowFlags kNoScroll = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

constexpr float kDetailsWidth = 352, kBand = 64, kLessonWidth = 330, kAboutWidth = 340, kStatus = 28, kLaneMargin = 16;
constexpr float kFindingsWidth = 380, kFindingsBelow = 0.35f;
constexpr float kRoomy = 960;  // height of a window in which the strip of the whole run is a plot

void panel(const char* id, const Rect& r, ImVec2 padding, ImGuiWindowFlags extra, const auto& draw, bool over = false) {
  ImGui::SetNextWindowPos({r.x, r.y});
  ImGui::SetNextWindowSize({r.width, r.height});
  // Keep the content's width when a scroll bar appears.
  if ((extra & ImGuiWindowFlags_NoScrollbar) == 0)
    ImGui::SetNextWindowContentSize({r.width - 2 * padding.x - ImGui::GetStyle().ScrollbarSize, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0f);
  // Those with this flag lie behind the others; what is drawn over the lanes must not.
  const ImGuiWindowFlags flags = over ? kPanel & ~ImGuiWindowFlags_NoBringToFrontOnFocus : kPanel;
  ImGui::Begin(id, nullptr, flags | extra);
  ImGui::PopStyleVar(3);
  draw();
  ImGui::End();
}

// The parts, from the top. Those that are not there have no height.
struct Areas {
  Rect top, knobs, band, lesson, buttons, notice, job, lanes, drawer, last, whole, details, status;
  bool wide = true, lists = true;
};

Areas areas_of(const Canvas& c) {
  const ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const bool upright = is_upright(s);
  const bool hidden = answers_hidden(state);  // and so are the plots, which would give the answer away
  Areas a;
  a.wide = is_wide(s);
  a.lists = !hidden && !state.comparison.state.open;
  float y = 0;
  const auto row = [&](Rect& r, float height) {
    r = {0, y, display.x, std::max(0.0f, height - 1)};
    y += height;
  };
  row(a.top, top_bar_height(s));
  row(a.knobs, state.model.nothing() ? 0 : knob_row_height(c));
  row(a.band, a.wide || state.model.nothing() ? 0 : kBand * s);
  const float bottom = display.y - kStatus * s;
  a.status = {0, bottom, display.x, kStatus * s};
  // A lesson is read: it has a column of its own, on an upright screen below the lanes.
  const bool lesson = state.lesson.on();
  const float lesson_height = lesson && upright ? std::floor((bottom - y) * 0.4f) : 0;
  const float left = lesson && !upright ? std::min(kLessonWidth * s, display.x * 0.3f) : 0;
  if (lesson) {
    const float buttons = lesson_buttons_height(c);
    const float lesson_y = upright ? bottom - lesson_height : y;
    const float width = upright ? display.x : left;
    a.lesson = {0, lesson_y, width, bottom - lesson_y - buttons - 1};
    a.buttons = {0, bottom - buttons, width, buttons - 1};
  }
  const float right = a.wide ? kDetailsWidth * s : 0;
  a.details = {display.x - right, y, right, bottom - y - 1};
  const float x = left > 0 ? left + 1 : 0;
  const float width = std::max(100.0f, display.x - x - (right > 0 ? right + 1 : 0));
  const float end = bottom - lesson_height;
  const auto column = [&](Rect& r, float from, float height) { r = {x, from, width, std::max(0.0f, height - 1)}; };
  const float notice = notice_height(state);
  column(a.notice, y, notice);
  y += notice;
  const float all = std::max(60.0f, end - y);
  const float whole = hidden ? 0 : minimap_height(state, display.y >= kRoomy * s);
  const float last = hidden || state.comparison.state.open ? 0 : last_iterations_height(state);
  const float job = !a.lists ? 0 : job_height(c, all - whole - last);
  const float drawer = a.lists ? drawer_height(state, all) : 0;
  column(a.job, y, job);
  y += job;
  column(a.lanes, y, end - y - drawer - last - whole);
  column(a.drawer, end - whole - last - drawer, drawer);
  column(a.last, end - whole - last, last);
  column(a.whole, end - whole, whole);
  return a;
}

}  // namespace

void Shell::draw_workbench(const Canvas& canvas) {
  const Theme& colours = canvas.theme;
  const float s = canvas.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const Areas a = areas_of(canvas);
  const float names = Timeline::kLabelWidth * s;
  state_.view.update(state_.model, a.lanes.x + names, a.lanes.width - names - kLaneMargin * s, base::now());
  show_asked_iteration(state_);
  update_scope(state_);
  // The line colour shows between the panels as hairlines.
  grounds_ = {{{0, 0, display.x, display.y}, colours[Colour::Line]}};
  for (const Rect& area : {a.top, a.knobs, a.band, a.details, a.status, a.lesson, a.buttons})
    if (area.width > 0 && area.height > 0) grounds_.push_back({area, colours[Colour::Panel]});
  for (const Rect& area : {a.job, a.lanes, a.drawer, a.last, a.whole})
    if (area.height > 0) grounds_.push_back({area, colours[Colour::Ground]});
  panel("##top", a.top, {16 * s, 9 * s}, kNoScroll, [&] { draw_top_bar(canvas); });
  if (shows_job_map(state_)) {
    const Rect room{0, a.top.y + a.top.height + 1, display.x, display.y - a.top.y - a.top.height - 1};
    const bool beside = is_wide(s);
    const float width = std::min(kFindingsWidth * s, room.width), height = std::floor(room.height * kFindingsBelow);
    const Rect findings = beside ? Rect{room.width - width, room.y, width, room.height}
                                 : Rect{0, room.y + room.height - height, room.width, height};
    const Rect map = beside ? Rect{0, room.y, room.width - width - 1, room.height}
                            : Rect{0, room.y, room.width, room.height - height - 1};
    grounds_.push_back({map, colours[Colour::Ground]});
    grounds_.push_back({findings, colours[Colour::Panel]});
    panel("##job_map", map, {0, 0}, kNoScroll, [&] { draw_job_map(canvas); });
    panel("##job_findings", findings, {20 * s, 0}, 0, [&] { draw_job_findings(canvas); });
    return;
  }
  if (state_.model.nothing() && a.notice.height <= 0) return;  // the opening panel shows the progress or the error
  if (a.knobs.height > 0) panel("##knobs", a.knobs, {0, 0}, kNoScroll, [&] { draw_knob_row(canvas); });
  if (a.band.height > 0) panel("##band", a.band, {0, 0}, kNoScroll, [&] { draw_verdict_band(canvas); });
  if (a.lesson.height > 0) {
    panel("##lesson", a.lesson, {16 * s, 0}, 0, [&] { draw_lesson(canvas); });
    panel("##buttons", a.buttons, {16 * s, 10 * s}, kNoScroll, [&] { draw_lesson_buttons(canvas); });
  }
  if (a.notice.height > 0) panel("##notice", a.notice, {0, 0}, kNoScroll, [&] { draw_notice(canvas); });
  if (state_.comparison.state.open) {
    panel("##compare", a.lanes, {0, 0}, kNoScroll, [&] { draw_compare(canvas); });
  } else {
    if (a.job.height > 0) panel("##job", a.job, {0, 0}, kNoScroll, [&] { draw_job(canvas); });
    panel("##timeline", a.lanes, {0, 0}, kNoScroll, [&] { draw_timeline(canvas); });
  }
  if (a.lists) panel("##plots", a.drawer, {0, 4 * s}, kNoScroll, [&] { draw_drawer(canvas); });
  if (a.last.height > 0) panel("##last", a.last, {0, 0}, kNoScroll, [&] { draw_last_iterations(canvas); });
  if (a.whole.height > 0) panel("##minimap", a.whole, {0, 0}, kNoScroll, [&] { draw_minimap(canvas); });
  if (a.wide) panel("##details", a.details, {20 * s, 0}, 0, [&] { draw_details(canvas); });
  panel("##status", a.status, {16 * s, 4 * s}, kNoScroll, [&] { draw_status_bar(canvas); });
  draw_drawers_over_lanes(canvas, {a.lanes.x, a.notice.y, a.lanes.width, a.status.y - a.notice.y});
}

// What the experiment, or the trace, is about, at the left; in a narrow window the selection, at the right.
void Shell::draw_drawers_over_lanes(const Canvas& canvas, const Rect& room) {
  const float s = canvas.scale;
  const bool opened = state_.about_open && !std::exchange(about_was_open_, state_.about_open);
  about_was_open_ = state_.about_open;
  const auto over = [&](const char* id, float x, const auto& draw) {
    const float width = std::min(kAboutWidth * s, room.width);
    const Rect r{x, room.y, width, room.height};
    panel(
        id, r, {16 * s, 0}, 0,
        [&] {
          ImDrawList& list = *ImGui::GetWindowDrawList();
          list.PushClipRect({r.x, r.y}, {r.x + r.width, r.y + r.height});  // ImGui cuts half of the padding off
          list.AddRectFilled({r.x, r.y}, {r.x + r.width, r.y + r.height}, canvas.theme[Colour::Panel]);
          list.AddRect({r.x, r.y}, {r.x + r.width, r.y + r.height}, canvas.theme[Colour::Line]);
          list.PopClipRect();
          if (shown_over_ != state_.model.generation() || opened) ImGui::SetScrollY(0);
          draw();
        },
        true);
  };
  if (state_.about_open && !state_.lesson.on()) over("##about", room.x, [&] { draw_knobs(canvas); });
  if (!is_wide(s) && !state_.selection.empty()) {
    over("##selected", std::max(room.x, room.x + room.width - kAboutWidth * s), [&] { draw_details(canvas); });
  }
  shown_over_ = state_.model.generation();
}

// The lanes as large as possible, with the switch, the factor and one sentence; a lesson's step beside them.
void Shell::draw_presentation(const Canvas& canvas) {
  const float s = canvas.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const bool stage = !on_stage(state_);
  const float top = (stage ? 68 : 46) * s;
  // While a question is open, there is no verdict to show: the lanes get the room.
  const bool asking = state_.lesson.hides() && on_stage(state_);
  const float bottom = asking ? 0 : stage ? 44 * s : std::min(presentation_height(canvas), display.y * 0.4f);
  const float notice = notice_height(state_);
  const Rect top_area{0, 0, display.x, top};
  const Rect notice_area{0, top, display.x, notice};
  const float story = story_width(state_, display.x);
  const float lanes_width = display.x - story - (story > 0 ? 1 : 0);
  const float room = std::max(60.0f, display.y - top - notice - bottom);
  const float job = asking || state_.comparison.state.open ? 0 : job_height(canvas, room);
  const Rect job_area{0, top + notice, lanes_width, job};
  const Rect lanes_area{0, job_area.y + job, lanes_width, room - job};
  const Rect story_area{display.x - story, job_area.y, story, room};
  const Rect bar_area{0, display.y - bottom, display.x, bottom};
  state_.view.update(state_.model, Timeline::kLabelWidth * s, lanes_width - (Timeline::kLabelWidth + kLaneMargin) * s,
                     base::now());
  show_asked_iteration(state_);
  update_scope(state_);
  const Colour ground = stage ? Colour::Ground : Colour::Panel;
  grounds_ = {{{0, 0, display.x, display.y}, canvas.theme[stage ? Colour::Ground : Colour::Line]}};
  for (const Rect& area : {top_area, bar_area}) grounds_.push_back({area, canvas.theme[ground]});
  grounds_.push_back({lanes_area, canvas.theme[Colour::Ground]});
  if (job > 0) grounds_.push_back({job_area, canvas.theme[Colour::Ground]});
  if (story > 0) grounds_.push_back({story_area, canvas.theme[Colour::Panel]});
  panel("##top", top_area, {16 * s, 10 * s}, kNoScroll,
        [&] { stage ? draw_stage_top(canvas) : draw_presentation_top(canvas); });
  if (notice > 0) panel("##notice", notice_area, {0, 0}, kNoScroll, [&] { draw_notice(canvas); });
  if (state_.comparison.state.open) {
    panel("##compare", lanes_area, {0, 0}, kNoScroll, [&] { draw_compare(canvas); });
  } else {
    if (job > 0) panel("##job", job_area, {0, 0}, kNoScroll, [&] { draw_job(canvas); });
    panel("##timeline", lanes_area, {0, 0}, kNoScroll, [&] { draw_timeline(canvas); });
  }
  if (story > 0) panel("##story", story_area, {0, 0}, kNoScroll, [&] { draw_story(canvas); });
  if (asking) return;
  panel("##bar", bar_area, {0, 0}, kNoScroll,
        [&] { stage ? draw_stage_bottom(canvas) : draw_presentation_bar(canvas); });
}

}  // namespace lanescope::ui
