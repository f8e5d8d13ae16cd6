// PyTorch's costs from the output of the program that measures them.
#include "calibration/calibrate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"

namespace lanescope::calibration {
namespace {

using device::sim::DeviceProfile;

// A launch 4, a copy 3, both parts of a wait 1 each; a graph 2 and 0.5 for each node; an op on the CPU 0.2.
DeviceProfile machine() {
  DeviceProfile profile;
  profile.numbers = {{"cpu.launch_us", 4, "measured"},       {"cpu.memcpy_us", 3, "measured"},
                     {"cpu.sync_us", 1, "measured"},         {"cpu.idle_return_us", 1, "measured"},
                     {"cpu.graph_launch_us", 2, "measured"}, {"cpu.graph_node_us", 0.5, "measured"},
                     {"cpu.op_us", 0.2, "measured"}};
  return profile;
}

/// All costs 10 us without a call, but for `other`.
std::string output(const std::string& device, const std::map<std::string, std::string>& other) {
  std::string text;
  for (const std::string_view key : device::kFrameworkKeys) {
    const auto found = other.find(std::string(key));
    text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", key,
                        found == other.end() ? "[10, 0, 0, 0]" : found->second);
  }
  return fmt::format("{{\"torch\": \"2.11\", \"costs\": {{\"{}\": {{{}}}}}}}\n", device, text);
}

std::map<std::string, double> torch_numbers_of(const DeviceProfile& profile) {
  std::map<std::string, double> numbers;
  for (const DeviceProfile::Number& n : profile.numbers) numbers[n.key] = n.value;
  return numbers;
}

TEST(TorchCosts, TheCallsInAStatementAreSubtracted) {
  DeviceProfile profile = machine();
  add_torch_costs(profile,
                  "a warning\n" + output("cuda", {{"op_us", "[14.5, 1, 0, 0]"},
                                                  {"cross_entropy_us", "[40, 2, 0, 0]"},
                                                  {"item_us", "[12.75, 0, 1, 1]"},
                                                  {"replay_us", "[15, 16, 0, 0]"},
                                                  {"node_us", "[3, 1, 0, 0]"}}),
                  "2026-01-02");
  std::map<std::string, double> found = torch_numbers_of(profile);
  EXPECT_EQ(found["pytorch.op_us"], 10.5);
  EXPECT_EQ(found["pytorch.cross_entropy_us"], 32);
  EXPECT_EQ(found["pytorch.item_us"], 7.75);  // 12.75 - 3 - 2
  EXPECT_EQ(found["pytorch.replay_us"], 5);   // 15 - 2 - 16 * 0.5
  EXPECT_EQ(found["pytorch.node_us"], 0);     // not less than nothing
  EXPECT_EQ(found["pytorch.step_us"], 10);
  EXPECT_FALSE(found.contains("pytorch_cpu.op_us"));
  EXPECT_EQ(profile.numbers.back().source,
            "measured with PyTorch 2.11, 2026-01-02: the CPU time of the statement, less its calls");
}

TEST(TorchCosts, APyTorchKernelIsTheSmallestKernel) {
  DeviceProfile profile = machine();
  profile.numbers.push_back({"gpu.kernel_floor_us", 1.75, "measured: this program's"});
  std::string text = output("cuda", {});
  add_torch_costs(profile, text, "2026-11-25");
  EXPECT_EQ(torch_numbers_of(profile).at("gpu.kernel_floor_us"), 1.75) << "not measured";
  text.insert(1, "\"kernel_us\": 3.4567, ");
  profile = machine();
  profile.numbers.push_back({"gpu.kernel_floor_us", 1.75, "measured: this program's"});
  add_torch_costs(profile, text, "2026-11-25");
  EXPECT_EQ(torch_numbers_of(profile).at("gpu.kernel_floor_us"), 3.457);
}

TEST(TorchCosts, OnACpuTheOperationsAreSubtracted) {
  DeviceProfile profile = machine();
  add_torch_costs(profile, output("cpu", {{"cross_entropy_us", "[6, 2, 0, 0]"}}), "2026-01-02");
  EXPECT_EQ(torch_numbers_of(profile)["pytorch_cpu.cross_entropy_us"], 5.6);
}

TEST(TorchCosts, WhatIsNotTheProgramsOutputIsRefused) {
  const auto refusal = [](const std::string& text) {
    DeviceProfile profile = machine();
    try {
      add_torch_costs(profile, text, "2026-01-02");
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(""), "PyTorch's costs cannot be read: no JSON");
  EXPECT_EQ(refusal("[]"), "PyTorch's costs cannot be read: no JSON");
  EXPECT_EQ(refusal(output("cuda", {{"step_us", "\"x\""}})),
            "PyTorch's costs cannot be read: cuda has no cost 'step_us'");
  EXPECT_EQ(refusal(output("cpu", {{"op_us", "[1, 2]"}})), "PyTorch's costs cannot be read: cpu has no cost 'op_us'");
}

TEST(TorchCosts, TheProgramPrintsEveryKey) {
  const std::string program(torch_costs_program());
  for (const std::string_view key : device::kFrameworkKeys) {
    const std::string name(key.ends_with("_us") ? key.substr(0, key.size() - 3) : key);
    EXPECT_THAT(program, testing::HasSubstr(fmt::format("'{}'", name)));
  }
}

}  // namespace
}  // namespace lanescope::calibration
