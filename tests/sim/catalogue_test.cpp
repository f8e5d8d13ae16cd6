// The catalogue of a machine with its GPUs disabled. (With GPUs: tests/cuda/catalogue_test.cpp.)
#include "device/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "sim/sim_rig.h"

namespace lanescope::device {
namespace {

// Searched for once per process, so disabled before the first test.
const int kSwitchedOff = setenv("LANESCOPE_CUDA", "off", 1);

TEST(Catalogue, SaysWhyThereIsNoGpu) {
  ASSERT_EQ(kSwitchedOff, 0);
  EXPECT_EQ(why_no_gpu(), "the CUDA back end is switched off (LANESCOPE_CUDA=off)");
  for (const char* id : {"cuda", "cuda:0", "cuda:3"}) {
    try {
      describe_device(id);
      FAIL() << id;
    } catch (const base::Error& e) {
      EXPECT_EQ(dynamic_cast<const base::UsageError*>(&e), nullptr);  // the request is fine, the machine is not
      EXPECT_EQ(std::string(e.what()), std::string(id == std::string("cuda:3") ? "cuda:3" : "cuda:0") +
                                           " cannot be used: the CUDA back end is switched off (LANESCOPE_CUDA=off)");
    }
  }
}

TEST(Catalogue, ListsTheProfilesWithTheStandardOneFirst) {
  std::vector<std::string> ids;
  for (const CatalogueEntry& entry : catalogue()) {
    ids.push_back(entry.id);
    EXPECT_EQ(entry.name.ends_with(" (simulated)"), entry.simulated) << entry.name;
    EXPECT_EQ(entry.simulated, entry.id != "cpu");
    EXPECT_EQ(entry.kind == DeviceKind::Cpu, entry.id.starts_with("cpu"));
    EXPECT_FALSE(entry.summary.empty());
  }
  EXPECT_THAT(ids, testing::ElementsAre("sim:rtx4090", "sim:h200", "sim:rtx4070-laptop-wsl2", "sim:rtx5090",
                                        "sim:teaching", "cpu", "cpu:rtx4090", "cpu:h200", "cpu:rtx4070-laptop-wsl2",
                                        "cpu:rtx5090", "cpu:teaching"));
}

TEST(Catalogue, AutoAndSimAreTheStandardProfile) {
  for (const char* id : {"auto", "sim", "sim:rtx4090"}) {
    const DeviceInfo info = describe_device(id);
    EXPECT_EQ(info.id, "sim:rtx4090");
    EXPECT_EQ(info.name, "NVIDIA GeForce RTX 4090");
    EXPECT_EQ(info.profile, "rtx4090");
    EXPECT_TRUE(info.simulated);
    EXPECT_TRUE(info.virtual_time);
    EXPECT_EQ(info.dispatch_us, 10);
  }
}

TEST(Catalogue, MakesWhatItDescribes) {
  for (const CatalogueEntry& entry : catalogue()) {
    sim::CollectingSink sink;
    DeviceContext context;
    context.sink = &sink;
    const auto device = make_device(entry.id, context);
    EXPECT_EQ(device->info().id, entry.id);
    EXPECT_EQ(device->info().name, describe_device(entry.id).name);
    EXPECT_EQ(device->info().kind, entry.kind);
    EXPECT_TRUE(!entry.simulated || device->now_ns() == 0);
  }
}

TEST(Catalogue, AFileIsAProfileOfOnesOwn) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "lanescope-catalogue-test";
  std::filesystem::create_directory(folder);
  for (const char* name : {"mine.toml", "mine"}) {  // the extension, or a '/', marks a file
    const std::string path = (folder / name).string();
    std::ofstream(path) << sim::round_profile_text();
    const DeviceInfo info = describe_device("sim:" + path);
    EXPECT_EQ(info.id, "sim:" + path);
    EXPECT_EQ(info.profile, "mine");
    EXPECT_EQ(info.name, "Round numbers");
    const DeviceInfo cpu = describe_device("cpu:" + path);
    EXPECT_EQ(cpu.id, "cpu:" + path);
    EXPECT_EQ(cpu.profile, "mine");
    EXPECT_EQ(cpu.name, "CPU of Round numbers");
    EXPECT_EQ(cpu.kind, DeviceKind::Cpu);
  }
  std::filesystem::remove_all(folder);
  EXPECT_THROW(describe_device("sim:no-such-file.toml"), base::FileError);
  EXPECT_THROW(describe_device("sim:no/such/file"), base::FileError);
  EXPECT_THROW(describe_device("cpu:no-such-file.toml"), base::FileError);
}

TEST(Catalogue, ACpuIsThisMachinesOrAProfiles) {
  const DeviceInfo here = describe_device("cpu");
  EXPECT_EQ(here.id, "cpu");
  EXPECT_EQ(here.kind, DeviceKind::Cpu);
  EXPECT_FALSE(here.simulated || here.virtual_time);
  EXPECT_EQ(here.dispatch_us, 0);
  EXPECT_FALSE(here.name.empty());
  const DeviceInfo simulated = describe_device("cpu:rtx4090");
  EXPECT_EQ(simulated.id, "cpu:rtx4090");
  EXPECT_EQ(simulated.name, "CPU of NVIDIA GeForce RTX 4090");
  EXPECT_EQ(simulated.profile, "rtx4090");
  EXPECT_EQ(simulated.kind, DeviceKind::Cpu);
  EXPECT_TRUE(simulated.simulated && simulated.virtual_time);
  EXPECT_EQ(simulated.dispatch_us, 10);
}

TEST(Catalogue, SaysOfWhichDevicesPyTorchsCostsAreAssumed) {
  for (const char* id : {"sim", "sim:rtx4090", "cpu:rtx4090"}) EXPECT_TRUE(assumes_pytorch(id)) << id;
  for (const char* id : {"sim:teaching", "cpu", "cuda:0", "", "sim:gone.toml", "sim:rtx9090"})
    EXPECT_FALSE(assumes_pytorch(id)) << id;
}

TEST(Catalogue, AnUnknownDeviceListsWhatIsAllowed) {
  for (const char* id : {"cuda9", "cuda:x", "sims", "", "sim:", "sim:rtx9090", "rtx4090", "Sim", "mine.toml",
                         "cpu:", "cpu:rtx9090", "cpus", "cpu0"}) {
    try {
      make_device(id, {});
      FAIL() << id;
    } catch (const base::UsageError& e) {
      EXPECT_EQ(std::string(e.what()), "device '" + std::string(id) +
                                           "' is unknown; allowed: auto, sim, sim:h200, sim:rtx4070-laptop-wsl2, "
                                           "sim:rtx4090, sim:rtx5090, sim:teaching, "
                                           "sim:FILE.toml, cpu, cpu:h200, cpu:rtx4070-laptop-wsl2, cpu:rtx4090, "
                                           "cpu:rtx5090, cpu:teaching, cpu:FILE.toml");
    }
  }
}

}  // namespace
}  // namespace lanescope::device
