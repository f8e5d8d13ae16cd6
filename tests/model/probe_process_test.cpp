// A probe in a process of its own: what it is asked, and what becomes of its answer.
#include "model/advice/probe_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace lanescope::ui {
namespace {

using ops::Op;
using ops::OpKind;

class ProbeProcess : public testing::Test {
 protected:
  ProbeProcess() : path_(std::filesystem::path(testing::TempDir()) / "probe.sh") {}
  ~ProbeProcess() override { std::filesystem::remove(path_); }

  /// A program that does this.
  std::string program(const std::string& script) {
    std::ofstream(path_) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    return path_.string();
  }
  const std::filesystem::path path_;
};

TEST_F(ProbeProcess, IsAskedForTheDeviceAndTheOps) {
  const std::string echo = program(
      "[ \"$*\" = \"probe cuda:1 linear_forward,128,1000,500,0 fill,9,1,1,0.5\" ] || exit 2\n"
      "echo device cuda:1\necho number link.h2d_pinned_gb_per_s 25.5 0.004\necho op fill 9 1 1 0.5 3.25 0.01\n");
  const std::vector<Op> ops{{OpKind::LinearForward, 128, 1000, 500}, {OpKind::Fill, 9, 1, 1, 0.5f}};
  const calibration::QuickProbe probe = probe_with(echo, "cuda:1", ops);
  EXPECT_EQ(probe.device, "cuda:1");
  ASSERT_EQ(probe.numbers.size(), 1u);
  EXPECT_EQ(probe.numbers[0].key, "link.h2d_pinned_gb_per_s");
  EXPECT_EQ(probe.numbers[0].value, 25.5);
  ASSERT_EQ(probe.ops.size(), 1u);
  EXPECT_EQ(probe.ops[0].op, ops[1]);
  EXPECT_EQ(probe.ops[0].us, 3.25);
}

TEST_F(ProbeProcess, AnythingElseIsAnError) {
  for (const char* script : {"exit 1\n", "echo hello\n", "echo device cuda:0\n",
                             "echo device cuda:0\necho number cpu.wake_us 1 0\nexit 1\n", "kill -9 $$\n"}) {
    SCOPED_TRACE(script);
    EXPECT_THROW(probe_with(program(script), "cuda:0", {}), base::Error);
  }
  EXPECT_THROW(probe_with("/nowhere/lanescope", "cuda:0", {}), base::Error);
}

}  // namespace
}  // namespace lanescope::ui
