// Forty programs with a known fault, or none: which card comes first, which may not appear, and what the cure gains
// when the simulator applies it. What is right follows from what the workload issues, not from the program's output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "analysis/replay.h"
#include "experiment/measured_run.h"

namespace lanescope::proof {
namespace {

using analysis::Card;
using analysis::Rule;
using analysis::Weight;
using Settings = std::vector<std::string>;
using Rules = std::vector<Rule>;

struct Situation {
  const char* name;
  const char* workload;
  Settings settings;
  Rule first;
  Rules never;
  Settings cure;  ///< replaces settings of the same name; empty: there is nothing to mend
};

constexpr Rule kReads[] = {Rule::SyncBubble, Rule::RepeatedSync, Rule::DependentSync};
const Rules kNoRead(std::begin(kReads), std::end(kReads));
Rules but(Rules rules, Rules more) {
  rules.insert(rules.end(), more.begin(), more.end());
  return rules;
}
const Rules kNothingElse{Rule::LoaderWait, Rule::FirstBatch, Rule::PageableCopy, Rule::PinningChurn,
                         Rule::NoOverlap,  Rule::SlowLink,   Rule::StaleRead,    Rule::MeasuringError};

const Situation kTable[] = {
    // --- reads
    {"AReadInEveryStep", "linear-mse", {"log_interval=1"}, Rule::SyncBubble, kNothingElse, {"log_interval=0"}},
    {"AReadAfterMuchWork",
     "linear-mse",
     {"log_interval=1", "batch_size=8192"},
     Rule::SyncBubble,
     but(kNothingElse, {Rule::LaunchBound}),
     {"log_interval=0"}},
    {"AReadAfterAShortModel",
     "transfer-loop",
     {"feed=resident", "log_interval=1", "model_us=50"},
     Rule::SyncBubble,
     kNothingElse,
     {"log_interval=0"}},
    {"AReadThatAModelAlmostHides",
     "transfer-loop",
     {"feed=resident", "log_interval=1", "model_us=1000"},
     Rule::SyncBubble,
     but(kNothingElse, {Rule::LaunchBound}),
     {"log_interval=0"}},
    {"AReadThatAModelHides",
     "transfer-loop",
     {"feed=resident", "log_interval=1", "model_us=20000"},
     Rule::GpuBound,
     but(kNoRead, kNothingElse),
     {}},
    {"ABoolean", "readback", {"method=bool"}, Rule::SyncBubble, kNothingElse, {"method=none"}},
    {"ACopyToPageableMemory",
     "readback",
     {"method=pageable"},
     Rule::SyncBubble,
     {Rule::LoaderWait, Rule::PageableCopy, Rule::LaunchBound},
     {"method=none"}},
    {"TensorBoard", "readback", {"method=tensorboard"}, Rule::SyncBubble, kNothingElse, {"method=none"}},
    {"AListOfItems", "readback", {"method=list-of-items"}, Rule::SyncBubble, kNothingElse, {"method=none"}},
    {"PrintReadsPiecewise", "readback", {"method=print"}, Rule::RepeatedSync, kNothingElse, {"method=item"}},
    {"ReadsThatDecide",
     "control-flow",
     {"network=if-each-layer", "checks=10"},
     Rule::DependentSync,
     kNothingElse,
     {"branch=fixed"}},
    {"AReadOneStepLate", "readback", {"method=one-step-late"}, Rule::GpuBound, but(kNoRead, kNothingElse), {}},
    {"LossesThatAreAddedUp", "readback", {"method=accumulate"}, Rule::GpuBound, but(kNoRead, kNothingElse), {}},
    {"NoReadAtAll", "readback", {"method=none"}, Rule::GpuBound, but(kNoRead, kNothingElse), {}},
    {"ADecisionMadeBefore", "control-flow", {"branch=fixed"}, Rule::GpuBound, but(kNoRead, kNothingElse), {}},
    // --- wrong results and measurements
    {"AReadBeforeTheCopyHasEnded",
     "readback",
     {"method=unsafe"},
     Rule::StaleRead,
     {Rule::LoaderWait, Rule::PageableCopy},
     {"method=one-step-late"}},
    {"APictureOfOldData",
     "plot-transfer",
     {"method=unsafe", "plot_interval=1", "plot_ms=0"},
     Rule::StaleRead,
     {Rule::LoaderWait},
     {"method=cpu-numpy"}},
    {"AStopwatchThatDoesNotWait",
     "linear-mse",
     {"log_interval=0", "timing=naive"},
     Rule::MeasuringError,
     kNoRead,
     {"timing=synchronized"}},
    {"AStopwatchThatWaits",
     "linear-mse",
     {"log_interval=0", "timing=synchronized"},
     Rule::RepeatedSync,
     {Rule::MeasuringError, Rule::DependentSync, Rule::LoaderWait},
     {"timing=off"}},
    // --- launches and the CPU
    {"TinyKernels", "iris-mlp", {"log_interval=0"}, Rule::LaunchBound, but(kNoRead, kNothingElse), {"cuda_graph=true"}},
    {"TinyKernelsAndARead", "iris-mlp", {"log_interval=1"}, Rule::LaunchBound, kNothingElse, {"cuda_graph=true"}},
    {"KernelsJustAboveTheirLaunches",
     "linear-mse",
     {"log_interval=100"},
     Rule::StarvedByCpu,
     but(kNoRead, kNothingElse),
     {"cuda_graph=true"}},
    {"SmallBatches",
     "break-even",
     {"batch_size=32", "log_interval=0"},
     Rule::LaunchBound,
     but(kNoRead, kNothingElse),
     {"cuda_graph=true"}},
    {"AGraphOfTinyKernels",
     "iris-mlp",
     {"log_interval=0", "cuda_graph=true"},
     Rule::GpuBound,
     but(kNoRead, kNothingElse),
     {}},
    {"DrawingOnTheCpu",
     "plot-transfer",
     {"plot_interval=1", "elements=1000"},
     Rule::StarvedByCpu,
     {Rule::LoaderWait, Rule::LaunchBound, Rule::StaleRead},
     {"plot_ms=0"}},
    {"BatchesMadeOnTheCpu",
     "linear-mse",
     {"log_interval=1", "feed=per-iteration", "pinned=true", "non_blocking=true"},
     Rule::StarvedByCpu,
     {Rule::PageableCopy, Rule::LoaderWait, Rule::LaunchBound},
     {"feed=resident"}},
    // --- copies
    {"SmallCopiesThatBlock",
     "transfer-loop",
     {"log_interval=0"},
     Rule::SyncBubble,
     {Rule::PageableCopy, Rule::LaunchBound, Rule::LoaderWait},
     {"pinned=true", "non_blocking=true"}},
    {"LargeCopiesThatBlock",
     "transfer-loop",
     {"log_interval=0", "features=512"},
     Rule::PageableCopy,
     {Rule::LaunchBound, Rule::LoaderWait},
     {"pinned=true", "non_blocking=true"}},
    {"PinnedButBlocking",
     "transfer-loop",
     {"log_interval=0", "features=512", "pinned=true"},
     Rule::NoOverlap,
     {Rule::PageableCopy, Rule::LoaderWait, Rule::PinningChurn},
     {"non_blocking=true", "copy_stream=side"}},
    {"OnTheSameStream",
     "transfer-loop",
     {"log_interval=20", "features=1024", "model_us=1000", "pinned=true", "non_blocking=true"},
     Rule::NoOverlap,
     {Rule::PageableCopy, Rule::LoaderWait, Rule::LaunchBound},
     {"copy_stream=side"}},
    {"OverlappingCopies",
     "transfer-loop",
     {"log_interval=0", "features=512", "model_us=1000", "pinned=true", "non_blocking=true", "copy_stream=side"},
     Rule::GpuBound,
     but(kNoRead, {Rule::PageableCopy, Rule::NoOverlap, Rule::LoaderWait}),
     {}},
    {"ThereAndBack",
     "transfer-loop",
     {"log_interval=0", "features=512", "round_trip=true"},
     Rule::PageableCopy,
     {Rule::LaunchBound, Rule::LoaderWait},
     {"round_trip=false", "pinned=true", "non_blocking=true"}},
    {"OneCopyFromPageableMemory",
     "bandwidth",
     {"bytes=67108864"},
     Rule::PageableCopy,
     {Rule::LaunchBound, Rule::LoaderWait, Rule::PinningChurn},
     {"pinned=true"}},
    // Making the tensor takes longer than pinning it.
    {"FreshTensorsPinnedEachTime",
     "bandwidth",
     {"bytes=67108864", "pin_first=true", "fresh=true"},
     Rule::StarvedByCpu,
     {Rule::PageableCopy, Rule::LoaderWait, Rule::LaunchBound},
     {"pin_first=false", "pinned=true", "fresh=false"}},
    {"ManyCopiesThatBlock",
     "dataloader",
     {"num_workers=16", "tensors=64", "sample_kib=64", "model_ms=2", "load_ms=1", "persistent_workers=true",
      "samples=8192"},
     Rule::SyncBubble,
     {Rule::LaunchBound, Rule::LoaderWait, Rule::FirstBatch},
     {"tensors=1"}},
    // --- the loader
    {"OneWorker",
     "dataloader",
     {"num_workers=1"},
     Rule::LoaderWait,
     but(kNoRead, {Rule::LaunchBound, Rule::FirstBatch}),
     {"num_workers=8"}},
    {"NoWorker",
     "dataloader",
     {"num_workers=0"},
     Rule::LoaderWait,
     but(kNoRead, {Rule::LaunchBound, Rule::FirstBatch}),
     {"num_workers=8"}},
    {"WorkersThatRestart",
     "dataloader",
     {"num_workers=8"},
     Rule::FirstBatch,
     but(kNoRead, {Rule::LaunchBound}),
     {"persistent_workers=true"}},
    {"LargeBatchesFromPageableMemory",
     "dataloader",
     {"num_workers=16", "sample_kib=4096", "batch_size=32", "model_ms=20", "samples=16384"},
     Rule::PageableCopy,
     but(kNoRead, {Rule::LaunchBound, Rule::LoaderWait}),
     {"pin_memory=true"}},
    {"EnoughWorkers",
     "dataloader",
     {"num_workers=8", "samples=4096", "persistent_workers=true"},
     Rule::GpuBound,
     but(kNoRead, {Rule::LaunchBound, Rule::LoaderWait, Rule::FirstBatch, Rule::PageableCopy}),
     {}},
};

struct Told {
  std::unique_ptr<experiment::MeasuredRun> run;
  analysis::Advice advice;
  double each_ns = 0;
};

Told advised(const Situation& s, const Settings& cure) {
  const auto key = [](const std::string& assignment) { return assignment.substr(0, assignment.find('=')); };
  session::SessionOptions options;
  options.workload = s.workload;
  options.device = "sim:rtx4090";
  options.iterations = s.workload == std::string("bandwidth") ? 30 : 300;
  options.memory_cap_bytes = std::size_t{64} << 20;
  for (const std::string& own : s.settings) {
    if (std::ranges::none_of(cure, [&](const std::string& c) { return key(c) == key(own); }))
      options.assignments.push_back(own);
  }
  options.assignments.insert(options.assignments.end(), cure.begin(), cure.end());
  Told told;
  told.run = std::make_unique<experiment::MeasuredRun>(std::move(options));
  told.run->run();
  const analysis::RunFigures figures = told.run->figures();
  told.advice = told.run->advice(figures);
  told.each_ns = static_cast<double>(figures.elapsed_ns) / static_cast<double>(figures.iterations);
  return told;
}

class AdviceTable : public testing::TestWithParam<std::size_t> {};

TEST_P(AdviceTable, TheFirstCardIsRightAndItsCureGainsWhatItPromises) {
  const Situation& s = kTable[GetParam()];
  const Told before = advised(s, {});
  const std::vector<Card>& cards = before.advice.cards;
  std::string all;
  double cost_ns = 0;
  for (const Card& card : cards) {
    all += card.title + "; ";
    if (card.weight == Weight::Costs) cost_ns += card.cost_ns;
    EXPECT_EQ(std::ranges::count(s.never, card.rule), 0) << card.title;
  }
  ASSERT_FALSE(cards.empty());
  const Card& first = cards.front();
  ASSERT_EQ(rule_key(first.rule), rule_key(s.first)) << all;
  EXPECT_EQ(first.weight == Weight::Harmless, s.cure.empty()) << all;
  if (s.cure.empty()) return;

  const Told after = advised(s, s.cure);
  for (const Card& card : after.advice.cards) {
    EXPECT_FALSE(card.rule == first.rule && card.range == first.range && card.cost_ns > first.cost_ns / 2)
        << "still there: " << card.title;
  }
  if (first.weight == Weight::Wrong) return;
  const double saved_ns = before.each_ns - after.each_ns;
  RecordProperty("saved_of_promised", std::to_string(saved_ns / first.cost_ns));
  // What is promised is a bound, of that cause alone; a cure may end other causes, too.
  const bool read = std::ranges::count(kReads, first.rule) > 0 && !first.range.empty();
  EXPECT_GE(saved_ns, first.cost_ns / 4) << first.title;
  if (!read) {
    EXPECT_LE(saved_ns, 1.1 * cost_ns) << all;
    return;
  }
  const auto records = before.run->analysis().records();
  const analysis::Replay replay(before.run->trace(), records[before.advice.warm_up + 10].start_ns,
                                records.back().end_ns);
  const analysis::WhatIf answer = replay.without(before.run->trace().names().find(first.range));
  ASSERT_EQ(answer.refusal, "");
  const double factor = before.each_ns / after.each_ns;
  EXPECT_LE(answer.least_factor, 1.02 * factor);
  EXPECT_GE(answer.most_factor, 0.98 * factor);
}

INSTANTIATE_TEST_SUITE_P(Situations, AdviceTable, testing::Range<std::size_t>(0, std::size(kTable)),
                         [](const auto& which) { return kTable[which.param].name; });

}  // namespace
}  // namespace lanescope::proof
