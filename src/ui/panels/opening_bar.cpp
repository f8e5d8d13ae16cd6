// What is being opened, how far it is, and a button that stops it. It lies over the timeline, so that nothing moves.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "base/translate.h"
#include "ui/labels.h"
#include "ui/panels/panels.h"
#include "ui/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kWidth = 520, kHeight = 92;

// What is being done, and its figures: "reading" and "1.2 of 3.4 GB", in one unit that does not change meanwhile.
std::pair<std::string, std::string> step_of(const FileProgress& progress) {
  const io::ReadProgress& reading = progress.reading;
  const auto events = static_cast<std::int64_t>(reading.events.load());
  const std::string found = fmt::format(fmt::runtime(tr("{} events")), base::format_count(events));
  if (progress.analysing) return {tr("Working out waits and bubbles"), found};
  const std::uint64_t done = reading.done, total = reading.total;
  if (reading.stage == io::ReadStage::Arranging) {
    return {tr("Arranging the events"),
            fmt::format(fmt::runtime(tr("{} of {}")),
                        base::format_count(static_cast<std::int64_t>(std::min(done, total))), found)};
  }
  const bool large = total >= 1'000'000'000;
  const double unit = large ? 1e9 : 1e6;
  const auto amount = [&](std::uint64_t bytes) { return fmt::format("{:.1f}", static_cast<double>(bytes) / unit); };
  const char* name = large ? "GB" : "MB";
  const std::string bytes = total > 0 ? fmt::format(fmt::runtime(tr("{} of {} {}")), amount(done), amount(total), name)
                                      : fmt::format("{} {}", amount(done), name);
  return {tr("Reading"), bytes + " · " + found};
}

}  // namespace

void draw_opening(const Canvas& c) {
  Opening& opening = c.state.opening;
  if (!opening.running() || !opening.worth_telling()) return;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(kWidth * s, display.x - 24 * s);
  const float height = kHeight * s;
  const float x = (display.x - width) / 2;
  const float y = 90 * s;  // under the top bar and the ruler
  ImGui::SetNextWindowPos({x, y});
  ImGui::SetNextWindowSize({width, height});
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("##opening", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRectFullScreen();
  list.AddRectFilled({x, y + 3 * s}, {x + width, y + height + 3 * s}, c.theme[Colour::Shadow], 8 * s);
  list.AddRectFilled({x, y}, {x + width, y + height}, c.theme[Colour::PanelRaised], 8 * s);
  list.AddRect({x, y}, {x + width, y + height}, c.theme[Colour::Line], 8 * s);
  list.PopClipRect();
  const float pad = 16 * s;
  const float button_width = 120 * s;
  const float text_width_ = width - 2 * pad;
  const auto [doing, figures] = step_of(opening.progress());
  const std::string title =
      fit_text(c.fonts, FontRole::BodyBold, fmt::format(fmt::runtime(tr("Opening {}")), opening.title()),
               text_width_ - button_width - 12 * s);
  const float figures_x = x + pad + 210 * s;  // fixed, so that nothing moves when the words change
  const Label labels[] = {{x + pad, y + 10 * s, text_width_ - button_width - 12 * s, c.theme[Colour::Text],
                           FontRole::BodyBold, title, 26 * s},
                          {x + pad, y + 60 * s, 204 * s, c.theme[Colour::Muted], FontRole::Small, doing, 20 * s},
                          {figures_x, y + 60 * s, x + width - pad - figures_x, c.theme[Colour::Text],
                           FontRole::MonoSmall, figures, 20 * s, LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
  const float bar_y = y + 46 * s;
  const float bar_right = x + width - pad;
  list.AddRectFilled({x + pad, bar_y}, {bar_right, bar_y + 6 * s}, c.theme[Colour::Faint], 3 * s);
  const float filled = (bar_right - x - pad) * std::clamp(opening.fraction(), 0.0f, 1.0f);
  if (filled > 6 * s) {
    list.AddRectFilled({x + pad, bar_y}, {x + pad + filled, bar_y + 6 * s}, c.theme[Colour::Accent], 3 * s);
  }
  ImGui::SetCursorScreenPos({bar_right - button_width, y + 10 * s});
  if (button(c, "opening.cancel", std::string(tr("Cancel")) + " (Esc)", false, button_width)) opening.cancel();
  c.state.places["opening"] = {x, y, width, height};
  ImGui::End();
}

}  // namespace lanescope::ui
