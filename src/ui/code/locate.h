// Which statement of the program an instant or an event belongs to.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/event_ref.h"
#include "workload/code.h"

namespace lanescope::ui {

using base::Nanoseconds;
using workload::Statement;

/// Finds statements in a trace. Holds no lock: it takes one for each question, for as long as a few searches last.
class CodeLocator {
 public:
  CodeLocator(const trace::Trace& trace, std::span<const Statement> code) : trace_(trace), code_(code) {}

  /// What the program's thread was at: the innermost range of a statement around this instant.
  std::optional<std::size_t> at(Nanoseconds t) const;
  /// The newest statement that had ended by then.
  std::optional<std::size_t> newest(Nanoseconds t) const;
  /// Of a range, a call, or what a call has issued; of other threads' ranges by their names alone.
  std::optional<std::size_t> of(const EventRef& event) const;

  /// Whose threads' lanes show the statements: those of the threads that have iterations.
  bool program_lane(trace::LaneId lane) const;

 private:
  std::optional<std::size_t> around(Nanoseconds t, bool transfer) const;
  std::optional<std::size_t> turn_of(std::string_view name, trace::NameId id, Nanoseconds start, bool transfer) const;
  Nanoseconds iteration_begin(Nanoseconds t) const;
  bool transfer_at(Nanoseconds t) const;

  const trace::Trace& trace_;
  std::span<const Statement> code_;
};

/// A copy or a synchronisation.
bool is_transfer(const trace::Event& call, const base::NameTable& names);

/// What a turn of a knob changed in a line of the code.
struct CodeChange {
  std::size_t line = 0;
  std::size_t begin = 0, length = 0;  ///< of its text
};
/// The lines of `after` that `before` has not, and of those that were there with other values only these.
std::vector<CodeChange> changes(std::span<const Statement> before, std::span<const Statement> after);

/// A statement's name from one text to the next.
std::string statement_key(std::span<const Statement> code, std::size_t line);

/// A part of a line's text, and what it is.
struct CodeToken {
  enum class Kind : std::uint8_t { Plain, Keyword, Knob, Comment };
  Kind kind = Kind::Plain;
  std::size_t begin = 0, length = 0;

  bool operator==(const CodeToken&) const = default;
};
std::vector<CodeToken> tokens(const Statement& statement);

}  // namespace lanescope::ui
