// `lanescope list`, --help and --version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

class List : public ProgramTest {
 protected:
  std::string said(const std::vector<std::string>& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

TEST_F(List, Workloads) {
  Json json = Json::parse(said({"list", "workloads", "--json"}));
  std::map<std::string, Json> by_name;
  for (const Json& workload : json) by_name[workload["name"]] = workload;
  for (const char* name : {"linear-mse", "iris-mlp", "transfer-loop", "control-flow", "bandwidth", "dataloader",
                           "readback", "plot-transfer", "raw-cuda", "break-even"}) {
    EXPECT_EQ(by_name.count(name), 1u) << name;
  }
  EXPECT_EQ(by_name["linear-mse"]["computes_values"], false);
  EXPECT_EQ(by_name["iris-mlp"]["computes_values"], true);
  const std::string text = said({"list", "workloads"});
  EXPECT_THAT(text, HasSubstr("  linear-mse "));
  EXPECT_THAT(text, HasSubstr("  iris-mlp "));
}

TEST_F(List, DevicesCanBeNamedAsListed) {
  Json json = Json::parse(said({"list", "devices", "--json"}));
  std::vector<std::string> ids;
  for (const Json& device : json) ids.push_back(device["id"]);
  EXPECT_THAT(ids, testing::IsSupersetOf({"sim:h200", "sim:rtx4090", "sim:rtx4070-laptop-wsl2", "sim:teaching"}));
  for (const std::string& id : ids) {
    EXPECT_THAT(said({"list", "devices"}), HasSubstr("  " + id));
    EXPECT_EQ(run({"run", "--workload", "linear-mse", "--iterations", "1", "--device", id}).status, 0) << id;
  }
}

TEST_F(List, DevicesSayWhyThereIsNoGpu) {
  EXPECT_THAT(said({"list", "devices"}), HasSubstr("no GPU: the CUDA back end is switched off (LANESCOPE_CUDA=off)"));
}

TEST_F(List, SettingsSayWhatIsAllowedAndTheDefault) {
  Json json = Json::parse(said({"list", "settings", "--json"}));
  std::map<std::string, Json> by_key;
  for (const Json& setting : json) by_key[setting["key"]] = setting;
  EXPECT_GE(by_key.size(), 7u);
  EXPECT_EQ(by_key["pinned"]["type"], "bool");
  EXPECT_EQ(by_key["pinned"]["defaults"]["linear-mse"], false);
  EXPECT_EQ(by_key["feed"]["choices"], Json({"resident", "per-iteration"}));
  EXPECT_EQ(by_key["log_interval"]["minimum"], 0);
  EXPECT_EQ(by_key["batch_size"]["defaults"]["linear-mse"], 128);
  EXPECT_EQ(by_key["batch_size"]["defaults"]["iris-mlp"], 120);
  EXPECT_EQ(by_key["dispatch_us"]["type"], "real");
  EXPECT_TRUE(by_key["feed"]["minimum"].is_null());
  const std::string text = said({"list", "settings"});
  EXPECT_THAT(text, HasSubstr("resident, per-iteration; default resident"));
  EXPECT_THAT(text, testing::ContainsRegex("128 [(]linear-mse[^)]*[)], 120 [(]iris-mlp[)]"));
}

TEST_F(List, FiguresAreThoseOfSweeps) {
  const Json json = Json::parse(said({"list", "figures", "--json", "--lang", "en"}));
  EXPECT_THAT(json, testing::Contains(Json{{"name", "gpu_busy_percent"}, {"label", "GPU busy"}, {"unit", "%"}}));
  const std::string text = said({"list", "figures", "--lang", "en"});
  for (const Json& figure : json) EXPECT_THAT(text, HasSubstr(figure["name"].get<std::string>()));
  EXPECT_THAT(text, HasSubstr("own.NAME"));
}

TEST_F(List, ExperimentsAreAnArrayInTheOrderOfALesson) {
  Json json = Json::parse(said({"list", "experiments", "--json"}));
  ASSERT_GE(json.size(), 28u);
  std::vector<int> orders;
  const Json* p09 = nullptr;
  for (const Json& told : json) {
    orders.push_back(told["order"]);
    if (told["id"] == "P09") p09 = &told;
    for (const char* key : {"title", "title_zh", "shows", "watch", "knob", "workload", "device"}) {
      EXPECT_TRUE(told[key].is_string()) << told["id"] << key;
    }
    for (const char* key : {"correction", "sweep", "before", "after", "published"}) {
      EXPECT_TRUE(told.contains(key)) << told["id"] << key;
    }
  }
  EXPECT_TRUE(std::is_sorted(orders.begin(), orders.end()));
  ASSERT_NE(p09, nullptr);
  EXPECT_EQ((*p09)["name"], "item-each-iteration");
  EXPECT_EQ((*p09)["workload"], "linear-mse");
  EXPECT_EQ((*p09)["before"]["settings"], Json({"feed=resident", "log_interval=1"}));
  EXPECT_EQ((*p09)["after"]["device"], "sim:rtx4090");
  const Json published = (*p09)["published"][0];
  EXPECT_EQ(published["value"], 3.4);
  EXPECT_EQ(published["unit"], "s");
  EXPECT_EQ(published["quality"], "estimate");
  EXPECT_EQ(published["of"], "before");
  EXPECT_EQ(published["figure"], "total_s");
  EXPECT_EQ(published["check"], "checked");
  EXPECT_EQ(published["follows"], Json::array());
  EXPECT_TRUE(published["unchecked"].is_null());
  const Json slowdown = (*p09)["published"][2];
  EXPECT_EQ(slowdown["follows"], Json({"P09.total_with_reads", "P08.total"}));
}

TEST_F(List, ExperimentsAreALineEachInEitherLanguage) {
  EXPECT_THAT(said({"list", "experiments", "--lang", "en"}), HasSubstr("  P09  "));
  EXPECT_THAT(said({"list", "experiments", "--lang", "en"}), HasSubstr("Reading the loss every iteration "));
  EXPECT_THAT(said({"list", "experiments", "--lang", "zh"}), HasSubstr("每次迭代都读取损失"));
}

TEST_F(List, SaysInChineseWhichExperimentsAWorkloadHas) {
  EXPECT_THAT(said({"list", "workloads", "--lang", "zh"}), HasSubstr("P08 至 P10"));
}

TEST_F(List, VersionAndHelp) {
  const std::string version = said({"--version"});
  EXPECT_TRUE(version.starts_with("lanescope 0.1.0\n")) << version;
  for (const char* line :
       {"\n  compiler   [GC]", "\n  build      [A-Z]", "\n  window     Dear ImGui 1\\.[0-9]+.*, GLFW 3\\.",
        "\n  libraries  fmt [0-9]+\\..*, SQLite 3\\.", "\n  CUDA       "}) {
    EXPECT_THAT(version, testing::ContainsRegex(line));
  }
  EXPECT_THAT(said({"--help"}), HasSubstr("lanescope run --workload linear-mse"));
  const std::string help = said({"run", "--help"});
  EXPECT_THAT(help, HasSubstr("default 1000"));
  EXPECT_THAT(help, HasSubstr("\"ratio\""));
  EXPECT_THAT(help, HasSubstr("Ctrl-C"));
  for (const char* command :
       {"attach", "run", "sweep", "calibrate", "list", "report", "compare", "export", "lesson", "grade", "script"}) {
    EXPECT_THAT(said({command, "--help"}), HasSubstr(std::string("\nExamples:\n  lanescope ") + command)) << command;
  }
}

}  // namespace
}  // namespace lanescope::app::test
