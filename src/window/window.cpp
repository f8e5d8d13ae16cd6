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

#include "base/crash_notes.h"
#include "base/error.h"
#include "base/platform/machine_memory.h"
#include "base/platform/page.h"
#include "base/threads.h"
#include "base/translate.h"
#include "model/lesson_letters.h"
#include "model/memory_cap.h"
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
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(reinterpret_cast<std::uintptr_t>(atlas.TexID)));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}
#endif

// A text field has the keyboard focus, or an open panel takes all keys.
bool is_typing(const ShellState& state) {
  const bool field = state.search.open && state.drawer == DrawerTab::Found && !state.presentation.on;
  const bool searching = field && (state.search.field_active || state.search.focus_wanted);
  return ImGui::GetIO().WantTextInput || searching || state.overlays.open == Overlay::Palette ||
         state.overlays.open == Overlay::Files || state.overlays.open == Overlay::Attach ||
         state.overlays.keys.waits_for.has_value();
}

int modifiers_down() {
  const ImGuiIO& io = ImGui::GetIO();
  return (io.KeyCtrl ? GLFW_MOD_CONTROL : 0) | (io.KeyShift ? GLFW_MOD_SHIFT : 0) | (io.KeyAlt ? GLFW_MOD_ALT : 0);
}

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

Window::Window(const WindowOptions& options) : options_(options) {
  set_shader_directory(options.shader_dir);
  // Report a missing file or capture before a window opens.
  if (const auto recorded = recorded_name(options.open)) {
    capture_named(recorded_captures(), *recorded);
  } else if (!options.open.empty()) {
    check_readable(options.open);
  }
  std::string broken;
  Preferences preferences = options.first_start ? Preferences() : load_preferences(preferences_path(), &broken);
  open_window(preferences);
  try {
    begin(options, std::move(preferences));
    if (!broken.empty()) shell_->state().show_toast(broken, true);
  } catch (...) {  // the destructor does not run if the constructor throws
    close_window();
    throw;
  }
}

void Window::begin(const WindowOptions& options, Preferences preferences) {
  if (options.theme) preferences.theme = *options.theme;
  if (options.language) preferences.language = *options.language;
  shell_ = std::make_unique<Shell>(std::move(preferences));
  base::set_language(shell_->state().language());
  follow_own_files(shell_->state());  // the first experiment may be one of them
  if (shell_->state().preferences.language != shell_->state().language()) {
    shell_->state().show_toast(no_chinese_text(), true);
  }
  shell_->state().pictures.paint_window = [this](float scale, ThemeName name) { return paint(scale, name); };
  shell_->state().content_scale = content_scale();
  session::SessionOptions session = options.session;
  session.speed = options.speed;
  session.memory_cap_bytes = options.memory_cap_bytes.value_or(
      memory_cap_of(shell_->state().preferences.memory_gb, base::machine_memory_bytes()));
  shell_->state().model.set_first_options(session);
  if (options.source) {
    shell_->begin_with_source(options.source(session.memory_cap_bytes));
  } else if (!options.open.empty()) {
    shell_->begin_with_files(options.open);
  } else {
    begin_run(session);
  }
}

void Window::begin_run(const session::SessionOptions& session) {
  if (options_.lesson) return shell_->begin_lesson(*options_.lesson, options_.student);
  const session::SessionOptions plain;
  const bool asked_for = options_.plain || session.workload != plain.workload || !session.assignments.empty();
  const auto experiments = experiment::experiments();
  if (options_.experiment.empty() && (asked_for || experiments.empty())) {
    shell_->state().model.start_run(session);
    return;
  }
  const experiment::Experiment& first =
      options_.experiment.empty() ? experiments.front() : experiment::experiment_named(options_.experiment);
  shell_->begin_with(first, session);
}

void Window::open_window(const Preferences& remembered) {
  static std::string reason;
  glfwSetErrorCallback([](int, const char* text) { reason = text; });
  // GLFW gives the reason in English only.
  const auto in_brackets = [&] {
    return base::language() == base::Language::English ? " (" + reason + ")" : std::string();
  };
  prefer_x11();
  if (!glfwInit()) throw base::FileError(tr("no display") + in_brackets() + headless_hint());
  std::future<Fonts> letters = letters_meanwhile(remembered);
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
  IMGUI_CHECKVERSION();
  if (letters.valid()) fonts_ = letters.get();
  ImGui::CreateContext(atlas_.get());
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // the program saves its own preferences
  io.LogFilename = nullptr;
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  ImGui_ImplOpenGL3_Init(kShaderVersion);
  settle_in();
}

// The letters of the first frame, on another CPU while the window is opened. If the window turns out to need others,
// they are made for it like those of any other frame.
std::future<Fonts> Window::letters_meanwhile([[maybe_unused]] const Preferences& preferences) {
#if IMGUI_VERSION_NUM < 19200  // which makes each letter when it is first drawn
  if (options_.language.value_or(preferences.language) != base::Language::English) return {};  // there are many more
  float x = 1, y = 1;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) glfwGetMonitorContentScale(monitor, &x, &y);
  fonts_scale_ = preferences.font_scale * std::clamp(x, 1.0f, 4.0f);
  fonts_language_ = base::Language::English;
  atlas_ = std::make_unique<ImFontAtlas>();
  const std::launch on = base::kThreads ? std::launch::async | std::launch::deferred : std::launch::deferred;
  return std::async(on, [atlas = atlas_.get(), scale = fonts_scale_] {
    const Fonts fonts = load_fonts(*atlas, scale, 1, window_letters(base::Language::English, ""));
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    atlas->GetTexDataAsRGBA32(&pixels, &width, &height);  // which it keeps for the texture
    return fonts;
  });
#else
  return {};
#endif
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
  if (!shell_ || options_.first_start) return;
  int width = 0;
  int height = 0;
  glfwGetWindowSize(window_, &width, &height);
  if (glfwGetWindowMonitor(window_)) {
    width = static_cast<int>(windowed_.width);
    height = static_cast<int>(windowed_.height);
  }
  Preferences& p = shell_->state().preferences;
  const float unit = coordinates_per_unscaled_pixel();
  p.window_width = static_cast<int>(std::lround(static_cast<float>(width) / unit));
  p.window_height = static_cast<int>(std::lround(static_cast<float>(height) / unit));
  p.trigger = shell_->state().view.own_trigger();
  p.trigger.automatic = true;
  save_preferences(preferences_path(), p);
}

void Window::close_window() {
  shell_.reset();
  visibility_.reset();
  magnifier_.clear();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void Window::on_key(GLFWwindow* window, int key, int, int action, int modifiers) {
  static_cast<Window*>(glfwGetWindowUserPointer(window))->key(key, action, modifiers);
}

void Window::on_drop(GLFWwindow* window, int count, const char** paths) {
  std::vector<std::filesystem::path>& files =
      static_cast<Window*>(glfwGetWindowUserPointer(window))->shell_->state().requests.files;
  files.clear();
  for (int i = 0; i < count; ++i) files.push_back(base::path_of(paths[i]));
}

// What was drawn is lost.
void Window::on_refresh(GLFWwindow* window) {
  static_cast<Window*>(glfwGetWindowUserPointer(window))->lost_ = kLostFrames;
}

void Window::on_content_scale(GLFWwindow* window, float x, float) {
  const auto& shell = static_cast<Window*>(glfwGetWindowUserPointer(window))->shell_;
  if (shell) shell->state().content_scale = std::clamp(x, 1.0f, 4.0f);
}

void Window::key(int key, int action, int modifiers) {
  if (!shell_) return;
  ShellState& state = shell_->state();
  const KeyChord chord{key, modifiers & (GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT)};
  if (action == GLFW_RELEASE) {
    const auto tapped = keys_.release(key, Clock::now());
    if (tapped && !is_typing(state)) perform(state, *tapped);
    return;
  }
  if (action == GLFW_PRESS && key >= 0) pressed_.push_back(key);
  touched_s_ = seconds_of(Clock::now());
  if (modifiers & GLFW_MOD_SUPER) return;  // reserved for the desktop
  if (state.overlays.keys.waits_for) {
    if (action == GLFW_PRESS && can_be_bound(key)) state.overlays.keys.pressed = chord;
    return;
  }
  if (palette_key(state, chord) || file_dialog_key(state, chord) || attach_dialog_key(state, chord)) return;
  if (key == GLFW_KEY_ESCAPE && state.overlays.open == Overlay::Keys) return perform(state, Action::ClearSelection);
  const bool function_key = key >= GLFW_KEY_F1 && key <= GLFW_KEY_F25;  // does not type text
  if (is_typing(state) && !function_key) return;
  const bool repeated = action == GLFW_REPEAT;
  if (focus_key(state.focus, chord, repeated) || menu_key(state, chord) || presenting_key(state, chord, repeated)) {
    return;
  }
  const auto wanted = action == GLFW_PRESS ? keys_.press(chord, Clock::now()) : keys_.repeat(chord);
  if (wanted) perform(state, *wanted);
}

void Window::hold_keys() {
  ShellState& state = shell_->state();
  if (is_typing(state) || state.overlays.open == Overlay::Menu) return keys_.forget();
  if (keys_.any()) frames_owed_ = 3;
  for (const Action action : keys_.held(modifiers_down(), Clock::now())) hold(state, action);
}

void Window::refresh_look() {
  ShellState& state = shell_->state();
  const float scale = state.scale();
  const bool more_letters = fonts_letters_ != missing_letters_.text().size() ||
                            (state.language() == base::Language::Chinese && fonts_own_ != state.own_files.version);
  const bool stale = scale != fonts_scale_ || fonts_language_ != state.language() || more_letters;
  if (stale) {
    fonts_scale_ = scale;
    fonts_language_ = state.language();
    fonts_own_ = state.own_files.version;
    fonts_letters_ = missing_letters_.text().size();
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.Clear();
    fonts_ = load_fonts(atlas, scale, 1, window_letters(*fonts_language_, missing_letters_.text()));
  }
  if (stale || frames_ == 0) {
    fonts_.missing = &missing_letters_;
#if IMGUI_VERSION_NUM < 19200
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    // What the first frame would otherwise do, with a second texture.
    if (frames_ == 0) {
      ImGui_ImplOpenGL3_CreateDeviceObjects();
    } else {
      ImGui_ImplOpenGL3_CreateFontsTexture();
    }
    sample_nearest(*ImGui::GetIO().Fonts);
#endif
    theme_shown_.reset();
    damage_.forget();
  }
  if (theme_shown_ != state.preferences.theme) {
    theme_shown_ = state.preferences.theme;
    apply_to_imgui(theme(*theme_shown_), scale);
#if IMGUI_VERSION_NUM < 19200
    ImGui::GetStyle().AntiAliasedLinesUseTex = false;  // textured lines need more than nearest-texel sampling
#endif
  }
}

// The window is hidden: the run continues, and the analysis keeps up with it, so that no backlog builds up.
void Window::wait_unseen() {
  glfwWaitEventsTimeout(kUnseenSeconds);
  shell_->state().model.update();
  shell_->perform_requests();
  frames_owed_ = 3;
}

// Takes the answer of a dialog of the desktop, without drawing meanwhile.
void Window::look_at_dialog() {
  if (!shell_->state().files.system.running()) return;
  shell_->perform_requests();
  if (!shell_->state().files.system.running()) frames_owed_ = 3;
}

bool Window::frame() {
  if (hidden()) {
    wait_unseen();
    return !glfwWindowShouldClose(window_);
  }
  wait_for_work();
  if (glfwWindowShouldClose(window_) || shell_->wants_quit()) return false;
  if (!options_.frames_unlimited && !shell_->animating() && frames_owed_ <= 0) {
    look_at_dialog();
    if (follow_own_files(shell_->state())) frames_owed_ = 3;
    return true;
  }
  draw_frame();
  return true;
}

// Dear ImGui before 1.87 looks at the keys once per frame, so it would miss one that has been released since.
void Window::new_frame() {
#if IMGUI_VERSION_NUM < 18700
  ImGuiIO& io = ImGui::GetIO();
  const auto is_down = [&](int key) { return io.KeysDown[key]; };
  std::erase_if(pressed_, is_down);
  for (const int key : pressed_) io.KeysDown[key] = true;
  ImGui::NewFrame();
  for (const int key : pressed_) io.KeysDown[key] = false;
#else
  ImGui::NewFrame();
#endif
  pressed_.clear();
}

void Window::click_focused_control() {
  double x = 0;
  double y = 0;
  glfwGetCursorPos(window_, &x, &y);
  if (click_focused(shell_->state().focus, static_cast<float>(x), static_cast<float>(y))) frames_owed_ = 3;
}

void Window::magnify(float factor, int width, int height) {
  double x = 0, y = 0;
  glfwGetCursorPos(window_, &x, &y);  // also where ImGui knows none: outside the window
  const float density = ImGui::GetIO().DisplayFramebufferScale.x;
  magnifier_.apply(
      magnified_part(static_cast<float>(x) * density, static_cast<float>(y) * density, factor, width, height), width,
      height);
}

bool Window::draws_changes_only() const {
  return keeps_content_ && ImGui::GetIO().DisplayFramebufferScale.x == 1 && options_.shader_dir.empty();
}

// On a busy machine, the lanes and one of the other panels, as a whole: parts of it from different moments would
// contradict each other. Nothing where all is to be drawn, also because the user is busy there.
std::vector<PixelArea> Window::areas_in_turn(std::span<const PixelGround> grounds) {
  constexpr double kTouched_s = 0.5;
  const ShellState& state = shell_->state();
  const auto timeline = state.places.find("timeline");
  if (!shell_->moving() || lost_ > 0 || shell_->wants_screenshot() || timeline == state.places.end()) return {};
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
  frames_owed_ = std::max(frames_owed_, static_cast<int>(panels.size()));  // until each has had its turn
  return {lanes, panels[coarseness_.turn() % panels.size()]};
}

// Where the window keeps its content, only what has changed is drawn.
bool Window::paint_frame(int width, int height) {
  ImDrawData& data = *ImGui::GetDrawData();
  const float density = data.FramebufferScale.x;
  const std::vector<PixelGround> grounds = to_pixels(shell_->grounds(), width, height, density);
  std::vector<PixelArea> areas{{0, 0, width, height}};
  if (width != drawn_width_ || height != drawn_height_) lost_ = kLostFrames;
  drawn_width_ = width;
  drawn_height_ = height;
  const float magnification = shell_->state().pointer.magnification(Clock::now());
  if (magnification > 1) lost_ = kLostFrames;  // what is kept then is not what was drawn
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
    magnification > 1 ? magnify(magnification, width, height) : magnifier_.clear();
  }
  if (shell_->wants_screenshot()) shell_->save_screenshot(read_pixels(0, 0, width, height));
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
  const bool paced = draws_changes_only() && shell_->moving();
  if (paced) coarseness_.frame(seconds_of(begin), since_last.count());
  shell_->state().figures.coarse_frames_per_second =
      paced && coarseness_.coarse() ? coarseness_.frames_per_second() : 0;
  follow_full_screen();
  refresh_look();
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  click_focused_control();
  new_frame();
  hold_keys();
  shell_->draw(fonts_);
  ImGui::Render();
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  const bool painted = paint_frame(width, height);
  const std::uint64_t shown = shell_->state().model.generation();
  const bool opening = shell_->state().opening.running();
  shell_->perform_requests();
  ++frames_;
  frames_owed_ = std::max(0, frames_owed_ - 1);
#if IMGUI_VERSION_NUM >= 18700
  // A frame takes one change of a key or button at a time: the rest of what was typed waits for the next.
  if (!ImGui::GetCurrentContext()->InputEventsQueue.empty()) frames_owed_ = std::max(frames_owed_, 1);
#endif
  // Draw a newly loaded trace without waiting for user input.
  if (shown != shell_->state().model.generation() || opening != shell_->state().opening.running()) frames_owed_ = 3;
  if (fonts_letters_ != missing_letters_.text().size()) frames_owed_ = 3;
  const auto ms = std::chrono::duration<float, std::milli>(Clock::now() - begin).count();
  if (painted && frame_times_ms_.size() < kKeptFrameTimes) frame_times_ms_.push_back(ms);
  double& smoothed = shell_->state().figures.frame_ms;
  smoothed += (static_cast<double>(ms) - smoothed) * 0.05;
}

std::string Window::failure() const {
  const ShellState& state = shell_->state();
  return state.model.nothing() ? state.opening.failure() : std::string();
}

void run_window(const WindowOptions& options) {
  Window window(options);
  window.run();
}

}  // namespace lanescope::ui
