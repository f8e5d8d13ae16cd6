// A program that is watched, and what its library sends: a small reader of src/inject/wire.h for tests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inject/wire.h"

namespace lanescope::inject_tests {

/// How long a test waits at most for what must come.
inline constexpr int kPatience_ms = 30'000;

struct Place {
  std::string file, function;
  std::uint32_t line = 0;
  std::uint32_t code = 0, offset = 0;  // as in wire::FrameMessage
};
struct Call : wire::CallMessage {
  std::string text;
  bool lent = false;
};
struct Operation : wire::OperationMessage {
  std::string text;
  std::uint16_t shape_registers = 0;
};
struct Range : wire::RangeMessage {
  std::string text, domain_text;
  std::optional<wire::CollectivePayload> nccl;
};

/// All that a process has sent.
struct Messages {
  std::map<std::uint32_t, std::string> texts;
  std::map<std::uint32_t, Place> frames;
  std::map<std::uint32_t, std::vector<std::uint32_t>> stacks;
  std::map<std::uint32_t, std::string> threads;
  std::map<std::uint32_t, wire::ShapeMessage> shapes;
  std::vector<Call> calls;
  std::vector<Operation> kernels, copies;
  std::vector<wire::SyncMessage> syncs;
  std::vector<wire::ContextMessage> contexts;
  std::vector<wire::StreamMessage> streams;
  std::vector<std::string> devices;
  std::vector<Range> ranges;
  std::vector<wire::RecordingMessage> recordings;
  std::vector<wire::SampleMessage> samples;
  std::vector<std::uint32_t> forked, ended;
  std::vector<std::string> knobs;     ///< lines as in "Knobs" of wire.h
  std::vector<std::string> problems;  ///< of the stream itself: an id used before it was defined, a wrong length

  const Call* call(std::uint32_t correlation) const;
  /// The innermost frame of a stack that is in this file; line 0 if there is none.
  Place place(std::uint32_t stack, const std::string& file) const;
  std::string lines(std::uint32_t stack) const;  ///< "f:3 < g:7", innermost first
};

/// One process that has said Hello. Messages are read by read().
class Process {
 public:
  Process(int connection, int file, const wire::Hello& hello);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const wire::Hello hello;
  wire::Memory& memory() { return *memory_; }
  wire::State state() const { return static_cast<wire::State>(memory_->status.state.load(std::memory_order_acquire)); }
  wire::Python python() const {
    return static_cast<wire::Python>(memory_->status.python.load(std::memory_order_acquire));
  }
  /// Sets the level, and wakes the library.
  void level(wire::Level level);
  void wake();
  /// Permits to turn the program's knobs, or not.
  void permit_knobs(bool permitted);
  /// A line for inject/knobs.py.
  void command(const std::string& line);
  /// Reads what there is; keeps it in `messages`.
  void read();
  /// Reads until it is true; false if that does not come.
  bool until(const std::function<bool()>& condition, int patience_ms = kPatience_ms);
  /// The process has closed its end.
  bool ended();
  /// As a viewer that dies.
  void hang_up();

  Messages messages;

 private:
  void take(const wire::Slot& first, const std::string& content);
  int connection_;
  wire::Memory* memory_;
  std::uint64_t at_ = 0;
};

/// A socket that programs connect to, and a program.
class Viewer {
 public:
  Viewer();
  ~Viewer();
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  std::string python = LANESCOPE_PYTHON;
  std::map<std::string, std::string> environment;  ///< in addition; an empty value removes a variable
  wire::Level first_level = wire::Level::Waits;    ///< set before the Hello is answered
  const std::string& folder() const { return folder_; }
  const std::string& socket_path() const { return socket_; }

  /// Starts Python with this script, in a folder of its own with fake_gpu.py on its path; the script's path is
  /// script().
  void start(const std::string& script);
  std::string script() const { return folder_ + "/script.py"; }
  /// The next process that says Hello; null if none comes.
  Process* process(int patience_ms = kPatience_ms);
  /// Lets a script go on that waits in `input()`.
  void say(const std::string& line);
  /// Waits for the program's end; returns its status as of waitpid.
  int wait();
  void kill(int signal);
  pid_t pid() const { return pid_; }
  std::string output();                         ///< what the program has printed so far, errors too
  bool until_printed(const std::string& text);  ///< and the rest of the line

 private:
  std::string folder_, socket_;
  int listener_ = -1, input_ = -1;
  pid_t pid_ = -1;
  int status_ = -1;
  std::vector<Process*> processes_;
};

}  // namespace lanescope::inject_tests
