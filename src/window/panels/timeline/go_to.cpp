#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <utility>

#include "base/translate.h"
#include "inspect/destination.h"
#include "inspect/neighbours.h"
#include "render/labels.h"
#include "shell/keys.h"
#include "shell/selecting.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
using Kind = TypedDestination::Kind;

constexpr float kGoToWidth = 400, kGoToPad = 12;

struct Destination {
  std::string says;
  bool possible = false;
  Nanoseconds at = 0;
  std::optional<EventRef> iteration{};
};

// The zero of all displayed times.
Nanoseconds run_begin(const Model& model) { return model.live() ? 0 : model.extent().first; }

Destination to_time(const ShellState& state, Nanoseconds at) {
  const auto [begin, end] = state.model.extent();
  const Nanoseconds zero = run_begin(state.model);
  Destination result;
  result.at = at;
  if (at < begin && begin > zero) {
    result.says = tr("no longer in memory: the trace now begins at {}", time_in_full(begin - zero));
  } else if (at < begin) {
    result.says = tr("before the run begins");
  } else if (at > end) {
    const char* why = state.model.live() ? tr("not there yet: the run is at {}") : tr("the run ended at {}");
    result.says = fmt::format(fmt::runtime(why), time_in_full(end - zero));
  } else {
    result.says = tr("{} after the start of the run", time_in_full(at - zero));
    result.possible = true;
  }
  return result;
}

Destination to_iteration(const ShellState& state, std::uint32_t number) {
  const trace::Trace& trace = state.model.trace();
  const Nanoseconds edge = state.model.live_edge();
  Destination result;
  const auto numbers = iteration_numbers(trace, edge);
  if (!numbers) {
    result.says = tr("no iterations here; a time needs a unit: \"{} ms\"", number);
    return result;
  }
  result.iteration = iteration_numbered(trace, number, edge);
  if (!result.iteration) {
    result.says = tr("no iteration {}: there are {} to {}", number, base::format_count(numbers->first),
                     base::format_count(numbers->second));
    return result;
  }
  const trace::Event& e = result.iteration->event;
  result.possible = true;
  result.at = e.start_ns + e.duration() / 2;
  result.says = tr("iteration {}, at {}, {} long", number, time_in_full(e.start_ns - run_begin(state.model)),
                   base::format_duration(e.duration()));
  return result;
}

Destination destination_of(const ShellState& state, const std::string& typed) {
  const TypedDestination wanted = parse_destination(typed);
  switch (wanted.kind) {
    case Kind::Time:
      return to_time(state, run_begin(state.model) + wanted.ns);
    case Kind::Relative: {
      const TimeAxis axis = state.view.destination();
      return to_time(state, axis.to_ns((axis.left_px() + axis.right_px()) / 2) + wanted.ns);
    }
    case Kind::Iteration:
      return to_iteration(state, wanted.iteration);
    case Kind::Unreadable:
      return {tr("neither a time (12.5 ms) nor an iteration (412)")};
    default:
      return {tr("a time: 12.5 ms; from here: +5 ms; an iteration: 412")};
  }
}

void go_there(ShellState& state, const Destination& destination) {
  if (!destination.iteration) {
    state.view.centre(destination.at);
    return flash_arrival(state, destination.at);
  }
  // Keep the zoom if the whole iteration is visible and not tiny, otherwise fit it.
  const trace::Event& e = destination.iteration->event;
  select_event(state, *destination.iteration);
  const float length = state.view.axis().length_px(e.duration());
  const float width = state.view.axis().width_px();
  if (length > width * 0.95f || length < width * 0.04f) {
    state.view.show(e.start_ns, std::max(e.end_ns, e.start_ns + 1));
  } else {
    state.view.centre(destination.at);
  }
}

}  // namespace

void draw_go_to(const Canvas& c) {
  ShellState& state = c.state;
  GoToState& field = state.navigation.go_to;
  if (state.overlays.open != Overlay::GoTo) return;
  const float s = c.scale;
  const auto timeline = state.places.find("timeline");
  if (timeline == state.places.end()) return;
  const TimeAxis& axis = state.view.axis();
  const float width = std::min(kGoToWidth * s, axis.width_px());
  const float field_height = ImGui::GetStyle().FramePadding.y * 2 + c.fonts.size(FontRole::Title);
  const Rect box{(axis.left_px() + axis.right_px() - width) / 2, timeline->second.y + 14 * s, width,
                 2 * kGoToPad * s + field_height + 26 * s};
  state.places["go_to"] = box;
  const bool beside = begin_sheet(c, "##go_to", box, false);
  if (!ImGui::IsAnyItemActive() && !ImGui::IsMouseDown(0)) focus_field(c);
  ImGui::SetCursorPos({box.x + kGoToPad * s, box.y + kGoToPad * s});
  ImGui::SetNextItemWidth(width - 2 * kGoToPad * s);
  {
    const TextStyle style(c, FontRole::Title, Colour::Text);
    ImGui::InputTextWithHint("##go_to_field", tr("Go to: 12.5 ms, +5 ms, 412 …"), &field.text);
  }
  const bool entered = std::exchange(field.enter, false);
  note_control(c, "go_to.field");
  const Destination destination = destination_of(state, field.text);
  const bool bad = !destination.possible && !field.text.empty();
  const Label says{box.x + (kGoToPad + 6) * s,
                   box.y + kGoToPad * s + field_height + 5 * s,
                   width - 2 * (kGoToPad + 6) * s,
                   bad ? c.theme.as_text(Colour::Wait) : c.theme[Colour::Muted],
                   FontRole::Body,
                   destination.says,
                   22 * s};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&says, 1});
  ImGui::End();
  if (entered && destination.possible) go_there(state, destination);
  if ((entered && destination.possible) || beside) close_overlay(state);
}

bool go_to_key(ShellState& state, KeyChord chord) {
  if (state.overlays.open != Overlay::GoTo || chord.modifiers != 0) return false;
  if (chord.key == key::Escape) {
    close_overlay(state);
    return true;
  }
  const bool enter = chord.key == key::Enter || chord.key == key::KeypadEnter;
  if (enter) state.navigation.go_to.enter = true;
  return enter;
}

}  // namespace lanescope::ui
