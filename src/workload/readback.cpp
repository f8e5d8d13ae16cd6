#include "workload/readback.h"

#include <array>
#include <bit>
#include <cmath>
#include <deque>

#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager.h"
#include "workload/random.h"
#include "workload/readback_methods.h"

namespace lanescope::workload {
namespace {

using ops::Op;
using ops::OpKind;
using Method = ReadMethod;

constexpr std::int32_t kInputs = 16;
constexpr std::int32_t kParameters = kInputs + 1;
constexpr float kLearningRate = 0.01f;
constexpr float kNoise = 0.1f;  // the loss falls to the mean of its square, 0.0033
// The numbers that the unsafe read is checked with repeat after this many iterations: a float holds each exactly.
constexpr std::uint64_t kCheckPeriod = 1u << 23;
constexpr std::size_t kWriterQueue = 10;  // SummaryWriter(max_queue=10): put() waits while so many are in it

// What torch/_tensor_str.py of PyTorch 2.11 does to print a float that is no whole number and lies between 0.0001 and
// 100,000,000: one kernel each, and what the program then reads of its result. Any kernel on one element will do for
// another. With what print_loss() reads besides these are 20 kernels and 8 reads, as a profiler counts them there.
enum class ReadOf : std::uint8_t { Nothing, Number, Bool };
struct PrintStep {
  OpKind kind;
  ReadOf read = ReadOf::Nothing;
};
constexpr std::array kPrintSteps{
    PrintStep{OpKind::CompareGreater},        // isfinite(x): x == x
    PrintStep{OpKind::Scale},                 //   x.abs()
    PrintStep{OpKind::CompareGreater},        //   != inf
    PrintStep{OpKind::Scale},                 //   both
    PrintStep{OpKind::CompareGreater},        // x.ne(0)
    PrintStep{OpKind::Scale},                 // both
    PrintStep{OpKind::SumReduce, ReadOf::Number},     // masked_select(): how many there are
    PrintStep{OpKind::Stack},                 //   where they are, in two kernels
    PrintStep{OpKind::Stack},                 //
    PrintStep{OpKind::Stack},                 //   the values
    PrintStep{OpKind::Scale},                 // abs()
    PrintStep{OpKind::Scale},                 // to(double)
    PrintStep{OpKind::SumReduce},             // min()
    PrintStep{OpKind::SumReduce},             // max()
    PrintStep{OpKind::Scale},                 // ceil(value)
    PrintStep{OpKind::CompareGreater, ReadOf::Bool},  // value != it
    PrintStep{OpKind::Scale},                 // max / min
    PrintStep{OpKind::CompareGreater, ReadOf::Bool},  // > 1000
    PrintStep{OpKind::CompareGreater, ReadOf::Bool},  // max > 1e8
    PrintStep{OpKind::CompareGreater, ReadOf::Bool},  // min < 1e-4: sci_mode, a tensor that "if" reads
};

class Readback final : public Workload {
 public:
  explicit Readback(device::Device& device);

  const WorkloadInfo& info() const override { return info_; }
  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;
  void finish() override;
  std::optional<double> last_loss() const override { return last_loss_; }
  std::uint64_t losses_read() const override { return losses_read_; }

 private:
  // A copy of one loss that is on its way.
  struct Late {
    HostTensor host;
    device::GpuEvent event = device::GpuEvent::None;
    bool pending = false;
    std::uint64_t number = 0;
  };
  // Of one iteration.
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

  const WorkloadInfo info_;
  Eager eager_;
  Tensor data_, target_, output_, squares_, output_grad_;
  Tensor weight_, bias_, weight_grad_, bias_grad_, loss_grad_;
  Tensor losses_;  // [0] is the newest, or the kept ones from [0]; unsafe: [0] is the iteration's check, [1] the loss
  Tensor stacked_, scratch_, total_;
  HostTensor unsafe_, pageable_;
  std::array<Late, 2> late_;
  std::size_t turn_ = 0;                                  // the buffer that the next copy goes to
  std::vector<std::uint64_t> kept_;                       // the iterations whose losses wait on the device
  std::uint64_t in_window_ = 0;                           // iterations since they were last read
  std::uint64_t accumulated_ = 0;                         // losses in total_
  device::HostThread writer_ = device::HostThread::None;  // that of the SummaryWriter
  std::deque<device::HostTask> to_write_;
  std::int32_t room_ = 0;
  std::uint64_t seed_ = 0;
  Method method_ = Method::None;
  Reads reads_;
  std::size_t numbers_figure_ = 0, wrong_figure_ = 0, read_figure_ = 0, behind_figure_ = 0;
  std::size_t list_figure_ = 0, waits_figure_ = 0, warnings_figure_ = 0;
  std::optional<double> last_loss_;
  std::uint64_t losses_read_ = 0;
};

Readback::Readback(device::Device& device) : info_(readback_info()), eager_(device, info_.computes_values) {
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
  for (Tensor* t : {&weight_, &weight_grad_}) *t = eager_.tensor(kInputs);
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

// Rows of a known line with some noise. A batch takes the first rows, and there is room for a power
// of two of them, so that a batch size that is being dragged up allocates a few times only.
void Readback::make_data(std::int32_t rows, std::uint64_t seed) {
  if (rows > room_) {
    room_ = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(rows)));
    data_ = eager_.tensor(elements(room_, kInputs));
    for (Tensor* t : {&target_, &output_, &squares_, &output_grad_}) *t = eager_.tensor(elements(room_, 1));
  }
  Random random(seed);
  std::array<float, kInputs> slope{};
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

// model = nn.Linear(16, 1).cuda(): the weights are made on the host and copied.
void Readback::initialise(std::uint64_t seed) {
  seed_ = seed;
  Random random(seed + 1);
  const float bound = 1.0f / std::sqrt(static_cast<float>(kInputs));
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
    eager_.launch(Op{OpKind::LinearForward, batch, 1, kInputs}, {data_, weight_, bias_, output_});
  }
  {
    const Phase phase(eager_, "loss");
    auto slot = static_cast<std::int32_t>(kept_.size());
    eager_.launch(Op{OpKind::MseForward, batch, 1}, {output_, target_, squares_});
    if (s.method == Method::Unsafe) {
      slot = 1;
      const auto check = static_cast<float>(number % kCheckPeriod + 1);
      eager_.launch(Op{OpKind::Fill, 1, 1, 1, check}, {losses_});
    }
    eager_.launch(Op{OpKind::MeanReduce, batch, 1, slot + 1}, {squares_, losses_});
  }
  if (s.validation) return;
  {
    // The gradients become .grad as they are: zero_grad() has let the old ones go, which costs no kernel.
    const Phase phase(eager_, "backward");
    eager_.launch(Op{OpKind::Fill, 1, 1, 1, 1.0f}, {loss_grad_});
    eager_.launch(Op{OpKind::MseBackward, batch, 1}, {loss_grad_, output_, target_, output_grad_});
    eager_.launch(Op{OpKind::LinearWeightGrad, batch, 1, kInputs}, {output_grad_, data_, weight_grad_});
    eager_.launch(Op{OpKind::LinearBiasGrad, batch, 1}, {output_grad_, bias_grad_});
  }
  const Phase phase(eager_, "step");
  eager_.launch(Op{OpKind::SgdStep, kParameters, 1, 1, kLearningRate}, {weight_, weight_grad_, bias_, bias_grad_});
}

void Readback::got(float loss, std::uint64_t behind) {
  last_loss_ = loss;
  ++losses_read_;
  got_number(behind);
}

void Readback::got_number(std::uint64_t behind) {
  ++reads_.numbers;
  figures().sample(behind_figure_, static_cast<double>(behind));
}

// if loss < 0.1: a comparison on the GPU, and bool() of its result. This run goes on whatever the answer is.
void Readback::ask_if_good_enough() {
  const Phase phase(eager_, "if loss < 0.1");
  eager_.launch(Op{OpKind::CompareGreater, 1, 1, 1, kGoodEnough}, {losses_, scratch_});
  eager_.truth(scratch_);
  got_number(0);
}

void Readback::print_loss() {
  const Phase phase(eager_, "print(loss)");
  for (const PrintStep& step : kPrintSteps) {
    eager_.launch(Op{step.kind, 1, 1}, {losses_, scratch_});
    if (step.read == ReadOf::Number) eager_.item(scratch_);
    if (step.read == ReadOf::Bool) eager_.truth(scratch_);
  }
  eager_.item(losses_);  // format(value), to know its width
  got(eager_.item(losses_), 0);
  eager_.truth(scratch_);  // format(): if sci_mode, once more
}

// writer.add_scalar('Loss/train', loss, i): this thread makes a NumPy number of the loss, with detach().cpu().numpy().
// What is left for the writer's thread is the record and the file.
void Readback::add_scalar(std::uint64_t number, const ReadbackSettings& s) {
  device::Device& device = eager_.device();
  const Phase phase(eager_, "add_scalar()");
  const HostTensor host = eager_.host_tensor(1, false);
  eager_.copy_to_host(host, losses_, 1, false);
  got(eager_.read(host, 1)[0], 0);
  eager_.drop(host);
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

// total += loss.detach(), and one item() for a whole window: its mean.
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
    const Phase phase(eager_, "total.item()");
    got(eager_.item(total_) / static_cast<float>(accumulated_), 0);
  }
  forget();
}

// Non-blocking, but into pageable memory: CUDA has nowhere to put the bytes later, and waits for them in the call.
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
  const Phase phase(eager_, "stack().cpu()");
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
  eager_.copy_to_host(late.host, losses_, 1, true);
  eager_.device().record(late.event, Eager::kStream);
  late.pending = true;
  late.number = number;
}

// Where the CPU is ahead, it waits here until the GPU has done the step before, and this step's work lies in the queue:
// the GPU does not stand still.
void Readback::read_late(Late& late, std::uint64_t number) {
  const Phase phase(eager_, "read one step late");
  if (!eager_.device().query(late.event)) eager_.synchronize(late.event);
  late.pending = false;
  got(eager_.read(late.host, 1)[0], number - late.number);
}

// Nobody has said that the copy is done. The program cannot tell from a loss that it is an old one, so that beside it
// lies the iteration's number, as the GPU has written it.
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
    case Method::None:
      return;
    case Method::Item:
    case Method::FString:
      // f"{loss:.4f}" formats loss.item().
      if (logs) {
        const Phase phase(eager_, s.method == Method::Item ? "item()" : "f-string");
        got(eager_.item(losses_), 0);
      }
      return;
    case Method::Bool:
      if (logs) ask_if_good_enough();
      return;
    case Method::Print:
      if (logs) print_loss();
      return;
    case Method::TensorBoard:
      if (logs) add_scalar(number, s);
      return;
    case Method::Accumulate:
      return accumulate(number, s);
    case Method::Pageable:
      if (logs) read_pageable();
      return;
    case Method::ListOfItems:
    case Method::Stacked:
      if (logs) kept_.push_back(number);
      if (++in_window_ < s.window) return;
      if (!kept_.empty()) s.method == Method::Stacked ? read_stacked(number) : read_list(number);
      forget();
      return;
    case Method::OneStepLate: {
      Late& before = late_[turn_ ^ 1];
      if (logs) copy_for_later(number);
      if (before.pending) read_late(before, number);
      if (logs) turn_ ^= 1;
      return;
    }
    case Method::Unsafe:
      if (logs) read_unsafe(number);
      return;
  }
}

// Losses that were kept for a method that is no longer in use go unread.
void Readback::forget() {
  kept_.clear();
  in_window_ = accumulated_ = 0;
  for (Late& late : late_) late.pending = false;
}

void Readback::iterate(std::uint64_t number, const Settings& settings) {
  const ReadbackSettings s(settings);
  eager_.set_dispatch_us(s.dispatch_us);
  if (s.seed != seed_ || s.batch_size > room_) {
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
  train(number, s);
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

// The records that still wait are written beside the end of the program.
void Readback::finish() {
  eager_.synchronize();
  end_writer();
}

}  // namespace

std::unique_ptr<Workload> make_readback(device::Device& device) { return std::make_unique<Readback>(device); }

}  // namespace lanescope::workload
