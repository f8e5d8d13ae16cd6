// The file being opened, its progress, and a button to cancel. It is drawn over the timeline, so that nothing moves. If
// nothing is shown, it says why.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/bindings.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kOpeningWidth = 600, kOpeningHeight = 104, kOpeningPad = 20;
constexpr float kWidthWithPicture = 1200;
constexpr float kTop = 90;           // under the top bar and the ruler
constexpr float kEmptyPart = 0.34f;  // share of the window's height, if nothing is shown below

// The current step and its figures: "reading" and "1.2 of 3.4 GB", in one unit that does not change during the step.
std::pair<std::string, std::string> step_of(const FileProgress& progress) {
  const io::ReadProgress& reading = progress.reading;
  const auto events = static_cast<std::int64_t>(reading.events.load());
  const std::string found = tr("{} events", base::format_count(events));
  if (progress.analysing) return {tr("Finding waits and bubbles"), found};
  const std::uint64_t done = reading.done, total = reading.total;
  if (reading.stage == io::ReadStage::Arranging) {
    return {tr("Sorting the events"),
            tr("{} of {}", base::format_count(static_cast<std::int64_t>(std::min(done, total))), found)};
  }
  const bool large = total >= 1'000'000'000;
  const double unit = large ? 1e9 : 1e6;
  const auto amount = [&](std::uint64_t bytes) {
    return fmt::format("{:.{}f}", static_cast<double>(bytes) / unit, large ? 2 : 1);
  };
  const char* name = large ? "GB" : "MB";
  const std::string bytes =
      total > 0 ? tr("{} of {} {}", amount(done), amount(total), name) : fmt::format("{} {}", amount(done), name);
  return {tr("Reading the file"), bytes + " · " + found};
}

std::string time_left(const Opening& opening) {
  const auto left = opening.left();
  if (!left) return {};
  const auto seconds = left->count();
  return seconds <= 90 ? tr("{} s left", seconds) : tr("{} min left", (seconds + 59) / 60);
}

// A raised card; `draw` fills it.
void card(const Canvas& c, float most_width, float height, const auto& draw) {
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(most_width * s, display.x - 24 * s);
  const float x = std::floor((display.x - width) / 2);
  const bool alone = c.state.model.nothing() && most_width <= kOpeningWidth;
  const float y = alone ? std::floor(display.y * kEmptyPart) : kTop * s;
  ImGui::SetNextWindowPos({x, y});
  ImGui::SetNextWindowSize({width, height});
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("##opening", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float round = 8 * s;
  list.PushClipRectFullScreen();
  list.AddRectFilled({x, y + 3 * s}, {x + width, y + height + 3 * s}, c.theme[Colour::Shadow], round);
  list.AddRectFilled({x, y}, {x + width, y + height}, c.theme[Colour::PanelRaised], round);
  list.AddRect({x, y}, {x + width, y + height}, c.theme[Colour::Line], round);
  list.PopClipRect();
  draw(list, Rect{x, y, width, height});
  ImGui::End();
}

void draw_opening_progress(const Canvas& c) {
  Opening& opening = c.state.opening;
  const float s = c.scale;
  const io::FirstPicture::Snapshot look = opening.progress().reading.picture.look();
  const bool all_read = opening.progress().reading.stage == io::ReadStage::Arranging;
  const float picture = first_picture_height(c, look);
  const float width = picture > 0 ? kWidthWithPicture : kOpeningWidth;
  card(c, width, kOpeningHeight * s + (picture > 0 ? picture + kOpeningPad * s : 0),
       [&](ImDrawList& list, const Rect& at) {
         const float pad = kOpeningPad * s;
         const float button_width = 112 * s;
         const float left = at.x + pad, right = at.x + at.width - pad;
         const auto [doing, figures] = step_of(opening.progress());
         const float share = std::clamp(opening.fraction(), 0.0f, 1.0f);
         const std::string percent = fmt::format("{:.0f} %", std::floor(100 * share));
         const float title_width = right - left - button_width - 16 * s;
         const std::string title =
             fit_text(c.fonts, FontRole::BodyBold, tr("Opening {}", opening.title()), title_width);
         const float percent_width = 52 * s;  // fixed, like the widths below: changing figures move nothing
         const float doing_width = 170 * s, left_width = 110 * s;
         const float text_y = at.y + 70 * s;
         const Label labels[] = {
             {left, at.y + 16 * s, title_width, c.theme[Colour::Text], FontRole::BodyBold, title, 28 * s},
             {left, text_y, doing_width, c.theme[Colour::Muted], FontRole::Small, doing, 20 * s},
             {left + doing_width, text_y, right - left - doing_width - left_width - percent_width,
              c.theme[Colour::Muted], FontRole::MonoSmall, figures, 20 * s, LabelAlign::Right},
             {right - percent_width - left_width, text_y, left_width, c.theme[Colour::Muted], FontRole::MonoSmall,
              time_left(opening), 20 * s, LabelAlign::Right},
             {right - percent_width, text_y, percent_width, c.theme[Colour::Text], FontRole::MonoSmall, percent, 20 * s,
              LabelAlign::Right}};
         draw_labels(list, c.fonts, labels);
         const float bar_y = at.y + 54 * s, bar = 8 * s;
         list.AddRectFilled({left, bar_y}, {right, bar_y + bar}, c.theme[Colour::Faint], bar / 2);
         const float filled = std::max(bar, (right - left) * share);
         list.AddRectFilled({left, bar_y}, {left + filled, bar_y + bar}, c.theme[Colour::Accent], bar / 2);
         const ImVec2 corner{right - button_width, at.y + 16 * s};
         list.AddRectFilled({corner.x - s, corner.y - s}, {right + s, corner.y + 27 * s}, c.theme[Colour::Line], 6 * s);
         ImGui::SetCursorScreenPos(corner);
         if (button(c, "opening.cancel", std::string(tr("Cancel")) + " (Esc)", false, button_width)) opening.cancel();
         c.state.places["opening"] = at;
         if (picture <= 0) return;
         const Rect area{left, at.y + kOpeningHeight * s, right - left, picture};
         draw_first_picture(c, list, area, look, all_read);  // it may have been cancelled just now
         c.state.places["opening.picture"] = area;
       });
}

// Not a message that disappears: nothing else is shown.
void draw_opening_nothing(const Canvas& c) {
  const float s = c.scale;
  const std::string& why = c.state.opening.failure();
  const bool failed = !why.empty();
  const float inner = std::min(kOpeningWidth * s, ImGui::GetIO().DisplaySize.x - 24 * s) - 2 * kOpeningPad * s;
  const std::string reason = failed ? wrapped_lines(c, FontRole::Body, why, inner) : std::string();
  const auto lines = failed ? 1 + static_cast<int>(std::count(reason.begin(), reason.end(), '\n')) : 0;
  const float line = 20 * s;
  card(c, kOpeningWidth, (32 + 28 + 24) * s + static_cast<float>(lines) * line, [&](ImDrawList& list, const Rect& at) {
    const float left = at.x + kOpeningPad * s;
    std::vector<Label> labels;
    float y = at.y + 14 * s;
    labels.push_back({left, y, inner, failed ? c.theme.as_text(Colour::Wait) : c.theme[Colour::Text],
                      FontRole::BodyBold, failed ? tr("The file cannot be opened") : tr("Nothing is open"), 28 * s});
    y += 30 * s;
    for (std::size_t begin = 0; failed && begin <= reason.size(); y += line) {
      const std::size_t end = std::min(reason.find('\n', begin), reason.size());
      labels.push_back(
          {left, y, inner, c.theme[Colour::Text], FontRole::Body, reason.substr(begin, end - begin), line});
      begin = end + 1;
    }
    const std::string keys = keys_text(info(Action::RestartRun));
    labels.push_back({left, y + 6 * s, inner, c.theme[Colour::Muted], FontRole::Small,
                      tr("drop a trace file here, or start a run ({})", keys), 20 * s});
    draw_labels(list, c.fonts, labels);
    c.state.places["nothing"] = at;
  });
}

}  // namespace

void draw_opening(const Canvas& c) {
  const Opening& opening = c.state.opening;
  if (opening.running()) {
    if (opening.worth_showing() || c.state.model.nothing()) draw_opening_progress(c);
  } else if (c.state.model.nothing() && !c.state.model.notice() && !shows_job_map(c.state)) {
    draw_opening_nothing(c);
  }
}

}  // namespace lanescope::ui
