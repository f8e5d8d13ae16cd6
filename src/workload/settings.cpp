#include "workload/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/from_chars.h"
#include "base/translate.h"
#include "workload/workload.h"

namespace lanescope::workload {
namespace {

using base::tr;

std::uint64_t new_stamp() {
  static std::atomic<std::uint64_t> newest{0};
  return newest.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::string plain_decimal(double value) {
  std::array<char, 400> digits;  // the longest: 309 digits before the point, or "0.", 324 zeros and 17 digits
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed).ptr;
  return {digits.data(), end};
}

// The user's input, shortened for a one-line message.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result = "'";
  std::size_t length = std::min(text.size(), kLongest);
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  for (const char c : text.substr(0, length)) {
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  }
  return result + (length < text.size() ? "…'" : "'");
}

std::string join(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : ", ") + word;
  return result;
}

std::string allowed(const SettingSpec& spec) {
  switch (spec.type) {
    case SettingType::Bool:
      return "true, false, 1, 0, on, off";
    case SettingType::Choice:
      return join(spec.choices);
    case SettingType::Integer:
    case SettingType::Real:
      return tr("{} to {}", plain_decimal(spec.minimum), plain_decimal(spec.maximum));
  }
  return {};
}

/// The whole sentence, with places for the key, the value and what is allowed.
using Refusal = base::Pattern<std::string, std::string, std::string>;

[[noreturn]] void refuse(Refusal says, const SettingSpec& spec, std::string_view value) {
  const std::string given = quoted(value), other = allowed(spec);
  throw base::UsageError(base::format_translated(says.english(), fmt::make_format_args(spec.key, given, other)));
}

constexpr Refusal kOutOfRange = N_("setting '{}': {} is out of range; allowed: {}");

Refusal wrong_type(SettingType type) {
  switch (type) {
    case SettingType::Bool:
      return N_("setting '{}': {} is neither true nor false; allowed: {}");
    case SettingType::Integer:
      return N_("setting '{}': {} is not a whole number; allowed: {}");
    case SettingType::Real:
      return N_("setting '{}': {} is not a plain decimal number; allowed: {}");
    case SettingType::Choice:
      return N_("setting '{}': {} is not one of the choices; allowed: {}");
  }
  return "";
}

// Returns the value as the spec's type. Throws base::UsageError if it is not allowed.
Value checked(const SettingSpec& spec, const Value& given) {
  const auto refuse_type = [&] { refuse(wrong_type(spec.type), spec, to_text(given)); };
  const auto in_range = [&](double number) { return number >= spec.minimum && number <= spec.maximum; };
  switch (spec.type) {
    case SettingType::Bool:
      if (!std::holds_alternative<bool>(given)) refuse_type();
      return given;
    case SettingType::Integer: {
      const auto* number = std::get_if<std::int64_t>(&given);
      if (number == nullptr) refuse_type();
      if (!in_range(static_cast<double>(*number))) refuse(kOutOfRange, spec, to_text(given));
      return given;
    }
    case SettingType::Real: {
      const auto* whole = std::get_if<std::int64_t>(&given);
      const auto* real = std::get_if<double>(&given);
      if (whole == nullptr && (real == nullptr || !std::isfinite(*real))) refuse_type();
      const double number = whole != nullptr ? static_cast<double>(*whole) : *real;
      if (!in_range(number)) refuse(kOutOfRange, spec, to_text(given));
      return number + 0.0;  // turns -0 into 0
    }
    case SettingType::Choice: {
      const auto* choice = std::get_if<std::string>(&given);
      if (choice == nullptr || std::find(spec.choices.begin(), spec.choices.end(), *choice) == spec.choices.end()) {
        refuse_type();
      }
      return given;
    }
  }
  return given;
}

template <typename Number, typename... Format>
Number parse_number(const SettingSpec& spec, std::string_view text, Format... format) {
  Number number{};
  const auto [end, failed] = base::from_chars(text.data(), text.data() + text.size(), number, format...);
  if (failed == std::errc::invalid_argument || end != text.data() + text.size()) {
    refuse(wrong_type(spec.type), spec, text);
  }
  if (failed == std::errc::result_out_of_range) refuse(kOutOfRange, spec, text);
  return number;
}

Value parse(const SettingSpec& spec, std::string_view text) {
  switch (spec.type) {
    case SettingType::Bool:
      if (text == "true" || text == "1" || text == "on") return true;
      if (text == "false" || text == "0" || text == "off") return false;
      refuse(wrong_type(spec.type), spec, text);
    case SettingType::Integer:
      return parse_number<std::int64_t>(spec, text);
    case SettingType::Real: {
      const double number = parse_number<double>(spec, text, std::chars_format::fixed);
      if (!std::isfinite(number)) refuse(wrong_type(spec.type), spec, text);
      return number;
    }
    case SettingType::Choice:
      return std::string(text);
  }
  return {};
}

}  // namespace

std::string to_text(const Value& value) {
  struct Writer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return plain_decimal(d); }
    std::string operator()(const std::string& s) const { return s; }
  };
  return std::visit(Writer{}, value);
}

Settings::Settings() : Settings(std::vector<SettingSpec>{}) {}

Settings::Settings(std::vector<SettingSpec> specs) {
  values_.reserve(specs.size());
  for (const SettingSpec& spec : specs) values_.push_back(checked(spec, spec.standard));
  specs_ = std::make_shared<const std::vector<SettingSpec>>(std::move(specs));
  stamp_ = new_stamp();
}

std::size_t Settings::index_of(std::string_view key) const {
  for (std::size_t i = 0; i < specs_->size(); ++i) {
    if ((*specs_)[i].key == key) return i;
  }
  std::vector<std::string> keys;
  for (const SettingSpec& spec : *specs_) keys.push_back(spec.key);
  throw base::UsageError(tr("unknown setting {}; allowed: {}", quoted(key), join(keys)));
}

const SettingSpec* Settings::spec(std::string_view key) const {
  const auto found = std::find_if(specs_->begin(), specs_->end(), [&](const SettingSpec& s) { return s.key == key; });
  return found == specs_->end() ? nullptr : &*found;
}

const SettingSpec* Settings::spec(SettingAction action) const {
  if (action == SettingAction::None) return nullptr;
  const auto found = std::ranges::find(*specs_, action, &SettingSpec::action);
  return found == specs_->end() ? nullptr : &*found;
}

const NoEffect* Settings::no_effect(const SettingSpec& spec) const {
  const auto holds = [this](const Condition& condition) {
    return this->spec(condition.key) && (value(condition.key) == condition.value) != condition.differs;
  };
  const auto found = std::ranges::find_if(spec.no_effect_when,
                                          [&](const NoEffect& none) { return std::ranges::all_of(none.when, holds); });
  return found == spec.no_effect_when.end() ? nullptr : &*found;
}

const Value& Settings::value(std::string_view key) const { return values_[index_of(key)]; }

void Settings::set(std::string_view key, const Value& value) {
  const std::size_t i = index_of(key);
  values_[i] = checked((*specs_)[i], value);
  stamp_ = new_stamp();
}

void Settings::set_text(std::string_view key, std::string_view text) {
  const std::size_t i = index_of(key);
  values_[i] = checked((*specs_)[i], parse((*specs_)[i], text));
  stamp_ = new_stamp();
}

void Settings::assign(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw base::UsageError(
        tr("{} does not set anything; write KEY=VALUE, for example {}", quoted(assignment), "log_interval=100"));
  }
  set_text(assignment.substr(0, equals), assignment.substr(equals + 1));
}

// --- setting change --------------------------------------------------------------------------------------------------

namespace {

using Markers = std::span<const trace::Event>;
using Specs = std::map<std::string, SettingSpec, std::less<>>;

const SettingSpec* spec_of(std::string_view key) {
  static const Specs all = [] {
    Specs found;
    for (const std::string& workload : workload_names()) {
      const Settings settings = default_settings(workload, {});
      for (const SettingSpec& spec : settings.specs()) found.try_emplace(spec.key, spec);
    }
    return found;
  }();
  const auto found = all.find(key);
  return found == all.end() ? nullptr : &found->second;
}

bool has_change(const trace::Event& marker) {
  return trace::is_setting_change(marker) && trace::change_of(marker).key != 0;
}

std::string text_of(std::string_view label, std::string_view before, std::string_view now) {
  return std::string(label) + " " + std::string(before) + " → " + std::string(now);
}

// A label in mid-sentence: in English its first letter is small, unless it begins an abbreviation.
std::string in_a_line(std::string label) {
  const auto upper = [&](std::size_t i) {
    return i < label.size() && std::isupper(static_cast<unsigned char>(label[i])) != 0;
  };
  if (upper(0) && !upper(1)) label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
  return label;
}

std::string translated(std::string_view key) {
  const std::string label(setting_label(key));
  return base::language() == base::Language::English ? in_a_line(label) : base::tr(label);
}

// One setting, and the values that it had one after the other.
struct Turns {
  base::NameId key = 0;
  std::vector<base::NameId> values;
};

// As the knob shows it: "never", "on".
std::string value_in_words(const SettingSpec* spec, std::string_view text) {
  if (spec && spec->zero_is_never && text == "0") return base::tr("never");
  if (spec && spec->type == SettingType::Bool && text == "true") return base::tr("on");
  if (spec && spec->type == SettingType::Bool && text == "false") return base::tr("off");
  return std::string(text);
}

// "log interval 1 → 100 → 50": what a knob passed on its way is left out.
std::string in_words(const base::NameTable& names, const Turns& turns) {
  const SettingSpec* spec = spec_of(names.text(turns.key));
  const auto number = [&](base::NameId id) -> std::optional<double> {
    const std::string_view text = names.text(id);
    if (spec && spec->zero_is_never && text == "0") return std::numeric_limits<double>::infinity();
    double value = 0;
    const auto [end, error] = base::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  };
  std::vector<base::NameId> kept;
  for (const base::NameId value : turns.values) {
    if (kept.size() > 1) {
      const auto a = number(kept[kept.size() - 2]), b = number(kept.back()), c = number(value);
      if (a && b && c && (*a < *b) == (*b < *c)) kept.pop_back();
    }
    kept.push_back(value);
  }
  constexpr std::size_t kMost = 4;
  std::string text = translated(names.text(turns.key));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept.size() > kMost && i > 0 && i + 2 < kept.size()) {
      text += i == 1 ? " → …" : "";
    } else {
      text += (i == 0 ? " " : " → ") + value_in_words(spec, names.text(kept[i]));
    }
  }
  return text;
}

}  // namespace

std::string_view setting_label(std::string_view key) {
  const SettingSpec* spec = spec_of(key);
  return spec ? std::string_view(spec->label) : key;
}

std::string change_text(const SettingSpec& spec, std::string_view before, std::string_view now) {
  return text_of(in_a_line(spec.label), before, now);
}

std::string marker_text(const base::NameTable& names, Markers markers) {
  std::vector<Turns> all;
  std::string notes;
  for (const trace::Event& marker : markers) {
    if (!has_change(marker)) {
      notes += (notes.empty() ? "" : ", ") + std::string(base::tr(std::string(names.text(marker.name))));
      continue;
    }
    const trace::SettingChange change = trace::change_of(marker);
    auto found = std::find_if(all.begin(), all.end(), [&](const Turns& turns) { return turns.key == change.key; });
    if (found == all.end()) found = all.insert(all.end(), {change.key, {change.before}});
    if (found->values.back() != change.now) found->values.push_back(change.now);
  }
  std::string text = notes;
  for (const Turns& turns : all) text += (text.empty() ? "" : ", ") + in_words(names, turns);
  return text;
}

}  // namespace lanescope::workload
