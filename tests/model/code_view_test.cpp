// The code beside the run: where its parts stand, what a knob changed in it, which statement an event is of.
#include <gmock/gmock.h>

#include "analysis/trace_builder.h"
#include "model/code/code_layout.h"
#include "model/model.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using trace::EventKind;
using trace::LaneKind;
using workload::Code;

workload::Code code_with(std::string_view name, const std::vector<std::string>& assignments) {
  workload::Settings settings = workload::default_settings(name, {});
  for (const std::string& assignment : assignments) settings.assign(assignment);
  return workload::workload_code(name, settings);
}

// Letters of 8 and 7 pixels, figures of 50.
CodeMeasures measures() {
  CodeMeasures m;
  m.letter[static_cast<std::size_t>(FontRole::Mono)] = 8;
  m.letter[static_cast<std::size_t>(FontRole::MonoSmall)] = 7;
  m.figure = 50;
  return m;
}

// Of 600 pixels, 8 + 14 are for the numbers, 18 for the arrow and 12 free at the right: 548 remain. 31 letters of 8 are
// 248, and three columns share the other 300: 86 each, after a gap of 14.
TEST(CodeLayoutTest, ThreeColumnsShareWhatTheCodeLeaves) {
  const CodeLayout l = code_layout(100, 600, 400, 1, 30, 10, measures());
  EXPECT_EQ(l.detail, CodeDetail::Figures);
  EXPECT_EQ(l.font, FontRole::Mono);
  EXPECT_EQ(l.row_height, 22);
  EXPECT_EQ(l.number_right, 122);
  EXPECT_EQ(l.code_x, 140);
  EXPECT_EQ(l.right, 688);
  EXPECT_EQ(l.column_width, 86);
  EXPECT_THAT(l.column_x, ElementsAre(402, 502, 602));
  EXPECT_EQ(l.code_width, 248);
  EXPECT_EQ(l.text_x(2), 140 + 4 * 8);
}

TEST(CodeLayoutTest, TheLettersGetSmallerBeforeTheFiguresGo) {
  const auto detail = [](float width, float height = 400) {
    const CodeLayout l = code_layout(0, width, height, 1, 30, 10, measures());
    EXPECT_LE(l.code_x + l.code_width, l.right);
    EXPECT_LE(l.column_x[2] + l.column_width, l.right + 0.01f);
    return std::pair(l.detail, l.font);
  };
  // Code and three columns of 64: 248 + 192, or 217 + 192; with what stands around them 52 more.
  EXPECT_EQ(detail(492), std::pair(CodeDetail::Figures, FontRole::Mono));
  EXPECT_EQ(detail(491), std::pair(CodeDetail::Figures, FontRole::MonoSmall));
  EXPECT_EQ(detail(460), std::pair(CodeDetail::Bars, FontRole::Mono));
  EXPECT_EQ(detail(360).first, CodeDetail::Bar);
  EXPECT_EQ(detail(240), std::pair(CodeDetail::Text, FontRole::MonoSmall));
  // Ten lines of 22 need 220.
  EXPECT_EQ(detail(492, 219), std::pair(CodeDetail::Figures, FontRole::MonoSmall));
}

TEST(CodeLayoutTest, GrowsWithTheTextAndTakesNoMoreThanItNeeds) {
  const CodeLayout one = code_layout(0, 2000, 400, 1, 30, 10, measures());
  EXPECT_EQ(one.column_width, 132);
  CodeMeasures twice = measures();
  for (float& letter : twice.letter) letter *= 2;
  twice.figure *= 2;
  const CodeLayout two = code_layout(0, 4000, 800, 2, 30, 10, twice);
  EXPECT_EQ(two.code_x, 2 * one.code_x);
  EXPECT_EQ(two.row_height, 2 * one.row_height);
  EXPECT_EQ(two.column_x[1], 2 * one.column_x[1]);
}

std::vector<std::string> changed(const Code& before, const Code& after) {
  std::vector<std::string> texts;
  for (const CodeChange& c : changes(before, after)) texts.push_back(after[c.line].text.substr(c.begin, c.length));
  return texts;
}

TEST(CodeChangesTest, OnlyTheValueThatWasTurned) {
  const Code fed = code_with("linear-mse", {"feed=per-iteration"});
  EXPECT_THAT(changed(fed, fed), IsEmpty());
  EXPECT_THAT(changed({}, fed), IsEmpty()) << "a run that begins has changed nothing";
  EXPECT_THAT(changed(fed, code_with("linear-mse", {"feed=per-iteration", "pinned=true"})), ElementsAre("True"));
  EXPECT_THAT(changed(code_with("linear-mse", {"log_interval=10"}), code_with("linear-mse", {"log_interval=100"})),
              ElementsAre("100"));
}

TEST(CodeChangesTest, LinesThatAreNew) {
  const Code without = code_with("linear-mse", {"log_interval=0"}), with = code_with("linear-mse", {});
  EXPECT_THAT(changed(without, with), ElementsAre("if i % 1 == 0:", "value = loss.item()"));
  EXPECT_THAT(changed(with, without), IsEmpty());
}

TEST(CodeTokensTest, SayWhatComesFromAKnob) {
  const Code code = code_with("linear-mse", {});
  using Kind = CodeToken::Kind;
  const workload::Statement& test = code[*workload::statement_of(code, "item()") - 1];
  ASSERT_EQ(test.text, "if i % 1 == 0:");
  EXPECT_THAT(tokens(test), ElementsAre(CodeToken{Kind::Keyword, 0, 2}, CodeToken{Kind::Plain, 2, 5},
                                        CodeToken{Kind::Knob, 7, 1}, CodeToken{Kind::Plain, 8, 6}));
  workload::Statement comment;
  comment.text = "forecast(x)  # for it";
  EXPECT_THAT(tokens(comment), ElementsAre(CodeToken{Kind::Plain, 0, 13}, CodeToken{Kind::Comment, 13, 8}));
}

class CodeLocatorTest : public testing::Test {
 protected:
  CodeLocatorTest() {
    for (const Nanoseconds begin : {0, 1000}) {
      t_.iteration(begin, begin + 1000);
      range("synchronize()", begin + 100, begin + 200);
      range("forward", begin + 200, begin + 300);
      t_.launch(begin + 210, begin + 220, static_cast<std::uint32_t>(begin + 1));
      t_.kernel(begin + 500, begin + 600, static_cast<std::uint32_t>(begin + 1));
      range("synchronize()", begin + 300, begin + 700);
    }
    t_.publish();
    links_.update();
  }
  void range(std::string_view name, Nanoseconds start, Nanoseconds end) {
    t_.add(t_.lane(LaneKind::Phases, 0, "phase"), EventKind::Range, name, start, end);
  }
  std::string text(std::optional<std::size_t> line) { return line ? code_[*line].text : "none"; }
  EventRef event(LaneKind kind, std::size_t nth) {
    EventRef found;
    for_rows(
        trace_, [&](LaneKind k) { return k == kind; },
        [&](trace::LaneId lane, std::size_t number, const trace::Row& row) {
          found = event_ref(lane, number, row, row.first() + nth);
        });
    return found;
  }

  trace::Trace trace_;
  TraceBuilder t_{trace_};
  Code code_ = code_with("linear-mse", {"timing=synchronized"});
  trace::Links links_{trace_};
  CodeLocator locator_{trace_, code_, &links_};
};

TEST_F(CodeLocatorTest, FindsTheStatementOfAnInstant) {
  const auto first = workload::statement_of(code_, "synchronize()", 0);
  const auto second = workload::statement_of(code_, "synchronize()", 1);
  for (const Nanoseconds begin : {0, 1000}) {
    EXPECT_EQ(locator_.at(begin + 50), std::nullopt);
    EXPECT_EQ(locator_.at(begin + 100), first);
    EXPECT_EQ(text(locator_.at(begin + 250)), "output = model(data)");
    EXPECT_EQ(locator_.at(begin + 300), second);
    EXPECT_EQ(locator_.at(begin + 700), std::nullopt);
  }
  EXPECT_EQ(locator_.newest(1250), first) << "the forward pass is not over";
  EXPECT_EQ(text(locator_.newest(1300)), "output = model(data)");
  EXPECT_EQ(locator_.newest(50), std::nullopt);
}

TEST_F(CodeLocatorTest, AKernelIsOfTheStatementThatLaunchedIt) {
  EXPECT_EQ(text(locator_.of(event(LaneKind::Kernels, 1))), "output = model(data)");
  EXPECT_EQ(text(locator_.of(event(LaneKind::Calls, 0))), "output = model(data)");
  EXPECT_EQ(locator_.of(event(LaneKind::Phases, 2)), workload::statement_of(code_, "synchronize()", 1));
  EXPECT_EQ(locator_.of(event(LaneKind::Iterations, 0)), std::nullopt);
}

// The read within the forward pass is a line of its own: 300 to 400 is its wait.
TEST_F(CodeLocatorTest, ATransferWithinARangeIsOfTheLineThatMakesIt) {
  range("forward", 2000, 2900);
  t_.launch(2100, 2200, 5001);
  t_.sync(2300, 2400, 10, 0);
  t_.iteration(2000, 3000);
  t_.publish();
  const Code asks = code_with("control-flow", {});
  const CodeLocator locator(trace_, asks);
  const auto text_at = [&](Nanoseconds t) { return asks[locator.at(t).value()].text; };
  EXPECT_EQ(text_at(2150), "x = fc(x)");
  EXPECT_EQ(text_at(2350), "if x.sum().item() > 1000:");
  EXPECT_EQ(text_at(2400), "x = fc(x)");
}

// A run of the window's own, as a file: what it was and how it was set is known, so its code and costs are.
TEST(CodeStateTest, AnOpenedTraceOfOurOwnHasItsCosts) {
  Model model;
  model.open_file(LANESCOPE_SOURCE_DIR "/assets/captures/h200--iris-mlp--log-1.json.gz");
  CodeState code;
  CodeState::Situation seen;
  seen.seen = true;
  seen.animation = false;
  const auto deadline = CodeState::Clock::now() + std::chrono::seconds(20);
  do {
    code.update(model, seen, CodeState::Clock::now());
  } while (code.iterations() == 0 && CodeState::Clock::now() < deadline);
  code.update(model, seen, CodeState::Clock::now());
  const std::size_t item = *workload::statement_of(code.code(), "item()");
  const std::size_t backward = *workload::statement_of(code.code(), "backward");
  ASSERT_NE(code.cost(item), nullptr);
  EXPECT_EQ(code.cost(item)->per_iteration, 1);
  EXPECT_GT(code.cost(item)->ns[1], 0) << "it waits";
  EXPECT_EQ(code.cost(backward)->ns[1], 0) << "launches do not";
  EXPECT_GT(code.cost(backward)->ns[2], code.cost(item)->ns[2]);
  EXPECT_EQ(code.costliest(), backward) << "most of the launches are in it";
  float longest = 0;
  for (std::size_t i = 0; i < code.code().size(); ++i) {
    for (const CodeFigure f : {CodeFigure::Cpu, CodeFigure::Wait, CodeFigure::Gpu})
      longest = std::max(longest, code.bar(i, f));
  }
  EXPECT_EQ(longest, 1);
  EXPECT_EQ(code.light().basis, CodeLight::Basis::None) << "nothing runs, and nothing is pointed at";
  seen.instant = code.cost(item)->example.start_ns;
  code.update(model, seen, CodeState::Clock::now());
  EXPECT_EQ(code.light().lines[item], 1);
}

TEST(CodeStateTest, OfAnotherProgramsTraceThereIsNone) {
  Model model;
  model.open_file(LANESCOPE_SOURCE_DIR "/tests/data/pytorch-event-sync.json.gz");
  CodeState code;
  code.update(model, {}, CodeState::Clock::now());
  EXPECT_THAT(code.code(), IsEmpty());
}

}  // namespace
}  // namespace lanescope::ui
