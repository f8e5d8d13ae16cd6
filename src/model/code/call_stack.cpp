#include "model/code/call_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::LaneKind;

std::uint32_t first_site_in(const trace::Trace& trace, const trace::LaneInfo& thread, const trace::Event& range) {
  std::uint32_t site = 0;
  auto first = std::numeric_limits<base::Nanoseconds>::max();
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto lane = static_cast<trace::LaneId>(l);
    const trace::LaneInfo& info = trace.lane(lane).info();
    if (info.kind != LaneKind::Calls || info.pid != thread.pid || info.tid != thread.tid) continue;
    const auto noted = trace.sites().between(lane, range.start_ns, std::max(range.end_ns, range.start_ns + 1));
    if (noted.empty() || noted.front().start_ns >= first) continue;
    first = noted.front().start_ns;
    site = noted.front().site;
  }
  return site;
}

}  // namespace

std::string file_name_of(std::string_view path) {
  return std::string(path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1));
}

std::uint32_t site_of(const trace::Links& links, const EventRef& ref) {
  const trace::Trace& trace = links.trace();
  if (trace.sites().empty()) return 0;
  if (trace::is_gpu_work(ref.event.kind)) {
    const auto call = links.call_of(ref);
    return call ? trace.sites().at(call->lane, call->event.start_ns) : 0;
  }
  const trace::LaneInfo& info = trace.lane(ref.lane).info();
  if (info.kind == LaneKind::Calls) return trace.sites().at(ref.lane, ref.event.start_ns);
  const bool lines = info.kind == LaneKind::Phases && info.role == trace::LaneRole::Statements;
  if (!lines) return 0;
  const std::uint32_t own = trace.sites().at(ref.lane, ref.event.start_ns);  // of a wait for another thread
  return own != 0 ? own : first_site_in(trace, info, ref.event);
}

std::string StackLine::place() const {
  return line == 0 ? file_name_of(file) : fmt::format("{}:{}", file_name_of(file), line);
}

std::string StackLine::sentence() const {
  const std::string name = function.empty() || function.back() == '>' ? function : function + "()";
  return name.empty() ? place() : tr("{} in {}", place(), name);
}

CallStack call_stack(const trace::Trace& trace, std::uint32_t site, const UserFiles* files) {
  CallStack stack;
  if (site == 0) return stack;
  const trace::CallSites::Stack known = trace.sites().stack(site);
  for (const trace::Frame& frame : known.frames) {
    StackLine line;
    line.file = std::string(trace.names().text(frame.file));
    line.function = std::string(trace.names().text(frame.function));
    line.line = frame.line;
    line.library = trace::is_library_file(line.file);
    if (files) line.source = files->line(line.file, frame.line);
    stack.lines.push_back(std::move(line));
  }
  stack.own = known.own;
  return stack;
}

}  // namespace lanescope::ui
