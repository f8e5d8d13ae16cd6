// The simulated machine's memory: its buffers, and how operations change their bytes.
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
#include "device/op.h"

namespace lanescope::device::sim {

/// How an operation changes bytes, kept until it runs.
struct Work {
  enum class Kind : std::uint8_t { Compute, Copy, CopyCaptured, Fill };
  Kind kind = Kind::Compute;
  std::uint8_t value = 0;      ///< Fill
  std::uint8_t arg_count = 0;  ///< Compute
  ops::Op op;
  std::array<Buffer, ops::kMaxArgs> args{};
  Device::Slice to, from;
  std::size_t bytes = 0;
  std::uint32_t capture = 0;  ///< CopyCaptured: which captured bytes are the source
};

/// Allocates a buffer's bytes when they are first needed. A huge buffer that is only timed costs nothing, and copied
/// zeros are never allocated.
class Memory {
 public:
  /// OfItsOwn: the device has its own memory. Host: it works on host memory (a CPU), whatever a buffer's kind.
  enum class Space : std::uint8_t { OfItsOwn, Host };
  explicit Memory(Space space = Space::OfItsOwn) : space_(space) {}

  Buffer allocate(MemoryKind kind, std::size_t bytes);
  void release(Buffer buffer);

  /// Changes whenever a buffer is allocated or released. Never 0.
  std::uint64_t version() const { return version_; }

  // `call` is the prefix of the base::Error thrown for an invalid argument.
  MemoryKind kind_of(Buffer buffer, std::string_view call) const { return buffers_.at(buffer, call).kind; }
  std::size_t size_of(Buffer buffer, std::string_view call) const { return buffers_.at(buffer, call).bytes; }
  /// For reading or writing: a host buffer without values has values from now on and counts as touched.
  std::span<std::byte> host_data(Buffer buffer);
  /// Returns how many of the written bytes lie in fresh pages. A buffer is touched from its front: everything before
  /// the end of an earlier touch counts as touched. Always 0 outside pageable memory.
  std::size_t touch(const Device::Slice& slice, std::size_t bytes);
  /// Throws base::Error unless the slice lies within its buffer; returns the buffer's kind.
  MemoryKind check(const Device::Slice& slice, std::size_t bytes, std::string_view call) const {
    return buffers_.check(slice, bytes, call).kind;
  }
  void check_arguments(std::span<const Buffer> args, std::string_view call) const {
    if (args.size() > ops::kMaxArgs) refuse_count(args.size(), call);
    for (const Buffer arg : args) {
      if (buffers_.at(arg, call).kind != MemoryKind::Device && space_ == Space::OfItsOwn) refuse_host(call);
    }
  }

  /// A buffer used by a timing-only launch holds no values from then on: work that uses it moves nothing.
  void mark_timing_only(std::span<const Buffer> args) {
    for (const Buffer arg : args) buffers_.known(arg).timing_only = true;
  }
  bool has_values(Buffer buffer) const { return !buffers_.known(buffer).timing_only; }
  bool have_values(std::span<const Buffer> args) const;
  /// Called when a copy is issued: returns whether it has bytes to move. A device buffer that holds no values never
  /// regains any; a host buffer does, from a source that has values or when the host writes it.
  bool copies_values(Buffer to, Buffer from);

  /// Stores a copy of the bytes until the work that refers to the capture has run.
  std::uint32_t capture(const Device::Slice& from, std::size_t bytes);
  void run(const Work& work);
  /// The values of checked arguments, in order, stored in `views`.
  using Views = std::array<std::span<float>, ops::kMaxArgs>;
  std::span<const std::span<float>> views(std::span<const Buffer> args, Views& views);

 private:
  struct Free {
    std::size_t bytes;
    void operator()(std::byte* data) const;
  };
  struct Slot : BufferSlot {
    bool timing_only = false;
    std::size_t touched = 0;
    std::unique_ptr<std::byte[], Free> data;
  };
  [[noreturn]] static void refuse_count(std::size_t count, std::string_view call);
  [[noreturn]] static void refuse_host(std::string_view call);
  std::byte* data(Slot& slot);
  std::byte* data(const Device::Slice& slice);
  const std::byte* made(const Device::Slice& slice);
  /// `source` is null for zeros that were never allocated.
  void write(const Device::Slice& to, const std::byte* source, std::size_t bytes);

  const Space space_;
  BufferTable<Slot> buffers_;
  std::uint64_t version_ = 1;
  std::vector<std::vector<std::byte>> captures_;
  std::vector<std::uint32_t> free_captures_;
};

}  // namespace lanescope::device::sim
