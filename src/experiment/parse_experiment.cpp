#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>
#include <span>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/experiment.h"
#include "experiment/figure.h"
#include "experiment/sweep.h"
#include "experiment/unit.h"
#include "workload/workload.h"

namespace lanescope::experiment {
namespace {

using base::tr;

constexpr std::int64_t kMostIterations = 1'000'000'000;
constexpr std::int64_t kMostInOrder = 1'000'000;
constexpr std::int64_t kMostMicroseconds = 3'600'000'000;

constexpr auto kRootKeys = std::to_array<std::string_view>(
    {"id", "name", "order", "workload", "device", "iterations", "settings", "turned_knob", "title", "shows", "watch",
     "knob", "correction", "view", "before", "after", "published", "sweep"});
constexpr auto kSideKeys = std::to_array<std::string_view>({"label", "device", "settings", "view"});
constexpr auto kViewKeys = std::to_array<std::string_view>(
    {"trigger", "wait_over_us", "hold_off_us", "iterations", "span_us", "before", "folded", "plots", "shows"});
constexpr auto kPublishedKeys =
    std::to_array<std::string_view>({"name", "label", "value", "unit", "quality", "environment", "source", "of",
                                     "figure", "settings", "iterations", "follows", "unchecked"});
constexpr auto kSweepKeys = std::to_array<std::string_view>({"over", "figure", "against", "settings", "iterations"});

/// A table and its place in the file, for messages: "published[2]".
struct Place {
  const toml::table& table;
  std::string name{};

  std::string key(std::string_view inner) const {
    return name.empty() ? std::string(inner) : fmt::format("{}.{}", name, inner);
  }
};

/// Reads one file. Every error names the file, the line and the key.
class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  Experiment read(std::string_view text) {
    toml::table root_table;
    try {
      root_table = toml::parse(text);
    } catch (const toml::parse_error& e) {
      throw base::FileError(fmt::format("{}:{}: {}", origin_, e.source().begin.line, e.description()));
    }
    const Place root{root_table};
    check_keys(root, kRootKeys);
    Experiment experiment;
    read_head(root, experiment);
    for (const Side side : {Side::Before, Side::After}) read_side(root, side, experiment);
    check_settings(root, experiment);
    read_turned_knob(root, experiment);
    read_published(root, experiment);
    if (const toml::node* sweep = root_table.get("sweep")) read_sweep(*sweep, experiment);
    return experiment;
  }

 private:
  [[noreturn]] void fail(const toml::node& at, std::string_view key, const std::string& complaint) const {
    throw base::FileError(
        fmt::format("{}:{}: {}: {}", origin_, std::max<toml::source_index>(at.source().begin.line, 1), key, complaint));
  }

  static std::string written(const toml::node& node) {
    if (node.is_table()) return tr("a table");
    if (node.is_array()) return tr("an array");
    if (const auto* text = node.as_string()) return fmt::format("'{}'", text->get());
    std::ostringstream out;
    node.visit([&out](const auto& value) { out << value; });
    return fmt::format("'{}'", out.str());
  }

  [[noreturn]] void fail_allowed(const toml::node& at, std::string_view key, const std::string& allowed) const {
    fail(at, key, tr("is {}; allowed: {}", written(at), allowed));
  }

  /// Runs a check of a lower module, and rethrows its error with the value's place in this file.
  template <typename Check>
  void checked(const toml::node& at, std::string_view key, const Check& check) const {
    try {
      check();
    } catch (const base::Error& error) {
      fail(at, key, error.what());
    }
  }

  void check_keys(const Place& place, std::span<const std::string_view> allowed) const {
    for (const auto& [key, node] : place.table) {
      if (std::find(allowed.begin(), allowed.end(), key.str()) == allowed.end()) {
        fail(node, place.key(key.str()), tr("is unknown; allowed: {}", fmt::join(allowed, ", ")));
      }
    }
  }

  const toml::node& needed(const Place& place, std::string_view key) const {
    const toml::node* node = place.table.get(key);
    if (node == nullptr) fail(place.table, place.key(key), tr("is missing"));
    return *node;
  }

  std::string string_of(const toml::node& node, std::string_view key) const {
    const auto* text = node.as_string();
    if (text == nullptr || text->get().empty()) fail_allowed(node, key, tr("a non-empty text"));
    return text->get();
  }
  std::string string(const Place& place, std::string_view key) const {
    return string_of(needed(place, key), place.key(key));
  }
  std::string optional_string(const Place& place, std::string_view key) const {
    return place.table.get(key) == nullptr ? std::string() : string(place, key);
  }

  std::int64_t integer(const Place& place, std::string_view key, std::int64_t most) const {
    const toml::node& node = needed(place, key);
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < 1 || number->get() > most) {
      fail_allowed(node, place.key(key), tr("a whole number from {} to {}", 1, most));
    }
    return number->get();
  }
  std::uint64_t iterations(const Place& place, std::uint64_t otherwise) const {
    if (place.table.get("iterations") == nullptr) return otherwise;
    return static_cast<std::uint64_t>(integer(place, "iterations", kMostIterations));
  }

  Text text(const Place& place, std::string_view key) const {
    const toml::node& node = needed(place, key);
    const toml::table* table = node.as_table();
    if (table == nullptr)
      fail_allowed(node, place.key(key), tr("a text in every language: { en = \"...\", zh = \"...\" }"));
    const Place languages{*table, place.key(key)};
    Text result;
    std::array<std::string_view, kLanguages> keys;
    for (std::size_t l = 0; l < kLanguages; ++l) keys[l] = base::language_key(static_cast<Language>(l));
    check_keys(languages, keys);
    for (std::size_t l = 0; l < kLanguages; ++l) result.in[l] = string(languages, keys[l]);
    return result;
  }

  const toml::table& table_of(const toml::node& node, std::string_view key) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) fail_allowed(node, key, tr("a table"));
    return *table;
  }

  std::vector<std::string> strings(const Place& place, std::string_view key) const {
    const toml::node* node = place.table.get(key);
    if (node == nullptr) return {};
    const toml::array* array = node->as_array();
    if (array == nullptr) fail_allowed(*node, place.key(key), tr("an array of texts"));
    std::vector<std::string> list;
    for (const toml::node& item : *array) list.push_back(string_of(item, place.key(key)));
    return list;
  }

  template <typename Choice, std::size_t N>
  Choice choice(const Place& place, std::string_view key, const std::array<Choice, N>& choices,
                std::string_view (*name)(Choice)) const {
    const toml::node& node = needed(place, key);
    const std::string said = string_of(node, place.key(key));
    std::vector<std::string_view> names;
    for (const Choice c : choices) {
      if (name(c) == said) return c;
      names.push_back(name(c));
    }
    fail_allowed(node, place.key(key), fmt::format("{}", fmt::join(names, ", ")));
  }

  void read_head(const Place& root, Experiment& experiment) const {
    const auto word = [&](std::string_view key) {
      std::string said = string(root, key);
      const auto fits = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
      };
      if (!std::all_of(said.begin(), said.end(), fits))
        fail_allowed(needed(root, key), key, tr("letters, digits and -"));
      return said;
    };
    experiment.id = word("id");
    experiment.name = word("name");
    experiment.order = static_cast<int>(integer(root, "order", kMostInOrder));
    experiment.workload = string(root, "workload");
    checked(needed(root, "workload"), "workload", [&] { workload::workload_info(experiment.workload); });
    experiment.device = string(root, "device");
    checked(needed(root, "device"), "device", [&] { device::describe_device(experiment.device); });
    experiment.iterations = iterations(root, experiment.iterations);
    experiment.settings = strings(root, "settings");
    experiment.title = text(root, "title");
    experiment.shows = text(root, "shows");
    experiment.watch = text(root, "watch");
    experiment.knob = text(root, "knob");
    if (root.table.get("correction") != nullptr) experiment.correction = text(root, "correction");
  }

  void read_side(const Place& root, Side side, Experiment& experiment) const {
    const std::string_view key = side_key(side);
    const toml::node& node = needed(root, key);
    const Place place{table_of(node, key), std::string(key)};
    check_keys(place, kSideKeys);
    Variant& variant = experiment.sides[static_cast<std::size_t>(side)];
    variant.label = text(place, "label");
    variant.device = optional_string(place, "device");
    if (!variant.device.empty()) {
      checked(needed(place, "device"), place.key("device"), [&] { device::describe_device(variant.device); });
    }
    variant.settings = strings(place, "settings");
    if (const toml::node* view = root.table.get("view")) read_view(*view, "view", variant.view);
    if (const toml::node* view = place.table.get("view")) read_view(*view, place.key("view"), variant.view);
  }

  double number(const Place& place, std::string_view key, double least, double most) const {
    const toml::node& node = needed(place, key);
    const double value = node.value<double>().value_or(std::numeric_limits<double>::quiet_NaN());
    if (!node.is_number() || !(value >= least && value <= most)) {
      fail_allowed(node, place.key(key), tr("a number from {} to {}", least, most));
    }
    return value;
  }

  // Only what the table has.
  void read_view(const toml::node& node, const std::string& key, View& view) const {
    const Place place{table_of(node, key), key};
    check_keys(place, kViewKeys);
    const auto has = [&](std::string_view inner) { return place.table.get(inner) != nullptr; };
    const auto time = [&](std::string_view inner, base::Nanoseconds& to) {
      if (has(inner)) to = integer(place, inner, kMostMicroseconds) * 1000;
    };
    if (has("trigger")) view.trigger = string(place, "trigger");
    time("wait_over_us", view.wait_over_ns);
    time("hold_off_us", view.hold_off_ns);
    time("span_us", view.span_ns);
    if (has("iterations")) {
      view.iterations = number(place, "iterations", 0.001, 1000);
      view.span_ns = 0;
    }
    if (has("before")) view.before = number(place, "before", 0, 0.9);
    if (has("folded")) view.folded = strings(place, "folded");
    if (has("plots")) view.plots = strings(place, "plots");
    if (has("shows")) view.shows = strings(place, "shows");
    for (const std::string& shown : view.shows) {
      if (shown.find(": ") == std::string::npos) {
        fail(node, place.key("shows"), tr("has '{}'; allowed: LANE: NAME", shown));
      }
    }
  }

  void assign(const Place& place, workload::Settings& settings) const {
    const toml::node* node = place.table.get("settings");
    if (node == nullptr) return;
    for (const toml::node& item : *node->as_array()) {
      checked(item, place.key("settings"), [&] { settings.assign(item.as_string()->get()); });
    }
  }

  workload::Settings settings_of(const Place& root, const Experiment& experiment, Side side) const {
    const std::string key(side_key(side));
    const Place place{*root.table.get(key)->as_table(), key};
    workload::Settings settings =
        workload::default_settings(experiment.workload, device::describe_device(experiment.device_of(side)));
    assign(root, settings);
    assign(place, settings);
    return settings;
  }

  void check_settings(const Place& root, const Experiment& experiment) const {
    for (const Side side : {Side::Before, Side::After}) {
      const workload::Settings settings = settings_of(root, experiment, side);
      checked(*root.table.get(side_key(side)), fmt::format("{}.settings", side_key(side)),
              [&] { workload::check_settings(experiment.workload, settings); });
    }
  }

  void read_turned_knob(const Place& root, Experiment& experiment) const {
    experiment.turned_knob = optional_string(root, "turned_knob");
    if (experiment.turned_knob.empty()) return;
    const workload::Settings settings = settings_of(root, experiment, Side::Before);
    checked(needed(root, "turned_knob"), "turned_knob", [&] { settings.value(experiment.turned_knob); });
  }

  void read_published(const Place& root, Experiment& experiment) const {
    const toml::node* node = root.table.get("published");
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr) fail_allowed(*node, "published", "[[published]]");
    std::set<std::string> names;
    for (std::size_t i = 0; i < array->size(); ++i) {
      const std::string key = fmt::format("published[{}]", i + 1);
      const Place place{table_of((*array)[i], key), key};
      Published published = read_one(root, place, experiment);
      if (!names.insert(published.name).second) {
        fail(needed(place, "name"), place.key("name"),
             tr("'{}' appears twice; allowed: a different name for each", published.name));
      }
      experiment.published.push_back(std::move(published));
    }
  }

  Published read_one(const Place& root, const Place& place, const Experiment& experiment) const {
    check_keys(place, kPublishedKeys);
    Published p;
    p.name = string(place, "name");
    p.label = text(place, "label");
    const toml::node& value = needed(place, "value");
    p.value = value.value<double>().value_or(std::numeric_limits<double>::quiet_NaN());
    if (!value.is_number() || !std::isfinite(p.value) || p.value < 0) {
      fail_allowed(value, place.key("value"), tr("a number that is not negative"));
    }
    p.unit = string(place, "unit");
    if (!is_unit(p.unit)) fail_allowed(needed(place, "unit"), place.key("unit"), known_units());
    p.quality =
        choice(place, "quality", std::array{Quality::Measured, Quality::Estimate, Quality::Impossible}, &quality_key);
    p.environment = text(place, "environment");
    p.source = string(place, "source");
    if (place.table.get("of") != nullptr) {
      p.of = choice(place, "of", std::array{Of::Before, Of::After, Of::Ratio}, &of_key);
    }
    p.iterations = iterations(place, 0);
    p.figure = optional_string(place, "figure");
    if (!p.figure.empty()) check_figure(place, p);
    read_check(place, p);
    p.settings = strings(place, "settings");
    for (const Side side : {Side::Before, Side::After}) {
      if (p.settings.empty() || !is_about(p.of, side)) continue;
      workload::Settings settings = settings_of(root, experiment, side);
      assign(place, settings);
      checked(needed(place, "settings"), place.key("settings"),
              [&] { workload::check_settings(experiment.workload, settings); });
    }
    return p;
  }

  void read_check(const Place& place, Published& p) const {
    p.follows = strings(place, "follows");
    for (const std::string& name : p.follows) {
      const std::size_t dot = name.find('.');
      if (dot == std::string::npos || dot == 0 || dot + 1 == name.size()) {
        fail(needed(place, "follows"), place.key("follows"),
             tr("has '{}'; allowed: published numbers, EXPERIMENT.NAME", name));
      }
    }
    if (place.table.get("unchecked") != nullptr) p.unchecked = text(place, "unchecked");
    if (p.figure.empty() && p.unchecked.empty()) {
      fail(place.table, place.key("unchecked"), tr("is missing; there is no figure, so say why nothing checks it"));
    }
  }

  void check_figure(const Place& place, const Published& p) const {
    const toml::node& node = needed(place, "figure");
    const std::string key = place.key("figure");
    FigureInfo info;
    checked(node, key, [&] { info = figure_info(p.figure); });
    if (p.of == Of::Ratio) {
      if (convert(1, "x", p.unit)) return;
      fail(needed(place, "unit"), place.key("unit"),
           tr("is '{}', but a ratio has none; allowed: x, %, fraction", p.unit));
    }
    if (p.figure == "total_s" && p.iterations == 0) {
      fail(place.table, place.key("iterations"), tr("is missing; total_s is the time of so many"));
    }
    // The unit of a workload's own figure is known only after a run.
    if (p.figure.starts_with("own.") || convert(1, info.unit, p.unit)) return;
    fail(needed(place, "unit"), place.key("unit"),
         tr("is '{}', but {} is in {}; allowed: a unit that it can be converted to", p.unit, p.figure,
            info.unit.empty() ? tr("plain numbers") : info.unit.c_str()));
  }

  void read_sweep(const toml::node& node, Experiment& experiment) const {
    const Place place{table_of(node, "sweep"), "sweep"};
    check_keys(place, kSweepKeys);
    needed(place, "over");
    ReadySweep sweep;
    sweep.over = strings(place, "over");
    sweep.figure = string(place, "figure");
    sweep.against = optional_string(place, "against");
    sweep.settings = strings(place, "settings");
    sweep.iterations = iterations(place, 0);
    experiment.sweep = std::move(sweep);
    checked(node, "sweep", [&] { check_sweep(ready_sweep(experiment)); });
  }

  std::string origin_;
};

}  // namespace

Experiment parse_experiment(std::string_view text, std::string_view origin) { return Reader(origin).read(text); }

}  // namespace lanescope::experiment
