// The readback workload's code, texts and settings.
#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/readback.h"
#include "workload/readback_methods.h"
#include "workload/setting_keys.h"

namespace lanescope::workload {
namespace {

using Method = ReadMethod;

constexpr BatchLimits kBatch{.standard = 64, .maximum = 4096};

void write_read(CodeWriter& code, const ReadbackSettings& s) {
  const auto at_window = [&](const char* text, const char* range) {
    code.line(2, "losses.append(loss.detach())");
    code.line(1, "if (i + 1) % $window == 0:");
    code.line(2, text, {range});
    code.more(2, "losses.clear()");
  };
  switch (s.method) {
    case Method::None:
      break;
    case Method::Item:
      code.line(2, s.validation ? "total_loss += loss.item()" : "value = loss.item()", {"item()"});
      break;
    case Method::Bool:
      code.line(2, "if loss < 0.1:", {"if loss < 0.1"});
      code.more(3, "break  # not here: this run goes on");
      break;
    case Method::Print:
      code.line(2, "print(loss)", {"print(loss)"});
      break;
    case Method::FString:
      code.line(2, "print(f'{loss:.4f}')", {"f-string"});
      break;
    case Method::TensorBoard:
      code.line(2, "writer.add_scalar('Loss/train', loss, i)", {"add_scalar()"});
      break;
    case Method::ListOfItems:
      at_window("values = [l.item() for l in losses]", "list of items");
      break;
    case Method::Stacked:
      at_window("values = torch.stack(losses).cpu()", "stack().cpu()");
      break;
    case Method::Accumulate:
      code.line(2, "total += loss.detach()", {"total += loss"});
      code.line(1, "if (i + 1) % $window == 0:");
      code.line(2, "total_loss = total.item()", {"total.item()"});
      break;
    case Method::Pageable:
      code.line(2, "host.copy_(loss, non_blocking=True)  # pageable", {"copy to pageable"});
      code.more(2, "value = float(host)");
      break;
    case Method::OneStepLate:
      code.line(2, "pinned[k].copy_(loss, non_blocking=True)", {"copy to pinned"});
      code.more(2, "event[k].record(); now, k = k, 1 - k");
      code.line(1, "if late is not None:  # the copy of the step before");
      code.line(2, "event[late].query() or event[late].synchronize()", {"read one step late"});
      code.more(2, "value = float(pinned[late])");
      code.line(1, "late, now = now, None");
      break;
    case Method::Unsafe:
      code.line(2, "pinned.copy_(loss, non_blocking=True)", {"copy to pinned"});
      code.line(2, "value = float(pinned)  # may not be there", {"read at once"});
      break;
  }
}

}  // namespace

Code readback_code(const Settings& settings) {
  const ReadbackSettings s(settings);
  CodeWriter code(settings);
  code.line(0, "model = nn.Linear(16, 1).cuda()", {"set up"});
  code.more(0, "data, target = samples($batch_size).cuda()");
  if (s.method == Method::OneStepLate) code.more(0, "k, late, now = 0, None, None");
  if (s.sync_debug) code.line(0, "torch.cuda.set_sync_debug_mode('warn')");
  code.line(0, "for i in range(iterations):");
  if (s.validation) {
    code.line(1, "with torch.no_grad():");
    code.line(2, "output = model(data)", {"forward"});
    code.line(2, "loss = F.mse_loss(output, target)", {"loss"});
  } else {
    code.line(1, "optimizer.zero_grad()");
    code.line(1, "output = model(data)", {"forward"});
    code.line(1, "loss = F.mse_loss(output, target)", {"loss"});
    code.line(1, "loss.backward()", {"backward"});
    code.line(1, "optimizer.step()", {"step"});
  }
  if (s.method == Method::Accumulate) {
    code.line(1, "if i % $window == 0:");
    code.line(2, "total = torch.zeros((), device='cuda')", {"zeros()"});
  }
  if (s.method != Method::None) code.line(1, "if i % $log_interval == 0:");
  write_read(code, s);
  code.line(0, "torch.cuda.synchronize()");
  return code.take();
}

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
      .code = plain_text(readback_code(readback_settings({}))),
      .computes_values = true,
  };
}

Settings readback_settings(const device::DeviceInfo& device) {
  const Settings training = training_settings(device, kBatch);
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
  return Settings({method, log_interval, window, validation, model_us, sync_debug, write_us,
                   *training.spec(key::kBatchSize), *training.spec(key::kDispatchUs), *training.spec("seed")});
}

}  // namespace lanescope::workload
