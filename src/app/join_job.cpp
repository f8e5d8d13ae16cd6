#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <system_error>
#include <vector>

#include "analysis/job_join.h"
#include "app/argument_checks.h"
#include "app/command_requests.h"
#include "app/commands.h"
#include "app/html_page.h"
#include "app/html_text.h"
#include "app/reports.h"
#include "app/table.h"
#include "app/terminal_output.h"
#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"
#include "io/summary_file.h"
#include "io/trace_file.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

using analysis::JobFinding;
using analysis::JobReport;
using analysis::JoinedRank;
using base::tr;

constexpr std::size_t kRanks = 10, kFindings = 20;

// --- reduce ----------------------------------------------------------------------------------------------------------

void reduce_file(const fs::path& path) {
  const std::vector<analysis::JobSummary> summaries = io::summaries_of_recording(path);
  if (summaries.empty()) throw base::FileError(tr("{}: no GPU did anything in it", path.string()));
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const int rank = summaries[i].who.rank;
    const std::string which = summaries.size() == 1 ? std::string()
                              : rank >= 0           ? fmt::format("rank{}", rank)
                                                    : fmt::format("gpu{}", i);
    io::write_summary(io::summary_path(path, which), summaries[i]);
  }
}

// --- join ------------------------------------------------------------------------------------------------------------

Json ranks_json(const JobReport& report, const std::vector<std::size_t>& ranks) {
  Json json = Json::array();
  for (const std::size_t r : ranks) json.push_back(report.ranks[r].who.rank);
  return json;
}

Json finding_json(const JobReport& report, const JobFinding& finding) {
  Json json;
  json["scope"] = analysis::job_scope_key(finding.scope);
  json["reason"] = analysis::job_reason_key(finding.reason);
  json["ranks"] = ranks_json(report, finding.ranks);
  json["node"] = text_or_null(finding.node);
  json["later_ns"] = finding.later_ns;
  json["share_of_collectives"] = finding.share_affected;
  json["share_of_job"] = finding.loss;
  json["place"] = text_or_null(finding.place);
  json["since_ns"] = finding.since_ns ? Json(*finding.since_ns) : Json(nullptr);
  json["since_iteration"] = finding.since_iteration ? Json(*finding.since_iteration) : Json(nullptr);
  json["sentence"] = analysis::finding_text(report, finding);
  return json;
}

Json rank_json(const JobReport& report, const JoinedRank& rank) {
  return {{"rank", rank.who.rank},       {"node", report.nodes[rank.node].name},
          {"role", rank.role},           {"alike", rank.alike},
          {"collectives", rank.seen},    {"arrived_last", rank.last},
          {"unknown", rank.unknown},     {"waited_ns", rank.waited_ns},
          {"late_ns", rank.late_ns},     {"own_work_ns", rank.work_ns},
          {"excess_ns", rank.excess_ns}, {"iteration_p50_ns", rank.iteration_p50_ns}};
}

Json node_json(const analysis::JoinedNode& node) {
  constexpr std::array<const char*, 4> kBases{"root", "collectives", "time-of-day", "unknown"};
  const analysis::NodeClock& clock = node.clock;
  return {{"name", node.name},
          {"ranks", node.ranks},
          {"clock", kBases[static_cast<std::size_t>(clock.basis)]},
          {"clock_error_ns", clock.known() ? Json(clock.error_ns) : Json(nullptr)},
          {"clock_collectives", clock.collectives},
          {"time_of_day_ahead_ns", clock.time_of_day_ns ? Json(*clock.time_of_day_ns) : Json(nullptr)}};
}

std::string json_of(const JobReport& report) {
  Json json;
  json["sentence"] = analysis::job_text(report);
  json["remarks"] = analysis::remarks_of(report);
  json["ranks_of_job"] = report.ranks_of_job;
  json["collectives"] = report.collectives;
  json["stride"] = report.stride;
  json["communicators"] = report.communicators;
  json["waiting"] = report.waiting;
  json["clock_error_ns"] = report.clock_error_ns;
  json["roles"] = report.roles;
  json["missing"] = Json::array();
  for (const auto& [from, to] : report.missing) json["missing"].push_back({from, to});
  json["findings"] = Json::array();
  for (const JobFinding& finding : report.findings) json["findings"].push_back(finding_json(report, finding));
  json["nodes"] = Json::array();
  for (const analysis::JoinedNode& node : report.nodes) json["nodes"].push_back(node_json(node));
  json["ranks"] = Json::array();
  for (const JoinedRank& rank : report.ranks) json["ranks"].push_back(rank_json(report, rank));
  return written(json);
}

void add_wrapped(std::string& text, const std::string& paragraph) {
  constexpr std::size_t kWidth = 100;
  for (const std::string& line : wrapped(one_line(paragraph), kWidth)) text += line + '\n';
}

/// The ranks that the others wait for most.
std::vector<std::size_t> most_awaited(const JobReport& report) {
  std::vector<std::size_t> ranks(report.ranks.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  std::ranges::stable_sort(ranks, std::ranges::greater{}, [&](std::size_t r) { return report.ranks[r].excess_ns; });
  ranks.resize(std::min(kRanks, ranks.size()));
  return ranks;
}

double share_last(const JoinedRank& rank) {
  return rank.seen > 0 ? static_cast<double>(rank.last) / static_cast<double>(rank.seen) : 0;
}

std::string alike_text(const JobReport& report) {
  const auto alike = std::ranges::count_if(report.ranks, [](const JoinedRank& rank) { return rank.alike; });
  return report.roles > 1 ? tr("{} of {} ranks are alike, in {} roles", alike, report.ranks.size(), report.roles)
                          : tr("{} of {} ranks are alike", alike, report.ranks.size());
}

std::vector<std::string> figure_titles() {
  return {tr("arrived last"), tr("waited"), tr("own work"), tr("more than usual"), tr("iteration")};
}

std::string ranks_table(const JobReport& report, const Style& style) {
  Table table;
  table.titles(figure_titles());
  for (const std::size_t r : most_awaited(report)) {
    const JoinedRank& rank = report.ranks[r];
    table.row(fmt::format("  {}  {}", analysis::ranks_text(rank.who.rank, rank.who.rank),
                          one_line(report.nodes[rank.node].name)),
              {{fmt::format("{}", analysis::whole_percent(share_last(rank))), "%", {}},
               measured(base::format_duration(rank.waited_ns)),
               measured(base::format_duration(rank.work_ns)),
               measured(base::format_duration(rank.excess_ns)),
               measured(base::format_duration(rank.iteration_p50_ns))});
  }
  return table.text(style) + "  " + alike_text(report) + '\n';
}

std::string text_of(const JobReport& report, const Style& style) {
  std::string text;
  add_wrapped(text, analysis::job_text(report));
  for (std::size_t i = 0; i < std::min(kFindings, report.findings.size()); ++i) {
    text += '\n';
    add_wrapped(text, analysis::finding_text(report, report.findings[i]));
  }
  if (report.findings.size() > kFindings) {
    text += '\n';
    add_wrapped(text, tr("{} others: see --json.", report.findings.size() - kFindings));
  }
  if (report.ranks.size() > 1) {
    text += fmt::format("\n{}{}{}\n", style.bold, tr("Before a collective"), style.off) + ranks_table(report, style);
  }
  for (const std::string& remark : analysis::remarks_of(report)) {
    text += '\n';
    add_wrapped(text, remark);
  }
  return text;
}

std::string page_of(const JobReport& report) {
  const auto paragraph = [](const std::string& text) { return fmt::format("<p>{}</p>\n", html::escaped(text, 2'000)); };
  std::string found, ranks, remarks;
  std::vector<std::string> head{tr("rank"), tr("node")};
  for (const std::string& title : figure_titles()) head.push_back('>' + title);
  for (std::size_t i = 0; i < std::min(kFindings, report.findings.size()); ++i) {
    found += fmt::format("<p class=\"answer\">{}</p>\n",
                         html::escaped(analysis::finding_text(report, report.findings[i]), 2'000));
  }
  for (const std::size_t r : most_awaited(report)) {
    const JoinedRank& rank = report.ranks[r];
    ranks += fmt::format("<tr><td>{}</td><td>{}</td>", rank.who.rank, html::escaped(report.nodes[rank.node].name));
    ranks += fmt::format("<td class=\"n\">{}</td>", html::percent(share_last(rank)));
    for (const base::Nanoseconds ns : {rank.waited_ns, rank.work_ns, rank.excess_ns, rank.iteration_p50_ns}) {
      ranks += fmt::format("<td class=\"n\">{}</td>", html::duration(static_cast<double>(ns)));
    }
    ranks += "</tr>\n";
  }
  for (const std::string& remark : analysis::remarks_of(report)) remarks += paragraph(remark);
  std::string body = fmt::format("<h1>{}</h1>\n", html::words(N_("A job of many ranks")));
  body += paragraph(analysis::job_text(report)) + found;
  if (report.ranks.size() > 1) {
    body +=
        html::section("ranks", tr("Before a collective"), html::escaped(alike_text(report)), html::table(head, ranks));
  }
  return html::paper(tr("A job of many ranks"), "job", body + remarks, {});
}

}  // namespace

int reduce_files(const ReduceRequest& request) {
  std::vector<fs::path> files = request.files;
  if (std::error_code unknown; files.size() == 1 && fs::is_directory(files.front(), unknown)) {
    files = io::all_traces_in(files.front());
  }
  std::map<fs::path, std::size_t> first_of;  // two recordings of one name would leave one summary
  for (std::size_t i = 0; i < files.size(); ++i) first_of.try_emplace(io::summary_path(files[i]), i);
  int status = kDone;
  Progress progress(tr("reduce"), files.size() / request.parts, tr("recordings"));
  std::uint64_t done = 0;
  for (std::size_t i = request.part; i < files.size(); i += request.parts) {
    try {
      if (const std::size_t first = first_of[io::summary_path(files[i])]; first != i) {
        throw base::FileError(tr("{}: its summary would be that of {}", files[i].string(), files[first].string()));
      }
      reduce_file(files[i]);
    } catch (const base::Error& error) {
      say(error.what());
      status = kFailed;
    }
    progress.update(++done);
  }
  return status;
}

void join_summaries(const JoinRequest& request) {
  check_outputs({request.json, request.html});
  const std::vector<fs::path> files = io::summaries_in(request.folder);
  analysis::JobJoin join(files.size());
  for (const fs::path& file : files) join.add(io::read_summary(file));
  const JobReport report = join.report();
  write_json(request.json, request.json.empty() ? std::string() : json_of(report));
  if (!request.html.empty()) html::write_page(request.html, page_of(report));
  if (request.json != "-" && request.html != "-") write_words(text_of(report, style_for(stdout)));
}

}  // namespace lanescope::app
