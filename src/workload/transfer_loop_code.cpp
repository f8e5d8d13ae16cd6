#include "workload/common_settings.h"
#include "workload/program.h"

namespace lanescope::workload {
namespace {

// In training it works in half precision, and its backward pass takes twice as long as the forward pass.
void write_model(CodeWriter& code, bool train) {
  write_busy(code);
  code.script(0, R"(
model_until = 0


def model_runs(us):  # and notes until when at least, as seen by the CPU
    global model_until
    model_until = max(model_until, time.perf_counter()) + us / 1e6
    busy(us)

)");
  if (!train) {
    code.script(0, R"(
class Model(nn.Module):
    def forward(self, x, y):
        model_runs($model_us)
        return F.mse_loss(x, y, reduction='none')

)");
    return;
  }
  code.script(0, R"(
class Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, x_half, y, no_gradient):
        model_runs($model_us)
        ctx.save_for_backward(x, y)
        ctx.no_gradient = no_gradient
        return F.mse_loss(x, y, reduction='none')

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        torch.ops.aten.mse_loss_backward(grad, x, y, 0)
        model_runs($model_us)  # for the inputs
        model_runs($model_us)  # for the weights
        return None, ctx.no_gradient.detach(), None, None, None


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(10_000).uniform_(-0.1, 0.1))
        self.register_buffer('no_gradient', torch.zeros(10_000))

    def forward(self, x, y):
        self.weight.detach().half()
        return Layer.apply(x, self.weight, x.half(), y, self.no_gradient)

)");
}

constexpr const char* kZeroGrad = "optimizer.zero_grad()  # lets .grad go: no kernel";

void write_to_the_loss(CodeWriter& code, bool train) {
  if (train) code.line(1, "with torch.autocast('cuda', torch.float16):");
  code.line(train ? 2 : 1, "output = model(X, Y)", {"forward"});
  code.line(train ? 2 : 1, "loss = output.mean()", {"loss"});
}

void write_backward(CodeWriter& code) {
  code.line(1, "loss.backward()", {"backward"});
  code.line(1, "optimizer.step()", {"step"});
}

struct Loop {
  explicit Loop(const CodeWriter& code)
      : feeds(code.settings().choice(key::kFeed) != "resident"),
        ready(code.settings().choice(key::kFeed) == "ready"),
        side(feeds && code.settings().choice(key::kCopyStream) == choice::kSideStream && !code.on_cpu()),
        scaler(code.settings().boolean("scaler")),
        train(scaler || code.settings().boolean("train")),
        graph(graphed(code)) {}

  bool feeds, ready, side, scaler, train, graph;
};

/// The step as a function, whose tensors stay where they are.
void write_step(CodeWriter& code, const Loop& loop) {
  if (loop.side) {
    code.script(0, R"(side, k = torch.cuda.Stream(), 0
batches = [torch.randn(2, $batch_size, $features).cuda() for _ in range(2)]
copied, used = ([torch.cuda.Event() for _ in range(2)] for _ in range(2)))");
  } else if (loop.feeds) {
    code.script(0, "X, Y = torch.randn(2, $batch_size, $features).cuda()");
  }
  begin_graph(code, loop.side ? "(0, 1)" : "");
  code.line(0, loop.side ? "def step(k):" : "def step():");
  if (loop.side) code.line(1, "X, Y = batches[k]");
  write_to_the_loss(code, loop.train);
  if (loop.train) {
    write_backward(code);
    code.line(1, kZeroGrad);
  }
  code.line(1, "return loss");
}

void write_set_up(CodeWriter& code, const Loop& loop) {
  code.line(0, "model = Model().cuda()", {"set up"});
  if (!loop.feeds) code.more(0, "X, Y = torch.randn(2, $batch_size, $features).cuda()");
  if (loop.train) code.script(0, "optimizer = torch.optim.SGD(model.parameters(), lr=0.01)");
  if (loop.scaler) code.script(0, "scaler = torch.amp.GradScaler('cuda')");
  if (loop.ready) code.line(0, "x, y = make_batch($batch_size, pin_memory=$pinned)  # once");
  if (loop.graph) {
    write_step(code, loop);
  } else if (loop.side) {
    code.script(0, R"(main, side = torch.cuda.current_stream(), torch.cuda.Stream())");
    if (!loop.ready) code.script(0, "x, y = make_batch($batch_size, pin_memory=$pinned)");
    code.script(0, "ahead = x.to('cuda'), y.to('cuda'), main.record_event()");
  }
}

void write_copies(CodeWriter& code, const Loop& loop) {
  if (!loop.side) {
    code.line(1, copy_of_batch(code, "X", "x"), {"copy"});
    code.more(1, copy_of_batch(code, "Y", "y"));
    code.script(1, "since = take('copy', since)");
    return;
  }
  code.line(1, loop.graph ? "X, Y = batches[1 - k]" : "X, Y, copied = ahead");
  code.line(1, "with torch.cuda.stream(side):  # one batch ahead");
  if (loop.graph) {
    code.line(2, "side.wait_event(used[1 - k])", {"copy"});
    code.more(2, copy_of_batch(code, "X", "x"));
    code.more(2, copy_of_batch(code, "Y", "y"));
    code.more(2, "copied[1 - k].record()");
  } else {
    code.line(2, "ahead = (x.to('cuda', non_blocking=$non_blocking),", {"copy"});
    code.more(4, "y.to('cuda', non_blocking=$non_blocking),");
    code.more(4, "side.record_event())");
  }
  code.script(1, "since = take('copy', since)");
  code.line(1, loop.graph ? "main.wait_event(copied[k])" : "main.wait_event(copied)");
  if (!loop.graph) code.script(1, "X.record_stream(main), Y.record_stream(main)");
}

void write_round_trip(CodeWriter& code, const Loop& loop) {
  if (loop.side && loop.graph) code.line(1, "X = batches[k][0]");
  code.line(1, "data_cpu = X.cpu()", {".cpu()"});
  code.line(1, loop.graph ? "X.copy_(data_cpu)" : "X = data_cpu.cuda()", {".cuda()"});
  code.script(1, "took['copy'] += 1e6 * (time.perf_counter() - since)\nsince = time.perf_counter()");
}

/// The graph of the whole step, or the statements up to the loss.
void write_launches(CodeWriter& code, const Loop& loop) {
  if (loop.graph) {
    write_graph(code, "i", loop.side ? "k" : "");
    code.script(
        2, std::string("model_until = max(model_until, since) + ") + (loop.train ? "3 * " : "") + "$model_us / 1e6");
    if (loop.side) {
      code.line(1, "used[k].record()");
      code.line(1, "k = 1 - k");
    }
  } else {
    write_to_the_loss(code, loop.train);
  }
  code.script(1, "since = take('launch', since)");
}

void write_training(CodeWriter& code, const Loop& loop) {
  if (loop.scaler) {
    code.line(1, "scaler.scale(loss).backward()", {"backward"});
    code.line(1, "scaler.step(optimizer)", {"unscale", "found_inf.item()", "step"});
    code.more(1, "scaler.update()");
  } else {
    write_backward(code);
  }
  code.line(1, kZeroGrad);
  code.script(1, "since = take('launch', since)");
}

}  // namespace

void write_transfer_loop(CodeWriter& code) {
  const Settings& s = code.settings();
  const Loop loop(code);
  begin_script(code, "from collections import Counter");
  write_model(code, loop.train);
  code.script(0, R"(
took, waited = Counter(), Counter()


def take(name, since):  # what a statement took; of it, while the GPU ran the model
    now = time.perf_counter()
    took[name] += 1e6 * (now - since)
    waited[name] += 1e6 * max(0, min(now, model_until) - since)
    return now

)");
  if (loop.feeds) {
    code.script(0, R"(
def make_batch(rows, pin_memory):
    x, y = (torch.empty(rows, $features, pin_memory=pin_memory) for _ in range(2))
    return x.uniform_(), y.uniform_()

)");
  }
  write_set_up(code, loop);
  code.line(0, "for i in range(iterations):");
  begin_iteration(code, 1);
  code.script(1, "took, waited = Counter(), Counter()\nentered = since = time.perf_counter()");
  if (loop.feeds) {
    if (!loop.ready) {
      code.line(1, "x, y = make_batch($batch_size, pin_memory=$pinned)", {"make batch"});
      code.script(1, "since = take('make', since)");
    }
    write_copies(code, loop);
  }
  if (s.boolean("round_trip")) write_round_trip(code, loop);
  write_launches(code, loop);
  if (s.integer(key::kLogInterval) != 0) {
    code.line(1, "if i % $log_interval == 0:");
    code.line(2, "print(loss.item())", {"item()"});
    code.script(2, "since = take('read', since)");
  }
  if (loop.train && !loop.graph) write_training(code, loop);
  code.script(1, R"(own = took['read'] - waited['read']
for name in ('make', 'copy', 'launch', 'read'):
    note(name + '_us', took[name])
note('read_own_us', own)
transfer = took['copy'] - waited['copy'] + own
note('transfer_share_percent', transfer / (1e4 * (time.perf_counter() - entered))))");
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
