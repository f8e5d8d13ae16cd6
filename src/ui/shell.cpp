#include "ui/shell.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"
#include "ui/panels/panels.h"
#include "ui/picture.h"
#include "ui/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr ImGuiWindowFlags kPanel = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoBackground;
constexpr double kHoldPixelsPerSecond = 900;
constexpr double kHoldZoomPerSecond = 6;  // times closer or further in a second

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
  const float room = middle_height - notice - least_plots;
  const float timeline_height = std::clamp(wanted, std::min(120 * s, room), room);

  const auto no_scroll = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  const Rect top_area{0, 0, display.x, top};
  const Rect knobs_area{0, top + 1, left, middle_height - 2};
  const Rect notice_area{left + 1, top + 1, middle_width, notice};
  const Rect timeline_area{left + 1, top + 1 + notice, middle_width, timeline_height - 1};
  const Rect plots_area{left + 1, top + notice + timeline_height, middle_width,
                        middle_height - notice - timeline_height - 1};
  const Rect details_area{display.x - right, top + 1, right, middle_height - 2};
  const Rect status_area{0, display.y - bottom, display.x, bottom};
  // The line colour shows between the panels as hairlines.
  grounds_ = {{{0, 0, display.x, display.y}, colours[Colour::Line]}};
  for (const Rect& area : {top_area, knobs_area, details_area, status_area})
    grounds_.push_back({area, colours[Colour::Panel]});
  for (const Rect& area : {timeline_area, plots_area}) grounds_.push_back({area, colours[Colour::Ground]});
  panel("##top", top_area, {16 * s, 10 * s}, no_scroll, [&] { draw_top_bar(canvas); });
  panel("##knobs", knobs_area, {16 * s, 0}, 0, [&] { draw_knobs(canvas); });
  if (notice > 0) panel("##notice", notice_area, {0, 0}, no_scroll, [&] { draw_notice(canvas); });
  panel("##timeline", timeline_area, {0, 0}, no_scroll, [&] { draw_timeline(canvas); });
  panel("##plots", plots_area, {0, 4 * s}, no_scroll, [&] { draw_plots(canvas); });
  panel("##details", details_area, {16 * s, 0}, 0, [&] { draw_details(canvas); });
  panel("##status", status_area, {16 * s, 4 * s}, no_scroll, [&] { draw_status_bar(canvas); });
  draw_overlays(canvas);
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

void Shell::step_setting(const char* key, int direction) {
  if (!state_.model.live()) return;
  const workload::Settings settings = state_.model.session()->settings();
  const workload::SettingSpec* spec = settings.spec(key);
  if (!spec || spec->stops.size() < 2) return;
  // From stop to stop as the slider has them; a typed value between two stops goes to the one beside it.
  const double step = 1.0 / static_cast<double>(spec->stops.size() - 1);
  const double at = slider_position(*spec, static_cast<double>(settings.integer(key)));
  const double on_stop = std::round(at / step) * step;
  const double target = std::abs(at - on_stop) < 1e-9 ? at + direction * step
                        : direction > 0               ? std::ceil(at / step) * step
                                                      : std::floor(at / step) * step;
  if (target < -1e-9 || target > 1 + 1e-9) return;
  state_.model.set(key, static_cast<std::int64_t>(slider_value(*spec, target)));
}

void Shell::toggle_setting(const char* key) {
  if (!state_.model.live()) return;
  const workload::Settings settings = state_.model.session()->settings();
  const workload::SettingSpec* spec = settings.spec(key);
  if (!spec) return;
  if (spec->type == workload::SettingType::Bool) {
    state_.model.set(key, !settings.boolean(key));
  } else if (spec->type == workload::SettingType::Choice && spec->choices.size() > 1) {
    state_.model.set(key, settings.choice(key) == spec->choices[0] ? spec->choices[1] : spec->choices[0]);
  }
}

void Shell::perform(Action action) {
  switch (action) {
    case Action::PauseRun:
      state_.model.set_paused(!state_.model.paused());
      break;
    case Action::RestartRun:
      if (state_.model.live() || state_.model.notice()) state_.new_run = state_.model.options_now();
      break;
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
    case Action::FlipSide:
      if (state_.experiment && state_.model.live()) {
        const auto now = state_.experiment->side_of(state_.model.session()->settings());
        const experiment::Side from = now.value_or(state_.experiment->side());
        state_.wanted_side = from == experiment::Side::Before ? experiment::Side::After : experiment::Side::Before;
      }
      break;
    case Action::Slower:
      state_.model.set_speed(std::max(0.001, state_.model.speed() / 10));
      break;
    case Action::Faster:
      state_.model.set_speed(std::min(1.0, state_.model.speed() * 10));
      break;
    case Action::FewerReads:
      step_setting("log_interval", 1);
      break;
    case Action::MoreReads:
      step_setting("log_interval", -1);
      break;
    case Action::TogglePinned:
      toggle_setting("pinned");
      break;
    case Action::ToggleNonBlocking:
      toggle_setting("non_blocking");
      break;
    case Action::ToggleFeed:
      toggle_setting("feed");
      break;
    case Action::Roll:
      state_.view.set_mode(ViewMode::Roll);
      break;
    case Action::Trigger:
      state_.view.set_mode(ViewMode::Trigger);
      break;
    case Action::Single:
      state_.view.set_mode(ViewMode::Single);
      break;
    case Action::Resume:
      state_.view.resume();
      break;
    case Action::Fit:
      if (state_.selection.range) {
        state_.view.show(state_.selection.range->first, state_.selection.range->second);
      } else if (state_.selection.event) {
        state_.view.show(state_.selection.event->event.start_ns, state_.selection.event->event.end_ns);
      } else if (state_.selection.bubble) {
        state_.view.show(state_.selection.bubble->start_ns, state_.selection.bubble->end_ns);
      } else {
        state_.view.fit(state_.model);
      }
      break;
    case Action::ClearSelection:
      if (state_.device_menu_open) {
        state_.toggle_device_menu = true;
      } else if (state_.gallery.open) {
        open_gallery(false);
      } else if (state_.help_open || state_.health_open) {
        state_.help_open = state_.health_open = false;
      } else if (state_.sweep.open) {
        state_.sweep.open = false;
      } else {
        state_.selection.clear();
        state_.editing_setting.clear();
      }
      break;
    case Action::TogglePlotAxis: {
      const bool now =
          state_.plots_on_timeline_axis.value_or(!state_.model.live() || state_.view.mode() == ViewMode::Roll);
      state_.plots_on_timeline_axis = !now;
      break;
    }
    case Action::Screenshot:
      screenshot_ = true;
      if (state_.tour == TourStep::PressS) {
        state_.tour = TourStep::Off;
        state_.preferences.tour_done = true;
      }
      break;
    case Action::TimelinePicture2x:
      save_timeline_picture(2);
      break;
    case Action::TimelinePicture4x:
      save_timeline_picture(4);
      break;
    case Action::SaveTrace:
      save_trace(false);
      break;
    case Action::SaveTraceCompressed:
      save_trace(true);
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
    case Action::Sweep:
      state_.sweep.open = !state_.sweep.open;
      state_.help_open = state_.health_open = false;
      break;
    case Action::Help:
      state_.help_open = !state_.help_open;
      state_.health_open = false;
      open_gallery(false);
      break;
    case Action::Quit:
      quit_ = true;
      break;
    case Action::ZoomIn:
      state_.view.zoom(1.5, (state_.view.axis().left_px() + state_.view.axis().right_px()) / 2);
      break;
    case Action::ZoomOut:
      state_.view.zoom(1 / 1.5, (state_.view.axis().left_px() + state_.view.axis().right_px()) / 2);
      break;
    case Action::PanLeft:
      state_.view.glide(120);
      break;
    case Action::PanRight:
      state_.view.glide(-120);
      break;
  }
}

void Shell::hold(Action action, double seconds) {
  const TimeAxis& axis = state_.view.axis();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float middle = (axis.left_px() + axis.right_px()) / 2;
  const float at = mouse.x >= axis.left_px() && mouse.x <= axis.right_px() ? mouse.x : middle;
  const double zoom = std::pow(kHoldZoomPerSecond, seconds);
  const auto pan = static_cast<float>(kHoldPixelsPerSecond * seconds);
  switch (action) {
    case Action::ZoomIn:
      state_.view.zoom(zoom, at);
      break;
    case Action::ZoomOut:
      state_.view.zoom(1 / zoom, at);
      break;
    case Action::PanLeft:
      state_.view.glide(pan);
      break;
    case Action::PanRight:
      state_.view.glide(-pan);
      break;
    default:
      break;
  }
}

std::filesystem::path Shell::new_file(const char* what, const char* extension) const {
  return new_picture_path(state_.preferences, what, extension);
}

namespace {

// The stretch in view as a picture's part.
PicturePart part_in_view(const ShellState& state) {
  PicturePart part;
  part.trace = &state.model.trace();
  part.from_ns = state.view.axis().begin_ns();
  part.to_ns = std::min(state.view.axis().end_ns(), std::max(state.model.live_edge(), part.from_ns + 1));
  part.summary =
      state.selection.range && state.range_figures.summary ? *state.range_figures.summary : state.model.recent();
  part.facts = state.model.facts();
  return part;
}

}  // namespace

void Shell::save_screenshot(const io::Image& image) {
  screenshot_ = false;
  const std::filesystem::path path = new_file("window", ".png");
  PictureRequest facts;
  facts.parts.push_back(part_in_view(state_));
  try {
    io::write_png(path, image, picture_text(facts));
    state_.show_toast(std::string(tr("Picture saved")) + ": " + path.string());
  } catch (const base::Error& error) {
    state_.show_toast(error.what(), true);
  }
}

void Shell::save_timeline_picture(float scale) {
  PictureRequest request;
  request.parts.push_back(part_in_view(state_));
  request.theme = state_.preferences.theme;
  request.scale = scale;
  request.headline = state_.model.title();
  const std::filesystem::path path = new_file("timeline", ".png");
  try {
    io::write_png(path, draw_picture(request), picture_text(request));
    state_.show_toast(std::string(tr("Picture saved")) + ": " + path.string());
  } catch (const base::Error& error) {
    state_.show_toast(error.what(), true);
  }
}

void Shell::save_trace(bool compressed) {
  if (state_.saving.valid()) return;
  const std::filesystem::path path = new_file("trace", compressed ? ".json.gz" : ".json");
  state_.show_toast(std::string(tr("Saving the trace")) + ": " + path.string());
  state_.saving = std::async(std::launch::async, [path, facts = state_.model.facts(), &trace = state_.model.trace()] {
    io::write_chrome_trace(path, trace, facts);
    return std::string(tr("Trace saved")) + ": " + path.string();
  });
}

bool Shell::animating() const {
  const bool run_moves = state_.model.live() && !state_.model.paused() && state_.model.session()->runner().running();
  return run_moves || !state_.model.open_calls().empty() || state_.view.moving() || state_.toast ||
         (state_.sweep.sweep && (state_.sweep.sweep->running() || state_.sweep.paused_the_run)) ||
         state_.saving.valid() || state_.range_figures.pending.valid() || state_.view.armed();
}

}  // namespace lanescope::ui
