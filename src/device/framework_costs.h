// What the statements of eager PyTorch cost the CPU beside the CUDA calls they make: Python, the dispatcher, autograd.
// `lanescope calibrate --torch` measures them. Without them, every launch has the same cost and nothing else costs
// time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanescope::device {

enum class FrameworkCall : std::uint8_t {
  Op,                    ///< an element-wise operation
  Linear,                ///< nn.Linear's forward pass
  Relu,                  ///< torch.relu()
  MseLoss,               ///< F.mse_loss() without its mean
  CrossEntropy,          ///< F.cross_entropy()
  Reduce,                ///< .mean(), .sum()
  Backward,              ///< .backward() of nothing: the call and the first gradient
  Node,                  ///< backward: an element-wise operation
  LinearBackward,        ///< backward: one of nn.Linear's three kernels
  MseBackward,           ///< backward: of F.mse_loss()
  CrossEntropyBackward,  ///< backward: of F.cross_entropy()
  Accumulate,            ///< backward: adds to a gradient that is there already
  Step,                  ///< SGD's step() of no parameter
  StepParameter,         ///< for each parameter
  ZeroGrad,              ///< zero_grad() of no parameter
  ZeroGradParameter,     ///< for each parameter
  View,                  ///< x[a:b]
  Empty,                 ///< torch.empty() on the CPU
  EmptyPinned,           ///< torch.empty(pin_memory=True), from the cache
  Random,                ///< .uniform_() on the CPU
  RandomPerMib,          ///< for each MiB
  To,                    ///< .to(), .cpu()
  ToNonBlocking,         ///< .to(non_blocking=True)
  Item,                  ///< .item()
  Sleep,                 ///< torch.cuda._sleep()
  EventRecord,           ///< event.record()
  Synchronize,           ///< torch.cuda.synchronize()
  Replay,                ///< g.replay()
  Print,                 ///< print(loss), beside its operations and reads
  AddScalar,             ///< writer.add_scalar() of a number that is on the CPU
};
inline constexpr std::size_t kFrameworkCalls = static_cast<std::size_t>(FrameworkCall::AddScalar) + 1;

/// The keys of a profile's tables [pytorch] and [pytorch_cpu], by FrameworkCall.
inline constexpr auto kFrameworkKeys = std::to_array<std::string_view>({
    "op_us",
    "linear_us",
    "relu_us",
    "mse_loss_us",
    "cross_entropy_us",
    "reduce_us",
    "backward_us",
    "node_us",
    "linear_backward_us",
    "mse_backward_us",
    "cross_entropy_backward_us",
    "accumulate_us",
    "step_us",
    "step_parameter_us",
    "zero_grad_us",
    "zero_grad_parameter_us",
    "view_us",
    "empty_us",
    "empty_pinned_us",
    "random_us",
    "random_us_per_mib",
    "to_us",
    "to_non_blocking_us",
    "item_us",
    "sleep_us",
    "event_record_us",
    "synchronize_us",
    "replay_us",
    "print_us",
    "add_scalar_us",
});
static_assert(kFrameworkKeys.size() == kFrameworkCalls);

/// In microseconds.
struct FrameworkCosts {
  static constexpr double kNone = -1;

  FrameworkCosts() { us.fill(kNone); }
  double of(FrameworkCall call) const { return us[static_cast<std::size_t>(call)]; }
  bool known() const { return us[0] != kNone; }

  std::array<double, kFrameworkCalls> us{};
};

}  // namespace lanescope::device
