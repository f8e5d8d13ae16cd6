#include "window/window.h"

#include "base/platform/paths.h"
#include "render/gl.h"
// First: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <future>

#include "base/background_job.h"
#include "base/crash_reports.h"
#include "base/error.h"
#include "base/platform/page.h"
#include "base/platform/system.h"
#include "base/translate.h"
#include "model/lesson/lesson_letters.h"
#include "model/source/memory_cap.h"
#include "picture/words.h"
#include "render/grounds.h"
#include "render/imgui_style.h"
#include "render/offscreen.h"
#include "render/shader_program.h"
#include "window/focus_ring.h"
#include "window/kept_content.h"
#include "window/panels/overlays/overlays_panels.h"

namespace lanescope::ui {
namespace {

using Clock = std::chrono::steady_clock;
using base::tr;

constexpr double kUnseenSeconds = 0.25;  // between updates of a run in a hidden window
#ifdef __EMSCRIPTEN__
constexpr const char* kShaderVersion = "#version 300 es";
#else
constexpr const char* kShaderVersion = "#version 330 core";
#endif
constexpr int kLostFrames = 3;  // the OpenGL library follows a change of the window's size one frame late
constexpr std::size_t kKeptFrameTimes = 100'000;

std::string headless_hint() {
  return std::string("; ") + tr("without a window: lanescope run --workload linear-mse --compare log_interval=100");
}

// From GLFW 3.4 on, it prefers Wayland, and complains on standard error where there is none. X11 is what its older
// versions know, and what Wayland's desktops offer, too.
void prefer_x11() {
#ifdef GLFW_PLATFORM_X11
  const bool only_wayland = base::environment("DISPLAY").empty() && !base::environment("WAYLAND_DISPLAY").empty();
  if (!only_wayland && glfwPlatformSupported(GLFW_PLATFORM_X11)) glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
}

double seconds_of(Clock::time_point time) { return std::chrono::duration<double>(time.time_since_epoch()).count(); }

// Converts to whole pixels; the first background covers the whole framebuffer.
std::vector<PixelGround> to_pixels(const std::vector<Shell::Ground>& grounds, int width, int height, float density) {
  std::vector<PixelGround> pixels{{0, 0, width, height, grounds.empty() ? 0 : grounds.front().colour}};
  for (const auto& [area, colour] : grounds) {
    const auto whole = [&](float at) { return static_cast<int>(at * density); };
    pixels.push_back({whole(area.x), whole(area.y), whole(area.x + area.width), whole(area.y + area.height), colour});
  }
  return pixels;
}

#if IMGUI_VERSION_NUM < 19200
// Letters are at whole pixels in their own size, so one texel gives the same result as a mix of four, at a fraction of
// the cost for a software renderer.
void sample_nearest(const ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19140
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(atlas.TexID));
#else
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(reinterpret_cast<std::uintptr_t>(atlas.TexID)));
#endif
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}
#endif

// For a report of a crash, which is often the driver's.
void note_graphics() {
  std::string text;
  for (const GLenum what : {GL_VENDOR, GL_RENDERER, GL_VERSION}) {
    const auto* said = reinterpret_cast<const char*>(glGetString(what));
    text += (text.empty() ? "" : "; ") + std::string(said ? said : "?");
  }
  base::note_crash_fact(base::CrashFact::Graphics, text);
}

}  // namespace

Window::Window(const WindowOptions& options) : options_(options), screen_(options) {
  set_shader_directory(options.shader_dir);
  open_window();
  try {
    screen_.begin(content_scale());
  } catch (...) {  // the destructor does not run if the constructor throws
    close_window();
    throw;
  }
}

void Window::open_window() {
  const Preferences& remembered = screen_.remembered();
  static std::string reason;
  glfwSetErrorCallback([](int, const char* text) { reason = text; });
  // GLFW gives the reason in English only.
  const auto in_brackets = [&] {
    return base::language() == base::Language::English ? " (" + reason + ")" : std::string();
  };
  prefer_x11();
  if (!glfwInit()) throw base::FileError(tr("no display") + in_brackets() + headless_hint());
  float x = 1, y = 1;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) glfwGetMonitorContentScale(monitor, &x, &y);
  screen_.make_letters(std::clamp(x, 1.0f, 4.0f));
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  if (!base::kInPage) glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);  // preferences are in unscaled pixels
  const auto create = [&](int robustness) {
    glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, robustness);
    window_ = glfwCreateWindow(remembered.window_width, remembered.window_height, "Lanescope", nullptr, nullptr);
  };
  if (!base::kInPage) create(GLFW_LOSE_CONTEXT_ON_RESET);  // which not every driver offers
  if (!window_) create(GLFW_NO_ROBUSTNESS);
  if (!window_) {
    glfwTerminate();
    throw base::FileError(tr("no OpenGL 3.3") + in_brackets() + headless_hint());
  }
  const float unit = coordinates_per_unscaled_pixel();
  glfwSetWindowSizeLimits(window_, static_cast<int>(900 * unit), static_cast<int>(560 * unit), GLFW_DONT_CARE,
                          GLFW_DONT_CARE);
  visibility_.emplace(window_);
  glfwMakeContextCurrent(window_);
  keeps_content_ = keeps_content(window_);
  glfwSetWindowUserPointer(window_, this);
  glfwSetKeyCallback(window_, on_key);
  glfwSetDropCallback(window_, on_drop);
  glfwSetWindowRefreshCallback(window_, on_refresh);
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* window, int, int) { on_refresh(window); });
  glfwSetWindowContentScaleCallback(window_, on_content_scale);  // the window was moved to another monitor
  note_graphics();
  screen_.open();
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  glfwSetCharCallback(window_, [](GLFWwindow* window, unsigned int letter) {  // the screen passes it on
    static_cast<Window*>(glfwGetWindowUserPointer(window))->screen_.character(letter);
  });
  ImGui_ImplOpenGL3_Init(kShaderVersion);
  settle_in();
}

float Window::coordinates_per_unscaled_pixel() const {
  int coordinates = 0, pixels = 0;
  glfwGetWindowSize(window_, &coordinates, nullptr);
  glfwGetFramebufferSize(window_, &pixels, nullptr);
  const float density = pixels > 0 ? static_cast<float>(coordinates) / static_cast<float>(pixels) : 1;
  return content_scale() * density;
}

Window::~Window() {
  keep_preferences();
  close_window();
}

void Window::keep_preferences() {
  int width = 0;
  int height = 0;
  glfwGetWindowSize(window_, &width, &height);
  if (glfwGetWindowMonitor(window_)) {
    width = static_cast<int>(windowed_.width);
    height = static_cast<int>(windowed_.height);
  }
  const float unit = coordinates_per_unscaled_pixel();
  const auto unscaled = [&](int length) { return static_cast<int>(std::lround(static_cast<float>(length) / unit)); };
  screen_.keep_preferences(unscaled(width), unscaled(height));
}

void Window::close_window() {
  screen_.end();
  visibility_.reset();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void Window::on_key(GLFWwindow* window, int key, int, int action, int modifiers) {
  Window& self = *static_cast<Window*>(glfwGetWindowUserPointer(window));
  const KeyMotion motion = action == GLFW_PRESS    ? KeyMotion::Press
                           : action == GLFW_REPEAT ? KeyMotion::Repeat
                                                   : KeyMotion::Release;
  if (motion != KeyMotion::Release) self.touched_s_ = seconds_of(Clock::now());
  self.screen_.key(key, motion, modifiers);
}

void Window::on_drop(GLFWwindow* window, int count, const char** paths) {
  std::vector<std::filesystem::path>& files =
      static_cast<Window*>(glfwGetWindowUserPointer(window))->screen_.state().requests.files;
  files.clear();
  for (int i = 0; i < count; ++i) files.push_back(paths[i]);
}

// What was drawn is lost.
void Window::on_refresh(GLFWwindow* window) {
  static_cast<Window*>(glfwGetWindowUserPointer(window))->lost_ = kLostFrames;
}

void Window::on_content_scale(GLFWwindow* window, float x, float) {
  Screen& screen = static_cast<Window*>(glfwGetWindowUserPointer(window))->screen_;
  if (screen.begun()) screen.state().content_scale = std::clamp(x, 1.0f, 4.0f);
}

void Window::refresh_look() {
  [[maybe_unused]] const bool first = frames() == 0;
  if (!screen_.refresh_look()) return;
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  // What the first frame would otherwise do, with a second texture.
  first ? ImGui_ImplOpenGL3_CreateDeviceObjects() : ImGui_ImplOpenGL3_CreateFontsTexture();
  sample_nearest(*ImGui::GetIO().Fonts);
#endif
  damage_.forget();
}

// The window is hidden: the run continues, and the analysis keeps up with it, so that no backlog builds up.
void Window::wait_unseen() {
  glfwWaitEventsTimeout(kUnseenSeconds);
  screen_.state().model.update();
  shell().perform_requests();
  screen_.owe_frames();
}

bool Window::frame() {
  if (hidden()) {
    wait_unseen();
    return !glfwWindowShouldClose(window_);
  }
  wait_for_work();
  if (glfwWindowShouldClose(window_) || shell().wants_quit()) return false;
  if (!options_.frames_unlimited && !screen_.wants_frame()) {
    screen_.look_around();
    return true;
  }
  draw_frame();
  return true;
}

bool Window::draws_changes_only() const {
  return keeps_content_ && ImGui::GetIO().DisplayFramebufferScale.x == 1 && options_.shader_dir.empty();
}

// On a busy machine, the lanes and one of the other panels, as a whole: parts of it from different moments would
// contradict each other. Nothing where all is to be drawn, also because the user is busy there.
std::vector<PixelArea> Window::areas_in_turn(std::span<const PixelGround> grounds) {
  constexpr double kTouched_s = 0.5;
  const ShellState& state = screen_.state();
  const auto timeline = state.places.find("timeline");
  if (!shell().moving() || lost_ > 0 || shell().wants_screenshot() || timeline == state.places.end()) return {};
  const Rect& place = timeline->second;
  const auto whole = [](float at) { return static_cast<int>(at); };
  const PixelArea lanes{whole(place.x), whole(place.y), whole(place.x + place.width), whole(place.y + place.height)};
  const double now_s = seconds_of(last_frame_);
  const ImGuiIO& io = ImGui::GetIO();
  const bool pointing = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 || ImGui::IsAnyMouseDown();
  const bool in_lanes = io.MousePos.x >= place.x && io.MousePos.x < place.x + place.width && io.MousePos.y >= place.y &&
                        io.MousePos.y < place.y + place.height;
  if (pointing && !in_lanes) touched_s_ = now_s;
  if (!coarseness_.coarse() || now_s - touched_s_ < kTouched_s) return {};
  std::vector<PixelArea> panels;
  for (const PixelGround& g : grounds) {
    const bool apart = g.right <= lanes.left || g.left >= lanes.right || g.bottom <= lanes.top || g.top >= lanes.bottom;
    if (apart) panels.push_back({g.left - 1, g.top - 1, g.right + 1, g.bottom + 1});  // with the lines between them
  }
  if (panels.empty()) return {};
  screen_.owe_frames(static_cast<int>(panels.size()));  // until each has had its turn
  return {lanes, panels[coarseness_.turn() % panels.size()]};
}

// Where the window keeps its content, only what has changed is drawn.
bool Window::paint_frame(int width, int height) {
  ImDrawData& data = *ImGui::GetDrawData();
  const float density = data.FramebufferScale.x;
  const std::vector<PixelGround> grounds = to_pixels(shell().grounds(), width, height, density);
  std::vector<PixelArea> areas{{0, 0, width, height}};
  if (width != drawn_width_ || height != drawn_height_) lost_ = kLostFrames;
  drawn_width_ = width;
  drawn_height_ = height;
  if (lost_ > 0) {
    --lost_;
    damage_.forget();
  }
  if (draws_changes_only()) {
    areas = damage_.since_last_frame(data, grounds, width, height, areas_in_turn(grounds));
    restrict_to(data, areas);
  }
  if (!areas.empty()) {
    glViewport(0, 0, width, height);
    clear_grounds(grounds, height, areas);
    ImGui_ImplOpenGL3_RenderDrawData(&data);
  }
  if (shell().wants_screenshot()) shell().save_screenshot(read_pixels(0, 0, width, height));
  if (!areas.empty()) {
    glfwSwapBuffers(window_);
    check_context();
  }
  return !areas.empty();
}

void Window::draw_frame() {
  const auto begin = Clock::now();
  const std::chrono::duration<double, std::milli> since_last = begin - last_frame_;
  last_frame_ = begin;
  const bool paced = draws_changes_only() && shell().moving();
  if (paced) coarseness_.frame(seconds_of(begin), since_last.count());
  screen_.state().figures.coarse_frames_per_second =
      paced && coarseness_.coarse() ? coarseness_.frames_per_second() : 0;
  follow_full_screen();
  refresh_look();
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  double x = 0, y = 0;
  glfwGetCursorPos(window_, &x, &y);
  screen_.draw(static_cast<float>(x), static_cast<float>(y));
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  const bool painted = paint_frame(width, height);
  screen_.finish_frame();
  const auto ms = std::chrono::duration<float, std::milli>(Clock::now() - begin).count();
  if (painted && frame_times_ms_.size() < kKeptFrameTimes) frame_times_ms_.push_back(ms);
}

void run_window(const WindowOptions& options) {
  Window window(options);
  window.run();
}

}  // namespace lanescope::ui
