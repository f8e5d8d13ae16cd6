// The long tables of a page: call sites, copies, kernels.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "analysis/stragglers.h"
#include "app/html_page.h"
#include "app/html_text.h"
#include "base/error.h"
#include "base/translate.h"
#include "base/version.h"
#include "device/catalogue.h"
#include "device/device.h"
#include "workload/workload.h"

namespace lanescope::app::html {
namespace {

using base::Nanoseconds;
using base::tr;

constexpr std::size_t kHtmlRows = 25;  // rows shown at once per table; the others are folded away

// A table of the first rows, the others in a foldable part, and how many more there were.
std::string long_table(const std::vector<std::string>& head, const std::vector<std::string>& rows,
                       std::int64_t left_out) {
  const std::size_t shown = rows.size() <= kHtmlRows + 3 ? rows.size() : kHtmlRows;
  std::string first, rest;
  for (std::size_t i = 0; i < rows.size(); ++i) (i < shown ? first : rest) += rows[i];
  std::string text = table(head, first);
  if (!rest.empty()) {
    text += fmt::format("<details><summary>{}</summary>{}</details>\n",
                        sentence("{} more", count(static_cast<std::int64_t>(rows.size() - shown))), table(head, rest));
  }
  if (left_out > 0) text += "<p class=\"muted\">" + sentence("{} more are left out.", count(left_out)) + "</p>\n";
  return text;
}

std::string share_bar(double share) {
  return fmt::format("<i class=\"share\"><i style=\"width:{}%\"></i></i>", number(std::clamp(share, 0.0, 1.0) * 100));
}

std::string cell(const std::string& html) { return "<td class=\"n\">" + html + "</td>"; }
std::string time_cell(Nanoseconds ns, double parts) {
  return cell(ns > 0 ? duration(static_cast<double>(ns) / parts) : "–");
}

double parts_of(const analysis::Breakdown& b) { return std::max(1.0, static_cast<double>(b.iterations)); }
std::string lede_of(const analysis::Breakdown& b) {
  return b.iterations > 0 ? sentence("Per iteration, from {} without the warm-up.", iterations(b.iterations))
                          : words("For the whole trace: it has no iterations.");
}
const char* per(const analysis::Breakdown& b) { return b.iterations > 0 ? tr(">per iteration") : tr(">in all"); }

std::string main_cause(const analysis::SiteRow& site) {
  const auto most = std::max_element(site.bubble_ns.begin(), site.bubble_ns.end());
  if (*most <= 0) return {};
  return escaped(analysis::cause_name(static_cast<analysis::BubbleCause>(most - site.bubble_ns.begin())));
}

const char* direction_name(trace::CopyDirection direction) {
  using trace::CopyDirection;
  switch (direction) {
    case CopyDirection::HostToDevice:
      return tr("host to device");
    case CopyDirection::DeviceToHost:
      return tr("device to host");
    case CopyDirection::DeviceToDevice:
      return tr("device to device");
    default:
      return tr("other");
  }
}

const char* memory_name(trace::MemoryKind memory) {
  using trace::MemoryKind;
  switch (memory) {
    case MemoryKind::Pageable:
      return tr("pageable");
    case MemoryKind::Pinned:
      return tr("pinned");
    case MemoryKind::Device:
      return tr("device");
    default:
      return tr("not known");
  }
}

}  // namespace

namespace {

// Idle time over the stretch, as bars.
std::string curve(const std::vector<double>& values) {
  constexpr double kWidth = 120, kHeight = 18;
  const double most = values.empty() ? 0 : *std::ranges::max_element(values);
  if (most <= 0) return {};
  std::string bars;
  const double each = kWidth / static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double height = values[i] / most * kHeight;
    bars += fmt::format("M{} {}h{}v{}h-{}z", number(each * static_cast<double>(i)), number(kHeight - height),
                        number(each * 0.8), number(height), number(each * 0.8));
  }
  return fmt::format(
      "<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" aria-hidden=\"true\"><path d=\"{2}\" "
      "fill=\"currentColor\"/></svg>",
      kWidth, kHeight, bars);
}

std::string idle_row(const analysis::IdleLedger& ledger, const analysis::IdleRow& idle, const std::string& place,
                     const std::string& says) {
  std::string row =
      fmt::format("<tr><td class=\"name\"><i class=\"swatch f-{}\"></i> {}</td><td class=\"lines\">{}</td>",
                  analysis::cause_key(idle.cause), place, says);
  row += "<td class=\"n\">" + curve(idle.over_time) + "</td>" + cell(duration(ledger.each(idle.idle_ns)));
  row += cell(percent(ledger.share(idle.idle_ns)) + share_bar(ledger.share(idle.idle_ns))) + cell(count(idle.gaps()));
  return row + cell(idle.longest_ns > 0 ? duration(static_cast<double>(idle.longest_ns)) : "–") + "</tr>\n";
}

}  // namespace

std::string idle_section(const PageRun& run, const SectionIds& id) {
  if (!run.figures.idle || run.figures.idle->empty()) return {};
  const analysis::IdleLedger& ledger = *run.figures.idle;
  std::string rows;
  for (const analysis::IdleRow& idle : ledger.rows) {
    const std::string says = escaped(analysis::idle_text(idle));
    rows += idle_row(ledger, idle, idle.place.empty() ? escaped(place_text(idle)) : code(idle.place),
                     idle.detail.empty() ? says : code(idle.detail) + ": " + says);
  }
  if (ledger.other_places > 0) {
    rows += idle_row(
        ledger, ledger.other,
        ledger.other_places == 1 ? words("1 other place") : sentence("{} other places", count(ledger.other_places)),
        sentence("none above {}", duration(ledger.each(ledger.largest_other_ns))));
  }
  rows += "<tr><td class=\"name\">" + words("all idle time") + "</td><td></td><td></td>" +
          cell(duration(ledger.each(ledger.idle_ns))) + cell(percent(ledger.share(ledger.idle_ns))) +
          "<td></td><td></td></tr>\n";
  std::string lede = ledger.iterations > 0 ? sentence("From {}.", iterations(ledger.iterations))
                                           : words("From the first to the last operation of the GPU.");
  if (!ledger.gpu_name.empty()) lede += ' ' + sentence("Of {}.", escaped(ledger.gpu_name));
  return section(
      id("idle"), tr("Where the GPU idles"), lede,
      table({tr("place"), tr("cause"), tr(">over time"), ledger.iterations > 0 ? tr(">per iteration") : tr(">in all"),
             tr(">share"), tr(">gaps"), tr(">longest")},
            rows));
}

std::string once_section(const PageRun& run, const SectionIds& id) {
  if (!run.figures.once || run.figures.once->rows.empty()) return {};
  const analysis::Once& once = *run.figures.once;
  std::string rows;
  for (const analysis::RareRow& row : once.rows) {
    rows += "<tr><td class=\"name\">" + escaped(rare_text(row)) + "</td>" + cell(count(row.count())) +
            time_cell(row.mean_ns(), 1) + time_cell(row.longest.length(), 1) + time_cell(row.total_ns, 1) + "</tr>\n";
  }
  const auto time = [](Nanoseconds ns) { return duration(static_cast<double>(ns)); };
  return section(
      id("once"), tr("Now and then, left out of the figures"),
      sentence("Set-up {}, warm-up {}, steady {}, now and then {}, end {}: {} in all.", time(once.set_up_ns),
               time(once.warm_up_ns), time(once.steady_ns), time(once.rare_ns), time(once.end_ns), time(once.all_ns())),
      table({tr("place"), tr(">count"), ">" + std::string(tr("mean")), tr(">longest"), tr(">in all")}, rows));
}

std::string sites_section(const PageRun& run, const SectionIds& id) {
  if (!run.figures.breakdown || run.figures.breakdown->sites.empty()) return {};
  const analysis::Breakdown& b = *run.figures.breakdown;
  const double n = parts_of(b);
  std::vector<std::string> rows;
  for (const analysis::SiteRow& site : b.sites) {
    std::string row = "<tr><td class=\"name\">";
    row += site.range.empty() ? "<span class=\"muted\">" + words("(no range)") + "</span>" : code(site.range);
    row += "</td><td class=\"name\">" + (site.call == site.range ? words("waits for data") : code(site.call)) + "</td>";
    row += cell(site.count > 0 ? rate(static_cast<double>(site.count) / n) : "–") + time_cell(site.host_ns, n) +
           time_cell(site.wait_ns, n);
    row += cell(site.wait_ns > 0 ? percent(static_cast<double>(site.wait_busy_ns) / static_cast<double>(site.wait_ns))
                                 : "–");
    row += time_cell(site.bubbles_ns, n) + "<td class=\"lines\">" + main_cause(site) + "</td></tr>\n";
    rows.push_back(row);
  }
  return section(
      id("calls"), tr("Calls by location"),
      lede_of(b) + ' ' + words("Sorted by the GPU idle time that they cause, then by the time that the CPU waits."),
      long_table({tr("range"), tr("call"), b.iterations > 0 ? tr(">times") : tr(">count"), tr(">on the CPU"),
                  tr(">of which waiting"), tr(">GPU busy meanwhile"), tr(">GPU idle caused"), tr("main cause")},
                 rows, b.sites_left_out));
}

std::string copies_section(const PageRun& run, const SectionIds& id) {
  if (!run.figures.breakdown || run.figures.breakdown->copies.empty()) return {};
  const analysis::Breakdown& b = *run.figures.breakdown;
  const double n = parts_of(b);
  std::vector<std::string> rows;
  for (const analysis::CopyRow& copy : b.copies) {
    std::string row = fmt::format(
        "<tr><td class=\"lines\">{}</td><td class=\"lines\">{}{}</td><td class=\"name\">{}</td>",
        direction_name(copy.direction), memory_name(copy.memory),
        copy.asynchronous ? "<span class=\"pill\">async</span>" : "", copy.range.empty() ? "" : code(copy.range));
    row += cell(rate(static_cast<double>(copy.count) / n));
    row += cell(bytes(copy.count > 0 ? copy.bytes / copy.count : 0));
    row += cell(copy.gb_per_s > 0 ? fmt::format("{:.3g} GB/s", copy.gb_per_s) : "–");
    row += time_cell(copy.gpu_ns, n) + time_cell(copy.exposed_ns, n) + time_cell(copy.host_ns, n) + "</tr>\n";
    rows.push_back(row);
  }
  return section(
      id("copies"), tr("Copies"), lede_of(b),
      long_table({tr("direction"), tr("host memory"), tr("range"), b.iterations > 0 ? tr(">times") : tr(">count"),
                  tr(">bytes each"), tr(">rate"), per(b), tr(">not overlapped"), tr(">blocks the CPU")},
                 rows, b.copies_left_out));
}

std::string kernels_section(const PageRun& run, const SectionIds& id) {
  if (!run.figures.breakdown || run.figures.breakdown->kernels.empty()) return {};
  const analysis::Breakdown& b = *run.figures.breakdown;
  const double n = parts_of(b);
  std::vector<std::string> rows;
  for (const analysis::KernelRow& kernel : b.kernels) {
    const double share =
        b.kernel_time_ns > 0 ? static_cast<double>(kernel.total_ns) / static_cast<double>(b.kernel_time_ns) : 0;
    rows.push_back("<tr><td class=\"name\">" + code(kernel.name) + "</td>" + cell(count(kernel.count)) +
                   (b.iterations > 0 ? cell(rate(static_cast<double>(kernel.count) / n)) : "") +
                   cell(duration(static_cast<double>(kernel.total_ns))) + cell(duration(kernel.mean_ns())) +
                   cell(percent(share) + share_bar(share)) + "</tr>\n");
  }
  std::vector<std::string> head{tr("name"), tr(">count"), tr(">total"), tr(">mean"), tr(">share of kernel time")};
  if (b.iterations > 0) head.insert(head.begin() + 2, per(b));
  return section(id("kernels"), tr("Kernels"),
                 b.iterations > 0 ? sentence("From {} without the warm-up.", iterations(b.iterations)) : lede_of(b),
                 long_table(head, rows, b.kernels_left_out));
}

std::string collectives_section(const PageRun& run, const SectionIds& id) {
  if (!run.figures.collectives) return {};
  const analysis::Collectives& collectives = *run.figures.collectives;
  std::string rows;
  for (const analysis::GpuCollectives& gpu : collectives.gpus) {
    rows += "<tr><td>" + escaped(gpu.name) + "</td>" + cell(count(gpu.arrived_last)) + time_cell(gpu.wait_ns, 1) +
            time_cell(gpu.transfer_ns, 1) + time_cell(gpu.communication_ns, 1) + time_cell(gpu.exposed_ns, 1) +
            "</tr>\n";
  }
  std::string lede = escaped(collectives.sentence);
  for (const std::string& said : analysis::rate_sentences(collectives)) lede += "<br>" + escaped(said);
  return section(id("collectives"), tr("Collectives"), lede,
                 table({tr("GPU"), ">" + std::string(tr("arrived last")), ">" + std::string(tr("waits")),
                        ">" + std::string(tr("transfers")), ">" + std::string(tr("communicates")),
                        ">" + std::string(tr("of that alone"))},
                       rows));
}

// --- html facts ------------------------------------------------------------------------------------------------------

namespace {

// The default settings. Unknown for another program's trace, and for a device that this machine lacks.
std::optional<workload::Settings> standard_settings(const PageRun& run) {
  const trace::RunFacts& facts = run.figures.facts;
  if (facts.workload.empty()) return std::nullopt;
  try {
    return workload::default_settings(facts.workload, run.device ? *run.device : device::describe_device(facts.device));
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

class Facts {
 public:
  void add(const char* term, const std::string& html) {
    if (!html.empty()) text_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", words(term), html);
  }
  std::string text() const { return "<dl class=\"facts\">\n" + text_ + "</dl>\n"; }

 private:
  std::string text_;
};

class Lines {
 public:
  void add(const std::string& html) { text_ += "<li>" + html + "</li>\n"; }
  void add_if(std::uint64_t n, base::Pattern<const std::string&> text) {
    if (n > 0) add(sentence(text, count(static_cast<std::int64_t>(n))));
  }
  bool empty() const { return text_.empty(); }
  std::string text() const { return "<ul class=\"plain\">\n" + text_ + "</ul>\n"; }

 private:
  std::string text_;
};

void add_capture(const trace::CaptureHealth& h, Lines& lines) {
  lines.add(sentence("Capture of the GPU's work: {}{}{}", escaped(trace::to_text(h.state)),
                     h.library.empty() ? "" : ", " + code(h.library),
                     h.reason.empty() ? "" : ". " + escaped(h.reason)));
  lines.add_if(h.dropped, N_("{} records were dropped by the capture because no buffer was free."));
  lines.add_if(h.untimed, N_("{} records had no time and were left out."));
  lines.add_if(h.far_off, N_("{} records had an impossible time and were left out."));
  lines.add_if(h.unknown_kind, N_("{} messages of the capture could not be read."));
  lines.add_if(h.late, N_("{} records came too late to be put in their place."));
  lines.add_if(h.clamped, N_("{} records ended before they started and are shown as instants."));
  lines.add_if(h.before_call, N_("{} operations seem to start before the call that issued them: the clocks differ."));
  lines.add_if(h.launches_unmatched, N_("For {} calls no operation arrived."));
  lines.add_if(h.operations_unmatched, N_("For {} operations no call arrived."));
  lines.add_if(h.clock_steps, N_("The capture's clock jumped {} times relative to this program's."));
  if (h.overhead_ns > 0) {
    lines.add(sentence("The capture itself took {} of the CPU's time.", duration(static_cast<double>(h.overhead_ns))));
  }
}

std::string listed(const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [category, n] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", category.empty() ? words("(none)") : escaped(category, 60),
                        count(static_cast<std::int64_t>(n)));
    if (text.size() > 3000) return text + ", …";
  }
  return text;
}

void add_source(const FileFacts& source, Lines& lines) {
  const auto with_categories = [](std::string line, const std::map<std::string, std::uint64_t>& counts) {
    return counts.empty() ? sentence("{}.", line) : sentence("{}: {}.", line, listed(counts));
  };
  lines.add(with_categories(
      sentence("{} events were read from {}", count(static_cast<std::int64_t>(source.events_read)), code(source.path)),
      source.read_by_category));
  if (source.events_skipped > 0) {
    lines.add(with_categories(sentence("{} were skipped because the timeline does not show their kind",
                                       count(static_cast<std::int64_t>(source.events_skipped))),
                              source.skipped_by_category));
  }
  lines.add_if(source.events_malformed, N_("{} were left out because they lack a usable time, lane or partner."));
  if (!source.incomplete.empty()) lines.add(escaped(source.incomplete));
  if (!source.own) {
    lines.add(
        words("Another program wrote the trace. Its times come from a profiler, which slows what it measures; what a "
              "blocking call waited for is inferred."));
  }
}

}  // namespace

std::string settings_section(const PageRun& run, const SectionIds& id) {
  const trace::RunFacts& facts = run.figures.facts;
  if (facts.settings.empty()) return {};
  const std::optional<workload::Settings> standard = standard_settings(run);
  std::string rows;
  std::size_t changed_count = 0;
  for (const auto& [key, value] : facts.settings) {
    const workload::SettingSpec* spec = standard ? standard->spec(key) : nullptr;
    const std::string usual = spec ? workload::to_text(spec->standard) : std::string();
    const bool changed = spec && usual != value;
    changed_count += changed ? 1 : 0;
    const std::string unit = spec && !spec->unit.empty() ? " " + escaped(spec->unit) : std::string();
    rows +=
        fmt::format("<tr{}><td>{}{}</td><td>{}</td><td class=\"n value\">{}{}</td><td class=\"n muted\">{}</td></tr>\n",
                    changed ? " class=\"changed\"" : "", spec ? escaped(tr(spec->label.c_str())) : escaped(key),
                    changed ? "<span class=\"pill\">" + words("changed") + "</span>" : "", code(key), escaped(value),
                    unit, spec ? escaped(usual) + unit : "–");
  }
  const std::string lede = !standard            ? std::string()
                           : changed_count == 0 ? words("All have their default values.")
                           : changed_count == 1
                               ? words("One is changed.")
                               : sentence("{} are changed.", count(static_cast<std::int64_t>(changed_count)));
  return section(id("settings"), tr("Settings"), lede,
                 table({tr("setting"), tr("key"), tr(">value"), tr(">default")}, rows));
}

std::string machine_section(const PageRun& run, const SectionIds& id) {
  const trace::RunFacts& facts = run.figures.facts;
  Facts list;
  const std::string& program = facts.workload.empty() ? facts.program : facts.workload;
  list.add(N_("program"), program.empty() ? words("not known") : code(program));
  if (!facts.iterations.empty()) list.add(N_("iterations"), code(facts.iterations));
  list.add(N_("device"),
           facts.device_name.empty() ? words("not known") : escaped(device::name_in_words(facts.device_name)));
  if (!facts.device.empty()) list.add(N_("device id"), code(facts.device));
  if (facts.simulated) {
    list.add(N_("simulated"), words("Yes. No number here was measured on a GPU: all times come from a model of this "
                                    "machine, and are only as good as its profile."));
    if (device::assumes_pytorch(facts.device)) list.add(N_("PyTorch's costs"), words("assumed"));
  } else if (!facts.device.empty()) {
    list.add(N_("simulated"), words("No. Times were measured."));
  }
  if (run.device) list.add(N_("driver"), escaped(run.device->driver));
  if (run.figures.capture) list.add(N_("capture"), escaped(run.figures.capture->library));
  list.add(N_("recorded by"), facts.version.empty() ? words("another program") : "Lanescope " + escaped(facts.version));
  list.add(N_("reported by"), fmt::format("Lanescope {}", base::kVersion));
  return section(id("machine"), tr("Machine"), {}, list.text());
}

std::string losses_section(const PageRun& run, const SectionIds& id) {
  const RunFigures& f = run.figures;
  Lines lines;
  const auto recorded = static_cast<std::int64_t>(f.events.recorded);
  const std::uint64_t lost = f.events.dropped + f.events.evicted;
  lines.add(lost == 0 ? sentence("All {} events were recorded and kept; none was lost.", count(recorded))
                      : sentence("{} events were recorded.", count(recorded)));
  lines.add_if(f.events.dropped, N_("{} events were lost on their way into the trace."));
  lines.add_if(f.events.evicted, N_("The {} oldest events were evicted at the memory cap: figures count them, pictures "
                                    "and tables do not show them."));
  lines.add_if(f.events.late, N_("{} events came late and are in a row of their own."));
  lines.add_if(f.events.clamped, N_("{} events ended before they started and are shown as instants."));
  if (f.warm_up_ns) {
    lines.add(sentence("The first iteration took {} because it loaded code, and is excluded from the figures.",
                       duration(static_cast<double>(*f.warm_up_ns))));
  }
  if (f.advice && f.advice->warm_up > 0) {
    lines.add(
        f.advice->warm_up == 1
            ? words("The first iteration is warm-up: the advice and the tables of calls, copies and kernels leave it "
                    "out.")
            : sentence("The first {} iterations are warm-up: the advice and the tables of calls, copies and kernels "
                       "leave them out.",
                       count(f.advice->warm_up)));
  }
  if (f.capture) add_capture(*f.capture, lines);
  if (run.source) add_source(*run.source, lines);
  return section(id("losses"), tr("What was dropped or left out"), {}, lines.text());
}

}  // namespace lanescope::app::html
