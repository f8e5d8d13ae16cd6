// Unusual endings: exit without stop(), fork(), a CUPTI that does not return. Each in a separate process, which reports
// the result by its exit status.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "cupti/capture_rig.h"
#include "cupti/fake_cupti.h"

namespace lanescope::capture::cupti {
namespace {

using ::testing::ExitedWithCode;

constexpr CUpti_CallbackId kExitMalloc = CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020;
constexpr int kWell = 7;

// Objects of a process that leaves all of them alive.
FakeCupti* g_fake = nullptr;
KeepingSink* g_sink = nullptr;
CuptiCapture* g_session = nullptr;

void start() {
  g_fake = new FakeCupti;
  g_sink = new KeepingSink;
}

class Exit : public ::testing::Test {
 protected:
  Exit() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // restarts the program
    // What is left alive is not a leak here, and a leak check can hang in a fork of a program with threads.
    const char* options = std::getenv("ASAN_OPTIONS");
    setenv("ASAN_OPTIONS", ((options ? std::string(options) + ":" : "") + "detect_leaks=0").c_str(), 1);
  }
};

void forget_to_stop() {
  start();
  // Runs after the session's exit handler, as CUPTI's own does.
  std::atexit([] {
    const std::vector<std::string> journal = g_fake->journal();
    const auto at = [&](const char* entry) { return std::find(journal.begin(), journal.end(), entry); };
    const bool well = at("disable 10") < at("flush 1") && at("flush 1") < at("unsubscribe") &&
                      at("unsubscribe") != journal.end() && g_sink->size() == 31;  // 30, and the unfinished one
    _exit(well ? kWell : 1);
  });
  g_session = new CuptiCapture(g_fake->table(), *g_sink, small_buffers());
  for (int i = 0; i < 30; ++i) g_fake->call(kExitMalloc);
  g_fake->begin_record();
  std::exit(0);
}
TEST_F(Exit, StopsWhatNobodyHasStopped) { EXPECT_EXIT(forget_to_stop(), ExitedWithCode(kWell), ""); }

void exit_while_flush_hangs() {
  start();
  std::atexit([] { _exit(kWell); });
  static std::atomic<bool> hangs{false};
  g_fake->in_flush = [] {
    hangs = true;
    while (true) pause();
  };
  g_session = new CuptiCapture(g_fake->table(), *g_sink, small_buffers());
  until([] { return hangs.load(); });
  alarm(10);  // if the exit hangs, too
  std::exit(0);
}
TEST_F(Exit, DoesNotWaitForACuptiThatHangs) { EXPECT_EXIT(exit_while_flush_hangs(), ExitedWithCode(kWell), ""); }

// The child has only a copy of the flusher, in the middle of a flush: it must neither call CUPTI nor wait for threads.
void fork_in_flush() {
  start();
  static std::atomic<pid_t> child{0};
  static std::atomic<bool> armed{false};
  g_fake->in_flush = [] {
    if (child != 0 || !armed) return;
    const pid_t pid = fork();
    if (pid != 0) {
      child = pid;
      return;
    }
    alarm(10);
    const std::uint64_t flushes = g_fake->flushes();
    std::size_t size = 1;
    bool well = g_fake->ask_for_buffer(&size) == nullptr && size == 0;
    g_session->flush();
    g_session->stop();
    well = well && g_session->open_calls().empty();
    g_session->health();
    CuptiCapture another(g_fake->table(), *g_sink, small_buffers());
    well = well && another.health().state == trace::CaptureState::Unavailable;
    delete g_session;
    well = well && g_fake->flushes() == flushes;
    _exit(well ? 0 : 1);
  };
  g_session = new CuptiCapture(g_fake->table(), *g_sink, small_buffers());
  armed = true;
  until([] { return child != 0; });
  int status = -1;
  waitpid(child, &status, 0);
  g_fake->call(kExitMalloc);
  g_session->flush();
  const bool parent_well = g_session->health().calls == 1;
  g_session->stop();
  _exit(status == 0 && parent_well ? kWell : 1);
}
TEST_F(Exit, AForkedChildLeavesEverythingAlone) { EXPECT_EXIT(fork_in_flush(), ExitedWithCode(kWell), ""); }

// The same child, but it exits normally: the handler that stops sessions runs in it.
void fork_and_exit() {
  start();
  g_session = new CuptiCapture(g_fake->table(), *g_sink, small_buffers());
  g_fake->call(kExitMalloc);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(10);
    std::exit(0);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  g_session->flush();
  const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0 && g_session->health().calls == 1;
  g_session->stop();
  _exit(well ? kWell : 1);
}
TEST_F(Exit, AForkedChildExitsInPeace) { EXPECT_EXIT(fork_and_exit(), ExitedWithCode(kWell), ""); }

}  // namespace
}  // namespace lanescope::capture::cupti
