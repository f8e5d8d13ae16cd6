// The user's own experiments and lessons at the command line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class OwnFiles : public ProgramTest {
 protected:
  Outcome with_settings(const std::vector<std::string>& arguments) const {
    Surroundings surroundings;
    surroundings.environment["XDG_CONFIG_HOME"] = (folder_ / "config").string();
    return run(arguments, std::move(surroundings));
  }
  std::string said(const std::vector<std::string>& arguments) const {
    const Outcome outcome = with_settings(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  fs::path write(const fs::path& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  fs::path settings(const fs::path& name) const { return fs::path("config") / "lanescope" / name; }
  static std::string experiment(const std::string& id) {
    return fmt::format(R"(id = "{0}"
name = "mine-{0}"
order = 1
workload = "linear-mse"
device = "sim:rtx4090"
iterations = 20
title = {{ en = "My own story", zh = "我的故事" }}
shows = {{ en = "s", zh = "示" }}
watch = {{ en = "w", zh = "看" }}
knob = {{ en = "k", zh = "旋" }}
before = {{ label = {{ en = "often", zh = "前" }}, settings = ["log_interval=1"] }}
after = {{ label = {{ en = "seldom", zh = "后" }}, settings = ["log_interval=10"] }}
sweep = {{ over = ["log_interval=1,10"], figure = "iteration_us" }}
)",
                       id);
  }
  static std::string lesson() {
    return R"(name = "mine"
order = 1
title = { en = "My lesson", zh = "我的课" }
summary = { en = "S", zh = "总" }
[[steps]]
name = "one"
minutes = 5
experiment = "Y1"
title = { en = "First", zh = "甲" }
text = { en = "b", zh = "乙" }
)";
  }
};

// Linux takes any bytes for a name.
TEST_F(OwnFiles, AFolderWhoseNameIsNoUtf8IsListed) {
  write("c\xff/lanescope/experiments/first.toml", experiment("Y1"));
  Surroundings surroundings;
  surroundings.environment["XDG_CONFIG_HOME"] = (folder_ / "c\xff").string();
  const Outcome outcome = run({"list", "experiments", "--json"}, std::move(surroundings));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(Json::parse(outcome.out)[0]["file"], HasSubstr("c\uFFFD/lanescope"));
}

TEST_F(OwnFiles, OfTheSettingsFolderAreListedFirstAndRun) {
  const fs::path file = write(settings("experiments/first.toml"), experiment("Y1"));
  const fs::path of_lesson = write(settings("lessons/mine.toml"), lesson());
  const Json listed = Json::parse(said({"list", "experiments", "--json"}));
  EXPECT_EQ(listed[0]["id"], "Y1");
  EXPECT_EQ(listed[0]["file"], file.string());
  EXPECT_TRUE(listed[1]["file"].is_null());
  EXPECT_THAT(said({"list", "experiments", "--lang", "en"}),
              AllOf(StartsWith("Your own\n  Y1"), HasSubstr("My own story")));
  const Json lessons = Json::parse(said({"list", "lessons", "--json"}));
  EXPECT_EQ(lessons[0]["name"], "mine");
  EXPECT_EQ(lessons[0]["file"], of_lesson.string());
  EXPECT_TRUE(lessons[1]["file"].is_null());
  EXPECT_THAT(said({"list", "lessons", "--lang", "en"}), StartsWith("mine  My lesson"));
  EXPECT_THAT(said({"lesson", "mine", "--lang", "en"}), StartsWith("My lesson (5 min)"));
  const Json json = Json::parse(said({"run", "--experiment", "y1", "--json", "-"}));
  EXPECT_EQ(json["experiment"]["id"], "Y1");
  EXPECT_EQ(json["runs"][0]["settings"]["log_interval"], 1);
  EXPECT_EQ(json["runs"][1]["settings"]["log_interval"], 10);
}

TEST_F(OwnFiles, AFileIsGivenInsteadOfAnId) {
  write("experiments/first.toml", experiment("Y1"));
  const Json json = Json::parse(said({"run", "--experiment", "experiments/first.toml", "--json", "-"}));
  EXPECT_EQ(json["experiment"]["id"], "Y1");
  EXPECT_EQ(json["runs"][1]["iterations"], 20);
  EXPECT_THAT(said({"sweep", "--experiment", "experiments/first.toml", "--lang", "en"}), StartsWith("Y1 My own story"));
  EXPECT_THAT(said({"report", "--experiment", "./experiments/first.toml", "--html", "-"}), HasSubstr("My own story"));
  write("lessons/mine.toml", lesson());
  EXPECT_THAT(said({"lesson", "lessons/mine.toml", "--lang", "en"}), HasSubstr("0:00  First  (5 min, Y1)"));
  EXPECT_THAT(said({"list", "experiments"}), Not(HasSubstr("Y1"))) << "it is not in the settings folder";
  // The window checks it before it opens, which it cannot here.
  expect_complaint(with_settings({"--experiment", "experiments/first.toml", "--side", "left"}), 2,
                   {"--side is 'left'"});
}

TEST_F(OwnFiles, GivenAsAFileWhatIsWrongIsNamed) {
  const std::string broken = experiment("Y1") + "colour = 3\n";
  write("first.toml", broken);
  for (const char* command : {"run", "sweep", "report"}) {
    expect_complaint(with_settings({command, "--experiment", "first.toml"}), 1,
                     {"first.toml:14: colour: is unknown; allowed: id, name, order"});
  }
  expect_complaint(with_settings({"--experiment", "first.toml"}), 1, {"first.toml:14: colour: is unknown"});
  expect_complaint(with_settings({"run", "--experiment", "none.toml"}), 1, {"none.toml: cannot read: No such file"});
  write("p09.toml", experiment("P09"));
  expect_complaint(with_settings({"run", "--experiment", "p09.toml"}), 1,
                   {"p09.toml:1: id: is 'P09', which is one of the program's own experiments; allowed: "});
  write("lessons/mine.toml", lesson());
  expect_complaint(with_settings({"lesson", "lessons/mine.toml"}), 1,
                   {"lessons/mine.toml:8: steps[1].experiment: experiment 'Y1' is unknown; allowed: P09"});
}

// A broken file is mentioned, and stops only what is about it.
TEST_F(OwnFiles, ABrokenOneIsAWarningToOthers) {
  const fs::path broken = write(settings("experiments/Y2-broken.toml"), "id = \"Y2\"\nname = \"broken\"\norder = 0\n");
  const fs::path of_lesson = write(settings("lessons/bad.toml"), "title = 1\n");
  write(settings("experiments/first.toml"), experiment("Y1"));
  const std::string warnings = "lanescope: " + broken.string() +
                               ":3: order: is '0'; allowed: a whole number from 1 to 1000000\n" +
                               "lanescope: " + of_lesson.string() + ":1: name: is missing\n";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", "--experiment", "Y1", "--json", "-"}, {"list", "experiments", "--json"}}) {
    const Outcome outcome = with_settings(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, warnings);
    EXPECT_TRUE(Json::accept(outcome.out)) << outcome.out;
  }
  expect_complaint(with_settings({"run", "--experiment", "y2"}), 1, {broken.string() + ":3: order: is '0'"});
  expect_complaint(with_settings({"lesson", "bad"}), 1, {of_lesson.string() + ":1: name: is missing"});
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"list", "devices"},
        {"run", "--workload", "linear-mse", "--device", "sim", "--iterations", "2"}}) {
    EXPECT_EQ(with_settings(arguments).err, "") << "it has nothing to do with experiments";
  }
}

}  // namespace
}  // namespace lanescope::app::test
