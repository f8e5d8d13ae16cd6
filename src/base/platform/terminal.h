// What the standard streams are connected to, and requests to end: Ctrl-C, of which the first one ends a run early and
// the second one the program; the end of a terminal.
#pragma once

#include <cstdio>
#include <memory>

namespace lanescope::base {

bool is_terminal(std::FILE* stream);
/// It shows escape sequences.
bool has_colours(std::FILE* stream);

/// During its lifetime, the first SIGTERM or other signal of its kind is recorded; the next one has its usual effect.
/// Only one instance at a time.
class Interrupt {
 public:
  enum class Kind { CtrlC, TerminalCloses };  ///< also SIGINT; also SIGHUP
  explicit Interrupt(Kind kind = Kind::CtrlC);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool asked() const;

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace lanescope::base
