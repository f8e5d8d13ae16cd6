// Rulers, bookmarks, notes and pinned tooltips by hand, in a real window.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "desk/desk.h"
#include "io/trace_file.h"
#include "model/timeline/marks_json.h"
#include "shell/marks_file.h"

namespace lanescope::ui_test {
namespace {

using trace::Event;
using trace::LaneKind;

class MarksTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    state().drawer = ui::DrawerTab::Plots;
    model().set_speed(0.1);
    wait_for_iterations(20);
    hold_still();
    state().view.show(model().analysis().records()[10].start_ns, model().analysis().records()[11].end_ns);
    ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  }
  ui::Marks& marks() { return state().marks; }
  /// The widest event of the lane in view.
  Event widest(LaneKind lane) {
    Event found;
    for (const Event& e : events_in_view(lane)) {
      if (e.duration() > found.duration()) found = e;
    }
    EXPECT_GT(found.duration(), 0);
    return found;
  }
  Point at(LaneKind lane, Nanoseconds t) {
    const Rect row = *state().timeline.lane_rect(model().trace(), lane);
    return {axis().to_px(t), row.y + row.height / 2};
  }
};

// Laid down with M at one edge and a click near the other: it measures from edge to edge.
TEST_F(MarksTest, ARulerSnapsToTheEdgesOfEvents) {
  const Event kernel = widest(LaneKind::Kernels);
  Point begin = at(LaneKind::Kernels, kernel.start_ns);
  begin.x += 3;
  desk().point_at(begin);
  desk().key(key::M);
  ASSERT_TRUE(marks().open.has_value());
  Point end = at(LaneKind::Kernels, kernel.end_ns);
  end.x -= 3;
  desk().click(end);
  ASSERT_EQ(marks().rulers.size(), 1u);
  EXPECT_EQ(marks().rulers[0].from, kernel.start_ns);
  EXPECT_EQ(marks().rulers[0].to, kernel.end_ns);
  EXPECT_FALSE(marks().open.has_value());
  EXPECT_FALSE(state().selection.event.has_value()) << "the click was the ruler's";
}

TEST_F(MarksTest, EscapeGivesARulerUp) {
  desk().point_at(at(LaneKind::Kernels, axis().begin_ns() + 1000));
  desk().key(key::M);
  ASSERT_TRUE(marks().open.has_value());
  desk().key(key::Escape);
  EXPECT_FALSE(marks().open.has_value());
  EXPECT_TRUE(marks().rulers.empty());
}

TEST_F(MarksTest, ARulersEndIsDraggedAndTheViewStandsStill) {
  const Nanoseconds begin = axis().begin_ns();
  const auto quarter = static_cast<Nanoseconds>(axis().span_ns() / 4);
  marks().add_ruler(begin + quarter, begin + 2 * quarter, "");
  desk().frames(2);
  ASSERT_EQ(state().mark_shapes.rulers.size(), 1u);
  const ui::RulerShape shape = state().mark_shapes.rulers[0];
  desk().drag({shape.x1, shape.y}, {shape.x1 + 120, shape.y});
  EXPECT_EQ(axis().begin_ns(), begin);
  EXPECT_EQ(marks().rulers[0].from, begin + quarter);
  EXPECT_NEAR(axis().to_px(marks().rulers[0].to), shape.x1 + 120, 7);  // it may have snapped
}

TEST_F(MarksTest, ANoteIsTypedShownEditedAndRemoved) {
  const Event kernel = widest(LaneKind::Kernels);
  desk().point_at(at(LaneKind::Kernels, kernel.start_ns + kernel.duration() / 2));
  desk().act(ui::Action::AddNote);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("note.field"); }));
  desk().frames(3);
  desk().type("why");
  desk().key(key::Enter);
  ASSERT_TRUE(desk().until([&] { return !marks().editing; }));
  ASSERT_EQ(marks().bookmarks.size(), 1u);
  EXPECT_EQ(marks().bookmarks[0].text, "why");
  desk().act(ui::Action::MarksList);
  const std::string remove = "mark.remove." + std::to_string(marks().bookmarks[0].id);
  ASSERT_TRUE(desk().until([&] { return desk().has_place(remove); }));
  desk().click(remove);
  EXPECT_TRUE(desk().until([&] { return marks().bookmarks.empty(); }));
}

TEST_F(MarksTest, ANoteWithoutATextIsGivenUp) {
  desk().act(ui::Action::AddNote);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("note.field"); }));
  desk().frames(3);
  desk().key(key::Escape);
  EXPECT_TRUE(desk().until([&] { return marks().bookmarks.empty(); }));
}

TEST_F(MarksTest, ABookmarkBringsItsViewBack) {
  desk().act(ui::Action::AddBookmark);
  ASSERT_EQ(marks().bookmarks.size(), 1u);
  const double span = axis().span_ns();
  const Nanoseconds marked = marks().bookmarks[0].at;
  state().view.fit(model());
  ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  desk().act(ui::Action::MarksList);
  const std::string row = "mark." + std::to_string(marks().bookmarks[0].id);
  ASSERT_TRUE(desk().until([&] { return desk().has_place(row); }));
  desk().click(row);
  ASSERT_TRUE(desk().until([&] { return !state().view.moving() && std::abs(axis().span_ns() / span - 1) < 0.01; }));
  EXPECT_TRUE(axis().overlaps(marked, marked + 1));
}

TEST_F(MarksTest, APinnedTooltipStaysAndIsClosedByItsCross) {
  const Event kernel = widest(LaneKind::Kernels);
  desk().point_at(at(LaneKind::Kernels, kernel.start_ns + kernel.duration() / 2));
  desk().act(ui::Action::PinTooltip);
  ASSERT_EQ(marks().pinned.size(), 1u);
  desk().point_at({axis().left_px() + 4, desk().place("timeline").y + 40});
  ASSERT_TRUE(desk().until([&] { return desk().has_place("pin.close"); }));
  desk().click("pin.close");
  EXPECT_TRUE(desk().until([&] { return marks().pinned.empty(); }));
}

// What is noted on a file lies beside it, and is there when the file is opened again; so is what a saved trace carries.
TEST_F(MarksTest, MarksOfAFileLieBesideIt) {
  const auto path = desk().home() / "noted.json";
  marks().add_bookmark({0, axis().begin_ns(), 1e6, "", "in the file"});
  trace::RunFacts facts = model().facts();
  facts.marks = ui::marks_to_json(marks());
  io::write_chrome_trace(path, model().trace(), facts);
  const auto open = [&] {
    state().requests.files = {path};
    ASSERT_TRUE(desk().until([&] {
      return !model().live() && model().source().file() == path && marks().generation == model().generation();
    }));
    ASSERT_FALSE(marks().bookmarks.empty());
  };
  open();
  EXPECT_EQ(marks().bookmarks[0].text, "in the file");
  EXPECT_FALSE(std::filesystem::exists(ui::marks_path(path)));  // nothing was changed
  marks().add_bookmark({0, axis().end_ns(), 1e6, "", "beside it"});
  ASSERT_TRUE(desk().until([&] { return std::filesystem::exists(ui::marks_path(path)); }));
  run({});
  EXPECT_TRUE(marks().bookmarks.empty());  // another run
  open();
  ASSERT_EQ(marks().bookmarks.size(), 2u);
  EXPECT_EQ(marks().bookmarks[1].text, "beside it");
}

}  // namespace
}  // namespace lanescope::ui_test
