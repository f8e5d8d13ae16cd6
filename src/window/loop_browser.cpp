// How the window lives in a page: the browser asks for each frame, and decides the size.
#include <GLFW/glfw3.h>
#include <emscripten.h>
#include <imgui.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/platform/page_browser.h"
#include "base/translate.h"
#include "shell/copy_link.h"
#include "shell/rescue.h"
#include "window/window.h"

namespace lanescope::ui {
namespace {

namespace browser = base::browser;
using Clock = std::chrono::steady_clock;

// In points, however small the screen: the text gets smaller instead. Upright, the panels lie below the lanes.
constexpr float kLeastWidth = 800, kLeastUprightWidth = 560, kLeastHeight = 480;
constexpr int kSettling = 3;
constexpr std::chrono::milliseconds kLookForFiles{300};

Window* page_window = nullptr;
std::string copied;

// A browser tells a page what is on the clipboard only after asking the user: what the program copied itself has to do.
#if IMGUI_VERSION_NUM >= 19110
void copy(ImGuiContext*, const char* text) { browser::copy_text(copied = text); }
const char* paste(ImGuiContext*) { return copied.c_str(); }
#else
void copy(void*, const char* text) { browser::copy_text(copied = text); }
const char* paste(void*) { return copied.c_str(); }
#endif

}  // namespace

void Window::settle_in() {
#if IMGUI_VERSION_NUM >= 19110
  ImGui::GetPlatformIO().Platform_SetClipboardTextFn = copy;
  ImGui::GetPlatformIO().Platform_GetClipboardTextFn = paste;
#else
  ImGui::GetIO().SetClipboardTextFn = copy;
  ImGui::GetIO().GetClipboardTextFn = paste;
#endif
  const browser::CanvasSize size = browser::wanted_size();
  glfwSetWindowSize(window_, size.width, size.height);
}

float Window::content_scale() const {
  const browser::CanvasSize size = browser::wanted_size();
  const auto width = static_cast<float>(size.width), height = static_cast<float>(size.height);
  const float fitting = std::min(width / (height > width ? kLeastUprightWidth : kLeastWidth), height / kLeastHeight);
  return std::clamp(std::min(size.density, fitting), 0.5f, 4.0f);
}

void Window::follow_full_screen() {
  bool& wanted = screen_.state().full_screen;
  if (wanted == was_full_screen_) {  // the user can leave it by a key of the browser's
    wanted = was_full_screen_ = browser::is_full_screen();
    return;
  }
  browser::set_full_screen(wanted);
  was_full_screen_ = wanted;
}

void Window::check_context() {}  // the page is told: see lanescope_graphics_lost()

// Nothing waits in a page. It only finds out whether there is something new.
void Window::wait_for_work() {
  const browser::CanvasSize size = browser::wanted_size();
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  if (width != size.width || height != size.height) {
    glfwSetWindowSize(window_, size.width, size.height);
    screen_.state().content_scale = content_scale();
  }
  if (browser::take_input()) screen_.owe_frames(kSettling);
  const Clock::time_point now = Clock::now();
  if (now - looked_for_files_ < kLookForFiles) return;
  looked_for_files_ = now;
  browser::offer_downloads();
  if (const auto files = browser::arrived_files(); !files.empty()) {
    screen_.state().requests.files.assign(files.begin(), files.end());
    screen_.owe_frames(kSettling);
  }
}

// Returns; the page goes on asking for frames.
void Window::run() {
  page_window = this;
  emscripten_set_main_loop_arg(
      [](void* self) {
        auto& window = *static_cast<Window*>(self);
        window.frame();
        if (window.frames() == 1) browser::show_canvas();
      },
      this, 0, false);
}

}  // namespace lanescope::ui

/// What the page shows, for its tests: a JSON object.
extern "C" EMSCRIPTEN_KEEPALIVE const char* lanescope_state() {
  using namespace lanescope;
  using ui::page_window;
  static std::string text;
  if (page_window == nullptr) return "{}";
  const ui::ShellState& state = page_window->shell().state();
  const auto& active = state.experiment.active;
  const bool after = active && active->side() == experiment::Side::After;
  text = nlohmann::json{{"frames", page_window->frames()},
                        {"events", state.model.trace().counts().recorded},
                        {"title", state.model.source().title()},
                        {"paused", state.model.paused()},
                        {"span_ns", state.view.destination().span_ns()},
                        {"swept", state.sweep.sweep ? state.sweep.sweep->done() : 0},
                        {"menu", ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)},
                        {"experiment", active ? active->experiment().id : ""},
                        {"side", after ? "after" : "before"},
                        {"lang", base::language() == base::Language::Chinese ? "zh" : "en"},
                        {"rescued", !state.rescued_run.empty()},
                        {"link", ui::no_link(state).empty() ? to_fragment(ui::link_of(state)) : ""}}
             .dump();
  return text.c_str();
}

/// Nothing can be drawn any more in this page. The run is kept in the browser's store, where the page finds it when it
/// is loaded again.
extern "C" EMSCRIPTEN_KEEPALIVE void lanescope_graphics_lost() {
  using lanescope::base::tr;
  using lanescope::ui::page_window;
  if (page_window == nullptr) return;
  emscripten_cancel_main_loop();
  const std::string told = rescue_run(page_window->shell().state(), tr("the browser has taken the graphics away"));
  page_window->keep_preferences();
  lanescope::base::browser::keep_settings();
  lanescope::base::browser::show_failure(told + ". " + tr("Load this page again to go on."));
  page_window = nullptr;
}

/// The page is left, or hidden, and may never come back.
extern "C" EMSCRIPTEN_KEEPALIVE void lanescope_leaving() {
  using lanescope::ui::page_window;
  if (page_window == nullptr) return;
  page_window->keep_preferences();
  lanescope::base::browser::keep_settings();
}
