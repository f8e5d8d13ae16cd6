#include "shell/bindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/translate.h"
#include "shell/keys.h"

namespace lanescope::ui {
namespace {

struct KeyName {
  int key;
  const char* name;
};
constexpr std::array<KeyName, 27> kNames{{{key::Space, "Space"},
                                          {key::Enter, "Enter"},
                                          {key::Tab, "Tab"},
                                          {key::Escape, "Esc"},
                                          {key::Backspace, "Backspace"},
                                          {key::Insert, "Insert"},
                                          {key::Delete, "Delete"},
                                          {key::Home, "Home"},
                                          {key::End, "End"},
                                          {key::PageUp, "PageUp"},
                                          {key::PageDown, "PageDown"},
                                          {key::Up, "Up"},
                                          {key::Down, "Down"},
                                          {key::Left, "Left"},
                                          {key::Right, "Right"},
                                          {key::Pause, "Pause"},
                                          {key::Menu, "Menu"},
                                          {key::KeypadAdd, "KeypadPlus"},
                                          {key::KeypadSubtract, "KeypadMinus"},
                                          {key::KeypadMultiply, "KeypadTimes"},
                                          {key::KeypadDivide, "KeypadDivide"},
                                          {key::KeypadDecimal, "KeypadPoint"},
                                          {key::KeypadEnter, "KeypadEnter"},
                                          {key::KeypadEqual, "KeypadEqual"},
                                          {key::World1, "World1"},
                                          {key::World2, "World2"},
                                          {key::ScrollLock, "ScrollLock"}}};
constexpr std::string_view kSigns = "',-./;=[\\]`";  // keys whose number is their character code

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool has(const std::vector<KeyChord>& keys, KeyChord chord) {
  return std::find(keys.begin(), keys.end(), chord) != keys.end();
}

const ActionInfo& in_table(Action action) {
  for (const ActionInfo& a : standard_actions()) {
    if (a.action == action) return a;
  }
  return standard_actions().front();
}

std::optional<int> key_named(const std::string& name) {
  for (const KeyName& known : kNames) {
    if (lower(known.name) == name) return known.key;
  }
  if (name.size() == 1) {
    const char c = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kSigns.find(c) != std::string_view::npos;
    return plain ? std::optional<int>(c) : std::nullopt;
  }
  const bool digits = std::all_of(name.begin() + 1, name.end(), [](unsigned char c) { return std::isdigit(c); });
  if (name.size() <= 3 && name[0] == 'f' && digits) {
    const int number = std::stoi(name.substr(1));
    if (number >= 1 && number <= 25) return key::F1 + number - 1;
  }
  if (name.size() == 7 && name.starts_with("keypad") && std::isdigit(static_cast<unsigned char>(name[6]))) {
    return key::Keypad0 + (name[6] - '0');
  }
  return std::nullopt;
}

const ActionInfo* action_of(KeyChord chord, bool held) {
  for (const ActionInfo& a : actions()) {
    if ((a.held != nullptr) == held && has(a.keys, chord)) return &a;
  }
  return nullptr;
}

}  // namespace

std::string chord_name(KeyChord chord) {
  std::string text;
  if (chord.modifiers & modifier::Control) text += "Ctrl+";
  if (chord.modifiers & modifier::Alt) text += "Alt+";
  if (chord.modifiers & modifier::Shift) text += "Shift+";
  for (const KeyName& known : kNames) {
    if (known.key == chord.key) return text + known.name;
  }
  if (chord.key >= key::F1 && chord.key <= key::F25) return text + "F" + std::to_string(chord.key - key::F1 + 1);
  if (chord.key >= key::Keypad0 && chord.key <= key::Keypad9)
    return text + "Keypad" + std::to_string(chord.key - key::Keypad0);
  return text + static_cast<char>(chord.key);
}

std::optional<KeyChord> parse_chord(std::string_view text) {
  KeyChord chord;
  std::string rest = lower(text);
  constexpr std::array<std::pair<std::string_view, int>, 4> kModifiers{{{"ctrl+", modifier::Control},
                                                                        {"control+", modifier::Control},
                                                                        {"alt+", modifier::Alt},
                                                                        {"shift+", modifier::Shift}}};
  for (bool found = true; found;) {
    found = false;
    for (const auto& [name, bit] : kModifiers) {
      if (!rest.starts_with(name)) continue;
      if (chord.modifiers & bit) return std::nullopt;
      chord.modifiers |= bit;
      rest.erase(0, name.size());
      found = true;
    }
  }
  if (rest == "?" && chord.modifiers == 0) return KeyChord{key::Slash, modifier::Shift};
  const auto key = rest.empty() ? std::nullopt : key_named(rest);
  if (!key) return std::nullopt;
  chord.key = *key;
  return chord;
}

std::string allowed_keys() {
  std::string text;
  for (const char sign : kSigns) text += std::string(", ") + sign;
  for (const KeyName& known : kNames) text += std::string(", ") + known.name;
  return base::tr("A to Z, 0 to 9, F1 to F25, Keypad0 to Keypad9{}; before it Ctrl+, Alt+, Shift+", text);
}

std::vector<KeyChord> Bindings::keys(Action action) const {
  if (const auto found = own_.find(action); found != own_.end()) return found->second;
  std::vector<KeyChord> keys = in_table(action).keys;
  std::erase_if(keys, [&](KeyChord chord) {
    return std::any_of(own_.begin(), own_.end(), [&](const auto& own) { return has(own.second, chord); });
  });
  return keys;
}

void Bindings::set(Action action, std::vector<KeyChord> keys) {
  if (keys == in_table(action).keys) {
    own_.erase(action);
  } else {
    own_[action] = std::move(keys);
  }
}

std::optional<Action> Bindings::taken_by(KeyChord chord, Action action) const {
  for (const ActionInfo& a : standard_actions()) {
    if (a.action != action && has(keys(a.action), chord)) return a.action;
  }
  return std::nullopt;
}

void apply_bindings(const Bindings& bindings) {
  std::vector<std::vector<KeyChord>> keys;
  for (const ActionInfo& a : standard_actions()) keys.push_back(bindings.keys(a.action));
  set_keys(std::move(keys));
}

bool repeats(Action action) {
  switch (action) {
    case Action::ScrollUp:
    case Action::ScrollDown:
    case Action::ViewBack:
    case Action::ViewForward:
    case Action::PreviousEvent:
    case Action::NextEvent:
    case Action::PreviousSameName:
    case Action::NextSameName:
    case Action::EventAbove:
    case Action::EventBelow:
    case Action::PreviousBookmark:
    case Action::NextBookmark:
    case Action::NextFound:
    case Action::PreviousFound:
    case Action::TallerLane:
    case Action::ShorterLane:
    case Action::LargerText:
    case Action::SmallerText:
    case Action::NextControl:
    case Action::PreviousControl:
      return true;
    default:
      return false;
  }
}

std::optional<Action> KeyPresses::press(KeyChord chord) {
  if (const ActionInfo* pressed = action_of(chord, false)) return pressed->action;
  const ActionInfo* held = action_of(chord, true);
  if (!held && chord.modifiers == modifier::Shift) held = action_of({chord.key, 0}, true);
  if (!held) return std::nullopt;
  release(chord.key);
  down_.push_back({chord, held->action});
  return std::nullopt;
}

std::optional<Action> KeyPresses::repeat(KeyChord chord) const {
  const ActionInfo* pressed = action_of(chord, false);
  return pressed && repeats(pressed->action) ? std::optional(pressed->action) : std::nullopt;
}

void KeyPresses::release(int key) {
  std::erase_if(down_, [key](const Down& d) { return d.chord.key == key; });
}

std::vector<Action> KeyPresses::held(int modifiers) const {
  std::vector<Action> acting;
  for (const Down& d : down_) {
    if ((modifiers & ~modifier::Shift) != (d.chord.modifiers & ~modifier::Shift)) continue;
    // If the key with Shift belongs to another action, that action is meant.
    if (modifiers != d.chord.modifiers && action_of({d.chord.key, modifiers}, false)) continue;
    acting.push_back(d.action);
  }
  return acting;
}

}  // namespace lanescope::ui
