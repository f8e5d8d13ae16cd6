#include "picture/sweep_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/from_chars.h"
#include "base/time.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "device/device.h"
#include "experiment/named_figure.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using base::tr;
using experiment::SweepPoint;

constexpr double kFarApart = 60;  // largest / smallest: above this, a scale from 0 would hide the small values

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::optional<double> axis_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = base::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

const char* axis_label(experiment::AxisKind kind) {
  switch (kind) {
    case experiment::AxisKind::Device:
      return tr("Device");
    case experiment::AxisKind::Iterations:
      return tr("Iterations");
    case experiment::AxisKind::Setting:
      break;
  }
  return nullptr;
}

std::string axis_value_text(const workload::SettingSpec* spec, const std::string& value) {
  const std::optional<double> number = axis_number(value);
  if (!number) return value;
  if (spec && spec->zero_is_never && *number == 0) return tr("never");
  if (spec && spec->is_size) {
    constexpr double kKib = 1024, kMib = kKib * 1024, kGb = 1e9;
    if (*number >= kGb) return fmt::format("{:g} GB", *number / kGb);
    if (*number >= kMib) return fmt::format("{:.4g} MiB", *number / kMib);
    if (*number >= kKib) return fmt::format("{:.4g} KiB", *number / kKib);
  }
  if (*number == std::floor(*number) && std::abs(*number) < 1e15) {
    return base::format_count(static_cast<std::int64_t>(*number));
  }
  return value;
}

std::string sweep_value_text(double value, std::string_view unit) {
  const double size = std::abs(value);
  const int digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
  std::string text = size >= 1000 ? base::format_count(static_cast<std::int64_t>(std::llround(value)))
                     : size == 0  ? "0"
                                  : fmt::format("{:.{}f}", value, digits);
  if (size >= 1 && value == std::floor(value) && size < 1000) text = fmt::format("{:.0f}", value);
  return unit.empty() ? text : fmt::format("{} {}", text, experiment::unit_in_words(unit));
}

SweepTexts sweep_texts(const experiment::SweepSpec& spec, const std::string& unit, std::span<const SweepPoint> points) {
  SweepTexts texts;
  const workload::Settings settings = workload::default_settings(spec.workload, device::describe_device(spec.device));
  const auto label_of = [&](const std::string& key) -> std::string {
    if (const char* label = axis_label(experiment::axis_kind(key))) return label;
    const workload::SettingSpec* setting = settings.spec(key);
    if (setting == nullptr) return key;
    return setting->unit.empty() || setting->is_size ? tr(setting->label) : tr(setting->label) + (", " + setting->unit);
  };
  for (const experiment::Axis& axis : spec.axes) {
    texts.axes.push_back(label_of(axis.key));
    auto& shown = texts.values.emplace_back();
    for (const std::string& value : axis.values) shown.push_back(axis_value_text(settings.spec(axis.key), value));
  }
  const std::vector<workload::Figure> own =
      points.empty() ? std::vector<workload::Figure>() : points.front().measured.figures;
  const experiment::FigureInfo figure = experiment::figure_info(spec.figure, own);
  texts.unit = unit;
  texts.is_ratio = !spec.against.empty();
  texts.value = figure.label;
  if (texts.is_ratio) {
    const std::size_t equals = spec.against.find('=');
    const std::string key = spec.against.substr(0, equals), other = spec.against.substr(equals + 1);
    const std::string than = experiment::axis_kind(key) == experiment::AxisKind::Device
                                 ? device::name_in_words(device::describe_device(other).name)
                                 : fmt::format("{} {}", label_of(key), other);
    texts.value = experiment::is_time(figure.unit) ? tr("Speed relative to {} ({})", than, texts.value)
                                                   : tr("{}: {} / here", texts.value, than);
  } else if (!unit.empty()) {
    texts.value += ", " + experiment::unit_in_words(unit);
  }
  return texts;
}

float ValueScale::place(double value) const {
  if (logarithmic) {
    if (value <= 0) return 0;
    return static_cast<float>(std::clamp(std::log(value / low) / std::log(high / low), 0.0, 1.0));
  }
  return static_cast<float>(std::clamp((value - low) / (high - low), 0.0, 1.0));
}

std::vector<double> ValueScale::ticks() const {
  std::vector<double> ticks;
  if (logarithmic) {
    for (double tick = low; tick <= high * 1.001; tick *= 10) ticks.push_back(tick);
    return ticks;
  }
  const double step = round_step((high - low) / 6);
  for (int i = 0; low + i * step <= high * 1.0001; ++i) ticks.push_back(low + i * step);
  return ticks;
}

ValueScale value_scale(std::span<const SweepPoint> points, bool is_ratio) {
  double least = 0, most = 0;
  for (const SweepPoint& point : points) {
    if (!point.value) continue;
    most = std::max(most, *point.value);
    if (*point.value > 0) least = least == 0 ? *point.value : std::min(least, *point.value);
  }
  if (is_ratio) {  // the line of equality is always visible
    most = std::max(most, 1.0);
    least = least == 0 ? 1 : std::min(least, 1.0);
  }
  if (most <= 0) return {};
  if (least > 0 && most / least >= kFarApart) {
    return {std::pow(10, std::floor(std::log10(least))), std::pow(10, std::ceil(std::log10(most * 1.05))), true};
  }
  const double step = round_step(most * 1.12 / 6);
  return {0, std::ceil(most * 1.12 / step) * step, false};
}

}  // namespace lanescope::ui
