#include "io/trace_file.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/translate.h"
#include "io/byte_source.h"
#include "io/job_of_ranks.h"
#include "io/sqlite.h"

namespace lanescope::io {
namespace {

constexpr int kDeepest = 4;  // JAX writes plugins/profile/DATE/HOST.trace.json.gz

bool is_trace_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  return ends(kSessionEnding) || ends(".json") || ends(".json.gz") || ends(".json.zst") || ends(".sqlite");
}

/// JAX writes plugins/profile/RUN/HOST.trace.json.gz; the runs of one folder are not one job.
std::filesystem::path jax_runs_of(const std::filesystem::path& file) {
  const std::filesystem::path runs = file.parent_path().parent_path();
  const bool jax = runs.filename() == "profile" && runs.parent_path().filename() == "plugins";
  return jax ? runs : std::filesystem::path();
}

// Runs are named by their time, unless somebody chose another name.
std::pair<std::string, std::filesystem::file_time_type> age_of_run(const std::filesystem::path& run) {
  const std::string name = run.filename().string();
  std::error_code ignored;
  return {!name.empty() && name[0] >= '0' && name[0] <= '9' ? name : "",
          std::filesystem::last_write_time(run, ignored)};
}

// Of several runs of JAX the newest, and of each trace one file: perfetto_trace.json.gz is a copy of the one beside it.
void leave_out_what_jax_repeats(std::vector<std::filesystem::path>& files) {
  std::map<std::filesystem::path, std::filesystem::path> newest;
  std::set<std::filesystem::path> with_trace;
  for (const std::filesystem::path& file : files) {
    if (file.filename().string().ends_with(".trace.json.gz")) with_trace.insert(file.parent_path());
    const std::filesystem::path runs = jax_runs_of(file), run = file.parent_path();
    if (runs.empty()) continue;
    const auto [known, is_new] = newest.try_emplace(runs, run);
    if (!is_new && run != known->second && age_of_run(run) > age_of_run(known->second)) known->second = run;
  }
  std::erase_if(files, [&](const std::filesystem::path& file) {
    const std::filesystem::path runs = jax_runs_of(file), run = file.parent_path();
    if (!runs.empty() && newest.at(runs) != run) return true;
    return file.filename() == "perfetto_trace.json.gz" && with_trace.contains(run);
  });
}

// PyTorch, for one, writes its execution traces beside those of its profiler.
OpenedTrace read_folder(const std::filesystem::path& folder, ReadProgress* progress, const ReadLimits& limits) {
  std::vector<std::string> others;
  OpenedTrace opened = merge_ranks(read_ranks(traces_in(folder), progress, limits, &others));
  if (others.empty()) return opened;
  constexpr std::size_t kMostNamed = 3;
  std::string names = others.front();
  for (std::size_t i = 1; i < std::min(others.size(), kMostNamed); ++i) names += ", " + others[i];
  if (others.size() > kMostNamed) names += ", …";
  if (!opened.incomplete.empty()) opened.incomplete += ' ';
  opened.incomplete += others.size() == 1
                           ? base::tr("Left out, because it is no trace: {}.", names)
                           : base::tr("Left out, because they are no traces, {} files: {}.", others.size(), names);
  return opened;
}

}  // namespace

std::vector<std::filesystem::path> all_traces_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::recursive_directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    std::error_code ignored;
    if (at->is_regular_file(ignored) && is_trace_name(at->path())) files.push_back(at->path());
  }
  if (error) throw base::FileError(base::tr("{}: {}", folder.string(), error.message()));
  leave_out_what_jax_repeats(files);
  if (files.empty()) {
    throw base::FileError(
        base::tr("{}: a folder without traces (.lanescope, .json, .json.gz or .sqlite)", folder.string()));
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::filesystem::path> traces_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files = all_traces_in(folder);
  if (files.size() > kMostFiles) {
    throw base::FileError(base::tr("{}: a folder with {} traces; at most {} are opened at once", folder.string(),
                                   files.size(), kMostFiles));
  }
  return files;
}

OpenedTrace read_trace(const std::filesystem::path& path, ReadProgress* progress, const ReadLimits& limits) {
  if (std::error_code unknown; std::filesystem::is_directory(path, unknown)) {
    return read_folder(path, progress, limits);
  }
  std::vector<RankTrace> one;
  one.push_back({path.filename().string(), read_file(path, progress, limits)});
  return merge_ranks(std::move(one));
}

namespace {

// What a file is that cannot be a trace; empty: it may be JSON. Of other files "not valid JSON" would say nothing.
std::string what_it_is(std::string_view beginning, const std::string& name) {
  if (name.ends_with(".xplane.pb")) return base::tr("XProf's protobuf; JAX writes a .trace.json.gz beside it");
  if (beginning.substr(0, 100).find("\"rocprofiler-sdk-tool\"") != std::string_view::npos) {
    return base::tr("rocprofv3's own JSON; the PyTorch profiler's trace of the same program is opened");
  }
  if (beginning.starts_with("\xEF\xBB\xBF")) beginning.remove_prefix(3);
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || beginning[first] == '{' || beginning[first] == '[') return {};
  struct Kind {
    std::string_view begins;
    const char* name;
  };
  using namespace std::string_view_literals;
  constexpr std::array<Kind, 5> kKinds{{{"\x89PNG"sv, N_("a PNG picture")},
                                        {"%PDF"sv, N_("a PDF document")},
                                        {"\x7F"
                                         "ELF"sv,
                                         N_("a program or a library")},
                                        {"\x89HDF"sv, N_("an HDF5 file")},
                                        {"<"sv, N_("HTML or XML")}}};
  for (const Kind& kind : kKinds) {
    if (beginning.starts_with(kind.begins)) return base::tr(kind.name);
  }
  if (beginning.starts_with('\x0A')) return base::tr("binary data, such as the protobuf of Perfetto; it opens JSON");
  const bool text = std::ranges::all_of(beginning, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= ' ' || byte == '\t' || byte == '\r' || byte == '\n';
  });
  return text ? base::tr("text that does not begin a JSON trace") : base::tr("binary data of an unknown kind");
}

}  // namespace

OpenedTrace read_file(const std::filesystem::path& path, ReadProgress* progress, const ReadLimits& limits) {
  ByteSource source(path);
  const std::string_view beginning = source.peek();
  if (is_session_file(beginning)) return read_session(source, progress, limits);
  if (sqlite::is_database(beginning)) return read_nsys_export(path, source, progress, limits);
  if (is_nsys_report(beginning)) return read_nsys_report(source, progress, limits);
  if (const std::string other = what_it_is(beginning, path.filename().string()); !other.empty()) {
    source.fail(base::tr("not a trace: {}", other));
  }
  return read_chrome_trace(source, progress, limits);
}

OpenedTrace read_traces(const std::vector<std::filesystem::path>& files, ReadProgress* progress,
                        const ReadLimits& limits) {
  check_files(files);
  if (files.size() == 1) return read_trace(files.front(), progress, limits);
  return merge_ranks(read_ranks(files, progress, limits));
}

void write_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts,
                 const trace::CaptureHealth* health) {
  if (path.extension().string() == kSessionEnding) {
    write_session(path, trace, facts, health);
  } else {
    write_chrome_trace(path, trace, facts);
  }
}

}  // namespace lanescope::io
