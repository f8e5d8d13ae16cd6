// Ctrl-C: the first asks a run to end early, the second ends the program.
#pragma once

#include <csignal>

namespace lanescope::app {

/// While one lives, the first SIGINT or SIGTERM is noted; the next one acts as usual. One at a time.
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
