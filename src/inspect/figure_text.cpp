#include "inspect/figure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/time.h"
#include "base/translate.h"

namespace lanescope::ui {

std::string figure_text(double value) {
  const double size = std::abs(value);
  if (size >= 1000) return base::format_count(std::llround(value));
  if (size >= 100 || value == 0) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  if (size >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

std::string factor_text(double factor) {
  if (factor > 0 && factor < 0.1) return base::tr("{}x", fmt::format("{:.1g}", factor));
  return base::tr("{}x", fmt::format("{:.{}f}", factor, factor >= 100 ? 0 : factor >= 10 ? 1 : 2));
}

std::string change_text(double factor) {
  if (!(factor > 0)) return "–";
  const std::string larger = factor_text(std::max(factor, 1 / factor));
  if (larger == factor_text(1)) return base::tr("as fast");
  return factor > 1 ? base::tr("{} faster", larger) : base::tr("{} slower", larger);
}

std::string pace_text(const analysis::Pace& pace) {
  return pace.known() ? base::format_duration(std::llround(pace.ns)) : "–";
}

std::string sample_text(const analysis::Pace& pace, double samples) {
  return pace.known() && samples > 0 ? base::format_duration(std::llround(pace.ns / samples)) : "–";
}

}  // namespace lanescope::ui
