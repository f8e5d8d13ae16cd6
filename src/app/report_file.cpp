#include "app/report_file.h"

#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "analysis/live_analysis.h"
#include "app/run_report.h"
#include "app/terminal.h"
#include "base/error.h"
#include "io/chrome_trace.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using base::Nanoseconds;
using trace::EventIndex;
using trace::LaneId;
using trace::LaneKind;

template <typename Number>
bool is_whole_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// As the workload types it; from a workload that this program does not know, as the text looks.
workload::Value typed_setting(const workload::Settings* known, const std::string& key, const std::string& text) {
  if (known != nullptr && known->spec(key) != nullptr) {
    try {
      workload::Settings settings = *known;
      settings.set_text(key, text);
      return settings.value(key);
    } catch (const base::UsageError&) {
      // Another version's range: shown as it stands.
    }
  }
  if (text == "true" || text == "false") return text == "true";
  if (std::int64_t whole = 0; is_whole_number(text, whole)) return whole;
  if (double real = 0; is_whole_number(text, real)) return real;
  return text;
}

std::vector<std::pair<std::string, workload::Value>> settings_of(const io::RunFacts& facts) {
  std::optional<workload::Settings> known;
  try {
    known = workload::default_settings(facts.workload, {});
  } catch (const base::Error&) {
  }
  std::vector<std::pair<std::string, workload::Value>> settings;
  // In the workload's own order first, as a run reports them.
  if (known) {
    for (const workload::SettingSpec& spec : known->specs()) {
      const auto found = facts.settings.find(spec.key);
      if (found != facts.settings.end())
        settings.emplace_back(spec.key, typed_setting(&*known, spec.key, found->second));
    }
  }
  for (const auto& [key, text] : facts.settings) {
    if (!known || known->spec(key) == nullptr) settings.emplace_back(key, typed_setting(nullptr, key, text));
  }
  return settings;
}

// What only the trace itself can say: when the run began and ended, and the losses that it sampled.
void read_lanes(const trace::Trace& trace, RunReport& report) {
  const trace::Trace::ReadLock lock(trace);
  auto [from, to] = trace.extent();
  bool iterations = false;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      if (row.first() == row.last()) continue;
      if (lane.info().kind == LaneKind::Iterations) {
        from = iterations ? std::min(from, row.start(row.first())) : row.start(row.first());
        iterations = true;
        report.iterations += row.last() - row.first();
      }
      if (lane.info().kind == LaneKind::Counter && lane.info().name == "loss" && !report.loss) {
        report.loss = {trace::value_of(row.event(row.first())), trace::value_of(row.event(row.last() - 1))};
      }
    }
  }
  report.elapsed_ns = to - from;
}

}  // namespace

void report_file(const ReportRequest& request) {
  const io::OpenedTrace opened = io::read_chrome_trace(request.file);
  RunReport report;
  report.workload = opened.facts.workload;
  report.device = opened.facts.device;
  report.device_name = opened.facts.device_name;
  report.simulated = opened.facts.simulated;
  report.settings = settings_of(opened.facts);
  report.events = opened.trace->counts();
  read_lanes(*opened.trace, report);
  analysis::LiveAnalysis analysis(*opened.trace);
  analysis.update(std::numeric_limits<Nanoseconds>::max());
  analysis.finish();
  report.summary = report.iterations > 0 ? analysis.since_first_iteration() : analysis.total();

  const FileFacts source{request.file.string(),   opened.own,
                         opened.events_read,      opened.events_skipped,
                         opened.read_by_category, opened.skipped_by_category};
  write_json(request.json, request.json.empty() ? std::string() : file_json(report, source));
  if (request.json != "-") write_out(file_table(report, source, style_for(stdout)));
}

}  // namespace lanescope::app
