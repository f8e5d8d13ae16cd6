#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/mark_actions.h"
#include "shell/selecting.h"
#include "timeline/timeline_drag.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr const char* kMenu = "##mark_menu";

// What the pressed button has grabbed.
struct Grab {
  MarkHit mark;
  bool moved = false;
};

Nanoseconds pointed_time(const ShellState& state) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const TimeAxis& axis = state.view.axis();
  if (!ImGui::GetIO().KeyAlt) {  // Alt: no snapping
    if (const auto edge = snap(state.model.trace(), state.timeline, axis, mouse.x, mouse.y)) return edge->at;
  }
  return axis.to_ns(mouse.x);
}

void drag_ruler(ShellState& state, const MarkHit& mark) {
  Measure* ruler = state.marks.ruler(mark.id);
  if (!ruler || mark.part == RulerPart::Body) return;
  (mark.part == RulerPart::From ? ruler->from : ruler->to) = pointed_time(state);
}

// Swaps the ends of a ruler if one was dragged past the other.
void settle(ShellState& state, const MarkHit& mark) {
  Measure* ruler = state.marks.ruler(mark.id);
  if (!ruler) return;
  if (ruler->from == ruler->to) return state.marks.remove(mark.id);
  if (ruler->from > ruler->to) std::swap(ruler->from, ruler->to);
  state.marks.changed();
}

void edit_note(ShellState& state, std::uint32_t id) {
  const Bookmark* note = state.marks.bookmark(id);
  if (!note) return;
  state.marks.editing = id;
  state.marks.edit_text = note->text;
  state.marks.edit_begins = true;
  state.await_field();
}

// A click on a ruler selects its range; on a bookmark, restores its view; on a note, shows it.
void click(ShellState& state, const MarkHit& mark) {
  if (const Measure* ruler = mark.ruler ? state.marks.ruler(mark.id) : nullptr) {
    select_range(state, ruler->from, ruler->to);
  } else if (const Bookmark* b = state.marks.bookmark(mark.id)) {
    if (b->is_note()) {
      state.marks.shown = b->id;
    } else {
      go_to_bookmark(state, b->id);
    }
  }
}

void draw_mark_menu(const Canvas& c, std::uint32_t id) {
  ShellState& state = c.state;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {10 * c.scale, 8 * c.scale});
  const RowSpacing rows(c);
  if (ImGui::BeginPopup(kMenu)) {
    const auto chosen = [&](const char* says) {
      const bool clicked = ImGui::MenuItem(says);
      note_control(c, std::string("mark_menu.") + says);
      return clicked;
    };
    const Measure* ruler = state.marks.ruler(id);
    const Bookmark* bookmark = state.marks.bookmark(id);
    if (ruler && chosen(tr("Select this range"))) select_range(state, ruler->from, ruler->to);
    if (ruler && chosen(tr("Zoom to this range"))) state.view.show(ruler->from, ruler->to);
    if (ruler && chosen(tr("Copy the time"))) {
      ImGui::SetClipboardText(measure_text(ruler->to - ruler->from).c_str());
    }
    if (bookmark && chosen(tr("Go there"))) go_to_bookmark(state, id);
    if (bookmark && chosen(bookmark->is_note() ? tr("Edit the text") : tr("Write a note"))) edit_note(state, id);
    if (chosen(tr("Remove"))) state.marks.remove(id);
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace

bool handle_mark_gestures(const Canvas& c) {
  static std::optional<Grab> grab;
  static std::uint32_t menu_of = 0;
  ShellState& state = c.state;
  Marks& marks = state.marks;
  draw_mark_menu(c, menu_of);
  if (marks.open) {
    if (ImGui::IsItemHovered()) marks.open->to = pointed_time(state);
    if (!ImGui::IsItemActivated() && !ImGui::IsItemActive() && !ImGui::IsItemDeactivated()) return false;
    if (ImGui::IsItemDeactivated() && ImGui::IsItemHovered()) perform(state, Action::AddRuler);
    return true;
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto over = ImGui::IsItemHovered() ? hit_mark(state.mark_shapes, mouse.x, mouse.y) : std::nullopt;
  const auto part = grab ? grab->mark.part : over ? over->part : RulerPart::Body;
  if (part != RulerPart::Body) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (over && over->part == RulerPart::Body) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (over && ImGui::IsMouseClicked(1)) {
    menu_of = over->id;
    ImGui::OpenPopup(kMenu);
    return true;
  }
  if (over && !over->ruler && ImGui::IsMouseDoubleClicked(0)) edit_note(state, over->id);
  if (ImGui::IsItemActivated() && over) {
    grab = Grab{*over};
    state.view.pan(0);  // freeze the view while dragging
  }
  if (!grab) return false;
  const ImVec2 moved = ImGui::GetMouseDragDelta(0, 0);
  if (std::hypot(moved.x, moved.y) > 3) grab->moved = true;
  if (grab->moved) drag_ruler(state, grab->mark);
  if (!ImGui::IsMouseDown(0)) {
    if (grab->moved && grab->mark.part != RulerPart::Body) {
      settle(state, grab->mark);
    } else if (!grab->moved) {
      click(state, grab->mark);
    }
    grab.reset();
  }
  return true;
}

void draw_note_editor(const Canvas& c) {
  ShellState& state = c.state;
  Marks& marks = state.marks;
  if (!marks.editing) return;
  const auto shape = std::find_if(state.mark_shapes.bookmarks.begin(), state.mark_shapes.bookmarks.end(),
                                  [&](const BookmarkShape& b) { return b.id == *marks.editing; });
  const float s = c.scale;
  const float width = 280 * s;
  const Rect& timeline = state.places["timeline"];
  const bool seen = shape != state.mark_shapes.bookmarks.end();
  const float x = seen ? shape->body.x : timeline.x + timeline.width / 2;
  const float y = seen ? shape->body.y : timeline.y + 40 * s;
  ImGui::SetNextWindowPos({std::clamp(x, timeline.x, timeline.x + timeline.width - width), y - 4 * s});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, c.theme[Colour::PanelRaised]);
  ImGui::PushStyleColor(ImGuiCol_Border, c.theme[Colour::Simulated]);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8 * s, 6 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1.5f * s);
  ImGui::Begin("##note", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  if (marks.edit_begins) focus_field(c);
  ImGui::SetNextItemWidth(-1);
  const bool entered = ImGui::InputTextWithHint("##text", tr("note · Enter: save, Esc: cancel"), &marks.edit_text,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  note_control(c, "note.field");
  const bool left = !marks.edit_begins && !ImGui::IsItemActive();
  marks.edit_begins = false;
  if (entered || left) {
    const std::uint32_t id = *marks.editing;
    marks.editing.reset();
    if (Bookmark* note = marks.bookmark(id)) {
      if (entered) note->text = marks.edit_text;
      // A note left without text is discarded.
      if (note->text.empty()) {
        marks.remove(id);
      } else {
        marks.changed();
      }
    }
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
}

}  // namespace lanescope::ui
