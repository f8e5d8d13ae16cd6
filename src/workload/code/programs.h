// Each workload as a program, and what their scripts have in common.
#pragma once

#include <string>
#include <string_view>

#include "workload/code.h"

namespace lanescope::workload {

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

}  // namespace lanescope::workload
