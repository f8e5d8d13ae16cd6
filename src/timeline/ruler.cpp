#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "timeline/time_axis.h"

namespace lanescope::ui {
namespace {

using base::Nanoseconds;
// The difference of two times within ±kMaxTime needs 65 bits.
__extension__ using Wide = __int128;

struct Unit {
  Nanoseconds ns;
  const char* name;
};
constexpr std::array<Unit, 4> kUnits{
    {{base::kSecond, "s"}, {base::kMillisecond, "ms"}, {base::kMicrosecond, "µs"}, {1, "ns"}}};

constexpr int kLongestLabel = 5;  // digits; for longer labels, the ruler shows a base time
constexpr Wide kBaseMultiple = 1000;
constexpr float kMinMinorSpacingPx = 6;

Wide floor_div(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

std::string digits(Wide value) {
  const bool negative = value < 0;
  std::string text;
  do {
    const int digit = static_cast<int>(value % 10);
    text.insert(text.begin(), static_cast<char>('0' + (negative ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  return negative ? "-" + text : text;
}

std::string grouped(std::string text) {
  const std::size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

/// Exact: in seconds from one second on, otherwise in milliseconds: "12.345678 s", "0.12 ms".
std::string exact_time(Wide ns) {
  const bool negative = ns < 0;
  const Wide size = negative ? -ns : ns;
  const Unit unit = size >= base::kSecond ? kUnits[0] : kUnits[1];
  std::string fraction;
  for (Wide rest = size % unit.ns, place = unit.ns / 10; rest != 0; place /= 10) {
    fraction += static_cast<char>('0' + static_cast<int>(rest / place));
    rest %= place;
  }
  std::string text = (negative ? "-" : "") + grouped(digits(size / unit.ns));
  if (!fraction.empty()) text += "." + fraction;
  return text + " " + unit.name;
}

struct Step {
  Nanoseconds ns;
  int lead;  // 1, 2 or 5
};

Step next_step(const Step& step) {
  if (step.lead == 1) return {step.ns * 2, 2};
  if (step.lead == 2) return {step.ns / 2 * 5, 5};
  return {step.ns * 2, 1};
}

Step first_step(double at_least_ns) {
  Step step{1, 1};
  while (static_cast<double>(step.ns) < at_least_ns && step.ns < Nanoseconds{1} << 61) step = next_step(step);
  return step;
}

/// Builds the ruler with this step. Returns the number of characters of its longest label.
int lay_out(const TimeAxis& axis, Nanoseconds label_origin, const Step& step, Ruler& ruler) {
  const Unit& unit = *std::find_if(kUnits.begin(), kUnits.end(), [&step](const Unit& u) { return step.ns >= u.ns; });
  ruler = Ruler{unit.name, "", step.ns, {}};

  const Wide first = floor_div(static_cast<Wide>(axis.begin_ns()) - label_origin, step.ns);
  const Wide last = floor_div(static_cast<Wide>(axis.end_ns()) - label_origin, step.ns);
  const Wide per_step = step.ns / unit.ns;
  Wide limit = 1;
  for (int i = 0; i < kLongestLabel; ++i) limit *= 10;
  const Wide low = first * per_step, high = last * per_step;
  Wide base = 0;
  if (low <= -limit || high >= limit) {
    base = floor_div(low, kBaseMultiple) * kBaseMultiple;
    ruler.base = exact_time(base * unit.ns);
  }

  const int parts = step.lead == 2 ? 4 : 5;
  const bool minor = step.ns % parts == 0 && axis.length_px(step.ns) >= kMinMinorSpacingPx * static_cast<float>(parts);
  std::size_t longest = 0;
  for (Wide k = first; k <= last; ++k) {
    for (int part = 0; part < (minor ? parts : 1); ++part) {
      const Wide at = static_cast<Wide>(label_origin) + k * step.ns + (minor ? part * (step.ns / parts) : 0);
      if (at < axis.begin_ns() || at > axis.end_ns()) continue;
      Tick tick;
      tick.t = static_cast<Nanoseconds>(at);
      tick.px = axis.to_px(tick.t);
      if (tick.px < axis.left_px() || tick.px > axis.right_px()) continue;
      tick.major = part == 0;
      if (tick.major) {
        tick.label = (ruler.base.empty() ? "" : "+") + digits(k * per_step - base);
        longest = std::max(longest, tick.label.size());
      }
      ruler.ticks.push_back(std::move(tick));
    }
  }
  return static_cast<int>(longest);
}

}  // namespace

Ruler make_ruler(const TimeAxis& axis, float min_spacing_px, Nanoseconds label_origin, float character_px) {
  // A label has at least one character, so closer spacing need not be tried.
  const float spacing = std::max({min_spacing_px, 3 * character_px, 1.0f});
  Step step = first_step(static_cast<double>(spacing) * axis.ns_per_pixel());
  Ruler ruler;
  for (;;) {
    const int longest = lay_out(axis, label_origin, step, ruler);
    const float needed = static_cast<float>(longest + 2) * character_px;
    if (axis.length_px(step.ns) >= needed || step.ns >= Nanoseconds{1} << 60) return ruler;
    step = next_step(step);
  }
}

}  // namespace lanescope::ui
