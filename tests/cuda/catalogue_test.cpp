// The catalogue on machines with GPUs. (Without one: tests/sim/catalogue_test.cpp.)
#include "cuda/rig.h"
#include "device/cuda/find_backend.h"

namespace lanescope::device {
namespace {

using cuda::error_of;
using testing::ElementsAre;
using testing::StartsWith;

class CatalogueOfGpus : public testing::Test {
 protected:
  FoundGpus found() { return found_gpus({&backend, problem}); }
  std::vector<std::string> ids() {
    std::vector<std::string> all;
    for (const CatalogueEntry& entry : catalogue_from(found())) {
      if (entry.kind == DeviceKind::Gpu) all.push_back(entry.id);
    }
    return all;
  }
  std::string chosen(std::string_view id) { return describe_device_from(found(), id).id; }

  cuda::FakeBackend backend;
  std::string problem;
};

TEST_F(CatalogueOfGpus, ListsGpusFirst) {
  backend.infos = {cuda::fake_gpu_info(0), cuda::fake_gpu_info(1)};
  EXPECT_THAT(ids(), ElementsAre("cuda:0", "cuda:1", "sim:rtx4090", "sim:h200", "sim:rtx4070-laptop-wsl2",
                                 "sim:rtx5090", "sim:teaching"));
  const std::vector<CatalogueEntry> entries = catalogue_from(found());
  EXPECT_EQ(entries[0].name, "Fake GPU 0");
  EXPECT_EQ(entries[0].summary,
            "A GPU in this machine: 132 multiprocessors, 80 GB, compute capability 9.0, driver for CUDA 13.0.");
  EXPECT_EQ(entries[7].id, "cpu");  // CPUs come last
  EXPECT_FALSE(entries[1].simulated);
  EXPECT_TRUE(entries[2].simulated);
}

TEST_F(CatalogueOfGpus, ChoosesByName) {
  backend.infos = {cuda::fake_gpu_info(0), cuda::fake_gpu_info(1)};
  EXPECT_EQ(chosen("auto"), "cuda:0");
  EXPECT_EQ(chosen("cuda"), "cuda:0");
  EXPECT_EQ(chosen("cuda:1"), "cuda:1");
  EXPECT_EQ(chosen("sim"), "sim:rtx4090");
  EXPECT_EQ(chosen("sim:teaching"), "sim:teaching");
  const DeviceInfo info = describe_device_from(found(), "cuda:1");
  EXPECT_EQ(info.name, "Fake GPU 1");
  EXPECT_FALSE(info.simulated);
}

TEST_F(CatalogueOfGpus, AnUnknownNameListsTheGpusToo) {
  backend.infos = {cuda::fake_gpu_info(0), cuda::fake_gpu_info(1)};
  for (const char* id : {"cuda:2", "cuda:", "cuda:x", "cuda:-1", "cuda:01", "cuda9", "cuda:99999999999", "CUDA:0"}) {
    EXPECT_EQ(error_of<base::UsageError>([&] { chosen(id); }),
              "device '" + std::string(id) +
                  "' is unknown; allowed: auto, cuda, cuda:0, cuda:1, sim, sim:h200, sim:rtx4070-laptop-wsl2, "
                  "sim:rtx4090, sim:rtx5090, "
                  "sim:teaching, sim:FILE.toml, cpu, cpu:h200, cpu:rtx4070-laptop-wsl2, cpu:rtx4090, cpu:rtx5090, "
                  "cpu:teaching, "
                  "cpu:FILE.toml");
  }
}

TEST_F(CatalogueOfGpus, AutoTakesNoGpuThatCannotBeRecordedButItsNameDoes) {
  problem = "no CUPTI was found";
  EXPECT_EQ(chosen("auto"), "sim:rtx4090");
  EXPECT_EQ(chosen("cuda"), "cuda:0");
  EXPECT_THAT(ids(), ElementsAre("sim:rtx4090", "sim:h200", "sim:rtx4070-laptop-wsl2", "sim:rtx5090", "sim:teaching",
                                 "cuda:0"));
}

TEST_F(CatalogueOfGpus, AnOldGpuIsPassedOver) {
  backend.infos = {cuda::fake_gpu_info(0, 6, 1), cuda::fake_gpu_info(1, 7, 5)};
  EXPECT_EQ(chosen("auto"), "cuda:1");
  EXPECT_THAT(ids(), ElementsAre("cuda:1", "sim:rtx4090", "sim:h200", "sim:rtx4070-laptop-wsl2", "sim:rtx5090",
                                 "sim:teaching"));
  EXPECT_EQ(error_of([&] { chosen("cuda:0"); }),
            "cuda:0 cannot be used: Fake GPU 0 has compute capability 6.1; 7.5 or newer is needed");
}

TEST_F(CatalogueOfGpus, WithoutABackEndTheReasonIsSaid) {
  const FoundGpus none = found_gpus({nullptr, "no NVIDIA driver here"});
  for (const char* id : {"cuda", "cuda:0"}) {
    EXPECT_EQ(error_of([&] { describe_device_from(none, id); }), "cuda:0 cannot be used: no NVIDIA driver here");
    EXPECT_EQ(error_of([&] { make_device_from(none, id, {}); }), "cuda:0 cannot be used: no NVIDIA driver here");
  }
  EXPECT_EQ(describe_device_from(none, "auto").id, "sim:rtx4090");
}

TEST_F(CatalogueOfGpus, MakesTheDevice) {
  cuda::KeepingSink sink;
  DeviceContext context;
  context.sink = &sink;
  for (const char* id : {"auto", "cuda", "cuda:0"}) {
    const auto device = make_device_from(found(), id, context);
    EXPECT_EQ(device->info().id, "cuda:0");
    device->synchronize();
  }
  EXPECT_EQ(backend.gpu(0)->count("device_synchronize"), 6);  // each once, and once in its destructor
  EXPECT_THAT(error_of([&] { make_device_from(found(), "cuda", {}); }), StartsWith("a GPU needs a sink"));
}

TEST(GpuId, OfEveryForm) {
  EXPECT_EQ(cuda::parse_gpu_id("cuda"), 0);
  EXPECT_EQ(cuda::parse_gpu_id("cuda:0"), 0);
  EXPECT_EQ(cuda::parse_gpu_id("cuda:12"), 12);
  for (const char* id : {"", "cud", "cuda:", "cuda: 1", "cuda:1 ", "cuda:+1", "cuda:1.0", "cuda-1", "sim", "xuda:1"}) {
    EXPECT_EQ(cuda::parse_gpu_id(id), std::nullopt) << id;
  }
  EXPECT_EQ(cuda::gpu_id(3), "cuda:3");
  EXPECT_EQ(cuda::version_text(12020), "12.2");
  EXPECT_EQ(cuda::version_text(13010), "13.1");
}

}  // namespace
}  // namespace lanescope::device
