#include "ui/shell.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"
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

void panel(const char* id, const Rect& r, ImVec2 padding, ImGuiWindowFlags extra, const auto& draw) {
  ImGui::SetNextWindowPos({r.x, r.y});
  ImGui::SetNextWindowSize({r.width, r.height});
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
  if (!state_.preferences.tour_done) state_.tour = TourStep::TurnThis;
}

void Shell::draw(const Fonts& fonts) {
  const Theme& colours = theme(state_.preferences.theme);
  const float s = state_.scale();
  const Canvas canvas{state_, colours, fonts, s, spans_, plots_};
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float top = 46 * s;
  const float bottom = 28 * s;
  const float left = std::min(268 * s, display.x * 0.26f);
  const float right = std::min(290 * s, display.x * 0.28f);
  const float middle_width = std::max(100.0f, display.x - left - right - 2);
  const float middle_height = std::max(100.0f, display.y - top - bottom);

  state_.places.clear();
  state_.model.update();
  follow_experiment();
  adapt_speed();
  state_.view.update(state_.model, left + 1 + Timeline::kLabelWidth * s,
                     middle_width - Timeline::kLabelWidth * s - 16 * s, std::chrono::steady_clock::now());
  state_.timeline.sync(state_.model.trace());
  const float wanted = state_.timeline.content_height(timeline_frame(canvas), state_.view.axis());
  const float notice = notice_height(state_);
  const float least_plots = plots_least_height(state_, middle_height);
  const float minimap = minimap_height(state_);
  const float room = middle_height - notice - least_plots - minimap;
  const float timeline_height = std::clamp(wanted, std::min(120 * s, room), room);

  const auto no_scroll = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
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
  for (const Rect& area : {timeline_area, plots_area, minimap_area})
    grounds_.push_back({area, colours[Colour::Ground]});
  panel("##top", top_area, {16 * s, 10 * s}, no_scroll, [&] { draw_top_bar(canvas); });
  panel("##knobs", knobs_area, {16 * s, 0}, 0, [&] { draw_knobs(canvas); });
  if (notice > 0) panel("##notice", notice_area, {0, 0}, no_scroll, [&] { draw_notice(canvas); });
  panel("##timeline", timeline_area, {0, 0}, no_scroll, [&] { draw_timeline(canvas); });
  panel("##plots", plots_area, {0, 4 * s}, no_scroll, [&] { draw_drawer(canvas); });
  panel("##minimap", minimap_area, {0, 0}, no_scroll, [&] { draw_minimap(canvas); });
  panel("##details", details_area, {16 * s, 0}, 0, [&] { draw_details(canvas); });
  panel("##status", status_area, {16 * s, 4 * s}, no_scroll, [&] { draw_status_bar(canvas); });
  draw_go_to(canvas);
  draw_trigger_panel(canvas);
  draw_picture_panel(canvas);
  draw_keys_panel(canvas);
  draw_overlays(canvas);
  draw_palette(canvas);
  follow_tour();
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
    begin_anew();
    guarded([&] {
      open(path);
      state_.tour = TourStep::Off;
    });
  }
  if (state_.saving.valid() && state_.saving.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    guarded([&] { state_.show_toast(state_.saving.get()); });
  }
}

void Shell::open(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (!name.starts_with(kRecordedPrefix)) return state_.model.open_file(path);
  state_.model.open_recorded(capture_named(state_.recorded, name.substr(kRecordedPrefix.size())));
}

void Shell::perform(Action action) {
  if (perform_run(state_, action) || perform_scope(state_, action) || perform_navigation(state_, action) ||
      perform_marks(state_, action) || perform_finding(state_, action) || perform_plots(state_, action) ||
      perform_lanes(state_, action) || perform_pictures(action)) {
    return;
  }
  perform_window(action);
}

void Shell::hold(Action action, double seconds) { hold_navigation(state_, action, seconds); }

// What opens and closes, and the window itself.
void Shell::perform_window(Action action) {
  switch (action) {
    case Action::DeviceMenu:
      state_.toggle_device_menu = true;
      break;
    case Action::CaptureHealth:
      state_.health_open = !state_.health_open;
      state_.help_open = false;
      open_gallery(false);
      break;
    case Action::Gallery:
      open_gallery(!state_.gallery.open);
      break;
    case Action::Sweep:
      state_.sweep.open = !state_.sweep.open;
      state_.help_open = state_.health_open = false;
      break;
    case Action::Help:
      state_.help_open = !state_.help_open;
      state_.health_open = false;
      open_gallery(false);
      break;
    case Action::ClearSelection:
      close_one();
      break;
    case Action::ToggleTheme:
      state_.preferences.theme = state_.preferences.theme == ThemeName::Dark ? ThemeName::Light : ThemeName::Dark;
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

// Escape: the topmost thing that is open, else the selection.
void Shell::close_one() {
  if (state_.device_menu_open) {
    state_.toggle_device_menu = true;
  } else if (state_.gallery.open) {
    open_gallery(false);
  } else if (state_.help_open || state_.health_open) {
    state_.help_open = state_.health_open = false;
  } else if (state_.picture_panel_open) {
    state_.picture_panel_open = false;
  } else if (state_.go_to_open) {
    state_.go_to_open = false;
  } else if (state_.scope.panel_open) {
    state_.scope.panel_open = false;
  } else if (state_.sweep.open) {
    state_.sweep.open = false;
  } else {
    state_.selection.clear();
    state_.editing_setting.clear();
  }
}

bool Shell::animating() const {
  const bool run_moves = state_.model.live() && !state_.model.paused() && state_.model.session()->runner().running();
  return run_moves || !state_.model.open_calls().empty() || state_.view.moving() || state_.toast ||
         (state_.sweep.sweep && (state_.sweep.sweep->running() || state_.sweep.paused_the_run)) ||
         state_.saving.valid() || state_.range_figures.pending.valid() || state_.view.armed();
}

}  // namespace lanescope::ui
