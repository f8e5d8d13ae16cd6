// The user's own keys: where they differ from the table of actions, how they are written, and what a key press means.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/actions.h"

namespace lanescope::ui {

/// "Ctrl+Shift+PageUp", in plain letters, as in the settings file.
std::string chord_name(KeyChord chord);
/// The reverse; case and the order of the modifiers do not matter. Empty: no such key.
std::optional<KeyChord> parse_chord(std::string_view text);
/// What parse_chord() accepts, for a message.
std::string allowed_keys();

class Bindings {
 public:
  /// The keys in force: the user's own, else the table's without those that the user gave to another action.
  std::vector<KeyChord> keys(Action action) const;
  bool own(Action action) const { return own_.contains(action); }
  bool any_own() const { return !own_.empty(); }
  const std::map<Action, std::vector<KeyChord>>& all_own() const { return own_; }

  /// An empty list is allowed. Keys equal to the table's no longer count as the user's own.
  void set(Action action, std::vector<KeyChord> keys);

  /// Which action would lose `chord` if `action` got it.
  std::optional<Action> taken_by(KeyChord chord, Action action) const;

  bool operator==(const Bindings&) const = default;

 private:
  std::map<Action, std::vector<KeyChord>> own_;
};

/// Makes actions() and info(), and therefore everything drawn, use these keys.
void apply_bindings(const Bindings& bindings);

/// Whether holding the key repeats the action: steps do, switches do not.
bool repeats(Action action);

/// Turns key presses and releases into actions. A held action acts while its key is down with the modifiers it was
/// pressed with; Shift may be added, for actions with coarse steps.
class KeyPresses {
 public:
  std::optional<Action> press(KeyChord chord);
  /// A key that stays down: only actions with repeats() act again.
  std::optional<Action> repeat(KeyChord chord) const;
  void release(int key);
  /// The held actions of the keys that are down, with the modifiers that are down now.
  std::vector<Action> held(int modifiers) const;
  bool any() const { return !down_.empty(); }
  void forget() { down_.clear(); }

 private:
  struct Down {
    KeyChord chord;
    Action action;
  };
  std::vector<Down> down_;
};

}  // namespace lanescope::ui
