// The loops and iterations of a watched process.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "attach/watched_process.h"

namespace lanescope::attach {
namespace {

std::string_view process_file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

const FramePlace& WatchedProcess::loop_place(std::uint32_t frame) {
  const auto known = loop_places_.find(frame);
  if (known != loop_places_.end()) return known->second;
  const Vocabulary::Frame& at = words_.known_frame(frame);
  FramePlace place = at.loop_place;
  const std::string_view file = trace_.names().text(at.place.file);
  const std::vector<std::uint32_t> lines = source_.loops_around(file, at.place.line);
  // From backward() the functions of many operations are called, without a loop in Python.
  place.read = !source_.line(file, at.place.line).empty() &&
               trace_.names().text(at.place.function).find("backward") == std::string_view::npos;
  for (std::size_t i = 0; i < std::min(lines.size(), place.loops.size()); ++i) {
    place.loops.at(i) = lines[i];
    if (source_.line(file, lines[i]).find("epoch") != std::string::npos) place.epochs |= 1u << i;
  }
  return loop_places_[frame] = place;
}

std::string WatchedProcess::line_name(const Vocabulary::Frame& at) {
  const std::string file(trace_.names().text(at.place.file));
  const std::string source = source_.line(file, at.place.line);
  std::string name = fmt::format("{}:{}", process_file_name(file), at.place.line);
  return source.empty() ? fmt::format("{} {}()", name, trace_.names().text(at.place.function)) : name + "  " + source;
}

// A library may run code of its own on other threads, which make more calls than the user's: backward() of a compiled
// model does.
WatchedProcess::Thread* WatchedProcess::loop_thread() {
  // One that only copies feeds the one that launches kernels.
  const auto weight = [](const Thread& thread) {
    return std::tuple(thread.own_launches, thread.own_calls, thread.loops.calls());
  };
  Thread* most = nullptr;
  for (auto& [tid, thread] : threads_) {
    if (!thread.loops.counted() && !thread.loops.undecided()) continue;
    if (!most || weight(thread) > weight(*most)) most = &thread;
  }
  return most && most->loops.counted() ? most : nullptr;
}

void WatchedProcess::write_iterations(Thread& thread, std::uint32_t tid,
                                      const std::vector<LoopWatch::Iteration>& iterations) {
  if (steps_.found() || &thread != loop_thread()) return;
  for (const LoopWatch::Iteration& iteration : iterations) {
    const Nanoseconds length = iteration.end_ns - iteration.start_ns;
    const auto nth = [&](std::uint32_t n) { return iteration.start_ns + length * n / iteration.rounds; };
    for (std::uint32_t n = 0; n < iteration.rounds; ++n) write_iteration(thread, tid, {nth(n), nth(n + 1)});
  }
}

void WatchedProcess::write_iteration(Thread& thread, std::uint32_t tid, const LoopWatch::Iteration& iteration) {
  end_line(thread, tid);
  trace::Event event;
  event.start_ns = iteration.start_ns;
  event.end_ns = iteration.end_ns;
  event.name = words_.name("iteration");
  event.a = ++iteration_count_;
  event.lane = lane(thread.iterations_lane, trace::LaneKind::Iterations, trace::LaneRole::None, "iteration", tid);
  trace::set_range_kind(event, trace::RangeKind::Iteration);
  write_range(event);
  const Nanoseconds duration = event.end_ns - event.start_ns;
  usual_.add(duration);
  if (bursts_.within(event.start_ns)) usual_recorded_.add(duration);
  if (bursts_.after(event.start_ns)) usual_between_.add(duration);
}

void WatchedProcess::Usual::add(Nanoseconds value) {
  last[count++ % last.size()] = value;
  auto sorted = last;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(count, last.size()));
  const auto middle = sorted.begin() + (end - sorted.begin()) / 2;
  std::nth_element(sorted.begin(), middle, end);
  ns = *middle;
}

std::vector<LoopChoice> WatchedProcess::loops() {
  std::vector<LoopChoice> choices;
  Thread* of = loop_thread();
  if (!of) return choices;
  for (const FoundLoop& loop : of->loops.finder().loops()) {
    const Vocabulary::Frame* known = words_.frame(loop.frame);
    if (!known) continue;
    Vocabulary::Frame head = *known;
    head.place.line = loop.key.head != 0 ? loop.key.head : head.place.line;
    // Otherwise it is in the function that calls this one over and over, or a statement that is a loop's only one.
    for (const std::uint32_t id : {loop.key.repeat ? loop.frame : 0, loop.caller}) {
      const Vocabulary::Frame* at = id == 0 || loop.key.head != 0 ? nullptr : words_.frame(id);
      if (!at) continue;
      const auto lines = source_.loops_around(trace_.names().text(at->place.file), at->place.line);
      if (lines.empty()) continue;
      head = *at;
      head.place.line = lines.back();
      break;
    }
    choices.push_back({loop.key, line_name(head), loop.round_ns, loop.rounds, loop.calls});
  }
  return choices;
}

std::string WatchedProcess::iteration_text() {
  if (steps_.found()) return steps_.name();
  Thread* of = loop_thread();
  if (!of) return {};
  const auto key = of->loops.counted();
  for (const LoopChoice& choice : loops()) {
    if (key && choice.key == *key) return choice.text;
  }
  return {};
}

std::uint32_t WatchedProcess::anchor() {
  Thread* of = steps_.found() ? nullptr : loop_thread();
  const auto anchor = of ? of->loops.anchor() : std::nullopt;
  return anchor && !anchor->always_watched ? anchor->api : 0;
}

void WatchedProcess::choose_loop(std::optional<LoopKey> loop) {
  chosen_ = loop;
  for (auto& [tid, thread] : threads_) thread.loops.choose(loop);
}

}  // namespace lanescope::attach
