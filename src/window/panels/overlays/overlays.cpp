#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/time.h"
#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/experiment/experiment_panels.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr ImGuiWindowFlags kBare = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                                   ImGuiWindowFlags_NoNav;

// A line in the list of keys: a heading, or keys and what they do.
struct HelpLine {
  std::string keys, says;
  bool heading = false;
};

std::vector<std::vector<HelpLine>> help_blocks() {
  std::vector<std::vector<HelpLine>> blocks;
  for (std::size_t g = 0; g < kActionGroups; ++g) {
    std::vector<HelpLine> block{{group_title(static_cast<ActionGroup>(g)), "", true}};
    for (const ActionInfo& a : actions()) {
      if (static_cast<std::size_t>(a.group) == g && is_listed(a)) {
        block.push_back({key_text(a.keys.front()), tr(a.text)});
      }
    }
    if (block.size() > 1) blocks.push_back(std::move(block));
  }
  std::vector<HelpLine>& mouse = blocks.emplace_back();
  mouse.push_back({tr("MOUSE"), "", true});
  for (const Gesture& g : gestures()) mouse.push_back({tr(g.gesture), tr(g.text)});
  return blocks;
}

// Where a line's description begins, and its wrapped text.
struct HelpPlace {
  float x = 0, height = 0;
  std::string says;
  bool below = false;
};

class HelpColumns {
 public:
  HelpColumns(const Canvas& canvas, float width) : c_(canvas), width_(width), blocks_(help_blocks()) {
    for (const auto& block : blocks_) {
      for (const HelpLine& l : block) places_.push_back(place(l));
    }
  }
  /// The least height at which everything fits into `columns`.
  float height(std::size_t columns) const {
    float height = 0;
    for (const HelpPlace& p : places_) height += p.height / static_cast<float>(columns);
    while (walk(height, [](auto&&...) {}) > columns) height += line();
    return height;
  }
  void draw(ImVec2 origin, float height, float gap) const {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    walk(height, [&](const HelpLine& l, const HelpPlace& p, std::size_t column, float y) {
      const float x = origin.x + static_cast<float>(column) * (width_ + gap);
      const float top = origin.y + y;
      const std::uint32_t ink = l.heading ? c_.theme[Colour::Dim] : c_.theme.as_text(Colour::Accent);
      const float drop = l.heading && y > 0 ? 5 * c_.scale : 0;
      const Label keys{x,      top + drop, width_, ink, l.heading ? FontRole::SmallBold : FontRole::MonoSmall,
                       l.keys, line()};
      draw_labels(list, c_.fonts, {&keys, 1});
      list.AddText(c_.fonts[FontRole::Small], c_.fonts.size(FontRole::Small),
                   {std::round(x + p.x), std::round(top + (p.below ? line() : 0) + 0.5f * c_.scale)},
                   c_.theme[Colour::Text], p.says.data(), p.says.data() + p.says.size());
    });
  }

 private:
  float line() const { return c_.fonts.size(FontRole::Small) + 0.5f * c_.scale; }
  HelpPlace place(const HelpLine& l) const {
    if (l.heading) return {0, line() + 8 * c_.scale, "", false};
    // Next to the keys if it fits there, otherwise below them.
    const float keys = text_width(c_.fonts, FontRole::MonoSmall, l.keys) + 10 * c_.scale;
    HelpPlace p{std::max(120 * c_.scale, keys), line(), "", false};
    const bool long_keys = keys > 120 * c_.scale;
    p.below = long_keys && text_width(c_.fonts, FontRole::Small, l.says) > width_ - p.x;
    if (p.below) p.x = 16 * c_.scale;
    p.says = wrapped_lines(c_, FontRole::Small, l.says, width_ - p.x);
    const auto lines = 1 + std::count(p.says.begin(), p.says.end(), '\n') + (p.below ? 1 : 0);
    p.height = static_cast<float>(lines) * line();
    return p;
  }
  /// Walks through all lines in columns of this height; returns the number of columns. A heading is never the last line
  /// of a column, but a group may continue in the next one.
  std::size_t walk(float height, const auto& visit) const {
    std::size_t column = 0, at = 0;
    float y = 0;
    for (const auto& block : blocks_) {
      for (const HelpLine& l : block) {
        const HelpPlace& p = places_[at++];
        if (y > 0 && y + p.height + (l.heading ? 2 * line() : 0) > height) {
          ++column;
          y = 0;
        }
        visit(l, p, column, y);
        y += l.heading && y == 0 ? line() + 3 * c_.scale : p.height;
      }
    }
    return column + 1;
  }

  const Canvas& c_;
  float width_;
  std::vector<std::vector<HelpLine>> blocks_;
  std::vector<HelpPlace> places_;
};

// The keys worth knowing, in columns; scrolls if they do not fit. The rest is in the palette.
void draw_help(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float gap = 24 * s;
  const auto columns = static_cast<std::size_t>(std::clamp((display.x - 40 * s) / (390 * s), 1.0f, 3.0f));
  const auto n = static_cast<float>(columns);
  const float width = std::min((display.x - 64 * s - gap * (n - 1)) / n, 470 * s);
  const float inner = width * n + gap * (n - 1);
  const HelpColumns lines(c, width);
  const float wanted = lines.height(columns);
  const float head = 34 * s;
  const float margins = 24 * s;
  const float body = std::min(wanted + 2 * s, display.y - 8 * s - head - margins);
  const Rect box{(display.x - inner) / 2 - 20 * s, (display.y - body - head - margins) / 2, inner + 40 * s,
                 body + head + margins};
  const bool outside = begin_sheet(c, "##help", box);
  ImGui::SetCursorPos({box.x + 20 * s, box.y + 14 * s});
  text(c, FontRole::Title, Colour::Text, tr("Keys and gestures"));
  ImGui::SameLine(0, 16 * s);
  const std::string rest = tr("everything else by its name: {}", key_text(info(Action::Palette).keys.front()));
  const float rest_room = box.x + box.width - 160 * s - ImGui::GetCursorPosX();
  if (text_width(c.fonts, FontRole::Body, rest) < rest_room) text(c, FontRole::Body, Colour::Muted, rest);
  const std::string close = std::string(tr("Close")) + " (Esc)";
  ImGui::SetCursorPos(
      {box.x + box.width - 20 * s - text_width(c.fonts, FontRole::Body, close) - 24 * s, box.y + 12 * s});
  if (button(c, "close_help", close)) close_overlay(state);
  ImGui::SetCursorPos({box.x + 20 * s, box.y + 14 * s + head});
  ImGui::BeginChild("##lines", {inner + 14 * s, body}, false, ImGuiWindowFlags_NoNav);
  lines.draw(ImGui::GetCursorScreenPos(), wanted, gap);
  ImGui::Dummy({inner, wanted});
  ImGui::EndChild();
  ImGui::End();
  if (outside) close_overlay(state);
}

void draw_toast(const Canvas& c) {
  ShellState& state = c.state;
  if (!state.toast) return;
  if (base::now() > state.toast->until) {
    state.toast.reset();
    return;
  }
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const std::string says = (state.toast->error ? "! " : "") + state.toast->text;
  const float width = std::min(text_width(c.fonts, FontRole::Body, says) + 32 * s, display.x - 40 * s);
  const float height = (state.presentation.on ? 36 : 26) * s;
  // Over the status bar: above it, the toast would cover the strip of the whole run or the table of A and B. In a
  // presentation, it would cover the verdict's sentence there, so it goes between title and badge.
  ImVec2 at{(display.x - width) / 2, state.presentation.on ? 5 * s : display.y - height - s};
  const auto badge = state.places.find("badge");  // must always be visible
  if (state.presentation.on && badge != state.places.end()) {
    at.x = std::max(4 * s, std::min(at.x, badge->second.x - width - 8 * s));
  }
  ImDrawList& front = *ImGui::GetForegroundDrawList();
  front.AddRectFilled({at.x, at.y + 3 * s}, {at.x + width, at.y + height + 3 * s}, c.theme[Colour::Shadow], 8 * s);
  front.AddRectFilled(at, {at.x + width, at.y + height}, c.theme[Colour::PanelRaised], 8 * s);
  front.AddRect(at, {at.x + width, at.y + height}, c.theme[state.toast->error ? Colour::Wait : Colour::Accent], 8 * s,
                0, 1.5f * s);
  const Label label{at.x + 16 * s, at.y, width - 30 * s, c.theme[Colour::Text], FontRole::Body, says, height};
  draw_labels(front, c.fonts, {&label, 1});
}

}  // namespace

void begin_overlay(const Canvas& c, const char* id) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x, display.y - 8 * c.scale});
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {24 * c.scale, 20 * c.scale});
  ImGui::Begin(id, nullptr, (kBare & ~ImGuiWindowFlags_NoScrollbar) | ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  list.PushClipRectFullScreen();
  list.AddRectFilled({0, 0}, display, with_alpha(c.theme[Colour::Ground], 0.72f));
  list.AddRectFilled(low, {low.x + size.x, low.y + size.y}, c.theme[Colour::Panel], 10 * c.scale);
  list.AddRect(low, {low.x + size.x, low.y + size.y}, c.theme[Colour::Line], 10 * c.scale);
  list.PopClipRect();
}

void end_overlay() { ImGui::End(); }

bool begin_sheet(const Canvas& c, const char* id, const Rect& box, bool shade) {
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(display);
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(3);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low{box.x, box.y}, high{box.x + box.width, box.y + box.height};
  if (shade) list.AddRectFilled({0, 0}, display, with_alpha(c.theme[Colour::Ground], 0.6f));
  for (const float step : {12.0f, 8.0f, 5.0f, 2.0f}) {
    list.AddRectFilled({low.x - step * s, low.y - step * s / 2}, {high.x + step * s, high.y + step * s},
                       with_alpha(c.theme[Colour::Shadow], 0.04f), (10 + step) * s);
  }
  list.AddRectFilled(low, high, c.theme[Colour::Panel], 10 * s);
  list.AddRect(low, high, c.theme[Colour::Line], 10 * s, 0, std::max(1.0f, c.theme.outline) * s);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool beside = mouse.x < low.x || mouse.y < low.y || mouse.x > high.x || mouse.y > high.y;
  return beside && ImGui::IsMouseClicked(0) && ImGui::IsWindowHovered();
}

bool overlay_key(ShellState& state, KeyChord chord) {
  return palette_key(state, chord) || file_dialog_key(state, chord) || attach_dialog_key(state, chord) ||
         gallery_key(state, chord) || go_to_key(state, chord) || menu_key(state, chord);
}

void draw_overlays(const Canvas& c) {
  draw_offer(c);
  draw_sweep(c);
  if (c.state.overlays.open == Overlay::Gallery) draw_gallery(c);
  if (c.state.overlays.open == Overlay::Health) draw_health(c);
  if (c.state.overlays.open == Overlay::Help) draw_help(c);
  draw_tour(c);
  draw_toast(c);
}

}  // namespace lanescope::ui
