// Everything that is known of a selected event or bubble, as lines of text: for the side panel and for the clipboard.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/gap_causes.h"
#include "inspect/event_ref.h"
#include "model/code/call_stack.h"
#include "timeline/theme.h"
#include "trace/links.h"

namespace lanescope::ui {

struct Fact {
  std::string name, value;
  Colour colour = Colour::Text;
  std::optional<EventRef> leads_to{};  ///< another event, which the line is about
};

/// Only what the trace has: nothing is guessed, and what is unknown has no line.
struct EventFacts {
  std::string title;             ///< the whole name
  std::vector<Fact> times;       ///< duration, start, end, the parts of a blocking call
  std::vector<Fact> links;       ///< what issued it, what it became, what it waited for
  std::vector<Fact> details;     ///< launch, bytes, owner, numbers
  std::vector<EventRef> inside;  ///< the ranges around it, innermost first
  std::vector<Fact> arguments;   ///< of the trace file
  CallStack stack;               ///< where the user's program made the call
};

/// `linked`: the event on the other side of the launch or the wait. `origin`: the trace's first instant. `sm_count`:
/// the GPU's multiprocessors; 0: unknown. `files`: where the text of the program's lines is; null: not wanted.
EventFacts event_facts(const trace::Links& links, const EventRef& event, const std::optional<EventRef>& linked,
                       base::Nanoseconds origin, int sm_count, const UserFiles* files = nullptr);
EventFacts bubble_facts(const trace::Trace& trace, const analysis::Bubble& bubble, base::Nanoseconds origin);

/// The name of an event as a line of the panel shows it.
std::string shown_name(const trace::Trace& trace, const EventRef& event);
/// All of it as plain text, a line for each.
std::string facts_text(const trace::Trace& trace, const EventFacts& facts);

}  // namespace lanescope::ui
