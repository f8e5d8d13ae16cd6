// The readback workload's texts and settings.
#include <array>
#include <bit>
#include <cmath>
#include <deque>

#include "base/random.h"
#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager_workload.h"
#include "workload/graphed_step.h"
#include "workload/program.h"
#include "workload/readback_methods.h"
#include "workload/workloads.h"

namespace lanescope::workload {
namespace {

constexpr BatchLimits kReadbackDefaultBatch{.standard = 64, .maximum = 4096};

}  // namespace

WorkloadInfo readback_info() {
  return {
      .name = "readback",
      .title = N_("Ways to get the loss out of the GPU"),
      .summary = N_("A small regression is trained, and the CPU wants its loss. With .item() the CPU waits until the "
                    "GPU has caught up, and then the GPU waits for the CPU; print(loss) does that eight times. "
                    "Copied to pinned memory and read one step late, the same numbers cost the GPU nothing; read "
                    "without an event, they are wrong."),
      .experiments = N_("P15"),
      .published = {{N_("a read every batch"), N_("slightly slow")}, {N_("a read every 100"), N_("acceptable")}},
      .code = shown_code(write_readback, readback_settings({})),
      .computes_values = true,
  };
}

Settings readback_settings(const device::DeviceInfo& device) {
  const Settings training = training_settings(device, kReadbackDefaultBatch);
  const SettingSpec method{
      .key = key::kMethod,
      .label = N_("Method"),
      .help =
          N_("How the program reads the loss; list-of-items, stacked and accumulate keep it on the GPU until a window "
             "ends."),
      .type = SettingType::Choice,
      .standard = std::string(choice::kItem),
      .choices = {kReadMethods.begin(), kReadMethods.end()}};
  SettingSpec log_interval = *training.spec(key::kLogInterval);
  log_interval.help = N_("Iterations from one loss that is wanted to the next.");
  log_interval.minimum = 1;
  log_interval.zero_is_never = false;
  std::erase(log_interval.stops, 0.0);
  const SettingSpec window{
      .key = "window",
      .label = N_("Window"),
      .help = N_("Iterations after which list-of-items, stacked and accumulate read the losses that they have kept."),
      .type = SettingType::Integer,
      .standard = std::int64_t{100},
      .minimum = 1,
      .maximum = static_cast<double>(kMostKept),
      .logarithmic = true,
      .stops = {1, 10, 20, 50, 100, 200, 500, 1000, 10'000}};
  const SettingSpec validation{.key = "validation",
                               .label = N_("Validation"),
                               .help = N_("A validation loop: no backward pass and no step of the optimizer."),
                               .type = SettingType::Bool,
                               .standard = false};
  const SettingSpec sync_debug{.key = "sync_debug",
                               .label = N_("PyTorch's sync check"),
                               .help = N_("warn: torch.cuda.set_sync_debug_mode('warn'); its warnings are on the lane "
                                          "warnings."),
                               .type = SettingType::Choice,
                               .standard = std::string("off"),
                               .choices = {"off", "warn"}};
  const SettingSpec write_us{.key = "write_us",
                             .label = N_("Writing a record"),
                             .help = N_("How long the SummaryWriter's thread takes for a record (method tensorboard)."),
                             .type = SettingType::Real,
                             .standard = 50.0,
                             .minimum = 0,
                             .maximum = 10'000,
                             .unit = "µs"};
  const std::string kept = N_("each loss is kept in its own place, and a graph always writes to the same one");
  const SettingSpec cuda_graph = cuda_graph_setting(
      device, {{{{.key = key::kMethod, .value = std::string("list-of-items")}}, kept},
               {{{.key = key::kMethod, .value = std::string(choice::kStacked)}}, kept},
               {{{.key = key::kMethod, .value = std::string("unsafe")}},
                N_("the number that checks the read changes in every iteration, and a graph repeats the same one")}});
  return Settings({method, log_interval, window, validation, model_us_setting(), sync_debug, write_us, cuda_graph,
                   *training.spec(key::kBatchSize), *training.spec(key::kDispatchUs), *training.spec("seed")});
}

// --- readback --------------------------------------------------------------------------------------------------------

namespace {

using ops::Op;
using ops::OpKind;
using ReadbackMethod = ReadMethod;

constexpr std::int32_t kReadbackInputs = 16;
constexpr std::int32_t kReadbackParameters = kReadbackInputs + 1;
constexpr float kReadbackLearningRate = 0.01f;
constexpr float kNoise = 0.1f;  // the loss converges to the mean of its square, 0.0033
// The numbers that check the unsafe read repeat after this many iterations; a float represents each exactly.
constexpr std::uint64_t kCheckPeriod = 1u << 23;
constexpr std::size_t kWriterQueue = 10;  // SummaryWriter(max_queue=10): put() waits while the queue holds this many

// What torch/_tensor_str.py of PyTorch 2.11 does to print a non-integer float between 0.0001 and 100,000,000: one
// kernel per step, and how the program reads its result. Any kernel on one element can stand in for another. Together
// with the other reads of print_loss(), these are 20 kernels and 8 reads, as counted with a profiler.
enum class ReadOf : std::uint8_t { Nothing, Number, Bool };
struct PrintStep {
  OpKind kind;
  ReadOf read = ReadOf::Nothing;
};
constexpr std::array kPrintSteps{
    PrintStep{OpKind::CompareGreater},                // isfinite(x): x == x
    PrintStep{OpKind::Scale},                         //   x.abs()
    PrintStep{OpKind::CompareGreater},                //   != inf
    PrintStep{OpKind::Scale},                         //   both
    PrintStep{OpKind::CompareGreater},                // x.ne(0)
    PrintStep{OpKind::Scale},                         // both
    PrintStep{OpKind::SumReduce, ReadOf::Number},     // masked_select(): the count
    PrintStep{OpKind::Stack},                         // the positions, in two kernels
    PrintStep{OpKind::Stack},                         //
    PrintStep{OpKind::Stack},                         //   the values
    PrintStep{OpKind::Scale},                         // abs()
    PrintStep{OpKind::Scale},                         // to(double)
    PrintStep{OpKind::SumReduce},                     // min()
    PrintStep{OpKind::SumReduce},                     // max()
    PrintStep{OpKind::Scale},                         // ceil(value)
    PrintStep{OpKind::CompareGreater, ReadOf::Bool},  // value != it
    PrintStep{OpKind::Scale},                         // max / min
    PrintStep{OpKind::CompareGreater, ReadOf::Bool},  // > 1000
    PrintStep{OpKind::CompareGreater, ReadOf::Bool},  // max > 1e8
    PrintStep{OpKind::CompareGreater, ReadOf::Bool},  // min < 1e-4: sci_mode, a tensor that "if" reads
};

class Readback final : public EagerWorkload {
 public:
  explicit Readback(device::Device& device);

  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;
  void finish() override;

 private:
  // A copy of one loss, in flight.
  struct Late : LateCopy {
    std::uint64_t number = 0;
  };
  // The reads of one iteration.
  struct Reads {
    std::uint64_t numbers = 0, wrong = 0;
    base::Nanoseconds ns = 0;
  };

  void make_data(std::int32_t rows, std::uint64_t seed);
  void initialise(std::uint64_t seed);
  void train(std::uint64_t number, const ReadbackSettings& s);
  void read_loss(std::uint64_t number, const ReadbackSettings& s);
  void ask_if_good_enough();
  void print_loss();
  void add_scalar(std::uint64_t number, const ReadbackSettings& s);
  void end_writer();
  void accumulate(std::uint64_t number, const ReadbackSettings& s);
  void read_pageable();
  void read_list(std::uint64_t number);
  void read_stacked(std::uint64_t number);
  void copy_for_later(std::uint64_t number);
  void read_late(Late& late, std::uint64_t number);
  void read_unsafe(std::uint64_t number);
  void got(float loss, std::uint64_t behind);
  void got_number(std::uint64_t behind);
  void forget();

  Tensor data_, target_, output_, squares_, output_grad_;
  Tensor weight_, bias_, weight_grad_, bias_grad_, loss_grad_;
  Tensor losses_;  // [0] is the newest loss, or the first of the kept ones; unsafe: [0] is the iteration's check, [1]
                   // the loss
  Tensor stacked_, scratch_, total_;
  HostTensor unsafe_, pageable_;
  std::array<Late, 2> late_;
  std::size_t turn_ = 0;                                  // the buffer for the next copy
  std::vector<std::uint64_t> kept_;                       // iterations whose losses are kept on the device
  std::uint64_t in_window_ = 0;                           // iterations since the losses were last read
  std::uint64_t accumulated_ = 0;                         // losses in total_
  device::HostThread writer_ = device::HostThread::None;  // the SummaryWriter's thread
  std::deque<device::HostTask> to_write_;
  std::int32_t capacity_ = 0;
  std::uint64_t seed_ = 0;
  ReadbackMethod method_ = ReadbackMethod::None;
  Reads reads_;
  std::size_t numbers_figure_ = 0, wrong_figure_ = 0, read_figure_ = 0, behind_figure_ = 0;
  std::size_t list_figure_ = 0, waits_figure_ = 0, warnings_figure_ = 0;
};

Readback::Readback(device::Device& device) : EagerWorkload(device, readback_info()) {
  numbers_figure_ = figures().add("numbers_read", N_("numbers read"), "");
  wrong_figure_ = figures().add("wrong_numbers", N_("wrong numbers"), "");
  read_figure_ = figures().add("read_us", N_("reading, per iteration"), "µs");
  behind_figure_ = figures().add("reads_behind", N_("iterations late"), "");
  list_figure_ = figures().add("reads_per_list", N_("reads for a list of losses"), "");
  waits_figure_ = figures().add("waits", N_("statements that wait for the GPU"), "");
  warnings_figure_ = figures().add("sync_warnings", N_("warnings of PyTorch's check"), "");
}

void Readback::set_up(const Settings& settings) {
  const ReadbackSettings s(settings);
  eager_.set_dispatch_us(s.dispatch_us);
  const Phase phase(eager_, "set up");
  for (Tensor* t : {&weight_, &weight_grad_}) *t = eager_.tensor(kReadbackInputs);
  for (Tensor* t : {&bias_, &bias_grad_, &loss_grad_, &scratch_, &total_}) *t = eager_.tensor(1);
  for (Tensor* t : {&losses_, &stacked_}) *t = eager_.tensor(kMostKept);
  unsafe_ = eager_.host_tensor(2, true);
  pageable_ = eager_.host_tensor(1, false);
  for (Late& late : late_) {
    late.host = eager_.host_tensor(1, true);
    late.event = eager_.device().create_event();
  }
  make_data(s.batch_size, s.seed);
  initialise(s.seed);
  eager_.synchronize();
}

// Rows of a known line with noise. A batch takes the first rows. Their number is a power of two, so that dragging the
// batch size slider causes only a few allocations.
void Readback::make_data(std::int32_t rows, std::uint64_t seed) {
  if (rows > capacity_) {
    capacity_ = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(rows)));
    data_ = eager_.tensor(elements(capacity_, kReadbackInputs));
    for (Tensor* t : {&target_, &output_, &squares_, &output_grad_}) *t = eager_.tensor(elements(capacity_, 1));
  }
  base::Random random(seed);
  std::array<float, kReadbackInputs> slope{};
  for (float& value : slope) value = random.uniform(1.0f);
  const HostTensor data = eager_.host_tensor(data_.elements, false);
  const HostTensor target = eager_.host_tensor(target_.elements, false);
  const std::span<float> inputs = eager_.values(data), outputs = eager_.values(target);
  for (std::size_t row = 0; row < outputs.size(); ++row) {
    outputs[row] = 0.5f + random.uniform(kNoise);
    for (std::size_t i = 0; i < slope.size(); ++i) {
      float& x = inputs[row * slope.size() + i];
      x = random.uniform(1.0f);
      outputs[row] += slope[i] * x;
    }
  }
  for (const auto& [to, from] : {std::pair{data_, data}, std::pair{target_, target}}) {
    eager_.host_wrote(from);
    eager_.copy_to_device(to, from, from.elements, false);
    eager_.drop(from);
  }
}

// model = nn.Linear(16, 1).cuda(): creates the weights on the host and copies them.
void Readback::initialise(std::uint64_t seed) {
  seed_ = seed;
  base::Random random(seed + 1);
  const float bound = 1.0f / std::sqrt(static_cast<float>(kReadbackInputs));
  for (const Tensor& parameter : {weight_, bias_}) {
    const HostTensor values = eager_.host_tensor(parameter.elements, false);
    for (float& value : eager_.values(values)) value = random.uniform(bound);
    eager_.copy_to_device(parameter, values, parameter.elements, false);
    eager_.drop(values);
  }
}

void Readback::train(std::uint64_t number, const ReadbackSettings& s) {
  const std::int32_t batch = s.batch_size;
  {
    const Phase phase(eager_, "forward");
    if (s.model_us > 0) eager_.launch(Op{OpKind::Spin, 1, 1, 1, static_cast<float>(s.model_us)}, {});
    eager_.launch(Op{OpKind::LinearForward, batch, 1, kReadbackInputs}, {data_, weight_, bias_, output_});
  }
  {
    const Phase phase(eager_, "loss");
    auto slot = static_cast<std::int32_t>(kept_.size());
    eager_.launch(Op{OpKind::MseForward, batch, 1}, {output_, target_, squares_});
    if (s.method == ReadbackMethod::Unsafe) {
      slot = 1;
      const auto check = static_cast<float>(number % kCheckPeriod + 1);
      eager_.launch(Op{OpKind::Fill, 1, 1, 1, check}, {losses_});
    }
    eager_.launch(Op{OpKind::MeanReduce, batch, 1, slot + 1}, {squares_, losses_});
  }
  if (s.validation) return;
  {
    eager_.zero_grad(2);
    // The gradients become .grad directly: zero_grad() has dropped the old ones, which takes no kernel.
    const Phase phase(eager_, "backward");
    const Backward inside(eager_);
    eager_.launch(Op{OpKind::Fill, 1, 1, 1, 1.0f}, {loss_grad_});
    eager_.launch(Op{OpKind::MseBackward, batch, 1}, {loss_grad_, output_, target_, output_grad_});
    eager_.launch(Op{OpKind::LinearWeightGrad, batch, 1, kReadbackInputs}, {output_grad_, data_, weight_grad_});
    eager_.launch(Op{OpKind::LinearBiasGrad, batch, 1}, {output_grad_, bias_grad_});
  }
  const Phase phase(eager_, "step");
  eager_.launch(Op{OpKind::SgdStep, kReadbackParameters, 1, 1, kReadbackLearningRate},
                {weight_, weight_grad_, bias_, bias_grad_});
}

void Readback::got(float loss, std::uint64_t behind) {
  loss_was_read(loss);
  got_number(behind);
}

void Readback::got_number(std::uint64_t behind) {
  ++reads_.numbers;
  figures().sample(behind_figure_, static_cast<double>(behind));
}

// if loss < 0.1: a comparison on the GPU, and bool() of its result. The run continues either way.
void Readback::ask_if_good_enough() {
  const Phase phase(eager_, "if loss < 0.1");
  eager_.launch(Op{OpKind::CompareGreater, 1, 1, 1, kGoodEnough}, {losses_, scratch_});
  eager_.truth(scratch_);
  got_number(0);
}

void Readback::print_loss() {
  const Phase phase(eager_, "print(loss)", trace::RangeKind::Print);
  for (const PrintStep& step : kPrintSteps) {
    eager_.launch(Op{step.kind, 1, 1}, {losses_, scratch_});
    if (step.read == ReadOf::Number) eager_.item(scratch_);
    if (step.read == ReadOf::Bool) eager_.truth(scratch_);
  }
  eager_.item(losses_);  // format(value), to determine its width
  got(eager_.item(losses_), 0);
  eager_.truth(scratch_);  // format(): if sci_mode, once more
  eager_.spend(device::FrameworkCall::Print);
}

// writer.add_scalar('Loss/train', loss, i): this thread converts the loss to NumPy by detach().cpu().numpy(). The
// writer's thread only handles the record and the file.
void Readback::add_scalar(std::uint64_t number, const ReadbackSettings& s) {
  device::Device& device = eager_.device();
  const Phase phase(eager_, "add_scalar()", trace::RangeKind::Read);
  const HostTensor host = eager_.host_tensor(1, false);
  eager_.copy_to_host(host, losses_, 1, false);
  got(eager_.read(host, 1)[0], 0);
  eager_.drop(host);
  eager_.spend(device::FrameworkCall::AddScalar);
  if (writer_ == device::HostThread::None) writer_ = device.create_host_thread("SummaryWriter");
  while (!to_write_.empty() && device.ended(to_write_.front())) to_write_.pop_front();
  if (to_write_.size() == kWriterQueue) {
    device.wait_for(to_write_.front(), "the writer's queue is full");
    to_write_.pop_front();
  }
  device::Device::HostWork work;
  work.name = "write record";
  work.busy_ns = base::from_us(s.write_us);
  work.index = static_cast<std::uint32_t>(number);
  to_write_.push_back(device.submit(writer_, work));
}

void Readback::end_writer() {
  to_write_.clear();
  if (writer_ != device::HostThread::None) eager_.device().end_host_thread(writer_);
  writer_ = device::HostThread::None;
}

// total += loss.detach(), and one item() per window, for the mean.
void Readback::accumulate(std::uint64_t number, const ReadbackSettings& s) {
  if (in_window_ == 0) {
    const Phase phase(eager_, "zeros()");
    eager_.launch(Op{OpKind::Fill, 1, 1, 1, 0.0f}, {total_});
  }
  if (number % s.log_interval == 0) {
    const Phase phase(eager_, "total += loss");
    eager_.launch(Op{OpKind::AddInPlace, 1, 1}, {total_, losses_});
    ++accumulated_;
  }
  if (++in_window_ < s.window) return;
  if (accumulated_ > 0) {
    const Phase phase(eager_, "total.item()", trace::RangeKind::Read);
    got(eager_.item(total_) / static_cast<float>(accumulated_), 0);
  }
  forget();
}

// Non-blocking, but into pageable memory: CUDA cannot defer such a copy, so the call waits for the bytes.
void Readback::read_pageable() {
  const Phase phase(eager_, "copy to pageable");
  eager_.copy_to_host(pageable_, losses_, 1, true);
  got(eager_.read(pageable_, 1)[0], 0);
}

void Readback::read_list(std::uint64_t number) {
  const Phase phase(eager_, "list of items");
  std::uint64_t reads = 0;
  for (std::size_t i = 0; i < kept_.size(); ++i, ++reads) got(eager_.item(losses_, i), number - kept_[i]);
  figures().sample(list_figure_, static_cast<double>(reads));
}

void Readback::read_stacked(std::uint64_t number) {
  const Phase phase(eager_, "stack().cpu()", trace::RangeKind::Read);
  const std::size_t count = kept_.size();
  eager_.launch(Op{OpKind::Stack, static_cast<std::int32_t>(count), 1}, {losses_, stacked_});
  const HostTensor host = eager_.host_tensor(count, false);
  eager_.copy_to_host(host, stacked_, count, false);
  const std::span<const float> values = eager_.read(host, count);
  for (std::size_t i = 0; i < count; ++i) got(values[i], number - kept_[i]);
  figures().sample(list_figure_, 1);  // one copy and one wait
  eager_.drop(host);
}

void Readback::copy_for_later(std::uint64_t number) {
  const Phase phase(eager_, "copy to pinned");
  Late& late = late_[turn_];
  copy_late(late, losses_, 1);
  late.number = number;
}

// If the CPU is ahead, it waits here for the GPU's previous step. Meanwhile this step's work is queued, so the GPU
// stays busy.
void Readback::read_late(Late& late, std::uint64_t number) {
  const Phase phase(eager_, "read one step late");
  wait_for(late);
  got(eager_.read(late.host, 1)[0], number - late.number);
}

// Nothing guarantees that the copy is done. A stale loss looks like any other, so the GPU also writes the iteration's
// number beside it.
void Readback::read_unsafe(std::uint64_t number) {
  {
    const Phase phase(eager_, "copy to pinned");
    eager_.copy_to_host(unsafe_, losses_, 2, true);
  }
  const Phase phase(eager_, "read at once");
  bool arrived = true;
  const std::span<const float> values = eager_.read(unsafe_, 2, &arrived);
  const std::uint64_t expected = number % kCheckPeriod + 1, found = static_cast<std::uint64_t>(values[0]);
  if (found != expected && arrived) eager_.mark_stale_read();
  if (found != expected || !arrived) ++reads_.wrong;
  got(values[1], (expected + kCheckPeriod - found) % kCheckPeriod);
}

void Readback::read_loss(std::uint64_t number, const ReadbackSettings& s) {
  const bool logs = number % s.log_interval == 0;
  switch (s.method) {
    case ReadbackMethod::None:
      return;
    case ReadbackMethod::Item:
    case ReadbackMethod::FString:
      // f"{loss:.4f}" formats loss.item().
      if (logs) {
        const bool item = s.method == ReadbackMethod::Item;
        const Phase phase(eager_, item ? "item()" : "f-string",
                          item ? trace::RangeKind::Read : trace::RangeKind::Print);
        got(eager_.item(losses_), 0);
      }
      return;
    case ReadbackMethod::Bool:
      if (logs) ask_if_good_enough();
      return;
    case ReadbackMethod::Print:
      if (logs) print_loss();
      return;
    case ReadbackMethod::TensorBoard:
      if (logs) add_scalar(number, s);
      return;
    case ReadbackMethod::Accumulate:
      return accumulate(number, s);
    case ReadbackMethod::Pageable:
      if (logs) read_pageable();
      return;
    case ReadbackMethod::ListOfItems:
    case ReadbackMethod::Stacked:
      if (logs) kept_.push_back(number);
      if (++in_window_ < s.window) return;
      if (!kept_.empty()) s.method == ReadbackMethod::Stacked ? read_stacked(number) : read_list(number);
      forget();
      return;
    case ReadbackMethod::OneStepLate: {
      Late& before = late_[turn_ ^ 1];
      if (logs) copy_for_later(number);
      if (before.pending) read_late(before, number);
      if (logs) turn_ ^= 1;
      return;
    }
    case ReadbackMethod::Unsafe:
      if (logs) read_unsafe(number);
      return;
  }
}

// Losses kept for a method no longer in use are never read.
void Readback::forget() {
  kept_.clear();
  in_window_ = accumulated_ = 0;
  for (Late& late : late_) late.pending = false;
}

void Readback::iterate(std::uint64_t number, const Settings& settings) {
  const ReadbackSettings s(settings);
  eager_.set_dispatch_us(s.dispatch_us);
  if (s.seed != seed_ || s.batch_size > capacity_) {
    const Phase phase(eager_, "set up");
    make_data(s.batch_size, s.seed);
    if (s.seed != seed_) initialise(s.seed);
  }
  if (s.method != method_) {
    forget();
    end_writer();
  }
  method_ = s.method;
  eager_.set_sync_debug(s.sync_debug);
  eager_.take_sync_counts();
  if (s.graphed) {
    graph_.run({s.batch_size, capacity_, base::from_us(s.model_us), s.validation}, [&] { train(number, s); });
  } else {
    train(number, s);
  }
  reads_ = {};
  const base::Nanoseconds before = eager_.device().now_ns();
  read_loss(number, s);
  figures().sample(read_figure_, base::to_us(eager_.device().now_ns() - before));
  figures().sample(numbers_figure_, static_cast<double>(reads_.numbers));
  figures().sample(wrong_figure_, static_cast<double>(reads_.wrong));
  const Eager::SyncCounts counts = eager_.take_sync_counts();
  figures().sample(waits_figure_, static_cast<double>(counts.waits));
  figures().sample(warnings_figure_, static_cast<double>(counts.warnings));
}

// The records still queued are written while the program ends.
void Readback::finish() {
  eager_.synchronize();
  end_writer();
}

}  // namespace

std::int64_t readback_period(const Settings& settings) {
  const ReadbackSettings s(settings);
  const bool keeps = s.method == ReadbackMethod::ListOfItems || s.method == ReadbackMethod::Stacked ||
                     s.method == ReadbackMethod::Accumulate;
  if (s.method == ReadbackMethod::None) return 1;
  return keeps ? std::max(static_cast<std::int64_t>(s.window), reads_period(settings)) : reads_period(settings);
}

std::unique_ptr<Workload> make_readback(device::Device& device) { return std::make_unique<Readback>(device); }

}  // namespace lanescope::workload
