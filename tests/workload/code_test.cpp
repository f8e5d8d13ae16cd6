// The code of the workloads matches what they do.
#include "workload/program.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "workload/on_device.h"

namespace lanescope::workload {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

using Assignments = std::vector<std::string>;

Code code_with(std::string_view workload, const Assignments& assignments) {
  Settings settings = default_settings(workload, {});
  for (const std::string& assignment : assignments) settings.assign(assignment);
  return workload_code(workload, settings);
}

// Variants of each workload's settings, those that change the code.
std::vector<Assignments> variants(std::string_view workload) {
  if (workload == "linear-mse") {
    return {{},
            {"log_interval=0", "feed=per-iteration", "pinned=true"},
            {"timing=naive"},
            {"timing=synchronized"},
            {"timing=events"},
            {"timing=events-early"},
            {"timing=events-polled", "log_interval=0"},
            {"cuda_graph=true"},
            {"cuda_graph=true", "feed=per-iteration"}};
  }
  if (workload == "iris-mlp") {
    return {{},
            {"log_interval=5", "feed=per-iteration", "non_blocking=true"},
            {"model_on=cpu", "hook=reads"},
            {"hook=reads"},
            {"hook=reads", "call_with=forward"},
            {"cuda_graph=true", "log_interval=1", "feed=per-iteration"}};
  }
  if (workload == "raw-cuda") {
    return {{}, {"copies=async", "pinned=true"}, {"n=1000", "kernel_us=0", "own_work_us=0"}};
  }
  if (workload == "transfer-loop") {
    return {{},
            {"train=true", "feed=resident"},
            {"scaler=true", "round_trip=true"},
            {"copy_stream=side", "pinned=true", "non_blocking=true", "log_interval=0"},
            {"cuda_graph=true", "train=true"},
            {"cuda_graph=true", "train=true", "copy_stream=side", "round_trip=true"}};
  }
  if (workload == "control-flow") {
    return {{},
            {"log_interval=1", "branch=fixed"},
            {"network=while-loop", "batch_size=32"},
            {"network=while-loop", "batch_size=32", "branch=fixed", "log_interval=2"},
            {"branch=fixed", "cuda_graph=true"}};
  }
  if (workload == "bandwidth") {
    return {{}, {"fresh=true", "gpu_first=true"}, {"pin_first=true"}, {"direction=d2h", "sync=false", "pinned=true"}};
  }
  if (workload == "dataloader") {
    return {{"samples=32", "worker_start_ms=1"},
            {"samples=32", "num_workers=0", "log_interval=1"},
            {"samples=32", "worker_start_ms=1", "pin_memory=true", "prefetch_factor=3", "persistent_workers=true"},
            {"samples=32", "tensors=3", "accumulate=2", "autocast=true", "input=float16", "storage=cached"}};
  }
  if (workload == "readback" || workload == "plot-transfer") {
    std::vector<Assignments> all;
    const Settings settings = default_settings(workload, {});
    for (const std::string& method : settings.spec("method")->choices) {
      all.push_back({"method=" + method});
      if (workload == "readback") all.back().push_back("window=3");
    }
    if (workload == "readback") {
      all.push_back({"validation=true", "sync_debug=warn"});
      all.push_back({"cuda_graph=true"});
    } else {
      all.push_back({"part=column"});
    }
    return all;
  }
  // break-even; 1000 = 7 * 128 + 104 samples
  return {{},
          {"feed=per-iteration", "log_interval=0"},
          {"cuda_graph=true", "problem_size=1000", "batch_size=128"},
          {"cuda_graph=true", "problem_size=1000", "batch_size=1000", "feed=per-iteration"}};
}

bool reads_or_writes(const trace::Event& call, const base::NameTable& names) {
  return trace::is_sync(call) || names.text(call.name).starts_with("cudaMemcpy");
}

TEST(Code, EveryRangeHasItsLineAndEveryLineItsRange) {
  for (const std::string& name : workload_names()) {
    for (const Assignments& assignments : variants(name)) {
      SCOPED_TRACE(name + testing::PrintToString(assignments));
      OnDevice w("sim:teaching", name, assignments);
      w.iterate(12);
      w.workload->finish();
      const Code code = workload_code(name, w.settings);
      std::set<std::size_t> left;
      std::map<std::string, std::size_t> seen;  // ranges of a name; none of these lines is reached after two
      for (const trace::Event& event : w.sink.events) {
        const trace::LaneInfo& lane = w.sink.lanes.at(event.lane);
        if (lane.kind == trace::LaneKind::Calls && reads_or_writes(event, w.sink.names)) {
          if (const auto at = statement_of(code, "forward", 0, true); at && code[*at].transfers) left.insert(*at);
        }
        if (lane.kind != trace::LaneKind::Phases || lane.name == "waiting" || lane.name == "reads") continue;
        if (lane.name == "warnings" || lane.name == "SummaryWriter") continue;
        const std::string range(w.sink.names.text(event.name));
        const auto at = statement_of(code, range, seen[range]++);
        ASSERT_TRUE(at.has_value()) << "no line has the range " << range;
        left.insert(*at);
      }
      for (std::size_t i = 0; i < code.size(); ++i) {
        if (code[i].ranges.empty()) continue;
        // The workers and their pin thread, and the print that comes every 100 epochs, are not in every variant.
        if (code[i].text == "print(loss.item())" && name == "iris-mlp") continue;
        if (i > 0 && code[i - 1].text == "continue") break;  // code after an exception is never reached
        EXPECT_THAT(left, Contains(i)) << "nothing leaves the ranges of: " << code[i].text;
      }
    }
  }
}

TEST(Code, SaysWhatTheSettingsSay) {
  const Code fed = code_with("linear-mse", {"feed=per-iteration", "pinned=true", "non_blocking=true", "batch_size=7"});
  EXPECT_THAT(plain_text(fed), Contains("    x, y = make_batch(7, pin_memory=True)"));
  EXPECT_THAT(plain_text(fed), Contains("    data = x.to('cuda', non_blocking=True)"));
  const Statement& make = fed[*statement_of(fed, "make batch")];
  EXPECT_THAT(make.knobs, ElementsAre(Statement::KnobText{18, 1, "batch_size"}, Statement::KnobText{32, 4, "pinned"}));
  EXPECT_EQ(make.text.substr(32, 4), "True");

  const auto resident = plain_text(code_with("linear-mse", {"log_interval=0"}));
  EXPECT_THAT(resident, Not(Contains("        value = loss.item()")));
  EXPECT_THAT(plain_text(code_with("linear-mse", {"log_interval=100"})), Contains("    if i % 100 == 0:"));
  EXPECT_THAT(plain_text(code_with("dataloader", {"prefetch_factor=4"})),
              Contains("        num_workers=4, prefetch_factor=4, pin_memory=False,"));
  // Logged every 30 epochs, the loss is printed with the first log that is at least 100 epochs after the last print.
  EXPECT_THAT(plain_text(code_with("iris-mlp", {"log_interval=30"})), Contains("        if (epoch + 1) % 120 == 0:"));
}

// Values kept on the GPU are dropped after they have been read; otherwise the list, and each read, would grow.
TEST(Code, WhatHasBeenReadIsNotKept) {
  for (const char* method : {"method=list-of-items", "method=stacked"}) {
    const auto lines = plain_text(code_with("readback", {method}));
    const auto append = std::find(lines.begin(), lines.end(), "        losses.append(loss.detach())");
    EXPECT_NE(std::find(append, lines.end(), "        losses.clear()"), lines.end()) << method;
  }
  EXPECT_THAT(plain_text(code_with("readback", {})), Contains("    optimizer.zero_grad()"));
  EXPECT_THAT(plain_text(code_with("readback", {"validation=true"})), Not(Contains("    optimizer.zero_grad()")));
}

// With a log interval of 2, an iteration without a copy follows each copy. The slot read must be that of the previous
// copy (as in the loop, Readback.OneStepLateAsksForTheCopyOfTheStepBefore), not the next one, and an iteration after
// one without a copy must read nothing.
TEST(Code, OneStepLateReadsTheSlotOfTheStepBefore) {
  const auto lines = plain_text(code_with("readback", {"method=one-step-late", "log_interval=2"}));
  const auto begin = std::find(lines.begin(), lines.end(), "    if i % 2 == 0:");
  ASSERT_GE(lines.end() - begin, 8);
  EXPECT_THAT(
      std::vector<std::string>(begin, begin + 8),
      ElementsAre("    if i % 2 == 0:", "        slot = 1 - slot",
                  "        pinned[slot].copy_(loss.detach(), non_blocking=True)", "        copied[slot].record()",
                  "    if waiting is not None:  # for the copy of the step before",
                  "        copied[waiting].synchronize()", "        value = pinned[waiting].item()  # on the CPU",
                  "    waiting = slot if i % 2 == 0 else None"));
}

TEST(Code, ABlockHasAtMost1024Threads) {
  EXPECT_THAT(plain_text(code_with("raw-cuda", {"n=1024"})), Contains("    increment<<<1, N>>>(d_a);"));
  EXPECT_THAT(plain_text(code_with("raw-cuda", {"n=1025"})),
              Contains("    increment<<<(N + 255) / 256, 256>>>(d_a);  // a block has 1024 at most"));
}

// What the loop does with the gradients appears in the code, at the right place.
TEST(Code, TrainingLoopsStepAndLetTheirGradientsGo) {
  using Lines = std::vector<std::string>;
  const std::string gone = "optimizer.zero_grad()  # lets .grad go: no kernel";
  EXPECT_THAT(plain_text(code_with("dataloader", {})),
              IsSupersetOf(Lines{"        loss.backward()", "        optimizer.step()", "        " + gone}));
  EXPECT_THAT(plain_text(code_with("dataloader", {"accumulate=4"})),
              IsSupersetOf(Lines{"        (loss / 4).backward()", "        if (i + 1) % 4 == 0:",
                                 "            optimizer.step()", "            " + gone}));
  EXPECT_THAT(plain_text(code_with("transfer-loop", {"train=true"})), Contains("    " + gone));
  EXPECT_THAT(plain_text(code_with("transfer-loop", {"scaler=true"})), Contains("    " + gone));
  EXPECT_THAT(plain_text(code_with("transfer-loop", {})), Not(Contains("    " + gone)));
}

TEST(Code, AKnobChangesNoOtherLine) {
  const Code before = code_with("transfer-loop", {}), after = code_with("transfer-loop", {"pinned=true"});
  ASSERT_EQ(before.size(), after.size());
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].text != before[i].text) changed.push_back(after[i].text);
  }
  EXPECT_THAT(changed, ElementsAre("x, y = make_batch(1000, pin_memory=True)"));
}

// Two lines list the same range: an iteration's first range belongs to the first line, the rest to the last.
TEST(Code, LinesThatShareARangeTakeTurns) {
  const Code timed = code_with("linear-mse", {"timing=synchronized"});
  const auto first = statement_of(timed, "synchronize()", 0), second = statement_of(timed, "synchronize()", 1);
  EXPECT_LT(*first, *statement_of(timed, "forward"));
  EXPECT_GT(*second, *statement_of(timed, "forward"));
  EXPECT_EQ(statement_of(timed, "synchronize()", 2), second);
  EXPECT_EQ(statement_of(timed, "forward", 5), statement_of(timed, "forward", 0));
  EXPECT_EQ(statement_of(timed, "no such range"), std::nullopt);
}

// The test that reads from the GPU is a separate line within the phase of the whole forward pass.
TEST(Code, AReadWithinARangeHasItsOwnLine) {
  const Code asks = code_with("control-flow", {});
  EXPECT_EQ(asks[*statement_of(asks, "forward")].text, "x = fc(x)");
  EXPECT_EQ(asks[*statement_of(asks, "forward", 0, true)].text, "if x.sum().item() > 1000:");
  const Code knows = code_with("control-flow", {"branch=fixed"});
  EXPECT_EQ(knows[*statement_of(knows, "forward", 0, true)].text, "x = fc(x)");
}

TEST(Code, ALineThatGoesOnNamesTheOneItIsPartOf) {
  const Code code = code_with("linear-mse", {"feed=per-iteration"});
  const std::size_t copy = *statement_of(code, "copy");
  EXPECT_EQ(code[copy + 1].part_of, copy);
  EXPECT_THAT(code[copy + 1].ranges, IsEmpty());
}

// One source for both: what the view shows is in the script, line by line.
TEST(Script, IsTheViewWithAllItNeeds) {
  for (const std::string& name : workload_names()) {
    for (const Assignments& assignments : variants(name)) {
      SCOPED_TRACE(name + testing::PrintToString(assignments));
      Settings settings = default_settings(name, {});
      for (const std::string& assignment : assignments) settings.assign(assignment);
      const Script script = workload_script(name, settings, false, {{"A title"}, {{"side", "before"}}, 40});
      std::size_t at = 0;
      std::string last_condition;
      for (const std::string& line : plain_text(workload_code(name, settings))) {
        const std::string text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
        if (text.ends_with(" % 1 == 0:")) continue;  // always true: not in the script
        const std::size_t found = script.text.find(' ' + text + '\n', at);
        if (found == std::string::npos && text == last_condition) continue;
        at = found != std::string::npos ? found : script.text.find('\n' + text + '\n', at);
        ASSERT_NE(at, std::string::npos) << line << "\n" << script.text;
        if (text.starts_with("if ")) last_condition = text;
      }
    }
  }
}

TEST(Script, SaysWhatItIsAndHowLongItRuns) {
  const Settings settings = default_settings("linear-mse", {});
  const std::string text =
      workload_script("linear-mse", settings, false, {{"A \"title\"", "", "More."}, {{"side", "before"}}, 40}).text;
  EXPECT_THAT(text, testing::StartsWith("\"\"\"A \"title\"\n\nMore.\"\"\"\nimport sys\nimport time\n\nimport torch\n"));
  // The loop comes first, as a PyTorch user would write it.
  const std::size_t loop = text.find("def loop(iterations):\n"), harness = text.find("import argparse\n");
  EXPECT_LT(loop, harness);
  EXPECT_LT(harness, text.find("ABOUT = {\n    \"side\": \"before\",\n}\nITERATIONS, WARM_UP = 40, 5\n"));
  // The clock starts when the GPU has nothing to do, and stops when it has nothing to do again.
  EXPECT_THAT(text, testing::HasSubstr("        torch.cuda.synchronize()\n        began = time.perf_counter()\n"));
  EXPECT_THAT(text, testing::HasSubstr("    torch.cuda.synchronize()\n\n\n# ----- "));
  EXPECT_THAT(text, testing::HasSubstr("    for i in range(iterations):\n        lap(i)\n"));
}

// A user would write no "if i % 1 == 0:", nor a condition inside one that is the same; and a name that a function
// shares with the loop is global.
TEST(Script, IsWrittenAsAPersonWould) {
  const auto script = [](const char* workload, std::vector<std::string> assignments) {
    Settings settings = default_settings(workload, {});
    for (const std::string& assignment : assignments) settings.assign(assignment);
    return workload_script(workload, settings, false, {{"A title"}, {}, 40}).text;
  };
  EXPECT_THAT(script("linear-mse", {"log_interval=1"}),
              testing::HasSubstr("        loss = F.mse_loss(output, target)\n        value = loss.item()\n"));
  EXPECT_THAT(script("linear-mse", {"log_interval=10"}),
              testing::HasSubstr("        if i % 10 == 0:\n            value = loss.item()\n"));
  EXPECT_THAT(script("iris-mlp", {"log_interval=100"}),
              testing::HasSubstr("        if (epoch + 1) % 100 == 0:\n            losses.append(loss.item())\n"
                                 "            print(loss.item())\n"));
  EXPECT_THAT(script("control-flow", {}), testing::HasSubstr("def loop(iterations):\n    global checks, taken\n"));
}

TEST(Script, OnACpuThereIsNoCuda) {
  for (const std::string& name : workload_names()) {
    if (name == "raw-cuda") continue;  // CUDA C++
    const std::string text = workload_script(name, default_settings(name, {}), true, {}).text;
    EXPECT_THAT(text, Not(testing::HasSubstr("cuda"))) << name;
    for (const std::string& line : plain_text(workload_code(name, default_settings(name, {}), true))) {
      EXPECT_THAT(line, Not(testing::HasSubstr("cuda")));
    }
  }
}

TEST(Script, ThreeLinesOfCudaAreCudaCpp) {
  const Script script =
      workload_script("raw-cuda", default_settings("raw-cuda", {}), false, {{"A title"}, {{"side", "before"}}, 40});
  EXPECT_EQ(script.suffix, ".cu");
  EXPECT_THAT(script.text, testing::StartsWith("// A title\n//\n"));
  EXPECT_THAT(script.text,
              testing::HasSubstr("#define ABOUT \"\\\"side\\\": \\\"before\\\"\"\n#define ITERATIONS 40\n"));
}

}  // namespace
}  // namespace lanescope::workload
