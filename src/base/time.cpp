#include "base/time.h"

#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace lanescope::base {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;  // in the smallest unit
};

std::uint64_t magnitude_of(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

// Formats the value with so many significant digits, rounding half away from zero. Integer arithmetic only, so that the
// output does not depend on how a double rounds.
std::string with_unit(std::int64_t value, std::span<const Unit> units, int digits = 4) {
  std::uint64_t rounded = magnitude_of(value);
  std::uint64_t step = 1, most = 1;
  for (int i = 0; i < digits; ++i) most *= 10;
  while (rounded / step >= most) step *= 10;
  rounded = rounded / step + (rounded % step >= (step + 1) / 2 && step > 1 ? 1 : 0);
  rounded *= step;

  const Unit* unit = &units.front();
  for (const Unit& u : units) {
    if (rounded >= u.size) unit = &u;
  }
  std::string text = value < 0 ? "-" : "";
  text += std::to_string(rounded / unit->size);
  if (std::uint64_t rest = rounded % unit->size; rest != 0) {
    text += '.';
    for (std::uint64_t place = unit->size / 10; rest != 0; place /= 10) {
      text += static_cast<char>('0' + rest / place);
      rest %= place;
    }
  }
  text += ' ';
  text += unit->name;
  return text;
}

}  // namespace

std::string duration_text(double ns) { return format_duration(static_cast<Nanoseconds>(std::llround(ns))); }

std::string format_duration(Nanoseconds ns, int digits) {
  static constexpr std::array<Unit, 4> kUnits{{{"ns", 1}, {"µs", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
  return with_unit(ns, kUnits, digits);
}

std::string format_count(std::int64_t count) {
  std::string text = std::to_string(magnitude_of(count));
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return count < 0 ? "-" + text : text;
}

std::string format_bytes(std::int64_t bytes) {
  static constexpr std::array<Unit, 6> kUnits{{{"B", 1},
                                               {"kB", 1'000},
                                               {"MB", 1'000'000},
                                               {"GB", 1'000'000'000},
                                               {"TB", 1'000'000'000'000},
                                               {"PB", 1'000'000'000'000'000}}};
  return with_unit(bytes, kUnits);
}

}  // namespace lanescope::base
