// The long tables of a page: call sites, copies, kernels.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/collective_rates.h"
#include "app/html_sections.h"
#include "app/html_text.h"
#include "base/translate.h"

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

}  // namespace lanescope::app::html
