// The program's workloads on a CUDA device: the same values as on the simulated one, and no allocations in the steady
// state.
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

// The elements of the array have been copied to the GPU and back, by cudaMemcpy or by cudaMemcpyAsync.
TEST_F(Workloads, RawCudaCopiesBlockingOrNot) {
  for (const char* copies : {"copies=blocking", "copies=async"}) {
    make();
    const workload::Settings s =
        settings_of("raw-cuda", device->info(), {copies, "pinned=true", "n=1000", "kernel_us=0", "own_work_us=0"});
    const auto raw = workload::make_workload("raw-cuda", *device);
    raw->set_up(s);
    const auto warm = gpu->counts;
    for (std::uint64_t i = 0; i < 10; ++i) raw->iterate(i, s);
    raw->finish();
    const bool blocking = std::string_view(copies) == "copies=blocking";
    const auto more = [&](const char* call) { return gpu->count(call) - (warm.contains(call) ? warm.at(call) : 0); };
    EXPECT_EQ(more("memcpy"), blocking ? 20 : 0);
    EXPECT_EQ(more("memcpy_async"), blocking ? 0 : 20);
    EXPECT_EQ(more("stream_synchronize"), blocking ? 0 : 10);
    EXPECT_EQ(more("launch"), 10);
    EXPECT_EQ(raw->figures().read()[4].total, 0) << raw->figures().read()[4].key;  // wrong numbers
  }
}

// Every method of reading the loss ends with the same loss as in the simulator, and PyTorch's check warns as often.
TEST_F(Workloads, ReadbackReadsWhatItReadsOnTheSimulator) {
  for (const char* method : {"item", "print", "stacked", "accumulate", "pageable", "one-step-late"}) {
    std::optional<double> losses[2];
    double warnings[2] = {};
    for (const bool simulated : {false, true}) {
      KeepingSink own_sink;
      DeviceContext context;
      context.sink = &own_sink;
      const auto on = simulated ? make_device("sim:teaching", context) : nullptr;
      Device& used = simulated ? *on : static_cast<Device&>(make());
      workload::Settings s = settings_of("readback", used.info(), {"model_us=0", "window=10", "sync_debug=warn"});
      s.assign(std::string("method=") + method);
      const auto readback = workload::make_workload("readback", used);
      readback->set_up(s);
      for (std::uint64_t i = 0; i < 30; ++i) readback->iterate(i, s);
      readback->finish();
      losses[simulated ? 1 : 0] = readback->last_loss();
      for (const workload::Figure& figure : readback->figures().read()) {
        if (figure.key == "sync_warnings") warnings[simulated ? 1 : 0] = figure.total;
      }
    }
    EXPECT_TRUE(losses[0].has_value()) << method;
    EXPECT_EQ(losses[0], losses[1]) << method;
    EXPECT_EQ(warnings[0], warnings[1]) << method;
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

// Warm-up, capture and replays on a CUDA device: the same losses as eagerly on the simulated one, one call for all
// kernels, and nothing allocated from the capture on.
TEST_F(Workloads, AGraphLearnsWhatTheCallsLearn) {
  for (const char* name : {"iris-mlp", "control-flow"}) {
    std::optional<double> losses[2];
    for (const bool graphed : {false, true}) {
      KeepingSink own_sink;
      DeviceContext context;
      context.sink = &own_sink;
      const auto on = graphed ? nullptr : make_device("sim:teaching", context);
      Device& used = graphed ? static_cast<Device&>(make()) : *on;
      workload::Settings s = settings_of(name, used.info(), {"seed=11", "log_interval=50"});
      s.assign(graphed ? "cuda_graph=true" : "cuda_graph=false");
      if (s.spec("network")) s.assign("network=while-loop"), s.assign("branch=fixed");
      const auto workload = workload::make_workload(name, used);
      workload->set_up(s);
      for (std::uint64_t i = 0; i < 60; ++i) workload->iterate(i, s);
      const auto warm = gpu->counts;
      for (std::uint64_t i = 60; i < 102; ++i) workload->iterate(i, s);
      workload->finish();
      losses[graphed ? 1 : 0] = workload->last_loss();
      if (!graphed) continue;
      const auto more = [&](const char* call) { return gpu->count(call) - (warm.contains(call) ? warm.at(call) : 0); };
      EXPECT_EQ(more("graph_launch"), 42) << name;
      for (const char* call : {"launch", "malloc", "host_alloc", "event_create", "stream_create", "begin_capture"}) {
        EXPECT_EQ(more(call), 0) << name << " " << call;
      }
    }
    ASSERT_TRUE(losses[0].has_value()) << name;
    EXPECT_EQ(losses[0], losses[1]) << name;
  }
}

}  // namespace
}  // namespace lanescope::device::cuda
