// What the CPU of this machine and a simulated one share as devices.
//
// Ops are computed by the calling thread, within the call, and stand as ranges, named as their kernels, on the lane
// "CPU ops" of the program's thread. All memory is the host's, whatever the kind that was asked for, and host_data()
// gives any of it. Copies move the bytes within the call. There is no CUDA, and so no call is recorded; streams, events
// and synchronisations are taken and cost nothing, since everything issued has ended. An event happens when it is
// recorded.
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

  /// Computes the op, or lets its time pass.
  virtual void execute(const ops::Op& op, std::span<const Buffer> args, bool compute) = 0;
  /// The calling thread has written this much to host memory.
  virtual void wrote(Slice to, std::size_t bytes) = 0;
  /// Throws base::Error while a further thread of the program copies to or from the buffer.
  virtual void check_release(Buffer buffer) const = 0;
  /// Time has passed: says now and then how far the record is complete.
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
  std::vector<trace::NameId> names_;  // by OpKind; 0: not asked for yet
  std::uint32_t streams_ = 1;
  std::vector<std::optional<Nanoseconds>> events_;  // when each was recorded
};

}  // namespace lanescope::device::cpu
