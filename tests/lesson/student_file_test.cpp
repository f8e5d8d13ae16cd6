// A student's file: written and read again, and damaged in every way.
#include "lesson/student_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "io/scratch.h"

namespace lanescope::lesson {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

StudentFile answered() {
  StudentFile file = new_student_file("Ann Lee", lesson_named("one-line"));
  StepRecord see{.step = "see", .answer = std::size_t{2}, .begun = "2026-03-02T09:30:00Z", .seconds = 42.5, .hints = 0};
  see.seen = Truth{41.7, "", 2};
  see.device = "sim:rtx4090";
  StepRecord guess{.step = "guess", .answer = 1.1, .begun = "2026-03-02T09:31:00Z", .seconds = 0.1, .hints = 1};
  guess.seen = Truth{1.4422219, "", 0};
  guess.device = "cuda:0";
  StepRecord rarely{.step = "rarely", .begun = "2026-02-28T23:59:59Z"};
  StepRecord task{.step = "task", .begun = "2026-03-02T09:40:00Z", .seconds = 1e7, .hints = 1000};
  task.settings = {"log_interval=100", "pinned=true"};
  task.solved = true;
  file.steps = {see, guess, rarely, task};
  return file;
}

std::string student_error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::FileError& error) {
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    return error.what();
  }
  return "";
}

std::string error_in(const std::string& text) {
  return student_error_of([&] { parse_student_file(text, "ann.json"); });
}

/// What is said of the file after `damage`.
std::string damaged(const std::function<void(Json&)>& damage) {
  Json json = Json::parse(to_json(answered()));
  damage(json);
  return error_in(json.dump());
}

TEST(StudentFile, IsReadAsItWasWritten) {
  const StudentFile file = answered();
  const std::string text = to_json(file);
  const StudentFile read = parse_student_file(text, "ann.json");
  EXPECT_EQ(read, file);
  EXPECT_EQ(to_json(read), text);
  EXPECT_EQ(read.record("guess")->answer, Answer(1.1));
  EXPECT_EQ(read.record("nothing"), nullptr);
}

TEST(StudentFile, MayHaveNoStepsAndAnyName) {
  for (const char* name : {"王芳", "Ann \"Lee\"", "=1+1", "Zoë, O'Neil", "x"}) {
    const StudentFile file = new_student_file(name, lesson_named("lab"));
    EXPECT_EQ(parse_student_file(to_json(file), "a.json"), file) << name;
  }
}

TEST(StudentFile, RefusesNamesThatAreNone) {
  const auto refused = [](const std::string& name) {
    try {
      check_student_name(name);
    } catch (const base::UsageError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("1 to 100 characters"), testing::Not(HasSubstr("\n"))));
      return true;
    }
    return false;
  };
  for (const char* name : {"", " ", "Ann ", "a\nb", "a\x7f", "\xff", "a\xc3", "\u202eAnn", "\x1b[31mAnn"}) {
    EXPECT_TRUE(refused(name)) << name;
  }
  std::string hundred;
  for (int i = 0; i < 100; ++i) hundred += "王";
  EXPECT_FALSE(refused(hundred));
  EXPECT_TRUE(refused(hundred + "a"));
}

TEST(StudentFile, SaysWhatIsDamagedAndWhatIsAllowed) {
  struct Damage {
    std::function<void(Json&)> damage;
    std::string place, allowed;
  };
  const std::vector<Damage> all = {
      {[](Json& j) { j = Json::array(); }, "ann.json: is an array", "an object"},
      {[](Json& j) { j.erase("student"); }, "student: ", "is missing"},
      {[](Json& j) { j["student"] = 7; }, "student: is '7'", "a text"},
      {[](Json& j) { j["student"] = ""; }, "student: ", "1 to 100"},
      {[](Json& j) { j["student"] = std::string(101, 'a'); }, "student: ", "1 to 100"},
      {[](Json& j) { j["student"] = std::string(1000, 'a'); }, "student: ", "at most 800 bytes"},
      {[](Json& j) { j["student"] = "a\nb"; }, "student: ", "without control characters"},
      {[](Json& j) { j["lesson"] = "../one"; }, "lesson: is '../one'", "letters, digits and -"},
      {[](Json& j) { j["format"] = 3; }, "format: ", "newer Lanescope"},
      {[](Json& j) { j["format"] = 3, j["points"] = 9; }, "format: ", "newer Lanescope"},
      {[](Json& j) { j.erase("format"); }, "format: ", "is missing"},
      {[](Json& j) { j["format"] = -1; }, "format: is '-1'", "0 to"},
      {[](Json& j) { j["lesson_digest"] = ""; }, "lesson_digest: is ''", "letters, digits and -"},
      {[](Json& j) { j["points"] = 9; }, "'points'", "allowed: lanescope, format"},
      {[](Json& j) { j["steps"] = Json::object(); }, "steps: is an object", "at most 1000 steps"},
      {[](Json& j) { j["steps"] = std::vector<int>(1001); }, "steps: is an array", "at most 1000 steps"},
      {[](Json& j) { j["steps"][0] = 1; }, "steps[0]: is '1'", "an object"},
      {[](Json& j) { j["steps"][1]["step"] = "see"; }, "steps[1].step: 'see' appears twice", "a different name"},
      {[](Json& j) { j["steps"][1]["step"] = ""; }, "steps[1].step: is ''", "letters"},
      {[](Json& j) { j["steps"][1]["answer"] = 1.1; }, "steps[1].answer: is '1.1'", "an object"},
      {[](Json& j) { j["steps"][1]["answer"] = Json::object(); }, "steps[1].answer: ", "{\"number\": 1.5}"},
      {[](Json& j) { j["steps"][1]["answer"]["choice"] = 1; }, "steps[1].answer: ", "{\"choice\": 0}"},
      {[](Json& j) { j["steps"][1]["answer"]["word"] = 1; }, "steps[1].answer.'word': ", "choice, number"},
      {[](Json& j) { j["steps"][1]["answer"]["number"] = "1.1"; }, "answer.number: is '1.1'", "a number from"},
      {[](Json& j) { j["steps"][1]["answer"]["number"] = 1e300; }, "answer.number: is '1e+300'", "a number from"},
      {[](Json& j) { j["steps"][0]["answer"]["choice"] = -1; }, "answer.choice: is '-1'", "from 0 to 1000"},
      {[](Json& j) { j["steps"][0]["answer"]["choice"] = 1.0; }, "answer.choice: is '1.0'", "a whole number"},
      {[](Json& j) { j["steps"][0]["answer"]["choice"] = 18446744073709551615u; }, "choice: is", "a whole number"},
      {[](Json& j) { j["steps"][0]["begun"] = "2026-02-29T09:30:00Z"; }, "steps[0].begun: ", "2026-03-02T09:30:00Z"},
      {[](Json& j) { j["steps"][0]["begun"] = "2026-03-02T24:00:00Z"; }, "steps[0].begun: ", "a time such as"},
      {[](Json& j) { j["steps"][0]["begun"] = "2026-03-02 09:30:00Z"; }, "steps[0].begun: ", "a time such as"},
      {[](Json& j) { j["steps"][0]["begun"] = ""; }, "steps[0].begun: is ''", "a time such as"},
      {[](Json& j) { j["steps"][0]["seconds"] = -0.5; }, "steps[0].seconds: is '-0.5'", "from 0 to"},
      {[](Json& j) { j["steps"][0]["seconds"] = nullptr; }, "steps[0].seconds: is 'null'", "a number"},
      {[](Json& j) { j["steps"][0]["hints"] = 1001; }, "steps[0].hints: is '1001'", "from 0 to 1000"},
      {[](Json& j) { j["steps"][0]["hints"] = true; }, "steps[0].hints: is 'true'", "a whole number"},
      {[](Json& j) { j["steps"][3]["settings"] = "a=1"; }, "steps[3].settings: is 'a=1'", "an array"},
      {[](Json& j) { j["steps"][3]["settings"][1] = "pinned"; }, "steps[3].settings[1]: is 'pinned'", "KEY=VALUE"},
      {[](Json& j) { j["steps"][3]["settings"][0] = 5; }, "steps[3].settings[0]: is '5'", "a text"},
      {[](Json& j) { j["steps"][3]["settings"] = std::vector<std::string>(201, "a=1"); }, "settings: ", "at most 200"},
      {[](Json& j) { j["steps"][3]["solved"] = 1; }, "steps[3].solved: is '1'", "true, false"},
      {[](Json& j) { j["steps"][0]["seen"] = "much"; }, "steps[0].seen: is 'much'", "an object"},
      {[](Json& j) { j["steps"][0]["seen"].erase("value"); }, "steps[0].seen.value: ", "is missing"},
      {[](Json& j) { j["steps"][0].erase("device"); }, "steps[0].device: ", "is missing"},
  };
  for (const Damage& each : all) {
    const std::string said = damaged(each.damage);
    EXPECT_THAT(said, AllOf(StartsWith("ann.json: "), HasSubstr(each.place), HasSubstr(each.allowed)));
    EXPECT_LT(said.size(), 500u);
  }
}

TEST(StudentFile, IsNotTakenFromAnythingElse) {
  EXPECT_THAT(error_in(""), AllOf(StartsWith("ann.json: 1: "), HasSubstr("is not JSON")));
  EXPECT_THAT(error_in("{\n\"student\": \"\xff\"}"), AllOf(StartsWith("ann.json: 2: "), HasSubstr("is not JSON")));
  EXPECT_THAT(error_in("{\"seconds\": 1e999}"), HasSubstr("a number that is too large"));
  EXPECT_THAT(error_in(std::string(1'000'000, '[')), HasSubstr("nested too deeply"));
  EXPECT_THAT(error_in("null"), HasSubstr("an object"));
  EXPECT_THAT(error_in("{\"\\u001b[31m\\n\": 1}"), HasSubstr("is unknown"));
}

// Its last character is a line feed, without which it is still whole.
TEST(StudentFile, CutOffAnywhereIsOneLine) {
  const std::string text = to_json(answered());
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    ASSERT_THAT(error_in(text.substr(0, size)), AllOf(StartsWith("ann.json: "), HasSubstr("was cut off"))) << size;
  }
}

TEST(StudentFile, MayBeLaidOutAnew) {
  const Json json = Json::parse(to_json(answered()));
  EXPECT_EQ(parse_student_file(json.dump(), "a"), answered());
  EXPECT_EQ(parse_student_file(nlohmann::json(json).dump(7), "a"), answered()) << "keys in another order";
}

TEST(StudentFile, OfFormat1HasSealsThatNobodyChecks) {
  Json json = Json::parse(to_json(answered()));
  json["format"] = 1;
  json["seals"] = {{"student", "0cab051b"}, {"end", {{"deep", {1, 2}}}}};
  for (Json& step : json["steps"]) step["seals"] = {{"step", "a3029fe5"}};
  EXPECT_EQ(parse_student_file(json.dump(), "a"), answered());
}

// --- the digest ----------------------------------------------------------------------------------------------------

TEST(LessonDigest, IsOfWhatIsAskedAndOfNothingElse) {
  const Lesson& lesson = lesson_named("one-line");
  const std::string digest = lesson_digest(lesson);
  EXPECT_EQ(digest.size(), 16u);
  const auto with = [&](const std::function<void(Lesson&)>& change) {
    Lesson other = lesson;
    change(other);
    return lesson_digest(other);
  };
  const auto question = [](Lesson& l) -> Question& { return *l.steps[1].question; };
  ASSERT_EQ(lesson.steps[1].name, "guess");
  EXPECT_EQ(with([](Lesson& l) { l.steps[1].notes = {}; }), digest);
  EXPECT_EQ(with([](Lesson& l) { l.steps[1].minutes = 9; }), digest);
  EXPECT_EQ(with([](Lesson& l) { l.title = {}; }), digest);
  EXPECT_NE(with([&](Lesson& l) { question(l).tolerance = 0.2; }), digest);
  EXPECT_NE(with([&](Lesson& l) { question(l).text = {}; }), digest);
  EXPECT_NE(with([](Lesson& l) { std::swap(l.steps[0].question->choices[0], l.steps[0].question->choices[1]); }),
            digest);
  EXPECT_NE(with([](Lesson& l) { l.steps[1].settings = {"batch_size=1"}; }), digest);
  EXPECT_NE(with([](Lesson& l) { l.steps[1].experiment = "P10"; }), digest);
  EXPECT_NE(with([](Lesson& l) { l.steps.pop_back(); }), digest);
  EXPECT_NE(with([](Lesson& l) { l.steps.back().task->keep.emplace_back("seed"); }), digest);
  EXPECT_NE(with([](Lesson& l) { l.steps.back().task->goals[0].most = 1; }), digest);
}

TEST(LessonDigest, DiffersBetweenLessons) {
  std::set<std::string> digests;
  for (const Lesson& lesson : lessons()) digests.insert(lesson_digest(lesson));
  EXPECT_EQ(digests.size(), lessons().size());
}

// 2026-03-02 is day 20,514 after 1970-01-01 (56 years of 365 days, 14 leap days, 31 + 28 + 1 days of that year).
TEST(UtcText, IsIso8601) {
  using namespace std::chrono;
  EXPECT_EQ(utc_text(system_clock::time_point(hours(24 * 20'514) + hours(9) + minutes(30) + milliseconds(1700))),
            "2026-03-02T09:30:01Z");
}

// --- where it is ---------------------------------------------------------------------------------------------------

std::string name_of(std::string_view student, std::string_view lesson = "one-line") {
  return student_file_path("", student, lesson).string();
}

TEST(StudentFilePath, IsReadable) {
  EXPECT_EQ(student_file_path("class", "Ann Lee", "why-the-gpu-waits"), "class/ann-lee-why-the-gpu-waits.answers.json");
  EXPECT_EQ(name_of("Group 3"), "group-3-one-line.answers.json");
  EXPECT_THAT(name_of("ann lee"), testing::MatchesRegex("ann-lee_[0-9a-f]{12}-one-line\\.answers\\.json"));
  EXPECT_THAT(name_of("王芳"), testing::MatchesRegex("王芳_[0-9a-f]+-one-line\\.answers\\.json"));
  EXPECT_THAT(name_of("../../etc/passwd"), testing::MatchesRegex("etc-passwd_[0-9a-f]+-one-line\\.answers\\.json"));
  EXPECT_THAT(name_of("Ann", "Lab"), testing::MatchesRegex("ann-lab_[0-9a-f]+\\.answers\\.json"));
}

TEST(StudentFilePath, DiffersForDifferentNames) {
  const std::vector<std::string> names = {"Ann Lee",
                                          "ann lee",
                                          "Ann-Lee",
                                          "ANN LEE",
                                          "Ann  Lee",
                                          "AnnLee",
                                          "Ann Lee.",
                                          "Ann/Lee",
                                          "Ann_Lee",
                                          "王芳",
                                          "王 芳",
                                          "芳王",
                                          "Zoë",
                                          "Zoe",
                                          "zoE",
                                          "..",
                                          "!",
                                          "?",
                                          "a",
                                          "A",
                                          "École",
                                          "école",
                                          "Ann Lee 1",
                                          "Ann Lee1",
                                          "Ann L Ee",
                                          "Ann lee",
                                          "É",
                                          "é",
                                          "-",
                                          std::string(100, 'a'),
                                          "A" + std::string(99, 'a'),
                                          "A" + std::string(98, 'a') + "b"};
  std::set<std::string> paths;
  for (const std::string& name : names) {
    const std::string path = name_of(name);
    EXPECT_TRUE(paths.insert(path).second) << name << " " << path;
    EXPECT_EQ(path.find_first_of("/\\:*?\"<>| "), std::string::npos) << path;
    EXPECT_NE(path.front(), '.') << path;
    EXPECT_LE(name_of(name, std::string(500, 'x')).size(), 255u);
  }
}

class WrittenStudentFile : public io::Scratch {};

TEST_F(WrittenStudentFile, IsReadAgainAfterEachAnswer) {
  const std::filesystem::path path = student_file_path(folder_, "Ann Lee", "one-line");
  StudentFile file = answered();
  const std::vector<StepRecord> records = std::exchange(file.steps, {});
  for (const StepRecord& record : records) {
    file.steps.push_back(record);
    write_student_file(path, file);
    EXPECT_EQ(read_student_file(path), file);
    EXPECT_EQ(files_in_folder(), 1u);
  }
}

TEST_F(WrittenStudentFile, IsLeftAsItIsIfTheNewOneCouldNotBeRead) {
  const std::filesystem::path path = folder_ / "a.answers.json";
  write_student_file(path, answered());
  StudentFile bad = answered();
  bad.steps[0].seconds = -1;
  EXPECT_THAT(student_error_of([&] { write_student_file(path, bad); }),
              AllOf(StartsWith(path.string()), HasSubstr("seconds")));
  bad = answered();
  bad.steps[1].answer = std::nan("");
  EXPECT_THAT(student_error_of([&] { write_student_file(path, bad); }), HasSubstr("answer.number"));
  bad = answered();
  bad.student = "a\xff";
  EXPECT_THAT(student_error_of([&] { write_student_file(path, bad); }), StartsWith(path.string()));
  EXPECT_EQ(read_student_file(path), answered());
  EXPECT_THAT(student_error_of([&] { write_student_file(folder_ / "none" / "a.json", answered()); }),
              AllOf(HasSubstr("none/a.json"), HasSubstr("No such file")));
}

TEST_F(WrittenStudentFile, ThatCannotBeReadIsOneLine) {
  EXPECT_THAT(student_error_of([&] { read_student_file(folder_ / "none.json"); }), HasSubstr("No such file"));
  EXPECT_THAT(student_error_of([&] { read_student_file(folder_); }), HasSubstr("directory"));
  std::ofstream(folder_ / "empty.json");
  EXPECT_THAT(student_error_of([&] { read_student_file(folder_ / "empty.json"); }), HasSubstr("empty"));
  std::ofstream(folder_ / "large.json") << std::string(4'000'001, ' ');
  EXPECT_THAT(student_error_of([&] { read_student_file(folder_ / "large.json"); }), HasSubstr("too large"));
}

}  // namespace
}  // namespace lanescope::lesson
