#include <fmt/format.h>

#include <cctype>

#include "base/translate.h"
#include "model/advice/try_it.h"

namespace lanescope::ui {
namespace {

using base::tr;

std::string value_text(const workload::SettingSpec& spec, const workload::Value& value, base::Language language) {
  if (const bool* on = std::get_if<bool>(&value)) return *on ? tr("on", language) : tr("off", language);
  const std::string text = workload::to_text(value);
  if (spec.action == workload::SettingAction::Feed)
    return text == spec.choices[1] ? tr("on", language) : tr("off", language);
  return spec.zero_is_never && text == "0" ? std::string(tr("never", language)) : text;
}

// "Log interval" becomes "log interval" within a sentence; "GPU first" stays.
std::string label_text(const workload::SettingSpec& spec, base::Language language) {
  const bool feed = spec.action == workload::SettingAction::Feed;  // as in the row of knobs
  std::string label = feed ? tr("Fresh batch", language) : tr(spec.label.c_str(), language);
  if (label.size() > 1 && std::islower(static_cast<unsigned char>(label[1]))) {
    label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
  }
  return label;
}

template <class Each>
std::string each_setting(const workload::Settings& before, const std::vector<std::string>& assignments, Each each) {
  workload::Settings after = before;
  for (const std::string& assignment : assignments) after.assign(assignment);
  std::string text;
  for (const workload::SettingSpec& spec : before.specs()) {
    const workload::Value& value = after.value(spec.key);
    if (value == before.value(spec.key)) continue;
    if (!text.empty()) text += ", ";
    text += each(spec, before.value(spec.key), value);
  }
  return text;
}

std::string note_of(const Tried& tried) {
  if (tried.prediction && !tried.foretold()) return tried.prediction->refusal;
  return tried.state == Tried::State::Overtaken ? tr("changed before it was measured") : "";
}

std::string row(const Tried& tried, const char* between, int digits) {
  const auto number = [&](double ns) { return ns > 0 ? fmt::format("{:.{}f}", ns / 1e3, digits) : std::string(); };
  std::string text = tried.text;
  for (const std::string& cell :
       {number(tried.before_ns), number(tried.predicted_ns()), number(tried.measured_ns),
        tried.error() ? fmt::format("{:+.1f}", *tried.error() * 100) : std::string(), note_of(tried)}) {
    text += between + cell;
  }
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string trial_text(const workload::Settings& settings, const std::vector<std::string>& assignments,
                       base::Language language) {
  return each_setting(settings, assignments,
                      [language](const workload::SettingSpec& spec, const workload::Value&, const workload::Value& to) {
                        return label_text(spec, language) + " " + value_text(spec, to, language);
                      });
}

std::string turn_text(const workload::Settings& before, const std::vector<std::string>& assignments,
                      base::Language language) {
  return each_setting(
      before, assignments,
      [language](const workload::SettingSpec& spec, const workload::Value& from, const workload::Value& to) {
        return label_text(spec, language) + " " + value_text(spec, from, language) + " → " +
               value_text(spec, to, language);
      });
}

std::string tried_csv(std::span<const Tried> rows) {
  std::string text =
      "workload,device,change,work,before_us,predicted_us,predicted_low_us,predicted_high_us,measured_us,"
      "error_percent,note\n";
  for (const Tried& tried : rows) {
    const auto number = [](double ns) { return ns > 0 ? fmt::format("{:.3f}", ns / 1e3) : std::string(); };
    const analysis::WhatIf p = tried.foretold() ? *tried.prediction : analysis::WhatIf{};
    text += fmt::format(
        "{},{},{},{:g},{},{},{},{},{},{},{}\n", tried.workload, tried.device, quoted(tried.text), tried.trial.work,
        number(tried.before_ns), number(tried.predicted_ns()), number(p.recorded_ns / p.most_factor),
        number(p.recorded_ns / p.least_factor), number(tried.measured_ns),
        tried.error() ? fmt::format("{:.2f}", *tried.error() * 100) : std::string(), quoted(note_of(tried)));
  }
  return text;
}

std::string tried_markdown(std::span<const Tried> rows) {
  std::string text = tr("| change | before, µs | predicted, µs | measured, µs | error, % | note |");
  text += "\n|---|--:|--:|--:|--:|---|\n";
  for (const Tried& tried : rows) text += "| " + row(tried, " | ", 1) + " |\n";
  return text;
}

}  // namespace lanescope::ui
