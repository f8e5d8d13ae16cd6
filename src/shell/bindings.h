// A person's own keys: where they differ from the table of actions, how they are written down, and what a press means.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/actions.h"

namespace lanescope::ui {

/// "Ctrl+Shift+PageUp", in plain letters, as the settings file has it.
std::string chord_name(KeyChord chord);
/// The reverse; capitals and the order of the modifiers do not matter. Empty: no such key.
std::optional<KeyChord> parse_chord(std::string_view text);
/// What parse_chord() takes, for a message.
std::string allowed_keys();
/// A key that only modifies others, or none that a person could be told of.
bool can_be_bound(int key);

class Bindings {
 public:
  /// The keys in force: a person's own, else the table's without those that a person gave to another action.
  std::vector<KeyChord> keys(Action action) const;
  bool own(Action action) const { return own_.contains(action); }
  bool any_own() const { return !own_.empty(); }
  const std::map<Action, std::vector<KeyChord>>& all_own() const { return own_; }

  /// No keys at all is allowed, too. What the table says anyway is no longer a person's own.
  void set(Action action, std::vector<KeyChord> keys);
  void reset(Action action) { own_.erase(action); }
  void reset_all() { own_.clear(); }

  /// Which action would no longer have `chord` if `action` had it.
  std::optional<Action> taken_by(KeyChord chord, Action action) const;
  /// Gives `action` the chord as its key number `place` (or as one more). Who had it gets the old one in exchange, or
  /// with `swap` false is left without.
  void give(Action action, std::size_t place, KeyChord chord, bool swap);

  bool operator==(const Bindings&) const = default;

 private:
  std::map<Action, std::vector<KeyChord>> own_;
};

/// actions() and info() tell of these keys from now on, and with them all that is drawn.
void apply_bindings(const Bindings& bindings);

/// An action whose key may be kept down to do it again and again: walking, not switching.
bool repeats(Action action);

/// From presses and releases to actions. A held action acts while its key is down, with the modifiers it was pressed
/// with; Shift may be added, for those that know coarse steps. Where a key is both, a tap does the other.
class KeyPresses {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kTap{250};

  std::optional<Action> press(KeyChord chord, Clock::time_point now);
  /// A key that stays down: only what repeats() acts again.
  std::optional<Action> repeat(KeyChord chord) const;
  std::optional<Action> release(int key, Clock::time_point now);
  /// What the keys that are down do now, with the modifiers that are down now.
  std::vector<Action> held(int modifiers, Clock::time_point now) const;
  bool any() const { return !down_.empty(); }
  void forget() { down_.clear(); }

 private:
  struct Down {
    KeyChord chord;
    Action action;
    std::optional<Action> tap;
    Clock::time_point since;
  };
  std::vector<Down> down_;
};

}  // namespace lanescope::ui
