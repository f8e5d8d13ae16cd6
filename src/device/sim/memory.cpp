#include "device/sim/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/platform/system.h"
#include "base/translate.h"

namespace lanescope::device::sim {

using base::tr;

Buffer Memory::allocate(MemoryKind kind, std::size_t bytes) {
  ++version_;
  const Buffer buffer = buffers_.add(kind, bytes);
  Slot& slot = buffers_.known(buffer);
  slot.timing_only = false;
  slot.touched = 0;
  return buffer;
}

void Memory::release(Buffer buffer) {
  ++version_;
  buffers_.known(buffer).data.reset();
  buffers_.remove(buffer);
}

namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;

}  // namespace

void Memory::Free::operator()(std::byte* data) const {
  if (bytes < kLarge) {
    std::free(data);
  } else {
    base::return_pages(data, bytes);
  }
}

std::byte* Memory::data(Slot& slot) {
  if (!slot.data) {
    // Fresh pages of zeros, which use no physical memory until first touched. For a large buffer, calloc might reuse
    // pages and clear them all, even if nobody ever looks at them.
    auto* const made =
        slot.bytes < kLarge ? static_cast<std::byte*>(std::calloc(slot.bytes, 1)) : base::take_pages(slot.bytes);
    if (made == nullptr) {
      throw base::Error(tr("not enough host memory for a buffer of {} bytes", slot.bytes));
    }
    slot.data = std::unique_ptr<std::byte[], Free>(made, Free{slot.bytes});
  }
  return slot.data.get();
}

std::byte* Memory::data(const Device::Slice& slice) { return data(buffers_.known(slice.buffer)) + slice.offset; }

std::span<std::byte> Memory::host_data(Buffer buffer) {
  if (buffers_.at(buffer, "host_data").kind == MemoryKind::Device && space_ == Space::OfItsOwn) {
    throw base::Error(tr("host_data: the buffer is on the device; allowed: pageable, pinned"));
  }
  Slot& slot = buffers_.known(buffer);
  if (slot.kind != MemoryKind::Device) {
    slot.timing_only = false;
    slot.touched = slot.bytes;
  }
  return {data(slot), slot.bytes};
}

std::size_t Memory::touch(const Device::Slice& slice, std::size_t bytes) {
  Slot& slot = buffers_.known(slice.buffer);
  const std::size_t end = slice.offset + bytes;
  if (slot.kind != MemoryKind::Pageable || end <= slot.touched) return 0;
  return end - std::max(std::exchange(slot.touched, end), slice.offset);
}

void Memory::refuse_count(std::size_t count, std::string_view call) {
  throw base::Error(tr("{}: {} arguments given; at most {} are allowed", call, count, ops::kMaxArgs));
}

void Memory::refuse_host(std::string_view call) {
  throw base::Error(tr("{}: an argument is host memory; allowed: device memory", call));
}

bool Memory::have_values(std::span<const Buffer> args) const {
  for (const Buffer arg : args) {
    if (!has_values(arg)) return false;
  }
  return true;
}

bool Memory::copies_values(Buffer to, Buffer from) {
  Slot& target = buffers_.known(to);
  const Slot& source = buffers_.known(from);
  const bool to_device = target.kind == MemoryKind::Device;
  if (source.timing_only) {
    if (to_device || source.kind != MemoryKind::Device) target.timing_only = true;
    return false;
  }
  if (!to_device) target.timing_only = false;
  return !target.timing_only;
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
  captures_[index].clear();  // empty means zeros
  if (const std::byte* source = made(from)) captures_[index].assign(source, source + bytes);
  return index;
}

// Null for zeros that were never allocated. On a CPU device, which really copies, copying zeros takes its time, too.
const std::byte* Memory::made(const Device::Slice& slice) {
  const Slot& slot = buffers_.known(slice.buffer);
  if (space_ == Space::Host) return data(slice);
  return slot.data ? slot.data.get() + slice.offset : nullptr;
}

void Memory::write(const Device::Slice& to, const std::byte* source, std::size_t bytes) {
  if (source != nullptr) {
    std::memmove(data(to), source, bytes);
  } else if (buffers_.known(to.buffer).data) {
    std::memset(data(to), 0, bytes);
  }
}

std::span<const std::span<float>> Memory::views(std::span<const Buffer> args, Views& views) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    Slot& slot = buffers_.known(args[i]);
    views[i] = {reinterpret_cast<float*>(data(slot)), slot.bytes / sizeof(float)};
  }
  return std::span(views).first(args.size());
}

void Memory::run(const Work& work) {
  switch (work.kind) {
    case Work::Kind::Compute: {
      Views values;
      ops::run_reference(work.op, views(std::span(work.args).first(work.arg_count), values));
      return;
    }
    case Work::Kind::Copy:
      return write(work.to, made(work.from), work.bytes);
    case Work::Kind::CopyCaptured: {
      const std::vector<std::byte>& captured = captures_[work.capture];
      free_captures_.push_back(work.capture);
      return write(work.to, captured.empty() ? nullptr : captured.data(), work.bytes);
    }
    case Work::Kind::Fill:
      std::memset(data(work.to), work.value, work.bytes);
      return;
  }
}

}  // namespace lanescope::device::sim
