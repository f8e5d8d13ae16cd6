#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "base/random.h"
#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager_workload.h"
#include "workload/program.h"
#include "workload/workloads.h"

namespace lanescope::workload {
namespace {

using ops::Op;
using ops::OpKind;

constexpr std::int32_t kInputs = 2;
constexpr std::int32_t kOutputs = 2;
constexpr int kTensors = 6;
constexpr float kLearningRate = 0.01f;
constexpr BatchLimits kBatch{.standard = 128, .maximum = 65'536};

struct BreakEvenSettings : TrainingSettings {
  explicit BreakEvenSettings(const Settings& settings)
      : TrainingSettings(settings),
        problem_size(static_cast<std::int32_t>(settings.integer("problem_size"))),
        hidden(static_cast<std::int32_t>(settings.integer("hidden"))),
        graphed(uses_graph(settings)) {}

  std::int32_t problem_size;  ///< samples per pass
  std::int32_t hidden;
  bool graphed;
};

class BreakEven final : public EagerWorkload {
 public:
  explicit BreakEven(device::Device& device);

  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;

 private:
  // A layer of the model with its gradients.
  struct Layer {
    std::int32_t inputs = 0, outputs = 0;
    Tensor weight, bias, weight_grad, bias_grad;
  };

  void prepare(const BreakEvenSettings& s);
  void make_model(std::int32_t hidden, std::uint64_t seed);
  void make_data(std::int32_t samples);
  void forward(const Layer& layer, const Tensor& x, const Tensor& out, std::int32_t rows);
  void backward(const Layer& layer, const Tensor& x, const Tensor& out_grad, std::int32_t rows);
  void input_grad(const Layer& layer, const Tensor& out_grad, const Tensor& x_grad, std::int32_t rows);
  void optimizer_step();
  void train(const Tensor& data, const Tensor& target, std::int32_t rows);
  void replay(const BreakEvenSettings& s, std::int32_t rows);

  Layer first_, second_, third_;
  Tensor parameters_, gradients_;  // updated by the optimizer
  Tensor all_data_, all_target_;   // resident
  Tensor data_, target_;           // fed
  Tensor linear1_, hidden1_, linear2_, hidden2_, output_, squares_, loss_, loss_grad_;
  Tensor output_grad_, hidden2_grad_, linear2_grad_, hidden1_grad_, linear1_grad_;
  std::int32_t hidden_ = 0;        // of the current model
  std::size_t capacity_ = 0;       // capacity of the activations: rows x hidden
  std::int32_t row_capacity_ = 0;  // capacity of the batch, in rows
  std::int32_t samples_ = 0;       // samples in the resident data
  std::uint64_t seed_ = 0;
  Settings settings_;          // of the current pass
  std::int32_t position_ = 0;  // samples of the pass processed so far
  base::Nanoseconds pass_start_ns_ = 0;
  std::size_t pass_figure_ = 0;
};

BreakEven::BreakEven(device::Device& device) : EagerWorkload(device, break_even_info()) {
  pass_figure_ = figures().add("pass_ms", N_("a pass over the data"), "ms");
}

void BreakEven::set_up(const Settings& settings) {
  const BreakEvenSettings s(settings);
  eager_.set_dispatch_us(s.dispatch_us);
  for (Tensor* t : {&loss_, &loss_grad_}) *t = eager_.tensor(1);
  prepare(s);
  eager_.synchronize();
}

// The capacity of the activations is a power of two, so that dragging a size slider causes only a few allocations. What
// becomes too small stays allocated, as in PyTorch's caching allocator; except the model, whose size must be exact.
void BreakEven::prepare(const BreakEvenSettings& s) {
  const bool data_fits = s.feed_each_iteration || s.problem_size <= samples_;
  const std::size_t room = elements(s.batch_size, s.hidden);
  if (s.hidden == hidden_ && s.seed == seed_ && s.batch_size <= row_capacity_ && room <= capacity_ && data_fits) return;
  const Phase phase(eager_, "set up");
  if (s.hidden != hidden_ || s.seed != seed_) make_model(s.hidden, s.seed);
  if (s.batch_size > row_capacity_) {
    row_capacity_ = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(s.batch_size)));
    for (Tensor* t : {&data_, &target_, &output_, &squares_, &output_grad_}) {
      *t = eager_.tensor(elements(row_capacity_, kOutputs));
    }
  }
  if (room > capacity_) {
    capacity_ = std::bit_ceil(room);
    for (Tensor* t :
         {&linear1_, &hidden1_, &linear2_, &hidden2_, &hidden2_grad_, &linear2_grad_, &hidden1_grad_, &linear1_grad_}) {
      *t = eager_.tensor(capacity_);
    }
  }
  if (!data_fits) make_data(s.problem_size);
}

// model = MLP(2, hidden, hidden, 2).to(device): creates the weights on the host, layer by layer, and copies them.
void BreakEven::make_model(std::int32_t hidden, std::uint64_t seed) {
  const bool resize = hidden != hidden_;
  hidden_ = hidden;
  seed_ = seed;
  const auto resized = [&](Tensor& tensor, std::size_t count) {
    if (!resize) return;
    if (tensor.elements != 0) eager_.device().release(tensor.buffer);
    tensor = eager_.tensor(count);
  };
  base::Random random(seed);
  std::size_t parameters = 0;
  const auto make_layer = [&](Layer& layer, std::int32_t inputs, std::int32_t outputs) {
    layer.inputs = inputs;
    layer.outputs = outputs;
    for (Tensor* t : {&layer.weight, &layer.weight_grad}) resized(*t, elements(outputs, inputs));
    for (Tensor* t : {&layer.bias, &layer.bias_grad}) resized(*t, elements(outputs, 1));
    const float bound = 1.0f / std::sqrt(static_cast<float>(inputs));
    for (const Tensor& parameter : {layer.weight, layer.bias}) {
      const HostTensor values = eager_.host_tensor(parameter.elements, false);
      for (float& value : eager_.values(values)) value = random.uniform(bound);
      eager_.host_wrote(values);
      eager_.copy_to_device(parameter, values, parameter.elements, false);
      eager_.drop(values);
      parameters += parameter.elements;
    }
  };
  make_layer(first_, kInputs, hidden);
  make_layer(second_, hidden, hidden);
  make_layer(third_, hidden, kOutputs);
  for (Tensor* t : {&parameters_, &gradients_}) resized(*t, parameters);
}

void BreakEven::make_data(std::int32_t samples) {
  samples_ = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(samples)));
  for (Tensor* t : {&all_data_, &all_target_}) {
    *t = eager_.tensor(elements(samples_, kInputs));
    fill(*t);
  }
}

void BreakEven::forward(const Layer& layer, const Tensor& x, const Tensor& out, std::int32_t rows) {
  eager_.launch(Op{OpKind::LinearForward, rows, layer.outputs, layer.inputs}, {x, layer.weight, layer.bias, out});
}

void BreakEven::backward(const Layer& layer, const Tensor& x, const Tensor& out_grad, std::int32_t rows) {
  eager_.launch(Op{OpKind::LinearWeightGrad, rows, layer.outputs, layer.inputs}, {out_grad, x, layer.weight_grad});
  eager_.launch(Op{OpKind::LinearBiasGrad, rows, layer.outputs}, {out_grad, layer.bias_grad});
}

void BreakEven::input_grad(const Layer& layer, const Tensor& out_grad, const Tensor& x_grad, std::int32_t rows) {
  eager_.launch(Op{OpKind::LinearInputGrad, rows, layer.outputs, layer.inputs}, {out_grad, layer.weight, x_grad});
}

void BreakEven::train(const Tensor& data, const Tensor& target, std::int32_t rows) {
  {
    const Phase phase(eager_, "forward");
    forward(first_, data, linear1_, rows);
    eager_.launch(Op{OpKind::ReluForward, rows, hidden_}, {linear1_, hidden1_});
    forward(second_, hidden1_, linear2_, rows);
    eager_.launch(Op{OpKind::ReluForward, rows, hidden_}, {linear2_, hidden2_});
    forward(third_, hidden2_, output_, rows);
  }
  {
    const Phase phase(eager_, "loss");
    eager_.launch(Op{OpKind::MseForward, rows, kOutputs}, {output_, target, squares_});
    eager_.launch(Op{OpKind::MeanReduce, rows, kOutputs}, {squares_, loss_});
  }
  eager_.zero_grad(kTensors);
  {
    // The gradients become .grad directly: zero_grad() has dropped the old ones, which takes no kernel.
    const Phase phase(eager_, "backward");
    const Backward inside(eager_);
    eager_.launch(Op{OpKind::Fill, 1, 1, 1, 1.0f}, {loss_grad_});
    eager_.launch(Op{OpKind::MseBackward, rows, kOutputs}, {loss_grad_, output_, target, output_grad_});
    input_grad(third_, output_grad_, hidden2_grad_, rows);
    backward(third_, hidden2_, output_grad_, rows);
    eager_.launch(Op{OpKind::ReluBackward, rows, hidden_}, {hidden2_grad_, linear2_, linear2_grad_});
    input_grad(second_, linear2_grad_, hidden1_grad_, rows);
    backward(second_, hidden1_, linear2_grad_, rows);
    eager_.launch(Op{OpKind::ReluBackward, rows, hidden_}, {hidden1_grad_, linear1_, linear1_grad_});
    backward(first_, data, linear1_grad_, rows);
  }
  const Phase phase(eager_, "step");
  optimizer_step();
}

// The last batch of a pass may be smaller; it has a graph of its own.
void BreakEven::replay(const BreakEvenSettings& s, std::int32_t rows) {
  graph_.run(
      {s.batch_size, s.problem_size, s.hidden, row_capacity_, static_cast<std::int64_t>(capacity_)},
      [&] { train(data_, target_, rows); }, rows == s.batch_size ? 0 : 1);
}

// On a GPU, the optimizer updates its six tensors in one kernel. An op takes at most four pairs, so they are one tensor
// here: the time is the same, and values are not used. A CPU updates one tensor after the other.
void BreakEven::optimizer_step() {
  const auto step = [&](std::size_t count, std::initializer_list<Tensor> pairs) {
    eager_.launch(Op{OpKind::SgdStep, static_cast<std::int32_t>(count), 1, 1, kLearningRate}, pairs);
  };
  if (eager_.device().info().kind != device::DeviceKind::Cpu) {
    eager_.spend(device::FrameworkCall::StepParameter, kTensors - 1);
    return step(parameters_.elements, {parameters_, gradients_});
  }
  for (const Layer* layer : {&first_, &second_, &third_}) {
    step(layer->weight.elements + layer->bias.elements,
         {layer->weight, layer->weight_grad, layer->bias, layer->bias_grad});
  }
}

void BreakEven::iterate(std::uint64_t number, const Settings& settings) {
  const BreakEvenSettings s(settings);
  eager_.set_dispatch_us(s.dispatch_us);
  if (!(settings == settings_)) {  // a pass with mixed settings would mean nothing
    settings_ = settings;
    position_ = 0;
  }
  prepare(s);
  if (position_ == 0) pass_start_ns_ = eager_.device().now_ns();
  const std::int32_t rows = std::min(s.batch_size, s.problem_size - position_);
  if (s.feed_each_iteration) {
    const std::size_t count = elements(rows, kInputs);
    feed({data_, count}, {target_, count}, s);
    s.graphed ? replay(s, rows) : train(data_, target_, rows);
  } else {
    {
      // Two views, which the framework creates without a kernel. Which rows they cover does not affect the time.
      const Phase phase(eager_, "slice");
      eager_.slice(2);
    }
    if (s.graphed) {
      {
        // static_x.copy_(x), static_y.copy_(y)
        const Phase phase(eager_, "copy");
        const std::size_t first = elements(position_, kInputs), count = elements(rows, kInputs);
        eager_.copy_on_device(data_, all_data_, first, count);
        eager_.copy_on_device(target_, all_target_, first, count);
      }
      replay(s, rows);
    } else {
      train(all_data_, all_target_, rows);
    }
  }
  if (s.log_interval != 0 && number % s.log_interval == 0) {
    const Phase phase(eager_, "item()", trace::RangeKind::Read);
    eager_.item(loss_);
  }
  position_ += rows;
  if (position_ < s.problem_size) return;
  // Measured with the program's own clock. Without a read, the GPU may be a full launch queue behind, equally in every
  // pass.
  figures().sample(pass_figure_, base::to_us(eager_.device().now_ns() - pass_start_ns_) / 1e3);
  position_ = 0;
}

}  // namespace

WorkloadInfo break_even_info() {
  return {
      .name = "break-even",
      .title = N_("CPU or GPU: where is the break-even?"),
      .summary = N_("A small network is trained on a data set, batch by batch. With small batches the GPU waits for "
                    "its launches and the CPU alone is faster; with large ones the GPU has enough work to win. Run it "
                    "on both, change the batch size, and compare the time of a pass over the data."),
      .experiments = N_("P04 to P06"),
      .published = {{N_("1,000 samples in batches of 128"), N_("CPU 8 ms, GPU 21 ms")},
                    {N_("100,000 samples in batches of 2,048"), N_("CPU 800 ms, GPU 100 ms")}},
      .code = shown_code(write_break_even, break_even_settings({})),
      .computes_values = false,
  };
}

Settings break_even_settings(const device::DeviceInfo& device) {
  const Settings training = training_settings(device, kBatch);
  const SettingSpec problem_size{.key = "problem_size",
                                 .label = N_("Problem size"),
                                 .help = N_("Samples in the data set; a pass goes through each of them once."),
                                 .type = SettingType::Integer,
                                 .standard = std::int64_t{1000},
                                 .minimum = 100,
                                 .maximum = 10'000'000,
                                 .logarithmic = true,
                                 .stops = {100, 1e3, 1e4, 1e5, 1e6, 1e7}};
  const SettingSpec hidden{.key = "hidden",
                           .label = N_("Hidden units"),
                           .help = N_("Units in each of the two hidden layers: more units mean more work per launch."),
                           .type = SettingType::Integer,
                           .standard = std::int64_t{64},
                           .minimum = 1,
                           .maximum = 1024,
                           .logarithmic = true,
                           .stops = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}};
  std::vector<SettingSpec> specs{problem_size, hidden};
  specs.insert(specs.end(), training.specs().begin(), training.specs().end());
  specs.push_back(cuda_graph_setting(device));
  return Settings(std::move(specs));
}

std::unique_ptr<Workload> make_break_even(device::Device& device) { return std::make_unique<BreakEven>(device); }

// --- the program -----------------------------------------------------------------------------------------------------

namespace {

void write_training(CodeWriter& code, std::string_view x, std::string_view y) {
  code.line(1, fmt::format("output = model({})", x), {"forward"});
  code.line(1, fmt::format("loss = F.mse_loss(output, {})", y), {"loss"});
  code.line(1, "optimizer.zero_grad()");
  code.line(1, "loss.backward()", {"backward"});
  code.line(1, "optimizer.step()", {"step"});
}

}  // namespace

void write_break_even(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool feeds = s.choice(key::kFeed) == "per-iteration";
  const std::int64_t problem = s.integer("problem_size"), batch = std::min(s.integer(key::kBatchSize), problem);
  const std::int64_t last = problem % batch;
  const bool uneven = last != 0;  // the last batch of a pass is smaller
  const std::string static_x = uneven ? "static_x[:rows]" : "static_x";
  const std::string static_y = uneven ? "static_y[:rows]" : "static_y";
  begin_script(code);
  code.script(0, R"(device = 'cuda'

class MLP(nn.Sequential):
    def __init__(self, inputs, hidden1, hidden2, outputs):
        super().__init__(nn.Linear(inputs, hidden1), nn.ReLU(), nn.Linear(hidden1, hidden2), nn.ReLU(),
                         nn.Linear(hidden2, outputs))

def samples(rows):
    return torch.empty(2, rows, 2).uniform_()

)");
  if (feeds) {
    code.script(0, R"(
p = 0


def make_batch(rows, pin_memory):
    rows = min(rows, $problem_size - p)
    a, b = (torch.empty(rows, 2, pin_memory=pin_memory) for _ in range(2))
    return a.uniform_(), b.uniform_()

)");
  }
  code.line(0, "model = MLP(2, $hidden, $hidden, 2).to(device)", {"set up"});
  if (!feeds) code.more(0, "X, Y = samples($problem_size).to(device)");
  code.script(0, "optimizer = torch.optim.SGD(model.parameters(), lr=0.01)\np = 0");
  if (graphed(code)) {
    code.script(0, fmt::format("static_x, static_y = torch.empty(2, {}, 2, device=device)", batch));
    begin_graph(code, uneven ? fmt::format("({}, {})", batch, last) : "");
    code.line(0, uneven ? "def step(rows):" : "def step():");
    if (uneven) code.line(1, "x, y = static_x[:rows], static_y[:rows]");
    write_training(code, uneven ? "x" : "static_x", uneven ? "y" : "static_y");
    code.line(1, "return loss");
  }
  code.line(0, "for i in range(iterations):");
  begin_iteration(code, 1);
  code.script(1,
              "if i == warm_up:\n    p = 0  # a whole pass is timed\nif p == 0:\n    pass_began = time.perf_counter()");
  if (feeds) {
    code.line(1, "a, b = make_batch($batch_size, pin_memory=$pinned)", {"make batch"});
    if (graphed(code) && uneven) code.line(1, "rows = len(a)");
    code.line(1, copy_of_batch(code, graphed(code) ? static_x : "x", "a", "device"), {"copy"});
    code.more(1, copy_of_batch(code, graphed(code) ? static_y : "y", "b", "device"));
  } else {
    code.line(1, "x, y = X[p:p + $batch_size], Y[p:p + $batch_size]", {"slice"});
    if (graphed(code)) {
      if (uneven) code.line(1, "rows = len(x)");
      code.line(1, static_x + ".copy_(x)", {"copy"});
      code.more(1, static_y + ".copy_(y)");
    }
  }
  if (graphed(code)) {
    write_graph(code, "i", uneven ? "rows" : "");
  } else {
    write_training(code, "x", "y");
  }
  if (s.integer(key::kLogInterval) != 0) {
    code.line(1, "if i % $log_interval == 0:");
    code.line(2, "print(loss.item())", {"item()"});
  }
  code.script(1, R"(p += $batch_size
if p >= $problem_size:
    p = 0
    note('pass_ms', 1e3 * (time.perf_counter() - pass_began)))");
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
