// A workload's program for the current settings: a complete PyTorch script (raw-cuda: CUDA C++), of which the code view
// shows the loop; and the ranges that each statement leaves in the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

// --- programs --------------------------------------------------------------------------------------------------------
// Each workload as a program, and what their scripts have in common.

void write_linear_mse(CodeWriter& code);
void write_iris_mlp(CodeWriter& code);
void write_transfer_loop(CodeWriter& code);
void write_control_flow(CodeWriter& code);
void write_bandwidth(CodeWriter& code);
void write_dataloader(CodeWriter& code);
void write_readback(CodeWriter& code);
void write_plot_transfer(CodeWriter& code);
void write_raw_cuda(CodeWriter& code);
void write_break_even(CodeWriter& code);

/// What the code view shows of a program, as text.
std::vector<std::string> shown_code(void (*write)(CodeWriter&), const Settings& settings);

// Parts of the PyTorch scripts, none of them in the view.

/// The imports, with those named in `standard` and `of_torch`; the arguments; `iterations`; note(), which collects a
/// figure.
void begin_script(CodeWriter& code, std::string_view standard = {}, std::string_view of_torch = {});
/// busy(us), which keeps the device busy for so long, as a model would; it counts on the main stream.
void write_busy(CodeWriter& code);
/// Whether the program replays its step as a graph.
bool graphed(const CodeWriter& code);
/// What a graph needs before the loop. A program with several sizes or places of its batch has a graph for each of
/// `variants`, a Python list.
void begin_graph(CodeWriter& code, std::string_view variants = {});
/// In the loop: warms up, captures and replays step(), which returns the loss; with several graphs step(variant).
void write_graph(CodeWriter& code, std::string_view number = "i", std::string_view variant = {});
/// The statement that copies a batch from the host: to new memory, or for a graph to the tensor that it reads.
std::string copy_of_batch(const CodeWriter& code, std::string_view to, std::string_view from,
                          std::string_view device = "'cuda'");
/// At the start of an iteration whose number the program calls `number`: the clock starts after the warm-up, and stops
/// for a moment after each stretch.
void begin_iteration(CodeWriter& code, int indent, std::string_view number = "i");
/// Prints the result as a line of JSON. The program has waited for the GPU just before.
void end_script(CodeWriter& code);

// --- script ----------------------------------------------------------------------------------------------------------
// A workload's program as a file that runs: PyTorch, or CUDA C++.

/// What a script says about itself: in its first lines, and with its result.
struct ScriptFacts {
  std::vector<std::string> title;                          ///< the first lines
  std::vector<std::pair<std::string, std::string>> about;  ///< names and values in its result: "side", "before"
  std::int64_t iterations = 200;                           ///< that are timed, unless an argument says otherwise
};

struct Script {
  std::string text;
  std::string_view suffix;  ///< ".py", ".cu"
};
/// The loop as the code view shows it, with all it needs. It prints the figures as its last line, in JSON: "about",
/// "device", "iterations" (timed), "iterations_per_s", "ms_per_iteration" (both by elapsed time, from one moment at
/// which the GPU has nothing to do to another) and "figures", the means of the workload's own. `on_cpu`: its tensors
/// are on the CPU.
Script workload_script(std::string_view workload, const Settings& settings, bool on_cpu, const ScriptFacts& facts);

}  // namespace lanescope::workload
