// What a person sees first: every experiment, at four sizes, in both languages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "desk/desk.h"
#include "read_png.h"
#include "trace/event.h"

namespace lanescope::ui_test {
namespace {

using base::Language;

class FirstScreenTest : public DeskTest {
 protected:
  void TearDown() override {
    state().preferences.language = Language::English;
    desk().resize(1600, 900);
    desk().frames(2);
  }
  void open(const experiment::Experiment& e) {
    state().tour = ui::TourStep::Off;
    state().requests.experiment = {&e, experiment::Side::Before};
    ASSERT_TRUE(
        desk().until([&] { return state().experiment.active && state().experiment.active->experiment().id == e.id; }));
    model().set_speed(1);
    ASSERT_TRUE(desk().until([&] { return model().recent().pace.known() && model().recent_is_current(); }));
    model().set_paused(true);
    desk().point_at({700, 3});
    desk().until([&] { return !state().toast; });
    desk().frames(40);
  }
  /// Of one frame.
  std::vector<DrawnText> texts() {
    DrawnTexts drawn;
    desk().frames(1);
    std::vector<DrawnText> seen;
    for (const DrawnText& t : drawn.places()) {
      if (t.text != "Debug") seen.push_back(t);
    }
    return seen;
  }
};

TEST_F(FirstScreenTest, NothingIsCut) {
  constexpr std::size_t kLongName = 24;  // of a kernel
  std::set<std::string> said;
  for (const experiment::Experiment& e : experiment::experiments()) {
    open(e);
    for (const Language language : {Language::English, Language::Chinese}) {
      state().preferences.language = language;
      const std::string measuring = base::tr("Measuring …", language);
      for (const auto& [width, height] :
           {std::pair(1600, 900), std::pair(1280, 720), std::pair(1920, 1080), std::pair(1000, 700)}) {
        desk().resize(width, height);
        desk().frames(6);
        for (const DrawnText& t : texts()) {
          const bool cut = t.text.ends_with("…") && t.text != "…" && t.text != measuring &&
                           !(t.text.size() > kLongName && t.x > axis().left_px() && t.x < axis().right_px());
          if ((cut || t.clipped) && said.insert(t.text).second) {
            ADD_FAILURE() << e.id << " at " << width << "x" << height << ": '" << t.text << "' at " << t.x << ", "
                          << t.y << (t.clipped ? " does not fit" : " is cut");
          }
        }
      }
    }
  }
}

// What there is to read beside the drawing itself (the names of events, the ruler's numbers) and the lines of code.
// What stands together counts once: a value and its name, a switch and its key, a sentence of several lines. How near
// that is decides the count: with 16 and 4 pixels instead of 20 and 8, "57 %" and "kernels" would be two.
TEST_F(FirstScreenTest, ThereIsNotMuchToRead) {
  constexpr float kBeside = 20, kBelow = 8;
  desk().resize(1600, 900);
  for (const char* id : {"P09", "P22", "O1"}) {
    open(experiment::experiment_named(id));
    const Rect lanes = desk().place("timeline");
    const Rect axis_of{axis().left_px(), lanes.y, axis().width_px(), desk().place("drawer.header").y - lanes.y};
    float code_y = 900;
    const auto all = texts();
    for (const DrawnText& t : all) {
      if (t.text == "CODE" && t.x > axis_of.x + axis_of.width) code_y = t.y;
    }
    std::vector<DrawnText> groups;
    for (const DrawnText& t : all) {
      const float middle_x = t.x + t.width / 2, middle_y = t.y + t.height / 2;
      const auto inside = [&](const Rect& r) {
        return middle_x >= r.x && middle_x < r.x + r.width && middle_y >= r.y && middle_y < r.y + r.height;
      };
      const bool drawing = inside(axis_of) && !t.text.ends_with(" shorter") && t.text.find("→") == std::string::npos;
      const bool line_of_code = t.x > axis_of.x + axis_of.width && t.y > code_y + 40 && t.y < code_y + 270;
      if (drawing || line_of_code) continue;
      const auto near = std::ranges::find_if(groups, [&](const DrawnText& g) {
        const float x = std::max(t.x, g.x) - std::min(t.x + t.width, g.x + g.width);
        const float y = std::max(t.y, g.y) - std::min(t.y + t.height, g.y + g.height);
        return (x <= kBeside && y < 0) || (x < 0 && y <= kBelow);
      });
      if (near == groups.end()) {
        groups.push_back(t);
      } else {
        const float right = std::max(t.x + t.width, near->x + near->width);
        const float bottom = std::max(t.y + t.height, near->y + near->height);
        near->x = std::min(near->x, t.x), near->y = std::min(near->y, t.y);
        near->width = right - near->x, near->height = bottom - near->y;
        near->text += " | " + t.text;
      }
    }
    std::string list;
    for (const DrawnText& g : groups) list += g.text + "\n";
    EXPECT_LE(groups.size(), 60u) << id << ":\n" << list;
    EXPECT_GE(groups.size(), 30u) << id << ": something has not been drawn";
  }
}

// While it runs: beside the lanes a value changes at most twice a second, and nothing moves.
TEST_F(FirstScreenTest, IsCalmWhileItRuns) {
  desk().resize(1600, 900);
  for (const char* id : {"P09", "P22", "T2"}) {
    open(experiment::experiment_named(id));
    model().set_paused(false);
    desk().frames(300);  // five seconds: it has settled
    const float right = axis().right_px();
    std::vector<DrawnText> shown;
    std::vector<int> changes;
    for (int frame = 0; frame < 240; ++frame) {
      std::vector<DrawnText> now = texts();
      std::erase_if(now, [&](const DrawnText& t) { return t.x < right; });
      if (frame == 0) {
        shown = now;
        changes.assign(now.size(), 0);
        continue;
      }
      ASSERT_EQ(now.size(), shown.size()) << id << ", frame " << frame;
      for (std::size_t i = 0; i < now.size(); ++i) {
        changes[i] += now[i].text != shown[i].text;
        const float left = std::abs(now[i].x - shown[i].x);
        const float end = std::abs(now[i].x + now[i].width - shown[i].x - shown[i].width);
        EXPECT_LE(std::min(left, end), 4) << id << ": '" << shown[i].text << "' and '" << now[i].text << "'";
        EXPECT_NEAR(now[i].y + now[i].height, shown[i].y + shown[i].height, 4) << id << ": " << now[i].text;
      }
      shown = now;
    }
    for (std::size_t i = 0; i < shown.size(); ++i) EXPECT_LE(changes[i], 8) << id << ": " << shown[i].text;
  }
}

// --- the picture of a stall ------------------------------------------------------------------------------------------

class StallPictureTest : public FirstScreenTest {
 protected:
  /// How much of the shown iteration's lane of calls has the saturated colour of harm, in ns.
  double saturated_ns() {
    const std::size_t before = desk().saved().size();
    state().toast.reset();
    desk().key(key::F12);
    EXPECT_TRUE(desk().until([&] { return state().toast && desk().saved().size() > before; }));
    const io::Image image = test::read_png(desk().saved().back());
    std::filesystem::remove(desk().saved().back());
    state().toast.reset();
    const auto lane = state().timeline.lane_rect(model().trace(), trace::LaneKind::Calls);
    const std::uint32_t harm = ui::theme(ui::ThemeName::Dark)[ui::Colour::Wait];
    const auto is_harm = [&](int x, int y) {
      const std::size_t at = (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + x) * 4;
      int off = 0;
      for (int i = 0; i < 3; ++i) off = std::max(off, std::abs(image.pixels[at + i] - int(harm >> (8 * i) & 255)));
      return off < 40;
    };
    const auto& shown = *state().view.shown_iteration();
    int columns = 0;
    for (int x = int(axis().to_px(shown.start_ns)); x < int(axis().to_px(shown.end_ns)); ++x) {
      bool any = false;
      for (int y = int(lane->y) + 3; y < int(lane->y + lane->height) - 3; ++y) any = any || is_harm(x, y);
      columns += any;
    }
    return columns * axis().ns_per_pixel();
  }
  /// By hand: a call that blocks has harmed as long as the GPU had nothing to do before the next launch, but no longer
  /// than it blocked. The work on the GPU is merged to stretches; a gap belongs to the call that ended last before the
  /// gap's end and after its start.
  double idle_ns() {
    const auto& shown = *state().view.shown_iteration();
    std::vector<std::pair<Nanoseconds, Nanoseconds>> busy;
    for (const auto kind : {trace::LaneKind::Kernels, trace::LaneKind::CopyH2D, trace::LaneKind::CopyD2H}) {
      for (const auto& e : events_since(kind, shown.start_ns - shown.duration()))
        busy.emplace_back(e.start_ns, e.end_ns);
    }
    std::ranges::sort(busy);
    const auto calls = events_since(trace::LaneKind::Calls, shown.start_ns);
    double sum = 0;
    Nanoseconds end = busy.front().second;
    for (const auto& [from, to] : busy) {
      const Nanoseconds gap_from = end, gap_to = from;
      end = std::max(end, to);
      if (gap_to <= gap_from) continue;
      for (const trace::Event& call : calls) {
        const Nanoseconds begin = call.start_ns + trace::parts_of(call).own;
        if (!trace::is_blocking(call) || call.start_ns >= shown.end_ns) continue;
        if (call.end_ns <= gap_from || call.end_ns >= gap_to) continue;
        sum += static_cast<double>(std::min(gap_to - gap_from, call.end_ns - begin));
      }
    }
    return sum;
  }
};

TEST_F(StallPictureTest, ItIsSaturatedAsLongAsTheGpuIdles) {
  desk().resize(1600, 900);
  for (const char* id : {"P09", "P08", "P10", "P11"}) {
    open(experiment::experiment_named(id));
    const double drawn = saturated_ns(), idle = idle_ns();
    EXPECT_GT(idle, 0) << id;
    EXPECT_NEAR(drawn, idle, 0.03 * idle + 2 * axis().ns_per_pixel()) << id;
  }
}

// --- what a knob does ------------------------------------------------------------------------------------------------

class KnobInViewTest : public FirstScreenTest {
 protected:
  /// What is drawn of the shown iteration: its length, and how long each kind of event takes in it.
  using Picture = std::map<std::string, double>;
  Picture picture() {
    Picture drawn;
    const auto shown = state().view.shown_iteration();
    if (!shown) return drawn;
    drawn["length"] = static_cast<double>(shown->duration());
    for (const auto kind : {trace::LaneKind::Phases, trace::LaneKind::Calls, trace::LaneKind::Kernels,
                            trace::LaneKind::CopyH2D, trace::LaneKind::CopyD2H}) {
      for (const auto& e : events_since(kind, shown->start_ns)) {
        if (e.start_ns >= shown->end_ns) break;
        const std::string name = std::to_string(int(kind)) + std::string(model().trace().names().text(e.name));
        drawn[name + "#"] += 1;
        drawn[name] += static_cast<double>(e.duration());
      }
    }
    return drawn;
  }
  static bool differ(const Picture& a, const Picture& b) {
    if (a.size() != b.size()) return true;
    return !std::ranges::equal(a, b, [](const auto& x, const auto& y) {
      return x.first == y.first && std::abs(x.second - y.second) <= 0.02 * std::max(x.second, y.second);
    });
  }
  static std::string other_value(const workload::SettingSpec& spec, const workload::Value& now) {
    if (const bool* on = std::get_if<bool>(&now)) return *on ? "false" : "true";
    if (const auto* choice = std::get_if<std::string>(&now)) {
      const auto at = std::ranges::find(spec.choices, *choice) - spec.choices.begin();
      return spec.choices[static_cast<std::size_t>(at + 1) % spec.choices.size()];
    }
    const double value =
        std::holds_alternative<double>(now) ? std::get<double>(now) : double(std::get<std::int64_t>(now));
    double wanted = value < 1 ? spec.maximum / 2 : 4 * value;
    if (wanted > spec.maximum) wanted = std::max(spec.minimum, value / 4);
    return std::holds_alternative<double>(now) ? fmt::format("{}", wanted) : fmt::format("{}", std::int64_t(wanted));
  }
};

// Within two seconds; or it says that it has no effect.
TEST_F(KnobInViewTest, EachKnobOfEachWorkloadChangesWhatIsInView) {
  for (const std::string& name : workload::workload_names()) {
    session::SessionOptions options = usual().session;
    options.workload = name;
    options.speed = ui::kWindowSpeed;
    std::vector<std::string> keys;
    const auto start = [&] {
      const std::uint64_t before = model().generation();
      state().requests.run = options;
      return desk().until([&] { return model().generation() != before; }) && desk().until([&] {
        return state().view.shown_iteration() && model().recent().pace.known() && model().recent_is_current();
      });
    };
    ASSERT_TRUE(start());
    for (const auto& spec : settings().specs()) keys.push_back(spec.key);
    for (const std::string& key : keys) {
      SCOPED_TRACE(name + " " + key);
      ASSERT_TRUE(start());
      desk().frames(60);
      const workload::Settings now = settings();
      const workload::SettingSpec& spec = *now.spec(key);
      if (now.no_effect(spec) != nullptr) continue;
      const Picture before = picture();
      ASSERT_EQ(model().assign({key + "=" + other_value(spec, now.value(key))}), "");
      int frames = 0;
      while (frames < 120 && !differ(before, picture())) desk().frames(1), ++frames;
      EXPECT_LT(frames, 120) << "nothing in view differs";
    }
  }
}

}  // namespace
}  // namespace lanescope::ui_test
