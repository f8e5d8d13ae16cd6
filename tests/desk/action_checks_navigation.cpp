#include <memory>

#include "desk/action_checks.h"
#include "inspect/neighbours.h"
#include "shell/selecting.h"

namespace lanescope::ui_test {
namespace {

using trace::LaneKind;
using ui::Action;
using ui::EventRef;
using ui::TimeAxis;

/// A picture that stands, of a tenth of the run in its middle, with nothing selected.
void still(Desk& desk) {
  ui::ShellState& s = desk.state();
  ASSERT_TRUE(desk.until([&] { return s.model.analysis().records().size() > 20; }));
  s.model.set_paused(true);
  s.selection.clear();
  s.overlays.open.reset();
  const auto [from, to] = s.model.extent();
  s.view.show_exactly(from + (to - from) / 20 * 9, from + (to - from) / 20 * 11);
  ASSERT_TRUE(desk.until([&s, edge = Nanoseconds{-1}]() mutable {
    return std::exchange(edge, s.model.live_edge()) == s.model.live_edge() && !s.view.moving();
  }));
}

std::optional<EventRef> middle_event(Desk& desk, LaneKind kind) {
  const ui::Model& model = desk.state().model;
  const auto [from, to] = model.extent();
  for (const trace::LaneId lane : desk.state().timeline.lanes()) {
    if (model.trace().lane(lane).info().kind != kind) continue;
    return ui::nearest_event(model.trace(), lane, from + (to - from) / 2, model.live_edge());
  }
  return std::nullopt;
}

/// The view moves from where it stood as `moved` says.
ActionCheck view_check(Action action, bool (*moved)(const TimeAxis& before, const TimeAxis& now)) {
  const auto before = std::make_shared<TimeAxis>();
  return {action,
          [before](Desk& desk) {
            still(desk);
            *before = desk.state().view.axis();
          },
          [before, moved](Desk& desk) { return moved(*before, desk.state().view.axis()); }};
}

/// From a selected event of this kind another one gets selected, for which `is_it` holds.
ActionCheck event_check(Action action, LaneKind kind, bool (*is_it)(const EventRef& before, const EventRef& now)) {
  const auto before = std::make_shared<EventRef>();
  return {action,
          [before, kind](Desk& desk) {
            still(desk);
            const auto event = middle_event(desk, kind);
            ASSERT_TRUE(event.has_value());
            ui::select_event(desk.state(), *before = *event);
          },
          [before, is_it](Desk& desk) {
            const auto& now = desk.state().selection.event;
            return now && !(*now == *before) && is_it(*before, *now);
          }};
}

/// Both ends of the run at the edges of the view.
bool shows_all(Desk& desk) {
  const TimeAxis& axis = desk.state().view.axis();
  const auto [from, to] = desk.state().model.extent();
  return std::abs(axis.to_px(from) - axis.left_px()) < 1 && std::abs(axis.to_px(to) - axis.right_px()) < 1;
}

float sum(const std::array<float, ui::kPanes>& scroll) { return scroll[0] + scroll[1]; }

/// The lanes do not fit on the screen; they are scrolled as far as they go.
void tall(Desk& desk, bool down) {
  still(desk);
  desk.state().preferences.font_scale = 2;
  desk.frames(5);
  desk.state().scroll.fill(down ? 1e6f : 0);
  desk.frames(3);
}

ActionCheck scroll_check(Action action, bool down) {
  const auto before = std::make_shared<float>(0.0f);
  return {action,
          [before, down](Desk& desk) {
            tall(desk, !down);
            *before = sum(desk.state().scroll);
          },
          [before, down](Desk& desk) {
            const float moved = sum(desk.state().scroll) - *before;
            return down ? moved > 10 : moved < -10;
          }};
}

ActionCheck history_check(Action action) {
  const auto wanted = std::make_shared<TimeAxis>();
  return {action,
          [wanted, action](Desk& desk) {
            still(desk);
            ui::ViewControl& view = desk.state().view;
            const TimeAxis first = view.axis();
            const auto [from, to] = desk.state().model.extent();
            view.show_exactly(from, from + (to - from) / 3);
            const TimeAxis second = view.destination();
            *wanted = first;
            if (action == Action::ViewForward) {
              ASSERT_TRUE(view.back());
              *wanted = second;
            }
            ASSERT_TRUE(desk.until([&] { return !view.moving(); }));
          },
          [wanted](Desk& desk) { return desk.state().view.axis() == *wanted; }};
}

}  // namespace

std::vector<ActionCheck> navigation_checks() {
  const auto earlier = [](const EventRef& a, const EventRef& b) {
    return a.lane == b.lane && b.event.start_ns <= a.event.start_ns;
  };
  const auto later = [](const EventRef& a, const EventRef& b) {
    return a.lane == b.lane && b.event.start_ns >= a.event.start_ns;
  };
  return {
      view_check(Action::ZoomIn, [](auto& a, auto& b) { return b.ns_per_pixel() < a.ns_per_pixel() * 0.99; }),
      view_check(Action::ZoomOut, [](auto& a, auto& b) { return b.ns_per_pixel() > a.ns_per_pixel() * 1.01; }),
      view_check(Action::PanLeft, [](auto& a, auto& b) { return a.offset_px(b) < -5; }),
      view_check(Action::PanRight, [](auto& a, auto& b) { return a.offset_px(b) > 5; }),
      scroll_check(Action::ScrollUp, false),
      scroll_check(Action::ScrollDown, true),
      {Action::Fit, still, [](Desk& desk) { return !desk.state().view.moved_by_hand(); }},
      {Action::FitAll,
       [](Desk& desk) {
         still(desk);
         const auto [from, to] = desk.state().model.extent();
         ui::select_range(desk.state(), from + (to - from) / 3, from + (to - from) / 2);
       },
       shows_all},
      history_check(Action::ViewBack),
      history_check(Action::ViewForward),
      {Action::GoTo, still,
       [](Desk& desk) { return std::exchange(desk.state().overlays.open, std::nullopt) == ui::Overlay::GoTo; }},
      {Action::ToBegin, still,
       [](Desk& desk) {
         const TimeAxis& axis = desk.state().view.axis();
         return axis.begin_ns() <= desk.state().model.extent().first && !desk.state().view.moving();
       }},
      {Action::ToEnd, still,
       [](Desk& desk) {
         const TimeAxis& axis = desk.state().view.axis();
         return axis.end_ns() >= desk.state().model.extent().second && !desk.state().view.moving();
       }},
      event_check(Action::PreviousEvent, LaneKind::Kernels, earlier),
      event_check(Action::NextEvent, LaneKind::Kernels, later),
      event_check(Action::PreviousSameName, LaneKind::Kernels,
                  [](auto& a, auto& b) { return a.event.name == b.event.name && b.event.start_ns < a.event.start_ns; }),
      event_check(Action::NextSameName, LaneKind::Kernels,
                  [](auto& a, auto& b) { return a.event.name == b.event.name && b.event.start_ns > a.event.start_ns; }),
      event_check(Action::EventAbove, LaneKind::Kernels, [](auto& a, auto& b) { return a.lane != b.lane; }),
      event_check(Action::EventBelow, LaneKind::Calls, [](auto& a, auto& b) { return a.lane != b.lane; }),
      event_check(Action::FollowLink, LaneKind::Kernels,
                  [](auto& a, auto& b) {
                    return b.event.kind == trace::EventKind::Call && a.event.correlation == b.event.correlation;
                  }),
      {Action::ZoomSelection,
       [](Desk& desk) {
         still(desk);
         const auto& last = desk.state().model.analysis().records().back();
         ui::select_range(desk.state(), last.start_ns, last.end_ns);
         desk.state().view.show(last.start_ns, last.start_ns + 10 * (last.end_ns - last.start_ns));
         desk.until([&] { return !desk.state().view.moving(); });
       },
       [](Desk& desk) {
         const auto [from, to] = *desk.state().selection.range;
         const ui::TimeAxis& axis = desk.state().view.axis();
         return axis.begin_ns() <= from && axis.end_ns() >= to && axis.length_px(to - from) > axis.width_px() / 2;
       }},
      {Action::SelectIteration, still, [](Desk& desk) { return desk.state().selection.range.has_value(); }},
  };
}

}  // namespace lanescope::ui_test
