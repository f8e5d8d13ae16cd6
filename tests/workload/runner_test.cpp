#include "workload/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "workload/recording_device.h"
#include "workload/settings.h"

namespace lanescope::workload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

// A workload controlled by the test.
class Scripted final : public Workload {
 public:
  struct Script {
    std::function<void()> set_up = [] {};
    std::function<void(std::uint64_t, const Settings&)> iterate = [](std::uint64_t, const Settings&) {};
    std::optional<double> loss;
    std::uint64_t losses_read = 0;
    bool was_set_up = false, finished = false;
  };
  Scripted(device::Device& device, Script& script) : device_(device), script_(script) {}

  const WorkloadInfo& info() const override { return info_; }
  void set_up(const Settings&) override {
    device_.host_work(5'000);
    script_.set_up();
    script_.was_set_up = true;
  }
  void iterate(std::uint64_t number, const Settings& settings) override {
    device_.host_work(10'000);
    script_.iterate(number, settings);
  }
  void finish() override {
    device_.host_work(300);
    script_.finished = true;
  }
  std::optional<double> last_loss() const override { return script_.loss; }
  std::uint64_t losses_read() const override { return script_.losses_read; }

 private:
  device::Device& device_;
  Script& script_;
  WorkloadInfo info_;
};

class RunnerTest : public testing::Test {
 protected:
  std::unique_ptr<Runner> make(std::uint64_t iterations, Pacer* pacer = nullptr) {
    return std::make_unique<Runner>(device_, std::make_unique<Scripted>(device_, script_), settings_, iterations,
                                    pacer);
  }
  void run(std::uint64_t iterations) {
    runner_ = make(iterations);
    runner_->start();
    runner_->wait();
  }
  Settings with(std::initializer_list<const char*> assignments) const {
    Settings changed = settings_;
    for (const char* assignment : assignments) changed.assign(assignment);
    return changed;
  }
  std::vector<trace::Event> on(trace::LaneKind kind) const { return device_.recorded().on(kind); }
  /// "version key before now" of each marker.
  std::vector<std::string> changes() const {
    std::vector<std::string> found;
    for (const trace::Event& marker : on(trace::LaneKind::Markers)) {
      EXPECT_TRUE(trace::is_setting_change(marker));
      const trace::SettingChange c = trace::change_of(marker);
      std::string text = std::to_string(c.version);
      for (const trace::NameId id : {c.key, c.before, c.now}) {
        text += " " + std::string(device_.recorded().names.text(id));
      }
      found.push_back(std::move(text));
    }
    return found;
  }

  RecordingDevice device_;
  Scripted::Script script_;
  Settings settings_ = default_settings("linear-mse", device_.info());
  Pacer pacer_{true};
  std::unique_ptr<Runner> runner_;  // destroyed before what it uses
};

TEST_F(RunnerTest, RecordsARangePerIteration) {
  run(3);
  const auto iterations = on(trace::LaneKind::Iterations);
  ASSERT_EQ(iterations.size(), 3u);
  // 5 us of setting up, then 10 us each, and 0.3 us at the end.
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(iterations[i].kind, trace::EventKind::Range);
    EXPECT_EQ(trace::index_of(iterations[i]), i);
    EXPECT_EQ(iterations[i].start_ns, 5'000 + 10'000 * i);
    EXPECT_EQ(iterations[i].end_ns, 15'000 + 10'000 * i);
  }
  EXPECT_THAT(device_.recorded().names_on(trace::LaneKind::Iterations),
              ElementsAre("iteration", "iteration", "iteration"));
  EXPECT_EQ(device_.recorded().lanes[iterations[0].lane].name, "iteration");
  EXPECT_EQ(runner_->started_ns(), 5'000);
  EXPECT_EQ(runner_->ended_ns(), 35'300);
  EXPECT_EQ(runner_->iterations_done(), 3u);
  EXPECT_FALSE(runner_->running());
  EXPECT_TRUE(script_.finished);
  EXPECT_EQ(runner_->error(), "");
  EXPECT_THAT(on(trace::LaneKind::Markers), IsEmpty());
  EXPECT_THAT(on(trace::LaneKind::Counter), IsEmpty());
}

TEST_F(RunnerTest, AChangeIsTakenByTheNextIterationAndMarked) {
  std::vector<std::int64_t> seen;
  script_.iterate = [&](std::uint64_t number, const Settings& settings) {
    seen.push_back(settings.integer("log_interval"));
    if (number == 1) runner_->set_settings(with({"log_interval=100"}));
    // Snapshots already passed do not change.
    EXPECT_EQ(settings.integer("log_interval"), seen.back());
  };
  run(4);
  EXPECT_THAT(seen, ElementsAre(1, 1, 100, 100));
  EXPECT_THAT(device_.recorded().names_on(trace::LaneKind::Markers), ElementsAre("log interval 1 → 100"));
  const trace::Event marker = on(trace::LaneKind::Markers)[0];
  EXPECT_EQ(marker.kind, trace::EventKind::Marker);
  EXPECT_EQ(marker.start_ns, on(trace::LaneKind::Iterations)[2].start_ns);
  EXPECT_EQ(marker.duration(), 0);
  EXPECT_EQ(device_.recorded().lanes[marker.lane].name, "markers");
  EXPECT_THAT(changes(), ElementsAre("1 log_interval 1 100"));
  EXPECT_EQ(runner_->settings_version(), 1u);
  EXPECT_EQ(runner_->settings().integer("log_interval"), 100);
}

TEST_F(RunnerTest, SeveralChangesShareAVersionAndNoChangeHasNone) {
  script_.iterate = [&](std::uint64_t number, const Settings&) {
    if (number == 0) runner_->set_settings(with({"feed=per-iteration", "pinned=true", "dispatch_us=2.5"}));
    if (number == 1) runner_->set_settings(runner_->settings());
    if (number == 2) {
      runner_->set_settings(with({"log_interval=5"}));
      runner_->set_settings(with({"batch_size=64"}));  // the last word before the next iteration counts
    }
  };
  run(5);
  EXPECT_THAT(device_.recorded().names_on(trace::LaneKind::Markers),
              ElementsAre("feed resident → per-iteration", "pinned memory false → true", "dispatch cost 10 → 2.5",
                          "feed per-iteration → resident", "pinned memory true → false", "batch size 128 → 64",
                          "dispatch cost 2.5 → 10"));
  EXPECT_THAT(changes(), ElementsAre("1 feed resident per-iteration", "1 pinned false true", "1 dispatch_us 10 2.5",
                                     "2 feed per-iteration resident", "2 pinned true false", "2 batch_size 128 64",
                                     "2 dispatch_us 2.5 10"));
  const std::vector<trace::Event> markers = on(trace::LaneKind::Markers);
  const auto text = [&](std::size_t from, std::size_t count) {
    return marker_text(device_.recorded().names, std::span(markers).subspan(from, count));
  };
  EXPECT_EQ(text(0, 3), "feed resident → per-iteration, pinned memory off → on, dispatch cost 10 → 2.5");
  EXPECT_EQ(text(3, 4),
            "feed per-iteration → resident, pinned memory on → off, batch size 128 → 64, dispatch cost 2.5 → 10");
}

TEST_F(RunnerTest, WhatIsSetBackBeforeItIsTakenHasTheVersionFromBefore) {
  std::vector<std::uint32_t> versions;
  script_.iterate = [&](std::uint64_t number, const Settings&) {
    const auto set = [&](const char* assignment) {
      runner_->set_settings(with({assignment}));
      versions.push_back(runner_->settings_version());
    };
    if (number == 0) {
      set("log_interval=5");
      set("log_interval=1");
    }
    if (number == 1) set("log_interval=7");
    if (number == 2) {
      set("log_interval=8");
      set("log_interval=9");
      set("log_interval=7");
    }
  };
  run(5);
  EXPECT_THAT(versions, ElementsAre(1, 0, 1, 2, 2, 1));
  EXPECT_THAT(changes(), ElementsAre("1 log_interval 1 7"));
}

TEST_F(RunnerTest, SamplesTheLossWhenItWasRead) {
  script_.iterate = [&](std::uint64_t number, const Settings&) {
    if (number % 2 == 1) {
      script_.loss = number == 1 ? 0.75 : 0.5;
      ++script_.losses_read;
    }
  };
  run(6);  // reads in 1, 3 and 5; the last two give the same value
  const auto samples = on(trace::LaneKind::Counter);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(trace::value_of(samples[0]), 0.75);
  EXPECT_EQ(trace::value_of(samples[1]), 0.5);
  EXPECT_EQ(trace::value_of(samples[2]), 0.5);
  EXPECT_EQ(samples[0].kind, trace::EventKind::Counter);
  EXPECT_EQ(samples[0].start_ns, on(trace::LaneKind::Iterations)[1].end_ns);
  EXPECT_EQ(device_.recorded().lanes[samples[0].lane].name, "loss");
  EXPECT_EQ(runner_->first_loss(), 0.75);
  EXPECT_EQ(runner_->last_loss(), 0.5);
}

TEST_F(RunnerTest, StopsAfterTheIterationThatRuns) {
  script_.iterate = [&](std::uint64_t number, const Settings&) {
    if (number == 2) runner_->stop();
  };
  run(0);
  EXPECT_EQ(runner_->iterations_done(), 3u);
  EXPECT_TRUE(script_.finished);
}

TEST_F(RunnerTest, StopsWhenItsPacerIsStopped) {
  script_.iterate = [&](std::uint64_t number, const Settings&) {
    if (number == 4) pacer_.stop();
  };
  runner_ = make(0, &pacer_);
  runner_->start();
  runner_->wait();
  EXPECT_EQ(runner_->iterations_done(), 5u);
}

TEST_F(RunnerTest, StopsAPausedRun) {
  pacer_.pause(true);
  std::atomic<bool> waiting{false};
  script_.iterate = [&](std::uint64_t, const Settings&) {
    waiting = true;
    waiting.notify_one();
    pacer_.wait_for(base::kSecond);
  };
  runner_ = make(0, &pacer_);
  runner_->start();
  waiting.wait(false);
  EXPECT_TRUE(runner_->running());
  runner_.reset();  // the destructor does not wait for a resume
  EXPECT_TRUE(script_.finished);
}

TEST_F(RunnerTest, SettingUpIsNotPacedEvenWhilePaused) {
  pacer_.pause(true);
  script_.set_up = [&] { pacer_.wait_for(3'600 * base::kSecond); };
  runner_ = make(1, &pacer_);
  runner_->start();
  runner_->wait();
  EXPECT_EQ(runner_->iterations_done(), 1u);
  EXPECT_EQ(pacer_.now_ns(), 3'600 * base::kSecond);
}

// A device whose clock cannot be held stops between iterations 2 and 3; the pause is visible on the timeline.
TEST_F(RunnerTest, ADeviceInRealTimeStandsBetweenIterations) {
  device_.set_virtual_time(false);
  std::atomic<bool> paused{false};
  script_.iterate = [&](std::uint64_t number, const Settings&) {
    if (number == 2) pacer_.pause(true);
    EXPECT_FALSE(number > 2 && pacer_.paused());
    paused = number == 2;
    paused.notify_one();
  };
  runner_ = make(5, &pacer_);
  runner_->start();
  paused.wait(false);
  while (runner_->iterations_done() < 3) std::this_thread::yield();
  EXPECT_TRUE(runner_->running());
  EXPECT_EQ(runner_->iterations_done(), 3u);
  pacer_.pause(false);
  runner_->wait();
  EXPECT_EQ(runner_->iterations_done(), 5u);
  EXPECT_THAT(device_.recorded().names_on(trace::LaneKind::Markers),
              testing::AllOf(testing::SizeIs(testing::Le(1u)), testing::Each("paused")));
}

TEST_F(RunnerTest, APausedDeviceInRealTimeStops) {
  device_.set_virtual_time(false);
  pacer_.pause(true);
  runner_ = make(0, &pacer_);
  runner_->start();
  runner_->stop();
  runner_->wait();
  EXPECT_EQ(runner_->iterations_done(), 0u);
  EXPECT_TRUE(script_.finished);
}

TEST_F(RunnerTest, KnowsThatTheDeviceIsLost) {
  script_.iterate = [&](std::uint64_t number, const Settings&) {
    if (number == 1) throw device::DeviceLost("cudaFree failed, the device is lost");
  };
  run(10);
  EXPECT_TRUE(runner_->device_lost());
  EXPECT_EQ(runner_->error(), "cudaFree failed, the device is lost");
  EXPECT_FALSE(runner_->running());
  EXPECT_FALSE(script_.finished);
}

TEST_F(RunnerTest, AnErrorEndsTheRunAndIsKept) {
  script_.iterate = [&](std::uint64_t number, const Settings&) {
    if (number == 2) throw base::Error("the device has gone");
  };
  run(10);
  EXPECT_EQ(runner_->error(), "the device has gone");
  EXPECT_FALSE(runner_->device_lost());
  EXPECT_EQ(runner_->iterations_done(), 2u);
  EXPECT_FALSE(runner_->running());
  EXPECT_FALSE(script_.finished);
  EXPECT_EQ(runner_->ended_ns(), 35'000);
  EXPECT_EQ(on(trace::LaneKind::Iterations).size(), 2u);
}

TEST_F(RunnerTest, SomethingThatIsNoExceptionEndsTheRunToo) {
  script_.iterate = [](std::uint64_t, const Settings&) { throw 7; };
  run(10);
  EXPECT_EQ(runner_->error(), "the workload ended for an unknown reason");
}

TEST_F(RunnerTest, ARunnerThatWasNeverStartedGoesQuietly) {
  runner_ = make(5);
  EXPECT_FALSE(runner_->running());
  runner_->wait();
  runner_.reset();
  EXPECT_FALSE(script_.was_set_up);
}

TEST_F(RunnerTest, StartsOnlyOnce) {
  runner_ = make(1);
  runner_->start();
  EXPECT_THROW(runner_->start(), base::Error);
}

TEST_F(RunnerTest, AnyThreadMayTurnKnobsAndAsk) {
  runner_ = make(0);
  std::atomic<std::int64_t> newest{0};
  script_.iterate = [&](std::uint64_t number, const Settings& settings) {
    newest = settings.integer("log_interval");
    script_.loss = static_cast<double>(number);
    ++script_.losses_read;
  };
  runner_->start();
  std::thread other([&] {
    while (newest < 1'000) {
      (void)runner_->last_loss();
      (void)runner_->settings();
      (void)runner_->iterations_done();
      std::this_thread::yield();
    }
  });
  for (std::int64_t interval = 2; interval <= 1'000; ++interval) {
    Settings changed = runner_->settings();
    changed.set("log_interval", interval);
    runner_->set_settings(changed);
  }
  other.join();
  runner_->stop();
  runner_->wait();
  EXPECT_EQ(newest, 1'000);
  EXPECT_EQ(runner_->first_loss(), 0.0);
}

TEST(Registry, ListsTheWorkloadsInTheOrderOfALesson) {
  EXPECT_THAT(workload_names(), IsSupersetOf({"linear-mse", "iris-mlp", "transfer-loop", "control-flow", "bandwidth"}));
  RecordingDevice device;
  for (const std::string& name : workload_names()) {
    const WorkloadInfo info = workload_info(name);
    EXPECT_EQ(info.name, name);
    EXPECT_FALSE(info.title.empty() || info.summary.empty() || info.experiments.empty() || info.code.empty()) << name;
    EXPECT_EQ(make_workload(name, device)->info().name, name);
    std::vector<std::string> keys;
    const Settings settings = default_settings(name, device.info());
    for (const SettingSpec& spec : settings.specs()) {
      keys.push_back(spec.key);
      EXPECT_FALSE(spec.label.empty() || spec.help.empty()) << spec.key;
    }
    EXPECT_THAT(keys, IsSupersetOf({"dispatch_us", "seed"})) << name;
  }
}

TEST(Registry, NamesAnUnknownWorkload) {
  RecordingDevice device;
  const auto message = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const base::UsageError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string expected =
      "unknown workload 'nope'; allowed: linear-mse, iris-mlp, transfer-loop, control-flow, bandwidth, dataloader, "
      "readback, plot-transfer, raw-cuda, break-even";
  EXPECT_EQ(message([] { workload_info("nope"); }), expected);
  EXPECT_EQ(message([&] { make_workload("nope", device); }), expected);
  EXPECT_EQ(message([&] { default_settings("nope", device.info()); }), expected);
}

TEST(Registry, DispatchStartsAtTheDevicesOwnCost) {
  RecordingDevice device;
  device.set_dispatch_us(31.5);
  EXPECT_EQ(default_settings("iris-mlp", device.info()).real("dispatch_us"), 31.5);
  device.set_dispatch_us(450);  // a user's own profile
  const Settings slow = default_settings("iris-mlp", device.info());
  EXPECT_EQ(slow.real("dispatch_us"), 450);
  EXPECT_EQ(slow.spec("dispatch_us")->maximum, 450);
}

TEST(Registry, LimitsTheBatchAsTheWorkloadsNeed) {
  RecordingDevice device;
  Settings linear = default_settings("linear-mse", device.info()), iris = default_settings("iris-mlp", device.info());
  EXPECT_EQ(linear.integer("batch_size"), 128);
  EXPECT_EQ(iris.integer("batch_size"), 120);
  EXPECT_NO_THROW(linear.assign("batch_size=8192"));
  EXPECT_THROW(linear.assign("batch_size=8193"), base::UsageError);
  EXPECT_THROW(iris.assign("batch_size=121"), base::UsageError);
  EXPECT_THROW(iris.assign("batch_size=0"), base::UsageError);
}

}  // namespace
}  // namespace lanescope::workload
