#include "calibration/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/translate.h"
#include "lanescope_assets.h"

namespace lanescope::calibration {
namespace {

using base::tr;
using device::sim::DeviceProfile;
using nlohmann::json;

double number(const DeviceProfile& profile, std::string_view key) {
  const auto found = std::find_if(profile.numbers.begin(), profile.numbers.end(),
                                  [&](const DeviceProfile::Number& n) { return n.key == key; });
  return found == profile.numbers.end() ? 0 : found->value;
}

std::string_view last_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::size_t at = text.rfind('\n');
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

}  // namespace

std::string_view torch_costs_program() {
  constexpr std::string_view kProgram = "torch/costs.py";
  const assets::File* file = assets::find(kProgram);
  if (file == nullptr) throw base::Error(tr("{} is not built in", kProgram));
  return file->text;
}

void add_torch_costs(DeviceProfile& profile, std::string_view output, std::string_view date) {
  const auto wrong = [](std::string_view why) { throw base::Error(tr("PyTorch's costs cannot be read: {}", why)); };
  const json read = json::parse(last_line(output), nullptr, false);
  if (!read.is_object() || !read.contains("costs") || !read["costs"].is_object()) wrong(tr("no JSON"));
  const std::string source = fmt::format("measured with PyTorch {}, {}: the CPU time of the statement, less its calls",
                                         read.value("torch", "?"), date);
  const double launch = number(profile, "cpu.launch_us"), copy = number(profile, "cpu.memcpy_us"),
               wait = number(profile, "cpu.sync_us") + number(profile, "cpu.idle_return_us"),
               graph = number(profile, "cpu.graph_launch_us"), node = number(profile, "cpu.graph_node_us"),
               cpu_op = number(profile, "cpu.op_us");
  // PyTorch's kernels are made for every shape and type, and take longer than this program's smallest.
  if (const json kernel = read.value("kernel_us", json()); kernel.is_number() && kernel.get<double>() > 0) {
    for (DeviceProfile::Number& floor : profile.numbers) {
      if (floor.key != "gpu.kernel_floor_us") continue;
      floor.value = std::stod(fmt::format("{:.4g}", kernel.get<double>()));
      floor.source = fmt::format("measured with PyTorch {}, {}: an operation of a small training step in a graph",
                                 read.value("torch", "?"), date);
    }
  }
  for (const auto& [device, table] : {std::pair("cuda", "pytorch"), std::pair("cpu", "pytorch_cpu")}) {
    if (!read["costs"].contains(device)) continue;
    const json& costs = read["costs"][device];
    const bool on_cpu = std::string_view(device) == "cpu";
    for (const std::string_view key : device::kFrameworkKeys) {
      const json cost = costs.value(std::string(key), json());
      if (!cost.is_array() || cost.size() != 4 ||
          !std::all_of(cost.begin(), cost.end(), [](const json& n) { return n.is_number(); })) {
        wrong(tr("{} has no cost '{}'", device, key));
      }
      const double launches = cost[1].get<double>(), copies = cost[2].get<double>(), waits = cost[3].get<double>();
      const double calls = on_cpu               ? launches * cpu_op
                           : key == "replay_us" ? graph + launches * node
                                                : launches * launch + copies * copy + waits * wait;
      const double us = std::max(0.0, cost[0].get<double>() - calls);
      profile.numbers.push_back({fmt::format("{}.{}", table, key), std::stod(fmt::format("{:.4g}", us)), source});
    }
  }
}

}  // namespace lanescope::calibration
