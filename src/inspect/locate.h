// The statement of the program that a time or an event belongs to.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/event_ref.h"
#include "trace/links.h"
#include "workload/program.h"

namespace lanescope::ui {

using base::Nanoseconds;
using workload::Statement;

/// Finds statements in a trace. Takes a read lock for each query, for the duration of a few searches.
class CodeLocator {
 public:
  /// Without `links` it cannot attribute what a call has issued.
  CodeLocator(const trace::Trace& trace, std::span<const Statement> code, const trace::Links* links = nullptr)
      : trace_(trace), code_(code), links_(links) {}

  /// What the program's thread was executing: the innermost range of a statement at this time.
  std::optional<std::size_t> at(Nanoseconds t) const;
  /// The last statement that had ended by `t`.
  std::optional<std::size_t> newest(Nanoseconds t) const;
  /// The statement of a range, a call, or an operation that a call has issued. Ranges of other threads are attributed
  /// by their names alone.
  std::optional<std::size_t> of(const EventRef& event) const;

  /// True for lanes that show statements: those of threads with iterations.
  bool program_lane(trace::LaneId lane) const;

 private:
  std::optional<std::size_t> around(Nanoseconds t, bool transfer) const;
  std::optional<std::size_t> turn_of(std::string_view name, trace::NameId id, Nanoseconds start, bool transfer) const;
  Nanoseconds iteration_begin(Nanoseconds t) const;
  template <typename F>
  void lasting_at(Nanoseconds t, trace::LaneKind kind, F f) const;
  bool transfer_at(Nanoseconds t) const;

  const trace::Trace& trace_;
  std::span<const Statement> code_;
  const trace::Links* links_;
};

/// True for a copy or a synchronisation.
bool is_transfer(const trace::Event& call, const base::NameTable& names);

/// What a change of settings changed in a line of the code.
struct CodeChange {
  std::size_t line = 0;
  std::size_t begin = 0, length = 0;  ///< within the line's text
};
/// The lines of `after` that are not in `before`; for lines that only have other values, just these values.
std::vector<CodeChange> changes(std::span<const Statement> before, std::span<const Statement> after);

/// A key that identifies a statement across changes of the code.
std::string statement_key(std::span<const Statement> code, std::size_t line);

/// A part of a line's text and its type.
struct CodeToken {
  enum class Kind : std::uint8_t { Plain, Keyword, Knob, Comment };
  Kind kind = Kind::Plain;
  std::size_t begin = 0, length = 0;

  bool operator==(const CodeToken&) const = default;
};
std::vector<CodeToken> tokens(const Statement& statement);

}  // namespace lanescope::ui
