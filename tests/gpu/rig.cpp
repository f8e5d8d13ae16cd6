#include "gpu/rig.h"

#include <dlfcn.h>
#include <time.h>

#include <cstdint>
#include <filesystem>
#include <utility>

#include "device/cuda/find_backend.h"

namespace lanescope::gpu_test {
namespace {

Library open_library() {
  std::error_code error;
  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  // A copy of the build's folder, here or elsewhere; else the build itself.
  std::filesystem::path folder = LANESCOPE_BACKEND_DIR;
  for (const std::filesystem::path& place : {beside, beside.parent_path().parent_path()}) {
    if (std::filesystem::exists(place / device::cuda::kBackendFile, error)) {
      folder = place;
      break;
    }
  }
  const auto result = device::cuda::look_for_backend(folder.string());
  return {result.backend, result.problem, (folder / device::cuda::kBackendFile).string()};
}

}  // namespace

const Library& library() {
  static const Library opened = open_library();
  return opened;
}

void* exported(const char* name) {
  void* loaded = dlopen(library().file.c_str(), RTLD_NOW | RTLD_NOLOAD);
  return loaded ? dlsym(loaded, name) : nullptr;
}

Memory::Memory(Api& api, std::size_t bytes, Kind kind) : api_(&api), bytes_(bytes), kind_(kind) {
  const Status status = kind == Kind::Device ? api.malloc(&data_, bytes) : api.host_alloc(&data_, bytes);
  if (status != device::cuda::kSuccess) data_ = nullptr;
  EXPECT_EQ(status, device::cuda::kSuccess) << bytes << " bytes: " << api.error_text(status);
}

Memory::~Memory() {
  if (!data_) return;
  if (kind_ == Kind::Device) {
    api_->free(data_);
  } else {
    api_->free_host(data_);
  }
}

Memory::Memory(Memory&& other) noexcept
    : api_(other.api_), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), kind_(other.kind_) {}

void Gpu::SetUp() {
  ASSERT_EQ(library().problem.find("cannot be opened"), std::string::npos) << library().problem;
  if (!library().backend) GTEST_SKIP() << library().problem;
  if (library().backend->gpus().empty()) GTEST_SKIP() << "no GPU: " << library().problem;
  api_ = library().backend->open(0);
  ASSERT_NE(api_, nullptr);
  OK(api().use());
}

void Gpu::TearDown() {
  if (!api_ || lost_for_good_) return;
  for (StreamHandle stream : streams_) api().stream_destroy(stream);
  for (EventHandle event : events_) api().event_destroy(event);
  OK(api().device_synchronize());  // else the tests after this one are blamed
}

void Gpu::ok(Status status, const char* what) {
  EXPECT_EQ(status, device::cuda::kSuccess)
      << what << ": " << api().error_name(status) << ", " << api().error_text(status);
}

StreamHandle Gpu::new_stream(bool non_blocking) {
  StreamHandle stream = nullptr;
  OK(api().stream_create(&stream, non_blocking));
  if (stream) streams_.push_back(stream);
  return stream;
}

EventHandle Gpu::new_event(bool timing) {
  EventHandle event = nullptr;
  OK(api().event_create(&event, timing));
  if (event) events_.push_back(event);
  return event;
}

std::string Gpu::result_of(Api& on, const OpCase& c, StreamHandle stream) {
  std::vector<Memory> memory;
  std::vector<Api::Arg> args;
  for (const Values& values : c.before) {
    memory.emplace_back(on, values.size() * sizeof(float));
    OK(on.memcpy(memory.back().data(), values.data(), values.size() * sizeof(float)));
    args.push_back({memory.back().floats(), values.size()});
  }
  OK(on.launch(c.op, args, stream));
  OK(on.stream_synchronize(stream));
  std::vector<Values> after;
  for (std::size_t i = 0; i < c.before.size(); ++i) {
    after.emplace_back(c.before[i].size());
    OK(on.memcpy(after.back().data(), memory[i].data(), after.back().size() * sizeof(float)));
  }
  return disagreement(c, after);
}

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace lanescope::gpu_test
