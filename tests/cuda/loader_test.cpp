// Why there is no GPU: each reason in a separate process, with its own driver library and back end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "device/cuda/find_backend.h"

namespace lanescope::device::cuda {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kFakes = LANESCOPE_FAKES;
const std::string kBackend = kFakes + "/backend";
const std::string kDriverPath = kFakes + "/driver";

using Environment = std::map<std::string, std::string>;

/// What a process finds in this folder: "usable|" or "none|", followed by the problem.
std::string look(const std::string& folder, Environment environment, const std::string& libraries = kDriverPath) {
  environment["LD_LIBRARY_PATH"] = libraries;
  std::string command = "env -u LANESCOPE_CUDA -u CUDA_VISIBLE_DEVICES -u LANGUAGE LC_ALL=C";
  for (const auto& [name, value] : environment) command += " '" + name + "=" + value + "'";
  command += " '" LANESCOPE_PROBE "' '" + folder + "' 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "cannot be started";
  std::string output;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) output.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << output;
  EXPECT_THAT(output, EndsWith("\n"));
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1) << "one line: " << output;
  if (!output.empty()) output.pop_back();
  return output;
}

std::string with_driver(const std::string& told) { return look(kBackend, {{"LANESCOPE_FAKE_DRIVER", told}}); }

TEST(Loader, FindsAGpuThatCanBeUsedAndRecorded) { EXPECT_EQ(look(kBackend, {}), "usable|"); }

TEST(Loader, IsSwitchedOff) {
  EXPECT_EQ(look(kBackend, {{"LANESCOPE_CUDA", "off"}}), "none|the CUDA back end is switched off (LANESCOPE_CUDA=off)");
}

TEST(Loader, TheVariableNamesALibrary) {
  EXPECT_EQ(look("/nowhere", {{"LANESCOPE_CUDA", kBackend + "/liblanescope_cuda.so"}}), "usable|");
  EXPECT_EQ(look(kBackend, {{"LANESCOPE_CUDA", "/nowhere/else.so"}}),
            "none|this build has no CUDA back end: /nowhere/else.so does not exist");
  EXPECT_EQ(look(kBackend, {{"LANESCOPE_CUDA", "else.so"}}),
            "none|this build has no CUDA back end: ./else.so does not exist");
  EXPECT_EQ(look(kBackend, {{"LANESCOPE_CUDA", ""}}), "usable|");
}

TEST(Loader, ThereIsNoLibrary) {
  EXPECT_EQ(look("/nowhere", {}), "none|this build has no CUDA back end: /nowhere/liblanescope_cuda.so does not exist");
}

TEST(Loader, ItIsNoLibrary) {
  EXPECT_THAT(
      look(kFakes + "/no_library", {}),
      AllOf(StartsWith("none|the CUDA back end " + kFakes + "/no_library/liblanescope_cuda.so cannot be opened: "),
            testing::AnyOf(EndsWith("file too short"), EndsWith("invalid ELF header"))));
}

TEST(Loader, ItIsAnotherLibrary) {
  EXPECT_EQ(look(kFakes + "/no_function", {}),
            "none|" + kFakes +
                "/no_function/liblanescope_cuda.so is not a CUDA back end: it has no "
                "function lanescope_cuda_backend");
}

TEST(Loader, ItIsOfAnotherVersion) {
  EXPECT_EQ(look(kFakes + "/other_abi", {}),
            "none|the CUDA back end " + kFakes +
                "/other_abi/liblanescope_cuda.so belongs to another version of this program");
}

// The machine that runs this test may have its own driver.
TEST(Loader, ThereIsNoDriver) {
  const std::string found = look(kBackend, {{"LANESCOPE_FAKE_GPUS", ""}}, "/nowhere");
  EXPECT_THAT(found, testing::AnyOf("none|no NVIDIA driver here: libcuda.so.1: No such file or directory",
                                    StartsWith("none|the driver ")));
}

TEST(Loader, TheDriverIsNone) {
  EXPECT_EQ(look(kBackend, {}, kFakes + "/no_driver"), "none|libcuda.so.1 is not a CUDA driver: it lacks functions");
}

TEST(Loader, TheDriverFindsNoGpu) {
  EXPECT_EQ(with_driver("init=100"), "none|the driver finds no GPU");
  EXPECT_EQ(with_driver("count=0"), "none|the driver finds no GPU");
  EXPECT_EQ(with_driver("count_status=100,count=0"), "none|the driver finds no GPU");
  EXPECT_EQ(look(kBackend, {{"LANESCOPE_FAKE_DRIVER", "init=100"}, {"CUDA_VISIBLE_DEVICES", "7"}}),
            "none|the driver finds no GPU (CUDA_VISIBLE_DEVICES is '7')");
  EXPECT_EQ(look(kBackend, {{"LANESCOPE_FAKE_GPUS", ""}}), "none|the driver finds no GPU");
}

TEST(Loader, TheDriverFails) {
  EXPECT_EQ(
      with_driver("init=803"),
      "none|the driver cannot be started: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): system has unsupported display "
      "driver / cuda driver combination");
  EXPECT_EQ(with_driver("init=34"), "none|the driver cannot be started: error 34");
  EXPECT_EQ(with_driver("count_status=999"), "none|the driver cannot list the GPUs: error 999");
  EXPECT_EQ(with_driver("version_status=1"), "none|the driver does not report its version: error 1");
}

TEST(Loader, TheDriverIsTooOld) {
  EXPECT_EQ(with_driver("version=12020"), "none|the driver supports CUDA 12.2; this build needs 13.0 or newer");
  EXPECT_EQ(with_driver("version=12090"), "none|the driver supports CUDA 12.9; this build needs 13.0 or newer");
  EXPECT_EQ(with_driver("version=13010"), "usable|");
}

TEST(Loader, TheGpuIsTooOld) {
  EXPECT_EQ(look(kBackend, {{"LANESCOPE_FAKE_GPUS", "7.0"}}),
            "none|Fake GPU 0 has compute capability 7.0; 7.5 or newer is needed");
  EXPECT_EQ(look(kBackend, {{"LANESCOPE_FAKE_GPUS", "6.1,7.5"}}), "usable|");
}

TEST(Loader, AGpuThatCannotBeRecordedCanBeUsed) {
  const std::string why = "CUPTI is held by another profiler (nsys)";
  EXPECT_EQ(look(kBackend, {{"LANESCOPE_FAKE_CAPTURE", why}}), "usable|" + why);
}

// The order of the search: the first reason found is reported.
TEST(Loader, SaysTheFirstReason) {
  EXPECT_THAT(look(kBackend, {{"LANESCOPE_FAKE_DRIVER", "init=100,version=12020"}, {"LANESCOPE_FAKE_CAPTURE", "busy"}}),
              "none|the driver finds no GPU");
  EXPECT_THAT(look(kBackend, {{"LANESCOPE_FAKE_DRIVER", "version=12020"}, {"LANESCOPE_FAKE_GPUS", "6.1"}}),
              HasSubstr("CUDA 12.2"));
  EXPECT_THAT(look(kBackend, {{"LANESCOPE_FAKE_GPUS", "6.1"}, {"LANESCOPE_FAKE_CAPTURE", "busy"}}),
              HasSubstr("compute capability"));
}

}  // namespace
}  // namespace lanescope::device::cuda
