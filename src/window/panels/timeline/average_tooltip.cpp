#include <fmt/format.h>
#include <imgui.h>

#include <cmath>

#include "base/translate.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

void average_line(const Canvas& c, const char* name, const std::string& value) {
  text(c, FontRole::Small, Colour::Muted, name);
  ImGui::SameLine(110 * c.scale);
  text(c, FontRole::MonoSmall, Colour::Text, value);
}

std::string of_pictures(std::size_t count, std::size_t all) { return tr("{} of {} pictures", count, all); }

void describe(const Canvas& c, const AverageEvent& e, std::size_t pictures) {
  text(c, FontRole::BodyBold, Colour::Text,
       wrapped_lines(c, FontRole::BodyBold, e.label.size() > 90 ? e.label.substr(0, 88) + "…" : e.label,
                     tooltip_room(c)));
  average_line(c, tr("duration"), mean_sd_text(e.duration));
  average_line(c, tr("shortest"), base::format_duration(e.shortest));
  average_line(c, tr("longest"), base::format_duration(e.longest));
  average_line(c, tr("start"), mean_sd_text(e.start));
  if (trace::is_blocking(e.event)) average_line(c, tr("waiting"), mean_sd_text(e.waiting));
  average_line(c, tr("seen in"), of_pictures(e.duration.count, pictures));
}

}  // namespace

void draw_average_tooltip(const Canvas& c) {
  ShellState& state = c.state;
  if (!shows_average(state) || !state.pointed.lane || !state.pointed.at) return;
  const AveragePicture& picture = state.scope.picture;
  const trace::LaneId lane = *state.pointed.lane;
  const auto rect = state.timeline.lane_rect(lane);
  if (!picture.has(lane) || !rect) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Nanoseconds trigger = *state.view.trigger_instant();
  const AverageEvent* event =
      picture.hit(lane, state.view.axis(), trigger, mouse.x, mouse.y - rect->y, rect->height, c.scale);
  const double busy = picture.occupancy_at(lane, *state.pointed.at - trigger, mouse.y - rect->y, rect->height, c.scale);
  if (!event && busy <= 0) return;
  begin_lane_tooltip(c, rect);
  if (event) {
    describe(c, *event, picture.count());
  } else {
    text(c, FontRole::BodyBold, Colour::Text, tr("busy in {:.0f} % of the pictures", busy * 100));
    average_line(c, tr("pictures"), std::to_string(picture.count()));
    average_line(c, tr("from trigger"), base::format_duration(*state.pointed.at - trigger));
  }
  ImGui::EndTooltip();
}

}  // namespace lanescope::ui
