#include "experiment/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::experiment {
namespace {

using base::tr;

constexpr std::int64_t kMostMicroseconds = 3'600'000'000;

// "span_us" and "before" are of earlier versions, whose files are still read: the view starts with an iteration now.
constexpr auto kViewKeys =
    std::to_array<std::string_view>({"trigger", "wait_over_us", "hold_off_us", "iterations", "span_us", "before",
                                     "folded", "outlined", "plots", "shows"});

std::string written(const toml::node& node) {
  if (node.is_table()) return tr("a table");
  if (node.is_array()) return tr("an array");
  if (const auto* text = node.as_string()) return fmt::format("'{}'", text->get());
  std::ostringstream out;
  node.visit([&out](const auto& value) { out << value; });
  return fmt::format("'{}'", out.str());
}

}  // namespace

std::string TomlPlace::key(std::string_view inner) const {
  return name.empty() ? std::string(inner) : fmt::format("{}.{}", name, inner);
}

toml::table TomlReader::parse(std::string_view text) const {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    throw base::FileError(fmt::format("{}:{}: {}", origin_, e.source().begin.line, e.description()));
  }
}

void TomlReader::fail(const toml::node& at, std::string_view key, const std::string& complaint) const {
  throw base::FileError(
      fmt::format("{}:{}: {}: {}", origin_, std::max<toml::source_index>(at.source().begin.line, 1), key, complaint));
}

void TomlReader::fail_allowed(const toml::node& at, std::string_view key, const std::string& allowed) const {
  fail(at, key, tr("is {}; allowed: {}", written(at), allowed));
}

void TomlReader::checked(const toml::node& at, std::string_view key, const std::function<void()>& check) const {
  try {
    check();
  } catch (const base::Error& error) {
    fail(at, key, error.what());
  }
}

void TomlReader::check_keys(const TomlPlace& place, std::span<const std::string_view> allowed) const {
  for (const auto& [key, node] : place.table) {
    if (std::find(allowed.begin(), allowed.end(), key.str()) == allowed.end()) {
      fail(node, place.key(key.str()), tr("is unknown; allowed: {}", fmt::join(allowed, ", ")));
    }
  }
}

const toml::node& TomlReader::needed(const TomlPlace& place, std::string_view key) const {
  const toml::node* node = place.table.get(key);
  if (node == nullptr) fail(place.table, place.key(key), tr("is missing"));
  return *node;
}

const toml::table& TomlReader::table_of(const toml::node& node, std::string_view key) const {
  const toml::table* table = node.as_table();
  if (table == nullptr) fail_allowed(node, key, tr("a table"));
  return *table;
}

std::string TomlReader::string_of(const toml::node& node, std::string_view key) const {
  const auto* text = node.as_string();
  if (text == nullptr || text->get().empty()) fail_allowed(node, key, tr("a non-empty text"));
  return text->get();
}

std::string TomlReader::string(const TomlPlace& place, std::string_view key) const {
  return string_of(needed(place, key), place.key(key));
}

std::string TomlReader::optional_string(const TomlPlace& place, std::string_view key) const {
  return place.has(key) ? string(place, key) : std::string();
}

std::vector<std::string> TomlReader::strings(const TomlPlace& place, std::string_view key) const {
  const toml::node* node = place.table.get(key);
  if (node == nullptr) return {};
  const toml::array* array = node->as_array();
  if (array == nullptr) fail_allowed(*node, place.key(key), tr("an array of texts"));
  std::vector<std::string> list;
  for (const toml::node& item : *array) list.push_back(string_of(item, place.key(key)));
  return list;
}

std::string TomlReader::word(const TomlPlace& place, std::string_view key) const {
  std::string said = string(place, key);
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  if (!std::all_of(said.begin(), said.end(), fits)) {
    fail_allowed(needed(place, key), place.key(key), tr("letters, digits and -"));
  }
  return said;
}

std::int64_t TomlReader::integer(const TomlPlace& place, std::string_view key, std::int64_t most) const {
  const toml::node& node = needed(place, key);
  const auto* number = node.as_integer();
  if (number == nullptr || number->get() < 1 || number->get() > most) {
    fail_allowed(node, place.key(key), tr("a whole number from {} to {}", 1, most));
  }
  return number->get();
}

double TomlReader::number(const TomlPlace& place, std::string_view key, double least, double most) const {
  const toml::node& node = needed(place, key);
  const double value = node.value<double>().value_or(std::numeric_limits<double>::quiet_NaN());
  if (!node.is_number() || !(value >= least && value <= most)) {
    fail_allowed(node, place.key(key), tr("a number from {} to {}", least, most));
  }
  return value;
}

Text TomlReader::text_of(const toml::node& node, const std::string& key) const {
  const toml::table* table = node.as_table();
  if (table == nullptr) fail_allowed(node, key, tr("a text in every language: { en = \"...\", zh = \"...\" }"));
  const TomlPlace languages{*table, key};
  std::array<std::string_view, kLanguages> keys;
  for (std::size_t l = 0; l < kLanguages; ++l) keys[l] = base::language_key(static_cast<Language>(l));
  check_keys(languages, keys);
  Text result;
  for (std::size_t l = 0; l < kLanguages; ++l) result.in[l] = string(languages, keys[l]);
  return result;
}

Text TomlReader::text(const TomlPlace& place, std::string_view key) const {
  return text_of(needed(place, key), place.key(key));
}

Text TomlReader::optional_text(const TomlPlace& place, std::string_view key) const {
  return place.has(key) ? text(place, key) : Text();
}

std::size_t TomlReader::choice_of(const TomlPlace& place, std::string_view key,
                                  std::span<const std::string_view> names) const {
  const toml::node& node = needed(place, key);
  const auto found = std::find(names.begin(), names.end(), string_of(node, place.key(key)));
  if (found == names.end()) fail_allowed(node, place.key(key), fmt::format("{}", fmt::join(names, ", ")));
  return static_cast<std::size_t>(found - names.begin());
}

void TomlReader::each_table(const TomlPlace& place, std::string_view key,
                            const std::function<void(const TomlPlace&)>& f) const {
  const toml::node* node = place.table.get(key);
  if (node == nullptr) return;
  const toml::array* array = node->as_array();
  if (array == nullptr) fail_allowed(*node, place.key(key), fmt::format("[[{}]]", place.key(key)));
  for (std::size_t i = 0; i < array->size(); ++i) {
    const std::string name = fmt::format("{}[{}]", place.key(key), i + 1);
    f({table_of((*array)[i], name), name});
  }
}

void TomlReader::read_view(const toml::node& node, const std::string& key, View& view) const {
  const TomlPlace place{table_of(node, key), key};
  check_keys(place, kViewKeys);
  const auto time = [&](std::string_view inner, base::Nanoseconds& to) {
    if (place.has(inner)) to = integer(place, inner, kMostMicroseconds) * 1000;
  };
  if (place.has("trigger")) view.trigger = string(place, "trigger");
  time("wait_over_us", view.wait_over_ns);
  time("hold_off_us", view.hold_off_ns);
  if (place.has("iterations")) view.iterations = number(place, "iterations", 0.001, 1000);
  if (place.has("folded")) view.folded = strings(place, "folded");
  if (place.has("outlined")) view.outlined = strings(place, "outlined");
  if (place.has("plots")) view.plots = strings(place, "plots");
  if (place.has("shows")) view.shows = strings(place, "shows");
  for (const std::string& shown : view.shows) {
    if (shown.find(": ") == std::string::npos) {
      fail(node, place.key("shows"), tr("has '{}'; allowed: LANE: NAME", shown));
    }
  }
}

}  // namespace lanescope::experiment
