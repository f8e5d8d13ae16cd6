#include "workload/code/programs.h"
#include "workload/setting_keys.h"

namespace lanescope::workload {

void write_plot_transfer(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool column = s.choice("part") == "column";
  const std::string& method = s.choice(key::kMethod);
  const bool late = method == choice::kOneStepLate, waits = method == choice::kCpuNumpy;
  const bool checked = s.integer("elements") <= 4'000'000;

  begin_script(code);
  write_busy(code);
  code.script(0, R"(
def step(state):
    busy($model_us)
    return state


def sample(state, elements, number):  # stands for what is drawn: each element says of which iteration it is
    return torch.full((elements,), float(number % 8388608 + 1), device='cuda')


def draw(shown):  # as plt.plot() would
    until = time.perf_counter() + $plot_ms / 1e3
    while time.perf_counter() < until:
        pass

)");
  code.line(0, "state = torch.zeros(1).cuda()", {"set up"});
  if (!waits) {
    const std::string size = column ? "$elements // $columns" : "$elements";
    const char* pin = code.on_cpu() ? "" : ", pin_memory=True";
    if (late) {
      code.script(0, "pinned = [torch.empty(" + size + pin + ") for _ in range(2)]");
      code.script(0, "event = [torch.cuda.Event() for _ in range(2)]\nk, number_of = 0, [None, None]");
    } else {
      code.script(0, "pinned = torch.empty(" + size + pin + ")");
    }
  }
  code.line(0, "for i in range(iterations):");
  begin_iteration(code, 1);
  code.line(1, "state = step(state)", {"model"});
  code.line(1, "if i % $plot_interval == 0:");
  code.line(2,
            column ? "points = sample(state, $elements // $columns * $columns, i).view(-1, $columns)"
                   : "points = sample(state, $elements, i)",
            {"points"});
  code.script(2, "since = time.perf_counter()");
  if (waits) {
    code.line(2, column ? "shown = points[:, 0].cpu().numpy()" : "shown = points.cpu().numpy()", {".cpu().numpy()"});
  } else if (late) {
    code.line(
        2, column ? "pinned[k].copy_(points[:, 0], non_blocking=True)" : "pinned[k].copy_(points, non_blocking=True)",
        {"copy to pinned"});
    code.script(2, "number_of[k] = i");
    code.more(2, "event[k].record(); k = 1 - k");
    code.line(2, "event[k].synchronize()  # of the plot before", {"read one interval late"});
    code.more(2, "shown = pinned[k].numpy()");
  } else {
    code.line(2, column ? "pinned.copy_(points[:, 0], non_blocking=True)" : "pinned.copy_(points, non_blocking=True)",
              {"copy to pinned"});
    code.line(2, "shown = pinned.numpy()  # may not be there", {"read at once"});
  }
  if (late) code.script(2, "if number_of[k] is None:\n    continue");
  code.script(2, "note('transfer_ms', 1e3 * (time.perf_counter() - since))");
  if (checked) {
    const char* number = late ? "number_of[k]" : "i";
    code.script(2, std::string("right = shown[0] == shown[-1] == float(") + number + " % 8388608 + 1)");
    code.script(2, "note('wrong_arrays', 0 if right else 1)");
  }
  code.line(2, "draw(shown)", {"draw"});
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
