#include "app/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/html_charts.h"
#include "app/html_text.h"
#include "base/translate.h"
#include "io/escaped_text.h"

namespace lanescope::app::html {
namespace {

using analysis::Card;
using analysis::VerdictKind;
using analysis::Weight;
using base::Nanoseconds;
using base::tr;

constexpr const char* kOnlyIssuing =
    N_("The launch queue fills or drains meanwhile: an iteration of the CPU takes as long as issuing it does, and says "
       "nothing of how long its work takes.");

// "41 %", with the unit in small type.
std::string large(const std::string& figure) {
  for (const char* space : {"\u202f", "\u00a0", " "}) {
    const std::string_view gap(space);
    if (const std::size_t at = figure.rfind(gap); at != std::string::npos) {
      return fmt::format("{}<small>{}</small>", figure.substr(0, at), figure.substr(at + gap.size()));
    }
  }
  return figure;
}

const char* kind_look(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::SyncBound:
    case VerdictKind::RankBound:
    case VerdictKind::Race:
      return "f-wait";
    case VerdictKind::LaunchBound:
    case VerdictKind::CpuBound:
      return "f-cpu";
    case VerdictKind::CopyBound:
      return "f-h2d";
    case VerdictKind::LoaderBound:
      return "f-loader";
    case VerdictKind::GpuBound:
      return "f-kernel";
    default:
      return "f-rest";
  }
}

std::string iteration_tile(const PageRun& run) {
  const analysis::DurationStats& stats = run.figures.summary.iteration;
  if (stats.count == 0) {
    return tile(duration(static_cast<double>(run.figures.elapsed_ns)), words("in all"),
                words("the trace has no iterations"));
  }
  const analysis::Pace& pace = run.figures.summary.pace;
  const std::string basis = escaped(analysis::basis_text(pace.basis));
  if (!pace.known()) return tile("–", words("per iteration"), basis);
  return tile(duration(pace.ns), words("per iteration"),
              pace.iterations == 1 ? basis : sentence("{}, mean of {}", basis, count(pace.iterations)));
}

std::string card_html(const Card& card) {
  std::string cost;
  if (card.weight == Weight::Costs) {
    cost = fmt::format("<b>{}</b><span>{}</span><i class=\"meter\"><i style=\"width:{}%\"></i></i>",
                       duration(card.cost_ns), sentence("{} of an iteration, at most", percent(card.share)),
                       number(std::clamp(card.share * 100, 0.0, 100.0)));
  } else {
    cost = fmt::format("<b>{}</b><span>{}</span>", card.weight == Weight::Wrong ? words("wrong") : words("harmless"),
                       card.weight == Weight::Wrong ? words("a result is not what the program intends")
                                                    : words("changing it would gain nothing"));
  }
  std::string where;
  const auto place = [&](const std::string& html) { where += "<span>" + html + "</span>"; };
  if (!card.range.empty()) place(sentence("in {}", code(card.range)));
  if (!card.call.empty() && card.call != card.range) place(code(card.call));
  if (card.per_iteration > 0) place(sentence("{} times per iteration", rate(card.per_iteration)));
  const std::string sure = card.confidence >= 0.995
                               ? words("Certain: the trace shows the cause itself.")
                               : sentence("{} certain: the cause is inferred.", percent(card.confidence));
  return fmt::format(
      "<article class=\"card {}\"><div class=\"cost\">{}</div><div><h3>{}</h3>{}<p>{}</p>{}{}<p class=\"sure\">{}</p>"
      "</div></article>\n",
      analysis::weight_key(card.weight), cost, escaped(card.title),
      where.empty() ? "" : "<p class=\"where\">" + where + "</p>",
      escaped(card.gain.empty() ? card.what : card.what + ' ' + card.gain, 1500),
      card.fix.empty()
          ? ""
          : fmt::format("<p class=\"fix\"><span>{}</span>{}</p>", words("What helps"), escaped(card.fix, 1500)),
      card.paste.empty() ? "" : "<pre>" + io::xml_text(card.paste) + "</pre>", sure);
}

struct LegendEntry {
  const char *key, *name;
  bool shown;
};

// The legend for what this run can contain.
std::string timeline_legend(const analysis::Summary& s) {
  const bool gpu = s.verdict.kind != VerdictKind::CpuOnly;
  const std::initializer_list<LegendEntry> looks{
      {"kernel", gpu ? N_("kernel") : N_("operation"), true},
      {"h2d", N_("copy to the GPU"), s.h2d_bytes > 0},
      {"d2h", N_("copy from the GPU"), s.d2h_bytes > 0},
      {"launch", N_("launch"), gpu},
      {"call", N_("other call"), gpu},
      {"wait", N_("the CPU waits for the GPU"), s.host_wait_ns > 0},
      {"loader", N_("the CPU waits for data"), s.loader_wait_ns > 0},
      {"bubble", N_("the GPU has nothing to run"), gpu},
  };
  std::string text = "<ul class=\"legend\">";
  for (const LegendEntry& look : looks) {
    if (look.shown) text += fmt::format("<li><i class=\"swatch f-{}\"></i>{}</li>", look.key, words(look.name));
  }
  return text + "</ul>\n";
}

std::string framed(const std::string& svg, const std::string& name, const std::string& caption) {
  return fmt::format(
      "<figure><div class=\"frame wide\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">{}</div>"
      "<figcaption>{}</figcaption></figure>\n",
      name, svg, caption);
}

std::string typical_picture(const PageRun& run, Pictures& pictures) {
  const Stretch stretch = typical_stretch(*run.trace, *run.analysis);
  const std::string alt = fmt::format("{} {}", tr("Timeline: the CPU's lanes above, the GPU's below."),
                                      run.figures.summary.verdict.sentence);
  const std::string svg = pictures.timeline(*run.trace, *run.analysis, run.figures.facts, stretch, alt);
  if (svg.empty()) {
    return "<p class=\"muted\">" +
           words(
               "The timeline is not drawn here: this build draws none, or the trace has too "
               "many lanes for a page. The window shows it: lanescope --open FILE.") +
           "</p>\n";
  }
  std::string caption = stretch.iterations >= 3   ? words("An iteration of median length with its neighbours.")
                        : stretch.iterations == 1 ? words("The only iteration.")
                        : stretch.iterations > 0  ? words("All iterations.")
                                                  : words("The whole trace.");
  if (stretch.bubble) {
    const analysis::BubbleCause cause = stretch.bubble->cause;
    const bool waited = cause == analysis::BubbleCause::AfterSync || cause == analysis::BubbleCause::Loader;
    caption += ' ' + (waited ? words("The path: 1 the CPU waits, 2 the last operation before the GPU runs dry, 3 its "
                                     "launch, 4 the GPU has nothing to run, 5 the launch that ends it.")
                             : words("The path: 2 the last operation before the GPU runs dry, 3 its launch, 4 the GPU "
                                     "has nothing to run, 5 the launch that ends it."));
  }
  return framed(svg, words("Timeline"), caption) + timeline_legend(run.figures.summary);
}

std::string whole_picture(const PageRun& run, Pictures& pictures) {
  const analysis::Summary& s = run.figures.summary;
  const Strip strip = run_strip(*run.analysis, s.from_ns, s.to_ns);
  if (!strip.svg.empty()) {
    std::string caption = strip.iterations_each == 1
                              ? words("The whole run: how long each iteration took on the CPU, split as below.")
                              : sentence(
                                    "The whole run: how long an iteration took on the CPU, split as below; each "
                                    "column is the mean of {} iterations.",
                                    count(static_cast<std::int64_t>(strip.iterations_each)));
    if (!s.pace.queue_is_steady()) caption += ' ' + words(kOnlyIssuing);
    if (strip.cut > 0) {
      const std::string highest = duration(strip.highest_ns);
      caption += ' ' + (strip.cut == 1 ? sentence("One is higher than the chart: {}.", highest)
                                       : sentence("{} are higher than the chart, up to {}.",
                                                  count(static_cast<std::int64_t>(strip.cut)), highest));
    }
    return fmt::format(
        "<figure><div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">{}</div>"
        "<figcaption>{}</figcaption></figure>\n",
        words("The whole run"), strip.svg, caption);
  }
  const Stretch whole = whole_stretch(*run.trace, *run.analysis);
  if (whole.iterations <= 3) return {};  // the same as above
  const std::string svg =
      pictures.timeline(*run.trace, *run.analysis, run.figures.facts, whole, tr("Timeline of the whole run"));
  return svg.empty() ? std::string() : framed(svg, words("The whole run"), words("The whole run."));
}

std::string time_row(const char* look, const std::string& name, Nanoseconds ns, Nanoseconds span, double parts,
                     const char* row = "") {
  return fmt::format("<tr class=\"{}\"><td>{}{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n", row,
                     look[0] ? fmt::format("<i class=\"swatch f-{}\"></i>", look) : std::string(), name,
                     duration(static_cast<double>(ns) / parts),
                     span > 0 ? percent(static_cast<double>(ns) / static_cast<double>(span)) : "–");
}

std::string count_row(const std::string& name, std::int64_t n, double parts) {
  return fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td></td></tr>\n", name,
                     rate(static_cast<double>(n) / parts));
}

std::string head_row(const char* name) {
  return fmt::format("<tr class=\"head\"><td colspan=\"3\">{}</td></tr>\n", words(name));
}

}  // namespace

std::string section(const std::string& id, const std::string& title, const std::string& lede, const std::string& body) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2>{}\n{}</section>\n", id, escaped(title),
                     lede.empty() ? "" : "<p class=\"lede\">" + lede + "</p>", body);
}

std::string table(const std::vector<std::string>& head, const std::string& rows, const std::string& caption) {
  std::string text = "<div class=\"table\"><table>";
  if (!caption.empty()) text += "<caption>" + caption + "</caption>";
  text += "<thead><tr>";
  for (const std::string& name : head) {
    const bool right = name.starts_with('>');
    text += fmt::format("<th scope=\"col\"{}>{}</th>", right ? " class=\"n\"" : "",
                        escaped(std::string_view(name).substr(right ? 1 : 0)));
  }
  return text + "</tr></thead><tbody>\n" + rows + "</tbody></table></div>\n";
}

std::string tile(const std::string& figure, const std::string& name, const std::string& note) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span>{}</div>\n", large(figure), name,
                     note.empty() ? "" : "<em>" + note + "</em>");
}

double divisor(const PageRun& run) { return std::max(1.0, static_cast<double>(run.figures.summary.iteration.count)); }

std::string verdict_section(const PageRun& run) {
  const analysis::Summary& s = run.figures.summary;
  std::string tiles = iteration_tile(run);
  for (const analysis::VerdictFigure& figure : s.verdict.figures) {
    const std::string label = escaped(figure.label);
    tiles += tile(escaped(analysis::value_text(figure)), label,
                  figure.is_share ? words("of the time") : escaped(figure.unit));
  }
  return fmt::format(
      "<div class=\"verdict\"><p class=\"kind\"><i class=\"{}\"></i>{}</p><p class=\"sentence\">{}</p>{}"
      "<div class=\"tiles\">\n{}</div></div>\n",
      kind_look(s.verdict.kind), escaped(analysis::verdict_title(s.verdict)), escaped(s.verdict.sentence, 1500),
      s.verdict.note.empty() ? "" : "<p class=\"lede\">" + escaped(s.verdict.note, 1500) + "</p>", tiles);
}

std::string cards_section(const PageRun& run, const SectionIds& id) {
  if (!run.figures.advice) return {};
  const analysis::Advice& advice = *run.figures.advice;
  if (advice.iterations == 0) return {};
  std::string costly, harmless;
  std::int64_t harmless_count = 0;
  for (const Card& card : advice.cards) {
    (card.weight == Weight::Harmless ? harmless : costly) += card_html(card);
    if (card.weight == Weight::Harmless) ++harmless_count;
  }
  std::string lede = sentence("From {}.", iterations(advice.iterations));
  if (advice.warm_up == 1) lede += ' ' + words("The first is excluded as warm-up.");
  if (advice.warm_up > 1) lede += ' ' + sentence("The first {} are excluded as warm-up.", count(advice.warm_up));
  std::string body;
  if (costly.empty()) {
    body = "<p>" + words("No known problem costs this run enough time to be worth a change.") + "</p>\n";
  } else {
    lede += ' ' + words(
                      "The costliest comes first. A cost is GPU idle time: an upper bound on what a change saves, "
                      "because a wait that is removed may reappear at the next blocking call.");
    body = "<div class=\"cards\">" + costly + "</div>\n";
  }
  if (!harmless.empty()) {
    body += fmt::format(
        "<details><summary>{}</summary><div class=\"cards\">{}</div></details>\n",
        harmless_count == 1 ? words("1 harmless finding") : sentence("{} harmless findings", count(harmless_count)),
        harmless);
  }
  return section(id("advice"), tr("What to change"), lede, body);
}

std::string prediction_section(const PageRun& run, const SectionIds& id) {
  if (!run.figures.what_if) return {};
  const auto [term, text] = what_if_line(*run.figures.what_if);
  return section(id("prediction"), tr("Prediction"), words("A replay of the recording with the change."),
                 fmt::format("<dl class=\"facts\"><dt>{}</dt><dd>{}</dd></dl>\n", escaped(term), escaped(text, 1500)));
}

std::string pictures_section(const PageRun& run, Pictures& pictures, const SectionIds& id) {
  return section(id("timeline"), tr("Timeline"), {}, typical_picture(run, pictures) + whole_picture(run, pictures));
}

std::string time_section(const PageRun& run, const SectionIds& id) {
  const analysis::Summary& s = run.figures.summary;
  if (s.verdict.kind == VerdictKind::CpuOnly) return {};
  // While the queue fills, iterations end long before their work: then use the whole run.
  const bool judged = s.judged.to_ns > s.judged.from_ns && s.pace.queue_is_steady();
  const std::vector<TimePart> parts =
      judged ? time_parts(s) : time_parts(s, s.gpu_window_ns(), s.gpu_busy_ns, s.kernel_ns, s.bubble_by_cause_ns);
  const Nanoseconds span = judged ? s.judged.span_ns() : s.gpu_window_ns();
  const Nanoseconds busy = judged ? s.judged.busy_ns : s.gpu_busy_ns;
  if (span <= 0) return {};
  const std::int64_t over = judged && s.judged.iterations > 0 ? s.judged.iterations : s.iteration.count;
  const bool has_iterations = s.iteration.count > 0 && (!s.in_parts || s.gpu_iterations() > 0) &&
                              (s.pace.queue_is_steady() || s.pace.basis == analysis::PaceBasis::Elapsed);
  // See gpu_time_per_iteration().
  const double iterations_of_span = s.in_parts && s.iteration.mean_ns > 0
                                        ? static_cast<double>(span) / s.iteration.mean_ns
                                        : static_cast<double>(over);
  const double n = has_iterations ? std::max(1.0, iterations_of_span) : 1;
  const Nanoseconds host_wait = judged && s.in_parts              ? s.judged.host_wait_ns
                                : judged && run.figures.breakdown ? run.figures.breakdown->host_wait_ns
                                                                  : s.host_wait_ns;
  const Nanoseconds loader_wait = judged ? s.judged.loader_wait_ns : s.loader_wait_ns;
  // Without whole iterations, waits are of all of the time.
  const Nanoseconds wait_span = s.in_parts && s.gpu_iterations() == 0 ? s.window_ns() : span;
  Nanoseconds idle = 0;
  for (const TimePart& part : parts) idle += part.idle ? part.ns : 0;

  std::string rows = head_row(N_("the GPU"));
  rows += time_row("", words("busy"), busy, span, n);
  for (const TimePart& part : parts) {
    if (!part.idle && part.ns > 0) {
      rows += time_row(part.key.c_str(), part.key == "copy" ? words("copies while no kernel runs") : words("kernels"),
                       part.ns, span, n, "sub");
    }
  }
  rows += time_row("", words("idle"), idle, span, n);
  for (const TimePart& part : parts) {
    if (part.idle && part.ns > 0) rows += time_row(part.key.c_str(), escaped(part.name), part.ns, span, n, "sub");
  }
  rows += head_row(N_("the CPU, meanwhile"));
  rows += time_row("", words("waits for the GPU"), host_wait, wait_span, n);
  if (loader_wait > 0) rows += time_row("", words("waits for data"), loader_wait, wait_span, n);
  rows += count_row(words("synchronisations"), judged ? s.judged.sync_count : s.sync_count, n);
  rows += count_row(words("kernel launches"), judged ? s.judged.launch_count : s.launch_count, n);
  rows += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td></td></tr>\n", words("operations in flight, mean"),
                      rate(s.run_ahead_mean));
  std::string lede = has_iterations ? sentence("Averaged over {}.", iterations(over)) : std::string();
  if (s.in_parts) {
    lede += (lede.empty() ? "" : " ") +
            (has_iterations ? sentence("Only these were recorded whole, {} % of the time.", recorded_percent(s))
                            : sentence("Only {} % of the time was recorded.", recorded_percent(s)));
  }
  lede += ' ' + words(
                    "A CPU wait is not a loss by itself: the GPU may be busy meanwhile. The loss is the time that the "
                    "GPU idles.");
  return section(
      id("time"), has_iterations ? tr("Where the time of an iteration goes") : tr("Where the time goes"), lede,
      time_bar(parts) + time_legend(parts) + "<div class=\"narrow\">" +
          table({tr("time"), has_iterations ? tr(">per iteration") : tr(">in all"), tr(">share")}, rows) + "</div>\n");
}

std::string iterations_section(const PageRun& run, const SectionIds& id) {
  const analysis::DurationStats& stats = run.figures.summary.iteration;
  if (stats.count == 0 || !run.figures.breakdown) return {};
  const std::string title = tr("How long the CPU's iterations take");
  if (!run.figures.summary.pace.queue_is_steady()) {
    return section(id("iterations"), title, {}, "<p>" + words(kOnlyIssuing) + "</p>\n");
  }
  std::string rows;
  const auto row = [&](const char* name, double ns) {
    rows += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td></tr>\n", words(name), duration(ns));
  };
  rows += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td></tr>\n", words("iterations"), count(stats.count));
  row(N_("mean"), stats.mean_ns);
  row(N_("median"), static_cast<double>(stats.p50_ns));
  row(N_("99th percentile"), static_cast<double>(stats.p99_ns));
  row(N_("shortest"), static_cast<double>(stats.min_ns));
  row(N_("longest"), static_cast<double>(stats.max_ns));
  const analysis::Histogram& histogram = run.figures.breakdown->durations;
  std::string chart = duration_chart(histogram, stats);
  if (histogram.longer > 0) {
    chart +=
        fmt::format("<p class=\"muted small\">{}</p>",
                    histogram.longer == 1
                        ? sentence("One is longer than the chart: {}.", duration(static_cast<double>(stats.max_ns)))
                        : sentence("{} are longer than the chart, up to {}.", count(histogram.longer),
                                   duration(static_cast<double>(stats.max_ns))));
  }
  return section(
      id("iterations"), title, {},
      fmt::format("<div class=\"two\">{}<figure>{}</figure></div>\n", table({tr("duration"), ">"}, rows), chart));
}

}  // namespace lanescope::app::html
