#include "model/source/device_menu.h"

#include <gmock/gmock.h>

#include "picture/words.h"

namespace lanescope::ui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<device::CatalogueEntry> kDevices{
    {"cuda:0", "NVIDIA H200", "Hopper, 132 multiprocessors, 141 GB", false, device::DeviceKind::Gpu},
    {"sim:rtx4090", "NVIDIA GeForce RTX 4090 (simulated)", "A desktop card.", true, device::DeviceKind::Gpu},
    {"cuda:1", "NVIDIA L4", "Ada, 58 multiprocessors, 24 GB", false, device::DeviceKind::Gpu},
    {"cpu", "AMD EPYC", "This machine's.", false, device::DeviceKind::Cpu},
    {"cpu:teaching", "CPU of Teaching GPU (simulated)", "10 cores.", true, device::DeviceKind::Cpu},
    {"sim:teaching", "Teaching GPU (simulated)", "Round numbers.", true, device::DeviceKind::Gpu}};
const std::vector<RecordedCapture> kCaptures{{"h200--linear-mse", "NVIDIA H200, linear-mse", "Reads every loss.", {}}};

device::DeviceInfo device_of(std::string id, bool simulated) {
  device::DeviceInfo info;
  info.id = std::move(id);
  info.name = "the name";
  info.simulated = simulated;
  return info;
}

std::vector<std::string> picks(const DeviceSection& section) {
  std::vector<std::string> found;
  for (const DeviceChoice& choice : section.choices) found.push_back(choice.pick);
  return found;
}

// All that are marked as the one that is shown.
std::vector<std::string> current(const std::vector<DeviceSection>& sections) {
  std::vector<std::string> found;
  for (const DeviceSection& section : sections) {
    for (const DeviceChoice& choice : section.choices) {
      if (choice.current) found.push_back(choice.pick);
    }
  }
  return found;
}

TEST(DeviceMenu, ListsGpusSimulatedOnesCpusAndRecordedRuns) {
  const auto sections = device_sections(kDevices, "", kCaptures, device_of("cuda:1", false));
  ASSERT_EQ(sections.size(), 4u);
  EXPECT_EQ(sections[0].title, "GPUS");
  EXPECT_THAT(picks(sections[0]), ElementsAre("cuda:0", "cuda:1"));
  EXPECT_EQ(sections[0].choices[0].name, "NVIDIA H200");
  EXPECT_EQ(sections[0].choices[0].id, "cuda:0");
  EXPECT_EQ(sections[0].choices[0].summary, "Hopper, 132 multiprocessors, 141 GB");
  EXPECT_EQ(sections[1].title, "SIMULATED");
  EXPECT_THAT(picks(sections[1]), ElementsAre("sim:rtx4090", "sim:teaching"));
  EXPECT_EQ(sections[2].title, "CPU");
  EXPECT_THAT(picks(sections[2]), ElementsAre("cpu", "cpu:teaching"));
  EXPECT_EQ(sections[3].title, "RECORDED");
  EXPECT_THAT(picks(sections[3]), ElementsAre("recorded:h200--linear-mse"));
  EXPECT_EQ(sections[3].choices[0].name, "recorded: NVIDIA H200, linear-mse");
  EXPECT_EQ(sections[3].choices[0].summary, "Reads every loss.");
  EXPECT_THAT(sections[3].choices[0].id, IsEmpty());
  for (const DeviceSection& section : sections) EXPECT_THAT(section.note, IsEmpty());
}

TEST(DeviceMenu, MarksWhatIsShown) {
  EXPECT_THAT(current(device_sections(kDevices, "", kCaptures, device_of("cuda:1", false))), ElementsAre("cuda:1"));
  EXPECT_THAT(current(device_sections(kDevices, "", kCaptures, device_of("sim:teaching", true))),
              ElementsAre("sim:teaching"));
  EXPECT_THAT(current(device_sections(kDevices, "", kCaptures, device_of("recorded:h200--linear-mse", false))),
              ElementsAre("recorded:h200--linear-mse"));
  // A file that was opened is none of them.
  EXPECT_THAT(current(device_sections(kDevices, "", kCaptures, device_of("", true))), IsEmpty());
}

TEST(DeviceMenu, AProfileFromAFileHasALineOfItsOwn) {
  const auto sections = device_sections(kDevices, "", {}, device_of("sim:mine.toml", true));
  EXPECT_THAT(picks(sections[1]), ElementsAre("sim:rtx4090", "sim:teaching", "sim:mine.toml"));
  EXPECT_EQ(sections[1].choices[2].name, "the name");
  EXPECT_THAT(current(sections), ElementsAre("sim:mine.toml"));
  device::DeviceInfo cpu = device_of("cpu:mine.toml", true);
  cpu.kind = device::DeviceKind::Cpu;
  EXPECT_THAT(picks(device_sections(kDevices, "", {}, cpu)[2]), ElementsAre("cpu", "cpu:teaching", "cpu:mine.toml"));
}

TEST(DeviceMenu, WhereThereIsNothingItSaysWhy) {
  const std::vector<device::CatalogueEntry> simulated{kDevices[1], kDevices[5]};
  auto sections = device_sections(simulated, "libcuda.so.1 was not found", {}, device_of("sim:teaching", true));
  EXPECT_THAT(sections[0].choices, IsEmpty());
  EXPECT_EQ(sections[0].note, "libcuda.so.1 was not found");
  EXPECT_THAT(sections[3].choices, IsEmpty());
  EXPECT_THAT(sections[3].note, HasSubstr("no recorded runs"));
  // A GPU may be there that cannot be recorded: it can be chosen, and why it was not taken stands with it.
  sections = device_sections(kDevices, "CUPTI was not found", {}, device_of("sim:teaching", true));
  EXPECT_EQ(sections[0].choices.size(), 2u);
  EXPECT_EQ(sections[0].note, "CUPTI was not found");
}

TEST(Badge, SaysWhatIsLookedAt) {
  const auto badge = [](const char* device, const char* name, bool simulated, bool runs) {
    trace::RunFacts facts;
    facts.device = device;
    facts.device_name = name;
    facts.simulated = simulated;
    return badge_text(facts, runs);
  };
  EXPECT_EQ(badge("sim:rtx4090", "NVIDIA GeForce RTX 4090", true, true), "SIMULATED · rtx4090");
  EXPECT_EQ(badge("sim:rtx4090", "NVIDIA GeForce RTX 4090", true, false), "SIMULATED · rtx4090");
  EXPECT_EQ(badge("sim:/home/me/mine.toml", "NVIDIA GeForce RTX 4090", true, true), "SIMULATED · mine.toml");
  EXPECT_EQ(badge("cuda:0", "NVIDIA H200", false, true), "GPU · NVIDIA H200");
  EXPECT_EQ(badge("cuda:0", "NVIDIA H200", false, false), "RECORDED · NVIDIA H200");
  EXPECT_EQ(badge("cpu", "AMD EPYC", false, true), "CPU · AMD EPYC");
  EXPECT_EQ(badge("cpu", "AMD EPYC", false, false), "RECORDED · AMD EPYC");
  EXPECT_EQ(badge("cpu:teaching", "AMD EPYC", true, true), "SIMULATED CPU · teaching");
  EXPECT_EQ(badge_text({}, false), "RECORDED");  // another program's file
}

}  // namespace
}  // namespace lanescope::ui
