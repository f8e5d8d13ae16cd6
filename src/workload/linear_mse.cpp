#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/random.h"
#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager_workload.h"
#include "workload/figures.h"
#include "workload/program.h"
#include "workload/workloads.h"

namespace lanescope::workload {
namespace {

using ops::Op;
using ops::OpKind;

constexpr const char* kSynchronize = "synchronize()";
constexpr std::int32_t kLinearInputs = 1000;
constexpr std::int32_t kLinearOutputs = 1000;
constexpr BatchLimits kLinearBatch{.standard = 128, .maximum = 8192};

class LinearMse final : public EagerWorkload {
 public:
  explicit LinearMse(device::Device& device)
      : EagerWorkload(device, linear_mse_info()),
        stopwatch_(device),
        timer_(device),
        stopwatch_us_(figures().add("stopwatch_us", N_("the program's stopwatch"), "µs")),
        event_us_(figures().add("event_us", N_("between the two events"), "µs")),
        failed_reads_(figures().add("failed_reads_percent", N_("elapsed_time() that raised an error"), "%")) {}

  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;

 private:
  void read(const Settings& settings);
  void make_room(std::int32_t rows);
  void initialise(std::uint64_t seed);
  void forward(std::int32_t batch);
  void loss(std::int32_t batch);
  void read_loss(std::uint64_t number);
  void synchronize();
  void start_timing(const std::string& timing);
  void stop_timing(const std::string& timing);
  void took(std::optional<base::Nanoseconds> elapsed);
  void backward(std::int32_t batch);

  Stopwatch stopwatch_;
  EventTimer timer_;
  const std::size_t stopwatch_us_, event_us_, failed_reads_;
  Tensor weight_, bias_, weight_grad_, bias_grad_, new_weight_grad_, new_bias_grad_;
  Tensor loss_, loss_grad_;
  Tensor data_, target_, output_, squares_, output_grad_;
  std::int32_t capacity_ = 0;  // capacity of the batch's tensors, in rows
  std::uint64_t seed_ = 0;
  bool has_grads_ = false;
  // As read from the settings with this stamp.
  std::uint64_t read_ = 0;
  std::optional<TrainingSettings> training_;
  std::string timing_;
  bool timed_ = false, graphed_ = false;
};

void LinearMse::read(const Settings& settings) {
  if (settings.stamp() == read_) return;
  read_ = settings.stamp();
  training_.emplace(settings);
  timing_ = settings.choice(key::kTiming);
  timed_ = timing_ != "off";
  graphed_ = uses_graph(settings);
  eager_.set_dispatch_us(training_->dispatch_us);
}

void LinearMse::set_up(const Settings& settings) {
  read(settings);
  const TrainingSettings& s = *training_;
  const Phase phase(eager_, "set up");
  for (Tensor* t : {&weight_, &weight_grad_, &new_weight_grad_})
    *t = eager_.tensor(elements(kLinearOutputs, kLinearInputs));
  for (Tensor* t : {&bias_, &bias_grad_, &new_bias_grad_}) *t = eager_.tensor(kLinearOutputs);
  for (Tensor* t : {&loss_, &loss_grad_}) *t = eager_.tensor(1);
  initialise(s.seed);
  make_room(s.batch_size);
  eager_.synchronize();
}

// The capacity is a power of two, so that dragging the batch size slider causes only a few allocations. Tensors that
// become too small stay allocated, as in PyTorch's caching allocator.
void LinearMse::make_room(std::int32_t rows) {
  if (rows <= capacity_) return;
  capacity_ = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(rows)));
  for (Tensor* t : {&data_, &target_, &output_, &squares_, &output_grad_}) {
    *t = eager_.tensor(elements(capacity_, kLinearOutputs));
  }
  for (const Tensor& t : {data_, target_}) fill(t);
}

// model = nn.Linear(1000, 1000).cuda(): creates the weights on the host and copies them.
void LinearMse::initialise(std::uint64_t seed) {
  seed_ = seed;
  base::Random random(seed);
  const float bound = 1.0f / std::sqrt(static_cast<float>(kLinearInputs));
  for (const Tensor& parameter : {weight_, bias_}) {
    const HostTensor values = eager_.host_tensor(parameter.elements, false);
    const std::span<float> all = eager_.values(values);
    if (eager_.holds_values()) {
      for (float& value : all) value = random.uniform(bound);
      eager_.host_wrote(values);
    } else {
      eager_.host_fill(values);  // takes the same time, since the memory is not fresh any more
    }
    eager_.copy_to_device(parameter, values, parameter.elements, false);
    eager_.drop(values);
  }
}

void LinearMse::synchronize() {
  const Phase phase(eager_, kSynchronize, trace::RangeKind::Sync);
  eager_.synchronize();
}

bool by_events(const std::string& timing) { return timing.starts_with("events"); }

void LinearMse::start_timing(const std::string& timing) {
  if (timing == choice::kSynchronized) synchronize();
  if (by_events(timing)) {
    const Phase phase(eager_, "start.record()");
    eager_.spend(device::FrameworkCall::EventRecord);
    timer_.start(Eager::kStream);
  } else {
    stopwatch_.start();
  }
}

void LinearMse::stop_timing(const std::string& timing) {
  if (!by_events(timing)) {
    if (timing == choice::kSynchronized) synchronize();
    figures().sample(stopwatch_us_, base::to_us(stopwatch_.stop()));
    return;
  }
  {
    const Phase phase(eager_, "end.record()");
    eager_.spend(device::FrameworkCall::EventRecord);
    timer_.stop(Eager::kStream);
  }
  if (timing == "events") synchronize();
  if (timing != "events-polled") {
    const Phase phase(eager_, "elapsed_time()", trace::RangeKind::Sync);
    return took(timer_.read_newest());
  }
  const Phase phase(eager_, "end.query()");
  while (timer_.oldest_happened()) took(timer_.read_oldest());
}

void LinearMse::took(std::optional<base::Nanoseconds> elapsed) {
  figures().sample(failed_reads_, elapsed ? 0 : 100);
  if (elapsed) figures().sample(event_us_, base::to_us(*elapsed));
}

// output = model(data), optionally timed.
void LinearMse::forward(std::int32_t batch) {
  if (timed_) start_timing(timing_);
  {
    const Phase phase(eager_, "forward");
    eager_.launch(Op{OpKind::LinearForward, batch, kLinearOutputs, kLinearInputs}, {data_, weight_, bias_, output_});
  }
  if (timed_) stop_timing(timing_);
}

void LinearMse::loss(std::int32_t batch) {
  const Phase phase(eager_, "loss");
  eager_.launch(Op{OpKind::MseForward, batch, kLinearOutputs}, {output_, target_, squares_});
  eager_.launch(Op{OpKind::MeanReduce, batch, kLinearOutputs}, {squares_, loss_});
}

void LinearMse::read_loss(std::uint64_t number) {
  if (training_->log_interval == 0 || number % training_->log_interval != 0) return;
  const Phase phase(eager_, "item()", trace::RangeKind::Read);
  eager_.item(loss_);
}

void LinearMse::backward(std::int32_t batch) {
  const Phase phase(eager_, "backward");
  const Backward inside(eager_);
  // The first gradients become .grad directly; later ones are added, because nothing resets them to zero.
  const Tensor weight_grad = has_grads_ ? new_weight_grad_ : weight_grad_;
  const Tensor bias_grad = has_grads_ ? new_bias_grad_ : bias_grad_;
  eager_.launch(Op{OpKind::Fill, 1, 1, 1, 1.0f}, {loss_grad_});
  eager_.launch(Op{OpKind::MseBackward, batch, kLinearOutputs}, {loss_grad_, output_, target_, output_grad_});
  eager_.launch(Op{OpKind::LinearWeightGrad, batch, kLinearOutputs, kLinearInputs}, {output_grad_, data_, weight_grad});
  eager_.launch(Op{OpKind::LinearBiasGrad, batch, kLinearOutputs}, {output_grad_, bias_grad});
  if (has_grads_) {
    eager_.launch(Op{OpKind::AddInPlace, kLinearOutputs, kLinearInputs}, {weight_grad_, weight_grad});
    eager_.launch(Op{OpKind::AddInPlace, 1, kLinearOutputs}, {bias_grad_, bias_grad});
  }
  has_grads_ = true;
}

void LinearMse::iterate(std::uint64_t number, const Settings& settings) {
  read(settings);
  const TrainingSettings& s = *training_;
  if (s.seed != seed_ || s.batch_size > capacity_) {
    const Phase phase(eager_, "set up");
    if (s.seed != seed_) initialise(s.seed);
    make_room(s.batch_size);
  }
  const std::size_t count = elements(s.batch_size, kLinearInputs);
  if (s.feed_each_iteration) feed({data_, count}, {target_, count}, s);
  if (graphed_) {
    graph_.run({s.batch_size, capacity_}, [&] {
      forward(s.batch_size);
      loss(s.batch_size);
      backward(s.batch_size);
    });
    return read_loss(number);
  }
  forward(s.batch_size);
  loss(s.batch_size);
  read_loss(number);
  backward(s.batch_size);
}

}  // namespace

WorkloadInfo linear_mse_info() {
  return {
      .name = "linear-mse",
      .title = N_("Reading the loss every iteration"),
      .summary = N_("One linear layer is trained on a batch that stays on the GPU. Reading the loss makes the CPU wait "
                    "until the GPU has finished, and then the GPU waits until the CPU has launched the next kernel. "
                    "Raise the log interval and watch the waits and the gaps between the kernels disappear."),
      .experiments = N_("P08 to P10, P14, P15, S2-events"),
      .published = {{N_("no read, 1,000 iterations"), N_("about 0.8 s")},
                    {N_("a read every iteration"), N_("about 3.4 s")}},
      .code = shown_code(write_linear_mse, linear_mse_settings({})),
      .computes_values = false,
  };
}

Settings linear_mse_settings(const device::DeviceInfo& device) {
  std::vector<SettingSpec> specs = training_settings(device, kLinearBatch).specs();
  specs.push_back(
      {.key = key::kTiming,
       .label = N_("Timing"),
       .help =
           N_("The program times model(data). naive: a stopwatch, which shows how long the launch took; "
              "synchronized: with a synchronisation before and after. events: CUDA events on the stream, read after "
              "a synchronisation; events-early: read at once, which fails; events-polled: read when they have "
              "happened, without any synchronisation."),
       .type = SettingType::Choice,
       .standard = std::string("off"),
       .choices = {"off", "naive", choice::kSynchronized, "events", "events-early", "events-polled"},
       .range = RangeOfSetting{kSynchronize, std::string(choice::kSynchronized), std::string("off")}});
  specs.push_back(
      cuda_graph_setting(device, {{{{.key = key::kTiming, .value = std::string("off"), .differs = true}},
                                   N_("the program times a part of the step, and a graph is launched as a whole")}}));
  return Settings(std::move(specs));
}

std::unique_ptr<Workload> make_linear_mse(device::Device& device) { return std::make_unique<LinearMse>(device); }

// --- the program -----------------------------------------------------------------------------------------------------

namespace {

void write_read(CodeWriter& code) {
  if (code.settings().integer(key::kLogInterval) == 0) return;
  code.line(1, "if i % $log_interval == 0:");
  code.line(2, "value = loss.item()", {"item()"});
}

/// How the program reads its pair of events.
void write_elapsed(CodeWriter& code, const std::string& timing) {
  if (timing == "events") {
    code.line(1, "took = start.elapsed_time(end)", {"elapsed_time()"});
    code.script(1, "note('event_us', 1e3 * took)\nnote('failed_reads_percent', 0)");
  }
  if (timing == "events-early") {
    code.script(1, "failed_before = failed");
    code.line(1, "try:");
    code.line(2, "took = start.elapsed_time(end)", {"elapsed_time()"});
    code.more(1, "except RuntimeError:  # not ready");
    code.more(2, "failed += 1");
    code.script(1, R"(note('failed_reads_percent', 100 * (failed - failed_before))
if failed == failed_before:
    note('event_us', 1e3 * took))");
  }
  if (timing == "events-polled") {
    code.script(1, "pairs.append((start, end))");
    code.line(1, "while pairs and pairs[0][1].query():", {"end.query()"});
    code.more(2, "first, last = pairs.popleft()");
    code.more(2, "took = first.elapsed_time(last)");
    code.script(2, "note('event_us', 1e3 * took)\nnote('failed_reads_percent', 0)");
  }
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
    code.line(0, "start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)");
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
    code.line(1, "start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)");
  }
  if (events) code.line(1, "start.record()", {"start.record()"});
  code.line(1, "output = model(data)", {"forward"});
  if (events) code.line(1, "end.record()", {"end.record()"});
  if (synchronized || timing == "events") code.synchronize(1, {}, {"synchronize()"});
  if (stopwatch) {
    code.line(1, "took = time.time() - start", {"stopwatch"});
    code.script(1, "note('stopwatch_us', 1e6 * took)");
  }
  if (events) write_elapsed(code, timing);
  code.line(1, "loss = F.mse_loss(output, target)", {"loss"});
  write_read(code);
  code.line(1, "loss.backward()", {"backward"});
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
