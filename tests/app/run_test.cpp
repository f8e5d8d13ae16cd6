// `lanescope run`: its output and its files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/program.h"
#include "device/framework_costs.h"
#include "io/png.h"
#include "read_png.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class Run : public ProgramTest {
 protected:
  Json run_json(std::vector<std::string> arguments) const {
    if (std::find(arguments.begin(), arguments.end(), "--device") == arguments.end()) {
      arguments.insert(arguments.end(), {"--device", "sim"});
    }
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return Json::parse(outcome.out);
  }
};

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST_F(Run, TheJsonHasTheseFieldsAndTypes) {
  Json json = run_json({"--workload", "linear-mse", "--iterations", "50"});
  EXPECT_THAT(keys_of(json),
              ElementsAre("lanescope", "workload", "device", "simulated", "pytorch_costs", "settings", "iterations",
                          "elapsed_ns", "pace", "samples_per_s", "iteration_ns", "gpu_busy_ns", "kernel_ns",
                          "exposed_copy_ns", "bubble_ns", "bubbles_by_cause", "bubbles_by_fine_cause", "host_wait_ns",
                          "loader_wait_ns", "sync_count", "launch_count", "run_ahead", "h2d_bytes", "h2d_gb_per_s",
                          "d2h_bytes", "d2h_gb_per_s", "verdict", "events", "loss", "verdict_sentence",
                          "verdict_figures", "verdict_note", "own", "idle_ledger", "advice", "breakdown"));
  EXPECT_EQ(json["lanescope"], "0.1.0");
  EXPECT_EQ(json["workload"], "linear-mse");
  EXPECT_EQ(json["device"], "sim:rtx4090");
  EXPECT_EQ(json["simulated"], true);
  EXPECT_THAT(keys_of(json["settings"]), ElementsAre("batch_size", "cuda_graph", "dispatch_us", "feed", "log_interval",
                                                     "non_blocking", "pinned", "seed", "timing"));
  EXPECT_TRUE(json["settings"]["log_interval"].is_number_integer());
  EXPECT_TRUE(json["settings"]["pinned"].is_boolean());
  EXPECT_TRUE(json["settings"]["dispatch_us"].is_number());
  EXPECT_EQ(json["settings"]["feed"], "resident");
  EXPECT_EQ(json["iterations"], 50);
  EXPECT_THAT(keys_of(json["iteration_ns"]), ElementsAre("mean", "p50", "p99"));
  EXPECT_THAT(keys_of(json["pace"]), ElementsAre("ns", "basis", "iterations"));
  EXPECT_EQ(json["pace"]["basis"], "elapsed");
  for (const char* whole : {"elapsed_ns", "gpu_busy_ns", "host_wait_ns", "bubble_ns", "sync_count", "launch_count",
                            "h2d_bytes", "d2h_bytes"}) {
    EXPECT_TRUE(json[whole].is_number_integer()) << whole;
  }
  EXPECT_TRUE(json["h2d_gb_per_s"].is_null()) << "nothing was copied to the device";
  EXPECT_TRUE(json["verdict"].is_string());
  ASSERT_EQ(json["verdict_figures"].size(), 3u);
  EXPECT_THAT(keys_of(json["verdict_figures"][0]), ElementsAre("label", "value", "unit"));
  EXPECT_EQ(json["verdict_figures"][0]["label"], "idle");
  EXPECT_THAT(keys_of(json["events"]), ElementsAre("recorded", "dropped", "evicted"));
  EXPECT_TRUE(json["loss"].is_null()) << "timing only: there is no loss";
}

// From the first iteration's start to the end of the last operation, the GPU is either busy or idle.
TEST_F(Run, TheFiguresAreOfTheStretchThatElapsed) {
  Json json = run_json({"--workload", "linear-mse", "--iterations", "200", "--set", "log_interval=1"});
  EXPECT_EQ(json["gpu_busy_ns"].get<std::int64_t>() + json["bubble_ns"].get<std::int64_t>(), json["elapsed_ns"]);
  EXPECT_LE(json["host_wait_ns"], json["elapsed_ns"]);
  // One read of a float each, and no copy to the device: the batch had been made resident before the first iteration.
  EXPECT_EQ(json["d2h_bytes"], 200 * 4);
  EXPECT_EQ(json["h2d_bytes"], 0);
  EXPECT_GE(json["sync_count"], 200);
  EXPECT_LE(json["sync_count"], 202) << "a synchronisation or two end the run";
}

TEST_F(Run, AWorkloadsOwnFiguresAreInTheJsonAndTheTable) {
  const std::vector<std::string> command{"--workload", "bandwidth", "--iterations", "5"};
  Json own = run_json(command)["own"]["stopwatch_ms"];
  EXPECT_THAT(keys_of(own), ElementsAre("label", "unit", "mean", "total", "last", "count"));
  EXPECT_EQ(own["unit"], "ms");
  EXPECT_EQ(own["count"], 5);
  EXPECT_NEAR(own["total"].get<double>(), 5 * own["mean"].get<double>(), 1e-9);
  EXPECT_THAT(run({"run", "--workload", "bandwidth", "--iterations", "5"}).out, HasSubstr(std::string(own["label"])));
}

TEST_F(Run, OnACpuTheTableSaysNothingOfAGpu) {
  const std::string table =
      run({"run", "--workload", "iris-mlp", "--device", "cpu:teaching", "--iterations", "50"}).out;
  EXPECT_THAT(table, AllOf(HasSubstr("CPU only"), HasSubstr("per iteration, by elapsed time"),
                           Not(HasSubstr("GPU busy")), Not(HasSubstr("kernel launches"))));
}

TEST_F(Run, ALossThatIsComputedIsReported) {
  Json json = run_json({"--workload", "iris-mlp", "--iterations", "500"});
  EXPECT_GT(json["loss"]["first"], 0.5);
  EXPECT_LT(json["loss"]["last"], json["loss"]["first"]);
}

TEST_F(Run, ThousandIterationsUnlessTold) { EXPECT_EQ(run_json({"--workload", "linear-mse"})["iterations"], 1000); }

TEST_F(Run, SettingsAreTakenInOrderAndSeedIsASetting) {
  Json json = run_json({"--workload", "linear-mse", "--iterations", "5", "--set", "log_interval=7", "--set",
                        "log_interval=9", "--set", "seed=42"});
  EXPECT_EQ(json["settings"]["log_interval"], 9);
  EXPECT_EQ(json["settings"]["seed"], 42);
}

TEST_F(Run, TheDeviceIsTheOneThatWasAskedFor) {
  Json json = run_json({"--workload", "linear-mse", "--iterations", "5", "--device", "sim:teaching"});
  EXPECT_EQ(json["device"], "sim:teaching");
}

TEST_F(Run, TheSameCommandGivesTheSameBytes) {
  for (const std::string workload : {"linear-mse", "iris-mlp"}) {
    std::vector<std::string> said, traces;
    for (const std::string seed : {"5", "5", "6"}) {
      const Outcome outcome = run({"run", "--workload", workload, "--iterations", "300", "--set", "seed=" + seed,
                                   "--set", "feed=per-iteration", "--json", "-", "--trace", "t.json.gz"});
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      said.push_back(outcome.out);
      traces.push_back(text_of(folder_ / "t.json.gz"));
    }
    EXPECT_EQ(said[0], said[1]);
    EXPECT_EQ(traces[0], traces[1]);
    EXPECT_NE(said[0], said[2]);
    EXPECT_NE(traces[0], traces[2]);
  }
}

// More events than the memory cap holds: the figures still include every event, and the evicted ones make no
// difference.
TEST_F(Run, UnderATightMemoryCapNothingGoesUncounted) {
  const std::vector<std::string> command{"--workload", "linear-mse", "--iterations",
                                         "40000",      "--set",      "log_interval=1"};
  std::vector<std::string> tight = command;
  tight.insert(tight.end(), {"--memory-mb", "16"});
  Json whole = run_json(command), cut = run_json(tight);
  EXPECT_EQ(run_json(tight).dump(), cut.dump());
  EXPECT_EQ(whole["events"]["evicted"], 0);
  EXPECT_GT(cut["events"]["evicted"], 0);
  cut["events"]["evicted"] = 0;
  for (Json* json : {&cut, &whole}) EXPECT_EQ(json->erase("idle_ledger"), 1u);  // of what was kept
  EXPECT_EQ(cut.dump(), whole.dump());
}

TEST_F(Run, AComparisonReportsBothRunsAndTheirRatio) {
  Json json = run_json({"--workload", "linear-mse", "--iterations", "300", "--set", "log_interval=1", "--compare",
                        "log_interval=100", "--compare", "batch_size=64"});
  ASSERT_THAT(keys_of(json), ElementsAre("runs", "ratio", "gain"));
  ASSERT_EQ(json["runs"].size(), 2u);
  Json &first = json["runs"][0], &second = json["runs"][1], &ratio = json["ratio"];
  EXPECT_EQ(first["settings"]["log_interval"], 1);
  EXPECT_EQ(first["settings"]["batch_size"], 128);
  EXPECT_EQ(second["settings"]["log_interval"], 100);
  EXPECT_EQ(second["settings"]["batch_size"], 64);
  EXPECT_THAT(keys_of(ratio),
              ElementsAre("elapsed_ns", "pace", "samples_per_s", "gpu_busy_ns", "kernel_ns", "exposed_copy_ns",
                          "bubble_ns", "host_wait_ns", "loader_wait_ns", "sync_count", "launch_count", "h2d_bytes",
                          "h2d_gb_per_s", "d2h_bytes", "d2h_gb_per_s"));
  EXPECT_DOUBLE_EQ(ratio["elapsed_ns"], second["elapsed_ns"].get<double>() / first["elapsed_ns"].get<double>());
  EXPECT_DOUBLE_EQ(ratio["pace"], second["pace"]["ns"].get<double>() / first["pace"]["ns"].get<double>());
  EXPECT_LT(ratio["elapsed_ns"], 1);
  EXPECT_EQ(ratio["launch_count"], 1.0);
  EXPECT_DOUBLE_EQ(ratio["d2h_bytes"], 0.01) << "3 reads against 300";
  EXPECT_TRUE(ratio["h2d_bytes"].is_null()) << "nothing to divide by";
}

TEST_F(Run, AComparisonsTableHasAColumnForEachRunAndTheRatio) {
  const Outcome outcome =
      run({"run", "--workload", "linear-mse", "--iterations", "300", "--compare", "log_interval=100"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("log_interval=1 "));
  EXPECT_THAT(outcome.out, HasSubstr("log_interval=100 "));
  EXPECT_THAT(outcome.out, HasSubstr("second / first\n"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex(
                               "\n\nThe second is 1\\.[0-9]+ times as fast: per iteration, by elapsed time\\.\n\n"));
  EXPECT_THAT(outcome.out, HasSubstr("(simulated)"));
  EXPECT_THAT(outcome.out, HasSubstr("log_interval=100: "));
}

// P28: 4 samples or 32 in 8 ms. S4-wrong-device: a raised error against a step.
TEST_F(Run, IterationsOfDifferentWorkHaveNoFactor) {
  for (const char* id : {"P28", "S4-wrong-device"}) {
    SCOPED_TRACE(id);
    const Outcome outcome = run({"run", "--experiment", id, "--iterations", "50", "--json", "both.json"});
    EXPECT_THAT(outcome.out, HasSubstr("\n\nNo factor: the iterations of the two do different work.\n\n"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("per sample")));
    const Json json = Json::parse(text_of(folder_ / "both.json"));
    EXPECT_TRUE(json["gain"]["factor"].is_null());
    EXPECT_TRUE(json["ratio"]["samples_per_s"].is_null());
  }
}

TEST_F(Run, TheTableSaysWhatTheJsonSays) {
  const Outcome outcome = run({"run", "--workload", "linear-mse", "--iterations", "1200", "--json", "figures.json"});
  EXPECT_EQ(outcome.status, 0);
  Json json = Json::parse(text_of(folder_ / "figures.json"));
  EXPECT_THAT(outcome.out, testing::MatchesRegex("(.|\n)*iterations +1,200(.|\n)*"));
  EXPECT_THAT(outcome.out, HasSubstr("NVIDIA GeForce RTX 4090"));
  std::string title = json["verdict"];
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  EXPECT_THAT(outcome.out, HasSubstr('\n' + title + ". "));
}

TEST_F(Run, ColoursAreForTerminalsOnly) {
  const std::vector<std::string> command{"run", "--workload", "linear-mse", "--iterations", "5"};
  Surroundings terminal;
  terminal.out_terminal = true;
  EXPECT_THAT(run(command, terminal).out, HasSubstr("\033["));
  terminal.environment["NO_COLOR"] = "1";
  EXPECT_THAT(run(command, terminal).out, Not(HasSubstr("\033[")));
  terminal.environment = {{"TERM", "dumb"}};
  EXPECT_THAT(run(command, terminal).out, Not(HasSubstr("\033[")));
  EXPECT_THAT(run(command).out, Not(HasSubstr("\033[")));
}

// The first Ctrl-C is sent when the bar appears; without it the run would take hours.
TEST_F(Run, ALongRunShowsAProgressBarAndEndsEarlyOnCtrlC) {
  Surroundings terminal;
  terminal.err_terminal = true;
  bool sent = false;
  terminal.watch = [&sent](pid_t process, const Outcome& so_far) {
    if (sent || so_far.err.find(" of 1,000,000,000 iterations") == std::string::npos) return;
    sent = kill(process, SIGINT) == 0;
  };
  const Outcome outcome =
      run({"run", "--workload", "linear-mse", "--iterations", "1000000000", "--json", "-"}, terminal);
  EXPECT_TRUE(sent);
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.err, HasSubstr("ended early"));
  Json json = Json::parse(outcome.out);
  EXPECT_GT(json["iterations"], 0);
  EXPECT_LT(json["iterations"], 1'000'000'000);
}

TEST_F(Run, AComparisonThatIsEndedEarlyReportsWhatItHas) {
  Surroundings impatient;
  bool sent = false;
  impatient.watch = [&sent](pid_t process, const Outcome&) {
    if (!sent && handles_signal(process, SIGINT)) sent = kill(process, SIGINT) == 0;
  };
  const Outcome outcome = run(
      {"run", "--workload", "linear-mse", "--iterations", "1000000000", "--compare", "log_interval=0", "--json", "-"},
      impatient);
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.err, HasSubstr("of the first run"));
  Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["runs"].size(), 1u);
  EXPECT_TRUE(json["ratio"].is_null());
}

TEST_F(Run, AShortRunShowsNoBar) {
  EXPECT_EQ(run({"run", "--workload", "linear-mse", "--iterations", "5", "--device", "sim"}).err, "");
}

// A user who did not choose the device is told why it is not a GPU; one who did is not.
TEST_F(Run, SaysWhyNoGpuIsUsed) {
  EXPECT_EQ(run({"run", "--workload", "linear-mse", "--iterations", "5"}).err,
            "lanescope: no GPU: the CUDA back end is switched off (LANESCOPE_CUDA=off); simulating NVIDIA GeForce RTX "
            "4090\n");
  EXPECT_THAT(run({"run", "--workload", "linear-mse", "--iterations", "5", "--device", "cuda:0"}).err,
              HasSubstr("(LANESCOPE_CUDA=off)"));
}

TEST_F(Run, CalibratesASimulatedDevice) {
  const Outcome outcome = run({"calibrate", "--device", "sim:rtx4090", "--out", "mine.toml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cpu.launch_us"));
  EXPECT_THAT(files(), ElementsAre("mine.toml"));
  EXPECT_EQ(run_json({"--workload", "linear-mse", "--iterations", "5", "--device", "sim:mine.toml"})["device"],
            "sim:mine.toml");
}

// The program comes in on standard input; what it prints is stood for by a file here.
TEST_F(Run, CalibratesPyTorchWithTheGivenPython) {
  std::string costs;
  for (const std::string_view key : device::kFrameworkKeys) {
    costs += fmt::format("{}\"{}\": [50, 0, 0, 0]", costs.empty() ? "" : ", ", key);
  }
  std::ofstream(folder_ / "printed") << "{\"torch\": \"2.11\", \"costs\": {\"cuda\": {" << costs << "}}}\n";
  std::ofstream(folder_ / "python") << "#!/bin/sh\ngrep -q 'import torch' && cat printed\n";
  std::filesystem::permissions(folder_ / "python", std::filesystem::perms::owner_all);
  const Outcome outcome = run({"calibrate", "--device", "sim:teaching", "--torch=./python", "--out", "mine.toml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("pytorch.linear_us"));
  // 22 statements of an epoch are charged, see framework_costs_test, and 16 launches of 10 us.
  const auto epoch = run_json({"--workload", "iris-mlp", "--set", "log_interval=0", "--iterations", "50", "--device",
                               "sim:mine.toml"})["iteration_ns"]["p50"]
                         .get<double>();
  EXPECT_EQ(epoch, 22 * 50'000 + 16 * 10'000);

  std::ofstream(folder_ / "python") << "#!/bin/sh\nexit 3\n";
  for (const auto& [python, why] : {std::pair("./python", "exit status 3"), {"./none", "No such file or directory"}}) {
    const Outcome failed =
        run({"calibrate", "--device", "sim:teaching", std::string("--torch=") + python, "--out", "other.toml"});
    EXPECT_EQ(failed.status, 1);
    EXPECT_THAT(failed.err, EndsWith(fmt::format("lanescope: {} failed: {}\n", python, why)));
    EXPECT_THAT(files(), Not(Contains("other.toml")));
  }
}

TEST_F(Run, CalibratesNoMachineWithoutAGpu) {
  const Outcome outcome = run({"calibrate", "--out", "mine.toml"});
  expect_complaint(outcome, 2, {"calibrate", "LANESCOPE_CUDA=off", "--device sim:PROFILE"});
  EXPECT_THAT(files(), ElementsAre());
}

TEST_F(Run, TheScreenshotIsAPngThatSaysSimulated) {
  const Outcome outcome =
      run({"run", "--workload", "linear-mse", "--iterations", "50", "--screenshot", "one.png", "--trace", "t.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::map<std::string, std::string> text;
  const io::Image one = lanescope::test::read_png(folder_ / "one.png", &text);
  EXPECT_GE(one.width, 1600);
  EXPECT_GE(one.height, 400);
  std::string all;
  for (const auto& [key, value] : text) all += key + "=" + value + '\n';
  EXPECT_THAT(all, HasSubstr("imulated"));
  EXPECT_THAT(all, HasSubstr("linear-mse"));
  EXPECT_THAT(all, HasSubstr("rtx4090"));

  ASSERT_EQ(run({"run", "--workload", "linear-mse", "--iterations", "50", "--screenshot", "two.png", "--compare",
                 "log_interval=0"})
                .status,
            0);
  text.clear();
  EXPECT_GT(lanescope::test::read_png(folder_ / "two.png", &text).height, one.height)
      << "both runs, one below the other";
  EXPECT_EQ(text["settings A"], "log interval 1");
  EXPECT_EQ(text["settings B"], "log interval never");
  EXPECT_THAT(text["Description"], HasSubstr("as fast"));
  EXPECT_THAT(text["table"], HasSubstr("| idle: after a sync |"));
}

TEST_F(Run, TheScreenshotOfAnExperimentNamesItsSides) {
  ASSERT_EQ(run({"run", "--experiment", "P09", "--iterations", "50", "--screenshot", "sides.svg"}).status, 0);
  const std::string svg = text_of(folder_ / "sides.svg");
  for (const char* part : {"P09 Reading the loss every iteration", "before: a read every iteration (log interval 1)",
                           "after: no read (log interval never)", "as fast", "idle: after a sync"}) {
    EXPECT_THAT(svg, HasSubstr(part));
  }
}

TEST_F(Run, TheScreenshotsEndingAndThemeAreChosen) {
  const auto take = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--workload", "linear-mse", "--iterations", "30", "--screenshot"});
    const Outcome outcome = run(more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  };
  take({"dark.png"});
  take({"light.png", "--theme", "light"});
  const io::Image dark = lanescope::test::read_png(folder_ / "dark.png");
  const io::Image light = lanescope::test::read_png(folder_ / "light.png");
  EXPECT_EQ(dark.width, 3200);
  EXPECT_GT(light.pixels[0], dark.pixels[0]);

  // Vectors need no OpenGL.
  Surroundings no_drivers;
  no_drivers.environment = {{"__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent"}};
  ASSERT_EQ(run({"run", "--workload", "linear-mse", "--iterations", "30", "--screenshot", "v.svg"}, no_drivers).status,
            0);
  const std::string svg = text_of(folder_ / "v.svg");
  EXPECT_THAT(svg, HasSubstr("SIMULATED"));
  EXPECT_THAT(svg, HasSubstr("</svg>"));
}

TEST_F(Run, EveryOutputIsWrittenAndNothingElse) {
  const Outcome outcome = run({"run", "--workload", "linear-mse", "--iterations", "20", "--json", "a.json", "--trace",
                               "t.json.gz", "--screenshot", "p.png", "--compare", "pinned=true"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(files(), ElementsAre("a.json", "p.png", "t-compare.json.gz", "t.json.gz"));
}

}  // namespace
}  // namespace lanescope::app::test
