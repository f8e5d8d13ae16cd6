#include "shell/actions.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/translate.h"
#include "shell/action_rows.h"
#include "shell/bindings.h"
#include "shell/keys.h"
#include "shell/shell_state.h"

namespace lanescope::ui {

using enum ActionGroup;

std::span<const ActionInfo> standard_actions() {
  static const std::vector<ActionInfo> table = [] {
    std::vector<ActionInfo> rows;
    for (const auto feature : {run_actions,    turn_actions,    lesson_actions,    scope_actions,   view_actions,
                               travel_actions, step_actions,    selection_actions, mark_actions,    finding_actions,
                               idle_actions,   code_actions,    plot_actions,      compare_actions, lane_actions,
                               file_actions,   picture_actions, window_actions,    look_actions,    help_actions}) {
      std::vector<ActionInfo> more = feature();
      std::move(more.begin(), more.end(), std::back_inserter(rows));
    }
    return rows;
  }();
  return table;
}

// No lock: the window draws and handles keys on one thread.
static std::vector<ActionInfo>& table_in_force() {
  static std::vector<ActionInfo> table = [] {
    std::vector<ActionInfo> rows(standard_actions().begin(), standard_actions().end());
    for (ActionInfo& row : rows) {
      if (row.keys.empty()) row.keys.push_back({});
    }
    return rows;
  }();
  return table;
}

std::span<const ActionInfo> actions() { return table_in_force(); }

void set_keys(std::vector<std::vector<KeyChord>> keys) {
  std::vector<ActionInfo>& table = table_in_force();
  for (std::size_t i = 0; i < table.size() && i < keys.size(); ++i) {
    table[i].keys = std::move(keys[i]);
    if (table[i].keys.empty()) table[i].keys.push_back({});
  }
}

const ActionInfo& info(Action action) {
  for (const ActionInfo& a : actions()) {
    if (a.action == action) return a;
  }
  return actions().front();
}

void perform(ShellState& state, Action action) {
  const ActionInfo& row = info(action);
  std::string why = row.why_disabled ? row.why_disabled(state) : std::string();
  if (!why.empty()) return state.show_toast(std::move(why));
  row.perform(state);
}

void hold(ShellState& state, Action action) {
  if (const ActionInfo& row = info(action); row.held) row.held(state);
}

std::string why_without_effect(const ShellState& state, Action action) {
  const ActionInfo& row = info(action);
  std::string why = row.why_disabled ? row.why_disabled(state) : std::string();
  return why.empty() && row.remark ? row.remark(state) : why;
}

std::optional<Action> action_for(workload::SettingAction setting, int step) {
  if (setting == workload::SettingAction::None) return std::nullopt;
  for (const ActionInfo& row : actions()) {
    if (row.turns == SettingTurn{setting, step}) return row.action;
  }
  return std::nullopt;
}

std::string key_text(KeyChord chord) {
  std::string text;
  if (chord.key == 0) return "–";
  if (chord.key == key::Slash && chord.modifiers == kShift) return "?";
  if (chord.modifiers & kCtrl) text += "Ctrl+";
  if (chord.modifiers & kAlt) text += "Alt+";
  if (chord.modifiers & kShift) text += "Shift+";
  switch (chord.key) {
    case key::Space:
      return text + base::tr("Space");
    case key::Escape:
      return text + "Esc";
    case key::Tab:
      return text + "Tab";
    case key::Home:
      return text + base::tr("Home");
    case key::End:
      return text + base::tr("End");
    case key::PageUp:
      return text + base::tr("PgUp");
    case key::PageDown:
      return text + base::tr("PgDn");
    case key::Delete:
      return text + base::tr("Del");
    case key::Enter:
      return text + base::tr("Enter");
    case key::Up:
      return text + "↑";
    case key::Down:
      return text + "↓";
    case key::Left:
      return text + "←";
    case key::Right:
      return text + "→";
    case key::Equal:
      return text + "=";
    case key::Minus:
      return text + "−";
    case key::Backspace:
      return text + base::tr("Backspace");
    case key::Insert:
      return text + base::tr("Ins");
    default:
      break;
  }
  if (chord.key >= 128 && (chord.key < key::F1 || chord.key > key::F25)) return chord_name(chord);
  if (chord.key >= key::F1 && chord.key <= key::F25) return text + "F" + std::to_string(chord.key - key::F1 + 1);
  return text + static_cast<char>(chord.key);  // a printable key's number is its character code
}

std::string keys_text(const ActionInfo& info) {
  std::string text;
  for (const KeyChord& chord : info.keys) {
    if (chord.key == 0) continue;
    if (chord.key == key::KeypadAdd || chord.key == key::KeypadSubtract) continue;  // the same as + and −
    text += (text.empty() ? "" : " · ") + key_text(chord);
  }
  return text;
}

std::string with_keys(const std::string& text, Action action) {
  const std::string keys = keys_text(info(action));
  return keys.empty() ? text : text + " (" + keys + ")";
}

bool is_listed(const ActionInfo& info) {
  // Keys as in many programs, and those of single moments, which say them themselves.
  constexpr std::array kUnlisted{
      Action::ScrollUp,         Action::ScrollDown,   Action::FitAll,     Action::ViewForward,   Action::GoTo,
      Action::ToBegin,          Action::ToEnd,        Action::NextFound,  Action::PreviousFound, Action::CodeView,
      Action::HideAnswers,      Action::PicturePanel, Action::Screenshot, Action::Menu,          Action::NextControl,
      Action::PreviousSameName, Action::IdleRow2,     Action::IdleRow3,   Action::IdleRow4,      Action::IdleRow5,
      Action::PreviousControl,  Action::FullScreen,   Action::LargerText, Action::SmallerText,   Action::Quit};
  return info.keys.front().key != 0 && std::ranges::find(kUnlisted, info.action) == kUnlisted.end();
}

const char* group_title(ActionGroup group) {
  switch (group) {
    case Run:
      return base::tr("RUN");
    case ActionGroup::Lesson:
      return base::tr("LESSON");
    case Scope:
      return base::tr("SCOPE");
    case View:
      return base::tr("VIEW");
    case Reading:
      return base::tr("READING");
    case Lanes:
      return base::tr("LANES");
    case Out:
      return base::tr("PICTURES AND FILES");
    default:
      return base::tr("WINDOW");
  }
}

const char* group_name(ActionGroup group) {
  switch (group) {
    case Run:
      return base::tr("Run");
    case ActionGroup::Lesson:
      return base::tr("Lesson");
    case Scope:
      return base::tr("Scope");
    case View:
      return base::tr("View");
    case Reading:
      return base::tr("Reading");
    case Lanes:
      return base::tr("Lanes");
    case Out:
      return base::tr("Pictures and files");
    default:
      return base::tr("Window");
  }
}

std::span<const Gesture> gestures() {
  static constexpr std::array<Gesture, 17> table{{
      {N_("wheel"), N_("zoom at the cursor (Ctrl: finer, Shift: coarser); sideways: pan")},
      {N_("drag"), N_("pan; let go while moving to glide on")},
      {N_("drag a wait up or down, off its lane"), N_("the iteration without it, below the lanes (Esc: back)")},
      {N_("drag on the ruler"), N_("select a time range; its figures are on the right")},
      {N_("Shift+drag"), N_("the same, for the lanes it touches; edges snap to events (Alt: no snapping)")},
      {N_("drag an edge of the range"), N_("move it")},
      {N_("Ctrl+drag, or the middle button"), N_("zoom to the dragged range (Esc: cancel)")},
      {N_("Alt+drag, or Ctrl and the middle button"), N_("zoom out: the view shrinks into the dragged range")},
      {N_("click"), N_("select an event or a bubble: details on the right, an arrow to what it caused")},
      {N_("click on what is selected"), N_("clear the selection")},
      {N_("right-click on an event"), N_("what can be done with it; below that, with its lane")},
      {N_("click on a value of the selection"), N_("copy it")},
      {N_("double-click"), N_("zoom to an event")},
      {N_("wheel over the lane names"), N_("scroll the lanes")},
      {N_("whole run: click, or drag beside the window"), N_("go there; show that range")},
      {N_("whole run: drag the window, or its edges"), N_("move the view; make it wider or narrower")},
      {N_("drop a trace file on the window"), N_("open a trace; several files become one")},
  }};
  return table;
}

}  // namespace lanescope::ui
