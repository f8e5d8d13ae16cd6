#include "window/widgets.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "base/plain_text.h"
#include "base/translate.h"
#include "model/experiment/slider_scale.h"
#include "picture/font_files.h"
#include "picture/words.h"
#include "render/labels.h"

namespace lanescope::ui {
namespace {

using base::tr;
using workload::SettingSpec;
using workload::SettingType;
using workload::Value;

double number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

Value as_setting(const SettingSpec& spec, double v) {
  v = std::clamp(v, spec.minimum, spec.maximum);
  if (spec.type == SettingType::Integer) return static_cast<std::int64_t>(std::llround(v));
  return std::round(v * 10) / 10;
}

std::string shown(const SettingSpec& spec, const Value& value) {
  if (spec.zero_is_never && number(value) == 0) return tr("never");
  std::string text = spec.type == SettingType::Integer ? base::format_count(std::get<std::int64_t>(value))
                                                       : fmt::format("{:g}", number(value));
  return spec.unit.empty() ? text : text + " " + spec.unit;
}

// The hint next to a knob: the keys that turn it, or a few of its values.
std::string slider_hint(const SettingSpec& spec) {
  const auto more = action_for(spec.action, -1), fewer = action_for(spec.action, 1);
  if (!more || !fewer) return spec.examples.empty() ? "" : tr(spec.examples);
  return tr("{} and {} · every N iterations; 0 never", key_text(info(*more).keys.front()),
            key_text(info(*fewer).keys.front()));
}

// The value at the right of a knob's name, or at the cursor if `right` is 0: a click turns it into a text field.
std::optional<Value> value_field(const Canvas& c, const SettingSpec& spec, const Value& value, float right) {
  ShellState& state = c.state;
  if (state.knob_editing.setting == spec.key) {
    const float width = (right > 0 ? 90 : 48) * c.scale;
    if (right > 0) ImGui::SameLine(right - width);
    ImGui::SetNextItemWidth(width);
    const TextStyle style(c, FontRole::Mono, Colour::Text);
    if (!ImGui::IsAnyItemActive()) focus_field(c);
    const bool entered = ImGui::InputText(("##edit" + spec.key).c_str(), &state.knob_editing.text,
                                          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    const bool left = ImGui::IsItemDeactivated();
    if (!entered && !left) return std::nullopt;
    state.knob_editing.setting.clear();
    if (!entered) return std::nullopt;
    try {
      workload::Settings checked({spec});
      checked.set_text(spec.key, state.knob_editing.text);
      return checked.value(spec.key);
    } catch (const std::exception& error) {
      state.show_toast(error.what(), true);
      return std::nullopt;
    }
  }
  const std::string text_shown = shown(spec, value);
  const float width = text_width(c.fonts, FontRole::Mono, text_shown);
  if (right > 0) ImGui::SameLine(right - width);
  text(c, FontRole::Mono, Colour::Accent, text_shown);
  const bool clicked = press_text(c, ("##value" + spec.key).c_str());
  note_control(c, "value." + spec.key);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr("click to type a value"));
  if (clicked) {
    state.knob_editing.setting = spec.key;
    state.knob_editing.text = workload::to_text(value);
    state.await_field();
  }
  return std::nullopt;
}

// A slider's groove and handle, `width` wide; 0: as wide as the panel. `dragged` gets where the mouse has dragged the
// handle to, `turned` the direction of an arrow key; both return where the handle then is.
void draw_track(const Canvas& c, const std::string& name, double position, const auto& dragged, const auto& turned,
                float width = 0) {
  const float radius = 7 * c.scale;
  const float height = 20 * c.scale;
  if (width <= 0) width = ImGui::GetContentRegionAvail().x;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  press_area(c, ("##slider" + name).c_str(), {width, height});
  note_control(c, name, true);
  const float x0 = low.x + radius;
  const float x1 = low.x + width - radius;
  const float y = low.y + height / 2;
  const bool active = ImGui::IsItemActive() && !c.state.focus.pressing;  // Enter has no place on it
  const bool hovered = ImGui::IsItemHovered();
  if (active) {
    position = dragged(std::clamp((ImGui::GetIO().MousePos.x - x0) / std::max(1.0f, x1 - x0), 0.0f, 1.0f));
  }
  if (const int direction = c.state.focus.take_turn(name)) position = turned(direction);
  const float x = x0 + static_cast<float>(position) * (x1 - x0);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = 2 * c.scale;
  list.AddRectFilled({x0 - radius, y - line}, {x1 + radius, y + line}, c.theme[Colour::Faint], line);
  list.AddRectFilled({x0 - radius, y - line}, {x, y + line}, c.theme[Colour::Accent], line);
  if (hovered || active)
    list.AddCircleFilled({x, y}, radius + 4 * c.scale, with_alpha(c.theme[Colour::Accent], 0.25f), 32);
  list.AddCircleFilled({x, y}, radius, c.theme[Colour::Text], 32);
}

std::optional<Value> turned_track(const Canvas& c, const SettingSpec& spec, const Value& value, float width) {
  std::optional<Value> turned;
  const auto shown_at = [&](double at) {
    const Value wanted = as_setting(spec, slider_value(spec, at));
    if (wanted != value) turned = wanted;
    return slider_position(spec, number(turned.value_or(value)));
  };
  const auto next = [&](int direction) {
    turned = as_setting(spec, next_slider_value(spec, number(value), direction));
    return slider_position(spec, number(*turned));
  };
  draw_track(c, "knob." + spec.key, slider_position(spec, number(value)), shown_at, next, width);
  return turned;
}

std::optional<Value> slider(const Canvas& c, const SettingSpec& spec, const Value& value) {
  std::optional<Value> turned;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  text(c, FontRole::Body, Colour::Text, tr(spec.label));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(spec.help));
  if (auto typed = value_field(c, spec, value, right)) turned = typed;

  if (auto moved = turned_track(c, spec, turned.value_or(value), 0)) turned = moved;
  if (const std::string hint = slider_hint(spec); !hint.empty()) text(c, FontRole::Small, Colour::Dim, hint);
  vertical_space(c, 12);
  return turned;
}

// For numbers without a sensible slider (a seed): the number between two buttons.
std::optional<Value> stepper(const Canvas& c, const SettingSpec& spec, const Value& value) {
  std::optional<Value> turned;
  const float width = ImGui::GetContentRegionAvail().x;
  const float start = ImGui::GetCursorPosX();
  const float side = 26 * c.scale;
  ImGui::AlignTextToFramePadding();
  text(c, FontRole::Body, Colour::Text, tr(spec.label));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(spec.help));
  if (auto typed = value_field(c, spec, value, start + width - 2 * side - 18 * c.scale)) turned = typed;
  ImGui::SameLine(start + width - 2 * side - 4 * c.scale);
  if (button(c, "less." + spec.key, "−", false, side)) turned = as_setting(spec, number(value) - 1);
  ImGui::SameLine(start + width - side);
  if (button(c, "more." + spec.key, "+", false, side)) turned = as_setting(spec, number(value) + 1);
  vertical_space(c, 8);
  return turned;
}

// Of many, those that the experiment is about.
std::vector<std::string> choices_now(const Canvas& c, const SettingSpec& spec, const std::string& chosen) {
  const auto& active = c.state.experiment.active;
  return active ? active->choices(spec, chosen) : spec.choices;
}

// Puts as many as are readable side by side, in rows.
int choice_buttons(const Canvas& c, const std::string& id, const std::vector<std::string>& texts, int chosen) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float gap = 4 * c.scale;
  float widest = 0;
  for (const std::string& t : texts) widest = std::max(widest, text_width(c.fonts, FontRole::BodyBold, t));
  const float least = widest + 9 * c.scale;
  const auto count = static_cast<int>(texts.size());
  const int columns = std::clamp(static_cast<int>((width + gap) / (least + gap)), 1, count);
  const float each = (width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  int clicked = -1;
  for (int i = 0; i < count; ++i) {
    if (i % columns != 0) ImGui::SameLine(0, gap);
    const std::string& t = texts[static_cast<std::size_t>(i)];
    if (button(c, id + "." + t, t, i == chosen, each)) clicked = i;
  }
  return clicked;
}

std::string toggle_hint(const SettingSpec& spec) {
  const auto action = action_for(spec.action, 0);
  if (!action) return {};
  const KeyChord chord = info(*action).keys.front();
  return chord.key == 0 ? std::string() : key_text(chord);
}

}  // namespace

TextStyle::TextStyle(const Canvas& c, FontRole role, Colour colour) : TextStyle(c, role, c.theme.as_text(colour)) {}

TextStyle::TextStyle(const Canvas& c, FontRole role, std::uint32_t colour) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(c.fonts[role], c.fonts.size(role));
#else
  ImGui::PushFont(c.fonts[role]);
#endif
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
}

TextStyle::~TextStyle() {
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

RowSpacing::RowSpacing(const Canvas& c) {
  const ImVec2 now = ImGui::GetStyle().ItemSpacing;
  const float wanted = std::ceil(kLeastTarget * c.scale - ImGui::GetTextLineHeight());
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {now.x, std::max(now.y, wanted)});
}

RowSpacing::~RowSpacing() { ImGui::PopStyleVar(); }

void text(const Canvas& c, FontRole role, Colour colour, const std::string& t) {
  const TextStyle style(c, role, colour);
  c.fonts.note(role, t);
  ImGui::TextUnformatted(t.data(), t.data() + t.size());
}

void wrapped_text(const Canvas& c, FontRole role, Colour colour, const std::string& sentence) {
  text(c, role, colour, wrapped_lines(c, role, sentence, ImGui::GetContentRegionAvail().x));
}

std::string wrapped_lines(const Canvas& c, FontRole role, const std::string& sentence, float width) {
  // Keep a number and its percent sign on one line: lines break only at plain spaces.
  std::string t = sentence;
  for (std::size_t at = t.find(" %"); at != std::string::npos; at = t.find(" %", at)) t.replace(at, 1, "\u00a0");
  return base::wrap(t, width, [&](std::string_view letter) { return text_width(c.fonts, role, letter); });
}

namespace {

constexpr float kLanguagePad = 7;

float width_of(const Canvas& c, base::Language language) {
  return text_width(c.fonts, FontRole::Body, language_name(language)) + 2 * kLanguagePad * c.scale;
}

}  // namespace

float language_switch_width(const Canvas& c) {
  return width_of(c, base::Language::English) + width_of(c, base::Language::Chinese);
}

void language_switch(const Canvas& c, float right) {
  using experiment::Language;
  const float s = c.scale;
  const float height = 20 * s;
  const float pad = kLanguagePad * s;
  const bool possible = has_chinese_font();
  float x = right - language_switch_width(c);
  const float y = ImGui::GetCursorPosY();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const Language language : {Language::English, Language::Chinese}) {
    ImGui::SetCursorPos({x, y});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = width_of(c, language);
    const std::string id = "language." + std::string(base::language_key(language));
    const bool clicked = press_area(c, id.c_str(), {width, height});
    note_control(c, id);
    const bool chosen = c.state.language() == language;
    const bool dead = language == Language::Chinese && !possible;
    if (chosen) list.AddRectFilled(at, {at.x + width, at.y + height}, c.theme[Colour::PanelRaised], 4 * s);
    const Colour ink = dead     ? Colour::Faint
                       : chosen ? Colour::Accent
                                : (ImGui::IsItemHovered() ? Colour::Text : Colour::Muted);
    const Label label{at.x + pad, at.y, width - 2 * pad + 2, c.theme[ink], FontRole::Body, language_name(language),
                      height};
    draw_labels(list, c.fonts, {&label, 1});
    if (ImGui::IsItemHovered()) {
      const std::string tip = with_keys(tr(info(Action::ToggleLanguage).text), Action::ToggleLanguage);
      ImGui::SetTooltip("%s", dead ? no_chinese_text().c_str() : tip.c_str());
    }
    if (clicked && !chosen) c.state.requests.actions.push_back(Action::ToggleLanguage);
    x += width;
  }
}

void outline(const Canvas& c, const Rect& r, float rounding, bool hovered) {
  if (c.theme.outline <= 0) return;
  ImGui::GetWindowDrawList()->AddRect({r.x, r.y}, {r.x + r.width, r.y + r.height},
                                      c.theme[hovered ? Colour::Accent : Colour::Line], rounding * c.scale, 0,
                                      c.theme.outline * c.scale);
}

void draw_label(const Canvas& c, const Rect& box, std::uint32_t ink, FontRole font, std::string says,
                LabelAlign align) {
  const Label label{box.x, box.y, box.width, ink, font, std::move(says), box.height, align};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&label, 1});
}

void vertical_space(const Canvas& c, float pixels) {
  pixels = std::round(pixels / kGrid) * kGrid;
  ImGui::Dummy({0, std::max(0.0f, pixels * c.scale - ImGui::GetStyle().ItemSpacing.y)});
}

void heading(const Canvas& c, const char* t) {
  vertical_space(c, 16);
  text(c, FontRole::SmallBold, Colour::Dim, t);
  vertical_space(c, 2);
}

void figure_line(const Canvas& c, const std::string& name, const std::string& value, Colour colour) {
  const float start = ImGui::GetCursorPosX();
  const float width = ImGui::GetContentRegionAvail().x;
  const float value_width = text_width(c.fonts, FontRole::Mono, value);
  text(c, FontRole::Body, Colour::Muted, fit_text(c.fonts, FontRole::Body, name, width - value_width - 8 * c.scale));
  ImGui::SameLine(start + width - value_width);
  text(c, FontRole::Mono, colour, value);
}

bool key_pressed(int key) {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(static_cast<ImGuiKey>(key));
#else
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key));
#endif
}

void frame_around(const Canvas& c, ImDrawList& list, const Rect& r) {
  const float pad = 4 * c.scale;
  list.AddRect({r.x - pad, r.y - pad}, {r.x + r.width + pad, r.y + r.height + pad}, c.theme[Colour::Simulated],
               6 * c.scale, 0, 2.5f * c.scale);
}

void note_place(const Canvas& c, const std::string& name) {
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 size = ImGui::GetItemRectSize();
  c.state.places[name] = {low.x, low.y, size.x, size.y};
}

namespace {

void note_control(const Canvas& c, const std::string& name, const Rect& box, bool turns) {
  c.state.places[name] = box;
  const ImGuiWindow& window = *ImGui::GetCurrentWindowRead();
  const ImRect& room = window.ClipRect;
  c.state.focus.note({name,
                      box,
                      window.ID,
                      window.RootWindow->ID,
                      {room.Min.x, room.Min.y, room.GetWidth(), room.GetHeight()},
                      turns});
}

// Reaches out evenly on both sides.
ImRect target(const Canvas& c, ImVec2 low, ImVec2 size) {
  const float least = kLeastTarget * c.scale;
  const float wider = std::max(0.0f, least - size.x) / 2;
  const float higher = std::max(0.0f, least - size.y) / 2;
  return {low.x - wider, low.y - higher, low.x + size.x + wider, low.y + size.y + higher};
}

}  // namespace

void note_control(const Canvas& c, const std::string& name, bool turns) {
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 size = ImGui::GetItemRectSize();
  note_control(c, name, {low.x, low.y, size.x, size.y}, turns);
}

void note_control(const Canvas& c, const std::string& name, const Rect& box) { note_control(c, name, box, false); }

bool press_area(const Canvas& c, const char* id, ImVec2 size, ImGuiButtonFlags flags) {
  ImGuiWindow& window = *ImGui::GetCurrentWindow();
  if (window.SkipItems) return false;
  const ImVec2 at = window.DC.CursorPos;
  const ImRect hit = target(c, at, size);
  const ImGuiID item = imgui_id(id);
  ImGui::ItemSize(size);
  if (!ImGui::ItemAdd(hit, item)) return false;
  bool hovered = false, held = false;
  return ImGui::ButtonBehavior(hit, item, &hovered, &held, flags);
}

bool press_text(const Canvas& c, const char* id) {
  ImGuiWindow& window = *ImGui::GetCurrentWindow();
  if (window.SkipItems) return false;
  const ImRect hit = target(c, ImGui::GetItemRectMin(), ImGui::GetItemRectSize());
  const ImGuiID item = imgui_id(id);
  if (!ImGui::ItemAdd(hit, item)) return false;
  bool hovered = false, held = false;
  return ImGui::ButtonBehavior(hit, item, &hovered, &held);
}

void own_wheel() {
#if IMGUI_VERSION_NUM >= 18900
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
#endif
}

void focus_field(const Canvas& c, int offset) {
  ImGui::SetKeyboardFocusHere(offset);
  c.state.await_field();
}

bool button(const Canvas& c, const std::string& id, const std::string& t, bool on, float width, const char* tooltip) {
  const float text_w = text_width(c.fonts, on ? FontRole::BodyBold : FontRole::Body, t);
  const ImVec2 size{width > 0 ? width : text_w + 24 * c.scale, 26 * c.scale};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = press_area(c, id.c_str(), size);
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::uint32_t ground =
      on ? c.theme[Colour::Accent] : c.theme[hovered ? Colour::PanelHovered : Colour::PanelRaised];
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, ground, 5 * c.scale);
  outline(c, {at.x, at.y, size.x, size.y}, 5, hovered);
  Label label{at.x + 4 * c.scale,
              at.y,
              size.x - 8 * c.scale,
              c.theme[on ? Colour::AccentInk : Colour::Text],
              on ? FontRole::BodyBold : FontRole::Body,
              t,
              size.y,
              LabelAlign::Centre};
  draw_labels(list, c.fonts, {&label, 1});
  if (tooltip && hovered) ImGui::SetTooltip("%s", tooltip);
  return clicked;
}

int segmented(const Canvas& c, const std::string& id, const std::vector<std::string>& texts, int chosen, float width) {
  int clicked = -1;
  float each = 0;
  const float gap = 6 * c.scale;
  if (width > 0) {
    const auto n = static_cast<float>(texts.size());
    each = (width - gap * (n - 1)) / n;
  }
  for (int i = 0; i < static_cast<int>(texts.size()); ++i) {
    if (i) ImGui::SameLine(0, gap);
    const std::string& t = texts[static_cast<std::size_t>(i)];
    if (button(c, id + "." + t, t, i == chosen, each)) clicked = i;
  }
  return clicked;
}

bool toggle(const Canvas& c, const std::string& id, const std::string& label_text, bool value, const std::string& hint,
            bool without_effect) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = 28 * c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = press_area(c, ("##" + id).c_str(), {width, height});
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float side = 18 * c.scale;
  const float y = at.y + (height - side) / 2;
  const ImVec2 low{at.x, y};
  const ImVec2 high{at.x + side, y + side};
  if (value) {
    list.AddRectFilled(low, high, c.theme[without_effect ? Colour::Faint : Colour::Accent], 4 * c.scale);
    const ImVec2 tick[3] = {{low.x + side * 0.22f, y + side * 0.52f},
                            {low.x + side * 0.42f, y + side * 0.72f},
                            {low.x + side * 0.78f, y + side * 0.30f}};
    list.AddPolyline(tick, 3, c.theme[Colour::AccentInk], 0, 2 * c.scale);
  } else {
    list.AddRectFilled(low, high, c.theme[hovered ? Colour::PanelHovered : Colour::PanelRaised], 4 * c.scale);
    list.AddRect(low, high, c.theme[hovered ? Colour::Accent : Colour::Faint], 4 * c.scale, 0, 1.5f * c.scale);
  }
  const float room = width - side - (hint.empty() ? 10 : 36) * c.scale;
  const FontRole role = text_width(c.fonts, FontRole::Body, label_text) > room ? FontRole::Small : FontRole::Body;
  const Label labels[2] = {
      {at.x + side + 10 * c.scale, at.y, room, c.theme[without_effect ? Colour::Dim : Colour::Text], role, label_text,
       height},
      {at.x, at.y, width, c.theme[Colour::Dim], FontRole::MonoSmall, hint, height, LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
  return clicked;
}

std::optional<double> slider_track(const Canvas& c, const std::string& id, double position, int steps, float width) {
  std::optional<double> moved;
  const auto to = [&](double at) {
    const double wanted = std::clamp(at, 0.0, 1.0);
    if (wanted != position) moved = wanted;
    return wanted;
  };
  draw_track(
      c, id, position, to, [&](int direction) { return to(position + direction / static_cast<double>(steps)); }, width);
  return moved;
}

std::optional<Value> knob(const Canvas& c, const SettingSpec& spec, const Value& value, const char* no_effect) {
  switch (spec.type) {
    case SettingType::Bool: {
      const bool on = std::get<bool>(value);
      const bool clicked = toggle(c, "knob." + spec.key, tr(spec.label), on, toggle_hint(spec), no_effect != nullptr);
      if (ImGui::IsItemHovered()) {
        const std::string why = no_effect ? tr("No effect now: {}.", no_effect) : "";
        ImGui::SetTooltip("%s", no_effect ? why.c_str() : tr(spec.help));
      }
      if (clicked) return Value(!on);
      return std::nullopt;
    }
    case SettingType::Choice: {
      text(c, FontRole::Body, Colour::Text, tr(spec.label));
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(spec.help));
      const auto& chosen = std::get<std::string>(value);
      const std::vector<std::string> choices = choices_now(c, spec, chosen);
      const auto found = std::find(choices.begin(), choices.end(), chosen);
      const int clicked = choice_buttons(c, "knob." + spec.key, choices, static_cast<int>(found - choices.begin()));
      vertical_space(c, 10);
      if (clicked >= 0) return Value(choices[static_cast<std::size_t>(clicked)]);
      return std::nullopt;
    }
    default:
      return spec.maximum > 1e6 ? stepper(c, spec, value) : slider(c, spec, value);
  }
}

// --- in a row
// ---------------------------------------------------------------------------------------------------------

namespace {

constexpr float kTrack = 150, kRowValue = 52, kRowBox = 16;

bool is_switch(const SettingSpec& spec) {
  return spec.type == SettingType::Bool ||
         (spec.type == SettingType::Choice && spec.choices.size() == 2 && action_for(spec.action, 0));
}

std::string row_label(const SettingSpec& spec) {
  return spec.action == workload::SettingAction::Feed ? tr("Fresh batch") : tr(spec.label);
}

std::vector<std::string> row_keys(const SettingSpec& spec) {
  std::vector<std::string> keys;
  const auto add = [&](int step) {
    if (const auto action = action_for(spec.action, step)) keys.push_back(key_text(info(*action).keys.front()));
  };
  is_switch(spec) ? add(0) : (add(-1), add(1));
  std::erase(keys, "–");
  return keys;
}

}  // namespace

float row_knob_width(const Canvas& c, const SettingSpec& spec, const Value& value, bool keys) {
  const float s = c.scale;
  float width = text_width(c.fonts, FontRole::Body, row_label(spec)) + 8 * s;
  if (is_switch(spec)) {
    width += (kRowBox + 2) * s;
  } else if (spec.type == SettingType::Choice) {
    for (const std::string& choice : choices_now(c, spec, std::get<std::string>(value)))
      width += text_width(c.fonts, FontRole::BodyBold, choice) + (12 + 4) * s;
  } else {
    width += (kTrack + kRowValue + 8) * s;
  }
  for (const std::string& key : keys ? row_keys(spec) : std::vector<std::string>{})
    width += text_width(c.fonts, FontRole::MonoSmall, key) + 16 * s;
  return width;
}

std::optional<Value> row_knob(const Canvas& c, const SettingSpec& spec, const Value& value, const char* no_effect,
                              const Rect& place, bool keys) {
  const float s = c.scale;
  const float middle = place.y + place.height / 2;
  const std::uint32_t ink = c.theme[no_effect ? Colour::Dim : Colour::Text];
  const std::string label = row_label(spec);
  const float label_width = text_width(c.fonts, FontRole::Body, label) + 8 * s;
  const auto why = [&] { return no_effect ? tr("No effect now: {}.", no_effect) : std::string(tr(spec.help)); };
  std::optional<Value> turned;
  float x = place.x;
  if (is_switch(spec)) {
    const bool choice = spec.type == SettingType::Choice;
    const bool on = choice ? std::get<std::string>(value) == spec.choices[1] : std::get<bool>(value);
    ImGui::SetCursorScreenPos({x, middle - 14 * s});
    const bool clicked = press_area(c, ("##knob." + spec.key).c_str(), {(kRowBox + 2) * s + label_width, 28 * s});
    note_control(c, "knob." + spec.key);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetTooltip("%s", why().c_str());
    const Rect box{x, middle - kRowBox * s / 2, kRowBox * s, kRowBox * s};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 low{box.x, box.y}, high{box.x + box.width, box.y + box.height};
    if (on) {
      list.AddRectFilled(low, high, c.theme[no_effect ? Colour::Faint : Colour::Accent], 4 * s);
      const ImVec2 tick[3] = {{low.x + 0.22f * box.width, low.y + 0.52f * box.width},
                              {low.x + 0.42f * box.width, low.y + 0.72f * box.width},
                              {low.x + 0.78f * box.width, low.y + 0.30f * box.width}};
      list.AddPolyline(tick, 3, c.theme[Colour::AccentInk], 0, 2 * s);
    } else {
      list.AddRect(low, high,
                   c.theme[no_effect ? Colour::Faint
                           : hovered ? Colour::Accent
                                     : Colour::Muted],
                   4 * s, 0, 1.5f * s);
    }
    draw_label(c, {x + (kRowBox + 8) * s, place.y, label_width, place.height}, ink, FontRole::Body, label);
    x += (kRowBox + 2) * s + label_width;
    if (clicked && no_effect) c.state.show_toast(why());
    if (clicked && !no_effect) turned = choice ? Value(spec.choices[on ? 0 : 1]) : Value(!on);
  } else {
    draw_label(c, {x, place.y, label_width, place.height}, ink, FontRole::Body, label);
    if (ImGui::IsMouseHoveringRect({x, place.y}, {x + label_width, place.y + place.height}))
      ImGui::SetTooltip("%s", why().c_str());
    x += label_width;
    if (spec.type == SettingType::Choice) {
      const auto& chosen = std::get<std::string>(value);
      for (const std::string& choice : choices_now(c, spec, chosen)) {
        const float width = text_width(c.fonts, FontRole::BodyBold, choice) + 12 * s;
        ImGui::SetCursorScreenPos({x, middle - 13 * s});
        if (button(c, "knob." + spec.key + "." + choice, choice, choice == chosen, width) && choice != chosen)
          turned = Value(choice);
        x += width + 4 * s;
      }
    } else {
      ImGui::SetCursorScreenPos({x, middle - 10 * s});
      turned = turned_track(c, spec, value, kTrack * s);
      x += (kTrack + 8) * s;
      ImGui::SetCursorScreenPos({x, middle - c.fonts.size(FontRole::Mono) / 2 + 1});
      if (auto typed = value_field(c, spec, value, 0)) turned = typed;
      x += kRowValue * s;
    }
    if (turned && no_effect) {
      c.state.show_toast(why());
      turned.reset();
    }
  }
  for (const std::string& key : keys && !no_effect ? row_keys(spec) : std::vector<std::string>{})
    x += key_chip(c, x + 4 * s, middle, key) + 6 * s;
  return turned;
}

float key_chip(const Canvas& c, float x, float middle, const std::string& says) {
  const float s = c.scale;
  const float width = text_width(c.fonts, FontRole::MonoSmall, says) + 10 * s;
  const Rect box{x, middle - 9 * s, width, 18 * s};
  ImGui::GetWindowDrawList()->AddRect({box.x, box.y}, {box.x + box.width, box.y + box.height}, c.theme[Colour::Faint],
                                      4 * s);
  draw_label(c, box, c.theme[Colour::Muted], FontRole::MonoSmall, says, LabelAlign::Centre);
  return width;
}

}  // namespace lanescope::ui
