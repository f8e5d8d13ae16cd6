// Reads a TOML file key by key. Every error names the file, the line, the key and what is allowed.
#pragma once

#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"

namespace lanescope::experiment {

/// A table and its place in the file, for messages: "published[2]".
struct TomlPlace {
  const toml::table& table;
  std::string name{};

  std::string key(std::string_view inner) const;
  bool has(std::string_view inner) const { return table.get(inner) != nullptr; }
};

/// All functions throw base::FileError.
class TomlReader {
 public:
  /// `origin` is the file's name, with which every error begins.
  explicit TomlReader(std::string_view origin) : origin_(origin) {}

  toml::table parse(std::string_view text) const;

  [[noreturn]] void fail(const toml::node& at, std::string_view key, const std::string& complaint) const;
  [[noreturn]] void fail_allowed(const toml::node& at, std::string_view key, const std::string& allowed) const;
  /// Runs a check of a lower module, and rethrows its error with the value's place in this file.
  void checked(const toml::node& at, std::string_view key, const std::function<void()>& check) const;

  void check_keys(const TomlPlace& place, std::span<const std::string_view> allowed) const;
  const toml::node& needed(const TomlPlace& place, std::string_view key) const;
  const toml::table& table_of(const toml::node& node, std::string_view key) const;

  std::string string_of(const toml::node& node, std::string_view key) const;
  std::string string(const TomlPlace& place, std::string_view key) const;
  std::string optional_string(const TomlPlace& place, std::string_view key) const;
  std::vector<std::string> strings(const TomlPlace& place, std::string_view key) const;  ///< empty if not there
  /// Letters, digits and -.
  std::string word(const TomlPlace& place, std::string_view key) const;
  std::int64_t integer(const TomlPlace& place, std::string_view key, std::int64_t most) const;  ///< from 1
  double number(const TomlPlace& place, std::string_view key, double least, double most) const;
  /// In every language: { en = "...", zh = "..." }
  Text text(const TomlPlace& place, std::string_view key) const;
  Text optional_text(const TomlPlace& place, std::string_view key) const;
  Text text_of(const toml::node& node, const std::string& key) const;

  template <typename Choice, std::size_t N>
  Choice choice(const TomlPlace& place, std::string_view key, const std::array<Choice, N>& choices,
                std::string_view (*name)(Choice)) const {
    std::vector<std::string_view> names;
    for (const Choice c : choices) names.push_back(name(c));
    return choices[choice_of(place, key, names)];
  }
  /// Calls f(place) for each table of an array of tables; not at all if the key is missing.
  void each_table(const TomlPlace& place, std::string_view key, const std::function<void(const TomlPlace&)>& f) const;

  /// Only what the table has.
  void read_view(const toml::node& node, const std::string& key, View& view) const;

 private:
  std::size_t choice_of(const TomlPlace& place, std::string_view key, std::span<const std::string_view> names) const;

  std::string origin_;
};

}  // namespace lanescope::experiment
