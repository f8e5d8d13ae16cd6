// What the numbers in the messages of a process stand for: the library sends each text, frame, stack and launch shape
// once, before the first message that refers to it. Nothing in a message is trusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attach/loop_watch.h"
#include "attach/ring_reader.h"
#include "trace/names.h"
#include "trace/trace.h"

namespace lanescope::attach {

class Vocabulary {
 public:
  struct Frame {
    trace::Frame place;
    FramePlace loop_place;
    bool library = true;
  };
  struct Stack {
    std::vector<std::uint32_t> frames;  // innermost first; each is known
    std::uint32_t site = 0;             // in the trace
    std::size_t own = 0;                // the first of the user's frames; frames.size(): none
  };
  struct Call {
    base::NameId name = 0;
    trace::CallNature nature = trace::CallNature::Other;
    std::uint8_t traits = 0;
    bool launches = false, launches_graph = false;  // kernels, or graphs of them
    bool known = false;
  };

  /// Both must outlive it.
  Vocabulary(trace::Trace& trace, trace::EventSink& sink);

  /// A message of kind Text, Frame, Stack or Shape. One that cannot be right is ignored.
  void learn(const Message& message);

  /// The name's number in the trace; that of "(no name)" if the trace has no room for another one.
  base::NameId name(std::string_view text);
  const std::string& text(std::uint32_t id) const { return texts_[id < texts_.size() ? id : 0]; }  ///< empty: unknown
  const Frame* frame(std::uint32_t id) const { return id < frames_.size() ? &frames_[id] : nullptr; }
  const Frame& known_frame(std::uint32_t id) const { return frames_[id]; }  ///< for one of a known stack
  const Stack* stack(std::uint32_t id) const { return id < stacks_.size() ? &stacks_[id] : nullptr; }
  Call call(const wire::CallMessage& sent);
  base::NameId kernel(std::uint32_t text_id);   ///< the name that is shown
  std::uint32_t shape(std::uint32_t id) const;  ///< in the trace; LaunchTable::kNone: unknown

 private:
  void learn_text(const Message& message);
  void learn_frame(const Message& message);
  void learn_stack(const Message& message);
  void learn_shape(const Message& message);

  trace::Trace& trace_;
  trace::EventSink& sink_;
  const base::NameId no_name_;
  std::vector<std::string> texts_{1};
  std::vector<Frame> frames_{1};
  std::vector<Stack> stacks_{1};
  std::unordered_map<std::uint32_t, std::uint32_t> shapes_;  // the library's number -> the trace's
  std::unordered_map<std::uint32_t, Call> calls_;            // by wire::CallMessage::api
  std::unordered_map<std::uint32_t, base::NameId> kernels_;  // by text
};

}  // namespace lanescope::attach
