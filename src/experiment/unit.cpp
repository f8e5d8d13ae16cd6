#include "experiment/unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/translate.h"

namespace lanescope::experiment {
namespace {

enum class Kind : std::uint8_t { Time, Bytes, Rate, Frequency, Share, Count, Plain };

struct Unit {
  std::string_view name;
  Kind kind;
  double size;  // in the base unit of its kind
};

constexpr double kKi = 1024;

constexpr std::array kUnits{
    Unit{"ns", Kind::Time, 1e-9},
    Unit{"us", Kind::Time, 1e-6},
    Unit{"µs", Kind::Time, 1e-6},
    Unit{"ms", Kind::Time, 1e-3},
    Unit{"s", Kind::Time, 1},
    Unit{"B", Kind::Bytes, 1},
    Unit{"kB", Kind::Bytes, 1e3},
    Unit{"MB", Kind::Bytes, 1e6},
    Unit{"GB", Kind::Bytes, 1e9},
    Unit{"KiB", Kind::Bytes, kKi},
    Unit{"MiB", Kind::Bytes, kKi* kKi},
    Unit{"GiB", Kind::Bytes, kKi* kKi* kKi},
    Unit{"B/s", Kind::Rate, 1},
    Unit{"kB/s", Kind::Rate, 1e3},
    Unit{"MB/s", Kind::Rate, 1e6},
    Unit{"GB/s", Kind::Rate, 1e9},
    Unit{"TB/s", Kind::Rate, 1e12},
    Unit{"1/s", Kind::Frequency, 1},
    Unit{"iterations/s", Kind::Frequency, 1},
    Unit{"%", Kind::Share, 0.01},
    Unit{"fraction", Kind::Share, 1},
    Unit{"x", Kind::Plain, 1},
    Unit{"syncs", Kind::Count, 1},
    Unit{"launches", Kind::Count, 1},
    Unit{"reads", Kind::Count, 1},
    Unit{"batches", Kind::Count, 1},
    Unit{"iterations", Kind::Count, 1},
    Unit{"numbers", Kind::Count, 1},
    Unit{"count", Kind::Count, 1},
};

constexpr Unit kPlainNumber{"", Kind::Plain, 1};

const Unit* find_unit(std::string_view name) {
  if (name.empty()) return &kPlainNumber;
  const auto* const found = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
  return found == kUnits.end() ? nullptr : found;
}

bool is_kind(std::string_view name, Kind kind) {
  const Unit* unit = find_unit(name);
  return unit != nullptr && unit->kind == kind;
}

bool alike(Kind a, Kind b) {
  const auto plain_or = [](Kind kind, Kind other) {
    return kind == Kind::Plain && (other == Kind::Share || other == Kind::Count);
  };
  return a == b || plain_or(a, b) || plain_or(b, a);
}

}  // namespace

bool is_time(std::string_view unit) { return is_kind(unit, Kind::Time); }
bool is_rate(std::string_view unit) { return is_kind(unit, Kind::Rate) || is_kind(unit, Kind::Frequency); }
bool is_share(std::string_view unit) { return is_kind(unit, Kind::Share); }

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

}  // namespace lanescope::experiment
