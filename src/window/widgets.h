// The controls of the side panels, in the window's own look.
#pragma once

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

void text(const Canvas& canvas, FontRole role, Colour colour, const std::string& text);
void wrapped_text(const Canvas& canvas, FontRole role, Colour colour, const std::string& text);
/// The lines of a paragraph of this width, with line breaks.
std::string wrapped_lines(const Canvas& canvas, FontRole role, const std::string& text, float width);
/// "EN  中文" at the right edge of the line, `right` from the window's left edge: the language of all texts.
void language_switch(const Canvas& canvas, float right);
/// A small heading in capitals with space above.
void heading(const Canvas& canvas, const char* text);
/// Name on the left, value on the right edge in the figures' font.
void figure_line(const Canvas& canvas, const std::string& name, const std::string& value,
                 Colour value_colour = Colour::Text);
/// Rounded to the grid of theme.h.
void vertical_space(const Canvas& canvas, float pixels);
/// Draws the outline of a control, in themes that have outlines; otherwise nothing.
void outline(const Canvas& canvas, const Rect& r, float rounding, bool hovered);

/// A button as wide as its text or as `width`; `on` draws it as chosen.
bool button(const Canvas& canvas, const std::string& id, const std::string& text, bool on = false, float width = 0,
            const char* tooltip = nullptr);
/// The wheel over the last item is the item's: the window around it must not scroll.
void own_wheel();
/// Drops the characters typed so far: the key that has opened a field must not appear in it.
void drop_typed_characters();
/// Buttons side by side, one of them chosen; returns the one that was clicked, else -1.
int segmented(const Canvas& canvas, const std::string& id, const std::vector<std::string>& texts, int chosen,
              float width = 0);
/// A check box with a hint at the right edge (its key); dimmed if it currently has no effect.
bool toggle(const Canvas& canvas, const std::string& id, const std::string& label, bool value, const std::string& hint,
            bool without_effect = false);
/// One knob, by its kind: slider, check box, buttons or number field. Returns the new value if it was turned.
/// `no_effect` says why turning it would change nothing now; null: it has an effect.
std::optional<workload::Value> knob(const Canvas& canvas, const workload::SettingSpec& spec,
                                    const workload::Value& value, const char* no_effect = nullptr);

/// True if this ImGuiKey was pressed or repeated in this frame: for fields and lists that have the keyboard focus.
bool key_pressed(int key);

/// Remembers where the last ImGui item was drawn.
void note_place(const Canvas& canvas, const std::string& name);

}  // namespace lanescope::ui
