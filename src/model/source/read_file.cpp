#include "model/source/read_file.h"

#include <limits>
#include <system_error>
#include <utility>

#include "analysis/run_figures.h"
#include "io/byte_source.h"
#include "io/job_of_ranks.h"
#include "io/trace_file.h"
#include "model/source/file_source.h"
#include "model/source/job_folder.h"

namespace lanescope::ui {
namespace {

using base::Nanoseconds;

constexpr std::size_t kEventsAtOnce = 500'000;  // some tens of milliseconds: cancelling takes no longer

// Analyses everything, in pieces between which it can be cancelled.
void analyse_all(analysis::LiveAnalysis& analysis, const trace::Trace& trace, FileProgress& progress) {
  const auto [from, to] = trace.extent();
  const double span = static_cast<double>(to) - static_cast<double>(from);
  progress.analysing = true;
  while (!analysis.update(std::numeric_limits<Nanoseconds>::max(), kEventsAtOnce)) {
    if (progress.reading.cancelled) throw io::Cancelled("");
    const double done = static_cast<double>(analysis.analysed_until()) - static_cast<double>(from);
    progress.analysed = span > 0 ? static_cast<float>(done / span) : 0;
  }
  progress.analysed = 1;
  if (progress.reading.cancelled) throw io::Cancelled("");
  analysis.finish();
}

void check_readable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    io::traces_in(path);
    return;
  }
  if (std::filesystem::is_fifo(path, ignored) || std::filesystem::is_character_file(path, ignored)) return;
  io::ByteSource{path};  // reads the first piece
}

}  // namespace

void check_readable(const std::vector<std::filesystem::path>& files) {
  if (opens_as_job(files)) return;
  io::check_files(files);
  for (const std::filesystem::path& path : files) check_readable(path);
}

ReadFile read_files(const std::vector<std::filesystem::path>& files, FileProgress* progress) {
  io::OpenedTrace opened = io::read_traces(files, progress ? &progress->reading : nullptr);
  return analysed(std::make_unique<FileSource>(std::move(opened), files), progress);
}

ReadFile read_recorded(const RecordedCapture& capture, FileProgress* progress) {
  const std::string name = std::string(kRecordedPrefix) + capture.name;
  io::OpenedTrace opened = io::read_chrome_trace(capture.bytes, name, progress ? &progress->reading : nullptr);
  return analysed(std::make_unique<RecordedSource>(std::move(opened), capture), progress);
}

ReadFile analysed(std::unique_ptr<Source> source, FileProgress* progress) {
  FileProgress unseen;
  ReadFile file;
  file.source = std::move(source);
  const trace::Trace& trace = file.source->trace();
  file.analysis = std::make_unique<analysis::LiveAnalysis>(trace);
  analyse_all(*file.analysis, trace, progress ? *progress : unseen);
  analysis::Account account = account_of(trace, *file.analysis, analysis::conditions_of(file.source->facts()));
  file.whole = std::move(account.summary);
  file.once = std::move(account.once);
  const auto [from, to] = trace.extent();
  file.stale_reads = count_stale_reads(trace, from, to + 1);
  return file;
}

std::int64_t count_stale_reads(const trace::Trace& trace, Nanoseconds from, Nanoseconds to) {
  const trace::Trace::ReadLock lock(trace);
  std::int64_t count = 0;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
    if (lane.info().kind != trace::LaneKind::Phases) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const trace::EventIndex first = row.first(), last = row.last();
      // Stale reads have their own lane, so its first event identifies it.
      if (first == last || !trace::is_stale_read(row.untimed_event(first))) continue;
      count += static_cast<std::int64_t>(row.first_starting_at_or_after(to, first, last) -
                                         row.first_starting_at_or_after(from, first, last));
    }
  }
  return count;
}

}  // namespace lanescope::ui
