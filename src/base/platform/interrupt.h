// Ctrl-C: the first one ends a run early, the second one ends the program.
#pragma once

#include <memory>

namespace lanescope::base {

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
  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace lanescope::base
