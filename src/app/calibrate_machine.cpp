#include "app/commands.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "app/table.h"
#include "app/terminal_output.h"
#include "base/error.h"
#include "base/plain_text.h"
#include "base/platform/child_process.h"
#include "base/translate.h"
#include "calibration/calibrate.h"
#include "device/catalogue.h"
#include "io/atomic_file.h"

namespace lanescope::app {
namespace {

using base::tr;

constexpr std::size_t kWidth = 100;

/// What `python` prints when it runs `program`; its errors go to ours. Throws base::Error if it cannot be started or
/// fails.
std::string run_python(const std::string& python, std::string_view program) {
  const auto failed = [&](const std::string& why) { return base::Error(tr("{} failed: {}", python, why)); };
  base::ProgramRun run = base::run_program({python, "-"}, {.in = program, .quiet = false});
  if (run.error != 0) throw failed(base::system_error_text(run.error));
  if (run.killed) throw failed(tr("it was killed"));
  if (run.status != 0) throw failed(tr("exit status {}", run.status));
  return std::move(run.out);
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

// The most interesting results; the rest is in the file.
std::string summary(const calibration::Calibration& found) {
  std::vector<Definition> lines;
  for (const device::sim::DeviceProfile::Number& number : found.profile.numbers) {
    lines.push_back({number.key, {fmt::format("{:.6g}", number.value), number.source}});
  }
  return definition_list(lines, kWidth, style_for(stdout));
}

}  // namespace

void calibrate_machine(const CalibrateRequest& request) {
  if (request.device == device::kAutoDevice && !device::why_no_gpu().empty()) {
    throw base::UsageError(tr("calibrate: {}; --device sim:PROFILE measures a simulated device", device::why_no_gpu()));
  }
  device::describe_device(request.device);
  io::AtomicFile file(request.out);  // opened first, so that a wrong path does not cost a minute

  calibration::CalibrationRequest calibrate;
  calibrate.make = [&](trace::EventSink& sink, trace::CaptureLevel capture) {
    device::DeviceContext context;
    context.sink = &sink;
    context.capture = capture;
    return device::make_device(request.device, std::move(context));
  };
  calibrate.date = today();
  calibrate.progress = [](const std::string& what) { say(tr("measuring {}", what)); };
  calibration::Calibration found = calibration::calibrate(calibrate);
  if (!request.torch.empty()) {
    calibrate.progress(tr("PyTorch"));
    const std::string output = run_python(request.torch, calibration::torch_costs_program());
    calibration::add_torch_costs(found.profile, output, calibrate.date);
  }
  file.write(calibration::to_toml(found));
  file.commit();
  write_words(summary(found));
  say(tr("wrote {}; try: {}", request.out.string(),
         base::shell_words({"lanescope", "--device", "sim:" + request.out.string()})));
}

}  // namespace lanescope::app
