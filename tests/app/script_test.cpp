// lanescope script
#include <gmock/gmock.h>

#include <fstream>

#include "program.h"

namespace lanescope::app::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ScriptTest : public ProgramTest {};

TEST_F(ScriptTest, IsOneSideOfAnExperiment) {
  const Outcome before = run({"script", "--experiment", "P09"});
  EXPECT_EQ(before.status, 0) << before.err;
  EXPECT_THAT(before.out, StartsWith("\"\"\"P09 Reading the loss every iteration: "));
  EXPECT_THAT(before.out, HasSubstr("\n    \"side\": \"before\",\n    \"settings\": \"log_interval=1 "));
  EXPECT_THAT(before.out, HasSubstr("\n        value = loss.item()\n"));
  EXPECT_THAT(before.out, HasSubstr("\nITERATIONS, WARM_UP = 200, 20\n")) << "the experiment's own number";
  EXPECT_THAT(before.out, Not(HasSubstr("dispatch_us"))) << "the script finds out what PyTorch costs";
  const Outcome after = run({"script", "--experiment", "P09", "--side", "after", "--iterations", "50"});
  EXPECT_THAT(after.out, HasSubstr("\n    \"side\": \"after\",\n"));
  EXPECT_THAT(after.out, Not(HasSubstr("item()")));
  EXPECT_THAT(after.out, HasSubstr("\nITERATIONS, WARM_UP = 50, 5\n"));
}

// P24's loop runs on the CPU on one side.
TEST_F(ScriptTest, OfACpuHasItsTensorsThere) {
  const Outcome outcome = run({"script", "--experiment", "P24"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\ndevice = 'cpu'\n"));
  EXPECT_THAT(outcome.out.substr(0, outcome.out.find("# -----")), Not(HasSubstr("cuda")));
  EXPECT_THAT(run({"script", "--experiment", "P24", "--device", "cuda"}).out, HasSubstr("\ndevice = 'cuda'\n"));
  EXPECT_THAT(run({"script", "--experiment", "P24", "--device", "cuda:0"}).out, HasSubstr("\ndevice = 'cuda'\n"))
      << "this machine needs no GPU";
  EXPECT_THAT(run({"script", "--workload", "iris-mlp", "--device", "cpu"}).out, HasSubstr("\ndevice = 'cpu'\n"));
}

TEST_F(ScriptTest, IsWrittenToAFileOfItsType) {
  EXPECT_EQ(run({"script", "--workload", "linear-mse", "--set", "log_interval=7", "--out", "loop.py"}).status, 0);
  EXPECT_THAT(files(), ElementsAre("loop.py"));
  EXPECT_THAT(text_of(folder_ / "loop.py"), HasSubstr("\n        if i % 7 == 0:\n"));
  expect_complaint(run({"script", "--workload", "raw-cuda", "--out", "three.py"}), 2, {"--out", "'three.py'", ".cu"});
  EXPECT_EQ(run({"script", "--workload", "raw-cuda", "--out", "three.cu"}).status, 0);
  EXPECT_THAT(files(), ElementsAre("loop.py", "three.cu"));
}

// An experiment's texts come from a file that somebody else may have written: they end neither the text at the script's
// beginning nor a comment.
TEST_F(ScriptTest, TextsOfAFileAreNoCode) {
  const auto script_of = [&](const std::string& workload, const std::string& title) {
    std::ofstream(folder_ / "own.toml") << "id = \"X1\"\nname = \"x\"\norder = 1\nworkload = \"" << workload
                                        << "\"\ndevice = \"sim:rtx4090\"\niterations = 20\ntitle = { en = " << title
                                        << ", zh = \"z\" }\n"
                                           "shows = { en = \"s\", zh = \"s\" }\nwatch = { en = \"w\", zh = \"w\" }\n"
                                           "knob = { en = \"k\", zh = \"k\" }\n"
                                           "before = { label = { en = \"b\", zh = \"b\" }, settings = [] }\n"
                                           "after = { label = { en = \"a\", zh = \"a\" }, settings = [] }\n";
    const Outcome outcome = run({"script", "--experiment", (folder_ / "own.toml").string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  const std::string python = script_of("linear-mse", R"("a\"\"\"\nimport evil\n\"\"\"\\")");
  EXPECT_THAT(python, Not(HasSubstr("\nimport evil")));
  EXPECT_THAT(python, StartsWith(R"("""X1 a"\"\" import evil "\"\"\\: b)"));
  const std::string cuda = script_of("raw-cuda", R"("a\n#include \"evil\"")");
  EXPECT_THAT(cuda, Not(HasSubstr("\n#include \"evil\"")));
  EXPECT_THAT(cuda, StartsWith("// X1 a #include \"evil\": b\n"));
}

TEST_F(ScriptTest, WrongRequestsAreOneLine) {
  expect_complaint(run({"script"}), 2, {"script", "--workload", "--experiment", "linear-mse"});
  expect_complaint(run({"script", "--workload", "x"}), 2, {"'x'", "linear-mse"});
  expect_complaint(run({"script", "--experiment", "P09", "--side", "both"}), 2, {"--side", "'both'", "before, after"});
  expect_complaint(run({"script", "--workload", "linear-mse", "--side", "after"}), 2, {"--side", "--experiment"});
  expect_complaint(run({"script", "--workload", "linear-mse", "--set", "foo=1"}), 2, {"'foo'", "log_interval"});
  expect_complaint(run({"script", "--workload", "dataloader", "--set", "prefetch_factor=2", "--set", "num_workers=0"}),
                   2, {"prefetch_factor", "num_workers"});
  expect_complaint(run({"script", "--workload", "linear-mse", "--device", "sim:rtx9"}), 2, {"sim:rtx9"});
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace lanescope::app::test
