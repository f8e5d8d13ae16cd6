#include "workload/common_settings.h"

#include <algorithm>
#include <utility>

#include "base/translate.h"
#include "trace/run_facts.h"

namespace lanescope::workload {

namespace {

NoEffect no_copies() {
  return {{{key::kFeed, std::string("resident")}}, N_("no batch is copied while the feed is resident")};
}

}  // namespace

SettingSpec log_interval_setting(std::int64_t standard) {
  return {.key = key::kLogInterval,
          .label = N_("Log interval"),
          .help = N_("Iterations from one read of the loss to the next; 0: never. Each read makes the CPU wait."),
          .type = SettingType::Integer,
          .standard = standard,
          .minimum = 0,
          .maximum = 100'000,
          .logarithmic = true,
          .stops = {0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000},
          .zero_is_never = true,
          .sweep_priority = 4,
          .action = SettingAction::ReadInterval};
}

SettingSpec feed_setting(std::string standard) {
  return {.key = key::kFeed,
          .label = N_("Feed"),
          .help = N_(
              "resident: the data stays on the GPU; per-iteration: a fresh host batch is made and copied each time."),
          .type = SettingType::Choice,
          .standard = std::move(standard),
          .choices = {"resident", "per-iteration"},
          .action = SettingAction::Feed};
}

SettingSpec pinned_setting() {
  return {.key = key::kPinned,
          .label = N_("Pinned memory"),
          .help = N_("The host batch is in page-locked memory, from which the GPU copies directly."),
          .type = SettingType::Bool,
          .standard = false,
          .action = SettingAction::Pinned,
          .no_effect_when = {no_copies()}};
}

SettingSpec non_blocking_setting() {
  return {.key = key::kNonBlocking,
          .label = N_("Non-blocking copy"),
          .help = N_("Copying the batch does not make the CPU wait; this needs pinned memory to be effective."),
          .type = SettingType::Bool,
          .standard = false,
          .action = SettingAction::NonBlocking,
          .no_effect_when = {no_copies()}};
}

SettingSpec batch_size_setting(const BatchLimits& batch) {
  return {.key = key::kBatchSize,
          .label = N_("Batch size"),
          .help = N_("Rows per iteration: more rows mean more work per launch."),
          .type = SettingType::Integer,
          .standard = batch.standard,
          .minimum = 1,
          .maximum = static_cast<double>(batch.maximum),
          .logarithmic = batch.maximum > 1000,
          .sweep_priority = 1};
}

SettingSpec dispatch_setting(const device::DeviceInfo& device) {
  return {.key = key::kDispatchUs,
          .label = N_("Dispatch cost"),
          .help = N_("The framework's own CPU time per operation: 0 for bare C++, about 10 for eager PyTorch on Linux. "
                     "All of a profile's costs of PyTorch are scaled with it."),
          .type = SettingType::Real,
          .standard = device.dispatch_us,
          .minimum = 0,
          .maximum = std::max(200.0, device.dispatch_us),  // a user's own profile may be slower
          .unit = "µs",
          .of_device = true,
          .examples = N_("0 bare C++ · 10 PyTorch · 30 WSL2")};
}

SettingSpec seed_setting() {
  return {.key = "seed",
          .label = N_("Seed"),
          .help = N_("Seed of the random weights; changing it initialises them again."),
          .type = SettingType::Integer,
          .standard = std::int64_t{1},
          .minimum = 0,
          .maximum = 2'147'483'647};
}

SettingSpec model_us_setting() {
  return {.key = "model_us",
          .label = N_("Model's GPU time"),
          .help = N_("How long the GPU is busy with the model in each iteration."),
          .type = SettingType::Real,
          .standard = 500.0,
          .minimum = 0,
          .maximum = 100'000,
          .unit = "µs"};
}

Settings training_settings(const device::DeviceInfo& device, const BatchLimits& batch) {
  return Settings({log_interval_setting(1), feed_setting("resident"), pinned_setting(), non_blocking_setting(),
                   batch_size_setting(batch), dispatch_setting(device), seed_setting()});
}

double batch_size_of(const Settings& settings) {
  if (!settings.spec(key::kBatchSize)) return 0;
  const auto batch = static_cast<double>(settings.integer(key::kBatchSize));
  const auto text_of = [&](const char* key) {
    return settings.spec(key) ? to_text(settings.value(key)) : std::string();
  };
  return trace::batch_tells_work(text_of) ? batch : -batch;
}

std::int64_t reads_period(const Settings& settings) {
  constexpr std::int64_t kRare = 100;
  const std::int64_t every = settings.spec(key::kLogInterval) ? settings.integer(key::kLogInterval) : 1;
  return every < kRare ? std::max<std::int64_t>(1, every) : 1;
}

TrainingSettings::TrainingSettings(const Settings& settings)
    : log_interval(static_cast<std::uint64_t>(settings.integer(key::kLogInterval))),
      feed_each_iteration(settings.choice(key::kFeed) == "per-iteration"),
      pinned(settings.boolean(key::kPinned)),
      non_blocking(settings.boolean(key::kNonBlocking)),
      batch_size(static_cast<std::int32_t>(settings.integer(key::kBatchSize))),
      dispatch_us(settings.real(key::kDispatchUs)),
      seed(static_cast<std::uint64_t>(settings.integer("seed"))) {}

}  // namespace lanescope::workload
