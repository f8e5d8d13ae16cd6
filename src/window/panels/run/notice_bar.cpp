#include <imgui.h>

#include <optional>
#include <string>
#include <utility>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

struct NoticeOffer {
  RunNotice notice;
  void (*accept)(ShellState&) = nullptr;   ///< what its button does; null: there is nothing to do, and no button
  void (*decline)(ShellState&) = nullptr;  ///< what "Not now" does, which takes the notice away; null: it stays
};

// A failed run leaves its trace: the notice stays above it until the user reacts.
std::optional<NoticeOffer> failure_of(const ShellState& state) {
  std::optional<RunNotice> notice = state.model.notice();
  if (!notice) return std::nullopt;
  NoticeOffer offer{std::move(*notice)};
  if (state.model.can_restart()) {
    offer.accept = [](ShellState& s) { s.requests.actions.push_back(Action::RestartRun); };
  }
  return offer;
}

// What an earlier start has left.
std::optional<NoticeOffer> offer_of(const ShellState& state) {
  if (!state.rescued_run.empty()) {
    return NoticeOffer{
        {tr("The last run was saved when its window could not go on"), short_path(state.rescued_run), tr("Open it")},
        [](ShellState& s) { s.requests.files = {std::exchange(s.rescued_run, {})}; },
        [](ShellState& s) { s.rescued_run.clear(); }};
  }
  if (state.crash_report.empty()) return std::nullopt;
  return NoticeOffer{
      {tr("Lanescope ended unexpectedly the last time"),
       tr("The report is only on this machine: {}", short_path(state.crash_report)), tr("Open the folder")},
      [](ShellState& s) { s.requests.actions.push_back(Action::OpenCrashReports); },
      [](ShellState& s) { s.crash_report.clear(); }};
}

constexpr float kNoticeHeight = 52;

void draw(const Canvas& c, const NoticeOffer& offer) {
  const RunNotice& notice = offer.notice;
  const auto width_of = [&](const std::string& text) {
    return text_width(c.fonts, FontRole::BodyBold, text) + 28 * c.scale;
  };
  const float s = c.scale;
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, c.theme[Colour::PanelRaised]);
  list.AddRectFilled(at, {at.x + 4 * s, at.y + size.y}, c.theme[Colour::Wait]);
  const std::string later = offer.decline ? tr("Not now") : "";
  const float button_width = offer.accept ? width_of(notice.button) : 0;
  const float later_width = offer.decline ? width_of(later) + 8 * s : 0;
  const float button_x = at.x + size.x - 16 * s - button_width - later_width;
  const float width = button_x - at.x - 36 * s;
  const Label labels[] = {
      {at.x + 18 * s, at.y + 7 * s, width, c.theme.as_text(Colour::Wait), FontRole::BodyBold, notice.title, 19 * s},
      {at.x + 18 * s, at.y + 26 * s, width, c.theme[Colour::Text], FontRole::Body, notice.text, 19 * s}};
  draw_labels(list, c.fonts, labels);
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("##notice", {width, size.y});
  note_place(c, "notice");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", notice.text.c_str());
  const auto press = [&](const char* id, const std::string& text, float x, float wide) {
    ImGui::SetCursorScreenPos({x, at.y + (size.y - 26 * s) / 2});
    return button(c, id, text, x == button_x, wide);
  };
  if (offer.accept && press("notice.again", notice.button, button_x, button_width)) offer.accept(c.state);
  if (offer.decline && press("notice.later", later, button_x + button_width + 8 * s, later_width - 8 * s)) {
    offer.decline(c.state);
  }
}

}  // namespace

float notice_height(const ShellState& state) { return state.model.notice() ? kNoticeHeight * state.scale() : 0; }

void draw_notice(const Canvas& c) {
  if (const auto failure = failure_of(c.state)) draw(c, *failure);
}

void draw_offer(const Canvas& c) {
  const std::optional<NoticeOffer> offer = offer_of(c.state);
  const auto lanes = c.state.places.find("timeline");
  if (!offer || c.state.model.notice() || lanes == c.state.places.end()) return;
  ImGui::SetNextWindowPos({lanes->second.x, lanes->second.y});
  ImGui::SetNextWindowSize({lanes->second.width, kNoticeHeight * c.scale});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("##offer", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar();
  draw(c, *offer);
  ImGui::End();
}

}  // namespace lanescope::ui
