#include "io/python_stacks.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace lanescope::io {
namespace {

using base::Nanoseconds;

// The profiler takes the folder of installed packages off, so that only names are left. Those of the standard library
// stand alone.
bool is_library_frame(std::string_view file) {
  if (trace::is_library_file(file)) return true;
  constexpr std::array<std::string_view, 25> kPackages = {"torch/",
                                                          "torchvision/",
                                                          "torchaudio/",
                                                          "torchdata/",
                                                          "transformers/",
                                                          "accelerate/",
                                                          "lightning/",
                                                          "datasets/",
                                                          "deepspeed/",
                                                          "apex/",
                                                          "timm/",
                                                          "numpy/",
                                                          "pytorch_lightning/",
                                                          "pandas/",
                                                          "PIL/",
                                                          "tqdm/",
                                                          "diffusers/",
                                                          "peft/",
                                                          "ignite/",
                                                          "lightning_fabric/",
                                                          "importlib/",
                                                          "concurrent/",
                                                          "multiprocessing/",
                                                          "asyncio/",
                                                          "logging/"};
  constexpr std::array<std::string_view, 10> kFiles = {"threading.py", "contextlib.py", "runpy.py", "functools.py",
                                                       "queue.py",     "typing.py",     "enum.py",  "weakref.py",
                                                       "selectors.py", "codecs.py"};
  return std::ranges::any_of(kPackages, [&](std::string_view p) { return file.starts_with(p); }) ||
         std::ranges::find(kFiles, file) != kFiles.end();
}

/// The open functions of a thread, outermost first.
class Stack {
 public:
  Stack(PythonFrames& frames, trace::CallSites& sites) : frames_(frames), sites_(sites) {}

  void open(Nanoseconds start, Nanoseconds end, trace::NameId name) {
    close(start);
    open_.push_back({end, name});
  }
  void close(Nanoseconds t) {
    while (!open_.empty() && open_.back().end <= t) open_.pop_back();
  }
  std::uint32_t site() {
    if (open_.empty()) return 0;
    Open& innermost = open_.back();
    if (innermost.looked) return innermost.site;
    stack_.clear();
    std::size_t own = trace::CallSites::kMostFrames;
    for (auto at = open_.rbegin(); at != open_.rend() && stack_.size() < trace::CallSites::kMostFrames; ++at) {
      if (own == trace::CallSites::kMostFrames && !frames_.library(at->name)) own = stack_.size();
      stack_.push_back(*frames_.frame(at->name));
    }
    innermost.looked = true;
    return innermost.site = sites_.intern(stack_, std::min(own, stack_.size()));
  }

 private:
  struct Open {
    Nanoseconds end;
    trace::NameId name;
    bool looked = false;
    std::uint32_t site = 0;
  };
  PythonFrames& frames_;
  trace::CallSites& sites_;
  std::vector<Open> open_;
  std::vector<trace::Frame> stack_;  // keeps its memory
};

}  // namespace

std::optional<PythonFrame> python_frame(std::string_view name) {
  const std::size_t function = name.find("): ");
  if (function == std::string_view::npos) return std::nullopt;
  const std::size_t open = name.rfind('(', function);
  if (open == std::string_view::npos || open == 0 || open + 1 == function) return std::nullopt;
  PythonFrame frame{name.substr(0, open), name.substr(function + 3)};
  const char* const end = name.data() + function;
  const auto [at, error] = std::from_chars(name.data() + open + 1, end, frame.line);
  if (error != std::errc{} || at != end || frame.function.empty()) return std::nullopt;
  return frame;
}

const trace::Frame* PythonFrames::frame(trace::NameId name) {
  if (name == base::NameTable::kOverflow) return nullptr;
  if (name >= known_.size()) known_.resize(std::max<std::size_t>(name + 1, trace_.names().size()));
  if (!known_[name].looked) {
    Known known{true, false, false, {}};
    if (const auto frame = python_frame(trace_.names().text(name))) {
      known.is_frame = true;
      known.library = is_library_frame(frame->file);
      known.frame = {trace_.names().intern(frame->file), trace_.names().intern(frame->function), frame->line};
    }
    known_[name] = known;
  }
  return known_[name].is_frame ? &known_[name].frame : nullptr;
}

void note_python_stacks(const EventStore& events, std::size_t ranges, trace::LaneId ranges_id,
                        std::optional<std::size_t> calls, trace::LaneId calls_id, Nanoseconds offset_ns,
                        PythonFrames& frames, trace::Trace& trace, StopCheck& stop) {
  Stack stack(frames, trace.sites());
  const std::size_t ranges_size = events.size(ranges), calls_size = calls ? events.size(*calls) : 0;
  std::size_t next_call = 0;
  const auto note_calls_before = [&](Nanoseconds t) {
    for (; next_call < calls_size; ++next_call) {
      stop();
      const Nanoseconds start = events.start(events.handle(*calls, next_call));
      if (start >= t) return;
      stack.close(start);
      trace.sites().note(calls_id, start - offset_ns, stack.site());
    }
  };
  for (std::size_t i = 0; i < ranges_size; ++i) {
    stop();
    const trace::Event e = events[events.handle(ranges, i)];
    const bool waits = (e.flags & trace::kWaitFlag) != 0;
    if (!waits && frames.frame(e.name) == nullptr) continue;
    note_calls_before(e.start_ns);
    if (waits) {
      stack.close(e.start_ns);
      trace.sites().note(ranges_id, e.start_ns - offset_ns, stack.site());
    }
    if (frames.frame(e.name) != nullptr) stack.open(e.start_ns, e.end_ns, e.name);
  }
  note_calls_before(std::numeric_limits<Nanoseconds>::max());
}

}  // namespace lanescope::io
