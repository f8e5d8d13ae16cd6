#include <bit>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager.h"
#include "workload/graphed_step.h"
#include "workload/program.h"
#include "workload/workloads.h"

namespace lanescope::workload {
namespace {

using ops::Op;
using ops::OpKind;

constexpr BatchLimits kControlFlowBatch{.standard = 128, .maximum = 1024};
constexpr std::uint64_t kMostChecks = 100;

struct ControlFlowOptions {
  explicit ControlFlowOptions(const Settings& settings)
      : while_loop(settings.choice("network") == "while-loop"),
        data_dependent(settings.choice(key::kBranch) == "data-dependent"),
        checks(static_cast<std::size_t>(settings.integer("checks"))),
        batch_size(static_cast<std::int32_t>(settings.integer(key::kBatchSize))),
        log_interval(static_cast<std::uint64_t>(settings.integer(key::kLogInterval))),
        dispatch_us(settings.real(key::kDispatchUs)),
        seed(static_cast<std::uint64_t>(settings.integer("seed"))),
        graphed(uses_graph(settings)) {}

  bool while_loop, data_dependent;
  std::size_t checks;
  std::int32_t batch_size;
  std::uint64_t log_interval;
  double dispatch_us;
  std::uint64_t seed;
  bool graphed;
};

/// What happened in the branches of a forward pass.
struct Counts {
  std::uint64_t checks = 0, taken = 0;
};

/// nn.Linear(inputs, outputs) with its gradients, which are never reset to zero.
class Linear {
 public:
  Linear(std::int32_t inputs, std::int32_t outputs) : inputs_(inputs), outputs_(outputs) {}

  void allocate(Eager& eager) {
    for (Tensor* t : {&weight_, &weight_grad_, &weight_sum_, &new_weight_grad_}) {
      *t = eager.tensor(elements(outputs_, inputs_));
    }
    for (Tensor* t : {&bias_, &bias_grad_, &bias_sum_, &new_bias_grad_}) *t = eager.tensor(elements(1, outputs_));
  }

  /// Initialises like nn.Linear, with an offset for the bias.
  void initialise(Eager& eager, base::Random& random, float bias_offset) const {
    const float bound = 1.0f / std::sqrt(static_cast<float>(inputs_));
    for (const auto& [parameter, offset] : {std::pair(weight_, 0.0f), std::pair(bias_, bias_offset)}) {
      const HostTensor values = eager.host_tensor(parameter.elements, false);
      for (float& value : eager.values(values)) value = offset + random.uniform(bound);
      eager.host_wrote(values);
      eager.copy_to_device(parameter, values, parameter.elements, false);
      eager.drop(values);
    }
  }

  void forward(Eager& eager, std::int32_t batch, const Tensor& x, const Tensor& out) const {
    eager.launch(Op{OpKind::LinearForward, batch, outputs_, inputs_}, {x, weight_, bias_, out});
  }

  /// The gradients of one use of the layer; those of several uses in a pass are summed first.
  void backward(Eager& eager, std::int32_t batch, const Tensor& x, const Tensor& out_grad, const Tensor* x_grad) {
    // The very first gradients become .grad directly.
    const Tensor& weight_to = has_sum_ ? new_weight_grad_ : has_grads_ ? weight_sum_ : weight_grad_;
    const Tensor& bias_to = has_sum_ ? new_bias_grad_ : has_grads_ ? bias_sum_ : bias_grad_;
    if (x_grad != nullptr) {
      eager.launch(Op{OpKind::LinearInputGrad, batch, outputs_, inputs_}, {out_grad, weight_, *x_grad});
    }
    eager.launch(Op{OpKind::LinearWeightGrad, batch, outputs_, inputs_}, {out_grad, x, weight_to});
    eager.launch(Op{OpKind::LinearBiasGrad, batch, outputs_}, {out_grad, bias_to});
    if (has_sum_) {
      add(eager, has_grads_ ? weight_sum_ : weight_grad_, weight_to, has_grads_ ? bias_sum_ : bias_grad_, bias_to);
    }
    has_sum_ = true;
  }

  /// AccumulateGrad: called after all uses in this pass.
  void accumulate(Eager& eager) {
    if (has_grads_ && has_sum_) add(eager, weight_grad_, weight_sum_, bias_grad_, bias_sum_);
    has_grads_ = has_grads_ || has_sum_;
    has_sum_ = false;
  }

 private:
  void add(Eager& eager, const Tensor& weight_to, const Tensor& weight_from, const Tensor& bias_to,
           const Tensor& bias_from) const {
    eager.launch(Op{OpKind::AddInPlace, outputs_, inputs_}, {weight_to, weight_from});
    eager.launch(Op{OpKind::AddInPlace, 1, outputs_}, {bias_to, bias_from});
  }

  const std::int32_t inputs_, outputs_;
  Tensor weight_, bias_, weight_grad_, bias_grad_, weight_sum_, bias_sum_, new_weight_grad_, new_bias_grad_;
  bool has_grads_ = false;
  bool has_sum_ = false;  // in this pass
};

/// Common to both networks: a batch that stays on the GPU, the tested sum, and the loss.
class Network {
 public:
  Network(device::Device& device, bool compute, std::int32_t inputs, std::int32_t outputs)
      : eager_(device, compute), inputs_(inputs), outputs_(outputs) {}
  virtual ~Network() = default;

  Eager& eager() { return eager_; }
  GraphedStep& graph() { return graph_; }
  std::int32_t capacity() const { return capacity_; }
  bool ready_for(const ControlFlowOptions& o) const {
    return o.seed == seed_ && o.batch_size <= capacity_ && has_layers(o);
  }
  void adapt(const ControlFlowOptions& o);
  virtual Counts forward(const ControlFlowOptions& o) = 0;
  void loss(const ControlFlowOptions& o);
  float read_loss() { return eager_.item(loss_); }
  virtual void backward(const ControlFlowOptions& o) = 0;

 protected:
  virtual void allocate() = 0;
  virtual void initialise(base::Random& random) = 0;
  virtual void make_room(std::int32_t rows) = 0;
  virtual bool has_layers(const ControlFlowOptions&) const { return true; }
  virtual void make_layers(const ControlFlowOptions&) {}
  virtual const Tensor& output(const ControlFlowOptions& o) const = 0;

  /// x.sum().item() > limit
  bool sum_exceeds(const ControlFlowOptions& o, const Tensor& x, std::int32_t columns, float limit, Counts& counts) {
    ++counts.checks;
    eager_.launch(Op{OpKind::SumReduce, o.batch_size, columns}, {x, sum_});
    const bool taken = eager_.item(sum_) > limit;
    if (taken) ++counts.taken;
    return taken;
  }
  /// x = x / 2
  void halve(const ControlFlowOptions& o, const Tensor& x, std::int32_t columns) {
    eager_.launch(Op{OpKind::Scale, o.batch_size, columns, 1, 0.5f}, {x, x});
  }
  void loss_backward(const ControlFlowOptions& o, const Tensor& output_grad) {
    eager_.launch(Op{OpKind::Fill, 1, 1, 1, 1.0f}, {loss_grad_});
    eager_.launch(Op{OpKind::MseBackward, o.batch_size, outputs_}, {loss_grad_, output(o), target_, output_grad});
  }

  Eager eager_;
  GraphedStep graph_{eager_};
  Tensor data_;

 private:
  void copy_batch(const ControlFlowOptions& o);

  const std::int32_t inputs_, outputs_;
  Tensor target_, squares_, sum_, loss_, loss_grad_;
  bool allocated_ = false;
  std::int32_t capacity_ = 0;  // capacity of the batch's tensors, in rows
  std::uint64_t seed_ = 0;
};

void Network::adapt(const ControlFlowOptions& o) {
  if (!allocated_) {
    allocate();
    for (Tensor* t : {&sum_, &loss_, &loss_grad_}) *t = eager_.tensor(1);
  }
  // The capacity is a power of two, so that dragging the batch size slider causes only a few allocations. Tensors that
  // become too small stay allocated, as in PyTorch's caching allocator.
  const bool grows = o.batch_size > capacity_;
  if (grows) {
    capacity_ = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(o.batch_size)));
    data_ = eager_.tensor(elements(capacity_, inputs_));
    for (Tensor* t : {&target_, &squares_}) *t = eager_.tensor(elements(capacity_, outputs_));
    make_room(capacity_);
  }
  if (!allocated_ || o.seed != seed_) {
    base::Random random(o.seed);
    initialise(random);
  }
  if (grows || o.seed != seed_) copy_batch(o);
  make_layers(o);
  seed_ = o.seed;
  allocated_ = true;
}

void Network::copy_batch(const ControlFlowOptions& o) {
  base::Random random(o.seed + 1);
  for (const Tensor& tensor : {data_, target_}) {
    const HostTensor values = eager_.host_tensor(tensor.elements, false);
    for (float& value : eager_.values(values)) value = random.uniform(1.0f);
    eager_.host_wrote(values);
    eager_.copy_to_device(tensor, values, tensor.elements, false);
    eager_.drop(values);
  }
}

void Network::loss(const ControlFlowOptions& o) {
  eager_.launch(Op{OpKind::MseForward, o.batch_size, outputs_}, {output(o), target_, squares_});
  eager_.launch(Op{OpKind::MeanReduce, o.batch_size, outputs_}, {squares_, loss_});
}

/// One Linear(1000, 1000), applied `checks` times. Too large to compute in real time, so only its time is modelled.
class IfEachLayer final : public Network {
 public:
  explicit IfEachLayer(device::Device& device) : Network(device, false, kWidth, kWidth) {}

  Counts forward(const ControlFlowOptions& o) override {
    Counts counts;
    halved_.assign(o.checks, false);
    for (std::size_t i = 0; i < o.checks; ++i) {
      fc_.forward(eager_, o.batch_size, input(i), outputs_[i]);
      if (!o.data_dependent || !sum_exceeds(o, outputs_[i], kWidth, 1000, counts)) continue;
      halve(o, outputs_[i], kWidth);
      halved_[i] = true;
    }
    return counts;
  }

  void backward(const ControlFlowOptions& o) override {
    if (o.checks == 0) return;  // no parameter contributes to the loss
    loss_backward(o, grads_[0]);
    std::size_t now = 0;
    for (std::size_t i = o.checks; i-- > 0;) {
      if (halved_[i]) halve(o, grads_[now], kWidth);
      fc_.backward(eager_, o.batch_size, input(i), grads_[now], i > 0 ? &grads_[1 - now] : nullptr);
      now = 1 - now;
    }
    fc_.accumulate(eager_);
  }

 private:
  static constexpr std::int32_t kWidth = 1000;

  void allocate() override { fc_.allocate(eager_); }
  void initialise(base::Random& random) override { fc_.initialise(eager_, random, 0); }
  void make_room(std::int32_t rows) override {
    rows_ = rows;
    for (Tensor& t : grads_) t = eager_.tensor(elements(rows, kWidth));
    for (Tensor& t : outputs_) t = eager_.tensor(elements(rows, kWidth));
  }
  bool has_layers(const ControlFlowOptions& o) const override { return outputs_.size() >= o.checks; }
  void make_layers(const ControlFlowOptions& o) override {
    while (outputs_.size() < o.checks) outputs_.push_back(eager_.tensor(elements(rows_, kWidth)));
  }
  const Tensor& input(std::size_t layer) const { return layer == 0 ? data_ : outputs_[layer - 1]; }
  const Tensor& output(const ControlFlowOptions& o) const override { return input(o.checks); }

  Linear fc_{kWidth, kWidth};
  std::vector<Tensor> outputs_;  // of each application, for the next one's backward pass
  std::vector<bool> halved_;
  Tensor grads_[2];
  std::int32_t rows_ = 0;
};

/// Linear(100, 100), a loop of divisions, Linear(100, 10): small enough to compute real values, which end the loop.
class WhileLoop final : public Network {
 public:
  explicit WhileLoop(device::Device& device) : Network(device, true, kWidth, kOutputs) {}

  Counts forward(const ControlFlowOptions& o) override {
    Counts counts;
    fc1_.forward(eager_, o.batch_size, data_, hidden_);
    divisions_ = o.data_dependent ? 0 : o.checks;
    if (o.data_dependent) {
      // Guards against a sum that never falls below 1 (it may be infinite).
      while (counts.checks < kMostChecks && sum_exceeds(o, hidden_, kWidth, 1, counts)) {
        halve(o, hidden_, kWidth);
        ++divisions_;
      }
    } else {
      for (std::size_t i = 0; i < divisions_; ++i) halve(o, hidden_, kWidth);
    }
    fc2_.forward(eager_, o.batch_size, hidden_, output_);
    return counts;
  }

  void backward(const ControlFlowOptions& o) override {
    loss_backward(o, output_grad_);
    fc2_.backward(eager_, o.batch_size, hidden_, output_grad_, &hidden_grad_);
    fc2_.accumulate(eager_);
    for (std::size_t i = 0; i < divisions_; ++i) halve(o, hidden_grad_, kWidth);
    fc1_.backward(eager_, o.batch_size, data_, hidden_grad_, nullptr);
    fc1_.accumulate(eager_);
  }

 private:
  static constexpr std::int32_t kWidth = 100;
  static constexpr std::int32_t kOutputs = 10;
  // The sum over 32 rows then starts at about 32 x 100 x 0.225 = 720, so that the loop ends after ten divisions, as in
  // the tutorial. Without an offset, every second seed would start below zero.
  static constexpr float kBiasOffset = 0.225f;

  void allocate() override {
    fc1_.allocate(eager_);
    fc2_.allocate(eager_);
  }
  void initialise(base::Random& random) override {
    fc1_.initialise(eager_, random, kBiasOffset);
    fc2_.initialise(eager_, random, 0);
  }
  void make_room(std::int32_t rows) override {
    for (Tensor* t : {&hidden_, &hidden_grad_}) *t = eager_.tensor(elements(rows, kWidth));
    for (Tensor* t : {&output_, &output_grad_}) *t = eager_.tensor(elements(rows, kOutputs));
  }
  const Tensor& output(const ControlFlowOptions&) const override { return output_; }

  Linear fc1_{kWidth, kWidth}, fc2_{kWidth, kOutputs};
  Tensor hidden_, hidden_grad_, output_, output_grad_;
  std::size_t divisions_ = 0;
};

class ControlFlow final : public Workload {
 public:
  explicit ControlFlow(device::Device& device)
      : info_(control_flow_info()),
        if_each_layer_(device),
        while_loop_(device),
        syncs_(figures().add("syncs_in_forward", N_("synchronisations in the forward pass"), "")),
        checks_(figures().add("branch_checks", N_("values read to decide a branch"), "")),
        taken_(figures().add("branches_taken", N_("branches taken"), "")) {}

  const WorkloadInfo& info() const override { return info_; }
  void set_up(const Settings& settings) override {
    const ControlFlowOptions o(settings);
    adapt(o);
    network(o).eager().synchronize();
  }
  void iterate(std::uint64_t number, const Settings& settings) override;
  void finish() override { while_loop_.eager().synchronize(); }

 private:
  Network& network(const ControlFlowOptions& o) {
    if (o.while_loop) return while_loop_;
    return if_each_layer_;
  }
  void adapt(const ControlFlowOptions& o) {
    Network& n = network(o);
    n.eager().set_dispatch_us(o.dispatch_us);
    if (n.ready_for(o)) return;
    const Phase phase(n.eager(), "set up");
    n.adapt(o);
  }

  const WorkloadInfo info_;
  IfEachLayer if_each_layer_;
  WhileLoop while_loop_;
  const std::size_t syncs_, checks_, taken_;
};

void ControlFlow::iterate(std::uint64_t number, const Settings& settings) {
  const ControlFlowOptions o(settings);
  adapt(o);
  Network& n = network(o);
  Counts counts;
  const auto to_the_loss = [&] {
    {
      const Phase phase(n.eager(), "forward");
      counts = n.forward(o);
    }
    const Phase phase(n.eager(), "loss");
    n.loss(o);
  };
  const auto read = [&] {
    if (o.log_interval == 0 || number % o.log_interval != 0) return;
    const Phase phase(n.eager(), "item()", trace::RangeKind::Read);
    const float loss = n.read_loss();
    if (o.while_loop) loss_was_read(loss);  // the other network is timing only
  };
  const auto backward = [&] {
    const Phase phase(n.eager(), "backward");
    const Backward inside(n.eager());
    n.backward(o);
  };
  if (o.graphed) {
    n.graph().run({o.batch_size, n.capacity(), static_cast<std::int64_t>(o.checks)}, [&] {
      to_the_loss();
      backward();
    });
    read();
  } else {
    to_the_loss();
    read();
    backward();
  }
  figures().sample(syncs_, static_cast<double>(counts.checks));  // each read waits once
  figures().sample(checks_, static_cast<double>(counts.checks));
  figures().sample(taken_, static_cast<double>(counts.taken));
}

}  // namespace

WorkloadInfo control_flow_info() {
  return {
      .name = "control-flow",
      .title = N_("An if that asks the GPU"),
      .summary =
          N_("The model decides its next step by a value that is on the GPU. To read it, the CPU waits until the GPU "
             "has nothing left to do, in every layer or every turn of the loop. Set the branch to fixed: the same "
             "layers run without a single wait, because the CPU knows beforehand what to launch."),
      .experiments = N_("P11 to P13"),
      .published = {{N_("if in every layer, 100 iterations"), N_("about 15 s")},
                    {N_("synchronisations of the while loop"), N_("\"320\"; there are about 11")}},
      .code = shown_code(write_control_flow, control_flow_settings({})),
      .computes_values = true,
  };
}

Settings control_flow_settings(const device::DeviceInfo& device) {
  const SettingSpec branch{.key = key::kBranch,
                           .label = N_("Branch"),
                           .help = N_("data-dependent: a value is read from the GPU to decide; fixed: it is decided "
                                      "beforehand."),
                           .type = SettingType::Choice,
                           .standard = std::string("data-dependent"),
                           .choices = {"data-dependent", choice::kFixedBranch}};
  const SettingSpec network{
      .key = "network",
      .label = N_("Network"),
      .help = N_("if-each-layer: Linear(1000, 1000) again and again, with an if after each, timing "
                 "only; while-loop: two small layers with a loop between them, and real values."),
      .type = SettingType::Choice,
      .standard = std::string("if-each-layer"),
      .choices = {"if-each-layer", "while-loop"}};
  const SettingSpec checks{.key = "checks",
                           .label = N_("Checks"),
                           .help = N_("Number of layers with an if, or of divisions in a fixed loop. A data-dependent "
                                      "while loop decides for itself."),
                           .type = SettingType::Integer,
                           .standard = std::int64_t{10},
                           .minimum = 0,
                           .maximum = static_cast<double>(kMostChecks)};
  const SettingSpec cuda_graph = cuda_graph_setting(
      device, {{{{.key = key::kBranch, .value = std::string("data-dependent")}},
                N_("the branch reads a value in the step, and PyTorch then raises \"operation not permitted when "
                   "stream is capturing\"")}});
  return Settings({branch, network, checks, batch_size_setting(kControlFlowBatch), log_interval_setting(0), cuda_graph,
                   dispatch_setting(device), seed_setting()});
}

std::unique_ptr<Workload> make_control_flow(device::Device& device) { return std::make_unique<ControlFlow>(device); }

// --- the program -----------------------------------------------------------------------------------------------------

namespace {

constexpr const char* kNoteCounts =
    "note('syncs_in_forward', checks)\nnote('branch_checks', checks)\nnote('branches_taken', taken)";

/// `asks`: the condition depends on values on the GPU.
void write_while_loop(CodeWriter& code, bool asks) {
  code.line(0, "fc1, fc2 = nn.Linear(100, 100).cuda(), nn.Linear(100, 10).cuda()", {"set up"});
  code.script(0, "nn.init.uniform_(fc1.bias, 0.125, 0.325)  # so that the sum starts above 1\n");
  code.line(0, "def forward(x):");
  code.script(1, "global checks, taken");
  code.line(1, "x = fc1(x)", {"forward"});
  if (asks) {
    code.transfers(1, "while x.sum().item() > 1:", {"forward"});
    code.script(2, "checks, taken = checks + 1, taken + 1");
  } else {
    code.line(1, "for i in range($checks):");
  }
  code.more(2, "x = x / 2");
  if (asks) code.script(1, "checks += 1");
  code.more(1, "return fc2(x)");
}

void write_layers(CodeWriter& code, bool asks) {
  code.line(0, "fc = nn.Linear(1000, 1000).cuda()", {"set up"});
  code.script(0, "");
  code.line(0, "def forward(x):");
  code.script(1, "global checks, taken");
  code.line(1, "for i in range($checks):");
  code.line(2, "x = fc(x)", {"forward"});
  if (asks) {
    code.script(2, "checks += 1");
    code.transfers(2, "if x.sum().item() > 1000:", {"forward"});
    code.script(3, "taken += 1");
    code.more(3, "x = x / 2");
  }
  code.line(1, "return x");
}

}  // namespace

void write_control_flow(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool while_loop = s.choice("network") == "while-loop";
  const bool asks = s.choice(key::kBranch) == "data-dependent";

  begin_script(code);
  code.script(0, "checks = taken = 0");
  while_loop ? write_while_loop(code, asks) : write_layers(code, asks);
  const char* outputs = while_loop ? "10" : "1000";
  const char* inputs = while_loop ? "100" : "1000";
  code.script(0, std::string("\n\ndata = torch.empty($batch_size, ") + inputs +
                     ").uniform_(-1, 1).cuda()\ntarget = torch.empty($batch_size, " + outputs +
                     ").uniform_(-1, 1).cuda()");
  const auto to_the_loss = [&] {
    code.line(1, "output = forward(data)");
    if (!graphed(code)) code.script(1, kNoteCounts);
    code.line(1, "loss = F.mse_loss(output, target)", {"loss"});
  };
  const auto read = [&] {
    if (s.integer(key::kLogInterval) == 0) return;
    code.line(1, "if i % $log_interval == 0:");
    code.line(2, "value = loss.item()", {"item()"});
  };
  const auto backward = [&] {
    if (!while_loop && s.integer("checks") == 0) {
      code.line(1, "# loss.backward(): no parameter is part of the loss");
    } else {
      code.line(1, "loss.backward()", {"backward"});
    }
  };
  if (graphed(code)) {
    begin_graph(code);
    code.line(0, "def step():");
    to_the_loss();
    backward();
    code.line(1, "return loss");
  }
  code.line(0, "for i in range(iterations):");
  begin_iteration(code, 1);
  code.script(1, "checks = taken = 0");
  if (graphed(code)) {
    write_graph(code);
    code.script(1, kNoteCounts);
    read();
  } else {
    to_the_loss();
    read();
    backward();
  }
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
