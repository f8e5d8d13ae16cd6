#include "io/trace_file.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/translate.h"
#include "io/byte_source.h"
#include "io/merge_ranks.h"
#include "io/nsys_read.h"
#include "io/nsys_report_file.h"
#include "io/sqlite.h"

namespace lanescope::io {
namespace {

constexpr std::size_t kMostFiles = 1024;
constexpr int kDeepest = 4;  // JAX writes plugins/profile/DATE/HOST.trace.json.gz

bool is_trace_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  return ends(kSessionEnding) || ends(".json") || ends(".json.gz") || ends(".sqlite");
}

OpenedTrace read_folder(const std::filesystem::path& folder, ReadProgress* progress, const ReadLimits& limits) {
  std::vector<RankTrace> ranks;
  for (const std::filesystem::path& file : traces_in(folder)) {
    ranks.push_back({file.filename().string(), read_trace(file, progress, limits)});
  }
  return merge_ranks(std::move(ranks));
}

}  // namespace

std::vector<std::filesystem::path> traces_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::recursive_directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    std::error_code ignored;
    if (at->is_regular_file(ignored) && is_trace_name(at->path())) files.push_back(at->path());
  }
  if (error) throw base::FileError(base::tr("{}: {}", folder.string(), error.message()));
  if (files.empty()) {
    throw base::FileError(
        base::tr("{}: a folder without traces (.lanescope, .json, .json.gz or .sqlite)", folder.string()));
  }
  if (files.size() > kMostFiles) {
    throw base::FileError(base::tr("{}: a folder with {} traces; at most {} are opened at once", folder.string(),
                                   files.size(), kMostFiles));
  }
  std::ranges::sort(files);
  return files;
}

OpenedTrace read_trace(const std::filesystem::path& path, ReadProgress* progress, const ReadLimits& limits) {
  if (std::error_code unknown; std::filesystem::is_directory(path, unknown)) return read_folder(path, progress, limits);
  ByteSource source(path);
  const std::string_view beginning = source.peek();
  if (is_session_file(beginning)) return read_session(source, progress, limits);
  if (sqlite::is_database(beginning)) return read_nsys_export(path, source, progress, limits);
  if (is_nsys_report(beginning)) return read_nsys_report(source, progress, limits);
  return read_chrome_trace(source, progress, limits);
}

void write_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts,
                 const trace::CaptureHealth* health) {
  if (path.extension() == kSessionEnding) {
    write_session(path, trace, facts, health);
  } else {
    write_chrome_trace(path, trace, facts);
  }
}

}  // namespace lanescope::io
