#include "workload/code/programs.h"
#include "workload/setting_keys.h"

namespace lanescope::workload {
namespace {

void write_read(CodeWriter& code) {
  if (code.settings().integer(key::kLogInterval) == 0) return;
  code.line(1, "if i % $log_interval == 0:");
  code.line(2, "value = loss.item()", {"item()"});
}

}  // namespace

void write_linear_mse(CodeWriter& code) {
  const Settings& s = code.settings();
  const std::string& timing = s.choice(key::kTiming);
  const bool synchronized = timing == choice::kSynchronized;
  const bool polled = timing == "events-polled";
  const bool events = timing.starts_with("events");
  const bool stopwatch = timing != "off" && !events;
  const bool feeds = s.choice(key::kFeed) == "per-iteration";

  begin_script(code, polled ? "from collections import deque" : "");
  if (feeds) {
    code.script(0, R"(

def make_batch(rows, pin_memory):
    x, y = (torch.empty(rows, 1000, pin_memory=pin_memory) for _ in range(2))
    return x.uniform_(), y.uniform_()

)");
  }
  code.line(0, "model = nn.Linear(1000, 1000).cuda()", {"set up"});
  code.more(0, "data, target = torch.randn(2, $batch_size, 1000).cuda()");
  if (events && !polled) {
    code.script(0, "start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)");
  }
  if (timing == "events-early") code.script(0, "took, failed = None, 0");
  if (polled) code.script(0, "pairs = deque()");
  if (graphed(code)) {
    begin_graph(code);
    code.line(0, "def step():");
    code.line(1, "output = model(data)", {"forward"});
    code.line(1, "loss = F.mse_loss(output, target)", {"loss"});
    code.line(1, "loss.backward()", {"backward"});
    code.line(1, "return loss");
  }
  code.line(0, "for i in range(iterations):");
  begin_iteration(code, 1);
  if (feeds) {
    code.line(1, "x, y = make_batch($batch_size, pin_memory=$pinned)", {"make batch"});
    code.line(1, copy_of_batch(code, "data", "x"), {"copy"});
    code.more(1, copy_of_batch(code, "target", "y"));
  }
  if (graphed(code)) {
    write_graph(code);
    write_read(code);
    code.synchronize(0);
    return end_script(code);
  }
  if (synchronized) code.synchronize(1, {}, {"synchronize()"});
  if (stopwatch) code.line(1, "start = time.time()");
  if (polled) {
    code.script(1, "start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)");
  }
  if (events) code.line(1, "start.record()  # torch.cuda.Event(enable_timing=True)", {"start.record()"});
  code.line(1, "output = model(data)", {"forward"});
  if (events) code.line(1, "end.record()", {"end.record()"});
  if (synchronized || timing == "events") code.synchronize(1, {}, {"synchronize()"});
  if (stopwatch) {
    code.line(1, "took = time.time() - start", {"stopwatch"});
    code.script(1, "note('stopwatch_us', 1e6 * took)");
  }
  if (timing == "events") {
    code.line(1, "took = start.elapsed_time(end)", {"elapsed_time()"});
    code.script(1, "note('event_us', 1e3 * took)\nnote('failed_reads_percent', 0)");
  }
  if (timing == "events-early") {
    code.script(1, "failed_before = failed");
    code.line(1, "try: took = start.elapsed_time(end)", {"elapsed_time()"});
    code.more(1, "except RuntimeError: failed += 1  # not ready");
    code.script(1, R"(note('failed_reads_percent', 100 * (failed - failed_before))
if failed == failed_before:
    note('event_us', 1e3 * took))");
  }
  if (polled) {
    code.script(1, "pairs.append((start, end))");
    code.line(1, "while pairs and pairs[0][1].query():", {"end.query()"});
    code.more(2, "first, last = pairs.popleft()");
    code.more(2, "took = first.elapsed_time(last)");
    code.script(2, "note('event_us', 1e3 * took)\nnote('failed_reads_percent', 0)");
  }
  code.line(1, "loss = F.mse_loss(output, target)", {"loss"});
  write_read(code);
  code.line(1, "loss.backward()", {"backward"});
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
