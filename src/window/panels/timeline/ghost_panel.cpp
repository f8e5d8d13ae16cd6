// Below the lanes: the other side at their scale, and the bracket that says how much shorter one of the two is.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/translate.h"
#include "inspect/figure_text.h"
#include "picture/words.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kNoLanes = 90;  // below the bracket, where there is only a name of two lines
constexpr float kBracketRow = 52, kLeastLanes = 230, kLeastGhost = 84, kGhostShare = 0.32f;
constexpr double kSameLength = 0.02;  // a share: shorter by less is the same
constexpr double kOtherwise = 0.2;    // of two factors: the logarithm of their quotient
constexpr double kLikeIt = 0.15;      // an iteration of a length that differs by less is like the shown one

// What the two are, in a word: the shown one, and the one below.
std::array<std::string, 2> tags(const ShellState& state) {
  const OtherSide& other = state.comparison.other;
  if (state.program_trials.measured()) return {tr("NOW"), tr("TRIAL")};
  if (other.is_replayed()) return {tr("NOW"), tr("WHAT IF")};
  if (!other.has_two()) return {tr("NOW"), tr("EARLIER")};
  const std::array<std::string, 2> words = other.of_experiment() ? std::array<std::string, 2>{tr("BEFORE"), tr("AFTER")}
                                                                 : std::array<std::string, 2>{tr("OLD"), tr("NEW")};
  return {words[other.shown()], words[1 - other.shown()]};
}

// "95 of 100 iterations are": if others take longer, or less long.
std::string holds_for(const ShellState& state, const ShownIteration& shown) {
  auto recent = analysis::recent_iterations(state.model.analysis(), kLastIterations);
  const auto length = static_cast<double>(shown.duration());
  const auto& markers = state.model.analysis().markers();
  if (!markers.empty()) std::erase_if(recent, [&](const auto& one) { return one.start_ns < markers.back().start_ns; });
  const auto alike = std::ranges::count_if(recent, [&](const analysis::RecentIteration& one) {
    return std::abs(static_cast<double>(one.end_ns - one.start_ns) - length) <= kLikeIt * length;
  });
  if (alike == 0 || alike == std::ssize(recent)) return {};
  return tr("{} of {} iterations are", alike, recent.size());
}

// Returns the left edge of its texts.
float draw_bracket(const Canvas& c, const Rect& row, float shown_end, float other_end, Nanoseconds difference,
                   float bottom, bool longer) {
  const float s = c.scale;
  const TimeAxis& axis = c.state.view.axis();
  const float x0 = std::clamp(std::min(shown_end, other_end), axis.left_px(), axis.right_px());
  const float x1 = std::clamp(std::max(shown_end, other_end), axis.left_px(), axis.right_px());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  // For another batch, a shorter iteration is no gain.
  const double batch = c.state.model.batch_now(), other_batch = c.state.comparison.other.batch_size();
  const bool same_work = analysis::work_between(batch, other_batch) == 1;
  const Colour colour = !same_work ? Colour::Muted : longer ? Colour::Wait : Colour::Good;
  const std::uint32_t ink = c.theme[colour];
  const float y = row.y + row.height / 2;
  // Of the later one: what a change costs is not told as a gain.
  const std::string by = base::format_duration(difference, 3);
  std::string says = longer && same_work ? tr("{} longer", by) : tr("{} shorter", by);
  if (!same_work) {
    const bool shown_shorter = shown_end < other_end;
    says += " " + tr("for {} instead of {} samples", std::abs(shown_shorter ? batch : other_batch),
                     std::abs(shown_shorter ? other_batch : batch));
  }
  const float width = text_width(c.fonts, same_work ? FontRole::Title : FontRole::BodyBold, says);
  const bool inside = width + 40 * s <= x1 - x0;
  const float left = inside ? (x0 + x1 - width) / 2 : x0 - width - 12 * s;
  for (const float x : {x0, x1}) list.AddLine({x, y - 9 * s}, {x, y + 9 * s}, ink, 2 * s);
  if (inside) {
    list.AddLine({x0, y}, {left - 10 * s, y}, ink, 2 * s);
    list.AddLine({left + width + 10 * s, y}, {x1, y}, ink, 2 * s);
  } else {
    list.AddLine({x0, y}, {x1, y}, ink, 2 * s);
  }
  const bool fits = left >= axis.left_px();
  if (fits)
    draw_label(c, {left, row.y, width + 4, row.height}, c.theme.as_text(colour),
               same_work ? FontRole::Title : FontRole::BodyBold, says);
  c.state.places["bracket"] = {x0, row.y, x1 - x0, row.height};
  // What both need, and only one of them.
  list.AddRectFilled({x0, row.y + row.height}, {x1, bottom}, with_alpha(ink, 0.07f));
  for (float at = row.y + row.height; at < bottom; at += 7 * s) {
    for (const float x : {x0, x1}) list.AddLine({x, at}, {x, std::min(at + 4 * s, bottom)}, with_alpha(ink, 0.7f), s);
  }
  const auto& shown = c.state.view.shown_iteration();
  const bool of_one = shown && !c.state.program_trials.measured();  // a trial's are means of many
  const std::string before = of_one ? holds_for(c.state, *shown) : std::string();
  const float begin = fits && !inside ? left : x0;
  if (before.empty() || !fits) return begin;
  const float before_width = text_width(c.fonts, FontRole::Body, before);
  const float end = begin - 14 * s;
  if (end - before_width < axis.left_px()) return begin;
  draw_label(c, {end - before_width, row.y, before_width + 2, row.height}, c.theme[Colour::Muted], FontRole::Body,
             before);
  return end - before_width;
}

// It was not measured.
void dashed_frame(const Canvas& c, const Rect& box) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::uint32_t ink = c.theme[Colour::Accent];
  const float s = c.scale, dash = 6 * s, step = 10 * s;
  const float right = box.x + box.width, bottom = box.y + box.height;
  for (float x = box.x; x < right; x += step)
    for (const float y : {box.y, bottom - s}) list.AddLine({x, y}, {std::min(x + dash, right), y}, ink, s);
  for (float y = box.y; y < bottom; y += step)
    for (const float x : {box.x, right - s}) list.AddLine({x, y}, {x, std::min(y + dash, bottom)}, ink, s);
}

// At the left: what it is, and how long its iteration takes. `before`: of a trial, whose
// times are means of many.
void draw_names(const Canvas& c, const Rect& area, const std::string& tag, const std::string& name,
                Nanoseconds duration, std::optional<Nanoseconds> before = {}) {
  const float s = c.scale;
  const float x = area.x + 16 * s;
  const float width = Timeline::kLabelWidth * s - 24 * s;
  draw_tag(c, x, area.y + 2 * s, tag);
  float y = area.y + 26 * s;
  std::string lines = wrapped_lines(c, FontRole::SmallBold, name, width);
  for (int line = 0; line < 3 && !lines.empty() && y + 34 * s < area.y + area.height; ++line) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    draw_label(c, {x, y, width, 17 * s}, c.theme[Colour::Text], FontRole::SmallBold, lines.substr(0, end));
    lines.erase(0, std::min(end + 1, lines.size()));
    y += 17 * s;
  }
  draw_label(c, {x, y, width, 17 * s}, c.theme[Colour::Muted], FontRole::MonoSmall, base::format_duration(duration, 4));
  y += 17 * s;
  if (before && y + 17 * s <= area.y + area.height)
    draw_label(c, {x, y, width, 17 * s}, c.theme[Colour::Muted], FontRole::MonoSmall,
               tr("was {}", base::format_duration(*before, 4)));
}

// After a trial in the program: what it has measured, from the end of the shown iteration on.
void draw_measured(const Canvas& c, const Rect& row, const MeasuredTurn& turn, float bottom) {
  const ViewControl& view = c.state.view;
  if (!turn.differs) {
    draw_label(c, {view.start_px(), row.y, 420 * c.scale, row.height}, c.theme[Colour::Muted], FontRole::Body,
               turn.result);
    return;
  }
  const Nanoseconds gained = turn.now_ns - turn.turned_ns, end = view.shown_iteration()->end_ns;
  draw_bracket(c, row, view.axis().to_px(end), view.axis().to_px(end - gained), std::abs(gained), bottom, gained < 0);
}

}  // namespace

void draw_tag(const Canvas& c, float x, float y, const std::string& says) {
  const float s = c.scale;
  const float width = text_width(c.fonts, FontRole::SmallBold, says) + 12 * s;
  const Rect box{x, y, width, 18 * s};
  ImGui::GetWindowDrawList()->AddRect({x, y}, {x + width, y + box.height}, c.theme[Colour::Faint], 4 * s);
  draw_label(c, box, c.theme.as_text(Colour::Accent), FontRole::SmallBold, says, LabelAlign::Centre);
}

std::string shown_tag(const ShellState& state) {
  const bool two = state.comparison.other.has_two() || run_below(state.comparison) || state.program_trials.measured();
  return two ? tags(state)[0] : std::string();
}

float ghost_height(const Canvas& c, float room) {
  // A run that can be turned keeps the place, so that nothing moves when there is something to compare with.
  const bool kept_back = other_side_tells(c.state) || next_step_asks(c.state);
  const bool lanes = c.state.model.steering() || run_below(c.state.comparison);
  const bool wanted = !kept_back && (lanes || c.state.program_trials.measured());
  const float s = c.scale;
  if (!wanted || room < (kLeastLanes + kLeastGhost + kBracketRow) * s) return 0;
  if (!lanes) return (kBracketRow + kNoLanes) * s;
  return std::floor(std::max(kLeastGhost * s, (room - kBracketRow * s) * kGhostShare)) + kBracketRow * s;
}

void draw_ghost(const Canvas& c, const Rect& area) {
  ShellState& state = c.state;
  const float s = c.scale;
  const SharedSnapshot run = run_below(state.comparison);
  const auto& shown = state.view.shown_iteration();
  const MeasuredTurn* measured = state.program_trials.measured();
  if ((!run && !measured) || !shown || other_side_tells(state) || next_step_asks(state)) return;
  const Rect row{area.x, area.y, area.width, kBracketRow * s};
  const Rect lanes{area.x, row.y + row.height, area.width, area.height - row.height - 4 * s};
  if (!run) {
    draw_names(c, lanes, tags(state)[1], measured->text, measured->turned_ns, measured->now_ns);
    return draw_measured(c, row, *measured, lanes.y + lanes.height);
  }
  GhostLanes& ghost = state.comparison.lanes;
  ghost.prepare({*run, c.theme, state.view.axis(), shown->start_ns, lanes, s, &state.colours.colouring});
  const Rect& place = ghost.place();
  state.places["ghost"] = place;
  ImGui::SetCursorScreenPos({lanes.x, lanes.y});
  // A replay is no side to go to.
  const bool flips = state.comparison.other.has_two() && !state.comparison.other.is_replayed();
  if (press_area(c, "##ghost", {lanes.width, std::max(1.0f, lanes.height)}) && flips)
    state.requests.actions.push_back(Action::FlipSide);
  if (flips && ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s (%s)", tr(info(Action::FlipSide).text),
                      key_text(info(Action::FlipSide).keys.front()).c_str());
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({place.x, place.y}, {place.x + place.width, place.y + place.height}, true);
  add_to_draw_list(list, c.spans, ghost.rows());
  draw_labels(list, c.fonts, ghost.rows().labels);
  list.PopClipRect();
  std::string name;
  if (state.comparison.other.is_replayed()) {
    name = measured ? measured->text : run->label;
    dashed_frame(c, place);
  } else if (state.comparison.other.has_two()) {
    name = state.comparison.other.labels(state.experiment.active ? &*state.experiment.active : nullptr,
                                         state.language())[1 - state.comparison.other.shown()];
  }
  const Nanoseconds other = run->typical_iteration().duration();
  draw_names(c, lanes, tags(state)[1], name, measured ? measured->turned_ns : other,
             measured ? std::optional(measured->now_ns) : std::nullopt);
  if (measured) return draw_measured(c, row, *measured, lanes.y + lanes.height);
  const auto say = [&](const std::string& says) {
    draw_label(c, {state.view.start_px(), row.y, 420 * s, row.height}, c.theme[Colour::Muted], FontRole::Body, says);
  };
  // While the launch queue fills, an iteration of the CPU says nothing of how long the GPU takes.
  const analysis::Pace& pace = state.model.recent().pace;
  if (state.model.steering() && !(state.model.recent_is_current() && pace.known())) {
    const bool fills = state.model.recent_is_current() && pace.basis == analysis::PaceBasis::QueueMoves;
    return say(fills ? tr("the launch queue fills or drains: not steady yet") : tr("measuring …"));
  }
  const Nanoseconds difference = std::abs(other - shown->duration());
  const float longest = static_cast<float>(std::max(other, shown->duration()));
  if (static_cast<double>(difference) < kSameLength * static_cast<double>(longest)) {
    return say(tr("both take the same time"));
  }
  const float shown_end = state.view.axis().to_px(shown->end_ns);
  // Two iterations are no pace: where the runs differ otherwise, that is what is told; but not of those that a trigger
  // has picked.
  const bool any_iteration = state.view.trigger_settings().source == TriggerSource::Iteration;
  const OtherSide& side = state.comparison.other;
  const double other_ns = run->summary.pace.ns;
  if (any_iteration && state.model.steering() && !side.is_replayed() && pace.known() && run->summary.pace.known()) {
    const double of_two = static_cast<double>(shown->duration()) / static_cast<double>(other);
    if (std::abs(std::log(of_two * other_ns / pace.ns)) > kOtherwise)
      return say(tr("on average {} and below {} per iteration", pace_text(pace), pace_text(run->summary.pace)));
  }
  const bool shown_is_later = !side.is_replayed() && side.shown() == 1;
  const bool longer = state.model.steering() && !side.is_replayed() && (shown_is_later == (shown->duration() > other));
  const float left = draw_bracket(c, row, shown_end, ghost.end_px(), difference, lanes.y + lanes.height, longer);
  const char* says = tr("both stay until the next action");
  const float width = text_width(c.fonts, FontRole::Small, says) + 12 * s;
  if (!state.view.stays() || state.presentation.on || state.view.start_px() + width > left) return;
  draw_label(c, {state.view.start_px(), row.y, width, row.height}, c.theme[Colour::Muted], FontRole::Small, says);
}

}  // namespace lanescope::ui
