// What stands behind the numbers in the messages of a process: texts, frames, stacks and launch shapes, which the
// library sends once each, before the first message that refers to it; lines of source files; the number by which a
// thread is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "attach/loop_watch.h"
#include "capture/messages.h"
#include "trace/names.h"
#include "trace/trace.h"

namespace lanescope::attach {

class SourceLines {
 public:
  /// Relative paths are relative to this folder, the program's working directory.
  explicit SourceLines(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The file as a path on this machine, if it is there.
  std::optional<std::filesystem::path> find(std::string_view file) const;
  /// The line without the white space around it and a comment at its end, at most `most` characters; empty if the file
  /// cannot be read. Lines count from 1.
  std::string line(std::string_view file, std::uint32_t line, std::size_t most = 48);
  /// The lines of the loops (`for`, `while`) around this line in the same function, outermost first: those above that
  /// are indented less, and the line itself if it is one. Empty if there are none, or the file cannot be read.
  std::vector<std::uint32_t> loops_around(std::string_view file, std::uint32_t line);

 private:
  const std::vector<std::string>& lines(std::string_view file);

  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>, std::less<>> files_;
};

// --- thread numbers --------------------------------------------------------------------------------------------------
// The number by which a thread is shown: its own, or that of one that has ended, in whose lanes it goes on. Otherwise a
// program that starts a thread for each piece of work, as loaders do each epoch, would have ever more lanes.

class ThreadNumbers {
 public:
  /// Beyond these, threads are shown by their own numbers.
  static constexpr std::size_t kMost = 4096;
  /// Larger than any number of the system's.
  static constexpr std::uint32_t kFirstMadeUp = 1u << 22;

  std::uint32_t shown(std::uint32_t thread) const {
    const auto found = alive_.find(thread);
    return found == alive_.end() ? thread : found->second.shown;
  }
  /// The thread has begun, or has another name now. Returns shown().
  std::uint32_t begins(std::uint32_t thread, const std::string& name);
  /// Returns shown() until now, which is free from here on; empty: nothing is known of the thread.
  std::optional<std::uint32_t> ends(std::uint32_t thread);

 private:
  struct Named {
    std::uint32_t shown;
    std::string name;
  };
  std::unordered_map<std::uint32_t, Named> alive_;  // by the system's numbers
  std::unordered_set<std::uint32_t> taken_;         // what they are shown by
  std::vector<Named> ended_;
  std::uint32_t made_up_ = kFirstMadeUp;
};

// --- vocabulary ------------------------------------------------------------------------------------------------------
// What the numbers in the messages of a process stand for: the library sends each text, frame, stack and launch shape
// once, before the first message that refers to it. Nothing in a message is trusted.

using capture::Message;
using capture::OpenCallEntry;
using capture::RingReader;

class Vocabulary : public capture::Words {
 public:
  struct Frame {
    trace::Frame place;
    FramePlace loop_place;
    bool library = true;
    bool ours = false;  // of inject/knobs.py
  };
  struct Stack {
    std::vector<std::uint32_t> frames;  // innermost first; each is known
    std::uint32_t site = 0;             // in the trace
    std::size_t own = 0;                // the first of the user's frames; frames.size(): none
  };

  /// Both must outlive it.
  Vocabulary(trace::Trace& trace, trace::EventSink& sink) : Words(sink), trace_(trace) {}

  /// A message of kind Text, Frame, Stack or Shape. One that cannot be right is ignored.
  void learn(const Message& message);

  const Frame* frame(std::uint32_t id) const { return id < frames_.size() ? &frames_[id] : nullptr; }
  const Frame& known_frame(std::uint32_t id) const { return frames_[id]; }  ///< for one of a known stack
  const Stack* stack(std::uint32_t id) const { return id < stacks_.size() ? &stacks_[id] : nullptr; }

 private:
  void learn_frame(const Message& message);
  void learn_stack(const Message& message);

  trace::Trace& trace_;
  std::vector<Frame> frames_{1};
  std::vector<Stack> stacks_{1};
};

}  // namespace lanescope::attach
