#include "window/screen.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "base/background_job.h"
#include "base/platform/system.h"
#include "base/time.h"
#include "model/lesson/lesson_letters.h"
#include "model/source/memory_cap.h"
#include "picture/words.h"
#include "render/imgui_style.h"
#include "shell/keys.h"
#include "window/focus_ring.h"
#include "window/panels/overlays/overlays_panels.h"

namespace lanescope::ui {
namespace {

bool field_has_focus() {
  const ImGuiID active = ImGui::GetActiveID();
  const bool drawn = ImGui::GetCurrentContext()->ActiveIdIsAlive == active;  // in the last frame
  return active != 0 && drawn && ImGui::GetInputTextState(active) != nullptr;
}

// The next key is not for a field that has gone with its overlay.
bool give_to_overlay(ShellState& state, KeyChord chord) {
  const bool had_field = has_text_field(state.overlays);
  const bool taken = overlay_key(state, chord);
  if (had_field && !has_text_field(state.overlays)) {
    state.field_awaited = 0;
    if (ImGui::GetActiveID() != 0) ImGui::ClearActiveID();
  }
  return taken;
}

// A text field has the keyboard focus, or will have it.
bool is_typing(const ShellState& state) {
  return field_has_focus() || state.field_awaited > 0 || has_text_field(state.overlays);
}

bool is_plain(KeyChord chord) { return (chord.modifiers & ~modifier::Shift) == 0 && chord.key < key::F1; }

int modifiers_down() {
  const ImGuiIO& io = ImGui::GetIO();
  return (io.KeyCtrl ? modifier::Control : 0) | (io.KeyShift ? modifier::Shift : 0) | (io.KeyAlt ? modifier::Alt : 0);
}

}  // namespace

Screen::Screen(const WindowOptions& options) : options_(options) {
  if (const auto recorded = recorded_name(options.open)) {
    capture_named(recorded_captures(), *recorded);
  } else if (!options.open.empty()) {
    check_readable(options.open);
  }
  if (!options.first_start) remembered_ = load_preferences(preferences_path(), &broken_);
}

Screen::~Screen() {
  shell_.reset();
  if (has_context_) ImGui::DestroyContext();
}

void Screen::make_letters([[maybe_unused]] float content_scale) {
#if IMGUI_VERSION_NUM < 19200  // which makes each letter when it is first drawn
  // Of Chinese, there are many more.
  if (options_.language.value_or(remembered_.language) != base::Language::English) return;
  fonts_scale_ = remembered_.font_scale * content_scale;
  fonts_language_ = base::Language::English;
  atlas_ = std::make_unique<ImFontAtlas>();
  const std::launch on = base::kThreads ? std::launch::async | std::launch::deferred : std::launch::deferred;
  letters_ = std::async(on, [atlas = atlas_.get(), scale = fonts_scale_] {
    const Fonts fonts = load_fonts(*atlas, scale, 1, window_letters(base::Language::English, ""));
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    atlas->GetTexDataAsRGBA32(&pixels, &width, &height);  // which it keeps for the texture
    return fonts;
  });
#endif
}

void Screen::open() {
  IMGUI_CHECKVERSION();
  if (letters_.valid()) fonts_ = letters_.get();
  ImGui::CreateContext(atlas_.get());
  has_context_ = true;
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // the program saves its own preferences
  io.LogFilename = nullptr;
}

void Screen::begin(float content_scale) {
  Preferences preferences = remembered_;
  if (options_.theme) preferences.theme = *options_.theme;
  if (options_.language) preferences.language = *options_.language;
  shell_ = std::make_unique<Shell>(std::move(preferences));
  base::set_language(state().language());
  follow_own_files(state());  // the first experiment may be one of them
  if (state().preferences.language != state().language()) state().show_toast(no_chinese_text(), true);
  state().pictures.paint_window = [this](float scale, ThemeName name) { return paint(scale, name); };
  state().content_scale = content_scale;
  session::SessionOptions session = options_.session;
  session.speed = options_.speed;
  session.memory_cap_bytes =
      options_.memory_cap_bytes.value_or(memory_cap_of(state().preferences.memory_gb, base::machine_memory_bytes()));
  state().model.set_first_options(session);
  if (options_.source) {
    shell_->begin_with_source(options_.source(session.memory_cap_bytes));
  } else if (!options_.open.empty()) {
    shell_->begin_with_files(options_.open);
  } else {
    begin_run(session);
  }
  if (!broken_.empty()) state().show_toast(broken_, true);
}

void Screen::begin_run(const session::SessionOptions& session) {
  if (options_.lesson) return shell_->begin_lesson(*options_.lesson, options_.student);
  const session::SessionOptions plain;
  const bool asked_for = options_.plain || session.workload != plain.workload || !session.assignments.empty();
  const auto experiments = experiment::experiments();
  if (options_.experiment.empty() && (asked_for || experiments.empty())) {
    state().model.start_run(session);
    return;
  }
  const experiment::Experiment& first =
      options_.experiment.empty() ? experiments.front() : experiment::experiment_named(options_.experiment);
  shell_->begin_with(first, session);
}

std::string Screen::failure() const {
  const ShellState& state = shell_->state();
  return state.model.nothing() ? state.opening.failure() : std::string();
}

void Screen::keep_preferences(int width, int height) {
  if (!shell_ || options_.first_start) return;
  Preferences& p = state().preferences;
  p.window_width = width;
  p.window_height = height;
  p.trigger = state().view.own_trigger();
  save_preferences(preferences_path(), p);
}

void Screen::key(int key, KeyMotion motion, int modifiers) {
  if (!shell_) return;
  ShellState& state = shell_->state();
  const KeyChord chord{key, modifiers & (modifier::Shift | modifier::Control | modifier::Alt)};
  if (motion == KeyMotion::Release) {
    if (key == command_key_) command_key_ = 0;
    return keys_.release(key);
  }
  const bool pressed = motion == KeyMotion::Press;
  if (pressed && key >= 0) pressed_.push_back(key);
  const bool typing = is_typing(state);
  if (pressed) command_key_ = typing ? 0 : key;
  if (modifiers & modifier::Super) return;  // reserved for the desktop
  // Whatever else it would close: what changes a running program ends first.
  if (pressed && chord == KeyChord{key::Escape, 0} && stop_trial(state)) return;
  const bool function_key = key >= key::F1 && key <= key::F25;  // does not type text
  if (typing && !function_key) {
    if (key == key::Escape) {  // whatever was typed before it
      typed_.clear();
      give_to_overlay(state, chord);
    } else if (key > key::Escape) {  // no letter
      typed_.push_back({0, chord});
    }
    return;
  }
  if (give_to_overlay(state, chord)) return;
  // The desktop's dialog takes a moment to open: what is typed meanwhile is for it.
  if (state.files.asking.busy() && key != key::Escape && is_plain(chord)) return;
  if (focus_key(state.focus, chord, !pressed) || presenting_key(state, chord, !pressed)) return;
  const auto wanted = pressed ? keys_.press(chord) : keys_.repeat(chord);
  if (wanted) perform(state, *wanted);
}

void Screen::character(unsigned int letter) {
  if (shell_ && command_key_ == 0 && is_typing(state())) typed_.push_back({letter, {}});
}

// Until the field that opens has the focus, letters wait, and with them the keys that were pressed after them.
void Screen::give_letters() {
  int& awaited = state().field_awaited;
  const auto first_key = std::ranges::find(typed_, 0U, &Typed::letter);
  const bool focus = field_has_focus();
  if (focus) {
    for (auto typed = typed_.begin(); typed != first_key; ++typed) ImGui::GetIO().AddInputCharacter(typed->letter);
  }
  if (focus || awaited == 0) typed_.erase(typed_.begin(), first_key);
  if (awaited > 0) --awaited;
  if (!typed_.empty()) owe_frames();
}

// Those that come next: the letters before them are with ImGui, and it has looked at them.
void Screen::give_keys() {
#if IMGUI_VERSION_NUM >= 18700
  if (!ImGui::GetCurrentContext()->InputEventsQueue.empty()) return;
#endif
  const auto next_letter = std::ranges::find_if(typed_, [](const Typed& typed) { return typed.letter != 0; });
  std::vector<Typed> keys(typed_.begin(), next_letter);
  typed_.erase(typed_.begin(), next_letter);
  for (const Typed& typed : keys) give_to_overlay(state(), typed.chord);
}

void Screen::hold_keys() {
  if (is_typing(state()) || state().overlays.open == Overlay::Menu) return keys_.forget();
  if (keys_.any()) owe_frames();
  for (const Action action : keys_.held(modifiers_down())) hold(state(), action);
}

bool Screen::refresh_look() {
  const float scale = state().scale();
  const bool more_letters = fonts_letters_ != missing_letters_.text().size() ||
                            (state().language() == base::Language::Chinese && fonts_own_ != state().own_files.version);
  const bool stale = scale != fonts_scale_ || fonts_language_ != state().language() || more_letters;
  if (stale) {
    fonts_scale_ = scale;
    fonts_language_ = state().language();
    fonts_own_ = state().own_files.version;
    fonts_letters_ = missing_letters_.text().size();
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.Clear();
    fonts_ = load_fonts(atlas, scale, 1, window_letters(*fonts_language_, missing_letters_.text()));
  }
  const bool first = frames_ == 0;
  if (stale || first) {
    fonts_.missing = &missing_letters_;
    theme_shown_.reset();
  }
  if (theme_shown_ != state().preferences.theme) {
    theme_shown_ = state().preferences.theme;
    apply_to_imgui(theme(*theme_shown_), scale);
#if IMGUI_VERSION_NUM < 19200
    ImGui::GetStyle().AntiAliasedLinesUseTex = false;  // textured lines need more than nearest-texel sampling
#endif
  }
  return stale || first;
}

// Dear ImGui before 1.87 looks at the keys once per frame, so it would miss one that has been released since.
void Screen::new_frame() {
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

void Screen::draw(float pointer_x, float pointer_y) {
  if (click_focused(state().focus, pointer_x, pointer_y)) owe_frames();
  give_letters();
  new_frame();
  give_keys();
  hold_keys();
  shell_->draw(fonts_);
  ImGui::Render();
}

void Screen::finish_frame() {
  const std::uint64_t shown = state().model.generation();
  const bool opening = state().opening.running();
  shell_->perform_requests();
  ++frames_;
  frames_owed_ = std::max(0, frames_owed_ - 1);
#if IMGUI_VERSION_NUM >= 18700
  // A frame takes one change of a key or button at a time: the rest of what was typed waits for the next.
  if (!ImGui::GetCurrentContext()->InputEventsQueue.empty()) owe_frames(1);
#endif
  // Draw a newly loaded trace without waiting for user input.
  if (shown != state().model.generation() || opening != state().opening.running()) owe_frames();
  if (fonts_letters_ != missing_letters_.text().size()) owe_frames();
}

void Screen::look_around() {
  if (state().files.asking.busy()) {  // takes the answer of a dialog of the desktop
    shell_->perform_requests();
    if (!state().files.asking.busy()) owe_frames();
  }
  if (follow_own_files(state())) owe_frames();
}

}  // namespace lanescope::ui
