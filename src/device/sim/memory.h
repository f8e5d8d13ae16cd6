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

/// Buffers are made of real bytes when bytes are first needed, so that a huge buffer of which only the time is modelled
/// costs nothing, and zeros that are copied stay unmade.
class Memory {
 public:
  /// Whether a device has memory of its own, or (a CPU) works on the host's, whatever the kind of a buffer.
  enum class Space : std::uint8_t { OfItsOwn, Host };
  explicit Memory(Space space = Space::OfItsOwn) : space_(space) {}

  Buffer allocate(MemoryKind kind, std::size_t bytes);
  void release(Buffer buffer);

  // `call` begins the message of the base::Error that a wrong argument gets.
  MemoryKind kind_of(Buffer buffer, std::string_view call) const { return buffers_.at(buffer, call).kind; }
  std::size_t size_of(Buffer buffer, std::string_view call) const { return buffers_.at(buffer, call).bytes; }
  /// The caller reads or writes the bytes: a host buffer without values has some from now on, and is touched.
  std::span<std::byte> host_data(Buffer buffer);
  /// The bytes are written for the first time: how many of them lie in fresh pages. A buffer is touched from its front:
  /// what lies before the end of any earlier touch counts as touched. 0 but in pageable memory.
  std::size_t touch(const Device::Slice& slice, std::size_t bytes);
  /// Checks that the slice lies in its buffer, and returns the buffer's kind.
  MemoryKind check(const Device::Slice& slice, std::size_t bytes, std::string_view call) const {
    return buffers_.check(slice, bytes, call).kind;
  }
  void check_arguments(std::span<const Buffer> args, std::string_view call) const;

  /// A buffer that a timing-only launch has used holds no values from then on: work that names it moves nothing.
  void mark_timing_only(std::span<const Buffer> args);
  bool has_values(Buffer buffer) const { return !buffers_.known(buffer).timing_only; }
  bool have_values(std::span<const Buffer> args) const;
  /// A copy is issued: whether it has bytes to move. A device buffer gets no values but from a source that has some,
  /// and once it has none it stays so; a host buffer has values again when some come from the device or the host.
  bool copies_values(Buffer to, Buffer from);

  /// Keeps a copy of the bytes until the work that names the capture has run.
  std::uint32_t capture(const Device::Slice& from, std::size_t bytes);
  void run(const Work& work);
  /// The values of checked arguments, one after the other in `views`.
  using Views = std::array<std::span<float>, ops::kMaxArgs>;
  std::span<const std::span<float>> views(std::span<const Buffer> args, Views& views);

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  struct Slot : BufferSlot {
    bool timing_only = false;
    std::size_t touched = 0;
    std::unique_ptr<std::byte[], Free> data;
  };
  std::byte* data(Slot& slot);
  std::byte* data(const Device::Slice& slice);
  const std::byte* made(const Device::Slice& slice);
  /// `source` is null for zeros that were never made.
  void write(const Device::Slice& to, const std::byte* source, std::size_t bytes);

  const Space space_;
  BufferTable<Slot> buffers_;
  std::vector<std::vector<std::byte>> captures_;
  std::vector<std::uint32_t> free_captures_;
};

}  // namespace lanescope::device::sim
