#include "app/attach_program.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <csignal>
#include <memory>
#include <string>

#include "app/outputs.h"
#include "app/screen.h"
#include "app/terminal.h"
#include "attach/attachment.h"
#include "base/translate.h"
#include "io/chrome_trace.h"

namespace lanescope::app {
namespace {

using base::tr;

std::atomic<attach::Attachment*> watched_program{nullptr};

/// While it lives, signals sent to this program reach the watched one. What the terminal sends reaches both anyway.
class PassOnSignals {
 public:
  explicit PassOnSignals(attach::Attachment& attachment) {
    watched_program.store(&attachment);
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    action.sa_sigaction = [](int number, siginfo_t* info, void*) {
      attach::Attachment* watched = watched_program.load();
      const bool from_terminal = info->si_code == SI_KERNEL;
      if (watched && !from_terminal) ::kill(watched->program(), number);
    };
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
  }
  ~PassOnSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    watched_program.store(nullptr);
  }
  PassOnSignals(const PassOnSignals&) = delete;
  PassOnSignals& operator=(const PassOnSignals&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, kSignals.size()> before_{};
};

io::RunFacts facts_of(const attach::Attachment& attachment) {
  io::RunFacts facts;
  for (const attach::ProcessState& process : attachment.state().processes) {
    if (facts.device_name.empty()) facts.device_name = process.gpu;
  }
  return facts;
}

int record(const AttachRequest& request, attach::Attachment& attachment) {
  check_outputs({request.record});
  attachment.start();
  int status = 0;
  {
    const PassOnSignals pass_on(attachment);
    status = attachment.wait();
  }
  const attach::AttachState state = attachment.state();
  for (const attach::Remark& remark : state.remarks) {
    if (remark.problem) say(remark.sentence);
  }
  io::write_chrome_trace(request.record, attachment.trace(), facts_of(attachment));
  return attach::Launched::exit_status(status);
}

}  // namespace

int attach_program(const AttachRequest& request) {
  const auto attachment = std::make_shared<attach::Attachment>(request.options);
  if (!request.record.empty()) return record(request, *attachment);
  WindowRequest window = request.window;
  window.attachment = attachment;
  {
    const PassOnSignals pass_on(*attachment);
    show_window(window);
    attachment->detach();
  }
  const PassOnSignals pass_on(*attachment);
  return attach::Launched::exit_status(attachment->wait());  // it goes on without the window
}

}  // namespace lanescope::app
