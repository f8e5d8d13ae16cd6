// `lanescope list`, --help and --version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["name"], "linear-mse");
  EXPECT_EQ(json[0]["computes_values"], false);
  EXPECT_EQ(json[1]["name"], "iris-mlp");
  EXPECT_EQ(json[1]["computes_values"], true);
  const std::string text = said({"list", "workloads"});
  EXPECT_THAT(text, HasSubstr("  linear-mse  "));
  EXPECT_THAT(text, HasSubstr("  iris-mlp    "));
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
  EXPECT_EQ(by_key.size(), 7u);
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
  EXPECT_THAT(text, HasSubstr("128 (linear-mse), 120 (iris-mlp)"));
}

TEST_F(List, VersionAndHelp) {
  EXPECT_EQ(said({"--version"}), "lanescope 0.1.0\n");
  EXPECT_THAT(said({"--help"}), HasSubstr("lanescope run --workload linear-mse"));
  const std::string help = said({"run", "--help"});
  EXPECT_THAT(help, HasSubstr("1000 unless told"));
  EXPECT_THAT(help, HasSubstr("\"ratio\""));
  EXPECT_THAT(help, HasSubstr("Ctrl-C"));
  EXPECT_THAT(said({"report", "--help"}), HasSubstr("Examples:"));
}

}  // namespace
}  // namespace lanescope::app::test
