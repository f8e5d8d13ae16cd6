// The simulated machine's memory: buffers, and what operations do to their bytes when they run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "device/buffer_table.h"
#include "ops/op.h"

namespace lanescope::device::sim {

/// What an operation does to bytes, kept until it runs.
struct Work {
  enum class Kind : std::uint8_t { Compute, Copy, CopyCaptured, Fill };
  Kind kind = Kind::Compute;
  std::uint8_t value = 0;      ///< Fill
  std::uint8_t arg_count = 0;  ///< Compute
  ops::Op op;
  std::array<Buffer, ops::kMaxArgs> args{};
  Device::Slice to, from;
  std::size_t bytes = 0;
  std::uint32_t capture = 0;  ///< CopyCaptured: where the source's bytes are kept
};

/// Device buffers have a shadow in host memory, made when bytes are first needed, so that a huge buffer of which only
/// the time is modelled costs nothing.
class Memory {
 public:
  Buffer allocate(MemoryKind kind, std::size_t bytes);
  void release(Buffer buffer);

  // `call` begins the message of the base::Error that a wrong argument gets.
  MemoryKind kind_of(Buffer buffer, std::string_view call) const { return buffers_.at(buffer, call).kind; }
  std::size_t size_of(Buffer buffer, std::string_view call) const { return buffers_.at(buffer, call).bytes; }
  std::span<std::byte> host_data(Buffer buffer);
  /// Checks that the slice lies in its buffer, and returns the buffer's kind.
  MemoryKind check(const Device::Slice& slice, std::size_t bytes, std::string_view call) const {
    return buffers_.check(slice, bytes, call).kind;
  }
  void check_arguments(std::span<const Buffer> args, std::string_view call) const;

  /// A buffer that a timing-only launch has used holds no values from then on: work that names it moves nothing.
  void mark_timing_only(std::span<const Buffer> args);
  bool has_values(Buffer buffer) const { return !buffers_.known(buffer).timing_only; }
  bool have_values(std::span<const Buffer> args) const;

  /// Keeps a copy of the bytes until the work that names the capture has run.
  std::uint32_t capture(const Device::Slice& from, std::size_t bytes);
  void run(const Work& work);

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  struct Slot : BufferSlot {
    bool timing_only = false;
    std::unique_ptr<std::byte[], Free> data;
  };
  std::byte* data(Slot& slot);
  std::byte* data(const Device::Slice& slice);

  BufferTable<Slot> buffers_;
  std::vector<std::vector<std::byte>> captures_;
  std::vector<std::uint32_t> free_captures_;
};

}  // namespace lanescope::device::sim
