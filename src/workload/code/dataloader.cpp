#include <fmt/format.h>

#include "workload/code/programs.h"
#include "workload/dataloader.h"
#include "workload/setting_keys.h"

namespace lanescope::workload {
namespace {

// Workers sleep as long as a sample takes to load, and copy its numbers.
void write_samples(CodeWriter& code) {
  code.script(0, fmt::format(R"(
SHARE = {{'files': 1, 'tarred': {}, 'cached': {}}}  # of the load time; cached: from the second epoch on


class Samples(Dataset):
    def __init__(self, storage, dtype):
        self.storage = storage
        self.source = torch.rand($sample_kib * 256).to(dtype)
        self.epoch = torch.zeros(1, dtype=torch.int64).share_memory_()  # the workers see it, too

    def __len__(self):
        return $samples

    def __getitem__(self, index):
        first = self.storage == 'cached' and self.epoch.item() <= 1
        time.sleep($load_ms / 1e3 * (1 if first else SHARE[self.storage]) * random.uniform(0.9, 1.1)))",
                             kTarredShare, kCachedShare));
  if (code.settings().integer("tensors") == 1) {
    code.script(2, "return self.source.clone()");
  } else {
    code.script(2, "return {str(k): t.clone() for k, t in enumerate(self.source.chunk($tensors))}");
  }
  code.script(0, "\n");
}

void write_work(CodeWriter& code, bool autocast, bool several) {
  write_busy(code);
  code.script(0, R"(
class Work(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weight):
        ctx.save_for_backward(weight)
        busy(1e3 * $model_ms / 3)
        return torch.zeros((), device=weight.device)

    @staticmethod
    def backward(ctx, grad):
        busy(1e3 * $model_ms * 2 / 3)  # about twice the forward pass
        return torch.empty_like(ctx.saved_tensors[0])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(1_000_000))

    def forward(self, x):)");
  if (autocast) {
    code.script(2, several ? "[t.half() for t in x.values()]" : "x.half()");
    code.script(2, "self.weight.detach().half()");
  }
  code.script(0, R"(        return Work.apply(self.weight)

)");
}

}  // namespace

void write_dataloader(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool several = s.integer("tensors") != 1, accumulates = s.integer("accumulate") > 1;
  const bool autocast = s.boolean("autocast");
  const bool prefetch = s.integer(key::kPrefetchFactor) != kPrefetchNotGiven;

  begin_script(code, "import math\nimport random", "from torch.utils.data import DataLoader, Dataset");
  write_samples(code);
  write_work(code, autocast, several);
  code.line(0, "dataset = Samples('$storage', dtype=torch.$input)");
  code.line(0, "loader = DataLoader(dataset, batch_size=$batch_size,",
            {"set up", "new loader", "start worker", "load batch", "pin batch"});
  code.more(2, prefetch ? "num_workers=$num_workers, prefetch_factor=$prefetch_factor, pin_memory=$pin_memory,"
                        : "num_workers=$num_workers, pin_memory=$pin_memory,");
  code.more(2, "persistent_workers=$persistent_workers)");
  code.script(0, R"(model = Model().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
epochs = math.ceil(iterations / len(loader))
i, stepped = 0, None)");
  code.line(0, "for epoch in range(epochs):");
  code.script(1, "dataset.epoch += 1\nepoch_began = asked = time.perf_counter()\nfirst = True");
  code.line(1, "for x in loader:", {"next(loader)", "iter(loader)"});
  begin_iteration(code, 2);
  code.script(2, R"(note('wait_ms', 1e3 * (time.perf_counter() - asked))
if first:
    note('epoch_start_ms', 1e3 * (time.perf_counter() - epoch_began))
first = False)");
  code.script(
      2, several ? "note('h2d_mib', sum(t.nbytes for t in x.values()) / 2**20)" : "note('h2d_mib', x.nbytes / 2**20)");
  code.line(2,
            several ? "x = {k: t.to('cuda', non_blocking=$non_blocking) for k, t in x.items()}"
                    : "x = x.to('cuda', non_blocking=$non_blocking)",
            {"copy"});
  if (autocast) code.line(2, "with torch.autocast('cuda', torch.float16):");
  code.line(autocast ? 3 : 2, "loss = model(x)", {"forward"});
  code.line(2, accumulates ? "(loss / $accumulate).backward()" : "loss.backward()", {"backward"});
  const int steps = accumulates ? 3 : 2;
  if (accumulates) code.line(2, "if (i + 1) % $accumulate == 0:");
  code.line(steps, "optimizer.step()", {"step"});
  code.more(steps, "optimizer.zero_grad()  # lets .grad go: no kernel");
  code.script(steps, R"(now = time.perf_counter()
if stepped:
    note('step_ms', 1e3 * (now - stepped))
stepped = now)");
  if (s.integer(key::kLogInterval) != 0) {
    code.line(2, "if i % $log_interval == 0:");
    code.line(3, "value = loss.item()", {"item()"});
  }
  code.line(2, "i += 1");
  code.script(2, "if i == iterations:\n    break\nasked = time.perf_counter()");
  code.script(1, "else:\n    note('epoch_ms', 1e3 * (time.perf_counter() - epoch_began))");
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
