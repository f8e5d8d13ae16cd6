#include "app/attach_program.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "app/outputs.h"
#include "app/screen.h"
#include "app/terminal.h"
#include "attach/attachment.h"
#include "base/error.h"
#include "base/translate.h"
#include "io/trace_file.h"

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

/// While it lives, a thread appends to a session file what the program sends, so that little is lost if the machine or
/// this program stops.
class RecordingFile {
 public:
  RecordingFile(const std::filesystem::path& path, const attach::Attachment& attachment)
      : attachment_(attachment), writer_(path, attachment.trace()), thread_([this] { follow(); }) {}
  ~RecordingFile() { stop(); }
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  /// Call when all has arrived. Throws base::FileError, also if appending failed earlier.
  void finish() {
    stop();
    const trace::CaptureHealth health = attachment_.state().health;
    writer_.finish(facts_of(attachment_), &health);
  }

 private:
  static constexpr std::chrono::seconds kEvery{1};

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    stopped_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void follow() {
    try {
      std::unique_lock lock(mutex_);
      while (!stopped_.wait_for(lock, kEvery, [this] { return stop_; })) {
        const trace::CaptureHealth health = attachment_.state().health;
        writer_.append(facts_of(attachment_), &health);
      }
    } catch (const base::Error&) {  // finish() throws it again; the program goes on
    }
  }

  const attach::Attachment& attachment_;
  io::SessionWriter writer_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

int record(const AttachRequest& request, attach::Attachment& attachment) {
  check_outputs({request.record});
  std::unique_ptr<RecordingFile> file;
  if (request.record.extension() == io::kSessionEnding) {
    file = std::make_unique<RecordingFile>(request.record, attachment);
  }
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
  if (file) {
    file->finish();
  } else {
    io::write_trace(request.record, attachment.trace(), facts_of(attachment), &state.health);
  }
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
