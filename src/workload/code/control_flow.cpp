#include "workload/code/programs.h"
#include "workload/setting_keys.h"

namespace lanescope::workload {
namespace {

constexpr const char* kNoteCounts =
    "note('syncs_in_forward', checks)\nnote('branch_checks', checks)\nnote('branches_taken', taken)";

}  // namespace

void write_control_flow(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool while_loop = s.choice("network") == "while-loop";
  const bool asks = s.choice(key::kBranch) == "data-dependent";

  begin_script(code);
  code.script(0, "checks = taken = 0");
  if (while_loop) {
    code.line(0, "fc1, fc2 = nn.Linear(100, 100).cuda(), nn.Linear(100, 10).cuda()", {"set up"});
    code.script(0, "nn.init.uniform_(fc1.bias, 0.125, 0.325)  # so that the sum starts above 1\n");
    code.line(0, "def forward(x):");
    code.script(1, "global checks, taken");
    code.line(1, "x = fc1(x)", {"forward"});
    if (asks) {
      code.transfers(1, "while x.sum().item() > 1:", {"forward"});
      code.script(2, "checks, taken = checks + 1, taken + 1");
    } else {
      code.line(1, "for i in range($checks):");
    }
    code.more(2, "x = x / 2");
    if (asks) code.script(1, "checks += 1");
    code.more(1, "return fc2(x)");
  } else {
    code.line(0, "fc = nn.Linear(1000, 1000).cuda()", {"set up"});
    code.script(0, "");
    code.line(0, "def forward(x):");
    code.script(1, "global checks, taken");
    code.line(1, "for i in range($checks):");
    code.line(2, "x = fc(x)", {"forward"});
    if (asks) {
      code.script(2, "checks += 1");
      code.transfers(2, "if x.sum().item() > 1000:", {"forward"});
      code.script(3, "taken += 1");
      code.more(3, "x = x / 2");
    }
    code.line(1, "return x");
  }
  const char* outputs = while_loop ? "10" : "1000";
  const char* inputs = while_loop ? "100" : "1000";
  code.script(0, std::string("\n\ndata = torch.empty($batch_size, ") + inputs +
                     ").uniform_(-1, 1).cuda()\ntarget = torch.empty($batch_size, " + outputs +
                     ").uniform_(-1, 1).cuda()");
  const auto to_the_loss = [&] {
    code.line(1, "output = forward(data)");
    if (!graphed(code)) code.script(1, kNoteCounts);
    code.line(1, "loss = F.mse_loss(output, target)", {"loss"});
  };
  const auto read = [&] {
    if (s.integer(key::kLogInterval) == 0) return;
    code.line(1, "if i % $log_interval == 0:");
    code.line(2, "value = loss.item()", {"item()"});
  };
  const auto backward = [&] {
    if (!while_loop && s.integer("checks") == 0) {
      code.line(1, "# loss.backward(): no parameter is part of the loss");
    } else {
      code.line(1, "loss.backward()", {"backward"});
    }
  };
  if (graphed(code)) {
    begin_graph(code);
    code.line(0, "def step():");
    to_the_loss();
    backward();
    code.line(1, "return loss");
  }
  code.line(0, "for i in range(iterations):");
  begin_iteration(code, 1);
  code.script(1, "checks = taken = 0");
  if (graphed(code)) {
    write_graph(code);
    code.script(1, kNoteCounts);
    read();
  } else {
    to_the_loss();
    read();
    backward();
  }
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
