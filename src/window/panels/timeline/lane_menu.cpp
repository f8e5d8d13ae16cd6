#include "window/panels/timeline/lane_menu.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "base/translate.h"
#include "render/labels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr const char* kLanePopup = "##lane";
}  // namespace

bool menu_item(const Canvas& c, const char* id, const std::string& says, const std::string& keys, bool on,
               bool possible, bool leads_on) {
  constexpr float kWidth = kMenuWidth;
  const float s = c.scale;
  const float height = 25 * s;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = press_area(c, id, {kWidth * s, height}) && possible;
  note_control(c, std::string("lane_menu.") + id);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered() && possible) {
    list.AddRectFilled(at, {at.x + kWidth * s, at.y + height}, c.theme[Colour::PanelHovered], 5 * s);
  }
  if (on) list.AddCircleFilled({at.x + 9 * s, at.y + height / 2}, 3 * s, c.theme[Colour::Accent]);
  const float keys_width = text_width(c.fonts, FontRole::MonoSmall, keys);
  const Label labels[] = {
      {at.x + 20 * s, at.y, (kWidth - 36) * s - keys_width, c.theme[possible ? Colour::Text : Colour::Dim],
       FontRole::Body, says, height},
      {at.x, at.y, (kWidth - 8) * s, c.theme[Colour::Dim], FontRole::MonoSmall, keys, height, LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
  if (leads_on) {
    const float x = at.x + (kWidth - 14) * s, y = at.y + height / 2;
    list.AddTriangleFilled({x - 3 * s, y - 4 * s}, {x - 3 * s, y + 4 * s}, {x + 2 * s, y}, c.theme[Colour::Dim]);
  } else if (clicked) {
    ImGui::CloseCurrentPopup();
  }
  return clicked;
}

void menu_line(const Canvas& c) {
  constexpr float kWidth = kMenuWidth;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({kWidth * s, 7 * s});
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 3 * s}, {at.x + kWidth * s, at.y + 4 * s},
                                            c.theme[Colour::Line]);
}

namespace {

void draw_lane_items(const Canvas& c, const LanePlace& lane) {
  constexpr float kWidth = kMenuWidth;
  ShellState& state = c.state;
  const LaneChoice choice = state.lanes.choice(lane.key);
  const auto does = [&](Action action, const char* says, bool possible = true) {
    if (menu_item(c, info(action).name, says, keys_text(info(action)), false, possible)) {
      perform_on_lane(state, lane.key, action);
    }
  };
  text(c, FontRole::BodyBold, Colour::Text, fit_text(c.fonts, FontRole::BodyBold, lane.full_name, kWidth * c.scale));
  vertical_space(c, 3);
  does(Action::CollapseLane, choice.folded ? tr("Unfold") : tr("Fold to a strip"));
  does(Action::HideLane, tr("Hide"));
  does(Action::PinLane, choice.pinned ? tr("Unpin from the top") : tr("Pin to the top"));
  menu_line(c);
  does(Action::LaneUp, tr("Move up"));
  does(Action::LaneDown, tr("Move down"));
  does(Action::TallerLane, tr("Taller"), choice.height < LaneLayout::kMostHeight || choice.folded);
  does(Action::ShorterLane, tr("Shorter"), choice.height > LaneLayout::kLeastHeight && !choice.folded);
  menu_line(c);
  if (!lane.group.empty()) {
    const bool folded = state.lanes.group_folded(lane.group);
    if (menu_item(c, "fold_group", folded ? tr("Unfold the group") : tr("Fold the group"), "")) {
      state.lanes.fold_group(lane.group, !folded);
    }
    if (menu_item(c, "only_group", tr("Only this group"), "")) show_only_group(state, lane.group);
  }
  if (menu_item(c, info(Action::ShowAllLanes).name, tr("Show all lanes"), keys_text(info(Action::ShowAllLanes)), false,
                state.timeline.hidden_count() > 0)) {
    state.lanes.show_all();
  }
  if (menu_item(c, info(Action::ResetLanes).name, tr("Reset the lanes"), keys_text(info(Action::ResetLanes)))) {
    state.lanes.reset();
  }
  menu_line(c);
  ImGui::Dummy({0, 1});
  {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = 20 * c.scale;
    ImGui::Dummy({kWidth * c.scale, height});
    const Label labels[] = {
        {at.x, at.y, kWidth * c.scale, c.theme[Colour::Dim], FontRole::SmallBold, tr("GROUP THE LANES"), height},
        {at.x, at.y, (kWidth - 8) * c.scale, c.theme[Colour::Dim], FontRole::MonoSmall,
         keys_text(info(Action::GroupLanes)), height, LabelAlign::Right}};
    draw_labels(*ImGui::GetWindowDrawList(), c.fonts, labels);
  }
  for (const auto& [grouping, id] :
       {std::pair{LaneGrouping::Owner, "by_owner"}, std::pair{LaneGrouping::Process, "by_process"},
        std::pair{LaneGrouping::Device, "by_device"}, std::pair{LaneGrouping::None, "by_nothing"}}) {
    if (menu_item(c, id, grouping_text(grouping), "", state.lanes.grouping() == grouping)) group_lanes(state, grouping);
  }
}

}  // namespace

void open_lane_menu(const Canvas& c, const std::string& key, bool of_selection) {
  c.state.lane_hands.menu_for = key;
  c.state.lane_hands.menu_of_selection = of_selection;
  ImGui::OpenPopup(kLanePopup);
}

void draw_lane_menu(const Canvas& c) {
  const float s = c.scale;
  LaneHands& hands = c.state.lane_hands;
  if (std::exchange(hands.menu_opens, false)) {
    ImGui::OpenPopup(kLanePopup);
    c.state.in_motion = true;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * s, 10 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {8 * s, 1 * s});
  hands.menu_open = ImGui::BeginPopup(kLanePopup);
  if (hands.menu_open) {
    if (const auto lane = c.state.timeline.place_of(hands.menu_for)) {
      bool& of_selection = hands.menu_of_selection;
      if (!of_selection) {
        draw_lane_items(c, *lane);
      } else if (c.state.selection.empty()) {
        ImGui::CloseCurrentPopup();
      } else if (draw_selection_menu(c, *lane)) {
        of_selection = false;
        hands.menu_opens = true;
        ImGui::CloseCurrentPopup();
      }
      if (ImGui::IsWindowAppearing()) c.state.in_motion = true;  // its size is known one frame later
      if (key_pressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    } else {
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
    c.state.in_motion = c.state.in_motion || hands.menu_opens;
  }
  ImGui::PopStyleVar(2);
}

void lane_tooltip(const Canvas& c, const std::string& title, const std::string& says) {
  ImGui::BeginTooltip();
  text(c, FontRole::BodyBold, Colour::Text, title);
  if (!says.empty()) text(c, FontRole::Small, Colour::Muted, says);
  ImGui::EndTooltip();
}

}  // namespace lanescope::ui
