#include "io/nsys_report_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/plain_text.h"
#include "base/platform/child_process.h"
#include "base/platform/files.h"
#include "base/platform/paths.h"
#include "base/translate.h"
#include "io/byte_source.h"
#include "io/nsys_read.h"

namespace lanescope::io {
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
