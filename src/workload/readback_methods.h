// What readback.cpp and readback_code.cpp share: the methods, and the settings as values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "workload/common_settings.h"
#include "workload/graphed_step.h"
#include "workload/settings.h"

namespace lanescope::workload {

enum class ReadMethod : std::uint8_t {
  None,
  Item,
  Bool,
  Print,
  FString,
  TensorBoard,
  ListOfItems,
  Stacked,
  Accumulate,
  Pageable,
  OneStepLate,
  Unsafe,
};
// In the order of the enumerators.
inline constexpr std::array<std::string_view, 12> kReadMethods{
    "none",          choice::kItem,    "bool",       choice::kPrint, choice::kFstring,     "tensorboard",
    "list-of-items", choice::kStacked, "accumulate", "pageable",     choice::kOneStepLate, "unsafe"};

inline constexpr std::size_t kMostKept = 10'000;  // losses on the device: the largest window
inline constexpr float kGoodEnough = 0.1f;        // S2: if loss < 0.1: break

struct ReadbackSettings {
  explicit ReadbackSettings(const Settings& settings)
      : method(static_cast<ReadMethod>(
            std::find(kReadMethods.begin(), kReadMethods.end(), settings.choice(key::kMethod)) - kReadMethods.begin())),
        log_interval(static_cast<std::uint64_t>(settings.integer(key::kLogInterval))),
        window(static_cast<std::uint64_t>(settings.integer("window"))),
        validation(settings.boolean("validation")),
        sync_debug(settings.choice("sync_debug") == "warn"),
        write_us(settings.real("write_us")),
        model_us(settings.real("model_us")),
        batch_size(static_cast<std::int32_t>(settings.integer(key::kBatchSize))),
        dispatch_us(settings.real(key::kDispatchUs)),
        seed(static_cast<std::uint64_t>(settings.integer("seed"))),
        graphed(uses_graph(settings)) {}

  ReadMethod method;
  std::uint64_t log_interval;
  std::uint64_t window;
  bool validation;
  bool sync_debug;
  double write_us;
  double model_us;
  std::int32_t batch_size;
  double dispatch_us;
  std::uint64_t seed;
  bool graphed;
};

}  // namespace lanescope::workload
