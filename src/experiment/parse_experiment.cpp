#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/experiment.h"
#include "experiment/named_figure.h"
#include "experiment/sweep.h"
#include "experiment/toml_reader.h"
#include "workload/workload.h"

namespace lanescope::experiment {
namespace {

using base::tr;

constexpr std::int64_t kMostIterations = 1'000'000'000;
constexpr std::int64_t kMostInOrder = 1'000'000;

constexpr auto kRootKeys = std::to_array<std::string_view>(
    {"id", "name", "order", "workload", "device", "iterations", "settings", "turned_knob", "title", "shows", "watch",
     "knob", "correction", "view", "before", "after", "published", "sweep"});
constexpr auto kSideKeys = std::to_array<std::string_view>({"label", "device", "settings", "view"});
constexpr auto kPublishedKeys =
    std::to_array<std::string_view>({"name", "label", "value", "unit", "quality", "environment", "source", "of",
                                     "figure", "settings", "iterations", "follows", "unchecked"});
constexpr auto kSweepKeys = std::to_array<std::string_view>({"over", "figure", "against", "settings", "iterations"});

using Place = TomlPlace;

class Reader : private TomlReader {
 public:
  Reader(std::string_view origin, const NameCheck& check) : TomlReader(origin), check_(check) {}

  Experiment read(std::string_view text) {
    const toml::table root_table = parse(text);
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
  std::uint64_t iterations(const Place& place, std::uint64_t otherwise) const {
    if (place.table.get("iterations") == nullptr) return otherwise;
    return static_cast<std::uint64_t>(integer(place, "iterations", kMostIterations));
  }

  void read_head(const Place& root, Experiment& experiment) const {
    experiment.id = word(root, "id");
    experiment.name = word(root, "name");
    if (check_) {
      checked(needed(root, "id"), "id", [&] { check_(experiment.id); });
      checked(needed(root, "name"), "name", [&] { check_(experiment.name); });
    }
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
    experiment.correction = optional_text(root, "correction");
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
    std::set<std::string> names;
    each_table(root, "published", [&](const Place& place) {
      Published published = read_one(root, place, experiment);
      if (!names.insert(published.name).second) {
        fail(needed(place, "name"), place.key("name"),
             tr("'{}' appears twice; allowed: a different name for each", published.name));
      }
      experiment.published.push_back(std::move(published));
    });
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
        choice(place, "quality",
               std::array{Quality::Measured, Quality::MeasuredSomewhere, Quality::Estimate, Quality::Impossible},
               &quality_key);
    p.environment = text(place, "environment");
    p.source = string(place, "source");
    if (place.table.get("of") != nullptr) {
      p.of = choice(place, "of", std::array{About::Before, About::After, About::Ratio}, &of_key);
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
    p.unchecked = optional_text(place, "unchecked");
    if (p.figure.empty() && p.unchecked.empty()) {
      fail(place.table, place.key("unchecked"), tr("is missing; there is no figure, so say why nothing checks it"));
    }
  }

  void check_figure(const Place& place, const Published& p) const {
    const toml::node& node = needed(place, "figure");
    const std::string key = place.key("figure");
    FigureInfo info;
    checked(node, key, [&] { info = figure_info(p.figure); });
    if (p.of == About::Ratio) {
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

  const NameCheck& check_;
};

}  // namespace

Experiment parse_experiment(std::string_view text, std::string_view origin, const NameCheck& check) {
  return Reader(origin, check).read(text);
}

}  // namespace lanescope::experiment
