#include "io/trace_file.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>
#include <vector>

#include "base/plain_text.h"
#include "base/platform/child_process.h"
#include "base/platform/files.h"
#include "base/platform/paths.h"
#include "base/translate.h"
#include "io/byte_source.h"
#include "io/nsys_reader.h"

namespace lanescope::io {

namespace nsys {
namespace {

using base::tr;

// Longer than any name of a kernel.
constexpr std::size_t kMaxNameBytes = 32'768;
constexpr std::size_t kMaxDevices = 100'000;  // against hostile files

constexpr std::array<std::string_view, 9> kEventTables = {"CUPTI_ACTIVITY_KIND_RUNTIME",
                                                          "CUPTI_ACTIVITY_KIND_KERNEL",
                                                          "CUPTI_ACTIVITY_KIND_MEMCPY",
                                                          "CUPTI_ACTIVITY_KIND_MEMSET",
                                                          "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                                          "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                                          "NVTX_EVENTS",
                                                          "OSRT_API",
                                                          "GPU_METRICS"};
struct Unshown {
  std::string_view table;
  const char* category;
};
constexpr std::array<Unshown, 5> kUnshown = {{{"CUPTI_ACTIVITY_KIND_OVERHEAD", "cuda_overhead"},
                                              {"PROFILER_OVERHEAD", "profiler_overhead"},
                                              {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", "cuda_event"},
                                              {"COMPOSITE_EVENTS", "cpu_sample"},
                                              {"SCHED_EVENTS", "cpu_scheduling"}}};

// Any table may be missing. nvprof's databases have tables of the same names, but other columns.
bool is_export(const sqlite::Database& database) {
  const auto known = [&](std::string_view table) {
    return database.has(table, "globalTid") || database.has(table, "globalPid") || database.has(table, "typeId");
  };
  return std::ranges::any_of(kEventTables, known) || database.has("META_DATA_EXPORT") ||
         database.has("EXPORT_META_DATA");
}

}  // namespace

Reader::Reader(const sqlite::Database& database, const sqlite::Database& ahead, const ByteSource& source,
               ReadProgress& progress, const ReadLimits& limits)
    : database_(database),
      ahead_(ahead),
      threads_(limits.threads),
      progress_(progress),
      out_(source, progress, limits) {
  if (!is_export(database)) source.fail(tr("an SQLite database, but not an export of Nsight Systems"));
  if (database.has("StringIds", "id") && database.has("StringIds", "value"))
    find_string_ = database.prepare("SELECT value FROM StringIds WHERE id = ?");
  file_bytes_ = progress.total.load(std::memory_order_relaxed);
}

OpenedTrace Reader::read() {
  expect_rows();
  read_processes();
  read_threads();
  read_gpus();
  read_calls();
  read_kernels();
  read_graphs();
  read_copies();
  read_memsets();
  read_event_streams();
  read_syncs();
  read_ranges();
  read_os_calls();
  read_metrics();
  count_unshown();
  read_diagnostics();
  out_.opened().facts.version.clear();
  name_gpu();
  give_owners();
  out_.begin_arranging();
  out_.arrange();
  name_program();
  trace::Trace& trace = out_.trace();
  trace.set_complete_until(trace.extent().second);
  return std::move(out_.opened());
}

void Reader::expect_rows() {
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  for (const std::string_view table : kEventTables) {
    expected_rows_ += static_cast<std::uint64_t>(std::min(database_.last_row(table), kMost));
  }
}

void Reader::passed_row() {
  constexpr std::uint64_t kReportEvery = 4096;
  out_.stop()();
  if (++rows_ % kReportEvery != 0 || expected_rows_ == 0) return;
  const double part = std::min(1.0, static_cast<double>(rows_) / static_cast<double>(expected_rows_));
  progress_.done.store(static_cast<std::uint64_t>(part * static_cast<double>(file_bytes_)), std::memory_order_relaxed);
}

void Reader::count_read(const char* category, std::uint64_t rows) {
  if (rows > 0) out_.opened().read_by_category[category] += rows;
}

void Reader::count_skipped(const char* category, std::uint64_t rows) {
  if (rows == 0) return;
  out_.opened().events_skipped += rows;
  out_.opened().skipped_by_category[category] += rows;
}

void Reader::count_unshown() {
  for (const auto& [table, category] : kUnshown) {
    count_skipped(category, static_cast<std::uint64_t>(database_.count(table)));
  }
}

void Reader::read_processes() {
  sqlite::Rows rows(database_, "PROCESSES", {"globalPid", "name"});
  while (rows.next()) {
    const std::string_view name = rows.text(1);
    out_.name_process(pid_of(rows.integer(0)), name.substr(name.find_last_of('/') + 1));  // without its path
  }
}

void Reader::read_threads() {
  const bool processes_have_names = database_.has("PROCESSES", "name");
  sqlite::Rows rows(database_, "ThreadNames", {"globalTid", "nameId"});
  while (rows.next()) {
    const std::int64_t pid = pid_of(rows.integer(0)), tid = tid_of(rows.integer(0));
    const std::string name = string(rows.integer(1));
    if (!processes_have_names && pid == tid) out_.name_process(pid, name);  // the first thread has the program's name
    out_.name_thread(pid, tid, name);
  }
}

void Reader::read_gpus() {
  sqlite::Rows gpus(database_, "TARGET_INFO_GPU", {"id", "name", "smCount"});
  while (gpus.next() && gpus_.size() < kMaxDevices) {
    gpus_[gpus.integer(0)] = {std::string(cut(gpus.text(1), 200)), sqlite::narrowed<int>(gpus.integer(2), 0)};
  }
  // CUDA_VISIBLE_DEVICES numbers the GPUs of each process anew.
  sqlite::Rows devices(database_, "TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"});
  while (devices.next() && gpu_of_device_.size() < kMaxDevices) {
    const auto gpu = sqlite::narrowed<std::int32_t>(devices.integer(0), -1);
    if (gpu >= 0 && !devices.is_null(0)) gpu_of_device_[{devices.integer(2), devices.integer(1)}] = gpu;
  }
}

std::int32_t Reader::device_of(std::int64_t pid, std::int64_t device) const {
  const auto found = gpu_of_device_.find({pid, device});
  return found != gpu_of_device_.end() ? found->second : sqlite::narrowed<std::int32_t>(device, -1);
}

// What the profiler could not do explains what is missing here.
void Reader::read_diagnostics() {
  constexpr std::int64_t kWarning = 2, kError = 3;
  bool on_gpu = false;
  for (const trace::LaneInfo& lane : out_.lanes()) on_gpu |= trace::is_gpu_work_lane(lane.kind);
  std::string first;
  int more = 0;
  std::int64_t worst = 0;
  sqlite::Rows rows(database_, "DIAGNOSTIC_EVENT", {"severity", "text"});
  while (rows.next()) {
    const std::int64_t severity = rows.integer(0);
    if (severity != kError && (severity != kWarning || on_gpu)) continue;
    if (severity > worst) {
      if (worst > 0) ++more;
      worst = severity;
      first = without_paths(rows.text(1));
    } else {
      ++more;
    }
  }
  if (first.empty()) return;
  out_.opened().incomplete = more > 0 ? tr("Nsight Systems reported, among {} problems: {}", more + 1, first)
                                      : tr("Nsight Systems reported a problem: {}", first);
}

void Reader::name_gpu() {
  std::set<std::int32_t> used;
  for (const trace::LaneInfo& lane : out_.lanes()) {
    if (trace::is_gpu_work_lane(lane.kind)) used.insert(lane.device);
  }
  for (const std::int32_t device : used) {
    const auto gpu = gpus_.find(device);
    if (gpu == gpus_.end()) continue;
    out_.opened().facts.device_name = gpu->second.name;
    out_.opened().facts.sm_count = std::max(0, gpu->second.sm_count);
    return;
  }
}

void Reader::name_program() {
  const auto lane = std::ranges::find(out_.lanes(), trace::LaneKind::Calls, &trace::LaneInfo::kind);
  if (lane != out_.lanes().end()) out_.opened().facts.program = lane->process;
}

// GPU work belongs to the process in its row. Metrics are the machine's; they go with the first process that uses CUDA.
void Reader::give_owners() {
  std::vector<trace::LaneInfo>& lanes = out_.lanes();
  std::int64_t first = 0;
  for (const trace::LaneInfo& lane : lanes) {
    if (first == 0 && lane.kind == trace::LaneKind::Calls) first = lane.pid;
  }
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    if (trace::is_gpu_lane(lanes[l].kind)) lanes[l].pid = out_.file_process()[l];
    if (lanes[l].kind == trace::LaneKind::Counter) lanes[l].pid = first;
  }
}

bool Reader::take_times(const sqlite::RowsAhead& rows, trace::Event& event) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
  const bool valid = rows.is_integer(0) && rows.is_integer(1);
  return out_.take_times(valid ? rows.integer(0) : kNever, valid ? rows.integer(1) : kNever, event);
}

bool Reader::take_thread_lane(trace::LaneKind kind, Global thread, trace::NameId label, trace::Event& event) {
  return out_.take_lane({kind, pid_of(thread), tid_of(thread), 0, label}, event);
}

std::string Reader::string(std::int64_t string_id) {
  if (!find_string_) return {};
  sqlite3_reset(find_string_.get());
  sqlite3_bind_int64(find_string_.get(), 1, string_id);
  if (!database_.step(find_string_.get())) return {};
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(find_string_.get(), 0));
  if (text == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(find_string_.get(), 0));
  return std::string(cut({text, size}, kMaxNameBytes));
}

trace::NameId Reader::name(std::int64_t string_id) {
  const auto [known, added] = names_.try_emplace(string_id, 0);
  if (added) known->second = intern(string(string_id));
  return known->second;
}

trace::NameId Reader::call_name(std::int64_t string_id) {
  const auto [known, added] = call_names_.try_emplace(string_id, 0);
  if (added) known->second = intern(without_version(string(string_id)));
  return known->second;
}

trace::NameId Reader::intern(std::string_view text) { return out_.number_of_name(cut(text, kMaxNameBytes)); }

}  // namespace nsys

OpenedTrace read_nsys_export(const std::filesystem::path& database, ByteSource& source, ReadProgress* progress,
                             const ReadLimits& limits) {
  ReadProgress unused;
  ReadProgress& reported = progress ? *progress : unused;
  source.report_to(reported);
  try {
    const sqlite::Database opened(database, source, reported), ahead(database, source, reported);
    return nsys::Reader(opened, ahead, source, reported, limits).read();
  } catch (const std::bad_alloc&) {
    source.fail(base::tr("cannot read: out of memory"));
  }
}

// --- nsys report file ------------------------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;
using base::tr;

constexpr std::string_view kMagic = "NVIDIA Tegra Profiler Report";

/// A folder of this program's own, removed with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(base::make_temporary_folder("lanescope-nsys")) {}
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// nsys in PATH, or where its installers put it; empty if it is not here.
fs::path find_nsys() {
  if (fs::path found = base::find_program("nsys"); !found.empty()) return found;
  std::vector<fs::path> installed;
  std::error_code error;
  for (fs::directory_iterator entry("/opt/nvidia/nsight-systems", error), end; !error && entry != end;
       entry.increment(error)) {
    installed.push_back(entry->path() / "bin/nsys");
  }
  std::ranges::sort(installed, std::greater<>());  // the newest first
  installed.emplace_back("/usr/local/cuda/bin/nsys");
  const auto found = std::ranges::find_if(installed, base::is_program);
  return found != installed.end() ? *found : fs::path();
}

/// True if it ended well. Ends it and throws Cancelled if a stop is requested.
bool run(const std::vector<std::string>& command, const ReadProgress& progress) {
  const base::ProgramRun run =
      base::run_program(command, {.enough = [&progress] { return progress.cancelled.load(); }});
  if (progress.cancelled) throw Cancelled("");
  return run.well();
}

}  // namespace

bool is_nsys_report(std::string_view beginning) { return beginning.starts_with(kMagic); }

std::string nsys_report_version(std::string_view beginning) {
  if (!is_nsys_report(beginning)) return {};
  beginning.remove_prefix(kMagic.size());
  beginning.remove_prefix(std::min(beginning.size(), beginning.find_first_not_of(' ')));
  std::string version;
  for (const char c : beginning.substr(0, std::min<std::size_t>(32, beginning.find('-')))) {
    if (c != '@' && (c < '0' || c > '9')) break;
    version += c == '@' ? '.' : c;
  }
  // The last number is that of a build.
  if (std::ranges::count(version, '.') >= 3) version.resize(version.rfind('.'));
  return version;
}

OpenedTrace read_nsys_report(ByteSource& source, ReadProgress* progress, const ReadLimits& limits) {
  ReadProgress unused;
  ReadProgress& reported = progress ? *progress : unused;
  const std::string said = nsys_report_version(source.peek());
  const std::string version = said.empty() ? "(?)" : said;
  const fs::path report = source.path();
  fs::path beside = report;
  const std::string by_hand = base::shell_words(
      {"nsys", "export", "--type", "sqlite", "-o", beside.replace_extension(".sqlite").string(), report.string()});
  const fs::path nsys = find_nsys();
  if (nsys.empty()) {
    source.fail(
        tr("a report of Nsight Systems {}, which only its own program can read, and nsys is not installed here; "
           "open what this command makes of it: {}",
           version, by_hand));
  }
  const TemporaryFolder folder;
  if (folder.path().empty()) source.fail(tr("cannot write a temporary file"));
  const fs::path database = folder.path() / "export.sqlite";
  const auto exported_with = [&](const std::vector<std::string>& options) {
    std::vector<std::string> command = {nsys.string(), "export", "--type", "sqlite"};
    command.insert(command.end(), options.begin(), options.end());
    for (const std::string& word : {std::string("-o"), database.string(), fs::absolute(report).string()}) {
      command.push_back(word);
    }
    return run(command, reported);
  };
  // Old versions do not know that option.
  const bool exported = exported_with({"--lazy=true"}) || exported_with({});
  std::error_code missing;
  if (!exported || fs::file_size(database, missing) == 0 || missing) {
    source.fail(
        tr("a report of Nsight Systems {}, which {} cannot export; an older nsys cannot read a newer report. By "
           "hand: {}",
           version, nsys.string(), by_hand));
  }
  return read_nsys_export(database, source, &reported, limits);
}

}  // namespace lanescope::io
