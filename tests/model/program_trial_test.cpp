// Trials of a watched program's knobs: which knob cures a card, what is told of a trial, what a patch gets from it.
#include "model/advice/program_trial.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "analysis/advisor.h"
#include "model/model.h"
#include "model/watched_program.h"

namespace lanescope::ui_test {
namespace {

using analysis::Card;
using analysis::Edit;
using analysis::EditKind;
using analysis::Remedy;
using analysis::Rule;
using attach::Knob;
using attach::KnobKind;
using attach::ProgramTrial;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using ui::ProgramTrials;

Knob knob_at(KnobKind kind, std::uint32_t line, std::string name = {}, std::string value = {}) {
  Knob knob;
  knob.kind = kind;
  if (line > 0) knob.file = "/home/me/project/train.py";
  knob.line = line;
  knob.name = std::move(name);
  knob.value = std::move(value);
  return knob;
}

Card card_of(Rule rule, std::vector<Remedy> remedies, std::string range) {
  Card card;
  card.rule = rule;
  card.remedies = std::move(remedies);
  card.range = std::move(range);
  return card;
}

ProgramTrial done(const Knob& knob, const std::string& value, Nanoseconds as_it_is, Nanoseconds turned) {
  ProgramTrial trial;
  trial.state = ProgramTrial::State::Done;
  trial.plan = {knob, value, 16, 25, 3};
  for (int i = 0; i < 16; ++i) {
    const bool b = i % 4 == 1 || i % 4 == 2;
    trial.blocks.push_back({b, 22, 22 * ((b ? turned : as_it_is) + i % 3 * 1'000)});
  }
  trial.result = attach::trial_result(trial.blocks);
  return trial;
}

// --- words -----------------------------------------------------------------------------------------------------------

TEST(ProgramTrialTest, SaysWhatIsTurned) {
  EXPECT_EQ(ui::turn_text(knob_at(KnobKind::NonBlocking, 31), ""), "non_blocking");
  EXPECT_EQ(ui::turn_text(knob_at(KnobKind::ReadEvery, 31, "item"), "10"), "read every 10");
  EXPECT_EQ(ui::turn_text(knob_at(KnobKind::Variable, 12, "log_interval", "10"), "100"), "log_interval 10 → 100");
  Knob late = knob_at(KnobKind::ReadLate, 31, "item");
  late.warning = "the log at line 40 is one step old";
  EXPECT_THAT(ui::knob_help(late), HasSubstr("/home/me/project/train.py:31\n"));
  EXPECT_THAT(ui::knob_help(late), HasSubstr("the log at line 40 is one step old"));
}

TEST(ProgramTrialTest, AVariableIsTriedTenTimesAsRareAndASwitchHasNoValues) {
  EXPECT_THAT(ui::other_values(knob_at(KnobKind::Variable, 12, "n", "10")),
              ElementsAre("100", "20", "50", "1000", "1"));
  EXPECT_THAT(ui::other_values(knob_at(KnobKind::Variable, 12, "n", "1")), ElementsAre("10", "2", "5", "100"));
  EXPECT_THAT(ui::other_values(knob_at(KnobKind::Variable, 12, "log", "True")), ElementsAre("False"));
  EXPECT_THAT(ui::other_values(knob_at(KnobKind::Variable, 12, "name", "'adam'")), IsEmpty());
  EXPECT_THAT(ui::other_values(knob_at(KnobKind::Pinned, 31)), IsEmpty());
}

// A block is 22 iterations of 1,000 or 800 µs, with a wander of up to 2 µs: a bit less or more than 1.25.
TEST(ProgramTrialTest, SaysHowATrialGoesInAFewWords) {
  const Knob knob = knob_at(KnobKind::NonBlocking, 31);
  ProgramTrial trial = done(knob, "", 1'000'000, 800'000);
  trial.state = ProgramTrial::State::Asked;
  EXPECT_EQ(ui::short_text(trial), "begins …");
  trial.state = ProgramTrial::State::Running;
  trial.blocks.resize(11);
  EXPECT_EQ(ui::short_text(trial), "block 12 of 16");
  trial.blocks.resize(16);
  EXPECT_EQ(ui::short_text(trial), "block 16 of 16");
  EXPECT_EQ(ui::short_text(done(knob, "", 1'000'000, 800'000)), "1.24 to 1.26x");
  EXPECT_THAT(ui::short_text(done(knob, "", 1'000'000, 1'000'000)), testing::StartsWith("no difference above 0."));
  trial.state = ProgramTrial::State::Failed;
  EXPECT_EQ(ui::short_text(trial), "ended early");
  trial.state = ProgramTrial::State::Done;
  trial.result.reset();
  EXPECT_EQ(ui::short_text(trial), "ended early");
}

// 1.0040 to 1.0060 would be 1.00 to 1.01: the first says that there may be no difference.
TEST(ProgramTrialTest, AnIntervalSaysNoMoreThanWasMeasured) {
  attach::TrialResult result;
  result.differs = true;
  result.least = 1.2149;
  result.most = 1.2651;
  EXPECT_EQ(ui::interval_text(result), "1.21 to 1.27x");
  result.least = 1.0041;
  result.most = 1.0059;
  EXPECT_EQ(ui::interval_text(result), "1.004 to 1.006x");
  result.least = 0.9941;
  result.most = 0.9959;
  EXPECT_EQ(ui::interval_text(result), "0.994 to 0.996x");
  EXPECT_EQ(ui::interval_text(1.2, 1.4), "1.20 to 1.40x");
  EXPECT_EQ(ui::interval_text(1.2, 1.2), "1.20x");
}

TEST(ProgramTrialTest, APatchGetsWhatWasMeasuredAsACommentBelowItsPlace) {
  const std::string patch = "train.py:31\n- x = x.to(\"cuda\")\n+ x = x.to(\"cuda\", non_blocking=True)";
  ProgramTrial trial = done(knob_at(KnobKind::NonBlocking, 31), "", 1'000'000, 800'000);
  EXPECT_EQ(ui::patch_with(patch, trial),
            "train.py:31\n"
            "# measured in the running program: 1.24 to 1.26 times as fast, 352 iterations (non_blocking)\n"
            "- x = x.to(\"cuda\")\n+ x = x.to(\"cuda\", non_blocking=True)");
  EXPECT_EQ(ui::patch_with("", trial), "");
  trial.state = ProgramTrial::State::Failed;
  EXPECT_EQ(ui::patch_with(patch, trial), patch);
  trial.state = ProgramTrial::State::Running;
  EXPECT_EQ(ui::patch_with(patch, trial), patch) << "not over";
}

TEST(ProgramTrialTest, TheReplayIsAskedForTheSameChange) {
  const std::string place = "train.py:31";
  EXPECT_THAT(ui::edits_of(knob_at(KnobKind::ReadEvery, 31), "10"), ElementsAre(Edit{EditKind::ReadEvery, 10, place}));
  EXPECT_THAT(ui::edits_of(knob_at(KnobKind::ReadLate, 31), ""), ElementsAre(Edit{EditKind::ReadLate, 0, place}));
  EXPECT_THAT(ui::edits_of(knob_at(KnobKind::NoSynchronize, 31), ""), ElementsAre(Edit{EditKind::NoWait, 0, place}));
  EXPECT_THAT(ui::edits_of(knob_at(KnobKind::NonBlocking, 0), ""), ElementsAre(Edit{EditKind::NonBlocking, 0, ""}));
  EXPECT_THAT(ui::edits_of(knob_at(KnobKind::ReadLate, 0), ""), IsEmpty()) << "not every wait is a read";
  // From 10 to 100: of the reads that there are, one in ten is left. From 10 to 15, no replay of these reads can tell.
  EXPECT_THAT(ui::edits_of(knob_at(KnobKind::Variable, 30, "n", "10"), "100", place),
              ElementsAre(Edit{EditKind::ReadEvery, 10, place}));
  EXPECT_THAT(ui::edits_of(knob_at(KnobKind::Variable, 30, "n", "10"), "100"), IsEmpty()) << "the if reads nothing";
  EXPECT_THAT(ui::edits_of(knob_at(KnobKind::Variable, 30, "n", "10"), "15", place), IsEmpty());
  EXPECT_THAT(ui::edits_of(knob_at(KnobKind::Variable, 30, "n", "10"), "1", place), IsEmpty());
  EXPECT_THAT(ui::edits_of(knob_at(KnobKind::Own, 31, "n", "10"), "100"), IsEmpty());
}

// --- a card's knob ---------------------------------------------------------------------------------------------------

class CardsKnobTest : public testing::Test {
 protected:
  /// Its number among `knobs`; -1: none.
  std::ptrdiff_t found(const Card& card) {
    const trace::Trace none;
    const Knob* knob = ui::knob_for(card, ui::lines_of(card, none), knobs, files);
    return knob ? knob - knobs.data() : -1;
  }
  std::vector<Knob> knobs;
  ui::UserFiles files;  // that of the program is not there
};

TEST_F(CardsKnobTest, IsOfItsKindAtItsLine) {
  knobs = {knob_at(KnobKind::Pinned, 30), knob_at(KnobKind::NonBlocking, 31), knob_at(KnobKind::Pinned, 31),
           knob_at(KnobKind::ReadEvery, 40, "item"), knob_at(KnobKind::NoSynchronize, 50, "synchronize")};
  const std::vector<Remedy> copy{Remedy::PinMemory, Remedy::NonBlocking};
  EXPECT_EQ(found(card_of(Rule::PageableCopy, copy, "train.py:31  x = x.to(device)")), 2);
  EXPECT_EQ(found(card_of(Rule::PageableCopy, {Remedy::NonBlocking}, "train.py:31  x = x.to(device)")), 1);
  EXPECT_EQ(found(card_of(Rule::PageableCopy, copy, "train.py:32  y = y.to(device)")), -1);
  EXPECT_EQ(found(card_of(Rule::PageableCopy, copy, "other_train.py:31  x = x.to(device)")), -1) << "another file";
  EXPECT_EQ(found(card_of(Rule::SyncBubble, {Remedy::ReadLessOften}, "train.py:40  print(loss.item())")), 3);
  EXPECT_EQ(found(card_of(Rule::NeedlessSync, {}, "train.py:50  torch.cuda.synchronize()")), 4);
  EXPECT_EQ(found(card_of(Rule::LaunchBound, {Remedy::FewerLaunches}, "train.py:40  print(loss.item())")), -1);
  EXPECT_EQ(found(card_of(Rule::SyncBubble, {Remedy::ReadLessOften}, "item()")), -1) << "no line";
  Card harmless = card_of(Rule::HarmlessWait, {Remedy::ReadLessOften}, "train.py:40  print(loss.item())");
  harmless.weight = analysis::Weight::Harmless;
  EXPECT_EQ(found(harmless), -1);
}

TEST_F(CardsKnobTest, IsHerVariableWhereSheHasOne) {
  knobs = {knob_at(KnobKind::ReadEvery, 40, "item"), knob_at(KnobKind::ReadLate, 40, "item"),
           knob_at(KnobKind::Variable, 39, "log_interval", "10")};
  const Card reads = card_of(Rule::SyncBubble, {Remedy::ReadLessOften}, "train.py:40  print(loss.item())");
  EXPECT_EQ(found(reads), 2) << "the line below its if";
  knobs.back().line = 38;
  EXPECT_EQ(found(reads), 0) << "without the source, nobody knows whether that is still in it";
}

// Lines 3 and 6 read what line 2 decides about, line 8 does not.
TEST_F(CardsKnobTest, WhatAVariableDecidesAboutIsKnownFromItsSource) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("lanescope-knobs-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "train.py") << "for step in range(1000):\n"
                                        "    if step % log_interval == 0:\n"
                                        "        print(loss.item())\n"
                                        "\n"
                                        "        if verbose:\n"
                                        "            print(error.item())\n"
                                        "    else:\n"
                                        "        total += loss.item()\n";
  knobs = {knob_at(KnobKind::Variable, 2, "log_interval", "10")};
  knobs[0].file = (folder / "train.py").string();
  const auto read_in = [](int line) {
    return card_of(Rule::SyncBubble, {Remedy::ReadLessOften}, "train.py:" + std::to_string(line) + "  x.item()");
  };
  EXPECT_EQ(found(read_in(3)), 0);
  EXPECT_EQ(found(read_in(6)), 0);
  EXPECT_EQ(found(read_in(8)), -1);
  EXPECT_EQ(found(read_in(1)), -1);
  std::filesystem::remove_all(folder);
}

TEST_F(CardsKnobTest, OneThatIsRefusedComesLast) {
  knobs = {knob_at(KnobKind::ReadEvery, 40, "item"), knob_at(KnobKind::ReadLate, 40, "item")};
  knobs[0].refused = "line 41 decides by it";
  const Card reads = card_of(Rule::SyncBubble, {Remedy::ReadLessOften}, "train.py:40  if loss.item() < best:");
  EXPECT_EQ(found(reads), 1);
  knobs[1].refused = "line 41 decides by it";
  EXPECT_EQ(found(reads), 0) << "to say why";
}

TEST_F(CardsKnobTest, WhatHoldsEverywhereHoldsAtItsLineToo) {
  knobs = {knob_at(KnobKind::NonBlocking, 0), knob_at(KnobKind::Prefetch, 20)};
  EXPECT_EQ(found(card_of(Rule::PageableCopy, {Remedy::NonBlocking}, "train.py:31  x = x.to(device)")), 0);
  EXPECT_EQ(found(card_of(Rule::LoaderWait, {Remedy::MoreWorkers}, "train.py:28  for x, y in loader:")), 1)
      << "the line that makes the loader is another one";
  knobs.push_back(knob_at(KnobKind::NonBlocking, 31));
  EXPECT_EQ(found(card_of(Rule::PageableCopy, {Remedy::NonBlocking}, "train.py:31  x = x.to(device)")), 2);
}

// --- trials ----------------------------------------------------------------------------------------------------------

class ProgramTrialsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto source = std::make_unique<WatchedProgram>(folder_);
    program_ = source.get();
    program_->tell_lines();
    model_.show(std::move(source));
    program_->play(200);
    program_->offer({knob_at(KnobKind::NonBlocking, 7), knob_at(KnobKind::ReadEvery, 8, "item"),
                     knob_at(KnobKind::Own, 5, "width", "100")});
    look();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void look() {
    model_.update();
    trials_.update(model_, cards_, files_);
  }
  const Knob& knob(std::size_t number) { return trials_.known().knobs[number]; }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("lanescope-trials-" + std::to_string(getpid()));
  ui::Model model_;
  ProgramTrials trials_;
  std::vector<ui::AdviceCard> cards_;
  ui::UserFiles files_;
  WatchedProgram* program_ = nullptr;  // the model's
};

TEST_F(ProgramTrialsTest, OneAtATimeAndStopIsSaidOnce) {
  EXPECT_FALSE(trials_.stop(model_)) << "none is running";
  trials_.choose(knob(1), "50");
  EXPECT_EQ(trials_.start(model_, knob(1)), "");
  ASSERT_EQ(program_->known().trials.size(), 1u);
  EXPECT_EQ(program_->known().trials[0].plan.value, "50");
  EXPECT_EQ(program_->known().trials[0].plan.knob.id(), "read-every train.py:8");
  look();
  EXPECT_EQ(trials_.start(model_, knob(0)), "Another trial is running");
  EXPECT_EQ(program_->known().trials.size(), 1u);
  EXPECT_TRUE(trials_.stop(model_));
  EXPECT_FALSE(trials_.stop(model_)) << "the next Esc is for something else";
  EXPECT_EQ(program_->stops, 1);
  program_->end_trial(ProgramTrial::State::Done, "stopped after 0 of 64 blocks");
  look();
  EXPECT_EQ(trials_.running(), nullptr);
  EXPECT_EQ(trials_.just_ended(), "read every 50 train.py:8: " + attach::result_text(program_->known().trials[0]));
  EXPECT_EQ(trials_.just_ended(), "") << "once";
  EXPECT_FALSE(trials_.just_measured());
  EXPECT_EQ(trials_.measured(), nullptr);
  EXPECT_EQ(trials_.start(model_, knob(0)), "");
  look();
  EXPECT_TRUE(trials_.stop(model_)) << "another trial";
}

// 40 of 200 iterations' time is a wait of 240 µs in each of 1,000 µs: without it the program would be faster.
TEST_F(ProgramTrialsTest, WhatAReplaySaidBeforeStandsBesideWhatWasMeasured) {
  model_.update();
  ASSERT_EQ(trials_.start(model_, knob(1)), "");
  while (trials_.busy()) look();
  program_->measure(16, 1'000'000, 800'000);
  program_->end_trial(ProgramTrial::State::Done);
  look();
  const ProgramTrial* trial = trials_.newest(knob(1));
  ASSERT_NE(trial, nullptr);
  const analysis::WhatIf* foretold = trials_.foretold(*trial);
  ASSERT_NE(foretold, nullptr);
  EXPECT_EQ(foretold->refusal, "");
  EXPECT_GT(foretold->most_factor, 1.05);
  EXPECT_TRUE(trials_.just_measured());
  ASSERT_NE(trials_.measured(), nullptr);
  EXPECT_TRUE(trials_.measured()->differs);
  EXPECT_EQ(trials_.measured()->text, "read every 10");
  EXPECT_NEAR(static_cast<double>(trials_.measured()->now_ns - trials_.measured()->turned_ns), 200'000, 2'000);
  ASSERT_NE(trials_.measured()->run, nullptr);
  EXPECT_LT(trials_.measured()->run->typical_iteration().duration(), 1'000'000);
  // Another value has not been tried.
  trials_.choose(knob(1), "20");
  EXPECT_NE(trial->plan.value, trials_.value(knob(1)));
}

TEST_F(ProgramTrialsTest, HerOwnKnobStaysSetAndItsTrialComparesOldWithNew) {
  EXPECT_EQ(trials_.own_before(knob(2)), std::nullopt);
  EXPECT_NE(trials_.start(model_, knob(2)), "") << "there is nothing to compare";
  EXPECT_THAT(program_->known().trials, IsEmpty());
  for (const char* value : {"60", "40"}) {  // a slider on its way
    trials_.set_own(model_, knob(2), value);
    look();
  }
  EXPECT_EQ(trials_.own_value(knob(2)), "40");
  EXPECT_EQ(trials_.own_before(knob(2)), "100");
  EXPECT_EQ(trials_.start(model_, knob(2)), "");
  EXPECT_THAT(program_->own_sets, ElementsAre(Pair("width", "60"), Pair("width", "40"), Pair("width", "100")));
  EXPECT_EQ(program_->known().trials.back().plan.knob.value, "100");
  EXPECT_EQ(program_->known().trials.back().plan.value, "40");
  look();
  EXPECT_EQ(trials_.own_value(knob(2)), "40") << "that is what it is set to again";
  program_->measure(8, 1'000'000, 900'000);
  program_->end_trial(ProgramTrial::State::Done);
  look();
  EXPECT_THAT(program_->own_sets.back(), Pair("width", "40"));
  EXPECT_EQ(trials_.own_before(knob(2)), "100");
  trials_.set_own(model_, knob(2), "20");
  look();
  EXPECT_EQ(trials_.own_before(knob(2)), "40") << "the two before have been compared";
  program_->known().knobs[2].value = "30";  // the program allows no less
  look();
  EXPECT_EQ(trials_.own_value(knob(2)), "30");
}

TEST_F(ProgramTrialsTest, SaysWhyThereIsNothingToTurn) {
  EXPECT_EQ(trials_.why_none(), "");
  EXPECT_EQ(trials_.offered().size(), 3u);
  EXPECT_EQ(trials_.offered()[0]->name, "width") << "hers first";
  program_->known().knobs[0].refused = "the pinned buffer is written to again";
  look();
  EXPECT_EQ(trials_.offered().size(), 2u);
  ASSERT_EQ(trials_.refused().size(), 1u);
  EXPECT_EQ(trials_.start(model_, knob(0)), "the pinned buffer is written to again");
  program_->known().state = attach::ProgramKnobs::State::Looking;  // as after each trial
  look();
  EXPECT_EQ(trials_.offered().size(), 2u);
  EXPECT_EQ(trials_.why_none(), "");
  program_->offer({});
  look();
  EXPECT_EQ(trials_.why_none(), "nothing in this program can be turned");
  program_->known().state = attach::ProgramKnobs::State::Refused;
  program_->known().why = "Python 3.14t has no global lock";
  look();
  EXPECT_EQ(trials_.why_none(), "no knobs: Python 3.14t has no global lock");
}

}  // namespace
}  // namespace lanescope::ui_test
