#include "device/sim/memory.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::device::sim {

using base::tr;

Buffer Memory::allocate(MemoryKind kind, std::size_t bytes) {
  const Buffer buffer = buffers_.add(kind, bytes);
  buffers_.known(buffer).timing_only = false;
  return buffer;
}

void Memory::release(Buffer buffer) {
  buffers_.known(buffer).data.reset();
  buffers_.remove(buffer);
}

std::byte* Memory::data(Slot& slot) {
  if (!slot.data) {
    // calloc gives zeroed pages that cost nothing until they are touched.
    slot.data.reset(static_cast<std::byte*>(std::calloc(slot.bytes, 1)));
    if (!slot.data) {
      throw base::Error(fmt::format(fmt::runtime(tr("there is no host memory for a buffer of {} bytes")), slot.bytes));
    }
  }
  return slot.data.get();
}

std::byte* Memory::data(const Device::Slice& slice) { return data(buffers_.known(slice.buffer)) + slice.offset; }

std::span<std::byte> Memory::host_data(Buffer buffer) {
  if (buffers_.at(buffer, "host_data").kind == MemoryKind::Device) {
    throw base::Error(tr("host_data: the buffer is on the device; allowed: pageable, pinned"));
  }
  Slot& slot = buffers_.known(buffer);
  return {data(slot), slot.bytes};
}

void Memory::check_arguments(std::span<const Buffer> args, std::string_view call) const {
  if (args.size() > ops::kMaxArgs) {
    throw base::Error(fmt::format(fmt::runtime(tr("{}: {} arguments given; at most {} are allowed")), call, args.size(),
                                  ops::kMaxArgs));
  }
  for (const Buffer arg : args) {
    if (buffers_.at(arg, call).kind != MemoryKind::Device) {
      throw base::Error(fmt::format(fmt::runtime(tr("{}: an argument is host memory; allowed: device memory")), call));
    }
  }
}

void Memory::mark_timing_only(std::span<const Buffer> args) {
  for (const Buffer arg : args) buffers_.known(arg).timing_only = true;
}

bool Memory::have_values(std::span<const Buffer> args) const {
  for (const Buffer arg : args) {
    if (!has_values(arg)) return false;
  }
  return true;
}

std::uint32_t Memory::capture(const Device::Slice& from, std::size_t bytes) {
  std::uint32_t index;
  if (free_captures_.empty()) {
    index = static_cast<std::uint32_t>(captures_.size());
    captures_.emplace_back();
  } else {
    index = free_captures_.back();
    free_captures_.pop_back();
  }
  const std::byte* source = data(from);
  captures_[index].assign(source, source + bytes);
  return index;
}

void Memory::run(const Work& work) {
  switch (work.kind) {
    case Work::Kind::Compute: {
      std::array<std::span<float>, ops::kMaxArgs> args;
      for (std::size_t i = 0; i < work.arg_count; ++i) {
        Slot& slot = buffers_.known(work.args[i]);
        args[i] = {reinterpret_cast<float*>(data(slot)), slot.bytes / sizeof(float)};
      }
      ops::run_reference(work.op, std::span(args).first(work.arg_count));
      return;
    }
    case Work::Kind::Copy:
      std::memmove(data(work.to), data(work.from), work.bytes);
      return;
    case Work::Kind::CopyCaptured:
      std::memcpy(data(work.to), captures_[work.capture].data(), work.bytes);
      free_captures_.push_back(work.capture);
      return;
    case Work::Kind::Fill:
      std::memset(data(work.to), work.value, work.bytes);
      return;
  }
}

}  // namespace lanescope::device::sim
