// What this machine's CPU and a simulated CPU have in common as devices.
//
// The calling thread computes ops within the call. They appear as ranges, named after their kernels, on the "CPU ops"
// lane of the program's thread. All memory is host memory, whatever kind was requested, and host_data() works on all of
// it. Copies move their bytes within the call. There is no CUDA, so no calls are recorded. Streams, events and
// synchronisations are accepted and cost nothing, because everything issued has already ended. An event completes when
// it is recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "device/catalogue.h"
#include "device/sim/memory.h"

namespace lanescope::device::cpu {

class CpuBase : public Device {
 public:
  ~CpuBase() override;
  CpuBase(const CpuBase&) = delete;
  CpuBase& operator=(const CpuBase&) = delete;

  const DeviceInfo& info() const final { return info_; }
  trace::EventSink& sink() final { return *context_.sink; }
  trace::EventWriter& writer() final { return *writer_; }

  Buffer allocate(MemoryKind kind, std::size_t bytes) final;
  void release(Buffer buffer) final;
  std::span<std::byte> host_data(Buffer buffer) final { return memory_.host_data(buffer); }

  Stream create_stream(bool non_blocking) final;
  GpuEvent create_event() final;
  GpuEvent create_timing_event() final { return create_event(); }
  void record(GpuEvent event, Stream stream) final;
  void wait(Stream stream, GpuEvent event) final;
  bool query(GpuEvent event) final;
  std::optional<Nanoseconds> elapsed(GpuEvent start, GpuEvent end) final;
  void synchronize(GpuEvent event) final;
  void synchronize(Stream stream) final;
  void synchronize() final {}

  void copy_async(Slice to, Slice from, std::size_t bytes, Stream stream) final;
  void copy(Slice to, Slice from, std::size_t bytes) final;
  void hand_over(Slice to, Slice from, std::size_t bytes) final;
  void fill_async(Slice to, std::uint8_t value, std::size_t bytes, Stream stream) final;
  void launch(const ops::Op& op, std::span<const Buffer> args, Stream stream, bool compute) final;

 protected:
  CpuBase(DeviceInfo info, DeviceContext context);

  /// Computes the op, or simulates its time.
  virtual void execute(const ops::Op& op, std::span<const Buffer> args, bool compute) = 0;
  /// Called after the calling thread has written this many bytes of host memory.
  virtual void wrote(Slice to, std::size_t bytes) = 0;
  /// Throws base::Error while another thread of the program copies to or from the buffer.
  virtual void check_release(Buffer buffer) const = 0;
  /// Called when time has passed: reports from time to time how far the record is complete.
  virtual void progress() = 0;

  const DeviceContext& context() const { return context_; }
  sim::Memory& memory() { return memory_; }

 private:
  void check(Stream stream, std::string_view call) const;
  void check(GpuEvent event, std::string_view call) const;
  trace::NameId name_of(ops::OpKind kind);

  DeviceContext context_;
  DeviceInfo info_;
  std::unique_ptr<trace::EventWriter> writer_;
  sim::Memory memory_{sim::Memory::Space::Host};
  trace::LaneId lane_;
  std::vector<trace::NameId> names_;  // by OpKind; 0: not interned yet
  std::uint32_t streams_ = 1;
  std::vector<std::optional<Nanoseconds>> events_;  // when each was recorded
};

}  // namespace lanescope::device::cpu
