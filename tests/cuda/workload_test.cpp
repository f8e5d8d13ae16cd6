// The program's workloads on a CUDA device: the same values as on the simulated one, and nothing allocated once they
// run.
#include "workload/workload.h"
#include "cuda/rig.h"

namespace lanescope::device::cuda {
namespace {

using Workloads = CudaRig;

workload::Settings settings_of(const char* name, const DeviceInfo& info,
                               std::initializer_list<const char*> assignments) {
  workload::Settings settings = workload::default_settings(name, info);
  for (const char* assignment : assignments) settings.assign(assignment);
  return settings;
}

TEST_F(Workloads, IrisLearnsWhatItLearnsOnTheSimulator) {
  for (const char* feed : {"feed=resident", "feed=per-iteration"}) {
    std::optional<double> losses[2];
    for (const bool simulated : {false, true}) {
      KeepingSink own_sink;
      DeviceContext context;
      context.sink = &own_sink;
      const auto on = simulated ? make_device("sim:teaching", context) : nullptr;
      Device& used = simulated ? *on : static_cast<Device&>(make());
      const workload::Settings s = settings_of("iris-mlp", used.info(), {"seed=11", "log_interval=1", feed});
      const auto iris = workload::make_workload("iris-mlp", used);
      iris->set_up(s);
      for (std::uint64_t i = 0; i < 100; ++i) iris->iterate(i, s);
      iris->finish();
      EXPECT_EQ(iris->losses_read(), 101u);
      losses[simulated ? 1 : 0] = iris->last_loss();
    }
    ASSERT_TRUE(losses[0].has_value());
    EXPECT_EQ(losses[0], losses[1]) << feed;
    EXPECT_LT(*losses[0], 1.1);  // it began at about ln 3
  }
}

TEST_F(Workloads, TheSteadyStateAllocatesNothing) {
  for (const char* name : {"linear-mse", "iris-mlp"}) {
    for (const char* feed : {"feed=resident", "feed=per-iteration"}) {
      for (const char* pinned : {"pinned=false", "pinned=true"}) {
        SCOPED_TRACE(std::string(name) + " " + feed + " " + pinned);
        make();
        gpu->keep_log = false;
        gpu->compute = false;
        const workload::Settings s =
            settings_of(name, device->info(), {feed, pinned, "non_blocking=true", "log_interval=1"});
        const auto workload = workload::make_workload(name, *device);
        workload->set_up(s);
        for (std::uint64_t i = 0; i < 3; ++i) workload->iterate(i, s);
        const auto warm = gpu->counts;
        for (std::uint64_t i = 3; i < 103; ++i) workload->iterate(i, s);
        for (const char* call : {"malloc", "free", "host_alloc", "free_host", "stream_create", "event_create"}) {
          EXPECT_EQ(gpu->count(call), warm.contains(call) ? warm.find(call)->second : 0) << call;
        }
        EXPECT_GE(gpu->count("launch"), warm.find("launch")->second + 600);
        EXPECT_GT(gpu->count("stream_synchronize"), warm.find("stream_synchronize")->second);
      }
    }
  }
}

}  // namespace
}  // namespace lanescope::device::cuda
