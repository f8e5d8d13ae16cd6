#include "app/headless_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "app/interrupt.h"
#include "app/progress.h"
#include "app/run_report.h"
#include "app/screen.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "io/atomic_file.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;
using experiment::MeasuredRun;

constexpr int kDone = 0, kEndedEarly = 130;

// What a run writes, so that a mistake in a path costs no run.
void check_outputs(const RunRequest& request) {
  std::set<fs::path> seen;
  const auto check = [&](const fs::path& path) {
    if (path.empty() || path == "-") return;
    std::error_code unknown;
    const fs::file_status status = fs::status(path, unknown);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return;  // a device, a pipe
    if (!seen.insert(fs::absolute(path, unknown).lexically_normal()).second) {
      throw base::UsageError(fmt::format(
          fmt::runtime(base::tr("{} is named for two outputs; each needs a file of its own")), path.string()));
    }
    const io::AtomicFile writable(path);
  };
  check(request.json);
  check(request.trace);
  if (!request.compare.empty()) check(comparison_path(request.trace));
  check(request.screenshot);
}

// "Log interval 1, Pinned true": the settings that the two runs differ in, or those that were asked for.
std::string part_title(const workload::Settings& settings, const std::vector<std::string>& assignments) {
  std::string title;
  std::set<std::string> named;
  for (const std::string& assignment : assignments) {
    const std::string key = assignment.substr(0, assignment.find('='));
    const workload::SettingSpec* spec = settings.spec(key);
    if (spec == nullptr || !named.insert(key).second) continue;
    if (!title.empty()) title += ", ";
    title += fmt::format("{} {}", base::tr(spec->label.c_str()), workload::to_text(settings.value(key)));
    if (!spec->unit.empty()) title += ' ' + spec->unit;
  }
  return title;
}

void write_picture(const RunRequest& request, Painter& painter, const MeasuredRun& first, const MeasuredRun* second) {
  const std::vector<std::string>& named = request.compare.empty() ? request.session.assignments : request.compare;
  std::vector<Painter::Part> parts{{&first, part_title(first.settings(), named)}};
  if (second != nullptr) parts.push_back({second, part_title(second->settings(), named)});
  painter.write(request.screenshot, parts);
}

void say(const std::string& line) { fmt::print(stderr, "lanescope: {}\n", one_line(line)); }

void say_which_device(const std::string& asked, const MeasuredRun& run) {
  if (asked != "auto" || device::why_no_gpu().empty()) return;
  say(fmt::format(fmt::runtime(base::tr("no GPU: {}; simulating {}")), device::why_no_gpu(), run.facts().device_name));
}

}  // namespace

fs::path comparison_path(const fs::path& path) {
  if (path.empty()) return path;
  fs::path extension = path.extension();
  fs::path stem = path.stem();
  if (extension == ".gz" && stem.has_extension()) {
    extension = stem.extension().string() + extension.string();
    stem = stem.stem();
  }
  return path.parent_path() / (stem.string() + "-compare" + extension.string());
}

int run_headless(const RunRequest& request) {
  MeasuredRun first(request.session);
  session::SessionOptions changed = request.session;
  changed.assignments.insert(changed.assignments.end(), request.compare.begin(), request.compare.end());
  first.check(changed.assignments);
  check_outputs(request);
  std::optional<Painter> painter;
  if (!request.screenshot.empty()) painter.emplace();

  say_which_device(request.session.device, first);
  const Interrupt interrupt;
  const auto run = [&](MeasuredRun& measured) {
    Progress progress(request.session.workload, request.session.iterations);
    measured.run([&](std::uint64_t done) { progress.update(done); }, [&] { return interrupt.asked(); });
  };
  run(first);
  std::unique_ptr<MeasuredRun> second;  // a GPU is had by one run at a time
  if (!request.compare.empty() && !interrupt.asked()) {
    second = std::make_unique<MeasuredRun>(changed);
    run(*second);
  }

  const RunFigures figures = first.figures();
  const std::optional<RunFigures> other = second ? std::optional(second->figures()) : std::nullopt;
  if (interrupt.asked()) {
    const RunFigures& ended = other ? *other : figures;
    say(fmt::format(fmt::runtime(base::tr("ended early, after {} of {} iterations{}; the figures are of these")),
                    base::format_count(static_cast<std::int64_t>(ended.iterations)),
                    base::format_count(static_cast<std::int64_t>(request.session.iterations)),
                    request.compare.empty() ? ""
                    : other                 ? base::tr(" of the second run")
                                            : base::tr(" of the first run")));
  }

  if (!request.trace.empty()) {
    io::write_chrome_trace(request.trace, first.trace(), first.facts());
    if (second) io::write_chrome_trace(comparison_path(request.trace), second->trace(), second->facts());
  }
  if (!request.screenshot.empty()) write_picture(request, *painter, first, second.get());
  if (!request.json.empty()) {
    write_json(request.json, request.compare.empty() ? io::summary_json(figures) : comparison_json(figures, other));
  }
  if (request.json != "-") {
    const Style style = style_for(stdout);
    write_out(other ? comparison_table(figures, *other, style) : run_table(figures, style));
  }
  return interrupt.asked() ? kEndedEarly : kDone;
}

}  // namespace lanescope::app
