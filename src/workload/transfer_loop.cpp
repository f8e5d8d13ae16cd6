#include "workload/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"
#include "base/random.h"
#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager_workload.h"
#include "workload/program.h"

namespace lanescope::workload {
namespace {

using base::Nanoseconds;
using base::tr;
using ops::Op;
using ops::OpKind;

constexpr BatchLimits kTransferBatch{.standard = 1000, .maximum = 1'000'000};
constexpr std::size_t kTransferMostElements = std::size_t{1} << 28;  // per tensor: one gibibyte
constexpr std::int32_t kTransferParameters = 10'000;
constexpr float kScale = 65'536;                       // GradScaler's initial scale
constexpr const char* kReady = "ready";                // a feed
constexpr const char* kFoundInf = "found_inf.item()";  // the range of GradScaler's read
constexpr float kTransferLearningRate = 0.01f;

struct TransferOptions : TrainingSettings {
  explicit TransferOptions(const Settings& settings)
      : TrainingSettings(settings),
        features(static_cast<std::int32_t>(settings.integer("features"))),
        model_us(settings.real("model_us")),
        ready(settings.choice(key::kFeed) == kReady),
        side_stream(settings.choice(key::kCopyStream) == choice::kSideStream),
        round_trip(settings.boolean("round_trip")),
        scaler(settings.boolean("scaler")),
        train(scaler || settings.boolean("train")),
        graphed(uses_graph(settings)) {}

  bool feeds() const { return feed_each_iteration || ready; }
  std::size_t elements() const { return workload::elements(batch_size, features); }

  std::int32_t features;
  double model_us;
  bool ready;  ///< the host batch is made once
  bool side_stream;
  bool round_trip;
  bool scaler;
  bool train;
  bool graphed;
};

class TransferLoop final : public EagerWorkload {
 public:
  explicit TransferLoop(device::Device& device);

  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;

 private:
  /// The device side of a batch, and the events that order copies on the side stream with the model.
  struct Batch {
    Tensor x, y;
    device::GpuEvent copied = device::GpuEvent::None;  // on the side stream, after the copies
    device::GpuEvent used = device::GpuEvent::None;    // on the main stream, after the last kernel that reads it
  };
  /// CPU time of an iteration's statements.
  struct Times {
    Nanoseconds make = 0, copy = 0, launch = 0, read = 0;
    Nanoseconds copy_waits = 0, read_waits = 0;  // of these: while the GPU ran the model
  };

  void adapt(const TransferOptions& o);
  void make_ready(const TransferOptions& o);
  bool adapted(const TransferOptions& o) const;
  void make_room(std::size_t elements, bool two);
  void initialise(std::uint64_t seed);
  void enter_side_stream();
  void leave_side_stream();
  Batch& feed(const TransferOptions& o, Times& times);
  void copy_batch(Batch& to, const TransferOptions& o, Times& times);
  Batch there_and_back(const Batch& batch, const TransferOptions& o, Times& times);
  void spin(double us);
  void forward(const Batch& batch, const TransferOptions& o, Times& times);
  void backward(const Batch& batch, const TransferOptions& o, Times& times);
  void step(const TransferOptions& o, Times& times);
  void replay(const Batch& batch, std::size_t variant, const TransferOptions& o, Times& times);
  float read(const Tensor& tensor, std::string_view phase_name, Times& times);
  Nanoseconds model_ran(Nanoseconds from, Nanoseconds to) const;
  void sample(const Times& times, Nanoseconds iteration);

  const std::size_t make_us_, copy_us_, launch_us_, read_us_, read_own_us_, transfer_share_;
  Nanoseconds model_until_ = 0;   // the GPU runs the model at least until then
  std::array<Batch, 2> batches_;  // the second one only with a side stream
  std::size_t current_ = 0;
  std::size_t prefetched_ = 0;  // elements prefetched into the current batch; 0: none
  device::Stream side_ = device::Stream::Default;
  bool side_made_ = false, on_side_ = false;
  HostTensor ready_x_, ready_y_;  // of the feed kReady
  bool ready_pinned_ = false;
  Tensor half_, output_, output_grad_;
  Tensor returned_;  // X after its round trip
  Tensor weight_, half_weight_, weight_grad_;
  Tensor loss_, scaled_loss_, loss_grad_, scaled_grad_, scale_, inverse_scale_, found_inf_;
  std::size_t capacity_ = 0;  // capacity of the batch's tensors, in elements
  std::uint64_t seed_ = 0;
};

TransferLoop::TransferLoop(device::Device& device)
    : EagerWorkload(device, transfer_loop_info()),
      make_us_(figures().add("make_us", N_("making the batch"), "µs", true)),
      copy_us_(figures().add("copy_us", N_("the copy statements"), "µs", true)),
      launch_us_(figures().add("launch_us", N_("launching the model"), "µs", true)),
      read_us_(figures().add("read_us", N_("reading numbers"), "µs", true)),
      read_own_us_(figures().add("read_own_us", N_("reading, less waiting for the model"), "µs")),
      transfer_share_(figures().add("transfer_share_percent", N_("copying and reading, less that wait"), "%")) {}

void TransferLoop::set_up(const Settings& settings) {
  const TransferOptions o(settings);
  eager_.set_dispatch_us(o.dispatch_us);
  const Phase phase(eager_, "set up");
  for (Tensor* t : {&weight_, &half_weight_, &weight_grad_}) *t = eager_.tensor(kTransferParameters);
  for (Tensor* t : {&loss_, &scaled_loss_, &loss_grad_, &scaled_grad_, &scale_, &inverse_scale_, &found_inf_}) {
    *t = eager_.tensor(1);
  }
  initialise(o.seed);
  eager_.launch(Op{OpKind::Fill, 1, 1, 1, kScale}, {scale_});
  adapt(o);
  eager_.synchronize();
}

// model = Model().cuda()
void TransferLoop::initialise(std::uint64_t seed) {
  seed_ = seed;
  base::Random random(seed);
  const HostTensor values = eager_.host_tensor(kTransferParameters, false);
  for (float& value : eager_.values(values)) value = random.uniform(0.1f);
  eager_.host_wrote(values);
  eager_.copy_to_device(weight_, values, kTransferParameters, false);
  eager_.drop(values);
}

bool TransferLoop::adapted(const TransferOptions& o) const {
  const bool side = o.side_stream && o.feeds();
  const bool room = o.elements() <= capacity_ && (!side || batches_[1].x.elements >= capacity_) &&
                    (!o.round_trip || returned_.elements >= capacity_) &&
                    (!o.ready || (ready_x_.elements == o.elements() && ready_pinned_ == o.pinned));
  return room && o.seed == seed_ && side == on_side_;
}

void TransferLoop::adapt(const TransferOptions& o) {
  const bool side = o.side_stream && o.feeds();
  if (o.seed != seed_) initialise(o.seed);
  if (on_side_ && !side) leave_side_stream();
  make_room(o.elements(), side);
  if (o.round_trip && returned_.elements < capacity_) returned_ = eager_.tensor(capacity_);
  if (side && !on_side_) enter_side_stream();
  if (o.ready) make_ready(o);
  // The next copies wait for the main stream's remaining work on the batches.
  for (const Batch& batch : batches_) {
    if (side) eager_.device().record(batch.used, Eager::kStream);
  }
}

// Earlier copies may still read the ones before: what is dropped is used again when they have ended.
void TransferLoop::make_ready(const TransferOptions& o) {
  if (ready_x_.elements == o.elements() && ready_pinned_ == o.pinned) return;
  for (HostTensor* t : {&ready_x_, &ready_y_}) {
    if (t->elements != 0) eager_.drop(*t);
    *t = eager_.host_tensor(o.elements(), o.pinned);
    eager_.host_fill(*t);
  }
  ready_pinned_ = o.pinned;
}

// The capacity is a power of two, so that dragging a size slider causes only a few allocations. Tensors that become too
// small stay allocated, as in PyTorch's caching allocator.
void TransferLoop::make_room(std::size_t elements, bool two) {
  // X, Y = torch.randn(batch_size, features, device="cuda"): one kernel each.
  const auto make = [&](Batch& batch) {
    for (Tensor* t : {&batch.x, &batch.y}) {
      *t = eager_.tensor(capacity_);
      eager_.launch(Op{OpKind::Fill, static_cast<std::int32_t>(capacity_), 1, 1, 0.5f}, {*t});
    }
  };
  if (elements > capacity_) {
    capacity_ = std::bit_ceil(elements);
    for (Tensor* t : {&half_, &output_, &output_grad_}) *t = eager_.tensor(capacity_);
    make(batches_[0]);
    prefetched_ = 0;
  }
  if (two && batches_[1].x.elements < capacity_) {
    make(batches_[1]);
    prefetched_ = 0;
  }
}

void TransferLoop::enter_side_stream() {
  device::Device& device = eager_.device();
  if (!side_made_) {
    side_ = device.create_stream(true);
    for (Batch& batch : batches_) {
      batch.copied = device.create_event();
      batch.used = device.create_event();
    }
    side_made_ = true;
  }
  prefetched_ = 0;
  on_side_ = true;
}

// Drops a prefetched batch; the main stream takes the tensors over when its copies have ended.
void TransferLoop::leave_side_stream() {
  for (const Batch& batch : batches_) eager_.device().wait(Eager::kStream, batch.copied);
  prefetched_ = 0;
  current_ = 0;
  on_side_ = false;
}

void TransferLoop::copy_batch(Batch& to, const TransferOptions& o, Times& times) {
  const std::size_t count = o.elements();
  device::Device& device = eager_.device();
  const device::Stream stream = on_side_ ? side_ : Eager::kStream;
  HostTensor x = ready_x_, y = ready_y_;
  const Nanoseconds began = now();
  if (!o.ready) {
    const Phase phase(eager_, "make batch");
    x = eager_.host_tensor(count, o.pinned);
    y = eager_.host_tensor(count, o.pinned);
    eager_.host_fill(x);
    eager_.host_fill(y);
  }
  const Nanoseconds made = now();
  {
    const Phase phase(eager_, "copy");
    if (on_side_) device.wait(stream, to.used);
    eager_.copy_to_device(to.x, x, count, o.non_blocking, stream);
    if (!o.ready) eager_.drop(x);
    eager_.copy_to_device(to.y, y, count, o.non_blocking, stream);
    if (!o.ready) eager_.drop(y);
    if (on_side_) device.record(to.copied, stream);
  }
  const Nanoseconds copied = now();
  times.make += made - began;
  times.copy += copied - made;
  times.copy_waits += model_ran(made, copied);
}

// With a side stream, the copies are one batch ahead: the next batch arrives while the model works on this one.
TransferLoop::Batch& TransferLoop::feed(const TransferOptions& o, Times& times) {
  if (!o.feeds()) return batches_[0];
  if (!on_side_) {
    copy_batch(batches_[0], o, times);
    return batches_[0];
  }
  Batch& batch = batches_[current_];
  if (prefetched_ != o.elements()) copy_batch(batch, o, times);
  current_ = 1 - current_;
  copy_batch(batches_[current_], o, times);
  prefetched_ = o.elements();
  const Nanoseconds began = now();
  eager_.device().wait(Eager::kStream, batch.copied);
  times.launch += now() - began;
  return batch;
}

// S2's data.cpu() and data_cpu.cuda(): X is copied to the CPU and back without being used there.
TransferLoop::Batch TransferLoop::there_and_back(const Batch& batch, const TransferOptions& o, Times& times) {
  const Nanoseconds began = now();
  const HostTensor host = eager_.host_tensor(o.elements(), false);
  {
    const Phase phase(eager_, ".cpu()", trace::RangeKind::Read);
    eager_.copy_to_host(host, batch.x, o.elements(), false);
  }
  {
    const Phase phase(eager_, ".cuda()");
    eager_.copy_to_device(returned_, host, o.elements(), false);
  }
  eager_.drop(host);
  times.copy += now() - began;
  Batch back = batch;
  back.x = returned_;
  return back;
}

void TransferLoop::spin(double us) {
  if (us <= 0) return;
  const Nanoseconds before = now();
  eager_.launch(Op{OpKind::Spin, 1, 1, 1, static_cast<float>(us)}, {});
  // It starts after the GPU's earlier work, and not before its launch has begun.
  model_until_ = std::max(model_until_, before) + base::from_us(us);
}

/// The part of [from, to) in which the GPU was still running the model: waiting for that counts as computing, not as
/// transferring.
Nanoseconds TransferLoop::model_ran(Nanoseconds from, Nanoseconds to) const {
  return std::max<Nanoseconds>(0, std::min(to, model_until_) - from);
}

void TransferLoop::forward(const Batch& batch, const TransferOptions& o, Times& times) {
  const Nanoseconds began = now();
  {
    const Phase phase(eager_, "forward");
    if (o.train) {  // autocast: the input and, once per iteration, the weights in half precision
      eager_.launch(Op{OpKind::Scale, o.batch_size, o.features, 1, 1.0f}, {batch.x, half_});
      eager_.launch(Op{OpKind::Scale, kTransferParameters, 1, 1, 1.0f}, {weight_, half_weight_});
    }
    spin(o.model_us);
    eager_.launch(Op{OpKind::MseForward, o.batch_size, o.features}, {batch.x, batch.y, output_});
  }
  {
    const Phase phase(eager_, "loss");
    eager_.launch(Op{OpKind::MeanReduce, o.batch_size, o.features}, {output_, loss_});
  }
  times.launch += now() - began;
}

// loss.backward(), or scaler.scale(loss).backward()
void TransferLoop::backward(const Batch& batch, const TransferOptions& o, Times& times) {
  const Nanoseconds began = now();
  const Phase phase(eager_, "backward");
  const Backward inside(eager_);
  if (o.scaler) {
    eager_.launch(Op{OpKind::Scale, 1, 1, 1, kScale}, {loss_, scaled_loss_});
    eager_.launch(Op{OpKind::Fill, 1, 1, 1, 1.0f}, {scaled_grad_});
    eager_.launch(Op{OpKind::Scale, 1, 1, 1, kScale}, {scaled_grad_, loss_grad_});
  } else {
    eager_.launch(Op{OpKind::Fill, 1, 1, 1, 1.0f}, {loss_grad_});
  }
  eager_.launch(Op{OpKind::MseBackward, o.batch_size, o.features}, {loss_grad_, batch.x, batch.y, output_grad_});
  // A layer's backward pass is two products of the size of its forward pass: for the inputs and for the weights.
  spin(o.model_us);
  spin(o.model_us);
  times.launch += now() - began;
}

// optimizer.step(), or scaler.step(optimizer) and scaler.update(), with the kernels of torch.amp.GradScaler.
void TransferLoop::step(const TransferOptions& o, Times& times) {
  const Nanoseconds began = now();
  eager_.zero_grad(1);
  if (!o.scaler) {
    const Phase phase(eager_, "step");
    eager_.launch(Op{OpKind::SgdStep, kTransferParameters, 1, 1, kTransferLearningRate}, {weight_, weight_grad_});
    times.launch += now() - began;
    return;
  }
  {
    const Phase phase(eager_, "unscale");
    // scale.double().reciprocal().float()
    eager_.launch(Op{OpKind::Scale, 1, 1, 1, 1.0f}, {scale_, inverse_scale_});
    eager_.launch(Op{OpKind::Scale, 1, 1, 1, 1 / (kScale * kScale)}, {inverse_scale_, inverse_scale_});
    eager_.launch(Op{OpKind::Scale, 1, 1, 1, 1.0f}, {inverse_scale_, inverse_scale_});
    eager_.launch(Op{OpKind::Fill, 1, 1, 1, 0.0f}, {found_inf_});
    // _amp_foreach_non_finite_check_and_unscale_: one kernel for all gradients
    eager_.launch(Op{OpKind::Scale, kTransferParameters, 1, 1, 1 / kScale}, {weight_grad_, weight_grad_});
  }
  times.launch += now() - began;
  const bool finite = read(found_inf_, kFoundInf, times) == 0;
  const Nanoseconds stepping = now();
  {
    const Phase phase(eager_, "step");
    if (finite)
      eager_.launch(Op{OpKind::SgdStep, kTransferParameters, 1, 1, kTransferLearningRate}, {weight_, weight_grad_});
    eager_.launch(Op{OpKind::Scale, 1, 1, 1, 1.0f}, {scale_, scale_});  // _amp_update_scale_
  }
  times.launch += now() - stepping;
}

// All of the step in one graph. The two batches of a side stream take turns, so each has its own.
void TransferLoop::replay(const Batch& batch, std::size_t variant, const TransferOptions& o, Times& times) {
  const Nanoseconds began = now();
  Times inside;  // of the statements, which are launched as a whole
  graph_.run(
      {o.batch_size, o.features, base::from_us(o.model_us), o.train, o.round_trip,
       static_cast<std::int64_t>(capacity_)},
      [&] {
        forward(batch, o, inside);
        if (!o.train) return;
        backward(batch, o, inside);
        step(o, inside);
      },
      variant);
  model_until_ = std::max(model_until_, began) + (o.train ? 3 : 1) * base::from_us(o.model_us);
  times.launch += now() - began;
}

float TransferLoop::read(const Tensor& tensor, std::string_view phase_name, Times& times) {
  const Nanoseconds began = now();
  const Phase phase(eager_, phase_name, trace::RangeKind::Read);
  const float value = eager_.item(tensor);
  const Nanoseconds read = now();
  times.read += read - began;
  times.read_waits += model_ran(began, read);
  return value;
}

void TransferLoop::iterate(std::uint64_t number, const Settings& settings) {
  const TransferOptions o(settings);
  eager_.set_dispatch_us(o.dispatch_us);
  if (!adapted(o)) {
    const Phase phase(eager_, "set up");
    adapt(o);
  }
  const Nanoseconds began = now();
  Times times;
  const Batch& fed = feed(o, times);
  const Batch batch = o.round_trip ? there_and_back(fed, o, times) : fed;
  const auto let_go = [&] {  // releases the batch for writing
    if (on_side_) eager_.device().record(batch.used, Eager::kStream);
  };
  const auto read_loss = [&] {
    if (o.log_interval != 0 && number % o.log_interval == 0) read(loss_, "item()", times);
  };
  if (o.graphed) {
    replay(batch, static_cast<std::size_t>(&fed - batches_.data()), o, times);
    let_go();
    read_loss();
  } else {
    forward(batch, o, times);
    if (!o.train) let_go();
    read_loss();
    if (o.train) {
      backward(batch, o, times);
      let_go();
      step(o, times);
    }
  }
  sample(times, now() - began);
}

void TransferLoop::sample(const Times& times, Nanoseconds iteration) {
  figures().sample(make_us_, base::to_us(times.make));
  figures().sample(copy_us_, base::to_us(times.copy));
  figures().sample(launch_us_, base::to_us(times.launch));
  figures().sample(read_us_, base::to_us(times.read));
  const Nanoseconds copying = times.copy - times.copy_waits, reading = times.read - times.read_waits;
  figures().sample(read_own_us_, base::to_us(reading));
  if (iteration > 0) {
    figures().sample(transfer_share_, 100 * static_cast<double>(copying + reading) / static_cast<double>(iteration));
  }
}

}  // namespace

WorkloadInfo transfer_loop_info() {
  return {
      .name = "transfer-loop",
      .title = N_("Copying the data in every iteration"),
      .summary = N_(
          "Two tensors are made on the CPU in every iteration and copied to the GPU, which computes nothing meanwhile. "
          "Keep the data on the GPU (feed: resident), and the copies disappear. If it has to be copied, pinned memory, "
          "a non-blocking copy and a separate stream hide the copy behind the model: all three are needed."),
      .experiments = N_("P01 to P03, P21"),
      .published = {{N_("copied each time, 1,000 iterations"), N_("750 ms (estimate)")},
                    {N_("resident, 1,000 iterations"), N_("500.5 ms (estimate)")}},
      .code = shown_code(write_transfer_loop, transfer_loop_settings({})),
      .computes_values = false,
  };
}

Settings transfer_loop_settings(const device::DeviceInfo& device) {
  const SettingSpec features{.key = "features",
                             .label = N_("Features"),
                             .help = N_("Values in a row of the batch: more values mean more bytes to copy."),
                             .type = SettingType::Integer,
                             .standard = std::int64_t{2},
                             .minimum = 1,
                             .maximum = 4096,
                             .logarithmic = true};
  SettingSpec model_us = model_us_setting();
  model_us.help = N_("How long the model's forward pass keeps the GPU busy.");
  model_us.logarithmic = true;
  model_us.stops = {0, 50, 100, 200, 500, 1000, 2000, 5000, 10'000, 20'000, 50'000, 100'000};
  const SettingSpec copy_stream{
      .key = key::kCopyStream,
      .label = N_("Stream of the copies"),
      .help = N_("main: copies and kernels wait for each other; side: the next batch is copied on a second stream "
                 "while the model runs, if the memory is pinned and the copy does not block."),
      .type = SettingType::Choice,
      .standard = std::string("main"),
      .choices = {"main", choice::kSideStream}};
  const SettingSpec round_trip{
      .key = "round_trip",
      .label = N_("Round trip"),
      .help = N_("X goes to the CPU and back before the model, X.cpu().cuda(), which changes nothing in it."),
      .type = SettingType::Bool,
      .standard = false};
  const SettingSpec train{.key = "train",
                          .label = N_("Train"),
                          .help = N_("Adds a backward pass and an optimizer step, in mixed precision (autocast)."),
                          .type = SettingType::Bool,
                          .standard = false};
  const SettingSpec scaler{
      .key = "scaler",
      .label = N_("GradScaler"),
      .help =
          N_("Trains with a GradScaler, which reads a value in every step to check whether a gradient has overflowed."),
      .type = SettingType::Bool,
      .standard = false,
      .range = RangeOfSetting{kFoundInf, true, false}};
  const SettingSpec cuda_graph = cuda_graph_setting(
      device, {{{{.key = "scaler", .value = true}},
                N_("GradScaler reads found_inf in the step, and PyTorch then raises \"operation not permitted when "
                   "stream is capturing\"")}});
  SettingSpec feed = feed_setting("per-iteration");
  feed.choices.push_back(kReady);
  feed.help = N_(
      "resident: the data stays on the GPU; per-iteration: a fresh host batch is made and copied each time; ready: one "
      "that was made before the loop is copied.");
  return Settings({log_interval_setting(1), feed, pinned_setting(), non_blocking_setting(), copy_stream, round_trip,
                   batch_size_setting(kTransferBatch), features, model_us, train, scaler, cuda_graph,
                   dispatch_setting(device), seed_setting()});
}

void check_transfer_loop(const Settings& settings) {
  const std::size_t elements = TransferOptions(settings).elements();
  if (elements > kTransferMostElements) {
    throw base::UsageError(
        tr("transfer-loop: batch_size x features is {} numbers; allowed: at most {}", elements, kTransferMostElements));
  }
}

std::unique_ptr<Workload> make_transfer_loop(device::Device& device) { return std::make_unique<TransferLoop>(device); }

}  // namespace lanescope::workload
