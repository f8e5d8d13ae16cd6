#include "experiment/named_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "analysis/figure.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::experiment {
namespace {

enum class UnitKind : std::uint8_t { Time, Bytes, Rate, Frequency, Share, Count, Plain };

struct Unit {
  std::string_view name;
  UnitKind kind;
  double size;  // in the base unit of its kind
};

constexpr double kKi = 1024;

constexpr std::array kUnits{
    Unit{"ns", UnitKind::Time, 1e-9},
    Unit{"us", UnitKind::Time, 1e-6},
    Unit{"µs", UnitKind::Time, 1e-6},
    Unit{"ms", UnitKind::Time, 1e-3},
    Unit{"s", UnitKind::Time, 1},
    Unit{"B", UnitKind::Bytes, 1},
    Unit{"kB", UnitKind::Bytes, 1e3},
    Unit{"MB", UnitKind::Bytes, 1e6},
    Unit{"GB", UnitKind::Bytes, 1e9},
    Unit{"KiB", UnitKind::Bytes, kKi},
    Unit{"MiB", UnitKind::Bytes, kKi* kKi},
    Unit{"GiB", UnitKind::Bytes, kKi* kKi* kKi},
    Unit{"B/s", UnitKind::Rate, 1},
    Unit{"kB/s", UnitKind::Rate, 1e3},
    Unit{"MB/s", UnitKind::Rate, 1e6},
    Unit{"GB/s", UnitKind::Rate, 1e9},
    Unit{"TB/s", UnitKind::Rate, 1e12},
    Unit{"1/s", UnitKind::Frequency, 1},
    Unit{"iterations/s", UnitKind::Frequency, 1},
    Unit{"%", UnitKind::Share, 0.01},
    Unit{"fraction", UnitKind::Share, 1},
    Unit{"x", UnitKind::Plain, 1},
    Unit{"syncs", UnitKind::Count, 1},
    Unit{"launches", UnitKind::Count, 1},
    Unit{"reads", UnitKind::Count, 1},
    Unit{"batches", UnitKind::Count, 1},
    Unit{"iterations", UnitKind::Count, 1},
    Unit{"numbers", UnitKind::Count, 1},
    Unit{"count", UnitKind::Count, 1},
};

constexpr Unit kPlainNumber{"", UnitKind::Plain, 1};

const Unit* find_unit(std::string_view name) {
  if (name.empty()) return &kPlainNumber;
  const auto* const found = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
  return found == kUnits.end() ? nullptr : found;
}

bool is_kind(std::string_view name, UnitKind kind) {
  const Unit* unit = find_unit(name);
  return unit != nullptr && unit->kind == kind;
}

bool alike(UnitKind a, UnitKind b) {
  const auto plain_or = [](UnitKind kind, UnitKind other) {
    return kind == UnitKind::Plain && (other == UnitKind::Share || other == UnitKind::Count);
  };
  return a == b || plain_or(a, b) || plain_or(b, a);
}

}  // namespace

bool is_time(std::string_view unit) { return is_kind(unit, UnitKind::Time); }
bool is_rate(std::string_view unit) { return is_kind(unit, UnitKind::Rate) || is_kind(unit, UnitKind::Frequency); }
bool is_share(std::string_view unit) { return is_kind(unit, UnitKind::Share); }

std::string unit_in_words(std::string_view unit) {
  if (unit == "x") return "×";
  constexpr std::string_view kNumber = "{} ";
  // Translated together with its number, because Chinese has no plain word for the unit alone.
  for (const char* counted : {N_("{} syncs"), N_("{} launches"), N_("{} reads"), N_("{} batches"), N_("{} iterations"),
                              N_("{} numbers"), N_("{} iterations/s")}) {
    if (std::string_view(counted).substr(kNumber.size()) == unit)
      return std::string(base::tr(counted)).substr(kNumber.size());
  }
  return std::string(unit);
}

bool is_unit(std::string_view unit) { return !unit.empty() && find_unit(unit) != nullptr; }

std::string known_units() {
  std::vector<std::string_view> names;
  for (const Unit& unit : kUnits) names.push_back(unit.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<double> convert(double value, std::string_view from, std::string_view to) {
  if (from == to) return value;
  const Unit *a = find_unit(from), *b = find_unit(to);
  if (a == nullptr || b == nullptr || !alike(a->kind, b->kind)) return std::nullopt;
  return value * a->size / b->size;
}

// --- figure ----------------------------------------------------------------------------------------------------------

namespace {

using analysis::Figure;

constexpr std::string_view kOwn = "own.";
constexpr std::string_view kTotal = ".total";
constexpr double kNsPerS = 1e9;

// These need more than a summary.
const FigureInfo kTotalTime{"total_s", N_("time of the whole loop"), "s"};
const FigureInfo kSamples{"samples_per_s", N_("samples per second"), "samples/s"};

// A name ends with its unit.
struct NamedUnit {
  std::string_view ending;
  const char* unit;
  double scale;
};
constexpr NamedUnit kEndings[] = {{"iterations_per_s", "iterations/s", 1},
                                  {"_gb_per_s", "GB/s", 1},
                                  {"_percent", "%", 100},
                                  {"_us", "µs", 1e-3},
                                  {"_ms", "ms", 1e-6},
                                  {"", "", 1}};
const NamedUnit& unit_of(std::string_view name) {
  return *std::ranges::find_if(kEndings, [&](const NamedUnit& u) { return name.ends_with(u.ending); });
}

FigureInfo info_of(const Figure& figure) {
  return {std::string(figure.name), analysis::label_of(figure, figure.usual), unit_of(figure.name).unit};
}

const Figure* standard(std::string_view name) {
  const auto all = analysis::figures();
  const auto found = std::ranges::find(all, name, &Figure::name);
  return name.empty() || found == all.end() ? nullptr : &*found;
}

// "own.read_us.total" is the sum of "read_us".
struct Own {
  std::string_view key;
  bool total;
};
Own own_of(std::string_view key) {
  key.remove_prefix(kOwn.size());
  const bool total = key.ends_with(kTotal);
  if (total) key.remove_suffix(kTotal.size());
  return {key, total};
}

const workload::Figure* find_own(std::string_view key, const std::vector<workload::Figure>& figures) {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const workload::Figure& f) { return f.key == key; });
  return found == figures.end() ? nullptr : &*found;
}

}  // namespace

analysis::Gain gain_between(const Measured& first, const Measured& second) {
  return analysis::gain_between(first.summary, first.batch_size, second.summary, second.batch_size);
}

std::vector<FigureInfo> standard_figures() {
  std::vector<FigureInfo> list;
  for (const Figure& figure : analysis::figures()) {
    if (!figure.name.empty()) list.push_back(info_of(figure));
  }
  for (const FigureInfo& info : {kTotalTime, kSamples})
    list.push_back({info.key, base::tr(info.label.c_str()), info.unit});
  return list;
}

FigureInfo figure_info(std::string_view key, const std::vector<workload::Figure>& own) {
  if (key.starts_with(kOwn) && !own_of(key).key.empty()) {
    const auto [name, total] = own_of(key);
    const workload::Figure* figure = find_own(name, own);
    if (figure == nullptr) return {std::string(key), std::string(name), {}};
    return {std::string(key), base::tr(figure->label.c_str()), figure->unit};
  }
  const std::vector<FigureInfo> all = standard_figures();
  const auto found = std::ranges::find(all, key, &FigureInfo::key);
  if (found != all.end()) return *found;
  std::vector<std::string_view> names;
  for (const FigureInfo& f : all) names.emplace_back(f.key);
  throw base::UsageError(
      base::tr("figure '{}' is unknown; allowed: {}, own.NAME, "
               "own.NAME.total",
               key, fmt::join(names, ", ")));
}

std::optional<double> figure_value(std::string_view key, const Measured& measured, std::uint64_t iterations) {
  const analysis::Pace& pace = measured.summary.pace;
  if (key.starts_with(kOwn)) {
    const auto [name, total] = own_of(key);
    const workload::Figure* figure = find_own(name, measured.figures);
    if (figure == nullptr || figure->count == 0) return std::nullopt;
    return total ? figure->total : figure->mean;
  }
  if (key == kSamples.key && pace.known() && measured.batch_size > 0 && computes(measured.summary)) {
    return measured.batch_size * kNsPerS / pace.ns;
  }
  if (key == kTotalTime.key && pace.known() && iterations > 0) {
    return pace.ns * static_cast<double>(iterations) / kNsPerS;
  }
  const Figure* figure = standard(key);
  if (figure == nullptr) return std::nullopt;
  const std::optional<double> value = analysis::value_of(*figure, measured.summary, figure->usual);
  return value ? std::optional(*value * unit_of(key).scale) : std::nullopt;
}

}  // namespace lanescope::experiment
