// The knobs a person turns while a workload runs. Settings are values: a workload reads one snapshot per iteration.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lanescope::workload {

using Value = std::variant<bool, std::int64_t, double, std::string>;

enum class SettingType : std::uint8_t { Bool, Integer, Real, Choice };

/// What one setting is and allows.
struct SettingSpec {
  std::string key{};    ///< on the command line: "log_interval"
  std::string label{};  ///< on the screen: "Log interval"
  std::string help{};   ///< one sentence
  SettingType type = SettingType::Bool;
  Value standard{};                    ///< the default
  double minimum = 0, maximum = 0;     ///< Integer and Real
  std::vector<std::string> choices{};  ///< Choice
  std::string unit{};                  ///< "µs", or empty
  bool logarithmic = false;            ///< a slider moves in powers
  std::vector<double> stops{};         ///< values a slider snaps to, ascending; empty: any
  bool zero_is_never = false;          ///< 0 means "never": a slider has it beyond its largest stop
};

/// "1", "true", "0.5", "resident": as --set takes it back.
std::string to_text(const Value& value);

/// Values for a list of specs. Cheap to copy and to compare.
class Settings {
 public:
  Settings();                                         ///< no settings at all
  explicit Settings(std::vector<SettingSpec> specs);  ///< all at their defaults

  const std::vector<SettingSpec>& specs() const { return *specs_; }
  const SettingSpec* spec(std::string_view key) const;
  const Value& value(std::string_view key) const;  ///< throws base::UsageError for an unknown key

  bool boolean(std::string_view key) const { return std::get<bool>(value(key)); }
  std::int64_t integer(std::string_view key) const { return std::get<std::int64_t>(value(key)); }
  double real(std::string_view key) const { return std::get<double>(value(key)); }
  const std::string& choice(std::string_view key) const { return std::get<std::string>(value(key)); }

  /// Checks type and range; throws base::UsageError: one line that names the setting and lists what is allowed. A whole
  /// number may be given for a Real.
  void set(std::string_view key, const Value& value);
  void set_text(std::string_view key, std::string_view text);  ///< the same from text
  /// "key=value", as --set takes it.
  void assign(std::string_view assignment);

  bool operator==(const Settings& other) const { return values_ == other.values_; }

 private:
  std::size_t index_of(std::string_view key) const;

  std::shared_ptr<const std::vector<SettingSpec>> specs_;  // shared by all copies
  std::vector<Value> values_;
};

}  // namespace lanescope::workload
