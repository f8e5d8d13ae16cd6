// `lanescope lesson`: the plan, and the pages for teacher and students, whose answers are those of a run.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <utility>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LessonPages : public ProgramTest {
 protected:
  std::string said(const std::vector<std::string>& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
};

TEST_F(LessonPages, ThePlanSaysWhenEachStepBegins) {
  const std::string plan = said({"lesson", "why-the-gpu-waits"});
  EXPECT_THAT(plan, AllOf(HasSubstr("Why the GPU waits (45 min)"), HasSubstr("0:00  Launching is not executing"),
                          HasSubstr("0:10  What loss.item() does"), HasSubstr("0:32  Your turn"),
                          HasSubstr("0:38  to spare  (7 min)")));
  EXPECT_THAT(said({"lesson", "one-line", "--lang", "zh"}), HasSubstr("0:03  它的代价有多大  (3.5 分钟, P09)"));
}

// The factor of P09 on its simulated device, as `run` gives it.
TEST_F(LessonPages, TheNotesHaveTheMeasuredAnswers) {
  const std::string notes = said({"lesson", "one-line", "--notes", "-"});
  const auto json = nlohmann::json::parse(said({"run", "--experiment", "P09", "--json", "-"}));
  const double factor = 1 / json["ratio"]["pace"].get<double>();
  EXPECT_THAT(notes, HasSubstr(fmt::format("{:.2f}", factor)));
  EXPECT_THAT(notes, AllOf(HasSubstr("C · 30 to 60 %"), HasSubstr("Do not explain the lanes"), HasSubstr("to spare"),
                           Not(HasSubstr("Where the tutorial errs")), HasSubstr("NVIDIA GeForce RTX 4090 (simulated)"),
                           Not(HasSubstr("<script")), Not(HasSubstr("http:"))));
}

// In PyTorch its experiment took these times; steps with settings of their own were not measured.
TEST_F(LessonPages, EachLessonHasNotes) {
  for (const auto& lesson : nlohmann::json::parse(said({"list", "lessons", "--json"}))) {
    EXPECT_THAT(said({"lesson", lesson["name"].get<std::string>(), "--notes", "-"}), HasSubstr("In PyTorch")) << lesson;
  }
}

// In a picture there is every number, as a coordinate.
std::string without_pictures(std::string page) {
  for (std::size_t from; (from = page.find("<svg")) != std::string::npos;) {
    page.erase(from, page.find("</svg>", from) + 6 - from);
  }
  return page;
}

TEST_F(LessonPages, TheWorksheetAsksInBothLanguagesAndDoesNotTell) {
  const std::string sheet = said({"lesson", "one-line", "--worksheet", "-"});
  EXPECT_THAT(without_pictures(sheet), Not(HasSubstr("1.44")));
  EXPECT_THAT(sheet, AllOf(HasSubstr("How many times as fast is the loop without the line?"),
                           HasSubstr("去掉这一行，循环的速度是几倍？"), HasSubstr("<svg")));
  const std::string answers = said({"lesson", "one-line", "--worksheet", "-", "--answers"});
  EXPECT_THAT(without_pictures(answers), AllOf(HasSubstr("1.44"), HasSubstr("(right within 15 %: 1.225 to 1.658)")));
}

// With headings and empty lanes at full height, a picture of feeding-the-gpu was 1.17 times as high as wide. Where the
// pages break is checked by scripts/check-print.sh.
TEST_F(LessonPages, TheWorksheetHasACardForEachStepAndNoPictureTwice) {
  struct Sheet {
    const char* lesson;
    int steps, pictures;
  };
  for (const auto& [lesson, steps, own_pictures] :
       {Sheet{"why-the-gpu-waits", 8, 8}, Sheet{"one-line", 4, 1}, Sheet{"feeding-the-gpu", 5, 3}}) {
    const std::string sheet = said({"lesson", lesson, "--worksheet", "-"});
    int cards = 0;
    for (std::size_t at = 0; (at = sheet.find("<section class=\"card", at)) != std::string::npos; ++at) ++cards;
    EXPECT_EQ(cards, steps) << lesson;
    EXPECT_THAT(sheet, HasSubstr("<table class=\"tries\">")) << lesson << ": each has a task";
    const std::regex box("<svg[^>]* viewBox=\"0 0 (\\d+) (\\d+)\"");
    int pictures = 0;
    for (std::sregex_iterator svg(sheet.begin(), sheet.end(), box), end; svg != end; ++svg, ++pictures) {
      EXPECT_LT(std::stod((*svg)[2]), 0.85 * std::stod((*svg)[1])) << lesson << ", picture " << pictures;
    }
    EXPECT_EQ(pictures, own_pictures) << lesson;
  }
}

// Of a task: what the other side of its experiment gives, as the students write it into their table.
TEST_F(LessonPages, TheAnswersHaveTheVerdictsOfATask) {
  const std::string answers = said({"lesson", "one-line", "--worksheet", "-", "--answers"});
  EXPECT_THAT(answers, HasSubstr("a read every iteration: Sync-bound → no read: Launch-bound, 1.442 ×"));
}

TEST_F(LessonPages, AreWrittenWholeOrNotAtAll) {
  const Outcome outcome = run({"lesson", "one-line", "--notes", "/nowhere/notes.html"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("/nowhere/notes.html"));
}

}  // namespace
}  // namespace lanescope::app::test
