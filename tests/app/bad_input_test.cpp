// Every invalid request: one line that names it and says what is allowed, and the right exit status.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

struct WrongRequest {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> said;  // parts of the line
};

class WrongRequests : public ProgramTest, public testing::WithParamInterface<WrongRequest> {};

TEST_P(WrongRequests, AreOneLineAndExit2) {
  expect_complaint(run(GetParam().arguments), 2, GetParam().said);
  EXPECT_TRUE(files().empty());
}

std::vector<std::string> run_with(std::vector<std::string> more) {
  if (std::find(more.begin(), more.end(), "--device") == more.end()) more.insert(more.begin(), {"--device", "sim"});
  more.insert(more.begin(), {"run", "--workload", "linear-mse", "--iterations", "2"});
  return more;
}

std::vector<std::string> sweep_with(std::vector<std::string> more) {
  more.insert(more.begin(), {"sweep", "--workload", "linear-mse", "--device", "sim", "--iterations", "2"});
  return more;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, WrongRequests,
    testing::ValuesIn(std::vector<WrongRequest>{
        {"UnknownOption", {"--foo"}, {"'--foo'", "--workload", "--theme", "--lang"}},
        {"UnknownCommand", {"rnu"}, {"'rnu'", "run, sweep, calibrate, list, report"}},
        {"UnknownRunOption", run_with({"--foo"}), {"run: ", "'--foo'", "--iterations", "--memory-mb"}},
        {"SurplusArgument", run_with({"more"}), {"run: ", "'more'", "--iterations"}},
        {"UnknownTheme", {"--theme", "blue"}, {"'blue'", "dark", "light"}},
        {"RunWithoutWorkload", {"run"}, {"--workload", "linear-mse", "iris-mlp"}},
        {"UnknownWorkload", {"run", "--workload", "x"}, {"'x'", "linear-mse", "iris-mlp"}},
        {"UnknownWorkloadForTheWindow", {"--workload", "x"}, {"'x'", "linear-mse", "iris-mlp"}},
        {"UnknownDevice", run_with({"--device", "gpu"}), {"'gpu'", "auto", "sim:rtx4090", "sim:teaching"}},
        {"UnknownProfile", run_with({"--device", "sim:rtx9"}), {"sim:rtx9", "sim:rtx4090", "sim:FILE.toml"}},
        {"UnknownSetting", run_with({"--set", "foo=1"}), {"'foo'", "log_interval", "dispatch_us"}},
        {"SettingOutOfRange", run_with({"--set", "batch_size=0"}), {"batch_size", "'0'", "1 to 8192"}},
        {"SettingOfTheWrongType", run_with({"--set", "pinned=maybe"}), {"pinned", "'maybe'", "true", "false"}},
        {"UnknownChoice", run_with({"--set", "feed=x"}), {"feed", "'x'", "resident", "per-iteration"}},
        {"SettingWithoutValue", run_with({"--set", "pinned"}), {"'pinned'", "KEY=VALUE"}},
        {"ComparedSettingUnknown", run_with({"--compare", "foo=1"}), {"'foo'", "log_interval"}},
        {"ComparedSettingOutOfRange", run_with({"--compare", "batch_size=-1"}), {"batch_size", "1 to 8192"}},
        {"NoIterations",
         {"run", "--workload", "linear-mse", "--iterations", "0"},
         {"--iterations", "'0'", "from 1 to"}},
        {"IterationsNotANumber",
         {"run", "--workload", "linear-mse", "--iterations", "1e6"},
         {"--iterations", "'1e6'", "whole number"}},
        {"TooManyIterations",
         {"run", "--workload", "linear-mse", "--iterations", "99999999999999999999"},
         {"--iterations", "99999999999999999999", "1000000000"}},
        {"NegativeSeed", run_with({"--set", "seed=-1"}), {"seed", "'-1'", "0 to"}},
        {"TooLittleMemory", run_with({"--memory-mb", "15"}), {"--memory-mb", "'15'", "from 16 to"}},
        {"ValueMissing", run_with({"--json"}), {"--json", "needs a value", "FILE|-"}},
        {"ValueForgotten", run_with({"--json", "--trace", "x"}), {"--json", "needs a value"}},
        {"ValueEmpty", run_with({"--json="}), {"--json", "needs a value"}},
        {"GivenTwice", run_with({"--device", "sim", "--device", "cpu"}), {"--device", "2 times", "once"}},
        {"OneFileForTwoOutputs", run_with({"--json", "x", "--trace", "./x"}), {"./x", "two outputs"}},
        {"OptionBeforeTheCommand", {"--device", "sim", "run", "--workload", "linear-mse"}, {"--device", "'run'"}},
        {"ListOfNothing", {"list"}, {"workloads, devices, settings, figures, experiments"}},
        {"ListOfUnknown", {"list", "gpus"}, {"'gpus'", "workloads, devices, settings, figures, experiments"}},
        {"LessonOfNothing", {"lesson"}, {"lesson", "lanescope list lessons"}},
        {"UnknownLesson", {"lesson", "physics"}, {"'physics'", "why-the-gpu-waits", "lab"}},
        {"TwoPagesOnStandardOutput",
         {"lesson", "one-line", "--notes", "-", "--worksheet", "-"},
         {"--notes", "--worksheet"}},
        {"AnswersToNothing", {"lesson", "one-line", "--answers"}, {"--answers", "--worksheet"}},
        {"GradeOfNothing", {"grade"}, {"grade", ".answers.json"}},
        {"TwoGradesOnStandardOutput", {"grade", "a.json", "--csv", "-", "--json", "-"}, {"--csv", "--json"}},
        {"UnknownGradeOption", {"grade", "a.json", "--lesson", "x"}, {"grade: ", "'--lesson'", "--csv"}},
        {"ReportOfNothing", {"report"}, {"report", ".json"}},
        {"OpenAndRun", {"--open", "x.json", "--workload", "linear-mse"}, {"--workload", "--open"}},
        {"UnknownExperiment", {"run", "--experiment", "P99"}, {"'P99'", "P01", "P28"}},
        {"UnknownExperimentForTheWindow", {"--experiment", "P99"}, {"'P99'", "P01"}},
        {"ExperimentAndWorkload",
         {"run", "--experiment", "P09", "--workload", "linear-mse"},
         {"--workload", "--experiment", "one of the two"}},
        {"ExperimentAndCompare", {"run", "--experiment", "P09", "--compare", "seed=2"}, {"--compare", "two sides"}},
        {"UnknownSide", {"run", "--experiment", "P09", "--side", "left"}, {"'left'", "before, after, both"}},
        {"UnknownSideForTheWindow", {"--experiment", "P09", "--side", "both"}, {"'both'", "before, after"}},
        {"SideWithoutExperiment", run_with({"--side", "after"}), {"--side", "--experiment"}},
        {"UnknownLanguage", {"run", "--experiment", "P09", "--lang", "de"}, {"'de'", "en, zh"}},
        {"UnknownLanguageOfTheWindow", {"--lang", "de"}, {"'de'", "en, zh"}},
        {"UnknownLanguageOfAList", {"list", "settings", "--lang", "fr"}, {"'fr'", "en, zh"}},
        {"ExperimentsSettingUnknown", {"run", "--experiment", "P09", "--set", "foo=1"}, {"'foo'", "log_interval"}},
        {"SweepOfNothing", {"sweep", "--over", "batch_size=1,2"}, {"sweep", "--workload", "--experiment"}},
        {"SweepOverNothing", {"sweep", "--workload", "linear-mse"}, {"--over", "batch_size=128,512"}},
        {"SweepOverUnknown", sweep_with({"--over", "foo=1,2"}), {"'foo'", "log_interval"}},
        {"SweepOutOfRange", sweep_with({"--over", "batch_size=1,0"}), {"batch_size", "'0'", "1 to"}},
        {"SweepOverThree",
         sweep_with({"--over", "batch_size=1", "--over", "seed=1", "--over", "pinned=true"}),
         {"3 settings", "1 or 2"}},
        {"SweepOfAnUnknownFigure",
         sweep_with({"--over", "seed=1,2", "--figure", "speed"}),
         {"'speed'", "iteration_us"}},
        {"SweepAgainstNothing", sweep_with({"--over", "seed=1,2", "--against", "cpu"}), {"'cpu'", "KEY=VALUE"}},
        {"SweepToOneOutputTwice",
         sweep_with({"--over", "seed=1,2", "--csv", "-", "--json", "-"}),
         {"standard output", "--csv"}},
        {"SweepToOneFileTwice", sweep_with({"--over", "seed=1,2", "--csv", "x", "--json", "x"}), {"x", "two outputs"}},
        {"ScreenshotOfNoKind", run_with({"--screenshot", "p.jpg"}), {"p.jpg", ".png, .svg"}},
        {"ThemeOfNothing", run_with({"--theme", "light"}), {"--theme", "--screenshot"}},
        {"ScreenshotThemeUnknown", run_with({"--screenshot", "p.svg", "--theme", "blue"}), {"blue", "light"}},
        {"SweepAsSvg", sweep_with({"--over", "seed=1,2", "--screenshot", "s.svg"}), {"s.svg", ".png"}},
        {"LineBreakInAName", {"run", "--workload", "a\nb\x1b[31m"}, {"linear-mse"}},
    }),
    [](const auto& tested) { return tested.param.name; });

struct UnusableFile {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> said;
};

class UnusableFiles : public ProgramTest, public testing::WithParamInterface<UnusableFile> {};

TEST_P(UnusableFiles, AreOneLineAndExit1AndNothingIsWritten) {
  std::filesystem::create_directory(folder_ / "folder.toml");
  std::ofstream(folder_ / "empty.json");
  std::ofstream(folder_ / "cut.json") << R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "a", "ts": 1)";
  std::ofstream(folder_ / "broken.toml") << "[launch]\ncost_us = =\n";
  const std::vector<std::string> before = files();
  expect_complaint(run(GetParam().arguments), 1, GetParam().said);
  EXPECT_EQ(files(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Files, UnusableFiles,
    testing::ValuesIn(std::vector<UnusableFile>{
        {"JsonInAMissingFolder", run_with({"--json", "none/x.json"}), {"none/x.json", "No such file"}},
        {"TraceInAMissingFolder", run_with({"--json", "ok.json", "--trace", "none/x.json"}), {"none/x.json"}},
        {"ScreenshotInAMissingFolder", run_with({"--screenshot", "none/x.png"}), {"none/x.png", "No such file"}},
        {"TraceIsAFolder", run_with({"--trace", "folder.toml"}), {"folder.toml", "directory"}},
        {"JsonOnAFullDisk", run_with({"--json", "/dev/full"}), {"/dev/full", "No space left"}},
        {"ExperimentsJsonInAMissingFolder", {"run", "--experiment", "P09", "--json", "none/x.json"}, {"none/x.json"}},
        {"CsvInAMissingFolder",
         sweep_with({"--over", "seed=1", "--csv", "none/x.csv"}),
         {"none/x.csv", "No such file"}},
        {"ProfileMissing", run_with({"--device", "sim:none.toml"}), {"none.toml", "No such file"}},
        {"ProfileIsAFolder", run_with({"--device", "sim:folder.toml"}), {"folder.toml"}},
        {"ProfileBroken", run_with({"--device", "sim:broken.toml"}), {"broken.toml", "2"}},
        {"TraceMissing", {"report", "none.json"}, {"none.json", "No such file"}},
        {"TraceEmpty", {"report", "empty.json"}, {"empty.json"}},
        {"TraceCut", {"report", "cut.json"}, {"cut.json"}},
        {"TraceIsAFolderToRead", {"report", "folder.toml"}, {"folder.toml"}},
        {"TraceTwice", {"report", "cut.json", "./cut.json"}, {"cut.json", "the same file is given twice"}},
        {"TraceAndAFolder",
         {"export", "cut.json", "folder.toml", "--sqlite", "x.db"},
         {"folder.toml", "a folder among"}},
        {"OneOfSeveralTracesMissing", {"report", "cut.json", "none.json"}, {"cut.json"}},
        {"OpenTwice", {"--open", "cut.json", "cut.json"}, {"cut.json", "the same file is given twice"}},
        {"OpenAFileAndAFolder", {"--open", "cut.json", "folder.toml"}, {"folder.toml", "a folder among"}},
        {"OpenOneOfSeveralMissing", {"--open", "cut.json", "none.json"}, {"none.json", "No such file"}},
        {"OpenMissing", {"--open", "none.json"}, {"none.json", "No such file"}},
        {"OpenEmpty", {"--open", "empty.json"}, {"empty.json", "empty"}},
        {"OpenAFolder", {"--open", "folder.toml"}, {"folder.toml", "a folder without traces"}},
        {"NoDisplay", {}, {"display", "lanescope run"}},
    }),
    [](const auto& tested) { return tested.param.name; });

using Screenshot = ProgramTest;

// No EGL drivers are found. That must be reported before a run of hours, not after it.
TEST_F(Screenshot, WithoutOpenGlIsRefusedBeforeTheRun) {
  Surroundings no_drivers;
  no_drivers.environment = {{"__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent"}};
  expect_complaint(
      run({"run", "--workload", "linear-mse", "--iterations", "1000000000", "--screenshot", "p.png"}, no_drivers), 1,
      {"OpenGL"});
  EXPECT_TRUE(files().empty());
}

using StandardOutput = ProgramTest;

TEST_F(StandardOutput, OnAFullDiskIsAnError) {
  for (const auto& arguments : {run_with({}), run_with({"--json", "-"}), {"list", "settings"}, {"--help"}}) {
    Surroundings full;
    full.out_path = "/dev/full";
    expect_complaint(run(arguments, full), 1, {"standard output", "No space left"});
  }
}

}  // namespace
}  // namespace lanescope::app::test
