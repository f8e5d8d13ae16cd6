#include <atomic>
#include <csignal>

#include "base/platform/interrupt.h"

namespace lanescope::base {
namespace {

std::atomic<bool> g_asked{false};

// Which resets itself to the usual effect.
void note(int) { g_asked.store(true, std::memory_order_relaxed); }

}  // namespace

struct Interrupt::Before {
  bool ctrl_c = false;
  void (*of_int)(int) = SIG_DFL;
  void (*of_term)(int) = SIG_DFL;
};

Interrupt::Interrupt(Kind kind) : before_(std::make_unique<Before>()) {
  g_asked.store(false, std::memory_order_relaxed);
  before_->ctrl_c = kind == Kind::CtrlC;
  if (before_->ctrl_c) before_->of_int = std::signal(SIGINT, note);
  before_->of_term = std::signal(SIGTERM, note);
}

Interrupt::~Interrupt() {
  if (before_->ctrl_c) std::signal(SIGINT, before_->of_int);
  std::signal(SIGTERM, before_->of_term);
}

bool Interrupt::asked() const { return g_asked.load(std::memory_order_relaxed); }

}  // namespace lanescope::base
