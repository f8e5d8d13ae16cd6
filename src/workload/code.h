// A workload's program for the current settings: a complete PyTorch script (raw-cuda: CUDA C++), of which the code view
// shows the loop; and the ranges that each statement leaves in the trace.
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
  /// A part of the text that shows the value of a setting.
  struct KnobText {
    std::size_t begin = 0, length = 0;
    std::string key;

    bool operator==(const KnobText&) const = default;
  };

  std::string text;  ///< without indent
  int indent = 0;    ///< levels
  /// The names of the ranges it leaves. Empty: none, or those of `part_of`. If several statements list the same name,
  /// an iteration's first range of that name belongs to the first statement, the next one to the second, and all
  /// remaining ones to the last.
  std::vector<std::string> ranges;
  /// The statement owns only the copies and synchronisations in its ranges; everything else belongs to the other
  /// statement that lists them.
  bool transfers = false;
  std::optional<std::size_t> part_of;  ///< the line above that this one continues
  std::vector<KnobText> knobs;
  bool in_view = true;    ///< false: only in the script, such as imports and the timing around the loop
  int script_indent = 0;  ///< further levels in the script

  bool operator==(const Statement&) const = default;
};

using Code = std::vector<Statement>;

struct Program {
  Code code;
  bool cuda_cpp = false;  ///< in CUDA C++ instead of Python
};

/// Writes code line by line. In a text, `$key` is replaced by the value of that setting in Python syntax.
class CodeWriter {
 public:
  /// `on_cpu`: the program's tensors are on the CPU.
  CodeWriter(const Settings& settings, bool on_cpu) : settings_(settings), on_cpu_(on_cpu) {}

  const Settings& settings() const { return settings_; }
  bool on_cpu() const { return on_cpu_; }

  CodeWriter& line(int indent, std::string_view text, std::vector<std::string> ranges = {});
  /// Lines that the view leaves out; each may be indented by four spaces per level, further than `indent`.
  CodeWriter& script(int indent, std::string_view lines);
  /// torch.cuda.synchronize(); nothing on a CPU.
  CodeWriter& synchronize(int indent, std::string_view comment = {}, std::vector<std::string> ranges = {});
  /// Adds a statement that owns the copies and synchronisations of ranges.
  CodeWriter& transfers(int indent, std::string_view text, std::vector<std::string> ranges);
  /// From here on, the script has the lines so many levels further right, in a function that the view leaves out.
  void nest(int levels) { nested_ = levels; }
  /// Continues the newest line that has ranges (not just their transfers).
  CodeWriter& more(int indent, std::string_view text);
  /// The program is in CUDA C++.
  void in_cuda_cpp() { cuda_cpp_ = true; }
  Program take() { return {std::move(code_), cuda_cpp_}; }

 private:
  const Settings& settings_;
  const bool on_cpu_;
  int nested_ = 0;
  bool cuda_cpp_ = false;
  Code code_;
};

/// "True", "128", "resident".
std::string python_text(const Value& value);
/// The lines with their indent.
std::vector<std::string> plain_text(std::span<const Statement> code);

/// The statement that owns the `nth` (from 0) range of this name in an iteration; with `transfer`, the one that owns
/// its copies and synchronisations. Empty if no statement lists it.
std::optional<std::size_t> statement_of(std::span<const Statement> code, std::string_view range, std::size_t nth = 0,
                                        bool transfer = false);

/// What the code view shows of a program.
Code shown(Code program);
/// The whole program of a workload with these settings. Throws base::UsageError for an unknown workload.
Program workload_program(std::string_view workload, const Settings& settings, bool on_cpu);
/// What the code view shows of it.
Code workload_code(std::string_view workload, const Settings& settings, bool on_cpu = false);

}  // namespace lanescope::workload
