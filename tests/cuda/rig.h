// Common code of the CUDA device's tests: a sink that keeps what is written, and a device with a fake GPU.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/name_table.h"
#include "cuda/fake_api.h"
#include "device/cuda/cuda_device.h"

namespace lanescope::device::cuda {

class KeepingSink final : public trace::EventSink {
 public:
  trace::LaneId lane(const trace::LaneInfo& info) override {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i] == info) return static_cast<trace::LaneId>(i);
    }
    lanes.push_back(info);
    return static_cast<trace::LaneId>(lanes.size() - 1);
  }
  trace::NameId name(std::string_view text) override { return names.intern(text); }
  std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<Writer>(*this); }

  std::vector<std::string> written() const {
    std::vector<std::string> texts;
    for (const trace::Event& event : events) texts.emplace_back(names.text(event.name));
    return texts;
  }

  base::NameTable names;
  std::vector<trace::LaneInfo> lanes;
  std::vector<trace::Event> events;
  Nanoseconds complete_until = -1;
  int times_complete = 0;

 private:
  struct Writer final : trace::EventWriter {
    explicit Writer(KeepingSink& s) : sink(s) {}
    void write(const trace::Event& event) noexcept override {
      // A range still open may have begun long before.
      EXPECT_GE(event.kind == trace::EventKind::Range ? event.end_ns : event.start_ns, told)
          << "written after it was said that nothing earlier comes";
      sink.events.push_back(event);
    }
    void complete_until(Nanoseconds t) noexcept override {
      EXPECT_GE(t, told);
      told = sink.complete_until = t;
      ++sink.times_complete;
    }
    KeepingSink& sink;
    Nanoseconds told = -1;
  };
};

class CudaRig : public testing::Test {
 protected:
  CudaRig() { recording->health.state = trace::CaptureState::Running; }

  CudaDevice& make() {
    DeviceContext context;
    context.sink = &sink;
    context.seed = 7;
    device = std::make_unique<CudaDevice>(std::make_unique<FakeApi>(gpu), std::make_unique<FakeCapture>(recording),
                                          fake_gpu_info(0), context, monotonic_ns());
    gpu->log.clear();
    return *device;
  }
  static std::span<float> floats(CudaDevice& on, Buffer buffer) {
    const std::span<std::byte> bytes = on.host_data(buffer);
    return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
  }

  std::shared_ptr<FakeGpu> gpu = std::make_shared<FakeGpu>();
  std::shared_ptr<FakeRecording> recording = std::make_shared<FakeRecording>();
  KeepingSink sink;
  std::unique_ptr<CudaDevice> device;
};

/// What the call throws, or "no error".
template <typename Exception = base::Error>
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace lanescope::device::cuda
