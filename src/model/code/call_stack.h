// Where in the user's program an event comes from: the frames of its call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspect/event_ref.h"
#include "model/code/user_files.h"
#include "trace/links.h"

namespace lanescope::ui {

/// The number of the event's stack in trace.sites(): of a call its own; of GPU work that of the call that issued it; of
/// a range on the lane "lines" that of the first call in it. 0: it is not known.
std::uint32_t site_of(const trace::Links& links, const EventRef& event);

struct StackLine {
  std::string file;  ///< as recorded
  std::string function;
  std::uint32_t line = 0;  ///< 0: unknown
  bool library = false;    ///< not the user's own code
  std::string source;      ///< its text; empty: the file is not there

  std::string place() const;     ///< "train.py:57"
  std::string sentence() const;  ///< "train.py:57 in train()"
};

struct CallStack {
  std::vector<StackLine> lines;  ///< innermost first
  std::size_t own = 0;           ///< the first of the user's own code; lines.size(): none is

  const StackLine* own_line() const { return own < lines.size() ? &lines[own] : nullptr; }
};

/// Without `files`, the text of the lines is not known.
CallStack call_stack(const trace::Trace& trace, std::uint32_t site, const UserFiles* files);

/// "train.py" of "/home/me/train.py".
std::string file_name_of(std::string_view path);

}  // namespace lanescope::ui
