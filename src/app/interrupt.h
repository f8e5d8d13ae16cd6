// Ctrl-C: the first one ends a run early, the second one ends the program.
#pragma once

#include <csignal>

namespace lanescope::app {

/// During its lifetime, the first SIGINT or SIGTERM is recorded; the next one has its usual effect. Only one instance
/// at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool asked() const;

 private:
  struct sigaction before_int_, before_term_;
};

}  // namespace lanescope::app
