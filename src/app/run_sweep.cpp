#include "app/run_sweep.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/headless_run.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/screen.h"
#include "app/sweep_report.h"
#include "app/terminal.h"
#include "base/platform/terminal.h"
#include "base/translate.h"

namespace lanescope::app {
namespace {

constexpr std::chrono::milliseconds kSweepLook{5};

}  // namespace

int run_sweep(const SweepRequest& request) {
  experiment::Sweep sweep(request.spec);
  check_outputs({request.csv, request.json, request.screenshot.file});
  std::optional<SweepPainter> painter;
  if (!request.screenshot.file.empty()) painter.emplace(request.screenshot);
  explain_device_choice(request.spec.device);

  const base::Interrupt interrupt;
  {
    Progress progress(request.spec.workload, request.spec.points(), base::tr("points"));
    sweep.start();
    while (sweep.running()) {
      sweep.advance();
      progress.update(sweep.done());
      if (interrupt.asked()) sweep.cancel();
      std::this_thread::sleep_for(kSweepLook);
    }
    sweep.wait();
  }

  const std::vector<experiment::SweepPoint> points = sweep.points();
  const SweepReport report{.spec = sweep.spec(), .points = points, .unit = sweep.unit(), .title = request.title};
  const bool whole = std::all_of(points.begin(), points.end(), [](const auto& point) { return point.done; });
  if (!whole) say(base::tr("ended early; the points that have run are kept"));
  if (!request.csv.empty()) write_json(request.csv, experiment::sweep_csv(sweep.spec(), points));
  if (!request.json.empty()) write_json(request.json, sweep_json(report));
  if (!request.screenshot.file.empty()) painter->write(sweep.spec(), points, report.unit, request.title);
  if (request.csv != "-" && request.json != "-") write_words(sweep_table(report, style_for(stdout)));
  for (const std::string& failure : failures(report)) say(failure);
  if (!whole) return kEndedEarly;
  return std::any_of(points.begin(), points.end(), [](const auto& point) { return !point.error.empty(); }) ? kFailed
                                                                                                           : kDone;
}

}  // namespace lanescope::app
