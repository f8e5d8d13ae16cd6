#include "inspect/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figure.h"
#include "analysis/run_figures.h"
#include "base/translate.h"
#include "device/device.h"
#include "inspect/figure_text.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using analysis::Summary;
using base::tr;

constexpr double kLeastPart = 0.1;  // share of the difference that makes a part worth naming
constexpr std::size_t kMostParts = 3;
constexpr double kLeastTime = 0.5, kLeastCount = 0.005;  // below these, the value would be displayed as 0
constexpr double kLeastShare = 0.001;                    // share of an iteration that gets a line

// Per iteration; without iterations, of the whole trace; 0 if it is not known.
double each(const analysis::Figure& figure, const RunSnapshot* of) {
  if (!of) return 0;
  using enum analysis::FigureForm;
  return value_of(figure, of->summary, of->whole ? Total : PerIteration).value_or(0);
}

// A run on the CPU only: that its GPU is idle is not the cause of anything.
bool cpu_only(const RunSnapshot* run) { return run && run->summary.verdict.kind == analysis::VerdictKind::CpuOnly; }

std::vector<workload::SettingSpec> specs_of(const std::string& workload) {
  const auto names = workload::workload_names();
  if (std::find(names.begin(), names.end(), workload) == names.end()) return {};
  return workload::default_settings(workload, device::DeviceInfo{}).specs();
}

// Lower-cases a label for mid-sentence: "Log interval" becomes "log interval"; "H2D" stays.
std::string in_a_line(std::string label) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (label.size() > 1 && upper(label[0]) && !upper(label[1])) label[0] = static_cast<char>(label[0] - 'A' + 'a');
  return label;
}

std::string setting_value(const workload::SettingSpec* spec, const std::string& value) {
  if (!spec) return value;
  if (spec->type == workload::SettingType::Bool) return value == "true" ? tr("on") : tr("off");
  if (spec->zero_is_never && value == "0") return tr("never");
  return value + (spec->unit.empty() ? "" : " " + spec->unit);
}

std::string device_of(const RunSnapshot& run) {
  return run.facts.device_name.empty() ? run.facts.device : device::name_in_words(run.facts.device_name);
}

std::string joined(const std::vector<std::string>& parts, std::size_t most) {
  if (parts.empty()) return tr("the same settings");
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), most); ++i) text += (i > 0 ? ", " : "") + parts[i];
  if (parts.size() > most) text += tr(" and {} more", parts.size() - most);
  return text;
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

// A setting that differs between two runs of the same workload, in the words of its knob; or else what the runs are of
// (the workload, the device), and then without a name.
struct KnobChange {
  std::string name;  // "log interval"
  std::string a, b;  // "1", "never", "on"
};

// In the order of the knobs.
std::vector<KnobChange> knob_changes(const RunSnapshot& a, const RunSnapshot& b) {
  std::vector<KnobChange> changes;
  const auto differ = [&](const std::string& name, const std::string& x, const std::string& y) {
    if (x != y) changes.push_back({name, x, y});
  };
  if (a.facts.workload != b.facts.workload) differ("", tr(a.title), tr(b.title));
  differ("", device_of(a), device_of(b));
  if (a.facts.workload == b.facts.workload) {
    // Keys without a knob come last.
    const std::vector<workload::SettingSpec> specs = specs_of(a.facts.workload);
    const auto compare = [&](const workload::SettingSpec* spec, const std::string& key) {
      const auto x = a.facts.settings.find(key), y = b.facts.settings.find(key);
      if (x == a.facts.settings.end() || y == b.facts.settings.end() || x->second == y->second) return;
      const std::string name = spec ? in_a_line(base::tr(spec->label)) : key;
      differ(name, setting_value(spec, x->second), setting_value(spec, y->second));
    };
    for (const workload::SettingSpec& spec : specs) compare(&spec, spec.key);
    for (const auto& [key, value] : a.facts.settings) {
      if (std::ranges::none_of(specs, [&](const auto& spec) { return spec.key == key; })) compare(nullptr, key);
    }
  }
  if (changes.empty()) differ("", tr(a.title), tr(b.title));  // two files about which nothing else is known
  return changes;
}

}  // namespace

std::vector<DifferenceRow> difference_rows(const RunSnapshot& a, const RunSnapshot* b) {
  using enum DifferenceGroup;
  const double mean_a = a.mean_ns(), mean_b = b ? b->mean_ns() : 0;
  const double least_time = std::max(kLeastTime, kLeastShare * std::max(mean_a, mean_b));
  std::vector<DifferenceRow> rows;
  const auto add = [&](DifferenceGroup group, std::string name, double x, double y, bool count, bool neutral) {
    if (std::max(x, y) < (count ? kLeastCount : least_time)) return false;
    rows.push_back({group, std::move(name), {}, count, neutral, x, y});
    return true;
  };
  add(Iteration, a.whole ? tr("the whole trace") : tr("iteration"), mean_a, mean_b, false, false);
  const bool cpu_a = cpu_only(&a), cpu_b = cpu_only(b);
  if (add(Gpu, tr("the CPU computes"), cpu_a ? mean_a : 0, cpu_b ? mean_b : 0, false, true))
    rows.back().in_a_sentence = tr("of computing on the CPU");
  for (const analysis::Figure& figure : analysis::figures()) {
    const double x = each(figure, &a), y = each(figure, b);
    const bool count = figure.unit == analysis::FigureUnit::Count;
    const std::string name = label_of(figure, analysis::FigureForm::Total);
    if (figure.group == analysis::FigureGroup::Idle && figure.depth == 2) {
      if (add(Gpu, name, cpu_a ? 0 : x, cpu_b ? 0 : y, false, false))
        rows.back().in_a_sentence = tr("idle ({})", tr(figure.label));
    } else if (figure.shown == analysis::FigureShown::ByName || figure.depth > 1) {
      continue;
    } else if (figure.key == "gpu_busy_ns") {
      if (add(Gpu, name, x, y, false, true)) rows.back().in_a_sentence = tr("of GPU work");
    } else if (figure.key == "exposed_copy_ns" || figure.group == analysis::FigureGroup::Cpu || count) {
      add(Beside, name, x, y, count, count || figure.key == "host_wait_ns");
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const DifferenceRow& x, const DifferenceRow& y) {
    if (x.group != y.group) return x.group < y.group;
    if (x.count != y.count) return y.count;
    return std::abs(x.difference()) > std::abs(y.difference());
  });
  return rows;
}

analysis::Gain gain_between(const RunSnapshot& a, const RunSnapshot& b) {
  if (a.whole || b.whole) return {analysis::factor_between(a.mean_ns(), b.mean_ns(), 1), false};
  return analysis::gain_between(a.summary, analysis::batch_size_of(a.facts), b.summary,
                                analysis::batch_size_of(b.facts));
}

Better better(const RunSnapshot& a, const RunSnapshot& b) {
  const analysis::Gain gain = gain_between(a, b);
  if (!gain.known() || std::abs(gain.factor - 1) <= kSameWithin * std::max(gain.factor, 1.0)) return Better::Same;
  return gain.factor > 1 ? Better::B : Better::A;
}

std::string value_text(const DifferenceRow& row, double value) {
  if (value < (row.count ? kLeastCount : kLeastTime)) return "–";
  return row.count ? fmt::format("{:.2f}", value) : base::duration_text(value);
}

int difference_sign(const DifferenceRow& row) {
  if (value_text(row, row.a) == value_text(row, row.b)) return 0;
  return row.difference() < 0 ? -1 : 1;
}

std::string difference_text(const DifferenceRow& row) {
  const int sign = difference_sign(row);
  if (sign == 0) return "=";
  return (sign < 0 ? "↓ " : "↑ ") + value_text(row, std::abs(row.difference()));
}

std::string headline(const RunSnapshot& a, const RunSnapshot& b) {
  const double x = a.mean_ns(), y = b.mean_ns();
  if (x <= 0 || y <= 0) {
    return tr("{}: {}", x <= 0 ? "A" : "B", basis_text((x <= 0 ? a : b).summary.pace.basis));
  }
  const auto with_basis = [&](const std::string& says) {
    const std::string basis = a.whole || b.whole ? "" : factor_basis(a.summary.pace, b.summary.pace);
    return basis.empty() ? says : says + ", " + basis;
  };
  const analysis::Gain gain = gain_between(a, b);
  if (!gain.comparable) return tr("The iterations of A and B do different work");
  if (gain.per_sample) {
    switch (better(a, b)) {
      case Better::B:
        return with_basis(tr("Per sample, B is {} as fast", factor_text(gain.factor)));
      case Better::A:
        return with_basis(tr("Per sample, B takes {} as long", factor_text(1 / gain.factor)));
      default:
        return with_basis(tr("Per sample, B takes as long as A"));
    }
  }
  switch (better(a, b)) {
    case Better::B:
      return with_basis(tr("B is {} shorter: {} as fast", base::duration_text(x - y), factor_text(x / y)));
    case Better::A:
      return with_basis(tr("B is {} longer: it takes {} as long", base::duration_text(y - x), factor_text(y / x)));
    default:
      return with_basis(tr("B takes as long as A"));
  }
}

std::string where_it_went(const RunSnapshot& a, const RunSnapshot& b) {
  // Iterations of unequal work have no difference to explain.
  if (better(a, b) == Better::Same || gain_between(a, b).per_sample) return "";
  const double least = kLeastPart * std::abs(b.mean_ns() - a.mean_ns());
  std::vector<std::string> gone, come;
  for (const DifferenceRow& row : difference_rows(a, &b)) {  // largest first
    if (row.group != DifferenceGroup::Gpu || std::abs(row.difference()) < least) continue;
    auto& parts = row.difference() < 0 ? gone : come;
    if (parts.size() < kMostParts)
      parts.push_back(base::duration_text(std::abs(row.difference())) + " " + row.in_a_sentence);
  }
  std::string text;
  if (!gone.empty()) text = tr("Gone: {}.", joined(gone, kMostParts));
  if (!come.empty()) {
    text += (text.empty() ? "" : " ") + tr("New: {}.", joined(come, kMostParts));
  }
  return text;
}

SideTexts side_texts(const RunSnapshot& a, const RunSnapshot* b, std::size_t most) {
  if (!b) return {tr(a.title), ""};
  std::vector<std::string> in_a, in_b;
  for (const KnobChange& change : knob_changes(a, *b)) {
    const std::string name = change.name.empty() ? "" : change.name + " ";
    in_a.push_back(name + change.a);
    in_b.push_back(name + change.b);
  }
  const auto text = [&](const RunSnapshot& run, const std::vector<std::string>& parts) {
    if (run.label.empty()) return joined(parts, most);
    return parts.empty() ? run.label : fmt::format("{} ({})", run.label, joined(parts, most));
  };
  return {text(a, in_a), text(*b, in_b)};
}

std::string shared_settings(const RunSnapshot& a, const RunSnapshot& b) {
  std::string text;
  for (const auto& [key, value] : a.facts.settings) {
    const auto other = b.facts.settings.find(key);
    if (other == b.facts.settings.end() || other->second != value) continue;
    text += (text.empty() ? "" : "   ") + key + " " + value;
  }
  return text;
}

std::string markdown(const RunSnapshot& a, const RunSnapshot& b) {
  const SideTexts sides = side_texts(a, &b);
  std::string text = fmt::format("**{}**\n\n", headline(a, b));
  if (const std::string went = where_it_went(a, b); !went.empty()) text += went + "\n\n";
  text += fmt::format("| {} | A: {} | B: {} | {} |\n|---|---:|---:|---:|\n", tr("per iteration"), cell(sides.a),
                      cell(sides.b), tr("difference"));
  for (const DifferenceRow& row : difference_rows(a, &b)) {
    text += fmt::format("| {} | {} | {} | {} |\n", cell(row.name), value_text(row, row.a), value_text(row, row.b),
                        difference_text(row));
  }
  const std::string& workload = a.facts.workload;
  text += fmt::format("\nA: {}, {}. B: {}, {}. Lanescope {}", a.facts.workload.empty() ? tr(a.title) : workload,
                      device_of(a), b.facts.workload.empty() ? tr(b.title) : b.facts.workload, device_of(b),
                      base::kVersion);
  if (a.facts.simulated || b.facts.simulated) {
    text += a.facts.simulated && b.facts.simulated ? tr("; simulated, not measured on a GPU")
            : a.facts.simulated                    ? tr("; A is simulated, not measured on a GPU")
                                                   : tr("; B is simulated, not measured on a GPU");
  }
  return text + ".\n";
}

}  // namespace lanescope::ui
