// Drawn over the lane names: icons to fold, pin and hide, the name being dragged, and the note about hidden lanes.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/timeline/lane_menu.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
using LabelGrip = LaneHands::Grip;

constexpr float kLabelMark = 24;

ImVec2 centre(const Rect& r) { return {r.x + r.width / 2, r.y + r.height / 2}; }

void draw_chevron(ImDrawList& list, ImVec2 at, bool folded, std::uint32_t colour, float s) {
  const float r = 3.5f * s;
  if (folded) {
    list.AddTriangleFilled({at.x - r * 0.6f, at.y - r}, {at.x - r * 0.6f, at.y + r}, {at.x + r * 0.8f, at.y}, colour);
  } else {
    list.AddTriangleFilled({at.x - r, at.y - r * 0.6f}, {at.x + r, at.y - r * 0.6f}, {at.x, at.y + r * 0.8f}, colour);
  }
}

void draw_pin(ImDrawList& list, ImVec2 at, std::uint32_t colour, float s) {
  list.AddRectFilled({at.x - 2.5f * s, at.y - 5 * s}, {at.x + 2.5f * s, at.y}, colour, s);
  list.AddRectFilled({at.x - 4.5f * s, at.y}, {at.x + 4.5f * s, at.y + 1.6f * s}, colour, 0.8f * s);
  list.AddRectFilled({at.x - 0.7f * s, at.y + 1.6f * s}, {at.x + 0.7f * s, at.y + 6 * s}, colour);
}

void draw_eye(ImDrawList& list, ImVec2 at, std::uint32_t colour, float s) {
  const float w = 6 * s;
  const float h = 3.8f * s;
  list.PathClear();
  list.PathLineTo({at.x - w, at.y});
  list.PathBezierCubicCurveTo({at.x - w / 2, at.y - h * 1.3f}, {at.x + w / 2, at.y - h * 1.3f}, {at.x + w, at.y});
  list.PathBezierCubicCurveTo({at.x + w / 2, at.y + h * 1.3f}, {at.x - w / 2, at.y + h * 1.3f}, {at.x - w, at.y});
  list.PathStroke(colour, 0, 1.3f * s);
  list.AddCircleFilled(at, 1.9f * s, colour, 12);
}

std::uint32_t lit(const Canvas& c, bool hovered) { return c.theme[hovered ? Colour::Accent : Colour::Muted]; }

void draw_headings(const Canvas& c, const NameArea& names, ImDrawList& list) {
  const LaneHands& hands = c.state.lane_hands;
  const Timeline& timeline = c.state.timeline;
  const float s = c.scale;
  for (const HeadingPlace& heading : timeline.headings()) {
    const Rect& r = heading.rect;
    const float middle = r.y + r.height - 12 * s;
    if (timeline.covers(heading, middle) || middle < names.top() || middle > names.bottom()) continue;
    const bool hovered = hands.under == LabelGrip::Heading && hands.under_group == heading.group;
    draw_chevron(list, {names.left() + 20 * s, middle}, heading.folded, c.theme[hovered ? Colour::Accent : Colour::Dim],
                 s);
    note_control(c, "lane_group." + heading.group, heading_target(c, heading));
  }
}

void draw_marks(const Canvas& c, const NameArea& names, ImDrawList& list) {
  const LaneHands& hands = c.state.lane_hands;
  const float s = c.scale;
  for (const LanePlace& place : c.state.timeline.places()) {
    const float y = place.rect.y;
    if (y > names.bottom() || y + place.rect.height < names.top()) continue;
    c.state.places["lane_name." + place.key] = {names.left() + 16 * s, y, names.right() - names.left() - 60 * s,
                                                std::min(place.rect.height, 34 * s)};
    if (c.state.lanes.group_folded(place.group) && !place.pinned) continue;
    const bool pointed = hands.pointed == place.key && hands.grip != LabelGrip::Edge &&
                         (hands.under >= LabelGrip::Name && hands.under <= LabelGrip::Hide) &&
                         hands.grip != LabelGrip::Name;
    const Rect fold = names.fold_mark(place.rect);
    const Rect pin = names.pin_mark(place.rect);
    const Rect hide = names.hide_mark(place.rect);
    if (c.state.timeline.covers(place, centre(fold).y)) continue;
    const std::string fold_name = "lane_fold." + place.key;
    note_control(c, fold_name, fold);
    if (pointed || place.folded || c.state.focus.is_at(fold_name)) {
      const ImVec2 at{fold.x + 7 * s, centre(fold).y};  // left of the name, over which the mark reaches
      draw_chevron(list, at, place.folded, lit(c, pointed && hands.under == LabelGrip::Fold), s);
    }
    if (pointed) {
      // Fade out the name where the icons begin.
      const float fade = 14 * s;
      const std::uint32_t ground = c.theme[Colour::Ground];
      const std::uint32_t clear = with_alpha(ground, 0);
      list.AddRectFilledMultiColor({pin.x - fade, pin.y}, {pin.x, pin.y + pin.height}, clear, ground, ground, clear);
      list.AddRectFilled({pin.x, pin.y}, {names.right() - 6 * s, pin.y + pin.height}, ground);
      draw_eye(list, centre(hide), lit(c, hands.under == LabelGrip::Hide), s);
      note_control(c, "lane_pin", pin);
      note_control(c, "lane_hide", hide);
      c.state.places["lane_fold"] = fold;
    }
    if (pointed || place.pinned) {
      draw_pin(list, centre(pin), place.pinned ? c.theme[Colour::Accent] : lit(c, hands.under == LabelGrip::Pin), s);
    }
  }
}

void draw_held(const Canvas& c, const NameArea& names, ImDrawList& list) {
  const LaneHands& hands = c.state.lane_hands;
  const float s = c.scale;
  const bool edge = hands.grip == LabelGrip::Edge || (hands.grip == LabelGrip::None && hands.under == LabelGrip::Edge);
  const auto place = c.state.timeline.place_of(hands.grip == LabelGrip::None ? hands.pointed.value_or("") : hands.held);
  if (!place) return;
  const Rect& r = place->rect;
  const std::uint32_t accent = c.theme[Colour::Accent];
  if (edge) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    list.AddRectFilled({names.left() + 8 * s, r.y + r.height}, {r.x + r.width - 16 * s, r.y + r.height + 2 * s},
                       with_alpha(accent, hands.grip == LabelGrip::Edge ? 1.0f : 0.6f));
  }
  if (hands.grip != LabelGrip::Name || !hands.moved) return;
  // The drop position, and the dragged name.
  list.AddRectFilled({names.left() + 8 * s, r.y - 4 * s}, {r.x + r.width - 16 * s, r.y - 2 * s}, accent);
  list.AddCircleFilled({names.left() + 8 * s, r.y - 3 * s}, 3 * s, accent);
  list.AddRect({names.right(), r.y - s}, {r.x + r.width - 16 * s, r.y + r.height + s}, with_alpha(accent, 0.7f), 3 * s);
  const float y = ImGui::GetIO().MousePos.y;
  const float width = std::min(text_width(c.fonts, FontRole::BodyBold, place->name) + 24 * s, 240 * s);
  const ImVec2 low{names.left() + 12 * s, y - 14 * s};
  const ImVec2 high{low.x + width, y + 14 * s};
  list.AddRectFilled({low.x + 2 * s, low.y + 3 * s}, {high.x + 3 * s, high.y + 4 * s}, c.theme[Colour::Shadow], 6 * s);
  list.AddRectFilled(low, high, c.theme[Colour::PanelHovered], 6 * s);
  list.AddRect(low, high, accent, 6 * s, 0, 1.5f * s);
  const Label label{low.x + 12 * s,     low.y,       width - 20 * s, c.theme[Colour::Text],
                    FontRole::BodyBold, place->name, 28 * s};
  draw_labels(list, c.fonts, {&label, 1});
}

// Always visible while lanes are hidden; opaque, so that scrolling names do not show through.
void draw_label_note(const Canvas& c, const NameArea& names, ImDrawList& list) {
  const std::size_t hidden = c.state.timeline.hidden_count();
  if (hidden == 0) return;
  const float s = c.scale;
  const Rect r = names.note();
  const bool hovered = c.state.lane_hands.under == LabelGrip::Note;
  list.AddRectFilled({names.left(), r.y - 2 * s}, {names.right() - s, names.bottom()}, c.theme[Colour::Ground]);
  list.AddRectFilled({r.x, r.y}, {r.x + r.width, r.y + r.height - 2 * s},
                     c.theme[hovered ? Colour::PanelHovered : Colour::PanelRaised], 5 * s);
  const std::string says = hidden == 1 ? std::string(tr("1 lane hidden · show")) : tr("{} lanes hidden · show", hidden);
  const Label label{r.x,
                    r.y,
                    r.width,
                    c.theme[hovered ? Colour::Text : Colour::Accent],
                    FontRole::Small,
                    says,
                    r.height - 2 * s,
                    LabelAlign::Centre};
  draw_labels(list, c.fonts, {&label, 1});
  note_control(c, "lanes_hidden", r);
}

void draw_label_tooltip(const Canvas& c, const NameArea& names) {
  const LaneHands& hands = c.state.lane_hands;
  if (hands.grip != LabelGrip::None || ImGui::IsMouseDown(0) || ImGui::IsMouseDown(1)) return;
  if (hands.under == LabelGrip::Note) return lane_tooltip(c, with_keys(tr("Show all lanes"), Action::ShowAllLanes), "");
  if (hands.under == LabelGrip::Heading) {
    for (const HeadingPlace& heading : c.state.timeline.headings()) {
      if (heading.group == hands.under_group) {
        return lane_tooltip(c, heading.text,
                            heading.folded ? tr("click: unfold these lanes") : tr("click: fold these lanes to strips"));
      }
    }
  }
  if (hands.under < LabelGrip::Name || hands.under > LabelGrip::Hide || !hands.pointed) return;
  const auto place = c.state.timeline.place_of(*hands.pointed);
  if (!place) return;
  switch (hands.under) {
    case LabelGrip::Pin:
      return lane_tooltip(
          c, with_keys(place->pinned ? tr("Unpin from the top") : tr("Pin to the top"), Action::PinLane), "");
    case LabelGrip::Hide:
      return lane_tooltip(c, with_keys(tr("Hide"), Action::HideLane), "");
    case LabelGrip::Fold:
      return lane_tooltip(c, with_keys(place->folded ? tr("Unfold") : tr("Fold to a strip"), Action::CollapseLane), "");
    case LabelGrip::Edge:
      return;
    default:
      // Next to the names, so that it does not cover them.
      ImGui::SetNextWindowPos({names.right() + 8 * c.scale, place->rect.y - 6 * c.scale});
      return lane_tooltip(c, place->full_name, tr("drag: move · double click: fold · right click: more"));
  }
}

}  // namespace

Rect NameArea::fold_mark(const Rect& row) const {
  return {left() + 1 * scale, row.y, kLabelMark * scale, std::min(row.height, kLabelMark * scale)};
}
Rect NameArea::hide_mark(const Rect& row) const {
  const float height = std::min(row.height, 34 * scale);
  return {right() - (kLabelMark + 4) * scale, row.y, kLabelMark * scale, height};
}
Rect NameArea::pin_mark(const Rect& row) const {
  const Rect hide = hide_mark(row);
  return {hide.x - kLabelMark * scale, hide.y, kLabelMark * scale, hide.height};
}
Rect NameArea::note() const {
  const float height = Timeline::kHiddenNoteHeight * scale;
  return {left() + 10 * scale, bottom() - height, right() - left() + 40 * scale, height - 2 * scale};
}

Rect heading_target(const Canvas& c, const HeadingPlace& heading) {
  const Rect& r = heading.rect;
  const float more = std::max(0.0f, kLeastTarget * c.scale - r.height) / 2;
  return {r.x, r.y - more, heading_width(c, heading), r.height + 2 * more};
}

float heading_width(const Canvas& c, const HeadingPlace& heading) {
  const float text = text_width(c.fonts, FontRole::SmallBold, heading.text);
  return std::min(heading.rect.width, 28 * c.scale + text + 8 * c.scale);
}

void handle_lane_names(const Canvas& c, const Rect& area) {
  const NameArea names{area, c.scale};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({names.left(), names.top()}, {area.x + area.width, names.bottom()}, true);
  draw_headings(c, names, list);
  draw_marks(c, names, list);
  draw_held(c, names, list);
  draw_label_note(c, names, list);
  list.PopClipRect();
  draw_label_tooltip(c, names);
  draw_lane_menu(c);
}

}  // namespace lanescope::ui
