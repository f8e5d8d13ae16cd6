// The readback workload's texts and settings.
#include "base/translate.h"
#include "workload/code/programs.h"
#include "workload/common_settings.h"
#include "workload/graphed_step.h"
#include "workload/readback.h"
#include "workload/readback_methods.h"
#include "workload/setting_keys.h"

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
  const SettingSpec model_us{.key = "model_us",
                             .label = N_("Model's GPU time"),
                             .help = N_("How long the GPU is busy with the model in each iteration."),
                             .type = SettingType::Real,
                             .standard = 500.0,
                             .minimum = 0,
                             .maximum = 100'000,
                             .unit = "µs"};
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
  return Settings({method, log_interval, window, validation, model_us, sync_debug, write_us, cuda_graph,
                   *training.spec(key::kBatchSize), *training.spec(key::kDispatchUs), *training.spec("seed")});
}

}  // namespace lanescope::workload
