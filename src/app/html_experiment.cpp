// Two runs side by side, and the published numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "analysis/figure.h"
#include "app/html_page.h"
#include "app/html_text.h"
#include "base/translate.h"
#include "experiment/named_figure.h"

namespace lanescope::app::html {
namespace {

using base::tr;

std::string unit_of(const experiment::Published& p) { return experiment::unit_in_words(p.unit); }

std::string with_unit(std::optional<double> value, const std::string& unit) {
  return value ? figure_number(*value) + "\u202f" + escaped(unit) : "–";
}

std::string definition(const char* term, const std::string& text) {
  return text.empty() ? std::string() : fmt::format("<dt>{}</dt><dd>{}</dd>\n", words(term), escaped(text, 3000));
}

// "fitted to this (link.h2d_pinned_gb_per_s)", "cannot be checked: why".
std::string check_line(const experiment::Checking& checking, const std::string& why) {
  const std::string says = tr(checking_text(checking));
  if (checking.check == experiment::Check::Fitted) {
    return fmt::format("{} ({})", says, fmt::join(checking.fitted, ", "));
  }
  return checking.check == experiment::Check::Unchecked ? fmt::format("{}: {}", says, why) : says;
}

std::string published_table(const ExperimentReport& report) {
  const bool simulated =
      std::all_of(report.rows.begin(), report.rows.end(), [](const PublishedRow& r) { return r.simulated; });
  const experiment::InPytorch* measured = report.in_pytorch;
  const auto in_pytorch = published_in_pytorch(report.experiment, report.in_pytorch);
  std::string rows;
  const auto add = [&](const std::string& name, const std::string& here, const std::string& there,
                       const std::string& about) {
    rows += fmt::format(
        "<tr><td class=\"name\">{}</td><td class=\"n\">–</td><td class=\"n\"><b>{}</b></td><td class=\"n\">{}</td>"
        "<td>{}</td><td></td></tr>\n",
        escaped(name), here, there, escaped(about));
  };
  for (const experiment::Side side : {experiment::Side::Before, experiment::Side::After}) {
    const auto s = static_cast<std::size_t>(side);
    if (!report.runs[s]) continue;
    add(tr("{}, an iteration", tr(std::string(side_key(side)).c_str())), duration(report.runs[s]->summary.pace.ns),
        measured != nullptr ? with_unit(measured->sides[s].us, "µs") : "–",
        measured != nullptr ? tr("in PyTorch {} to {} µs", figure_number(measured->sides[s].least_us),
                                 figure_number(measured->sides[s].most_us))
                            : std::string());
  }
  if (report.runs[0] && report.runs[1]) {
    const auto factor = [](const analysis::Gain& gain) {
      return with_unit(gain.known() ? std::optional(gain.factor) : std::nullopt, "×");
    };
    const analysis::Gain here = analysis::gain_between(*report.runs[0], *report.runs[1]);
    add(tr("how many times as fast"), factor(here),
        measured != nullptr && here.known() ? factor(measured->gain()) : "–", {});
  }
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const PublishedRow& row = report.rows[i];
    const experiment::Published& p = *row.compared.published;
    rows += fmt::format(
        "<tr><td class=\"name\">{}</td><td class=\"n\">{}</td><td class=\"n\"><b>{}</b></td><td class=\"n\">{}</td>"
        "<td>{}<span class=\"pill\">{}</span></td><td>{}</td></tr>\n",
        escaped(p.label[base::language()]), with_unit(p.value, unit_of(p)), with_unit(row.compared.ours, unit_of(p)),
        with_unit(in_pytorch[i], unit_of(p)), escaped(p.environment[base::language()]),
        escaped(tr(std::string(experiment::quality_key(p.quality)).c_str())),
        escaped(check_line(row.checking, p.unchecked[base::language()])));
  }
  return table({tr("figure"), tr(">published"), simulated ? tr(">simulated here") : tr(">measured here"),
                tr(">in PyTorch"), tr("published for"), tr("check")},
               rows) +
         fmt::format("<p>{}</p>\n", escaped(measured != nullptr ? tr("In PyTorch: {}.", measured->machine())
                                                                : tr("Not measured in PyTorch.")));
}

std::string times(double ratio) { return fmt::format("{:.{}f}\u202f×", ratio, ratio < 0.1 ? 3 : 2); }

struct Compared {
  std::string name;
  std::function<std::optional<double>(const PageRun&)> value;
  std::function<std::string(const PageRun&)> text;
  bool factor = true;  // false for the CPU's iterations: the gain is stated by the pace
};

Compared cpu_iteration(const char* name, base::Nanoseconds analysis::DurationStats::*member) {
  const auto value = [member](const PageRun& run) -> std::optional<double> {
    const analysis::Summary& s = run.figures.summary;
    if (s.iteration.count == 0 || !s.pace.queue_is_steady()) return std::nullopt;
    return static_cast<double>(s.iteration.*member);
  };
  return {tr(name), value, [value](const PageRun& run) { return duration(*value(run)); }, false};
}

std::vector<Compared> compared_figures(const PageRun& first, const PageRun& second) {
  const auto samples = [](const PageRun& run) { return run.figures.samples_per_s(); };
  std::vector<Compared> compared{
      cpu_iteration(N_("CPU's iteration, median"), &analysis::DurationStats::p50_ns),
      cpu_iteration(N_("CPU's iteration, 99th percentile"), &analysis::DurationStats::p99_ns),
      {tr("samples per second"), samples, [=](const PageRun& run) { return figure_number(*samples(run)); }}};
  const std::array summaries{&first.figures.summary, &second.figures.summary};
  for (const analysis::Figure& figure : analysis::figures()) {
    if (figure.depth > 0 || !is_shown(figure, summaries)) continue;
    compared.push_back(
        {label_of(figure, figure.usual),
         [&figure](const PageRun& run) { return value_of(figure, run.figures.summary, figure.usual); },
         [&figure](const PageRun& run) { return narrow(text_of(figure, run.figures.summary, figure.usual)); }});
  }
  return compared;
}

}  // namespace

// "per iteration, by elapsed time"
static std::string per(const analysis::Gain& gain, const std::string& basis) {
  return gain.per_sample ? sentence("per sample, {}", escaped(basis)) : sentence("per iteration, {}", escaped(basis));
}

std::string experiment_section(const ExperimentReport& report) {
  const experiment::Experiment& e = report.experiment;
  std::string body = "<dl class=\"facts\">\n" + definition(N_("in PyTorch"), report.disagreement) +
                     definition(N_("what it shows"), e.shows[base::language()]) +
                     definition(N_("what to watch"), e.watch[base::language()]) +
                     definition(N_("what to turn"), e.knob[base::language()]) +
                     definition(N_("where the tutorial errs"), e.correction[base::language()]) + "</dl>\n";
  return section("experiment", tr("The experiment"), {}, body + published_table(report));
}

std::string comparison_headline(const PageRun& first, const PageRun& second) {
  const analysis::Pace &a = first.figures.summary.pace, &b = second.figures.summary.pace;
  const analysis::Gain gain = analysis::gain_between(first.figures, second.figures);
  const double factor = gain.factor;
  if (!gain.known()) return {};
  const bool faster = factor >= 1;
  const auto verdict = [](const PageRun& run) { return escaped(analysis::verdict_title(run.figures.summary.verdict)); };
  return fmt::format("<div class=\"verdict\"><div class=\"tiles three\">\n{}{}{}</div></div>\n",
                     tile(duration(a.ns), escaped(first.title), verdict(first)),
                     tile(duration(b.ns), escaped(second.title), verdict(second)),
                     tile(times(faster ? factor : 1 / factor), faster ? words("faster") : words("slower"),
                          per(gain, analysis::factor_basis(a, b))));
}

std::string comparison_section(const PageRun& first, const PageRun& second) {
  std::string rows;
  const analysis::Pace &paced = first.figures.summary.pace, &other = second.figures.summary.pace;
  if (paced.known() || other.known()) {
    const analysis::Gain gain = analysis::gain_between(first.figures, second.figures);
    const bool both = gain.known();
    const std::string basis =
        both ? analysis::factor_basis(paced, other) : analysis::basis_text(paced.known() ? paced.basis : other.basis);
    rows +=
        fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                    sentence("per iteration, {}", escaped(basis)), paced.known() ? duration(paced.ns) : "–",
                    other.known() ? duration(other.ns) : "–", both && !gain.per_sample ? times(1 / gain.factor) : "–");
    if (both && gain.per_sample) {
      rows += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                          per(gain, basis), duration(paced.ns / analysis::batch_size_of(first.figures.facts)),
                          duration(other.ns / analysis::batch_size_of(second.figures.facts)), times(1 / gain.factor));
    }
  }
  for (const Compared& figure : compared_figures(first, second)) {
    const std::optional<double> a = figure.value(first), b = figure.value(second);
    if (!a && !b) continue;
    rows += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                        escaped(figure.name), a ? figure.text(first) : "–", b ? figure.text(second) : "–",
                        !figure.factor     ? ""
                        : a && b && *a > 0 ? times(*b / *a)
                                           : "–");
  }
  return section("comparison", tr("Side by side"), {},
                 table({tr("figure"), ">" + first.title, ">" + second.title, tr(">second / first")}, rows));
}

}  // namespace lanescope::app::html
