#include "base/platform/terminal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "base/platform/paths.h"

namespace lanescope::base {

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

bool has_colours(std::FILE* stream) {
  const std::string term = environment("TERM");
  return is_terminal(stream) && !term.empty() && term != "dumb";
}

namespace {

std::atomic<bool> g_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

void note(int) { g_asked.store(true, std::memory_order_relaxed); }

void install(int signal, struct sigaction& before) {
  sigaction(signal, nullptr, &before);
  // A shell's background job must not react to Ctrl-C, and a window that passes signals on goes on doing so.
  if (before.sa_handler != SIG_DFL) return;
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

struct Interrupt::Before {
  int other = SIGINT;
  struct sigaction of_other = {}, of_term = {};
};

Interrupt::Interrupt(Kind kind) : before_(std::make_unique<Before>()) {
  g_asked.store(false, std::memory_order_relaxed);
  before_->other = kind == Kind::CtrlC ? SIGINT : SIGHUP;
  install(before_->other, before_->of_other);
  install(SIGTERM, before_->of_term);
}

Interrupt::~Interrupt() {
  sigaction(before_->other, &before_->of_other, nullptr);
  sigaction(SIGTERM, &before_->of_term, nullptr);
}

bool Interrupt::asked() const { return g_asked.load(std::memory_order_relaxed); }

}  // namespace lanescope::base
