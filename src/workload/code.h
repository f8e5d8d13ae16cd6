// A workload's program as a person would write it in PyTorch, as the settings have it, and which ranges each statement
// leaves in the trace.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload/settings.h"

namespace lanescope::workload {

/// One line of the code.
struct Statement {
  /// A part of the text that says what a setting is at.
  struct KnobText {
    std::size_t begin = 0, length = 0;
    std::string key;

    bool operator==(const KnobText&) const = default;
  };

  std::string text;  ///< without its indent
  int indent = 0;    ///< levels
  /// The names of the ranges that it leaves; empty: none, or they are those of `part_of`. Where two statements name the
  /// same range, the first such range of an iteration is of the first one, the next of the second; the last of them has
  /// the rest.
  std::vector<std::string> ranges;
  /// Of its ranges it has only the copies and the synchronisations; the rest is of the other statement that names them.
  bool transfers = false;
  std::optional<std::size_t> part_of;  ///< the line above that it goes on from
  std::vector<KnobText> knobs;

  bool operator==(const Statement&) const = default;
};

using Code = std::vector<Statement>;

/// Writes code line by line. In a text `$key` stands for the value of that setting, as Python has it.
class CodeWriter {
 public:
  explicit CodeWriter(const Settings& settings) : settings_(settings) {}

  CodeWriter& line(int indent, std::string_view text, std::vector<std::string> ranges = {});
  /// A statement that has the copies and synchronisations of ranges.
  CodeWriter& transfers(int indent, std::string_view text, std::vector<std::string> ranges);
  /// Goes on from the newest line that has ranges (and not only their transfers).
  CodeWriter& more(int indent, std::string_view text);
  Code take() { return std::move(code_); }

 private:
  const Settings& settings_;
  Code code_;
};

/// "True", "128", "resident".
std::string python_text(const Value& value);
/// Line by line, with its indent.
std::vector<std::string> plain_text(std::span<const Statement> code);

/// The statement that the `nth` (from 0) range of this name in an iteration is of; `transfer`: of a copy or a
/// synchronisation in it. Empty when no statement names it.
std::optional<std::size_t> statement_of(std::span<const Statement> code, std::string_view range, std::size_t nth = 0,
                                        bool transfer = false);

/// The code of a workload with these settings; throws base::UsageError for an unknown name.
Code workload_code(std::string_view workload, const Settings& settings);

}  // namespace lanescope::workload
