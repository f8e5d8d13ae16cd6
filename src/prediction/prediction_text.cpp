#include "prediction/predict.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/pace.h"
#include "base/translate.h"

namespace lanescope::prediction {
namespace {

using base::tr;

constexpr double kSame = 0.005;

std::string speed(double factor, bool per_sample) {
  if (per_sample) {
    return factor > 1 ? tr("per sample {:.2f} times as fast", factor)
                      : tr("per sample {:.2f} times as slow", 1 / factor);
  }
  if (std::abs(factor - 1) < kSame) return tr("no change");
  return factor > 1 ? tr("{:.2f} times as fast", factor) : tr("{:.2f} times as slow", 1 / factor);
}

}  // namespace

std::vector<std::string> texts_of(const std::vector<Foreign>& numbers) {
  std::vector<std::string> texts;
  for (const Foreign& number : numbers) {
    const std::string value = text_of(number);
    texts.push_back(value.empty() ? number.what : tr("{}: {}", number.what, value));
  }
  return texts;
}

std::pair<double, double> predicted_gains(const Prediction& p) {
  if (!p.refused.empty()) return {0, 0};
  return {analysis::factor_between(p.measured_ns, p.high_ns, p.work),
          analysis::factor_between(p.measured_ns, p.low_ns, p.work)};
}

std::string gain_sentence(const Prediction& p) {
  if (p.assumed.empty()) return speed(predicted_gain(p), p.work != 1);
  const auto [least, most] = predicted_gains(p);
  return tr("from {} to {}, assumed", speed(least, p.work != 1), speed(most, p.work != 1));
}

}  // namespace lanescope::prediction
