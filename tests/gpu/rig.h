// The loadable library and a GPU, for tests that are skipped where there is none.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/cuda/backend.h"
#include "gpu/op_case.h"

namespace lanescope::gpu_test {

using device::cuda::Api;
using device::cuda::Backend;
using device::cuda::EventHandle;
using device::cuda::Status;
using device::cuda::StreamHandle;

struct Library {
  Backend* backend = nullptr;
  std::string problem;  ///< why no GPU can be used or recorded
  std::string file;
};
/// The library beside this program, else the one that the build made.
const Library& library();

/// A function that the library exports for tests; null if it does not.
void* exported(const char* name);

/// Device memory, or pinned host memory.
class Memory {
 public:
  enum class Kind { Device, Pinned };
  Memory(Api& api, std::size_t bytes, Kind kind = Kind::Device);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Memory& operator=(Memory&&) = delete;

  void* data() const { return data_; }
  float* floats() const { return static_cast<float*>(data_); }
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), bytes_}; }

 private:
  Api* api_;
  void* data_ = nullptr;
  std::size_t bytes_;
  Kind kind_;
};

class Gpu : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Api& api() { return *api_; }
  /// Makes a further one; it is not current.
  std::unique_ptr<Api> open_again() { return library().backend->open(0); }
  /// Expects success, and says which error it was otherwise.
  void ok(Status status, const char* what);
  StreamHandle new_stream(bool non_blocking = true);
  EventHandle new_event(bool timing = false);
  void spin(float us, StreamHandle stream) { ok(api().launch({ops::OpKind::Spin, 1, 1, 1, us}, {}, stream), "spin"); }
  /// The GPU is not to be used by this process any more.
  void lost_for_good() { lost_for_good_ = true; }
  /// Computes the case on the GPU; empty, or where it differs from the reference.
  std::string result_of(Api& api, const OpCase& c, StreamHandle stream = nullptr);

 private:
  std::unique_ptr<Api> api_;
  std::vector<StreamHandle> streams_;
  std::vector<EventHandle> events_;
  bool lost_for_good_ = false;
};

#define OK(call) ok(call, #call)

/// CLOCK_MONOTONIC
std::int64_t now_ns();

}  // namespace lanescope::gpu_test
