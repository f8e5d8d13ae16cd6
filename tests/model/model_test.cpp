#include "model/model.h"

#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "base/background_job.h"
#include "base/error.h"
#include "io/scratch.h"
#include "io/trace_file.h"
#include "timeline/drawn.h"
#include "until.h"

namespace lanescope::ui {
namespace {

using testing::HasSubstr;

class ModelTest : public io::Scratch {
 protected:
  static session::SessionOptions options() {
    session::SessionOptions o;
    o.device = "sim:teaching";
    o.speed = 0.1;
    return o;
  }
  template <typename Done>
  bool updates_until(Done done) {
    return until(done, [&] { model.update(); });
  }
  std::filesystem::path small_trace() {
    trace::Trace trace;
    TraceBuilder build(trace);
    build.iteration(1000, 9000);
    build.kernel(2000, 5000);
    build.publish();
    trace::RunFacts facts;
    facts.workload = "linear-mse";
    facts.simulated = true;
    io::write_chrome_trace(file("small.json"), trace, facts);
    return file("small.json");
  }

  Model model;
};

TEST_F(ModelTest, ARunIsReadAsItGrows) {
  model.start_run(options());
  EXPECT_TRUE(model.live());
  EXPECT_TRUE(model.simulated());
  EXPECT_DOUBLE_EQ(model.speed(), 0.1);
  EXPECT_EQ(model.title(), model.steering()->workload().title);
  ASSERT_TRUE(updates_until([&] { return model.recent().iteration.count >= 10; }));
  const Nanoseconds edge = model.live_edge();
  ASSERT_TRUE(updates_until([&] { return model.live_edge() > edge; }));
  EXPECT_EQ(model.extent().second, model.live_edge());
  EXPECT_EQ(model.facts().device, "sim:teaching");
  EXPECT_EQ(model.facts().settings.at("log_interval"), "1");
}

// Two events, and the thread that frees them.
class NotedSource final : public Source {
 public:
  explicit NotedSource(std::promise<std::thread::id>& freed_by) : freed_by_(freed_by) {
    TraceBuilder build(trace_);
    build.iteration(1000, 9000);
    build.kernel(2000, 5000);
    build.publish();
  }
  ~NotedSource() override { freed_by_.set_value(std::this_thread::get_id()); }

  const trace::Trace& trace() const override { return trace_; }
  io::RunFacts facts() const override { return {}; }
  std::string title() const override { return {}; }
  device::DeviceInfo device() const override { return {}; }
  bool own() const override { return false; }

 private:
  trace::Trace trace_;
  std::promise<std::thread::id>& freed_by_;
};

// Whatever is shown meanwhile. And the window's thread, which would be late for its frame, never frees one.
TEST_F(ModelTest, WhatReadsATraceKeepsIt) {
  std::promise<std::thread::id> freed_by;
  std::future<std::thread::id> freed = freed_by.get_future();
  model.show(analysed(std::make_unique<NotedSource>(freed_by)));
  std::promise<void> gate;
  base::BackgroundJob<std::uint64_t> job;
  job.start([trace = model.shared_trace(), gate = gate.get_future().share()] {
    gate.wait();
    return trace->counts().recorded;
  });
  model.show_nothing();
  model.start_run(options());
  EXPECT_EQ(freed.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  gate.set_value();
  job.wait();
  EXPECT_EQ(job.take(), 2u);
  EXPECT_NE(freed.get(), std::this_thread::get_id());

  std::promise<std::thread::id> next_freed_by;
  model.show(analysed(std::make_unique<NotedSource>(next_freed_by)));
  model.show_nothing();  // nobody else reads it
  EXPECT_NE(next_freed_by.get_future().get(), std::this_thread::get_id());
}

// A figure must never be taken for one of settings that do not hold yet.
TEST_F(ModelTest, RecentIsOfThePresentSettingsOrSaysSo) {
  model.start_run(options());
  ASSERT_TRUE(updates_until([&] { return model.recent_is_current() && model.recent().iteration.count >= 10; }));
  ASSERT_EQ(model.assign({"log_interval=0", "batch_size=256"}), "");
  EXPECT_FALSE(model.recent_is_current());
  ASSERT_TRUE(updates_until([&] { return model.recent_is_current(); }));
  ASSERT_EQ(model.analysis().markers().size(), 2u);  // one for each setting, of one version
  EXPECT_EQ(trace::change_of(model.analysis().markers()[0]).version, model.steering()->settings_version());
  EXPECT_EQ(trace::change_of(model.analysis().markers()[1]).version, model.steering()->settings_version());
  EXPECT_EQ(model.last_turn_version(), model.steering()->settings_version());
  EXPECT_GE(model.recent().from_ns, model.analysis().markers()[0].start_ns);
  EXPECT_EQ(model.recent().sync_count, 0);
  EXPECT_EQ(model.last_turn(), "log interval 1 → never, batch size 128 → 256");
  // What changes nothing is no turn; what is refused changes nothing.
  ASSERT_EQ(model.assign({"log_interval=0"}), "");
  EXPECT_THAT(model.assign({"batch_size=512", "log_interval=-1"}), HasSubstr("log_interval"));
  EXPECT_TRUE(model.recent_is_current());
  EXPECT_EQ(model.steering()->settings().integer("batch_size"), 256);
}

TEST_F(ModelTest, ReadsThatCameTooEarlyAreCounted) {
  trace::Trace trace;
  TraceBuilder build(trace);
  build.iteration(1000, 9000);
  const LaneId reads = build.lane(LaneKind::Phases, 0, "reads");
  for (const Nanoseconds at : {2000, 3000, 8000}) {
    build.add(reads, trace::EventKind::Range, "not arrived yet", at, at).flags = trace::kNotArrivedFlag;
  }
  build.host_wait(1500, 2500);
  build.publish();
  EXPECT_EQ(count_stale_reads(trace, 0, 9000), 3);
  EXPECT_EQ(count_stale_reads(trace, 2000, 8000), 2);
  EXPECT_EQ(count_stale_reads(trace, 4000, 5000), 0);
}

// The GPU works for 500 us in each iteration, and the CPU asks it only every 100th time: 99 iterations of some 40 us
// and one of 47 ms. Whatever is seen of it, an iteration takes 505 us, give or take the loop's own small kernels.
TEST_F(ModelTest, AnIterationsTimeIsThatOfWholePeriods) {
  session::SessionOptions o = options();
  o.device = "sim:rtx4090";
  o.speed = 1;
  o.workload = "transfer-loop";
  o.assignments = {"feed=resident", "log_interval=100"};
  model.start_run(o);
  ASSERT_TRUE(updates_until([&] { return model.recent_is_current() && model.recent().sync_count > 0; }));
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t number = model.recent_number();
    ASSERT_TRUE(updates_until([&] { return model.recent_number() > number && model.recent_is_current(); }));
    EXPECT_NEAR(model.recent().iteration.mean_ns, 507e3, 15e3);
  }
}

TEST_F(ModelTest, WhatWasBeforeATurnIsKept) {
  model.start_run(options());
  ASSERT_TRUE(updates_until([&] { return model.recent().iteration.count >= 10; }));
  EXPECT_EQ(model.before_change().iteration.count, 0);
  const double slow = model.recent().iteration.mean_ns;
  ASSERT_EQ(model.set("log_interval", std::int64_t{0}), "");
  ASSERT_TRUE(updates_until([&] { return !model.analysis().markers().empty(); }));
  const Nanoseconds turned = model.analysis().markers()[0].start_ns;
  ASSERT_TRUE(updates_until([&] { return model.recent().from_ns >= turned && model.recent().iteration.count >= 5; }));
  EXPECT_EQ(model.recent().sync_count, 0);
  EXPECT_LT(model.recent().iteration.mean_ns, slow);
  EXPECT_NEAR(model.before_change().iteration.mean_ns, slow, slow * 0.1);
  EXPECT_GT(model.before_change().sync_count, 0);
}

TEST_F(ModelTest, AnImpossibleValueIsRefusedWithTheReason) {
  model.start_run(options());
  EXPECT_THAT(model.set("log_interval", std::int64_t{-3}), HasSubstr("log_interval"));
  EXPECT_THAT(model.set("no_such", true), HasSubstr("no_such"));
  EXPECT_EQ(model.facts().settings.at("log_interval"), "1");
}

TEST_F(ModelTest, AFileTakesTheRunsPlace) {
  model.start_run(options());
  const std::uint64_t before = model.generation();
  const std::filesystem::path path = small_trace();
  model.open_file(path);
  EXPECT_GT(model.generation(), before);
  EXPECT_FALSE(model.live());
  EXPECT_FALSE(model.paused());
  EXPECT_EQ(model.title(), "small.json");
  EXPECT_EQ(model.source().file(), path);
  EXPECT_TRUE(model.simulated());
  EXPECT_EQ(model.extent(), (std::pair<Nanoseconds, Nanoseconds>{1000, 9000}));
  ASSERT_EQ(model.analysis().records().size(), 1u);
  EXPECT_EQ(model.recent().kernel_ns, 3000);
  // What belongs to a run does nothing to a file.
  EXPECT_EQ(model.set("log_interval", std::int64_t{5}), "");
  model.set_paused(true);
  model.set_speed(0.5);
  model.update();
  EXPECT_FALSE(model.paused());
  EXPECT_EQ(model.extent().second, 9000);
}

// Another device gets what a person changed, by hand or on the command line; the rest are that device's own defaults.
// sim:teaching and sim:h200 differ in what the framework costs by default.
TEST_F(ModelTest, WhatStartsTheRunAgainHoldsOnlyWhatWasChanged) {
  session::SessionOptions first = options();
  first.assignments = {"batch_size=128", "seed=5"};  // 128 is the default, but it was asked for
  model.start_run(first);
  ASSERT_EQ(model.set("log_interval", std::int64_t{50}), "");
  ASSERT_EQ(model.set("pinned", true), "");
  model.set_speed(0.25);
  session::SessionOptions now = model.options_now();
  EXPECT_EQ(now.device, "sim:teaching");
  EXPECT_DOUBLE_EQ(now.speed, 0.25);
  EXPECT_THAT(now.assignments,
              testing::UnorderedElementsAre("log_interval=50", "pinned=true", "batch_size=128", "seed=5"));
  now.device = "sim:h200";
  model.start_run(now);
  EXPECT_LT(model.steering()->settings().real("dispatch_us"), 5);  // a fast program on a fast CPU; elsewhere it is 10
  EXPECT_EQ(model.steering()->settings().integer("log_interval"), 50);
  ASSERT_EQ(model.set("dispatch_us", 12.5), "");
  now = model.options_now();
  EXPECT_THAT(now.assignments, testing::Contains("dispatch_us=12.5"));
  now.device = "sim:teaching";
  model.start_run(now);
  EXPECT_DOUBLE_EQ(model.steering()->settings().real("dispatch_us"), 12.5);
  EXPECT_THAT(model.options_now().assignments, testing::Contains("dispatch_us=12.5")) << "it stays the person's";
}

TEST_F(ModelTest, ASimulatedRunHasNothingOpenAndNothingToCapture) {
  model.start_run(options());
  ASSERT_TRUE(updates_until([&] { return model.capture().counts.recorded > 100; }));
  EXPECT_TRUE(model.virtual_time());
  EXPECT_EQ(model.capture().health.state, trace::CaptureState::None);
  EXPECT_EQ(model.capture().run, RunState::Running);
  EXPECT_EQ(model.capture().no_gpu, "") << "the device was named";
  EXPECT_TRUE(model.open_calls().empty());
  EXPECT_EQ(model.now(), model.live_edge());
  EXPECT_FALSE(model.notice().has_value());
  EXPECT_EQ(model.source().device().id, "sim:teaching");
  model.set_paused(true);
  ASSERT_TRUE(updates_until([&] { return model.capture().run == RunState::Paused; }));
}

TEST_F(ModelTest, WhatCannotBeHadChangesNothing) {
  model.start_run(options());
  const std::uint64_t before = model.generation();
  session::SessionOptions bad = options();
  bad.workload = "no-such";
  EXPECT_THROW(model.start_run(bad), base::UsageError);
  bad = options();
  bad.assignments = {"log_interval=-1"};
  EXPECT_THROW(model.start_run(bad), base::UsageError);
  EXPECT_THROW(model.open_file(file("missing.json")), base::FileError);
  EXPECT_THROW(model.open_file(write("broken.json", "{")), base::FileError);
  EXPECT_EQ(model.generation(), before);
  EXPECT_TRUE(model.live());
  const Nanoseconds edge = model.live_edge();
  EXPECT_TRUE(updates_until([&] { return model.live_edge() > edge; }));
}

}  // namespace
}  // namespace lanescope::ui
