#include "workload/workloads.h"

#include "workload/program.h"
#include "workload/readback_methods.h"

namespace lanescope::workload {
namespace {

using Method = ReadMethod;

// Notes a number that was read: how many iterations late, and for the unsafe read whether it is an old one.
constexpr const char* kGot = R"(
numbers = wrong = 0


def got(behind=0):
    global numbers, wrong
    numbers += 1
    wrong += behind > 0 and UNSAFE
    note('reads_behind', behind)

)";

void write_step(CodeWriter& code, const ReadbackSettings& s) {
  if (s.validation) {
    code.line(1, "with torch.no_grad():");
  } else {
    code.line(1, "optimizer.zero_grad()");
  }
  code.line(s.validation ? 2 : 1, "output = model(data)", {"forward"});
  code.line(s.validation ? 2 : 1, "loss = F.mse_loss(output, target)", {"loss"});
  if (s.method == Method::Unsafe) code.script(1, "checked[0].fill_(i + 1)\nchecked[1].copy_(loss.detach())");
  if (s.validation) return;
  code.line(1, "loss.backward()", {"backward"});
  code.line(1, "optimizer.step()", {"step"});
}

void write_read_back(CodeWriter& code, const ReadbackSettings& s) {
  const auto at_window = [&](const char* text, const char* range, const char* reads) {
    code.line(2, "losses.append(loss.detach())");
    code.script(2, "numbers_of.append(i)");
    code.line(1, "if (i + 1) % $window == 0:");
    code.line(2, text, {range});
    code.script(2,
                std::string("for number in numbers_of:\n    got(i - number)\nnote('reads_per_list', ") + reads + ")");
    code.more(2, "losses.clear()");
    code.script(2, "numbers_of.clear()");
  };
  switch (s.method) {
    case Method::None:
      break;
    case Method::Item:
      code.line(2, s.validation ? "total_loss += loss.item()" : "value = loss.item()", {"item()"});
      break;
    case Method::Bool:
      code.line(2, "if loss < 0.1:", {"if loss < 0.1"});
      code.more(3, "good_enough += 1  # break: not here, this run goes on");
      break;
    case Method::Print:
      code.line(2, "print(loss)", {"print(loss)"});
      break;
    case Method::FString:
      code.line(2, "print(f'{loss:.4f}')", {"f-string"});
      break;
    case Method::TensorBoard:
      code.line(2, "writer.add_scalar('Loss/train', loss, i)", {"add_scalar()"});
      break;
    case Method::ListOfItems:
      return at_window("values = [l.item() for l in losses]", "list of items", "len(losses)");
    case Method::Stacked:
      return at_window("values = torch.stack(losses).cpu()", "stack().cpu()", "1");
    case Method::Accumulate:
      code.line(2, "total += loss.detach()", {"total += loss"});
      code.line(1, "if (i + 1) % $window == 0:");
      code.line(2, "total_loss = total.item()", {"total.item()"});
      break;
    case Method::Pageable:
      code.line(2, "host.copy_(loss.detach(), non_blocking=True)  # pageable", {"copy to pageable"});
      code.more(2, "value = float(host)");
      break;
    case Method::OneStepLate:
      code.line(2, "slot = 1 - slot", {"copy to pinned"});
      code.more(2, "pinned[slot].copy_(loss.detach(), non_blocking=True)");
      code.more(2, "copied[slot].record()");
      code.script(2, "number_of[slot] = i");
      code.line(1, "if waiting is not None:  # for the copy of the step before");
      code.line(2, "copied[waiting].synchronize()", {"read one step late"});
      code.more(2, "value = pinned[waiting].item()  # on the CPU");
      code.script(2, "got(i - number_of[waiting])");
      code.line(1, code.settings().integer(key::kLogInterval) == 1
                       ? "waiting = slot"
                       : "waiting = slot if i % $log_interval == 0 else None");
      return;
    case Method::Unsafe:
      code.line(2, "pinned.copy_(checked, non_blocking=True)", {"copy to pinned"});
      code.line(2, "value = float(pinned[1])  # may not be there", {"read at once"});
      code.script(2, "got(i + 1 - int(pinned[0]))");
      return;
  }
  if (s.method != Method::None) code.script(2, "got()");
}

void write_state(CodeWriter& code, const ReadbackSettings& s) {
  switch (s.method) {
    case Method::TensorBoard:
      code.script(0, "writer = SummaryWriter(tempfile.mkdtemp())");
      break;
    case Method::Bool:
      code.script(0, "good_enough = 0");
      break;
    case Method::ListOfItems:
    case Method::Stacked:
      code.script(0, "losses, numbers_of = [], []");
      break;
    case Method::Pageable:
      code.script(0, "host = torch.empty(())");
      break;
    case Method::OneStepLate:
      code.line(0, "pinned = torch.empty(2, pin_memory=True)");
      code.line(0, "copied = [torch.cuda.Event(), torch.cuda.Event()]");
      code.script(0, "number_of = [0, 0]");
      code.line(0, "slot, waiting = 0, None");
      break;
    case Method::Unsafe:
      // The iteration's number beside the loss tells whether both are there.
      code.script(0, "pinned, checked = torch.zeros(2, pin_memory=True), torch.zeros(2, device='cuda')");
      break;
    default:
      break;
  }
  if (s.method == Method::Item && s.validation) code.script(0, "total_loss = 0");
}

}  // namespace

void write_readback(CodeWriter& code) {
  const ReadbackSettings s(code.settings());
  const bool board = s.method == Method::TensorBoard;
  begin_script(code,
               board                            ? "import tempfile"
               : s.sync_debug && !code.on_cpu() ? "import warnings"
                                                : "",
               board ? "from torch.utils.tensorboard import SummaryWriter" : "");
  if (s.method != Method::None) {
    code.script(0, s.method == Method::Unsafe ? "UNSAFE = True" : "UNSAFE = False");
    code.script(0, kGot);
  }
  write_busy(code);
  code.script(0, R"(
class Busy(nn.Module):
    def __init__(self, us):
        super().__init__()
        self.us = us

    def forward(self, x):
        busy(self.us)
        return x


def samples(rows):  # of a line with a little noise
    data = torch.empty(rows, 16).uniform_(-1, 1)
    slope = torch.empty(16, 1).uniform_(-1, 1)
    return data, data @ slope + 0.5 + torch.empty(rows, 1).uniform_(-0.1, 0.1)

)");
  code.line(0, "model = nn.Sequential(Busy($model_us), nn.Linear(16, 1)).cuda()", {"set up"});
  code.more(0, "data, target = (t.cuda() for t in samples($batch_size))");
  code.script(0, "optimizer = torch.optim.SGD(model.parameters(), lr=0.01)");
  write_state(code, s);
  if (s.sync_debug && !code.on_cpu()) {
    code.script(0, R"(warned = 0


def count_warning(*about, **more):
    global warned
    warned += 1


warnings.simplefilter('always')
warnings.showwarning = count_warning)");
    code.line(0, "torch.cuda.set_sync_debug_mode('warn')");
  }
  if (graphed(code)) {
    begin_graph(code);
    code.line(0, "def step():");
    write_step(code, s);
    code.line(1, "return loss");
  }
  code.line(0, "for i in range(iterations):");
  begin_iteration(code, 1);
  if (s.method != Method::None) code.script(1, "numbers = wrong = 0");
  if (s.sync_debug && !code.on_cpu()) code.script(1, "warned = 0");
  graphed(code) ? write_graph(code) : write_step(code, s);
  code.script(1, "since = time.perf_counter()");
  if (s.method == Method::Accumulate) {
    code.line(1, "if i % $window == 0:");
    code.line(2, "total = torch.zeros((), device='cuda')", {"zeros()"});
  }
  if (s.method != Method::None) code.line(1, "if i % $log_interval == 0:");
  write_read_back(code, s);
  code.script(1, "note('read_us', 1e6 * (time.perf_counter() - since))");
  if (s.method != Method::None) code.script(1, "note('numbers_read', numbers)\nnote('wrong_numbers', wrong)");
  if (s.sync_debug && !code.on_cpu()) code.script(1, "note('sync_warnings', warned)");
  if (board) code.script(0, "writer.close()");
  if (s.method == Method::OneStepLate)
    code.script(0,
                "if waiting is not None:  # the last one\n    copied[waiting].synchronize()\n    value = "
                "pinned[waiting].item()");
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
