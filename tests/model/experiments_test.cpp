// The experiment that runs, and the gallery's list.
#include <gmock/gmock.h>

#include <set>

#include "base/plain_text.h"
#include "device/catalogue.h"
#include "inspect/figure_text.h"
#include "model/experiment/active_experiment.h"
#include "model/experiment/gallery_list.h"
#include "picture/words.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using experiment::About;
using experiment::Experiment;
using experiment::Language;
using experiment::Measured;
using experiment::Published;
using experiment::Side;
using testing::ElementsAre;
using testing::Pair;
using workload::Value;

workload::Settings standard() {
  return workload::default_settings("linear-mse", device::describe_device("sim:rtx4090"));
}

Experiment story() {
  Experiment e;
  e.id = "X1";
  e.workload = "linear-mse";
  e.device = "sim:rtx4090";
  e.settings = {"feed=per-iteration"};
  e.sides[0].settings = {"log_interval=1", "pinned=true"};
  e.sides[1].settings = {"log_interval=100"};
  return e;
}

Measured figures(double mean_ns) {
  Measured m;
  m.summary.iteration.count = 10;
  m.summary.iteration.mean_ns = mean_ns;
  m.summary.pace = {analysis::PaceBasis::Steady, mean_ns, 10};
  return m;
}

double kept(const ActiveExperiment& active, Side side) {
  const Measured* m = active.measured(side);
  return m ? m->summary.iteration.mean_ns : 0;
}

TEST(SideSettings, NameWhatTheOtherSideTurned) {
  // The after side says nothing of pinned: a flip takes it back to its default.
  EXPECT_THAT(side_settings(story(), Side::After, standard()),
              ElementsAre(Pair("feed", Value(std::string("per-iteration"))),
                          Pair("log_interval", Value(std::int64_t{100})), Pair("pinned", Value(false))));
}

TEST(ActiveExperiment, ReadsItsSideOffTheSettings) {
  const Experiment e = story();
  ActiveExperiment active(e, Side::Before);
  active.begin_run(standard(), "sim:rtx4090");
  workload::Settings now = standard();
  for (const std::string& a : e.assignments(Side::Before)) now.assign(a);
  EXPECT_EQ(active.side_of(now), Side::Before);
  now.set("pinned", false);
  EXPECT_EQ(active.side_of(now), std::nullopt);  // a hybrid
  now.set("log_interval", std::int64_t{100});
  EXPECT_EQ(active.side_of(now), Side::After);
  now.set("batch_size", std::int64_t{256});  // not part of the experiment
  EXPECT_EQ(active.side_of(now), Side::After);
}

TEST(ActiveExperiment, KeepsWhatEachSideGave) {
  const Experiment e = story();
  ActiveExperiment active(e, Side::Before);
  active.begin_run(standard(), "sim:rtx4090");
  const auto settings_of = [&](Side side) {
    workload::Settings now = standard();
    for (const std::string& a : e.assignments(side)) now.assign(a);
    return now;
  };
  active.keep(settings_of(Side::Before), figures(500));
  active.keep(settings_of(Side::After), figures(300));
  active.keep(settings_of(Side::After), figures(310));
  EXPECT_EQ(kept(active, Side::Before), 500);
  EXPECT_EQ(kept(active, Side::After), 310);
  workload::Settings hybrid = settings_of(Side::After);
  hybrid.set("pinned", true);
  active.keep(hybrid, figures(100));  // of neither side
  EXPECT_EQ(kept(active, Side::Before), 500);
  EXPECT_EQ(kept(active, Side::After), 310);
  workload::Settings larger = settings_of(Side::After);
  larger.set("batch_size", std::int64_t{512});
  active.keep(larger, figures(900));
  EXPECT_EQ(kept(active, Side::Before), 0);  // of another batch size: no comparison any more
  EXPECT_EQ(kept(active, Side::After), 900);
  active.begin_run(standard(), "sim:teaching");
  EXPECT_EQ(kept(active, Side::After), 0);  // of another device
}

// Of rtx4090 the link was fitted; on another machine it is checked, once the side has run.
TEST(ActiveExperiment, KnowsWhatItsMachineIsFittedTo) {
  Experiment e = story();
  Published p;
  p.name = "rate";
  p.unit = "µs";
  p.figure = "iteration_us";
  p.follows = {"P20.h2d_pinned"};
  e.published = {p};
  ActiveExperiment active(e, Side::Before);
  active.begin_run(standard(), "sim:rtx4090");
  ASSERT_EQ(active.published().size(), 1u);
  EXPECT_EQ(active.published()[0].checking.check, experiment::Check::Fitted);
  EXPECT_THAT(active.published()[0].checking.fitted, ElementsAre("link.h2d_pinned_gb_per_s"));
  active.begin_run(standard(), "sim:teaching");
  EXPECT_EQ(active.published()[0].checking.check, experiment::Check::Missing);
  workload::Settings now = standard();
  for (const std::string& a : e.assignments(Side::Before)) now.assign(a);
  active.keep(now, figures(500));
  EXPECT_EQ(active.published()[0].checking.check, experiment::Check::Checked);
  active.begin_run(standard(), "sim:gone.toml");  // its file has been there
  EXPECT_EQ(active.published()[0].checking.check, experiment::Check::Missing);
}

TEST(ActiveExperiment, WithADeviceOfItsOwnASideIsReadOffTheDevice) {
  Experiment e = story();
  e.sides[0].settings = e.sides[1].settings = {"log_interval=1"};
  e.sides[0].device = "cpu:rtx4090";
  EXPECT_FALSE(flips_in_place(e));
  ActiveExperiment active(e, Side::Before);
  active.begin_run(standard(), "cpu:rtx4090");
  workload::Settings now = standard();
  now.assign("feed=per-iteration");
  active.keep(now, figures(800));
  active.set_side(Side::After);
  active.begin_run(standard(), "sim:rtx4090");
  active.keep(now, figures(200));
  EXPECT_EQ(active.side_of(now), Side::After);
  EXPECT_EQ(kept(active, Side::Before), 800);
  EXPECT_EQ(kept(active, Side::After), 200);
}

TEST(PaceText, IsOnlyWhatIsKnown) {
  EXPECT_EQ(pace_text({analysis::PaceBasis::Steady, 162'100, 10, 0, 0, 0}), "162.1 µs");
  EXPECT_EQ(pace_text({analysis::PaceBasis::QueueMoves, 0, 10, 0, 0, 1}), "–");
}

TEST(ChosenDevice, KeepsARealGpuAndComparesItWithARealCpu) {
  Experiment e = story();
  EXPECT_EQ(chosen_device(e, Side::Before, ""), "sim:rtx4090");
  EXPECT_EQ(chosen_device(e, Side::Before, "cuda:0"), "cuda:0");
  e.sides[1].device = "cpu:rtx4090";
  EXPECT_EQ(chosen_device(e, Side::After, ""), "cpu:rtx4090");
  EXPECT_EQ(chosen_device(e, Side::After, "cuda:0"), "cpu");
}

TEST(PublishedHeadline, IsTheFactorWhereThereIsOne) {
  Experiment e;
  EXPECT_EQ(published_headline(e), "");
  Published p;
  p.value = 3.4;
  p.unit = "s";
  p.figure = "total_s";
  p.of = About::Before;
  e.published = {p};
  EXPECT_EQ(published_headline(e), "3.40 s");
  p.of = About::After;
  p.value = 0.8;
  e.published.push_back(p);
  EXPECT_EQ(published_headline(e), "4.25x");  // 3.4 / 0.8
  for (Published& number : e.published) number.unit = "GB/s";
  EXPECT_EQ(published_headline(e), "0.235x");  // a rate: 0.8 / 3.4
  p.of = About::Ratio;
  p.value = 4;
  e.published.push_back(p);
  EXPECT_EQ(published_headline(e), "4x");
}

TEST(PublishedHeadline, IsNoNumberThatSaysNothing) {
  Experiment e;
  Published p;
  p.value = 1;
  p.unit = "syncs";
  e.published = {p};
  EXPECT_EQ(published_headline(e), "");
  p.value = 0;
  p.unit = "µs";
  e.published.push_back(p);
  EXPECT_EQ(published_headline(e), "");
  p.value = 12;
  e.published.push_back(p);
  EXPECT_EQ(published_headline(e), "12.0 µs");
}

TEST(FigureText, HasThreeDigitsOrMore) {
  const std::pair<double, const char*> texts[] = {
      {0, "0"}, {0.000412, "0.000412"}, {0.8, "0.8"}, {4.25, "4.25"}, {42.25, "42.2"}, {750, "750"}, {1600, "1,600"}};
  for (const auto& [value, text] : texts) EXPECT_EQ(figure_text(value), text);
}

std::vector<Experiment> three() {
  std::vector<Experiment> list(5);
  const char* ids[] = {"A", "B", "C", "D", "E"};
  for (std::size_t i = 0; i < 5; ++i) {
    list[i].id = ids[i];
    list[i].workload = i < 3 ? "linear-mse" : "bandwidth";
  }
  list[1].title = {{"Reading the Loss", "读取损失"}};
  list[3].sides[0].settings = {"pinned=true"};
  return list;
}

std::string id_at(const GalleryList& list, std::size_t place) { return list.at(place) ? list.at(place)->id : "-"; }

TEST(FactorText, HasNoMoreDigitsThanAreWorthReading) {
  const std::pair<double, const char*> texts[] = {
      {0.0595, "0.06x"}, {0.991, "0.99x"}, {4.25, "4.25x"}, {16.67, "16.7x"}, {317.2, "317x"}};
  for (const auto& [value, text] : texts) EXPECT_EQ(factor_text(value), text);
}

// Experiments of one kind stand under one heading, also where others come between them in the lesson's order.
TEST(GalleryList, HasEveryHeadingOnce) {
  const GalleryList list = gallery_list(experiment::experiments(), "", Language::English);
  std::set<std::string> titles;
  for (const GalleryChapter& chapter : list.chapters) EXPECT_TRUE(titles.insert(chapter.title).second) << chapter.title;
  EXPECT_EQ(list.size(), experiment::experiments().size());
}

TEST(GalleryList, StandsInTheOrderOfTheLessonUnderHeadings) {
  const auto experiments = three();
  const GalleryList list = gallery_list(experiments, "", Language::English);
  ASSERT_EQ(list.chapters.size(), 2u);
  EXPECT_EQ(list.chapters[0].title, chapter("linear-mse", Language::English));
  EXPECT_EQ(list.size(), 5u);
  EXPECT_EQ(id_at(list, 3), "D");
  EXPECT_EQ(id_at(list, 5), "-");
  EXPECT_EQ(list.place_of(&experiments[4]), 4u);
  EXPECT_EQ(list.place_of(nullptr), std::nullopt);
}

TEST(GalleryList, FiltersByEveryWordInEitherLanguage) {
  const auto experiments = three();
  EXPECT_EQ(gallery_list(experiments, "LOSS read", Language::English).size(), 1u);
  EXPECT_EQ(gallery_list(experiments, "loss pinned=true", Language::English).size(), 0u);
  EXPECT_EQ(id_at(gallery_list(experiments, "损失", Language::English), 0), "B");
  EXPECT_EQ(id_at(gallery_list(experiments, "pinned=", Language::Chinese), 0), "D");
}

// Two columns:  A B / C / D E
TEST(GalleryList, ArrowsWalkOverTheCards) {
  const auto experiments = three();
  const GalleryList list = gallery_list(experiments, "", Language::English);
  const auto walk = [&](std::size_t place, int dx, int dy) { return id_at(list, list.moved(place, dx, dy, 2)); };
  EXPECT_EQ(walk(0, 1, 0), "B");
  EXPECT_EQ(walk(1, 1, 0), "C");
  EXPECT_EQ(walk(1, 0, 1), "C");  // no second card in that row
  EXPECT_EQ(walk(2, 0, 1), "D");
  EXPECT_EQ(walk(4, 0, -1), "C");
  EXPECT_EQ(walk(0, 0, -1), "A");
  EXPECT_EQ(walk(0, -1, 0), "A");
  EXPECT_EQ(walk(4, 0, 1), "E");
  EXPECT_EQ(GalleryList().moved(3, 0, 1, 2), 0u);
}

TEST(FirstSentence, EndsAtItsMark) {
  EXPECT_EQ(first_sentence("One 0.5 ms. Two."), "One 0.5 ms.");
  EXPECT_EQ(first_sentence("一句。二句。"), "一句。");
  EXPECT_EQ(first_sentence("no mark"), "no mark");
}

TEST(Words, AreThereInBothLanguages) {
  std::set<std::string> english;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Word::Count); ++i) {
    const auto w = static_cast<Word>(i);
    EXPECT_FALSE(word(w, Language::English).empty()) << i;
    EXPECT_FALSE(word(w, Language::Chinese).empty()) << i;
    english.insert(word(w, Language::English));
  }
  EXPECT_EQ(english.size(), static_cast<std::size_t>(Word::Count));
  for (const std::string& name : workload::workload_names()) EXPECT_NE(chapter(name, Language::English), name);
}

TEST(Words, ChineseLettersAreMadeForWhatIsDrawn) {
  // In English the switch alone has some: more would load the large Chinese font once for each size.
  const ChineseTexts english = chinese_texts(Language::English);
  for (const std::string* text : {&english.title, &english.small, &english.lead, &english.verdict, &english.mono}) {
    for (std::size_t i = 0; i < text->size();) {
      const std::size_t from = i;
      EXPECT_FALSE(base::is_wide(base::next_code_point(*text, i))) << text->substr(from, 60);
    }
  }
  const ChineseTexts texts = chinese_texts(Language::Chinese);
  // In the large letters of the verdict, which have few others.
  EXPECT_THAT(texts.verdict, testing::HasSubstr(base::tr("Measuring …", Language::Chinese)));
  for (const Experiment& e : experiment::experiments()) {
    EXPECT_NE(texts.title.find(e.title[Language::Chinese]), std::string::npos) << e.id;
    EXPECT_NE(texts.body.find(e.watch[Language::Chinese]), std::string::npos) << e.id;
  }
}

}  // namespace
}  // namespace lanescope::ui
