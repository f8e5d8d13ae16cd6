#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/figure.h"
#include "analysis/stragglers.h"
#include "app/reports.h"
#include "app/table.h"
#include "app/terminal_output.h"
#include "base/time.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "device/device.h"

namespace lanescope::app {
namespace {

Json divided(const Json& by, const Json& what) {
  if (!by.is_number() || !what.is_number() || by.get<double>() == 0) return nullptr;
  return what.get<double>() / by.get<double>();
}

Json ratio_of(const Json& first, const Json& second) {
  Json ratio;
  const auto add = [&](const std::string& key) { ratio[key] = divided(first.at(key), second.at(key)); };
  add("elapsed_ns");
  ratio["pace"] = divided(first.at("pace").at("ns"), second.at("pace").at("ns"));
  add("samples_per_s");
  for (const analysis::Figure& figure : analysis::figures()) {
    if (first.contains(figure.key)) add(std::string(figure.key));
  }
  return ratio;
}

// How many times as fast the second run does the same work.
Json gain_json(const analysis::Gain& gain) {
  return {{"factor", gain.known() ? Json(gain.factor) : Json(nullptr)},
          {"per", gain.per_sample ? "sample" : "iteration"}};
}

}  // namespace

Json comparison_json(const RunFigures& first, const std::optional<RunFigures>& second) {
  Json runs = Json::array({summary_json(first)});
  if (second) runs.push_back(summary_json(*second));
  Json json;
  json["runs"] = runs;
  json["ratio"] = second ? ratio_of(runs[0], runs[1]) : Json(nullptr);
  if (second) json["gain"] = gain_json(analysis::gain_between(first, *second));
  return json;
}

Json file_json(const RunFigures& figures, const FileFacts& source) {
  Json json = summary_json(figures);
  json["source"] = {{"file", source.path},
                    {"own", source.own},
                    {"incomplete", source.incomplete},
                    {"events_read", source.events_read},
                    {"events_skipped", source.events_skipped},
                    {"events_malformed", source.events_malformed},
                    {"read_by_category", source.read_by_category},
                    {"skipped_by_category", source.skipped_by_category}};
  return json;
}

// --- run report table ------------------------------------------------------------------------------------------------

namespace {

using base::Nanoseconds;
using base::tr;

constexpr int kCostWidth = 16;            // of the advice's first column
constexpr std::size_t kAdviceWidth = 82;  // of the text beside it

Cell duration_cell(Nanoseconds ns) { return measured(base::format_duration(ns)); }

Cell count_cell(std::int64_t n) { return {base::format_count(n), {}, {}}; }

// "12.3 ms  41 %"
Cell cell_of(const analysis::Figure& figure, const analysis::Summary& summary) {
  using analysis::FigureForm;
  if (!figure.total(summary)) return {"–", {}, {}};
  const bool has_share = analysis::value_of(figure, summary, FigureForm::Share).has_value();
  return measured(analysis::text_of(figure, summary, FigureForm::Total),
                  has_share ? analysis::text_of(figure, summary, FigureForm::Share) : std::string());
}

struct FigureRow {
  std::string label;  // empty: an empty line
  std::function<Cell(const RunFigures&)> cell;
  std::function<double(const RunFigures&)> value;  // for the ratio, NaN if unknown; may be empty
};

// For CPU iterations; no factor, because the gain is stated by the pace.
FigureRow cpu_iteration_figure(const char* label, Nanoseconds analysis::DurationStats::*value) {
  return {label,
          [value](const RunFigures& r) {
            const analysis::DurationStats& stats = r.summary.iteration;
            const bool steady = stats.count > 0 && r.summary.pace.queue_is_steady();
            return steady ? duration_cell(stats.*value) : Cell{"–", {}, {}};
          },
          {}};
}

// The time per iteration and its basis; the basis is part of the label if it is the same for all runs.
std::vector<FigureRow> pace_figures(const std::vector<const RunFigures*>& runs) {
  const analysis::PaceBasis basis = runs.front()->summary.pace.basis;
  const bool alike = std::all_of(runs.begin(), runs.end(), [&](const RunFigures* r) {
    return r->summary.pace.known() && r->summary.pace.basis == basis;
  });
  const std::string label = alike ? tr("per iteration, {}", basis_text(basis)) : tr("per iteration");
  std::vector<FigureRow> figures;
  figures.push_back({label,
                     [alike](const RunFigures& r) {
                       const analysis::Pace& pace = r.summary.pace;
                       Cell cell = pace.known() ? duration_cell(std::llround(pace.ns)) : Cell{"–", {}, {}};
                       if (!alike && pace.basis != analysis::PaceBasis::None) cell.note = basis_text(pace.basis);
                       return cell;
                     },
                     [](const RunFigures& r) { return r.summary.pace.known() ? r.summary.pace.ns : std::nan(""); }});
  const analysis::Gain gain = runs.size() == 2 ? analysis::gain_between(*runs[0], *runs[1]) : analysis::Gain();
  if (gain.per_sample || !gain.comparable) figures.back().value = {};  // unequal work
  if (gain.per_sample) {
    const auto each = [](const RunFigures& r) {
      return r.summary.pace.known() ? r.summary.pace.ns / analysis::batch_size_of(r.facts) : std::nan("");
    };
    figures.push_back({tr("per sample"),
                       [each](const RunFigures& r) {
                         return std::isnan(each(r)) ? Cell{"–", {}, {}} : duration_cell(std::llround(each(r)));
                       },
                       each});
  }
  if (std::any_of(runs.begin(), runs.end(), [](const RunFigures* r) { return r->samples_per_s().has_value(); })) {
    figures.push_back({tr("samples per second"),
                       [](const RunFigures& r) {
                         const auto samples = r.samples_per_s();
                         return samples ? Cell{figure_number(*samples), {}, {}} : Cell{"–", {}, {}};
                       },
                       [](const RunFigures& r) { return r.samples_per_s().value_or(std::nan("")); }});
  }
  return figures;
}

std::uint64_t lost(const trace::CaptureHealth& h) { return h.dropped + h.untimed + h.far_off + h.late; }

std::vector<FigureRow> time_figures(const std::vector<const RunFigures*>& runs) {
  std::vector<FigureRow> figures{
      {tr("iterations"), [](const RunFigures& r) { return count_cell(static_cast<std::int64_t>(r.iterations)); }, {}},
      {tr("elapsed"), [](const RunFigures& r) { return duration_cell(r.elapsed_ns); },
       [](const RunFigures& r) { return static_cast<double>(r.elapsed_ns); }},
  };
  if (runs.size() == 2 && !analysis::gain_between(*runs[0], *runs[1]).comparable) figures.back().value = {};
  // Of another program without iterations, the figures are of the part of the trace that the verdict is about.
  const auto is_part = [](const RunFigures* r) { return r->iterations == 0 && r->summary.window_ns() < r->elapsed_ns; };
  if (std::ranges::any_of(runs, is_part)) {
    figures.push_back({tr("  from the GPU's first to its last operation"),
                       [](const RunFigures& r) { return duration_cell(r.summary.window_ns()); },
                       {}});
  }
  const auto has_rare = [](const RunFigures* r) { return r->once && !r->once->rows.empty(); };
  if (std::ranges::any_of(runs, has_rare)) {
    figures.push_back({tr("  of which steady"),
                       [has_rare](const RunFigures& r) {
                         Cell cell = duration_cell(has_rare(&r) ? r.once->steady_ns : r.elapsed_ns);
                         if (has_rare(&r))
                           cell.note = tr("{} iterations", base::format_count(r.once->steady_iterations));
                         return cell;
                       },
                       {}});
  }
  for (FigureRow& figure : pace_figures(runs)) figures.push_back(std::move(figure));
  figures.push_back(cpu_iteration_figure(tr("CPU's iteration, median"), &analysis::DurationStats::p50_ns));
  figures.push_back(cpu_iteration_figure(tr("  99th percentile"), &analysis::DurationStats::p99_ns));
  return figures;
}

std::vector<FigureRow> stretch_figures(const std::vector<const RunFigures*>& runs) {
  std::vector<const analysis::Summary*> summaries;
  for (const RunFigures* run : runs) summaries.push_back(&run->summary);
  std::vector<FigureRow> rows{{{}, {}, {}}};
  if (std::ranges::any_of(summaries, &analysis::Summary::in_parts)) {
    rows.push_back({tr("GPU recorded"),
                    [](const RunFigures& r) {
                      return measured(base::format_duration(r.summary.gpu_window_ns()),
                                      r.summary.in_parts ? recorded_percent(r.summary) + " %" : "100 %");
                    },
                    {}});
  }
  analysis::FigureGroup group = analysis::FigureGroup::Gpu;
  for (const analysis::Figure& figure : analysis::figures()) {
    if (!is_shown(figure, summaries)) continue;
    if (figure.group != group && figure.group == analysis::FigureGroup::Calls) rows.push_back({});
    group = figure.group;
    rows.push_back({std::string(2 * static_cast<std::size_t>(figure.depth), ' ') + tr(figure.label),
                    [&figure](const RunFigures& r) { return cell_of(figure, r.summary); },
                    [&figure](const RunFigures& r) { return figure.total(r.summary).value_or(std::nan("")); }});
  }
  return rows;
}

// Only a real GPU can have an excluded first iteration, and a capture with losses.
std::vector<FigureRow> gpu_figures(bool with_warm_up, bool with_capture) {
  std::vector<FigureRow> figures;
  if (with_warm_up) {
    figures.push_back({tr("first iteration, excluded"),
                       [](const RunFigures& r) {
                         return r.warm_up_ns ? duration_cell(*r.warm_up_ns) : Cell{"–", {}, {}};
                       },
                       {}});
  }
  if (with_capture) {
    figures.push_back({tr("capture"),
                       [](const RunFigures& r) {
                         return r.capture ? Cell{trace::to_text(r.capture->state), {}, tr("{} lost", lost(*r.capture))}
                                          : Cell{"–", {}, {}};
                       },
                       {}});
  }
  return figures;
}

std::vector<FigureRow> closing_figures(bool with_loss, bool with_lost_events) {
  std::vector<FigureRow> figures;
  if (with_loss) {
    const auto loss = [](double RunFigures::Loss::*member) {
      return [member](const RunFigures& r) {
        return Cell{r.loss ? fmt::format("{:.4f}", *r.loss.*member) : std::string("–"), {}, {}};
      };
    };
    figures.push_back({tr("loss, first"), loss(&RunFigures::Loss::first), {}});
    figures.push_back({tr("loss, last"), loss(&RunFigures::Loss::last), {}});
  }
  const auto events = [](std::uint64_t trace::TraceCounts::*member) {
    return [member](const RunFigures& r) { return count_cell(static_cast<std::int64_t>(r.events.*member)); };
  };
  figures.push_back({{}, {}, {}});
  figures.push_back({tr("events recorded"), events(&trace::TraceCounts::recorded), {}});
  if (with_lost_events) {
    figures.push_back({tr("  dropped"), events(&trace::TraceCounts::dropped), {}});
    figures.push_back({tr("  evicted (memory cap)"), events(&trace::TraceCounts::evicted), {}});
  }
  return figures;
}

// The means of those workload figures that any of the runs has. All runs have the same workload, so the lists match.
std::vector<FigureRow> own_figures(const std::vector<const RunFigures*>& runs) {
  std::vector<FigureRow> figures;
  const RunFigures& run = *runs.front();
  for (std::size_t i = 0; i < run.own.size(); ++i) {
    const auto known = [i](const RunFigures& r) { return i < r.own.size() && r.own[i].count > 0; };
    if (std::none_of(runs.begin(), runs.end(), [&](const RunFigures* r) { return known(*r); })) continue;
    if (figures.empty()) figures.push_back({{}, {}, {}});
    figures.push_back({tr(run.own[i].label.c_str()),
                       [i, known](const RunFigures& r) {
                         return known(r) ? Cell{figure_number(r.own[i].mean), r.own[i].unit, {}} : Cell{"–", {}, {}};
                       },
                       [i, known](const RunFigures& r) { return known(r) ? r.own[i].mean : 0; }});
  }
  return figures;
}

Cell ratio_cell(const FigureRow& figure, const RunFigures& first, const RunFigures& second) {
  if (!figure.value) return {};
  const double ratio = figure.value(second) / figure.value(first);
  return std::isfinite(ratio) ? Cell{fmt::format("{:.2f}", ratio), "×", {}} : Cell{};
}

Table table_of(const std::vector<const RunFigures*>& runs) {
  bool with_loss = false, with_lost_events = false, with_warm_up = false, with_capture = false;
  bool with_gpu = false;
  for (const RunFigures* run : runs) {
    with_loss |= run->loss.has_value();
    with_gpu |= run->summary.verdict.kind != analysis::VerdictKind::CpuOnly;
    with_lost_events |= run->events.dropped + run->events.evicted > 0;
    with_warm_up |= run->warm_up_ns.has_value();
    with_capture |= run->capture.has_value();
  }
  std::vector<FigureRow> figures = time_figures(runs);
  const auto add = [&](const std::vector<FigureRow>& more) { figures.insert(figures.end(), more.begin(), more.end()); };
  if (with_gpu) add(stretch_figures(runs));
  add(own_figures(runs));
  add(closing_figures(with_loss, with_lost_events));
  add(gpu_figures(with_warm_up, with_capture));
  Table table;
  for (const FigureRow& figure : figures) {
    if (figure.label.empty()) {
      table.gap();
      continue;
    }
    std::vector<Cell> cells;
    for (const RunFigures* run : runs) cells.push_back(figure.cell(*run));
    if (runs.size() == 2) cells.push_back(ratio_cell(figure, *runs[0], *runs[1]));
    table.row(figure.label, std::move(cells));
  }
  return table;
}

// "key=value" for the settings that satisfy `wanted`.
std::string settings_line(const RunFigures& figures, const std::function<bool(const std::string&)>& wanted) {
  std::string line;
  for (const auto& [key, value] : figures.facts.settings) {
    if (!wanted(key)) continue;
    line += fmt::format("{}{}={}", line.empty() ? "" : "  ", key, one_line(value));
  }
  return line;
}

std::string heading(const RunFigures& r, const Style& style) {
  const std::string& name = r.facts.workload.empty() ? r.facts.program : r.facts.workload;
  const std::string program = name.empty() ? tr("unknown program") : one_line(name);
  std::string text = fmt::format("{}{}{}", style.bold, program, style.off);
  if (!r.facts.device_name.empty()) text += tr(" on {}", one_line(device::name_in_words(r.facts.device_name)));
  if (r.facts.simulated) text += tr(" (simulated)");
  if (device::assumes_pytorch(r.facts.device)) text += tr(", PyTorch's costs assumed");
  if (!r.facts.iterations.empty()) text += tr(", iterations: {}", one_line(r.facts.iterations));
  return text + '\n';
}

std::string verdict_text(const RunFigures& r, const Style& style) {
  const analysis::Verdict& verdict = r.summary.verdict;
  const std::string title = fmt::format("{}{}{}", style.accent, analysis::verdict_title(verdict), style.off);
  const std::string text = verdict.note.empty() ? tr("{}. {}", title, verdict.sentence)
                                                : tr("{}. {} {}", title, verdict.sentence, verdict.note);
  return text + '\n';
}

// "  42 % idle · 24 % after item() · 1.0 syncs per iteration", below the sentence of a single run.
std::string verdict_figures(const RunFigures& r, const Style& style) {
  std::string text;
  for (const analysis::VerdictFigure& figure : r.summary.verdict.figures) {
    const std::string value = fmt::format("{}{}{}", style.bold, value_text(figure), style.off);
    text += text.empty() ? "  " : "   ";
    text += figure.is_share ? tr("{0} {1}", value, figure.label) : tr("{0} {1} {2}", value, figure.label, figure.unit);
  }
  return text.empty() ? text : text + '\n';
}

// Where the GPU idles: the largest places, and all others; they add up to all idle time.
std::string idle_text(const analysis::IdleLedger& ledger, const Style& style) {
  if (ledger.empty()) return {};
  Table table;
  table.titles({ledger.iterations > 0 ? tr("per iteration") : tr("in all"), tr("share"), tr("gaps"), tr("longest")});
  const auto row = [&](const std::string& place, const analysis::IdleRow& idle, const std::string& says) {
    table.row("  " + one_line(place),
              {measured(base::format_duration(std::llround(ledger.each(idle.idle_ns)))),
               {analysis::share_text(ledger.share(idle.idle_ns)), {}, {}},
               count_cell(idle.gaps()),
               duration_cell(idle.longest_ns)},
              one_line(says));
  };
  for (const analysis::IdleRow& idle : ledger.rows) {
    const std::string says = analysis::idle_text(idle);
    row(place_text(idle), idle, idle.detail.empty() ? says : fmt::format("{}: {}", idle.detail, says));
  }
  if (ledger.other_places > 0) {
    const std::string most = base::format_duration(std::llround(ledger.each(ledger.largest_other_ns)));
    row(ledger.other_places == 1 ? tr("1 other place") : tr("{} other places", base::format_count(ledger.other_places)),
        ledger.other, tr("none above {}", most));
  }
  table.row("  " + std::string(tr("all idle time")),
            {measured(base::format_duration(std::llround(ledger.each(ledger.idle_ns)))),
             {analysis::share_text(ledger.share(ledger.idle_ns)), {}, {}}});
  const std::string title = ledger.gpu_name.empty() ? tr("Where the GPU idles") : tr("Where {} idles", ledger.gpu_name);
  return fmt::format("\n{}{}{}\n", style.bold, one_line(title), style.off) + table.text(style);
}

// What the figures leave out, as rows of their own, and the stretches of the trace.
std::string once_text(const analysis::Once& once, const Style& style) {
  if (once.rows.empty()) return {};
  Table table;
  table.titles({tr("times"), tr("mean"), tr("longest"), tr("in all")});
  for (const analysis::RareRow& row : once.rows) {
    table.row("  " + one_line(rare_text(row)), {count_cell(row.count()), duration_cell(row.mean_ns()),
                                                duration_cell(row.longest.length()), duration_cell(row.total_ns)});
  }
  const auto time = [](Nanoseconds ns) { return base::format_duration(ns); };
  return fmt::format("\n{}{}{}\n", style.bold, tr("Now and then, left out of the figures"), style.off) +
         table.text(style) + "  " +
         tr("Set-up {}, warm-up {}, steady {}, now and then {}, end {}: {} in all.", time(once.set_up_ns),
            time(once.warm_up_ns), time(once.steady_ns), time(once.rare_ns), time(once.end_ns), time(once.all_ns())) +
         '\n';
}

// "  56 µs  34 %  item() drains the GPU", and below it what happens and what would help.
std::string what_if_text(const analysis::AskedWhatIf& asked, const Style& style) {
  const auto [term, text] = what_if_line(asked);
  std::string all = fmt::format("\n{}{}{}\n", style.bold, term, style.off);
  for (const std::string& line : wrapped(text, kAdviceWidth)) all += "  " + line + '\n';
  return all;
}

// "The second is 1.44 times as fast: per iteration, by elapsed time."
std::string gain_sentence(const RunFigures& first, const RunFigures& second) {
  const analysis::Gain gain = analysis::gain_between(first, second);
  if (!gain.comparable) return tr("No factor: the iterations of the two do different work.");
  if (!gain.known()) return {};
  const std::string by = factor_basis(first.summary.pace, second.summary.pace);
  const std::string basis = gain.per_sample ? tr("per sample, {}", by) : tr("per iteration, {}", by);
  const std::string factor = fmt::format("{:.2f}", std::max(gain.factor, 1 / gain.factor));
  if (factor == "1.00") return tr("The second is as fast as the first: {}.", basis);
  return gain.factor > 1 ? tr("The second is {} times as fast: {}.", factor, basis)
                         : tr("The second takes {} times as long: {}.", factor, basis);
}

std::string advice_text(const analysis::Advice& advice, const Style& style) {
  if (advice.cards.empty()) return {};
  const std::string iterations = base::format_count(advice.iterations);
  std::string text = fmt::format("\n{}", style.dim);
  if (advice.warm_up == 0) {
    text += tr("Advice, from {} iterations:", iterations);
  } else if (advice.warm_up == 1) {
    text += tr("Advice, from {} iterations; the first is excluded as warm-up:", iterations);
  } else {
    text += tr("Advice, from {} iterations; the first {} are excluded as warm-up:", iterations,
               base::format_count(advice.warm_up));
  }
  text += fmt::format("{}\n", style.off);
  for (const analysis::Card& card : advice.cards) {
    std::string cost;
    if (card.weight == analysis::Weight::Wrong) cost = tr("wrong");
    if (card.weight == analysis::Weight::Harmless) cost = tr("harmless");
    if (card.weight == analysis::Weight::Costs) {
      cost = fmt::format("{}  {:2.0f} %", base::format_duration(std::llround(card.cost_ns)), card.share * 100);
    }
    text += fmt::format("  {:<{}}{}{}{}\n", cost, kCostWidth, style.bold, card.title, style.off);
    for (const std::string& line : {card.gain.empty() ? card.what : card.what + ' ' + card.gain, card.fix}) {
      for (const std::string& part : wrapped(line, kAdviceWidth))
        text += fmt::format("  {:<{}}{}\n", "", kCostWidth, part);
    }
  }
  return text;
}

}  // namespace

std::string figure_number(double value) {
  constexpr double kGrouped = 1000, kMost = 1e15;
  if (std::abs(value) >= kGrouped && std::abs(value) < kMost) return base::format_count(std::llround(value));
  return fmt::format("{:.4g}", value);
}

std::string run_table(const RunFigures& figures, const Style& style, bool with_places) {
  std::string text = heading(figures, style);
  const std::string settings = settings_line(figures, [](const std::string&) { return true; });
  if (!settings.empty()) text += fmt::format("{}{}{}\n", style.dim, settings, style.off);
  return text + '\n' + table_of({&figures}).text(style) + '\n' + verdict_text(figures, style) +
         verdict_figures(figures, style) +
         (with_places && figures.idle ? idle_text(*figures.idle, style) : std::string()) +
         (figures.once ? once_text(*figures.once, style) : std::string()) +
         (figures.advice ? advice_text(*figures.advice, style) : std::string()) +
         (figures.what_if ? what_if_text(*figures.what_if, style) : std::string());
}

std::pair<std::string, std::string> what_if_line(const analysis::AskedWhatIf& asked) {
  const analysis::WhatIf& answer = asked.answer;
  const std::string term = tr("What if {}", analysis::texts_of(asked.edits));
  if (!answer.refusal.empty()) return {term, tr("No answer: {}.", answer.refusal)};
  return {term,
          tr("{:.2f} to {:.2f} times as fast: {} to {} per iteration instead of {}, replayed from {} recorded "
             "iterations. Replayed unchanged, an iteration takes {}.",
             answer.least_factor, answer.most_factor, base::duration_text(answer.replayed_ns / answer.most_factor),
             base::duration_text(answer.replayed_ns / answer.least_factor), base::duration_text(answer.recorded_ns),
             answer.iterations, base::duration_text(answer.replayed_ns)) +
              analysis::assumption_of(answer)};
}

std::string comparison_table(const RunFigures& first, const RunFigures& second, const Style& style,
                             const RunNames& names) {
  const auto differs = [&](const std::string& key) {
    return first.facts.settings.at(key) != second.facts.settings.at(key);  // the same workload, so both have the key
  };
  const auto same = [&](const std::string& key) { return !differs(key); };
  const auto title = [&](const RunFigures& r, const std::string& name, const char* otherwise) {
    const std::string line = name.empty() ? settings_line(r, differs) : name;
    return line.empty() ? std::string(otherwise) : line;
  };
  const std::string first_title = title(first, names.first, tr("first run"));
  const std::string second_title = title(second, names.second, tr("second run"));

  Table table = table_of({&first, &second});
  table.titles({first_title, second_title, tr("second / first")});
  std::string text = heading(first, style);
  if (first.facts.device != second.facts.device) text += heading(second, style);
  text += fmt::format("{}{}{}\n\n", style.dim, settings_line(first, same), style.off);
  if (const std::string gain = gain_sentence(first, second); !gain.empty()) {
    text += fmt::format("{}{}{}\n\n", style.bold, gain, style.off);
  }
  text += table.text(style) + '\n';
  text += fmt::format("{}: {}", first_title, verdict_text(first, style));
  text += fmt::format("{}: {}", second_title, verdict_text(second, style));
  return text;
}

namespace {

std::string collectives_text(const analysis::Collectives& collectives, const Style& style) {
  std::string text = fmt::format("\n{}{}{}\n", style.bold, tr("Collectives"), style.off);
  Table table;
  table.titles({tr("arrived last"), tr("waits"), tr("transfers"), tr("communicates"), tr("of that alone")});
  const auto time = [](base::Nanoseconds ns) { return measured(base::format_duration(ns)); };
  for (const analysis::GpuCollectives& gpu : collectives.gpus) {
    table.row("  " + one_line(gpu.name), {Cell{base::format_count(gpu.arrived_last), {}, {}}, time(gpu.wait_ns),
                                          time(gpu.transfer_ns), time(gpu.communication_ns), time(gpu.exposed_ns)});
  }
  text += table.text(style) + one_line(collectives.sentence) + '\n';
  for (const std::string& said : analysis::rate_sentences(collectives)) text += "  " + one_line(said) + '\n';
  return text;
}

}  // namespace

std::string file_table(const RunFigures& figures, const FileFacts& source, const Style& style) {
  std::string text = run_table(figures, style, true);
  if (figures.collectives) text += collectives_text(*figures.collectives, style);
  const auto listed = [](const std::map<std::string, std::uint64_t>& counts) {
    std::string line;
    for (const auto& [category, n] : counts) {
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", category.empty() ? tr("(none)") : one_line(category),
                          base::format_count(static_cast<std::int64_t>(n)));
    }
    return line;
  };
  const auto counted = [](std::uint64_t n) { return base::format_count(static_cast<std::int64_t>(n)); };
  const auto line = [&](const std::string& said, const std::map<std::string, std::uint64_t>& by_category) {
    text += (by_category.empty() ? tr("{}.", said) : tr("{}: {}.", said, listed(by_category))) + '\n';
  };
  text += '\n';
  line(tr("Read {} events", counted(source.events_read)), source.read_by_category);
  if (source.events_skipped > 0) {
    line(tr("Skipped {} that the timeline does not show", counted(source.events_skipped)), source.skipped_by_category);
  }
  if (source.events_malformed > 0) {
    line(tr("Left out {} without a usable time, lane or partner", counted(source.events_malformed)), {});
  }
  if (!source.incomplete.empty()) text += source.incomplete + '\n';
  return text;
}

}  // namespace lanescope::app
