// With 中文 all that a person reads in the window is Chinese: every panel, menu, tooltip and message is drawn, and what
// was drawn is searched for English. Names and terms stay (tests/language/latin.h); so do the names of this run's
// lanes, events, devices and settings.
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/translate.h"
#include "desk/desk.h"
#include "desk/drawn_text.h"
#include "desk/job_file.h"
#include "device/catalogue.h"
#include "experiment/named_figure.h"
#include "language/latin.h"
#include "picture/font_files.h"
#include "shell/actions.h"
#include "shell/finding.h"
#include "shell/selecting.h"
#include "workload/program.h"
#include "workload/workload.h"

namespace lanescope::ui_test {
namespace {

using base::Language;
using ui::Action;
using ui::DrawerTab;

class ChineseTest : public DeskTest {
 protected:
  void SetUp() override {
    if (!ui::has_chinese_font()) GTEST_SKIP() << "no font with Chinese letters; install " << ui::kChineseFontPackage;
    DeskTest::SetUp();
    ui::ShellState& s = state();
    s.preferences.language = Language::Chinese;
    s.preferences.picture_folder = desk().pictures().string();
    for (const char* sentence : {"Lanescope", "Ctrl+Shift+S"}) names_.insert(sentence);
    names_.insert({"waits", "acquire", "calls", "all"});  // the values of --level
    desk().frames(3);
    drawn_.forget();
  }
  void TearDown() override {
    if (!desk_ || !desk_->is_open() || IsSkipped()) return;
    state().preferences.language = Language::English;
    desk().frames(2);
  }

  /// What of this run, of devices and workloads, is a name.
  void note_names() {
    note_all_names();
    const trace::Trace& trace = model().trace();
    for (base::NameId id = 2; id < trace.names().size(); ++id) names_.emplace(trace.names().text(id));
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const trace::LaneInfo& lane = trace.lane(static_cast<trace::LaneId>(l)).info();
      names_.insert({lane.name, lane.process});
    }
    const trace::RunFacts facts = model().facts();
    names_.insert({facts.workload, facts.device, facts.device_name, facts.version, desk().home().string()});
    if (!workload::workload_names().empty() && model().live()) {
      const workload::Settings now = settings();
      for (const workload::Statement& line : workload::workload_code(facts.workload, now)) code_.insert(line.text);
    }
  }
  void note_all_names() {
    if (!code_.empty()) return;
    for (const device::CatalogueEntry& entry : device::catalogue()) {
      names_.insert({entry.id, device::describe_device(entry.id).name});
    }
    for (const std::string& name : workload::workload_names()) {
      names_.insert(name);
      const workload::Settings standard = workload::default_settings(name, {});
      for (const workload::SettingSpec& spec : standard.specs()) {
        names_.insert(spec.key);
        names_.insert(spec.choices.begin(), spec.choices.end());
      }
      for (const workload::Statement& line : workload::workload_code(name, standard)) code_.insert(line.text);
      // Of a pinned run, too, whose batches may be copied while this run's are not.
      workload::Settings fed = standard;
      if (fed.spec("feed") != nullptr) fed.assign("feed=per-iteration");
      for (const workload::Statement& line : workload::workload_code(name, fed)) {
        names_.insert(line.ranges.begin(), line.ranges.end());
      }
    }
    for (const experiment::Experiment& e : experiment::experiments()) {
      names_.insert({e.id, e.name});
      for (const experiment::Published& p : e.published) names_.insert({p.name, p.source});
    }
    for (const ui::ActionInfo& action : ui::actions()) names_.insert(action.name);
  }

  /// A line of code, or the piece of one that stands beside a knob in it. Code and its comments stay as they are.
  bool is_code(const std::string& text) const {
    if (text.find_first_of(" ().=#") == std::string::npos) return false;  // a word may be of anything
    return std::any_of(code_.begin(), code_.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }

  /// A tooltip may begin with the line of code that it is about.
  std::string without_code(const std::string& text) const {
    if (text.size() < 2 || is_code(text)) return "";
    std::istringstream lines(text);
    std::string rest;
    for (std::string line; std::getline(lines, line);) {
      if (is_code(line)) continue;
      if (!rest.empty()) rest += '\n';
      rest += line;
    }
    return rest;
  }

  /// A name that had to be cut, with "…" after it or without.
  bool begins_a_name(std::string_view text) const {
    constexpr std::string_view kCut = "…";
    if (text.ends_with(kCut)) text.remove_suffix(kCut.size());
    const auto longer = names_.lower_bound(std::string(text));
    return longer != names_.end() && longer->starts_with(text);
  }

  void perform(Action action, int frames = 3) {
    ui::perform(state(), action);
    desk().frames(frames);
  }
  /// Some frames with the mouse over everything that was drawn under a name and was not pointed at before: whatever has
  /// a tooltip shows it.
  void point_at_everything(const std::string& prefix = {}) {
    const std::map<std::string, ui::Rect> places = state().places;
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    for (const auto& [name, r] : places) {
      if (!name.starts_with(prefix)) continue;
      const Point at = middle(r);
      if (at.x < 2 || at.y < 2 || at.x > display.x - 2 || at.y > display.y - 2) continue;
      if (!pointed_at_.insert(name).second) continue;
      desk().point_at(at);
      desk().frames(2);
    }
    desk().point_at({3, display.y / 2});
  }
  /// Scrolls what is under the mouse to its end, so that all of it is drawn.
  void scroll_through(Point at, int steps) {
    desk().point_at(at);
    for (int i = 0; i < steps; ++i) desk().wheel(-1);
    for (int i = 0; i < steps; ++i) desk().wheel(1);
  }

  /// Fails once for each English text that was drawn since the last call.
  void expect_chinese(const std::string& where) {
    note_names();
    std::vector<std::string> names(names_.begin(), names_.end());
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    bool any_chinese = false;
    for (const std::string& drawn : drawn_.texts()) {
      const std::string text = without_code(drawn);
      if (text.size() < 2 || begins_a_name(text)) continue;
      any_chinese = any_chinese || text.find_first_of("\xe4\xe5\xe6\xe7\xe8\xe9") != std::string::npos;
      if (!checked_.insert(text).second) continue;  // names only become more
      // One word, too, where the catalogue has a translation of it that was not taken.
      if (!names_.contains(text) && !language::kept_words().contains(text) &&
          std::string(base::tr(text.c_str(), Language::Chinese)) != text) {
        ADD_FAILURE() << where << ": '" << text << "' is drawn in English, and has a translation";
      }
      // A name may be broken between two lines.
      std::string on_one_line = text;
      std::ranges::replace(on_one_line, '\n', ' ');
      if (language::english_in(on_one_line, names).empty()) continue;
      for (const std::string& english : language::english_in(text, names)) {
        ADD_FAILURE() << where << ": '" << english << "' in '" << text << "'";
      }
    }
    EXPECT_TRUE(any_chinese) << where << ": nothing Chinese was drawn";
    drawn_.forget();
  }

  void start(const std::string& workload, const std::vector<std::string>& assignments = {}) {
    const std::uint64_t before = model().generation();
    session::SessionOptions options = usual().session;
    options.workload = workload;
    options.assignments = assignments;
    options.speed = 1;
    state().requests.run = options;
    ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
    wait_for_iterations(2);
    desk().frames(3);
  }

  DrawnTexts drawn_;
  std::set<std::string> names_, code_, pointed_at_, checked_;
};

TEST_F(ChineseTest, TheDetectorFindsEnglishAndLeavesNames) {
  const std::vector<std::string> names{"linear_forward", "set up", "NVIDIA GeForce RTX 4090"};
  using language::english_in;
  for (const char* right : {"同步：cudaStreamSynchronize 之后", "GPU 空闲 41 %", "用 loss.item() 读取", "set up 0.5 ms",
                            "linear_for", "copy H2D 12.5 GB/s", "lanescope run --experiment", "Ctrl+Shift+S 保存",
                            "CUDA calls", "batch_size=128", "NVIDIA GeForce RTX 4090（模拟）", "A 与 B"}) {
    EXPECT_TRUE(english_in(right, names).empty()) << right << ": " << english_in(right, names).front();
  }
  for (const char* wrong : {"The GPU idles", "GPU 空闲：waiting for data", "pause or continue", "no GPU: not found",
                            "set up of things", "按 Esc to leave it"}) {
    EXPECT_FALSE(english_in(wrong, names).empty()) << wrong;
  }
}

TEST_F(ChineseTest, TheWindowWithARun) {
  wait_for_iterations(40);
  desk().frames(5);
  point_at_everything();
  expect_chinese("the window");
  hold_still();
  for (const trace::LaneKind kind : {trace::LaneKind::Calls, trace::LaneKind::Kernels, trace::LaneKind::Phases}) {
    const auto events = events_in_view(kind);
    if (events.empty()) continue;
    desk().point_at(point_of(kind, events[events.size() / 2]));
    desk().frames(2);
    perform(Action::PinTooltip);
    desk().click(point_of(kind, events[events.size() / 2]));
    desk().frames(4);
    scroll_through({ImGui::GetIO().DisplaySize.x - 60, 400}, 6);
    point_at_everything("cause");
    expect_chinese("an event of lane " + std::to_string(static_cast<int>(kind)));
  }
  // Every bubble has a cause to be said.
  const auto records = model().analysis().records();
  ui::select_range(state(), records[records.size() / 2].start_ns, records.back().end_ns);
  ASSERT_TRUE(desk().until([&] { return state().range_figures.job.answer && !state().range_figures.job.busy(); }));
  for (const DrawerTab tab : {DrawerTab::Plots, DrawerTab::Code, DrawerTab::Events, DrawerTab::Found, DrawerTab::Marks,
                              DrawerTab::Statistics}) {
    state().drawer = tab;
    desk().frames(4);
    point_at_everything();
    expect_chinese("drawer " + std::to_string(static_cast<int>(tab)));
  }
}

TEST_F(ChineseTest, TheBandsOfSeveralGpusAndTheirTable) {
  ASSERT_TRUE(open_job(desk(), 8, 5));
  drawn_.forget();  // of the run before
  state().drawer = DrawerTab::Ranks;
  desk().frames(4);
  point_at_everything();
  expect_chinese("ranks");
}

TEST_F(ChineseTest, EveryActionAndItsMessage) {
  static const std::set<Action> kLeaveOut{Action::Quit, Action::FullScreen, Action::ToggleLanguage};
  for (const ui::ActionInfo& action : ui::actions()) {
    if (kLeaveOut.contains(action.action)) continue;
    SCOPED_TRACE(action.name);
    state().toast.reset();
    perform(action.action, 4);
    desk().until([&] { return !state().pictures.saving.busy(); });
    if (state().toast) {
      drawn_.add(state().toast->text);
      desk().frames(2);
    }
    expect_chinese(action.name);
    if (!model().live()) break;
    for (int i = 0; i < 4; ++i) perform(Action::ClearSelection, 1);
    state().presentation.on = false;
  }
  state().preferences.font_scale = 1;
  state().preferences.theme = ui::ThemeName::Dark;
}

TEST_F(ChineseTest, EveryOverlay) {
  for (const Action open :
       {Action::Help, Action::CaptureHealth, Action::PicturePanel, Action::GoTo, Action::TriggerPanel, Action::Gallery,
        Action::DeviceMenu, Action::Palette, Action::Sweep, Action::Presentation}) {
    perform(open, 4);
    point_at_everything();
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    scroll_through({display.x / 2, display.y / 2}, 12);
    expect_chinese(ui::info(open).name);
    for (int i = 0; i < 4; ++i) perform(Action::ClearSelection, 2);
  }
  perform(Action::Menu);
  for (std::size_t group = 0; desk().has_place("menu.group." + std::to_string(group)); ++group) {
    state().overlays.menu.group = group;
    desk().frames(3);
    expect_chinese("menu " + std::to_string(group));
  }
  perform(Action::ClearSelection);
  // All that the palette offers, not only what fits.
  for (const ui::PaletteEntry& entry : ui::palette_entries(state())) {
    for (const std::string* text : {&entry.text, &entry.aside, &entry.why}) drawn_.add(text->c_str());
  }
  expect_chinese("what the palette offers");
  // Nothing found.
  perform(Action::Palette);
  desk().type("qqq");
  desk().frames(2);
  perform(Action::ClearSelection);
  perform(Action::Gallery);
  state().overlays.gallery.filter = "qqq";
  desk().frames(3);
  perform(Action::ClearSelection);
  ui::search_for(state(), "qqqq");
  desk().frames(4);
  expect_chinese("nothing found");
  ui::close_search(state());
  for (const ui::TourStep step : {ui::TourStep::PressFlip, ui::TourStep::Reward, ui::TourStep::WhatNext}) {
    state().tour = step;
    desk().frames(3);
  }
  state().tour = ui::TourStep::Off;
  expect_chinese("the first start's hints");
}

TEST_F(ChineseTest, ComparisonAverageTriggerAndAdvice) {
  wait_for_iterations(60);
  state().comparison.state.pin();
  ASSERT_TRUE(desk().until([&] { return state().comparison.state.pinned(); }));
  perform(Action::CompareView, 5);
  point_at_everything();
  expect_chinese("A alone");
  model().set("log_interval", std::int64_t{20});
  ASSERT_TRUE(desk().until([&] { return state().comparison.state.b() != nullptr; }));
  desk().frames(5);
  point_at_everything();
  perform(Action::CompareAlign, 3);
  perform(Action::CopyComparison);
  drawn_.add(ImGui::GetClipboardText());
  expect_chinese("A and B");
  state().comparison.state.open = false;
  perform(Action::PinGhost);
  model().set("log_interval", std::int64_t{1});
  desk().frames(5);
  point_at_everything("ghost");
  expect_chinese("ghost");
  perform(Action::TriggerPanel);
  for (const ui::TriggerSource source :
       {ui::TriggerSource::Iteration, ui::TriggerSource::Name, ui::TriggerSource::LongWait}) {
    ui::TriggerSettings settings = state().view.trigger_settings();
    settings.source = source;
    state().view.set_trigger(settings);
    desk().frames(4);
    point_at_everything();
  }
  state().view.set_trigger({});
  expect_chinese("trigger");
  perform(Action::ClearSelection);
  perform(Action::Average, 20);
  point_at_everything();
  expect_chinese("average");
  perform(Action::Average);
  // Advice: a card for the read in every iteration, what would help, and what came of it.
  ASSERT_TRUE(desk().until([&] { return !state().advice.cards().empty(); }));
  state().advice.all = true;
  for (const ui::AdviceCard& card : std::vector(state().advice.cards())) {
    state().advice.open = card.key;
    desk().frames(4);
    scroll_through({ImGui::GetIO().DisplaySize.x - 60, 400}, 6);
  }
  for (const ui::AdviceCard& card : std::vector(state().advice.cards())) {
    if (!state().try_it.offer(card.key)) continue;
    EXPECT_EQ(state().try_it.press(model(), card.key), "");
    break;
  }
  desk().frames(150);  // meanwhile the offer is judged
  scroll_through({ImGui::GetIO().DisplaySize.x - 60, 400}, 8);
  point_at_everything("tried");
  expect_chinese("advice");
}

TEST_F(ChineseTest, EveryWorkloadsKnobs) {
  for (const std::string& workload : workload::workload_names()) {
    SCOPED_TRACE(workload);
    start(workload);
    scroll_through({120, 500}, 12);
    point_at_everything("knob.");
    const workload::Settings now = settings();
    for (const workload::SettingSpec& spec : now.specs()) {
      drawn_.add(base::tr(spec.label));
      drawn_.add(base::tr(spec.help));
    }
    state().drawer = DrawerTab::Code;
    desk().frames(10);
    point_at_everything("code");
    expect_chinese(workload);
  }
}

// Each is picked, runs, is flipped, runs on, and has its picture taken.
TEST_F(ChineseTest, EveryExperimentOnBothSides) {
  using experiment::Side;
  const auto take_picture = [&] {
    const std::size_t before = desk().saved().size();
    desk().key(key::F12);
    // It is written beside the drawing: the toast says when it is whole.
    ASSERT_TRUE(desk().until([&] { return state().toast && desk().saved().size() > before; }));
    EXPECT_GT(std::filesystem::file_size(desk().saved().back()), 20'000u);  // an empty window has less to say
    std::filesystem::remove(desk().saved().back());
    state().toast.reset();
  };
  for (const experiment::Experiment& e : experiment::experiments()) {
    SCOPED_TRACE(e.id);
    state().requests.experiment = {&e, Side::Before};
    ASSERT_TRUE(
        desk().until([&] { return state().experiment.active && state().experiment.active->experiment().id == e.id; }));
    model().set_speed(1);  // a person would look at it more slowly
    std::uint64_t run_before = 0;
    for (const Side side : {Side::Before, Side::After}) {
      ASSERT_TRUE(desk().until([&] { return state().experiment.active->measured(side) != nullptr; }));
      EXPECT_EQ(state().experiment.active->side_of(settings()), side);
      if (side == Side::After) break;
      take_picture();
      note_names();
      run_before = model().generation();
      state().requests.side = Side::After;
    }
    EXPECT_EQ(model().generation() == run_before, ui::flips_in_place(e));
    wait_for_iterations(model().analysis().records().size() + 2);
    hold_still();
    EXPECT_FALSE(model().notice().has_value());
    EXPECT_FALSE(state().toast && state().toast->error) << (state().toast ? state().toast->text : "");
    state().experiment.shows_open = state().experiment.correction_open = true;
    desk().frames(6);
    scroll_through({120, 500}, 10);
    point_at_everything("published.");
    take_picture();
    expect_chinese(e.id);
  }
}

TEST_F(ChineseTest, SweepsReadyAndRunning) {
  perform(Action::Sweep, 4);
  point_at_everything("sweep");
  expect_chinese("sweep");
  state().sweep.draft.axes[0] = {"log_interval", "1, 10"};
  state().sweep.draft.own_iterations = true;
  state().sweep.draft.iterations = "many";
  desk().frames(2);
  desk().click("sweep.start");
  desk().frames(3);
  EXPECT_FALSE(state().sweep.problem.empty());
  state().sweep.draft.iterations = "20";
  desk().click("sweep.start");
  ASSERT_TRUE(desk().until([&] { return state().sweep.sweep && !state().sweep.sweep->running(); }));
  desk().frames(4);
  const ui::Rect chart = desk().place("sweep.chart");
  for (const float x : {0.3f, 0.7f}) {
    desk().point_at({chart.x + chart.width * x, chart.y + chart.height * 0.6f});
    desk().frames(2);
  }
  expect_chinese("sweep's chart");
  perform(Action::ClearSelection);
}

TEST_F(ChineseTest, FilesThatAreOpenedAndThatAreNot) {
  const std::filesystem::path bad = desk().home() / "bad.json";
  std::ofstream(bad) << "no trace";
  for (const std::filesystem::path& path : {desk().home() / "missing.json", bad, desk().home()}) {
    state().requests.files = {path};
    desk().until([&] { return state().toast && state().toast->error; });
    ASSERT_TRUE(state().toast.has_value()) << path;
    drawn_.add(state().toast->text);
    desk().frames(2);
    state().toast.reset();
  }
  expect_chinese("errors of files");
  const std::uint64_t before = model().generation();
  ASSERT_FALSE(state().device_menu.recorded.empty());
  state().requests.files = {std::string(ui::kRecordedPrefix) + state().device_menu.recorded.front().name};
  ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
  desk().frames(20);
  point_at_everything();
  scroll_through({120, 500}, 6);
  scroll_through({ImGui::GetIO().DisplaySize.x - 60, 400}, 8);
  perform(Action::CaptureHealth, 4);
  expect_chinese("a recorded run");
  perform(Action::ClearSelection);
}

// What is kept in words follows a switch, whether the run goes on, stands still, or was read from a file.
TEST_F(ChineseTest, ASwitchIsFollowedWhateverIsShown) {
  wait_for_iterations(40);
  ASSERT_TRUE(desk().until([&] { return !state().advice.cards().empty(); }));
  hold_still();
  desk().frames(10);
  const std::string sentence = model().recent().verdict.sentence, title = state().advice.cards().front().card.title;
  EXPECT_FALSE(language::english_in("GPU idles most of the time", {}).empty());
  state().preferences.language = Language::English;
  ASSERT_TRUE(desk().until(
      [&] { return !state().advice.cards().empty() && state().advice.cards().front().card.title != title; }));
  EXPECT_FALSE(language::english_in(model().recent().verdict.sentence, {}).empty())
      << model().recent().verdict.sentence;
  state().preferences.language = Language::Chinese;
  ASSERT_TRUE(desk().until(
      [&] { return !state().advice.cards().empty() && state().advice.cards().front().card.title == title; }));
  EXPECT_EQ(model().recent().verdict.sentence, sentence);
  drawn_.forget();
  desk().frames(5);
  expect_chinese("after the switch");
}

}  // namespace
}  // namespace lanescope::ui_test
