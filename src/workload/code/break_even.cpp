#include <fmt/format.h>

#include <algorithm>

#include "workload/code/programs.h"
#include "workload/setting_keys.h"

namespace lanescope::workload {
namespace {

void write_training(CodeWriter& code, std::string_view x, std::string_view y) {
  code.line(1, fmt::format("output = model({})", x), {"forward"});
  code.line(1, fmt::format("loss = F.mse_loss(output, {})", y), {"loss"});
  code.line(1, "optimizer.zero_grad()");
  code.line(1, "loss.backward()", {"backward"});
  code.line(1, "optimizer.step()", {"step"});
}

}  // namespace

void write_break_even(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool feeds = s.choice(key::kFeed) == "per-iteration";
  const std::int64_t problem = s.integer("problem_size"), batch = std::min(s.integer(key::kBatchSize), problem);
  const std::int64_t last = problem % batch;
  const bool uneven = last != 0;  // the last batch of a pass is smaller
  const std::string static_x = uneven ? "static_x[:rows]" : "static_x";
  const std::string static_y = uneven ? "static_y[:rows]" : "static_y";
  begin_script(code);
  code.script(0, R"(device = 'cuda'


class MLP(nn.Sequential):
    def __init__(self, inputs, hidden1, hidden2, outputs):
        super().__init__(nn.Linear(inputs, hidden1), nn.ReLU(), nn.Linear(hidden1, hidden2), nn.ReLU(),
                         nn.Linear(hidden2, outputs))


def samples(rows):
    return torch.empty(2, rows, 2).uniform_()

)");
  if (feeds) {
    code.script(0, R"(
def make_batch(rows, pin_memory):
    rows = min(rows, $problem_size - p)
    a, b = (torch.empty(rows, 2, pin_memory=pin_memory) for _ in range(2))
    return a.uniform_(), b.uniform_()

)");
  }
  code.line(0, "model = MLP(2, $hidden, $hidden, 2).to(device)", {"set up"});
  if (!feeds) code.more(0, "X, Y = samples($problem_size).to(device)");
  code.script(0, "optimizer = torch.optim.SGD(model.parameters(), lr=0.01)\np = 0");
  if (graphed(code)) {
    code.script(0, fmt::format("static_x, static_y = torch.empty(2, {}, 2, device=device)", batch));
    begin_graph(code, uneven ? fmt::format("({}, {})", batch, last) : "");
    code.line(0, uneven ? "def step(rows):" : "def step():");
    if (uneven) code.line(1, "x, y = static_x[:rows], static_y[:rows]");
    write_training(code, uneven ? "x" : "static_x", uneven ? "y" : "static_y");
    code.line(1, "return loss");
  }
  code.line(0, "for i in range(iterations):");
  begin_iteration(code, 1);
  code.script(1,
              "if i == warm_up:\n    p = 0  # a whole pass is timed\nif p == 0:\n    pass_began = time.perf_counter()");
  if (feeds) {
    code.line(1, "a, b = make_batch($batch_size, pin_memory=$pinned)", {"make batch"});
    if (graphed(code) && uneven) code.line(1, "rows = len(a)");
    code.line(1, copy_of_batch(code, graphed(code) ? static_x : "x", "a", "device"), {"copy"});
    code.more(1, copy_of_batch(code, graphed(code) ? static_y : "y", "b", "device"));
  } else {
    code.line(1, "x, y = X[p:p + $batch_size], Y[p:p + $batch_size]", {"slice"});
    if (graphed(code)) {
      if (uneven) code.line(1, "rows = len(x)");
      code.line(1, static_x + ".copy_(x)", {"copy"});
      code.more(1, static_y + ".copy_(y)");
    }
  }
  if (graphed(code)) {
    write_graph(code, "i", uneven ? "rows" : "");
  } else {
    write_training(code, "x", "y");
  }
  if (s.integer(key::kLogInterval) != 0) {
    code.line(1, "if i % $log_interval == 0:");
    code.line(2, "print(loss.item())", {"item()"});
  }
  code.script(1, R"(p += $batch_size
if p >= $problem_size:
    p = 0
    note('pass_ms', 1e3 * (time.perf_counter() - pass_began)))");
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
