#include "workload/readback.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager.h"
#include "workload/random.h"

namespace lanescope::workload {
namespace {

using ops::Op;
using ops::OpKind;

constexpr std::int32_t kInputs = 16;
constexpr std::int32_t kParameters = kInputs + 1;
constexpr float kLearningRate = 0.01f;
constexpr float kNoise = 0.1f;  // the loss falls to the mean of its square, 0.0033
constexpr BatchLimits kBatch{.standard = 64, .maximum = 4096};
constexpr std::size_t kMostKept = 10'000;  // losses on the device: the largest window
// The numbers that the unsafe read is checked with repeat after this many iterations: a float holds each exactly.
constexpr std::uint64_t kCheckPeriod = 1u << 23;

enum class Method : std::uint8_t { None, Item, Print, FString, ListOfItems, Stacked, OneStepLate, Unsafe };
// In the order of the enumerators.
constexpr std::array<std::string_view, 8> kMethods{"none",          "item",    "print",         "fstring",
                                                   "list-of-items", "stacked", "one-step-late", "unsafe"};

struct ReadbackSettings {
  explicit ReadbackSettings(const Settings& settings)
      : method(static_cast<Method>(std::find(kMethods.begin(), kMethods.end(), settings.choice("method")) -
                                   kMethods.begin())),
        log_interval(static_cast<std::uint64_t>(settings.integer("log_interval"))),
        window(static_cast<std::uint64_t>(settings.integer("window"))),
        model_us(settings.real("model_us")),
        batch_size(static_cast<std::int32_t>(settings.integer("batch_size"))),
        dispatch_us(settings.real("dispatch_us")),
        seed(static_cast<std::uint64_t>(settings.integer("seed"))) {}

  Method method;
  std::uint64_t log_interval;
  std::uint64_t window;
  double model_us;
  std::int32_t batch_size;
  double dispatch_us;
  std::uint64_t seed;
};

// What torch/_tensor_str.py does to print a float that is no whole number and lies between 0.0001 and 100,000,000: one
// kernel each, and whether the program then reads its result. Any kernel on one element will do for another.
struct PrintStep {
  OpKind kind;
  bool read = false;
};
constexpr std::array kPrintSteps{
    PrintStep{OpKind::CompareGreater},        // isfinite(x): x == x
    PrintStep{OpKind::Scale},                 //   x.abs()
    PrintStep{OpKind::CompareGreater},        //   != inf
    PrintStep{OpKind::Scale},                 //   both
    PrintStep{OpKind::CompareGreater},        // x.ne(0)
    PrintStep{OpKind::Scale},                 // both
    PrintStep{OpKind::SumReduce, true},       // masked_select(): how many there are
    PrintStep{OpKind::Stack},                 //   where they are, in two kernels
    PrintStep{OpKind::Stack},                 //
    PrintStep{OpKind::Stack},                 //   the values
    PrintStep{OpKind::Scale},                 // abs()
    PrintStep{OpKind::Scale},                 // to(double)
    PrintStep{OpKind::SumReduce},             // min()
    PrintStep{OpKind::SumReduce},             // max()
    PrintStep{OpKind::Scale},                 // ceil(value)
    PrintStep{OpKind::CompareGreater, true},  // value != it
    PrintStep{OpKind::Scale},                 // max / min
    PrintStep{OpKind::CompareGreater, true},  // > 1000
    PrintStep{OpKind::CompareGreater, true},  // max > 1e8
    PrintStep{OpKind::CompareGreater, true},  // min < 1e-4
};

class Readback final : public Workload {
 public:
  explicit Readback(device::Device& device);

  const WorkloadInfo& info() const override { return info_; }
  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;
  void finish() override { eager_.synchronize(); }
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
  void print_loss();
  void read_list(std::uint64_t number);
  void read_stacked(std::uint64_t number);
  void copy_for_later(std::uint64_t number);
  void read_late(Late& late, std::uint64_t number);
  void read_unsafe(std::uint64_t number);
  void got(float loss, std::uint64_t behind);
  void forget();

  const WorkloadInfo info_;
  Eager eager_;
  Tensor data_, target_, output_, squares_, output_grad_;
  Tensor weight_, bias_, weight_grad_, bias_grad_, loss_grad_;
  Tensor losses_;  // [0] is the newest, or the kept ones from [0]; unsafe: [0] is the iteration's check, [1] the loss
  Tensor stacked_, scratch_;
  HostTensor unsafe_;
  std::array<Late, 2> late_;
  std::size_t turn_ = 0;             // the buffer that the next copy goes to
  std::vector<std::uint64_t> kept_;  // the iterations whose losses wait on the device
  std::uint64_t in_window_ = 0;      // iterations since they were last read
  std::int32_t room_ = 0;
  std::uint64_t seed_ = 0;
  Method method_ = Method::None;
  Reads reads_;
  std::size_t numbers_figure_ = 0, wrong_figure_ = 0, read_figure_ = 0, behind_figure_ = 0;
  std::size_t list_figure_ = 0;
  std::optional<double> last_loss_;
  std::uint64_t losses_read_ = 0;
};

Readback::Readback(device::Device& device) : info_(readback_info()), eager_(device, info_.computes_values) {
  numbers_figure_ = figures().add("numbers_read", N_("numbers read"), "");
  wrong_figure_ = figures().add("wrong_numbers", N_("wrong numbers"), "");
  read_figure_ = figures().add("read_us", N_("reading, per iteration"), "µs");
  behind_figure_ = figures().add("reads_behind", N_("iterations late"), "");
  list_figure_ = figures().add("reads_per_list", N_("reads for a list of losses"), "");
}

void Readback::set_up(const Settings& settings) {
  const ReadbackSettings s(settings);
  eager_.set_dispatch_us(s.dispatch_us);
  const Phase phase(eager_, "set up");
  for (Tensor* t : {&weight_, &weight_grad_}) *t = eager_.tensor(kInputs);
  for (Tensor* t : {&bias_, &bias_grad_, &loss_grad_, &scratch_}) *t = eager_.tensor(1);
  for (Tensor* t : {&losses_, &stacked_}) *t = eager_.tensor(kMostKept);
  unsafe_ = eager_.host_tensor(2, true);
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
  ++reads_.numbers;
  figures().sample(behind_figure_, static_cast<double>(behind));
}

void Readback::print_loss() {
  const Phase phase(eager_, "print(loss)");
  for (const PrintStep& step : kPrintSteps) {
    eager_.launch(Op{step.kind, 1, 1}, {losses_, scratch_});
    if (step.read) eager_.item(scratch_);
  }
  eager_.item(losses_);  // format(value), to know its width
  got(eager_.item(losses_), 0);
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
  if (!eager_.device().query(late.event)) eager_.device().synchronize(late.event);
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
    case Method::Print:
      if (logs) print_loss();
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
  in_window_ = 0;
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
  if (s.method != method_) forget();
  method_ = s.method;
  train(number, s);
  reads_ = {};
  const base::Nanoseconds before = eager_.device().now_ns();
  read_loss(number, s);
  figures().sample(read_figure_, base::to_us(eager_.device().now_ns() - before));
  figures().sample(numbers_figure_, static_cast<double>(reads_.numbers));
  figures().sample(wrong_figure_, static_cast<double>(reads_.wrong));
}

}  // namespace

Code readback_code(const Settings& s) {
  const Method method = ReadbackSettings(s).method;
  CodeWriter code(s);
  code.line(0, "model = nn.Linear(16, 1).cuda()", {"set up"});
  code.more(0, "data, target = samples($batch_size).cuda()");
  code.line(0, "for i in range(iterations):");
  code.line(1, "output = model(data)", {"forward"});
  code.line(1, "loss = F.mse_loss(output, target)", {"loss"});
  code.line(1, "loss.backward()", {"backward"});
  code.line(1, "optimizer.step()", {"step"});
  if (method != Method::None) code.line(1, "if i % $log_interval == 0:");
  const auto at_window = [&](const char* text, const char* range) {
    code.line(2, "losses.append(loss.detach())");
    code.line(1, "if (i + 1) % $window == 0:");
    code.line(2, text, {range});
  };
  switch (method) {
    case Method::None:
      break;
    case Method::Item:
      code.line(2, "value = loss.item()", {"item()"});
      break;
    case Method::Print:
      code.line(2, "print(loss)", {"print(loss)"});
      break;
    case Method::FString:
      code.line(2, "print(f'{loss:.4f}')", {"f-string"});
      break;
    case Method::ListOfItems:
      at_window("values = [l.item() for l in losses]", "list of items");
      break;
    case Method::Stacked:
      at_window("values = torch.stack(losses).cpu()", "stack().cpu()");
      break;
    case Method::OneStepLate:
      code.line(2, "pinned[k].copy_(loss, non_blocking=True)", {"copy to pinned"});
      code.more(2, "event[k].record(); k = 1 - k");
      code.line(1, "event[k].synchronize()  # of the step before", {"read one step late"});
      code.more(1, "value = float(pinned[k])");
      break;
    case Method::Unsafe:
      code.line(2, "pinned.copy_(loss, non_blocking=True)", {"copy to pinned"});
      code.line(2, "value = float(pinned)  # may not be there", {"read at once"});
      break;
  }
  code.line(0, "torch.cuda.synchronize()");
  return code.take();
}

WorkloadInfo readback_info() {
  return {
      .name = "readback",
      .title = N_("Seven ways to get the loss out of the GPU"),
      .summary = N_("A small regression is trained, and the CPU wants its loss. With .item() the CPU waits until the "
                    "GPU has caught up, and then the GPU waits for the CPU; print(loss) does that seven times. Copied "
                    "to pinned memory and read one step late, the same numbers cost the GPU nothing; read without "
                    "waiting for an event, they are wrong."),
      .experiments = N_("P15"),
      .published = {{N_("a read every batch"), N_("slightly slow")}, {N_("a read every 100"), N_("acceptable")}},
      .code = plain_text(readback_code(readback_settings({}))),
      .computes_values = true,
  };
}

Settings readback_settings(const device::DeviceInfo& device) {
  const Settings training = training_settings(device, kBatch);
  const SettingSpec method{
      .key = "method",
      .label = N_("Method"),
      .help = N_("How the program reads the loss; list-of-items and stacked keep it on the GPU until a window ends."),
      .type = SettingType::Choice,
      .standard = std::string("item"),
      .choices = {kMethods.begin(), kMethods.end()}};
  SettingSpec log_interval = *training.spec("log_interval");
  log_interval.help = N_("Iterations from one loss that is wanted to the next.");
  log_interval.minimum = 1;
  log_interval.zero_is_never = false;
  std::erase(log_interval.stops, 0.0);
  const SettingSpec window{
      .key = "window",
      .label = N_("Window"),
      .help = N_("Iterations after which list-of-items and stacked read the losses that they have kept."),
      .type = SettingType::Integer,
      .standard = std::int64_t{100},
      .minimum = 1,
      .maximum = static_cast<double>(kMostKept),
      .logarithmic = true,
      .stops = {1, 10, 20, 50, 100, 200, 500, 1000, 10'000}};
  const SettingSpec model_us{.key = "model_us",
                             .label = N_("Model's GPU time"),
                             .help = N_("How long the GPU is busy with the model in each iteration."),
                             .type = SettingType::Real,
                             .standard = 500.0,
                             .minimum = 0,
                             .maximum = 100'000,
                             .unit = "µs"};
  return Settings({method, log_interval, window, model_us, *training.spec("batch_size"), *training.spec("dispatch_us"),
                   *training.spec("seed")});
}

std::unique_ptr<Workload> make_readback(device::Device& device) { return std::make_unique<Readback>(device); }

}  // namespace lanescope::workload
