#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "analysis/job_join.h"
#include "analysis/live_analysis.h"
#include "analysis/run_figures.h"
#include "app/argument_checks.h"
#include "app/command_requests.h"
#include "app/commands.h"
#include "app/reports.h"
#include "app/table.h"
#include "app/terminal_output.h"
#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"
#include "io/job_of_ranks.h"
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

analysis::JobRank rank_of(const io::OpenedTrace& opened, const fs::path& path) {
  analysis::JobRank who;
  who.rank = opened.rank >= 0 ? opened.rank : io::rank_in_name(path.filename().string()).value_or(-1);
  who.ranks = opened.world_size;
  who.gpu = opened.facts.device_name;
  who.program = opened.facts.program;
  who.ended = opened.incomplete;
  return who;
}

/// Another program's file says when its time 0 was; whether that is right, nobody knows.
analysis::JobClockFacts clock_of(const io::OpenedTrace& opened) {
  analysis::JobClockFacts clock;
  if (!opened.own && opened.time_offset_ns > 0) clock.pairs.push_back({0, opened.time_offset_ns, 0});
  return clock;
}

void reduce_file(const fs::path& path) {
  const io::OpenedTrace opened = io::read_traces({path});
  const trace::Trace& trace = *opened.trace;
  analysis::LiveAnalysis analysis(trace);
  analysis.update(std::numeric_limits<base::Nanoseconds>::max());
  analysis.finish();
  analysis::RunFigures figures = analysis::figures_of(trace, analysis, opened.facts);
  figures.idle = analysis::idle_ledger(trace, analysis, figures.summary);
  const std::vector<analysis::JobSummary> summaries =
      analysis::summaries_of(trace, analysis, figures, rank_of(opened, path), clock_of(opened));
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

/// Those that the others wait for most.
std::string ranks_table(const JobReport& report, const Style& style) {
  std::vector<const JoinedRank*> ranks;
  for (const JoinedRank& rank : report.ranks) ranks.push_back(&rank);
  std::ranges::stable_sort(ranks, std::ranges::greater{}, &JoinedRank::excess_ns);
  const std::size_t alike =
      static_cast<std::size_t>(std::ranges::count_if(report.ranks, [](const JoinedRank& rank) { return rank.alike; }));
  Table table;
  table.titles({tr("arrived last"), tr("waited"), tr("own work"), tr("more than usual"), tr("iteration")});
  for (std::size_t i = 0; i < std::min(kRanks, ranks.size()); ++i) {
    const JoinedRank& rank = *ranks[i];
    const double last = rank.seen > 0 ? static_cast<double>(rank.last) / static_cast<double>(rank.seen) : 0;
    table.row(fmt::format("  {}  {}", analysis::ranks_text(rank.who.rank, rank.who.rank),
                          one_line(report.nodes[rank.node].name)),
              {{fmt::format("{}", analysis::whole_percent(last)), "%", {}},
               measured(base::format_duration(rank.waited_ns)),
               measured(base::format_duration(rank.work_ns)),
               measured(base::format_duration(rank.excess_ns)),
               measured(base::format_duration(rank.iteration_p50_ns))});
  }
  return table.text(style) + "  " + tr("{} of {} ranks are alike, in {} roles", alike, ranks.size(), report.roles) +
         '\n';
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
  check_outputs({request.json});
  const std::vector<fs::path> files = io::summaries_in(request.folder);
  analysis::JobJoin join(files.size());
  for (const fs::path& file : files) join.add(io::read_summary(file));
  const JobReport report = join.report();
  write_json(request.json, request.json.empty() ? std::string() : json_of(report));
  if (request.json != "-") write_words(text_of(report, style_for(stdout)));
}

}  // namespace lanescope::app
