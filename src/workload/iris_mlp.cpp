#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/from_chars.h"
#include "base/random.h"
#include "base/translate.h"
#include "lanescope_assets.h"
#include "workload/common_settings.h"
#include "workload/eager_workload.h"
#include "workload/program.h"
#include "workload/workloads.h"

namespace lanescope::workload {
namespace {

struct Flower {
  std::array<double, IrisData::kFeatures> features{};
  std::int32_t species = 0;
};

std::string_view asset(std::string_view path) {
  const assets::File* file = assets::find(path);
  if (file == nullptr) throw base::Error(std::string(path) + " is not in the program");
  return file->text;
}

/// Removes and returns the text up to the separator from the front of `text`.
std::string_view next_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

template <typename Number>
Number number(std::string_view text, std::string_view file) {
  Number value{};
  const auto [end, failed] = base::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) {
    throw base::Error(std::string(file) + ": '" + std::string(text) + "' is not a number");
  }
  return value;
}

std::vector<Flower> read_flowers() {
  constexpr std::string_view kFile = "data/iris.csv";
  std::string_view text = asset(kFile);
  next_part(text, '\n');  // skips the header line
  std::vector<Flower> flowers;
  while (!text.empty()) {
    std::string_view line = next_part(text, '\n');
    if (line.empty()) continue;
    Flower& flower = flowers.emplace_back();
    for (double& feature : flower.features) feature = number<double>(next_part(line, ','), kFile);
    flower.species = number<std::int32_t>(next_part(line, ','), kFile);
  }
  return flowers;
}

}  // namespace

IrisData iris_training_rows() {
  constexpr std::string_view kOrderFile = "data/iris-train-order.txt";
  const std::vector<Flower> flowers = read_flowers();
  std::vector<Flower> chosen;
  for (std::string_view order = asset(kOrderFile); !order.empty();) {
    std::string_view line = next_part(order, '\n');
    while (!line.empty()) {
      const auto row = number<std::size_t>(next_part(line, ' '), kOrderFile);
      if (row >= flowers.size())
        throw base::Error(std::string(kOrderFile) + ": there is no row " + std::to_string(row));
      chosen.push_back(flowers[row]);
    }
  }

  IrisData data;
  data.rows = static_cast<std::int32_t>(chosen.size());
  std::array<double, IrisData::kFeatures> smallest = chosen.at(0).features, largest = smallest;
  for (const Flower& flower : chosen) {
    for (std::size_t f = 0; f < smallest.size(); ++f) {
      smallest[f] = std::min(smallest[f], flower.features[f]);
      largest[f] = std::max(largest[f], flower.features[f]);
    }
  }
  for (const Flower& flower : chosen) {
    for (std::size_t f = 0; f < smallest.size(); ++f) {
      data.features.push_back(static_cast<float>((flower.features[f] - smallest[f]) / (largest[f] - smallest[f])));
    }
    data.classes.push_back(static_cast<float>(flower.species));
  }
  return data;
}

// --- iris mlp --------------------------------------------------------------------------------------------------------

namespace {

using ops::Op;
using ops::OpKind;

constexpr std::int32_t kRows = 120;
constexpr std::int32_t kFeatures = IrisData::kFeatures;
constexpr std::int32_t kHidden = 10;
constexpr std::int32_t kClasses = IrisData::kClasses;
constexpr std::int32_t kIrisParameters = kHidden * kFeatures + kHidden + kClasses * kHidden + kClasses;
constexpr int kIrisTensors = 4;
constexpr float kIrisLearningRate = 0.01f;
constexpr BatchLimits kIrisBatch{.standard = kRows, .maximum = kRows};
// The tutorial prints the loss every 100 epochs, with an extra read.
constexpr std::uint64_t kPrintInterval = 100;

bool prints(std::uint64_t epochs_done, std::uint64_t log_interval) {
  return epochs_done % epochs_between_prints(log_interval) == 0;
}

// Time to raise, unwind and print it: PyTorch 2.11 on the machine of an H100 took 30 us for the whole epoch, on a slow
// day up to 60 (2026-11-23).
constexpr base::Nanoseconds kRaise = 30 * base::kMicrosecond;

struct IrisSettings : TrainingSettings {
  explicit IrisSettings(const Settings& settings)
      : TrainingSettings(settings),
        model_moved(settings.choice("model_on") == "device"),
        hooked(settings.choice("hook") == "reads"),
        through_call(settings.choice("call_with") == "__call__"),
        graphed(uses_graph(settings)) {}

  bool model_moved;
  bool hooked;
  bool through_call;
  bool graphed;
};

class IrisMlp final : public EagerWorkload {
 public:
  explicit IrisMlp(device::Device& device)
      : EagerWorkload(device, iris_mlp_info()),
        rows_(iris_training_rows()),
        errors_figure_(figures().add("errors", N_("errors"), "")),
        hook_figure_(figures().add("hook_calls", N_("calls of the hook"), "")) {}

  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;

 private:
  void move_model(const IrisSettings& s);
  bool finds_the_model(const IrisSettings& s) const;
  void raise(double dispatch_us);
  void call_hook(std::int32_t batch);
  void initialise(std::uint64_t seed);
  void feed(const TrainingSettings& s);
  void fill_batch(const HostTensor& features, const HostTensor& classes);
  void forward(std::int32_t batch);
  void loss(std::int32_t batch);
  void backward(std::int32_t batch);
  void step();
  void read_loss();

  const IrisData rows_;
  Tensor features_, classes_;
  Tensor weight1_, bias1_, weight2_, bias2_, weight1_grad_, bias1_grad_, weight2_grad_, bias2_grad_;
  Tensor linear1_, hidden_, scores_, log_probabilities_, loss_, output_mean_;
  Tensor loss_grad_, log_probabilities_grad_, scores_grad_, hidden_grad_, linear1_grad_;
  const std::size_t errors_figure_, hook_figure_;
  std::uint64_t seed_ = 0;
  bool model_moved_ = false;
};

void IrisMlp::set_up(const Settings& settings) {
  const IrisSettings s(settings);
  eager_.set_dispatch_us(s.dispatch_us);
  const Phase phase(eager_, "set up");
  features_ = eager_.tensor(elements(kRows, kFeatures));
  classes_ = eager_.tensor(kRows);
  for (Tensor* t : {&weight1_, &weight1_grad_}) *t = eager_.tensor(elements(kHidden, kFeatures));
  for (Tensor* t : {&bias1_, &bias1_grad_}) *t = eager_.tensor(kHidden);
  for (Tensor* t : {&weight2_, &weight2_grad_}) *t = eager_.tensor(elements(kClasses, kHidden));
  for (Tensor* t : {&bias2_, &bias2_grad_}) *t = eager_.tensor(kClasses);
  for (Tensor* t : {&linear1_, &hidden_, &hidden_grad_, &linear1_grad_}) *t = eager_.tensor(elements(kRows, kHidden));
  for (Tensor* t : {&scores_, &log_probabilities_, &log_probabilities_grad_, &scores_grad_}) {
    *t = eager_.tensor(elements(kRows, kClasses));
  }
  for (Tensor* t : {&loss_, &loss_grad_, &output_mean_}) *t = eager_.tensor(1);

  const HostTensor features = eager_.host_tensor(features_.elements, false);
  const HostTensor classes = eager_.host_tensor(classes_.elements, false);
  fill_batch(features, classes);
  eager_.copy_to_device(features_, features, features_.elements, false);
  eager_.copy_to_device(classes_, classes, classes_.elements, false);
  eager_.drop(features);
  eager_.drop(classes);
  move_model(s);
}

// model = MLP(), and .to(device) if the setting says so.
void IrisMlp::move_model(const IrisSettings& s) {
  seed_ = s.seed;
  model_moved_ = s.model_moved;
  if (finds_the_model(s)) initialise(s.seed);
}

// On a CPU there is no other device.
bool IrisMlp::finds_the_model(const IrisSettings& s) const { return s.model_moved || eager_.on_cpu(); }

// model = MLP().to(device): creates the weights on the host, layer by layer, and copies them.
void IrisMlp::initialise(std::uint64_t seed) {
  base::Random random(seed);
  const auto initialise_one = [&](const Tensor& parameter, std::int32_t fan_in) {
    const float bound = 1.0f / std::sqrt(static_cast<float>(fan_in));
    const HostTensor values = eager_.host_tensor(parameter.elements, false);
    for (float& value : eager_.values(values)) value = random.uniform(bound);
    eager_.copy_to_device(parameter, values, parameter.elements, false);
    eager_.drop(values);
  };
  initialise_one(weight1_, kFeatures);
  initialise_one(bias1_, kFeatures);
  initialise_one(weight2_, kHidden);
  initialise_one(bias2_, kHidden);
}

void IrisMlp::fill_batch(const HostTensor& features, const HostTensor& classes) {
  std::copy_n(rows_.features.begin(), features.elements, eager_.values(features).begin());
  std::copy_n(rows_.classes.begin(), classes.elements, eager_.values(classes).begin());
  eager_.host_wrote(features);
  eager_.host_wrote(classes);
}

void IrisMlp::feed(const TrainingSettings& s) {
  const auto batch = static_cast<std::size_t>(s.batch_size);
  EagerWorkload::feed({features_, batch * kFeatures}, {classes_, batch}, s,
                      [this](const HostTensor& features, const HostTensor& classes) { fill_batch(features, classes); });
}

void IrisMlp::forward(std::int32_t batch) {
  const Phase phase(eager_, "forward");
  eager_.launch(Op{OpKind::LinearForward, batch, kHidden, kFeatures}, {features_, weight1_, bias1_, linear1_});
  eager_.launch(Op{OpKind::ReluForward, batch, kHidden}, {linear1_, hidden_});
  eager_.launch(Op{OpKind::LinearForward, batch, kClasses, kHidden}, {hidden_, weight2_, bias2_, scores_});
}

void IrisMlp::loss(std::int32_t batch) {
  const Phase phase(eager_, "loss");
  eager_.launch(Op{OpKind::LogSoftmaxForward, batch, kClasses}, {scores_, log_probabilities_});
  eager_.launch(Op{OpKind::NllLossForward, batch, kClasses}, {log_probabilities_, classes_, loss_});
}

// The gradients become .grad directly: zero_grad() has dropped the old ones, which takes no kernel.
void IrisMlp::backward(std::int32_t batch) {
  const Phase phase(eager_, "backward");
  const Backward inside(eager_);
  eager_.launch(Op{OpKind::Fill, 1, 1, 1, 1.0f}, {loss_grad_});
  eager_.launch(Op{OpKind::Fill, batch, kClasses, 1, 0.0f}, {log_probabilities_grad_});
  eager_.launch(Op{OpKind::NllLossBackward, batch, kClasses}, {loss_grad_, classes_, log_probabilities_grad_});
  eager_.launch(Op{OpKind::LogSoftmaxBackward, batch, kClasses},
                {log_probabilities_grad_, log_probabilities_, scores_grad_});
  eager_.launch(Op{OpKind::LinearInputGrad, batch, kClasses, kHidden}, {scores_grad_, weight2_, hidden_grad_});
  eager_.launch(Op{OpKind::LinearWeightGrad, batch, kClasses, kHidden}, {scores_grad_, hidden_, weight2_grad_});
  eager_.launch(Op{OpKind::LinearBiasGrad, batch, kClasses}, {scores_grad_, bias2_grad_});
  eager_.launch(Op{OpKind::ReluBackward, batch, kHidden}, {hidden_grad_, linear1_, linear1_grad_});
  eager_.launch(Op{OpKind::LinearWeightGrad, batch, kHidden, kFeatures}, {linear1_grad_, features_, weight1_grad_});
  eager_.launch(Op{OpKind::LinearBiasGrad, batch, kHidden}, {linear1_grad_, bias1_grad_});
}

void IrisMlp::step() {
  const Phase phase(eager_, "step");
  eager_.launch(Op{OpKind::SgdStep, kIrisParameters, 1, 1, kIrisLearningRate},
                {weight1_, weight1_grad_, bias1_, bias1_grad_, weight2_, weight2_grad_, bias2_, bias2_grad_});
}

// The error occurs while the first layer is dispatched, before any launch. The program catches and prints it.
void IrisMlp::raise(double dispatch_us) {
  {
    const Phase phase(eager_, "forward");
    eager_.device().host_work(base::from_us(dispatch_us));
  }
  const Phase phase(eager_, kWrongDevice);
  eager_.device().host_work(kRaise);
}

// register_forward_hook(lambda module, inputs, output: print(output.mean().item()))
void IrisMlp::call_hook(std::int32_t batch) {
  const Phase phase(eager_, "hook");
  eager_.launch(Op{OpKind::MeanReduce, batch, kClasses}, {scores_, output_mean_});
  eager_.item(output_mean_);
}

void IrisMlp::read_loss() {
  const Phase phase(eager_, "item()", trace::RangeKind::Read);
  loss_was_read(eager_.item(loss_));
}

void IrisMlp::iterate(std::uint64_t number, const Settings& settings) {
  const IrisSettings s(settings);
  eager_.set_dispatch_us(s.dispatch_us);
  if (s.seed != seed_ || s.model_moved != model_moved_) {
    const Phase phase(eager_, "set up");
    move_model(s);
  }
  if (s.feed_each_iteration) feed(s);
  const bool raises = !finds_the_model(s);
  const bool hooked = s.hooked && s.through_call && !raises;
  if (!s.model_moved) figures().sample(errors_figure_, raises ? 1 : 0);
  if (s.hooked) figures().sample(hook_figure_, hooked ? 1 : 0);
  if (raises) return raise(s.dispatch_us);
  const auto train = [&] {
    forward(s.batch_size);
    if (hooked) call_hook(s.batch_size);
    loss(s.batch_size);
    eager_.zero_grad(kIrisTensors);
    backward(s.batch_size);
    step();
  };
  if (s.graphed) {
    graph_.run({s.batch_size}, train);
  } else {
    train();
  }
  const std::uint64_t epochs_done = number + 1;
  if (s.log_interval != 0 && epochs_done % s.log_interval == 0) {
    read_loss();
    if (prints(epochs_done, s.log_interval)) read_loss();
  }
}

}  // namespace

// That matches P23's `(epoch + 1) % 100` for an interval of 1, and P25's second read for one of 2000.
std::uint64_t epochs_between_prints(std::uint64_t log_interval) {
  return (kPrintInterval + log_interval - 1) / log_interval * log_interval;
}

WorkloadInfo iris_mlp_info() {
  return {
      .name = "iris-mlp",
      .title = N_("Training on iris: when the GPU is slower"),
      .summary =
          N_("A network of 83 weights learns to tell three kinds of iris apart; the loss is really computed. Each "
             "kernel takes a few microseconds, and launching it takes longer, so the GPU waits for the CPU. Raise the "
             "log interval: the waits disappear, but most of the time remains, because it is spent on launching."),
      .experiments = N_("P22 to P26"),
      .published = {{N_("on the CPU"), N_("231 µs per epoch")},
                    {N_("GPU, a read every epoch"), N_("842.5 µs per epoch")},
                    {N_("GPU, a read every 2000"), N_("654 µs per epoch")}},
      .code = shown_code(write_iris_mlp, iris_mlp_settings({})),
      .computes_values = true,
  };
}

Settings iris_mlp_settings(const device::DeviceInfo& device) {
  std::vector<SettingSpec> specs = training_settings(device, kIrisBatch).specs();
  specs.push_back({.key = "model_on",
                   .label = N_("Model on"),
                   .help = N_("cpu: the model is never moved with .to(device), while its data is. On a GPU its first "
                              "layer raises a RuntimeError."),
                   .type = SettingType::Choice,
                   .standard = std::string("device"),
                   .choices = {"device", "cpu"}});
  specs.push_back({.key = "call_with",
                   .label = N_("Called with"),
                   .help = N_("model(X), which calls forward() and then the hooks, or model.forward(X), which calls no "
                              "hook of the model."),
                   .type = SettingType::Choice,
                   .standard = std::string("__call__"),
                   .choices = {"__call__", "forward"}});
  specs.push_back({.key = "hook",
                   .label = N_("Forward hook"),
                   .help = N_("reads: a hook of the model prints the mean of its output, output.mean().item()."),
                   .type = SettingType::Choice,
                   .standard = std::string("none"),
                   .choices = {"none", "reads"}});
  const Condition raises{.key = "model_on", .value = std::string("cpu")};
  const Condition called{.key = "call_with", .value = std::string("__call__")};
  const Condition reads{.key = "hook", .value = std::string("reads")};
  specs.push_back(cuda_graph_setting(
      device, {{{raises}, N_("the step raises an error before its first kernel")},
               {{called, reads},
                N_("the hook reads a value in the step, and PyTorch then raises \"operation not permitted when stream "
                   "is capturing\"")}}));
  return Settings(std::move(specs));
}

std::unique_ptr<Workload> make_iris_mlp(device::Device& device) { return std::make_unique<IrisMlp>(device); }

// --- the program -----------------------------------------------------------------------------------------------------

namespace {

// The training rows as two tensors, four rows a line.
std::string rows_in_python() {
  const IrisData data = iris_training_rows();
  std::string text = "features = torch.tensor([\n";
  for (std::int32_t row = 0; row < data.rows; ++row) {
    const float* x = data.features.data() + static_cast<std::ptrdiff_t>(row) * IrisData::kFeatures;
    text += row % 3 == 0 ? "    " : " ";
    text += fmt::format("[{:.6f}, {:.6f}, {:.6f}, {:.6f}],", x[0], x[1], x[2], x[3]);
    if (row % 3 == 2 || row + 1 == data.rows) text += '\n';
  }
  text += "])\nclasses = torch.tensor([\n";
  for (std::int32_t row = 0; row < data.rows; ++row) {
    text += fmt::format("{}{:.0f},", row % 30 == 0 ? "    " : " ", data.classes[static_cast<std::size_t>(row)]);
    if (row % 30 == 29 || row + 1 == data.rows) text += '\n';
  }
  return text + "])\n";
}

void write_training(CodeWriter& code) {
  code.line(1, "loss = F.cross_entropy(outputs, y)", {"loss"});
  code.line(1, "optimizer.zero_grad()");
  code.line(1, "loss.backward()", {"backward"});
  code.line(1, "optimizer.step()", {"step"});
}

void write_reads(CodeWriter& code) {
  const auto log_interval = static_cast<std::uint64_t>(code.settings().integer(key::kLogInterval));
  if (log_interval == 0) return;
  code.line(1, "if (epoch + 1) % $log_interval == 0:");
  code.line(2, "losses.append(loss.item())", {"item()"});
  code.line(2, fmt::format("if (epoch + 1) % {} == 0:", epochs_between_prints(log_interval)));
  code.line(3, "print(loss.item())", {"item()"});
}

/// `called`: the loop calls the model so that its hooks run.
void write_hook(CodeWriter& code, bool called) {
  code.script(0, "calls = 0\n");
  code.line(0, "def print_mean(module, inputs, output):");
  code.script(1, "global calls\ncalls += 1");
  code.line(1, "print(output.mean().item())", called ? std::vector<std::string>{"hook"} : std::vector<std::string>{});
  code.line(0, "model.register_forward_hook(print_mean)");
}

}  // namespace

void write_iris_mlp(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool moved = s.choice("model_on") == "device" || code.on_cpu();
  const bool through_call = s.choice("call_with") == "__call__";
  const bool hooked = s.choice("hook") == "reads";
  const bool feeds = s.choice(key::kFeed) == "per-iteration";

  begin_script(code);
  code.script(0, "device = 'cuda'\nlosses = []\n");
  code.script(0, "# Fisher's iris measurements, scaled to [0, 1]: the 120 training rows");
  code.script(0, rows_in_python());
  code.script(0, R"(

class MLP(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.layer1 = nn.Linear(inputs, hidden)
        self.layer2 = nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.layer2(torch.relu(self.layer1(x)))

)");
  if (feeds) {
    code.script(0, R"(
def make_batch(rows, pin_memory):
    x, t = torch.empty(rows, 4, pin_memory=pin_memory), torch.empty(rows, dtype=torch.int64, pin_memory=pin_memory)
    return x.copy_(features[:rows]), t.copy_(classes[:rows])

)");
  }
  code.line(0, "X, y = features.to(device), classes.to(device)", {"set up"});
  code.more(0, moved ? "model = MLP(4, 10, 3).to(device)" : "model = MLP(4, 10, 3)  # not moved");
  if (!feeds || graphed(code)) code.script(0, "X, y = X[:$batch_size], y[:$batch_size]");
  if (hooked) write_hook(code, through_call && moved);
  code.line(0, "optimizer = torch.optim.SGD(model.parameters(), lr=0.01)");
  if (graphed(code)) {
    begin_graph(code);
    code.line(0, "def step():");
    code.line(1, through_call ? "outputs = model(X)" : "outputs = model.forward(X)", {"forward"});
    write_training(code);
    code.line(1, "return loss");
  }
  code.script(0, "epochs = iterations");
  code.line(0, "for epoch in range(epochs):");
  begin_iteration(code, 1, "epoch");
  if (feeds) {
    code.line(1, "x, t = make_batch($batch_size, pin_memory=$pinned)", {"make batch"});
    code.line(1, copy_of_batch(code, "X", "x", "device"), {"copy"});
    code.more(1, copy_of_batch(code, "y", "t", "device"));
  }
  if (graphed(code)) {
    if (hooked) code.script(1, "note('hook_calls', calls)");
    write_graph(code, "epoch");
    write_reads(code);
    code.synchronize(0);
    return end_script(code);
  }
  const char* outputs = through_call ? "outputs = model(X)" : "outputs = model.forward(X)  # no hooks";
  if (!moved) {
    code.line(1, "try:");
    code.line(2, outputs, {"forward"});
    code.line(1, "except RuntimeError as error:");
    code.line(2, "print(error)", {kWrongDevice});
    code.script(2, "note('errors', 1)");
    if (hooked) code.script(2, "note('hook_calls', 0)");
    code.line(2, "continue");
  } else {
    code.line(1, outputs, {"forward"});
    if (hooked) code.script(1, "note('hook_calls', calls)\ncalls = 0");
  }
  write_training(code);
  write_reads(code);
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
