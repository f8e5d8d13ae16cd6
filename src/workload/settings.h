// The settings (knobs) of a workload, which can change during a run. Settings are values: a workload reads one snapshot
// per iteration.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/name_table.h"
#include "trace/event.h"

namespace lanescope::workload {

using Value = std::variant<bool, std::int64_t, double, std::string>;

enum class SettingType : std::uint8_t { Bool, Integer, Real, Choice };

/// What an action button or key does with a setting. The window decides which key triggers it.
enum class SettingAction : std::uint8_t { None, ReadInterval, Pinned, NonBlocking, Feed };

/// Another setting has this value, or any value but this one. Not if the workload has no such setting.
struct Condition {
  std::string key;
  Value value{};
  bool differs = false;
};

/// A setting has no effect while other settings have these values.
struct NoEffect {
  std::vector<Condition> when;  ///< all of them; none: always
  std::string reason;           ///< a clause, to be translated: "no batch is copied while the feed is resident"
};

/// A range of the program that exists while a setting has the value `with`, and disappears at `without`.
struct RangeOfSetting {
  std::string range;  ///< "found_inf.item()"
  Value with{}, without{};
};

/// The description of one setting and its allowed values.
struct SettingSpec {
  std::string key{};    ///< name on the command line: "log_interval"
  std::string label{};  ///< name on the screen: "Log interval"
  std::string help{};   ///< one sentence
  SettingType type = SettingType::Bool;
  Value standard{};                    ///< the default value
  double minimum = 0, maximum = 0;     ///< Integer and Real
  std::vector<std::string> choices{};  ///< Choice
  std::string unit{};                  ///< "µs"; may be empty
  bool logarithmic = false;            ///< the slider is logarithmic
  std::vector<double> stops{};         ///< values that the slider snaps to, ascending; empty: any value
  bool zero_is_never = false;          ///< 0 means "never": the slider shows it beyond its largest stop
  bool is_size = false;                ///< a number of bytes: "64 KiB"
  bool of_device = false;              ///< a property of the machine: meaningless on another machine
  std::string examples{};              ///< a few values and where they occur, shown beside the knob
  int sweep_priority = 0;              ///< a first sweep varies the setting with the highest value; 0: never
  SettingAction action = SettingAction::None;
  std::vector<NoEffect> no_effect_when{};  ///< the first that applies
  std::optional<RangeOfSetting> range{};
};

/// The format that --set accepts: "1", "true", "0.5", "resident".
std::string to_text(const Value& value);

/// The values of a list of specs. Cheap to copy and to compare.
class Settings {
 public:
  Settings();                                         ///< no settings
  explicit Settings(std::vector<SettingSpec> specs);  ///< all at their defaults

  const std::vector<SettingSpec>& specs() const { return *specs_; }
  const SettingSpec* spec(std::string_view key) const;
  const SettingSpec* spec(SettingAction action) const;  ///< the setting with this action, or null
  /// Why the setting has no effect, given the others' values; null if it has one.
  const NoEffect* no_effect(const SettingSpec& spec) const;
  const Value& value(std::string_view key) const;  ///< throws base::UsageError for an unknown key

  bool boolean(std::string_view key) const { return std::get<bool>(value(key)); }
  std::int64_t integer(std::string_view key) const { return std::get<std::int64_t>(value(key)); }
  double real(std::string_view key) const { return std::get<double>(value(key)); }
  const std::string& choice(std::string_view key) const { return std::get<std::string>(value(key)); }

  /// Checks type and range. Throws base::UsageError: one line that names the setting and what is allowed. A Real
  /// accepts an integer.
  void set(std::string_view key, const Value& value);
  void set_text(std::string_view key, std::string_view text);  ///< parses the text first
  /// Accepts "key=value", like --set.
  void assign(std::string_view assignment);

  bool operator==(const Settings& other) const { return values_ == other.values_; }
  /// Every change gives it a new number, which copies keep: equal numbers mean equal values. For what is worked out
  /// from the settings once and used in every iteration.
  std::uint64_t stamp() const { return stamp_; }

 private:
  std::size_t index_of(std::string_view key) const;

  std::shared_ptr<const std::vector<SettingSpec>> specs_;  // shared by all copies
  std::vector<Value> values_;
  std::uint64_t stamp_ = 0;
};

// --- setting change --------------------------------------------------------------------------------------------------
// Describes changed settings in words. The facts are in the trace: trace::SettingChange.

/// The English label of a setting of any workload, to be translated. An unknown key is returned as it is.
std::string_view setting_label(std::string_view key);

/// "log interval 1 → 100", in English: the name of a marker.
std::string change_text(const SettingSpec& spec, std::string_view before, std::string_view now);

/// Summarises consecutive markers of a trace, translated: each setting from where to where, in the order in which they
/// first changed. Dragging a knob leaves many: "log interval 1 → 2" to "log interval 50 → 100" become "log interval 1 →
/// 100"; where it was turned back, that stays: "log interval 1 → 100 → 1". Switches: "pinned memory off → on". A marker
/// that changed no setting has its name. Empty for no markers.
std::string marker_text(const base::NameTable& names, std::span<const trace::Event> markers);

}  // namespace lanescope::workload
