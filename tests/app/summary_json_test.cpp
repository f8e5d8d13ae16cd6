#include "app/reports.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "analysis/builders.h"
#include "io/scratch.h"
#include "io/session_file.h"
#include "io/trace_file.h"

namespace lanescope::app {
namespace {

using analysis::RunFigures;

// As it is read from the program's output.
nlohmann::json read_back(const RunFigures& figures) { return nlohmann::json::parse(written(summary_json(figures))); }

RunFigures some_figures() {
  RunFigures f;
  f.facts.workload = "linear-mse";
  f.facts.device = "sim:rtx4090";
  f.facts.simulated = true;
  f.facts.settings = {{"batch_size", "128"}, {"dispatch_us", "0.5"}, {"feed", "resident"}, {"pinned", "true"}};
  f.iterations = 1000;
  f.elapsed_ns = 8'000'000'000;
  f.summary.iteration = {1000, 1234.5, 1200, 1900, 1000, 2000};
  f.summary.pace = {analysis::PaceBasis::Elapsed, 1'280, 1000, 0, 1'280'000, 0};
  f.summary.gpu_busy_ns = 5'000;
  f.summary.host_wait_ns = 4'000;
  f.summary.bubble_ns = 3'000;
  f.summary.bubble_by_cause_ns = {1'500, 700, 200, 100, 250, 90, 60, 0, 250, 30, 5, 7, 70};
  f.summary.loader_wait_ns = 300;
  f.summary.sync_count = 7;
  f.summary.launch_count = 8;
  f.summary.h2d_bytes = 24'000;
  f.summary.h2d_ns = 1'000;
  f.summary.verdict.kind = analysis::VerdictKind::SyncBound;
  f.summary.verdict.sentence = "The GPU is idle.";
  f.summary.verdict.figures = {{"idle", 41.5, "%"}, {"after a read", 38, "%"}, {"syncs", 1, "per iteration"}};
  f.summary.run_ahead_mean = 0.25;
  f.summary.run_ahead_max = 3;
  f.events.recorded = 100;
  f.events.dropped = 1;
  f.events.evicted = 2;
  f.loss = RunFigures::Loss{1.5, 0.0625};
  return f;
}

TEST(SummaryJson, HasTheFieldsOfTheCommandLineInTheirOrder) {
  // 24,000 bytes in 1,000 ns are 24 GB/s; no D2H copy means no rate. 128 samples in 1,280 ns are 100 million a second.
  EXPECT_EQ(written(summary_json(some_figures())), "{\n  \"lanescope\": \"" + std::string(base::kVersion) + R"(",
  "workload": "linear-mse",
  "device": "sim:rtx4090",
  "simulated": true,
  "pytorch_costs": "assumed",
  "settings": {
    "batch_size": 128,
    "dispatch_us": 0.5,
    "feed": "resident",
    "pinned": true
  },
  "iterations": 1000,
  "elapsed_ns": 8000000000,
  "pace": {
    "ns": 1280.0,
    "basis": "elapsed",
    "iterations": 1000
  },
  "samples_per_s": 100000000.0,
  "iteration_ns": {
    "mean": 1234.5,
    "p50": 1200,
    "p99": 1900
  },
  "gpu_busy_ns": 5000,
  "kernel_ns": 0,
  "exposed_copy_ns": 0,
  "bubble_ns": 3000,
  "bubbles_by_cause": {
    "after_sync": 1500,
    "launch_too_slow": 1000,
    "copy": 400,
    "loader": 250,
    "graph": 35,
    "start_or_end": 77
  },
  "bubbles_by_fine_cause": {
    "after_sync": 1500,
    "cpu": 700,
    "launch_latency": 200,
    "allocation": 100,
    "staging": 250,
    "pinning": 90,
    "dependency": 60,
    "migration": 0,
    "loader": 250,
    "graph": 30,
    "gpu_wait": 5,
    "unknown": 7,
    "start_or_end": 70
  },
  "host_wait_ns": 4000,
  "loader_wait_ns": 300,
  "sync_count": 7,
  "launch_count": 8,
  "run_ahead": {
    "mean": 0.25,
    "max": 3
  },
  "h2d_bytes": 24000,
  "h2d_gb_per_s": 24.0,
  "d2h_bytes": 0,
  "d2h_gb_per_s": null,
  "verdict": "sync-bound",
  "events": {
    "recorded": 100,
    "dropped": 1,
    "evicted": 2
  },
  "loss": {
    "first": 1.5,
    "last": 0.0625
  },
  "verdict_sentence": "The GPU is idle.",
  "verdict_figures": [
    {
      "label": "idle",
      "value": 41.5,
      "unit": "%"
    },
    {
      "label": "after a read",
      "value": 38.0,
      "unit": "%"
    },
    {
      "label": "syncs",
      "value": 1.0,
      "unit": "per iteration"
    }
  ],
  "verdict_note": null,
  "own": {}
}
)");
}

TEST(SummaryJson, AdviceIsThereWhenItWasWorkedOut) {
  EXPECT_FALSE(read_back(some_figures()).contains("advice"));
  RunFigures figures = some_figures();
  figures.advice = analysis::Advice{.iterations = 90, .warm_up = 10, .summary = {}, .cards = {}};
  figures.advice->summary.sync_count = 180;
  figures.advice->summary.exposed_copy_ns = 45;
  analysis::Card& card = figures.advice->cards.emplace_back();
  card.rule = analysis::Rule::SyncBubble;
  card.cost_ns = 56'000;
  card.share = 0.5;
  card.range = "item()";
  card.title = "item() drains the GPU";
  const auto advice = read_back(figures)["advice"];
  EXPECT_EQ(advice["iterations"], 90);
  EXPECT_EQ(advice["warm_up"], 10);
  EXPECT_DOUBLE_EQ(advice["per_iteration"]["syncs"], 2);
  EXPECT_DOUBLE_EQ(advice["per_iteration"]["exposed_copy_ns"], 0.5);
  ASSERT_EQ(advice["cards"].size(), 1u);
  const auto& first = advice["cards"][0];
  EXPECT_EQ(first["rule"], "sync-bubble");
  EXPECT_EQ(first["weight"], "costs");
  EXPECT_EQ(first["cost_ns_per_iteration"], 56'000);
  EXPECT_EQ(first["range"], "item()");
  EXPECT_TRUE(first["call"].is_null());
  EXPECT_EQ(first["title"], "item() drains the GPU");
}

TEST(SummaryJson, WhatIsNotKnownIsNull) {
  const auto json = read_back({});
  EXPECT_TRUE(json["workload"].is_null());
  EXPECT_TRUE(json["device"].is_null());
  EXPECT_TRUE(json["loss"].is_null());
  EXPECT_TRUE(json["iteration_ns"]["mean"].is_null());
  EXPECT_TRUE(json["pace"]["ns"].is_null());
  EXPECT_EQ(json["pace"]["basis"], "none");
  EXPECT_TRUE(json["samples_per_s"].is_null());
  EXPECT_EQ(json["settings"], nlohmann::json::object());
  EXPECT_EQ(json["iterations"], 0);

  RunFigures diverged = some_figures();
  diverged.loss->last = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(read_back(diverged)["loss"]["last"].is_null());
}

// While the queue fills, CPU iterations measure issuing: leaving them out prevents a misreading.
TEST(SummaryJson, TimesOfIssuingAreNull) {
  RunFigures fills = some_figures();
  fills.summary.pace = {analysis::PaceBasis::QueueMoves, 0, 1000, 0, 0, 0.9};
  fills.breakdown.emplace();
  fills.breakdown->iteration = fills.summary.iteration;
  const auto json = read_back(fills);
  EXPECT_TRUE(json["pace"]["ns"].is_null());
  EXPECT_EQ(json["pace"]["basis"], "queue-fills");
  EXPECT_TRUE(json["samples_per_s"].is_null());
  for (const char* figure : {"mean", "p50", "p99"}) EXPECT_TRUE(json["iteration_ns"][figure].is_null()) << figure;
  EXPECT_TRUE(json["breakdown"]["durations"]["histogram"].is_null());
  EXPECT_EQ(json["breakdown"]["durations"]["count"], 1000);
}

TEST(SummaryJson, OwnFiguresAreThoseThatWereSampled) {
  RunFigures figures;
  figures.own = {{"read_us", "reading", "µs", 2.5, 5, 3, 2}, {"wrong", "wrong numbers", "", 0, 0, 0, 0}};
  const auto own = read_back(figures)["own"];
  EXPECT_EQ(own,
            (nlohmann::json{
                {"read_us",
                 {{"label", "reading"}, {"unit", "µs"}, {"mean", 2.5}, {"total", 5.0}, {"last", 3.0}, {"count", 2}}}}));
}

TEST(SummaryJson, SettingsGetTheirTypesBack) {
  RunFigures figures;
  figures.facts.settings = {{"a", "-3"},   {"b", "1e3"},   {"c", "nan"}, {"d", ""},
                            {"e", "1.5x"}, {"f", "false"}, {"g", "\xff"}};
  const auto settings = read_back(figures)["settings"];
  EXPECT_EQ(settings["a"], -3);
  EXPECT_EQ(settings["b"], 1000.0);
  EXPECT_EQ(settings["c"], "nan");
  EXPECT_EQ(settings["d"], "");
  EXPECT_EQ(settings["e"], "1.5x");
  EXPECT_EQ(settings["f"], false);
  EXPECT_EQ(settings["g"], "\uFFFD");
}

using ReportOfASession = io::Scratch;

std::string figures_with_cards(const io::OpenedTrace& opened) {
  const analysis_test::Finished analysis(*opened.trace);
  RunFigures figures = analysis::figures_of(*opened.trace, analysis, opened.facts);
  figures.advice = analysis::advice_of(*opened.trace, analysis, figures);
  figures.breakdown = analysis::breakdown_of(*opened.trace, analysis, figures);
  return written(summary_json(figures));
}

// What the report says of the runs recorded on a GPU that come with the program: figures, verdict, cards and tables.
TEST_F(ReportOfASession, IsThatOfTheJson) {
  int captures = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(LANESCOPE_SOURCE_DIR) / "assets/captures")) {
    if (entry.path().extension() != ".gz") continue;
    SCOPED_TRACE(entry.path().filename());
    const io::OpenedTrace json = io::read_trace(entry.path());
    io::write_session(file("a.lanescope"), *json.trace, json.facts);
    const io::OpenedTrace own = io::read_trace(file("a.lanescope"));
    EXPECT_EQ(own.facts, json.facts);
    EXPECT_GT(own.events_read, 0u);
    EXPECT_EQ(figures_with_cards(own), figures_with_cards(json));
    ++captures;
  }
  EXPECT_GT(captures, 0);
}

}  // namespace
}  // namespace lanescope::app
