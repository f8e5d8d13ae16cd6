#include "app/run_python.h"

#include "base/error.h"
#include "base/platform/child_process.h"
#include "base/translate.h"

namespace lanescope::app {

using base::tr;

std::string run_python(const std::string& python, std::string_view program) {
  const auto failed = [&](const std::string& why) { return base::Error(tr("{} failed: {}", python, why)); };
  base::ProgramRun run = base::run_program({python, "-"}, {.in = program, .quiet = false});
  if (run.error != 0) throw failed(base::system_error_text(run.error));
  if (run.killed) throw failed(tr("it was killed"));
  if (run.status != 0) throw failed(tr("exit status {}", run.status));
  return std::move(run.out);
}

}  // namespace lanescope::app
