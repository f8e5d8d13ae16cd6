#include <fmt/format.h>

#include "workload/code/programs.h"
#include "workload/iris_data.h"
#include "workload/iris_mlp.h"
#include "workload/setting_keys.h"

namespace lanescope::workload {
namespace {

// The training rows as two tensors, four rows a line.
std::string rows_in_python() {
  const IrisData data = iris_training_rows();
  std::string text = "features = torch.tensor([\n";
  for (std::int32_t row = 0; row < data.rows; ++row) {
    const float* x = data.features.data() + static_cast<std::ptrdiff_t>(row) * IrisData::kFeatures;
    text += row % 3 == 0 ? "    " : " ";
    text += fmt::format("[{:.6f}, {:.6f}, {:.6f}, {:.6f}],", x[0], x[1], x[2], x[3]);
    if (row % 3 == 2 || row + 1 == data.rows) text += '\n';
  }
  text += "])\nclasses = torch.tensor([\n";
  for (std::int32_t row = 0; row < data.rows; ++row) {
    text += fmt::format("{}{:.0f},", row % 30 == 0 ? "    " : " ", data.classes[static_cast<std::size_t>(row)]);
    if (row % 30 == 29 || row + 1 == data.rows) text += '\n';
  }
  return text + "])\n";
}

void write_training(CodeWriter& code) {
  code.line(1, "loss = F.cross_entropy(outputs, y)", {"loss"});
  code.line(1, "optimizer.zero_grad()");
  code.line(1, "loss.backward()", {"backward"});
  code.line(1, "optimizer.step()", {"step"});
}

void write_reads(CodeWriter& code) {
  const auto log_interval = static_cast<std::uint64_t>(code.settings().integer(key::kLogInterval));
  if (log_interval == 0) return;
  code.line(1, "if (epoch + 1) % $log_interval == 0:");
  code.line(2, "losses.append(loss.item())", {"item()"});
  code.line(2, fmt::format("if (epoch + 1) % {} == 0:", epochs_between_prints(log_interval)));
  code.line(3, "print(loss.item())", {"item()"});
}

}  // namespace

void write_iris_mlp(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool moved = s.choice("model_on") == "device" || code.on_cpu();
  const bool through_call = s.choice("call_with") == "__call__";
  const bool hooked = s.choice("hook") == "reads";
  const bool feeds = s.choice(key::kFeed) == "per-iteration";

  begin_script(code);
  code.script(0, "device = 'cuda'\nlosses = []\n");
  code.script(0, "# Fisher's iris measurements, scaled to [0, 1]: the 120 training rows");
  code.script(0, rows_in_python());
  code.script(0, R"(

class MLP(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.layer1 = nn.Linear(inputs, hidden)
        self.layer2 = nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.layer2(torch.relu(self.layer1(x)))

)");
  if (feeds) {
    code.script(0, R"(
def make_batch(rows, pin_memory):
    x, t = torch.empty(rows, 4, pin_memory=pin_memory), torch.empty(rows, dtype=torch.int64, pin_memory=pin_memory)
    return x.copy_(features[:rows]), t.copy_(classes[:rows])

)");
  }
  code.line(0, "X, y = features.to(device), classes.to(device)", {"set up"});
  code.more(0, moved ? "model = MLP(4, 10, 3).to(device)" : "model = MLP(4, 10, 3)  # not moved");
  if (!feeds || graphed(code)) code.script(0, "X, y = X[:$batch_size], y[:$batch_size]");
  if (hooked) {
    const bool called = through_call && moved;
    code.script(0, "calls = 0\n");
    code.line(0, "def print_mean(module, inputs, output):");
    code.script(1, "global calls\ncalls += 1");
    code.line(1, "print(output.mean().item())", called ? std::vector<std::string>{"hook"} : std::vector<std::string>{});
    code.line(0, "model.register_forward_hook(print_mean)");
  }
  code.line(0, "optimizer = torch.optim.SGD(model.parameters(), lr=0.01)");
  code.script(0, "epochs = iterations");
  if (graphed(code)) {
    begin_graph(code);
    code.line(0, "def step():");
    code.line(1, through_call ? "outputs = model(X)" : "outputs = model.forward(X)", {"forward"});
    write_training(code);
    code.line(1, "return loss");
  }
  code.line(0, "for epoch in range(epochs):");
  begin_iteration(code, 1, "epoch");
  if (feeds) {
    code.line(1, "x, t = make_batch($batch_size, pin_memory=$pinned)", {"make batch"});
    code.line(1, copy_of_batch(code, "X", "x", "device"), {"copy"});
    code.more(1, copy_of_batch(code, "y", "t", "device"));
  }
  if (graphed(code)) {
    if (hooked) code.script(1, "note('hook_calls', calls)");
    write_graph(code, "epoch");
    write_reads(code);
    code.synchronize(0);
    return end_script(code);
  }
  const char* outputs = through_call ? "outputs = model(X)" : "outputs = model.forward(X)  # no hooks";
  if (!moved) {
    code.line(1, "try:");
    code.line(2, outputs, {"forward"});
    code.line(1, "except RuntimeError as error:");
    code.line(2, "print(error)", {kWrongDevice});
    code.script(2, "note('errors', 1)");
    if (hooked) code.script(2, "note('hook_calls', 0)");
    code.line(2, "continue");
  } else {
    code.line(1, outputs, {"forward"});
    if (hooked) code.script(1, "note('hook_calls', calls)\ncalls = 0");
  }
  write_training(code);
  write_reads(code);
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
