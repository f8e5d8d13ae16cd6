#include "ui/shell.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"
#include "ui/bindings.h"
#include "ui/find/finding.h"
#include "ui/marks/marks_file.h"
#include "ui/panels/code_view.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/panels.h"
#include "ui/perform.h"
#include "ui/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr ImGuiWindowFlags kPanel = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoBackground;

constexpr ImGuiWindowFlags kNoScroll = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

constexpr float kPresentedHeight = 540;  // of the window, in which everything has its usual size

void panel(const char* id, const Rect& r, ImVec2 padding, ImGuiWindowFlags extra, const auto& draw) {
  ImGui::SetNextWindowPos({r.x, r.y});
  ImGui::SetNextWindowSize({r.width, r.height});
  // Nothing changes its width when a scroll bar comes.
  if ((extra & ImGuiWindowFlags_NoScrollbar) == 0)
    ImGui::SetNextWindowContentSize({r.width - 2 * padding.x - ImGui::GetStyle().ScrollbarSize, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0f);
  ImGui::Begin(id, nullptr, kPanel | extra);
  ImGui::PopStyleVar(3);
  draw();
  ImGui::End();
}

}  // namespace

void ShellState::show_toast(std::string text, bool error) {
  toast = Toast{std::move(text), error, std::chrono::steady_clock::now() + std::chrono::seconds(error ? 8 : 5)};
}

Shell::Shell(Preferences preferences) {
  state_.preferences = std::move(preferences);
  apply_bindings(state_.preferences.bindings);
  state_.view.set_trigger(state_.preferences.trigger);
  if (state_.preferences.code_view) state_.drawer = DrawerTab::Code;
  if (!state_.preferences.tour_done) state_.tour = TourStep::TurnThis;
}

void Shell::draw(const Fonts& fonts) {
  follow_language();
  const Theme& colours = theme(state_.preferences.theme);
  // What the back row reads is a part of the screen, not a number of pixels. The lanes of an experiment fill it.
  const float height = ImGui::GetIO().DisplaySize.y / state_.content_scale;
  const float s = state_.scale();
  const float presented = std::clamp(std::floor(height / kPresentedHeight * 10) / 10, 1.2f, 3.0f);
  // From the next frame on. Who has larger text already gets no more than fits.
  state_.presentation_scale = std::max(1.0f, presented / state_.preferences.font_scale);
  const Canvas canvas{state_, colours, fonts, s, spans_, plots_};
  state_.places.clear();
  state_.model.update();
  update_advice(state_);
  update_code(state_);
  update_compare(state_);
  follow_marks(state_);
  follow_experiment();
  adapt_speed();
  state_.view.set_animated(state_.preferences.animation);
  const std::optional<EventRef> selected = state_.selection.event;
  if (state_.presentation) {
    draw_presentation(canvas);
  } else {
    draw_workbench(canvas);
  }
  // What a card or a line of code has just selected is on the timeline.
  if (state_.selection.event && state_.selection.event != selected) state_.compare.open = false;
  draw_go_to(canvas);
  draw_trigger_panel(canvas);
  draw_picture_panel(canvas);
  draw_keys_panel(canvas);
  draw_opening(canvas);
  draw_overlays(canvas);
  draw_menu(canvas);
  draw_palette(canvas);
  follow_tour();
}

// The lanes as large as possible, the verdict and the one knob of the experiment.
void Shell::draw_presentation(const Canvas& canvas) {
  const float s = canvas.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float top = 46 * s;
  const float bottom = std::min(presentation_height(canvas), display.y * 0.4f);
  const float notice = notice_height(state_);
  const Rect top_area{0, 0, display.x, top};
  const Rect notice_area{0, top + 1, display.x, notice};
  const float code = presented_code_width(state_, canvas.fonts, display.x);
  const float lanes_width = display.x - code - (code > 0 ? 1 : 0);
  const Rect lanes_area{0, top + 1 + notice, lanes_width, std::max(60.0f, display.y - top - notice - bottom - 2)};
  const Rect code_area{display.x - code, lanes_area.y, code, lanes_area.height};
  const Rect bar_area{0, display.y - bottom, display.x, bottom};
  state_.view.update(state_.model, Timeline::kLabelWidth * s, lanes_width - (Timeline::kLabelWidth + 16) * s,
                     std::chrono::steady_clock::now());
  update_scope(state_);
  grounds_ = {{{0, 0, display.x, display.y}, canvas.theme[Colour::Line]}};
  for (const Rect& area : {top_area, bar_area}) grounds_.push_back({area, canvas.theme[Colour::Panel]});
  grounds_.push_back({lanes_area, canvas.theme[Colour::Ground]});
  if (code > 0) grounds_.push_back({code_area, canvas.theme[Colour::Panel]});
  panel("##top", top_area, {16 * s, 10 * s}, kNoScroll, [&] { draw_presentation_top(canvas); });
  if (notice > 0) panel("##notice", notice_area, {0, 0}, kNoScroll, [&] { draw_notice(canvas); });
  if (state_.compare.open) {
    panel("##compare", lanes_area, {0, 0}, kNoScroll, [&] { draw_compare(canvas); });
  } else {
    panel("##timeline", lanes_area, {0, 0}, kNoScroll, [&] { draw_timeline(canvas); });
  }
  if (code > 0) panel("##code", code_area, {0, 0}, kNoScroll, [&] { draw_presented_code(canvas); });
  panel("##bar", bar_area, {0, 0}, kNoScroll, [&] { draw_presentation_bar(canvas); });
}

void Shell::draw_workbench(const Canvas& canvas) {
  const Theme& colours = canvas.theme;
  const float s = canvas.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float top = 46 * s;
  const float bottom = 28 * s;
  const float left = std::min(268 * s, display.x * 0.26f);
  const float right = std::min(290 * s, display.x * 0.28f);
  const float middle_width = std::max(100.0f, display.x - left - right - 2);
  const float middle_height = std::max(100.0f, display.y - top - bottom);

  state_.view.update(state_.model, left + 1 + Timeline::kLabelWidth * s,
                     middle_width - Timeline::kLabelWidth * s - 16 * s, std::chrono::steady_clock::now());
  update_scope(state_);
  state_.timeline.sync(state_.model.trace(), &state_.lanes);
  const float wanted = state_.timeline.content_height(timeline_frame(canvas), state_.view.axis());
  const float notice = notice_height(state_);
  const float least_plots = drawer_least_height(state_, middle_height);
  const float minimap = minimap_height(state_);
  // What is below the timeline gets at least what the plots need, or what a person left it at the divider.
  const float all = middle_height - notice - minimap;
  const float share = state_.preferences.timeline_share;
  const float room = share > 0 ? all - std::min(72 * s, all * 0.3f) : all - least_plots;
  const float timeline_height = std::clamp(share > 0 ? share * all : wanted, std::min(120 * s, room), room);

  const Rect top_area{0, 0, display.x, top};
  const Rect knobs_area{0, top + 1, left, middle_height - 2};
  const Rect notice_area{left + 1, top + 1, middle_width, notice};
  const Rect timeline_area{left + 1, top + 1 + notice, middle_width, timeline_height - 1};
  const Rect plots_area{left + 1, top + notice + timeline_height, middle_width,
                        middle_height - notice - timeline_height - minimap - 1};
  const Rect minimap_area{left + 1, display.y - bottom - minimap, middle_width, minimap - 1};
  const Rect details_area{display.x - right, top + 1, right, middle_height - 2};
  const Rect status_area{0, display.y - bottom, display.x, bottom};
  // The line colour shows between the panels as hairlines.
  grounds_ = {{{0, 0, display.x, display.y}, colours[Colour::Line]}};
  for (const Rect& area : {top_area, knobs_area, details_area, status_area})
    grounds_.push_back({area, colours[Colour::Panel]});
  const Rect compare_area{timeline_area.x, timeline_area.y, middle_width, middle_height - notice - 2};
  if (state_.compare.open) {
    grounds_.push_back({compare_area, colours[Colour::Ground]});
  } else {
    for (const Rect& area : {timeline_area, plots_area, minimap_area})
      grounds_.push_back({area, colours[Colour::Ground]});
  }
  panel("##top", top_area, {16 * s, 10 * s}, kNoScroll, [&] { draw_top_bar(canvas); });
  if (state_.model.nothing() && notice <= 0)
    return;  // what is being opened, or why it could not be, is said over the grounds
  panel("##knobs", knobs_area, {16 * s, 0}, 0, [&] { draw_knobs(canvas); });
  if (notice > 0) panel("##notice", notice_area, {0, 0}, kNoScroll, [&] { draw_notice(canvas); });
  if (state_.compare.open) {
    panel("##compare", compare_area, {0, 0}, kNoScroll, [&] { draw_compare(canvas); });
  } else {
    panel("##timeline", timeline_area, {0, 0}, kNoScroll, [&] { draw_timeline(canvas); });
    panel("##plots", plots_area, {0, 4 * s}, kNoScroll, [&] { draw_drawer(canvas); });
    panel("##minimap", minimap_area, {0, 0}, kNoScroll, [&] { draw_minimap(canvas); });
    draw_divider(canvas, {left + 1, plots_area.y - 0.5f, middle_width, 0}, top + notice, all);
  }
  panel("##details", details_area, {16 * s, 0}, 0, [&] { draw_details(canvas); });
  panel("##status", status_area, {16 * s, 4 * s}, kNoScroll, [&] { draw_status_bar(canvas); });
}

void Shell::follow_tour() {
  if (state_.tour != TourStep::TurnThis || !state_.model.live()) return;
  // Done what was pointed at: go on.
  if (!state_.model.analysis().markers().empty()) state_.tour = TourStep::WatchThat;
}

void Shell::perform_requests() {
  for (const Action action : std::exchange(state_.requests, {})) perform(action);
  const auto guarded = [&](const auto& f) {
    try {
      f();
    } catch (const std::exception& error) {
      state_.show_toast(error.what(), true);
    }
  };
  if (state_.new_run) {
    const session::SessionOptions options = *std::exchange(state_.new_run, std::nullopt);
    guarded([&] { start(options); });
  }
  if (state_.wanted_experiment) {
    const auto [experiment, side] = *std::exchange(state_.wanted_experiment, std::nullopt);
    guarded([&] { start_experiment(*experiment, side); });
  }
  if (state_.wanted_side) {
    const experiment::Side side = *std::exchange(state_.wanted_side, std::nullopt);
    guarded([&] { show_side(side); });
  }
  if (state_.file_to_open) {
    const std::filesystem::path path = *std::exchange(state_.file_to_open, std::nullopt);
    guarded([&] { begin_opening(path); });
  }
  guarded([&] { show_opened(); });
  if (state_.saving.valid() && state_.saving.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    guarded([&] { state_.show_toast(state_.saving.get()); });
  }
  work_on_pictures();
}

void Shell::begin_opening(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (name.starts_with(kRecordedPrefix)) {
    state_.opening.open(capture_named(state_.recorded, name.substr(kRecordedPrefix.size())));
  } else {
    state_.opening.open(path);
  }
}

void Shell::show_opened() {
  std::optional<ReadFile> file;
  try {
    file = state_.opening.take();
  } catch (const std::exception& error) {
    if (!state_.model.nothing()) throw;
    state_.opening.fail(error.what());  // stays: there is nothing behind it
  }
  if (!file) return;
  begin_anew();
  state_.model.show(std::move(*file));
  state_.tour = TourStep::Off;
}

void Shell::begin_with_file(const std::filesystem::path& path) {
  state_.model.show_nothing();
  state_.tour = TourStep::Off;
  begin_opening(path);
}

void Shell::perform(Action action) {
  // These show something in a part of the window that a presentation leaves out.
  for (const Action drawer : {Action::Search, Action::EventList, Action::MarksList, Action::ShowPlots}) {
    if (action == drawer) state_.presentation = state_.compare.open = false;
  }
  if (perform_compare(state_, action) || perform_run(state_, action) || perform_scope(state_, action) ||
      perform_navigation(state_, action) || perform_marks(state_, action) || perform_finding(state_, action) ||
      perform_code(state_, action) || perform_plots(state_, action) || perform_lanes(state_, action) ||
      perform_pictures(action)) {
    return;
  }
  perform_window(action);
}

void Shell::hold(Action action, double seconds) {
  if (!hold_compare(state_, action)) hold_navigation(state_, action, seconds);
}

// What opens and closes, and the window itself.
void Shell::perform_window(Action action) {
  switch (action) {
    case Action::DeviceMenu:
      state_.toggle_device_menu = true;
      break;
    case Action::CaptureHealth:
      open_only(state_.health_open);
      break;
    case Action::Gallery: {
      const bool open = !state_.gallery.open;
      close_overlays();
      open_gallery(open);
      break;
    }
    case Action::Sweep: {
      const bool open = !state_.sweep.open;
      close_overlays();
      state_.sweep.open = open;
      break;
    }
    case Action::Help:
      open_only(state_.help_open);
      break;
    case Action::Palette: {
      const bool open = !state_.palette.open;
      close_overlays();
      if (open) open_palette(state_);
      break;
    }
    case Action::Menu:
      open_only(state_.menu.open);
      break;
    case Action::KeysPanel:
      open_only(state_.keys_panel.open);
      state_.keys_panel.just_opened = state_.keys_panel.open;
      state_.keys_panel.filter.clear();
      break;
    case Action::Presentation:
      state_.presentation = !state_.presentation;
      if (state_.presentation) {
        close_overlays();
        state_.show_toast(fmt::format(fmt::runtime(tr("Presentation: {} ends it")),
                                      key_text(info(Action::Presentation).keys.front())));
      }
      break;
    case Action::FullScreen:
      state_.full_screen = !state_.full_screen;
      break;
    case Action::ClearSelection:
      close_one();
      break;
    case Action::ToggleTheme:
      state_.preferences.theme = next_theme(state_.preferences.theme);
      break;
    case Action::ToggleAnimation:
      state_.preferences.animation = !state_.preferences.animation;
      state_.show_toast(state_.preferences.animation ? tr("Animation on: views glide, lanes grow")
                                                     : tr("Animation off: everything moves at once"));
      break;
    case Action::ToggleLanguage:
      toggle_language();
      break;
    case Action::LargerText:
      state_.preferences.font_scale = std::min(2.5f, state_.preferences.font_scale + 0.1f);
      break;
    case Action::SmallerText:
      state_.preferences.font_scale = std::max(0.7f, state_.preferences.font_scale - 0.1f);
      break;
    case Action::Quit:
      quit_ = true;
      break;
    default:
      break;
  }
}

// What covers the window: one of them at a time.
void Shell::close_overlays() {
  state_.help_open = state_.health_open = state_.menu.open = state_.palette.open = false;
  state_.keys_panel = {};
  state_.picture_panel_open = state_.go_to_open = false;
  open_gallery(false);
}

void Shell::open_only(bool& open) {
  const bool wanted = !open;
  close_overlays();
  open = wanted;
}

// Escape: the topmost thing that is open, else the selection.
void Shell::close_one() {
  ShellState& s = state_;
  if (s.navigation.drag.cancel() || s.lane_hands.cancel()) return;
  if (s.opening.running()) {
    s.opening.cancel();
  } else if (s.device_menu_open) {
    s.toggle_device_menu = true;
  } else if (s.plots_view.menu_open) {
    s.plots_view.toggle_menu = true;
  } else if (s.keys_panel.waits_for || s.keys_panel.conflict) {
    s.keys_panel.waits_for.reset();
    s.keys_panel.conflict.reset();
  } else if (s.palette.open || s.menu.open || s.keys_panel.open || s.gallery.open || s.help_open || s.health_open ||
             s.picture_panel_open || s.go_to_open) {
    close_overlays();
  } else if (s.marks.open) {
    s.marks.open.reset();
  } else if (s.scope.panel_open) {
    s.scope.panel_open = false;
  } else if (s.sweep.open) {
    s.sweep.open = false;
  } else if (s.compare.open) {
    s.compare.open = false;
  } else if (close_search(s)) {
    // what was found is not lit any more; what is selected stays
  } else if (!s.selection.empty() || !s.editing_setting.empty()) {
    s.selection.clear();
    s.editing_setting.clear();
  } else if (s.presentation) {
    s.presentation = false;
  }
}

bool Shell::animating() const { return moving() || state_.opening.running(); }

bool Shell::moving() const {
  const bool run_moves = state_.model.live() && !state_.model.paused() && state_.model.session()->runner().running();
  return run_moves || !state_.model.open_calls().empty() || state_.view.moving() || state_.timeline.moving() ||
         state_.navigation.moving() || state_.toast ||
         (state_.sweep.sweep && (state_.sweep.sweep->running() || state_.sweep.paused_the_run)) ||
         state_.compare.busy() || (state_.compare.open && state_.compare_view.moving()) || state_.saving.valid() ||
         state_.pictures.busy(state_.picture_panel_open) || finding_moves(state_) || state_.view.armed() ||
         state_.scope.pending.valid() || state_.advice.busy() || state_.code.busy() ||
         state_.code.moving(CodeState::Clock::now()) || state_.try_it.busy() ||
         (state_.drawer == DrawerTab::Plots && state_.plots_view.moving);
}

}  // namespace lanescope::ui
