#include "device/sim/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string profile_error_of(const std::string& text) {
  try {
    parse_profile(text, "mine.toml");
  } catch (const base::FileError& e) {
    return e.what();
  }
  return "no error";
}

/// The round profile with one line replaced.
std::string with_line(const std::string& key, const std::string& line) {
  std::string text = round_profile_text();
  const std::size_t from = text.find("\n" + key + " = ") + 1;
  return text.replace(from, text.find('\n', from) - from, line);
}

std::size_t line_of(const std::string& text, const std::string& key) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find("\n" + key + " = ") + 1);
  return static_cast<std::size_t>(std::count(text.begin(), end, '\n')) + 1;
}

std::string at(const std::string& key) {
  return "mine.toml:" + std::to_string(line_of(round_profile_text(), key)) + ": key '";
}

TEST(Profile, ReadsEveryNumberAndItsSource) {
  const DeviceProfile p = parse_profile(round_profile_text({{"cpu.launch_us", "7.5"}}), "folder/mine.toml");
  EXPECT_EQ(p.id, "mine");
  EXPECT_EQ(p.name, "Round numbers");
  EXPECT_EQ(p.summary, "For tests.");
  EXPECT_EQ(p.cpu.launch_us, 7.5);
  EXPECT_EQ(p.gpu.sm_count, 4);  // a whole number is a number
  EXPECT_EQ(p.link.staging_chunk_bytes, 100'000);
  EXPECT_EQ(p.jitter_spread, 0);
  EXPECT_EQ(p.numbers.size(), 51u);
  EXPECT_EQ(p.numbers[1].key, "cpu.launch_us");
  EXPECT_EQ(p.numbers[1].value, 7.5);
  EXPECT_EQ(p.numbers[1].source, "assumed: round");
}

TEST(FrameworkCosts, WithoutTheMatrixLibrarysCalls) {
  FrameworkCosts costs;
  costs.us.fill(10);
  DeviceProfile::Cpu cpu;
  cpu.linear_us = 6;
  cpu.linear_grad_us = 3;
  leave_out_library(costs, cpu);
  EXPECT_EQ(costs.of(FrameworkCall::Linear), 4);
  EXPECT_EQ(costs.of(FrameworkCall::LinearBackward), 8);  // 10 - 2/3 * 3
  EXPECT_EQ(costs.of(FrameworkCall::Backward), 10);
  cpu.linear_us = 20;
  leave_out_library(costs, cpu);
  EXPECT_EQ(costs.of(FrameworkCall::Linear), 0);  // never less than nothing
}

// Files from before there were CPU devices, or CUDA graphs, lack these.
TEST(Profile, SomeNumbersMayBeMissing) {
  std::string text = round_profile_text();
  for (const char* key : {"page_fault_us_per_mib", "cores", "fp32_gflops", "op_us", "graph_launch_us", "graph_node_us",
                          "graph_instantiate_us", "copy_gb_per_s", "linear_us", "linear_grad_us", "graph_gap_us",
                          "h2d_cached_gb_per_s", "cached_copy_bytes"}) {
    const std::size_t from = text.find(std::string("\n") + key + " = ");
    ASSERT_NE(from, std::string::npos);
    text.erase(from, text.find('\n', from + 1) - from);
  }
  const DeviceProfile p = parse_profile(text, "mine.toml");
  const DeviceProfile::Cpu standard;
  EXPECT_EQ(p.cpu.cores, standard.cores);
  EXPECT_EQ(p.cpu.fp32_gflops, standard.fp32_gflops);
  EXPECT_EQ(p.gpu.graph_gap_us, DeviceProfile::Gpu().graph_gap_us);
  ASSERT_EQ(p.numbers.size(), 51u);
  std::size_t missing = 0;
  for (const DeviceProfile::Number& number : p.numbers) missing += number.source == "assumed: not in the file";
  EXPECT_EQ(missing, 13u);
  EXPECT_EQ(parse_profile(round_profile_text({{"cpu.cores", "3"}}), "mine.toml").cpu.cores, 3);
  EXPECT_THAT(profile_error_of(with_line("cores", "cores = { value = 2.5, source = 'assumed' }")),
              HasSubstr("a whole number"));
}

// The published numbers that it comes from; what is written can be read again.
TEST(Profile, SaysWhichPublishedNumbersANumberComesFrom) {
  const std::string text = with_line(
      "launch_us", "launch_us = { value = 7.5, source = 'fitted: to P25', from = ['P25.total', 'P26.every_100'] }");
  const DeviceProfile p = parse_profile(text, "mine.toml");
  EXPECT_THAT(p.numbers[1].from, testing::ElementsAre("P25.total", "P26.every_100"));
  EXPECT_THAT(p.numbers[0].from, testing::ElementsAre());
  EXPECT_EQ(parse_profile(profile_text(p, "A comment."), "again.toml").numbers[1].from, p.numbers[1].from);
}

TEST(ProfileError, FromThatNamesNoPublishedNumber) {
  const auto from = [](const std::string& list) {
    return profile_error_of(
        with_line("launch_us", "launch_us = { value = 3, source = 'fitted', from = " + list + " }"));
  };
  const std::string is_wrong =
      at("launch_us") + "cpu.launch_us.from': must be an array of published numbers, [\"P20.h2d_pinned\"], got ";
  EXPECT_EQ(from("'P20.rate'"), is_wrong + "'P20.rate'");
  EXPECT_EQ(from("['P20']"), is_wrong + "'P20'");
  EXPECT_EQ(from("['P20.rate', '.rate']"), is_wrong + "'.rate'");
  EXPECT_EQ(from("['P20.']"), is_wrong + "'P20.'");
  EXPECT_EQ(from("[3]"), is_wrong + "3");
  EXPECT_EQ(from("[]"), is_wrong + "an array");
}

TEST(ProfileError, NumberThatIsAText) {
  EXPECT_EQ(profile_error_of(
                with_line("h2d_pinned_gb_per_s", "h2d_pinned_gb_per_s = { value = 'fast', source = 'assumed' }")),
            at("h2d_pinned_gb_per_s") + "link.h2d_pinned_gb_per_s': must be a number > 0 and <= 1000000, got 'fast'");
}

TEST(ProfileError, NumberOutOfRange) {
  EXPECT_EQ(profile_error_of(with_line("launch_us", "launch_us = { value = -1, source = 'assumed' }")),
            at("launch_us") + "cpu.launch_us': must be a number >= 0 and <= 1000000, got -1");
  EXPECT_THAT(
      profile_error_of(with_line("h2d_pinned_gb_per_s", "h2d_pinned_gb_per_s = { value = 0, source = 'assumed' }")),
      HasSubstr("must be a number > 0 and <= 1000000, got 0"));
  EXPECT_THAT(profile_error_of(with_line("spread", "spread = { value = 1, source = 'assumed' }")),
              HasSubstr("<= 0.9, got 1"));
  EXPECT_THAT(profile_error_of(with_line("wake_us", "wake_us = { value = inf, source = 'assumed' }")),
              HasSubstr("got inf"));
  EXPECT_THAT(profile_error_of(with_line("wake_us", "wake_us = { value = nan, source = 'assumed' }")),
              HasSubstr("got nan"));
}

TEST(ProfileError, WholeNumberThatIsNone) {
  EXPECT_EQ(profile_error_of(with_line("staging_slots", "staging_slots = { value = 2.5, source = 'assumed' }")),
            at("staging_slots") + "link.staging_slots': must be a whole number >= 1 and <= 1000000, got 2.5");
}

TEST(ProfileError, WrongTypes) {
  EXPECT_THAT(profile_error_of(with_line("launch_us", "launch_us = 'fast'")),
              AllOf(StartsWith(at("launch_us") + "cpu.launch_us'"), HasSubstr("got 'fast'")));
  EXPECT_THAT(profile_error_of(with_line("launch_us", "launch_us = [1, 2]")), HasSubstr("got an array"));
  EXPECT_THAT(profile_error_of(with_line("launch_us", "launch_us = { value = {}, source = 'assumed' }")),
              HasSubstr("got a table"));
  EXPECT_THAT(profile_error_of(with_line("launch_us", "launch_us = { value = true, source = 'assumed' }")),
              HasSubstr("got true"));
  EXPECT_EQ(profile_error_of("name = 5\n" + round_profile_text().substr(round_profile_text().find('\n') + 1)),
            "mine.toml:1: key 'name': must be a text, got 5");
  EXPECT_THAT(profile_error_of("cpu = 5\n"), StartsWith("mine.toml:1: key 'cpu': must be a table, got 5"));
}

TEST(ProfileError, NumberWithoutASource) {
  EXPECT_THAT(profile_error_of(with_line("launch_us", "launch_us = 3")),
              AllOf(StartsWith(at("launch_us") + "cpu.launch_us'"), HasSubstr("has no source")));
  EXPECT_THAT(profile_error_of(with_line("launch_us", "launch_us = { value = 3 }")), HasSubstr("has no source"));
  EXPECT_THAT(profile_error_of(with_line("launch_us", "launch_us = { value = 3, source = '' }")),
              HasSubstr("'cpu.launch_us.source': must be a text"));
  EXPECT_THAT(profile_error_of(with_line("launch_us", "launch_us = { value = 3, source = 4 }")),
              HasSubstr("'cpu.launch_us.source': must be a text, got 4"));
}

TEST(ProfileError, SourceOfNoKnownKind) {
  EXPECT_EQ(
      profile_error_of(with_line("launch_us", "launch_us = { value = 3, source = 'a hunch' }")),
      at("launch_us") + "cpu.launch_us.source': must begin with measured, published, fitted, assumed, got 'a hunch'");
}

TEST(ProfileError, NumberWithoutAValue) {
  EXPECT_THAT(profile_error_of(with_line("launch_us", "launch_us = { source = 'assumed' }")),
              AllOf(StartsWith(at("launch_us") + "cpu.launch_us'"), HasSubstr("has no value")));
}

TEST(ProfileError, UnknownKeys) {
  EXPECT_THAT(profile_error_of(with_line("launch_us", "lunch_us = { value = 3, source = 'assumed' }")),
              AllOf(StartsWith(at("launch_us") + "cpu.lunch_us': is unknown; allowed: dispatch_us, launch_us,")));
  EXPECT_THAT(profile_error_of(with_line("launch_us", "launch_us = { value = 3, source = 'assumed', unit = 'us' }")),
              HasSubstr("'cpu.launch_us.unit': is unknown; allowed: value, source, from"));
  EXPECT_EQ(
      profile_error_of("colour = 'green'\n" + round_profile_text()),
      "mine.toml:1: key 'colour': is unknown; allowed: name, summary, cpu, gpu, link, jitter, pytorch, pytorch_cpu");
}

TEST(ProfileError, MissingKeysAndTables) {
  const std::string without_launch = with_line("launch_us", "# launch_us");
  EXPECT_THAT(profile_error_of(without_launch),
              AllOf(StartsWith("mine.toml:"), HasSubstr("key 'cpu.launch_us': is missing")));
  EXPECT_THAT(profile_error_of(round_profile_text().substr(0, round_profile_text().find("[jitter]"))),
              HasSubstr("key 'jitter.spread': is missing"));
  EXPECT_THAT(profile_error_of("summary = 'x'\n"), HasSubstr("key 'name': is missing"));
  EXPECT_THAT(profile_error_of(""), HasSubstr("key 'name': is missing"));
}

TEST(ProfileError, TextThatIsNoToml) {
  EXPECT_THAT(profile_error_of("name = 'x'\nsummary = \n"), StartsWith("mine.toml:2: "));
  EXPECT_THAT(profile_error_of("name = 'x'\nname = 'y'\n"), StartsWith("mine.toml:2: "));
}

TEST(ProfileFile, IsReadAndNamedAfterItself) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "lanescope-profile-test.toml";
  std::ofstream(path) << round_profile_text();
  const DeviceProfile profile = load_profile(path.string());
  EXPECT_EQ(profile.id, "lanescope-profile-test");
  std::ofstream(path) << with_line("wake_us", "wake_us = 1");
  try {
    load_profile(path.string());
    FAIL();
  } catch (const base::FileError& e) {
    EXPECT_THAT(e.what(), AllOf(StartsWith(path.string() + ":"), HasSubstr("cpu.wake_us")));
  }
  std::filesystem::remove(path);
}

TEST(ProfileFile, ThatCannotBeReadIsNamedWithTheReason) {
  const auto why = [](const std::string& path) {
    try {
      load_profile(path);
    } catch (const base::FileError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::filesystem::path large = std::filesystem::temp_directory_path() / "lanescope-profile-large.toml";
  std::ofstream(large) << "# " << std::string(std::size_t{2} << 20, 'x') << '\n' << round_profile_text();
  EXPECT_EQ(why(large.string()), large.string() + ": is too large; allowed: at most 1048576 bytes");
  std::filesystem::remove(large);
  EXPECT_EQ(why("nowhere/none.toml"), "nowhere/none.toml: cannot be read: No such file or directory");
  const std::string folder = std::filesystem::temp_directory_path().string();
  EXPECT_EQ(why(folder), folder + ": cannot be read: is a directory");
}

TEST(EmbeddedProfiles, AreTheseFive) {
  EXPECT_THAT(embedded_profiles(),
              testing::ElementsAre("h200", "rtx4070-laptop-wsl2", "rtx4090", "rtx5090", "teaching"));
}

class EmbeddedProfile : public testing::TestWithParam<std::string> {};

TEST_P(EmbeddedProfile, LoadsWithASourceForEachNumber) {
  const DeviceProfile profile = embedded_profile(GetParam());
  EXPECT_EQ(profile.id, GetParam());
  EXPECT_FALSE(profile.name.empty());
  EXPECT_EQ(profile.numbers.size(), 51u);
  for (const DeviceProfile::Number& number : profile.numbers) EXPECT_FALSE(number.source.empty()) << number.key;
}

INSTANTIATE_TEST_SUITE_P(All, EmbeddedProfile, testing::ValuesIn(embedded_profiles()), [](const auto& chosen) {
  std::string name = chosen.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(EmbeddedProfiles, OfTheTeachingOneAllTimesAreRoundAndSteady) {
  const DeviceProfile profile = embedded_profile("teaching");
  EXPECT_EQ(profile.jitter_spread, 0);
  for (const DeviceProfile::Number& number : profile.numbers) {
    if (!number.key.ends_with("_us")) continue;
    EXPECT_EQ(std::fmod(number.value, 10), 0) << number.key;
  }
}

// Nobody has measured PyTorch on these; the laptop's cost per operation is fitted, and the teaching GPU is no machine.
TEST(EmbeddedProfiles, SayWhetherTheyAssumeWhatPyTorchCosts) {
  for (const char* id : {"h200", "rtx4090", "rtx5090"}) EXPECT_TRUE(assumes_pytorch(embedded_profile(id))) << id;
  for (const char* id : {"rtx4070-laptop-wsl2", "teaching"}) EXPECT_FALSE(assumes_pytorch(embedded_profile(id))) << id;
  DeviceProfile calibrated = embedded_profile("rtx4090");
  calibrated.numbers.push_back({"pytorch.op_us", 5, "measured on a machine"});
  EXPECT_FALSE(assumes_pytorch(calibrated));
  EXPECT_TRUE(assumes_pytorch(calibrated, "pytorch_cpu"));
  calibrated.numbers.push_back({"pytorch.linear_us", 9, "assumed"});
  EXPECT_TRUE(assumes_pytorch(calibrated));
}

TEST(EmbeddedProfiles, AnUnknownNameListsWhatIsThere) {
  try {
    embedded_profile("rtx9090");
    FAIL();
  } catch (const base::UsageError& e) {
    EXPECT_STREQ(e.what(),
                 "profile 'rtx9090' is unknown; allowed: h200, rtx4070-laptop-wsl2, rtx4090, rtx5090, teaching");
  }
}

}  // namespace
}  // namespace lanescope::device::sim
