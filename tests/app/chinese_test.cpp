// With --lang zh, all output of the command line and the page is Chinese: searches the whole output for English. Names
// and terms stay (tests/language/latin.h), and so do the names listed by the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "app/program.h"
#include "language/latin.h"
#include "lesson/student_file.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using Arguments = std::vector<std::string>;

class Chinese : public ProgramTest {
 protected:
  void SetUp() override {
    for (const char* what : {"workloads", "devices", "settings", "experiments"}) {
      for (const Json& entry : Json::parse(run({"list", what, "--json"}).out)) add_names(entry);
    }
    names_.insert({"set up", "make batch", "what", folder_.string()});  // what: the argument of list
    names_.insert(
        {"workloads, devices, settings, figures, experiments, lessons",
         "attach, run, sweep, calibrate, list, report, compare, reduce, join, export, lesson, grade, script"});
  }
  void add_names(const Json& entry) {
    for (const char* key : {"id", "name", "key"}) {
      if (entry.contains(key) && entry[key].is_string()) names_.insert(entry[key].get<std::string>());
    }
    if (entry.contains("choices") && entry["choices"].is_array()) {
      for (const Json& choice : entry["choices"]) names_.insert(choice.get<std::string>());
    }
    if (entry.contains("published") && entry["published"].is_array()) {
      for (const Json& p : entry["published"])
        names_.insert({p["name"].get<std::string>(), p["source"].get<std::string>()});
    }
  }
  /// The names of a trace's lanes and events.
  void add_names_of(const std::filesystem::path& trace) {
    const Json json = Json::parse(text_of(trace));
    for (const Json& event : json["traceEvents"]) {
      if (event.contains("name")) names_.insert(event["name"].get<std::string>());
      if (event.contains("cat")) names_.insert(event["cat"].get<std::string>());
      if (event.contains("args") && event["args"].is_object() && event["args"].contains("name")) {
        names_.insert(event["args"]["name"].get<std::string>());
      }
    }
  }

  Outcome in_chinese(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--lang", "zh"});
    return run(arguments);
  }
  void expect_chinese(const std::string& where, const std::string& text) {
    EXPECT_NE(text.find_first_of("\xe4\xe5\xe6\xe7\xe8\xe9"), std::string::npos) << where << ": nothing Chinese";
    std::vector<std::string> names(names_.begin(), names_.end());
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      for (const std::string& english : language::english_in(line, names)) {
        ADD_FAILURE() << where << ": '" << english << "' in: " << line;
      }
    }
  }

  std::set<std::string> names_;
};

// What a reader of the page sees or hears: the text between tags, titles and labels; but neither styles nor code, which
// is user input.
std::string words_of(const std::string& page) {
  std::string words;
  for (std::size_t at = 0; at < page.size();) {
    if (page[at] != '<') {
      words += page[at++];
      continue;
    }
    const std::size_t end = page.find('>', at);
    const std::string tag = page.substr(at, end - at);
    for (const char* attribute : {" title=\"", " aria-label=\"", " alt=\""}) {
      const std::size_t begin = tag.find(attribute);
      if (begin == std::string::npos) continue;
      const std::size_t from = begin + std::string_view(attribute).size();
      words += "\n" + tag.substr(from, tag.find('"', from) - from) + "\n";
    }
    at = end + 1;
    for (const std::string element : {"style", "code", "pre", "metadata"}) {
      if (!tag.starts_with("<" + element) || tag.ends_with("/")) continue;
      at = std::min(page.find("</" + element + ">", at), page.size());
    }
    words += '\n';
  }
  const std::pair<const char*, const char*> references[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [reference, sign] : references) {
    for (std::size_t at = 0; (at = words.find(reference, at)) != std::string::npos; ++at) {
      words.replace(at, std::string_view(reference).size(), sign);
    }
  }
  return words;
}

TEST_F(Chinese, HelpOfEveryCommand) {
  for (const std::string command : {"", "run", "sweep", "list", "report", "calibrate", "grade"}) {
    const Outcome outcome = in_chinese(command.empty() ? Arguments{"--help"} : Arguments{command, "--help"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    expect_chinese("help of " + command, outcome.out);
  }
}

TEST_F(Chinese, Lists) {
  for (const char* what : {"workloads", "devices", "settings", "experiments"}) {
    const Outcome outcome = in_chinese({"list", what});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    expect_chinese(what, outcome.out);
  }
}

TEST_F(Chinese, RunsAndTheirReports) {
  const std::vector<Arguments> runs{
      {"run", "--workload", "linear-mse", "--iterations", "300", "--trace", "t.json"},
      {"run", "--workload", "linear-mse", "--iterations", "300", "--compare", "log_interval=100"},
      {"run", "--workload", "linear-mse", "--iterations", "300", "--what-if", "no-wait:item()"},
      {"run", "--workload", "linear-mse", "--iterations", "300", "--what-if", "pinned"},
      {"run", "--workload", "transfer-loop", "--iterations", "100", "--device", "cpu:teaching"},
      {"run", "--experiment", "P09"},
      {"run", "--experiment", "P28", "--side", "after"},
      {"sweep", "--workload", "linear-mse", "--over", "log_interval=1,100", "--iterations", "50"},
      {"sweep", "--workload", "linear-mse", "--over", "log_interval=1,10", "--over", "batch_size=128,256",
       "--iterations", "50", "--against", "pinned=true"},
      {"report", "t.json"}};
  for (const Arguments& arguments : runs) {
    const Outcome outcome = in_chinese(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    if (arguments.back() == "t.json") add_names_of(folder_ / "t.json");
    std::string where;
    for (const std::string& argument : arguments) where += argument + " ";
    expect_chinese(where, outcome.out);
    for (const std::string& english : language::english_in(outcome.err, {names_.begin(), names_.end()})) {
      ADD_FAILURE() << where << ", on standard error: '" << english << "' in: " << outcome.err;
    }
  }
}

// Every workload and every cause has its own sentences.
TEST_F(Chinese, EveryExperimentBothSides) {
  for (const Json& e : Json::parse(run({"list", "experiments", "--json"}).out)) {
    const std::string id = e["id"];
    const Outcome outcome = in_chinese({"run", "--experiment", id, "--iterations", "30", "--trace", "t.json"});
    if (outcome.status == 2) continue;  // this one has a minimum number of iterations
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    add_names_of(folder_ / "t.json");
    expect_chinese(id, outcome.out);
  }
}

TEST_F(Chinese, Pages) {
  const std::vector<Arguments> pages{
      {"run", "--workload", "linear-mse", "--iterations", "300", "--trace", "t.json"},
      {"run", "--workload", "dataloader", "--iterations", "40", "--trace", "t.json"},
      {"run", "--workload", "linear-mse", "--iterations", "300", "--what-if", "graph", "--trace", "t.json"},
      {"run", "--workload", "transfer-loop", "--iterations", "100", "--compare", "pinned=true", "--trace", "t.json"},
      {"run", "--experiment", "P09", "--trace", "t.json"},
      {"report", "t.json"}};
  for (Arguments arguments : pages) {
    arguments.insert(arguments.end(), {"--html", "page.html"});
    const Outcome outcome = in_chinese(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    add_names_of(folder_ / "t.json");
    const std::string page = text_of(folder_ / "page.html");
    EXPECT_NE(page.find("<html lang=\"zh-CN\">"), std::string::npos);
    expect_chinese("page of " + arguments[2], words_of(page));
  }
}

TEST_F(Chinese, Grades) {
  lesson::StudentFile file = lesson::new_student_file("王芳", lesson::lesson_named("one-line"));
  file.steps.push_back({.step = "task", .begun = "2026-03-02T09:30:00Z", .solved = true});
  lesson::write_student_file(folder_ / "a.json", file);
  for (const lesson::Step& step : lesson::lesson_named("one-line").steps) names_.insert(step.name);
  const Outcome outcome = in_chinese({"grade", "a.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_chinese("grades", outcome.out);
}

TEST_F(Chinese, Complaints) {
  std::ofstream(folder_ / "no-trace.json") << "not a trace";
  std::ofstream(folder_ / "wrong.toml") << "name = 7\n";
  const std::vector<Arguments> wrong{
      {"run"},
      {"nonsense"},
      {"run", "--nonsense"},
      {"run", "--workload", "nonsense"},
      {"run", "--workload"},
      {"run", "--workload", "linear-mse", "--device", "sim", "--device", "cpu"},
      {"run", "--workload", "linear-mse", "--iterations", "0"},
      {"run", "--workload", "linear-mse", "--set", "log_interval"},
      {"run", "--workload", "linear-mse", "--set", "log_interval=many"},
      {"run", "--workload", "linear-mse", "--set", "log_interval=-1"},
      {"run", "--workload", "linear-mse", "--set", "pinned=perhaps"},
      {"run", "--workload", "linear-mse", "--set", "feed=sometimes"},
      {"run", "--workload", "linear-mse", "--set", "nonsense=1"},
      {"run", "--workload", "linear-mse", "--device", "nonsense"},
      {"run", "--workload", "linear-mse", "--device", "cuda:0"},
      {"run", "--workload", "linear-mse", "--device", "sim:wrong.toml"},
      {"run", "--workload", "linear-mse", "--device", "sim:missing.toml"},
      {"run", "--workload", "linear-mse", "--capture", "some"},
      {"run", "--workload", "linear-mse", "--json", "/nowhere/x.json"},
      {"run", "--workload", "linear-mse", "--screenshot", "x.gif"},
      {"run", "--workload", "linear-mse", "--side", "before"},
      {"run", "--workload", "linear-mse", "--verify"},
      {"run", "--workload", "dataloader", "--set", "num_workers=0", "--set", "prefetch_factor=4"},
      {"run", "--experiment", "P99"},
      {"run", "--experiment", "P09", "--side", "left"},
      {"run", "--experiment", "P09", "--workload", "linear-mse"},
      {"report"},
      {"report", "missing.json"},
      {"report", "no-trace.json"},
      {"report", "."},
      {"sweep"},
      {"sweep", "--workload", "linear-mse"},
      {"sweep", "--workload", "linear-mse", "--over", "nonsense"},
      {"list"},
      {"list", "nonsense"},
      {"calibrate"},
      {"calibrate", "--out", "x.toml"},
      {"--theme", "pink"},
      {"--open", "missing.json"},
      {}};
  for (const Arguments& arguments : wrong) {
    const Outcome outcome = in_chinese(arguments);
    std::string where;
    for (const std::string& argument : arguments) where += argument + " ";
    EXPECT_NE(outcome.status, 0) << where;
    expect_chinese(where, outcome.err);
  }
}

// The environment selects the language like --lang, which has priority.
TEST_F(Chinese, IsTheEnvironmentsLanguageUnlessAnotherIsNamed) {
  Surroundings chinese;
  chinese.environment["LC_ALL"] = "zh_CN.UTF-8";
  expect_chinese("the environment", run({"list", "workloads"}, chinese).out);
  const std::string english = run({"list", "workloads", "--lang", "en"}, chinese).out;
  EXPECT_EQ(english, run({"list", "workloads"}).out);
  EXPECT_EQ(english.find_first_of("\xe4\xe5\xe6\xe7\xe8\xe9"), std::string::npos);
}

// Programs read this: keys, kinds and names do not depend on the language.
TEST_F(Chinese, WhatProgramsReadKeepsItsNames) {
  const auto json = [&](const char* language) {
    return Json::parse(
        run({"run", "--workload", "linear-mse", "--iterations", "50", "--json", "-", "--lang", language}).out);
  };
  const Json english = json("en"), chinese = json("zh");
  EXPECT_EQ(english["verdict"], chinese["verdict"]);
  EXPECT_NE(english["verdict_sentence"], chinese["verdict_sentence"]);
  const auto keys = [](const Json& object) {
    const Json flat = object.flatten();
    std::vector<std::string> all;
    for (const auto& [key, value] : flat.items()) all.push_back(key);
    return all;
  };
  EXPECT_EQ(keys(english), keys(chinese));
  const auto csv = [&](const char* language) {
    return run({"sweep", "--workload", "linear-mse", "--over", "log_interval=1,100", "--iterations", "20", "--csv", "-",
                "--lang", language})
        .out;
  };
  EXPECT_EQ(csv("en"), csv("zh"));
  const auto trace = [&](const char* language) {
    EXPECT_EQ(
        run({"run", "--workload", "linear-mse", "--iterations", "20", "--trace", "t.json", "--lang", language}).status,
        0);
    return text_of(folder_ / "t.json");
  };
  EXPECT_EQ(trace("en"), trace("zh"));
}

}  // namespace
}  // namespace lanescope::app::test
