// The controls of the side panels, in the window's own look.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "window/canvas.h"

namespace lanescope::ui {

/// Fonts and colours for the ImGui text that follows; popped by the destructor.
class TextStyle {
 public:
  TextStyle(const Canvas& canvas, FontRole role, Colour colour);
  TextStyle(const Canvas& canvas, FontRole role, std::uint32_t colour);
  ~TextStyle();
  TextStyle(const TextStyle&) = delete;
  TextStyle& operator=(const TextStyle&) = delete;
};

/// Space between the rows of an ImGui list (a combo box, a menu), so that each is as high as the least target.
class RowSpacing {
 public:
  explicit RowSpacing(const Canvas& canvas);
  ~RowSpacing();
  RowSpacing(const RowSpacing&) = delete;
  RowSpacing& operator=(const RowSpacing&) = delete;
};

void text(const Canvas& canvas, FontRole role, Colour colour, const std::string& text);
void wrapped_text(const Canvas& canvas, FontRole role, Colour colour, const std::string& text);
/// The lines of a paragraph of this width, with line breaks.
std::string wrapped_lines(const Canvas& canvas, FontRole role, const std::string& text, float width);
/// "EN  中文" at the right edge of the line, `right` from the window's left edge: the language of all texts.
void language_switch(const Canvas& canvas, float right);
float language_switch_width(const Canvas& canvas);
/// A small heading in capitals with space above.
void heading(const Canvas& canvas, const char* text);
/// Name on the left, value on the right edge in the figures' font.
void figure_line(const Canvas& canvas, const std::string& name, const std::string& value,
                 Colour value_colour = Colour::Text);
/// One text in a box, in which it is centred vertically, drawn over what the window has so far.
void draw_label(const Canvas& canvas, const Rect& box, std::uint32_t ink, FontRole font, std::string says,
                LabelAlign align = LabelAlign::Left);
/// Rounded to the grid of theme.h.
void vertical_space(const Canvas& canvas, float pixels);
/// Draws the outline of a control, in themes that have outlines; otherwise nothing.
void outline(const Canvas& canvas, const Rect& r, float rounding, bool hovered);

/// A button as wide as its text or as `width`; `on` draws it as chosen.
bool button(const Canvas& canvas, const std::string& id, const std::string& text, bool on = false, float width = 0,
            const char* tooltip = nullptr);
/// The wheel over the last item is the item's: the window around it must not scroll.
void own_wheel();
/// Gives the keyboard focus to the next item, a text field, or to the one before: what is typed until it has it waits.
void focus_field(const Canvas& canvas, int offset = 0);
/// Buttons side by side, one of them chosen; returns the one that was clicked, else -1.
int segmented(const Canvas& canvas, const std::string& id, const std::vector<std::string>& texts, int chosen,
              float width = 0);
/// A check box with a hint at the right edge (its key); dimmed if it currently has no effect.
bool toggle(const Canvas& canvas, const std::string& id, const std::string& label, bool value, const std::string& hint,
            bool without_effect = false);
/// A slider's groove and handle alone; `position` is 0 to 1. Returns where it was moved to; an arrow key moves it by
/// one of so many steps.
/// `width` 0: as wide as the panel.
std::optional<double> slider_track(const Canvas& canvas, const std::string& id, double position, int steps,
                                   float width = 0);
/// One knob, by its kind: slider, check box, buttons or number field. Returns the new value if it was turned.
/// `no_effect` says why turning it would change nothing now; null: it has an effect.
std::optional<workload::Value> knob(const Canvas& canvas, const workload::SettingSpec& spec,
                                    const workload::Value& value, const char* no_effect = nullptr);

/// The same in a row of knobs, without its hints: a knob without effect is dimmed and turns nothing, but says why.
/// `keys`: with the keys that turn it.
std::optional<workload::Value> row_knob(const Canvas& canvas, const workload::SettingSpec& spec,
                                        const workload::Value& value, const char* no_effect, const Rect& place,
                                        bool keys);
float row_knob_width(const Canvas& canvas, const workload::SettingSpec& spec, const workload::Value& value, bool keys);
/// A key in a box, its left edge at `x`; returns its width.
float key_chip(const Canvas& canvas, float x, float middle, const std::string& says);

/// True if this ImGuiKey was pressed or repeated in this frame: for fields and lists that have the keyboard focus.
bool key_pressed(int key);

/// The least width and height of what can be pressed, at scale 1 (WCAG 2.2, 2.5.8).
inline constexpr float kLeastTarget = 24;

/// An ImGui::InvisibleButton, which takes this much space in the layout and reaches out beyond it to the least target.
/// Follow it with note_control().
bool press_area(const Canvas& canvas, const char* id, ImVec2 size, ImGuiButtonFlags flags = 0);
/// Makes the last item, a text, something to press.
bool press_text(const Canvas& canvas, const char* id);

/// A frame around what somebody is told to look at.
void frame_around(const Canvas& canvas, ImDrawList& list, const Rect& r);
/// Remembers where the last ImGui item was drawn.
void note_place(const Canvas& canvas, const std::string& name);
/// The same for something that can be pressed: the walk of the focus (shell/focus_walk.h) goes to it. If `turns`, the
/// arrows change its value, see FocusWalk::take_turn().
void note_control(const Canvas& canvas, const std::string& name, bool turns = false);
/// A part of the last item that is pressed on its own.
void note_control(const Canvas& canvas, const std::string& name, const Rect& box);

}  // namespace lanescope::ui
