#include "capture/ring_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/plain_text.h"
#include "base/translate.h"

namespace lanescope::capture {
namespace {

using base::tr;

constexpr std::size_t kMostSlots = 1 << 24;
constexpr std::size_t kMostMessageSlots = 32;
constexpr std::uint32_t kMostRanks = 10'000'000;

template <std::size_t N>
std::string text_of(const char (&text)[N]) {
  return clean_text({text, ::strnlen(text, N)}, N);
}

}  // namespace

std::string clean_text(std::string_view raw, std::size_t most) { return base::without_controls(raw.substr(0, most)); }

std::optional<RingReader> RingReader::open(void* memory, std::size_t bytes, std::string& problem) {
  if (bytes < wire::bytes_for(1)) {
    problem = tr("the shared memory has {} bytes, too few", bytes);
    return std::nullopt;
  }
  auto* shared = static_cast<wire::Memory*>(memory);
  if (shared->magic != wire::kMagic) {
    problem = tr("the shared memory is not that of the injected library");
    return std::nullopt;
  }
  if (shared->version != wire::kVersion) {
    problem = tr("the injected library is of version {}, this program of version {}", shared->version, wire::kVersion);
    return std::nullopt;
  }
  const std::uint32_t slots = shared->slot_count;
  if (slots == 0 || slots > kMostSlots || (slots & (slots - 1)) != 0 || wire::bytes_for(slots) > bytes) {
    problem = tr("the shared memory names {} slots, which cannot be", slots);
    return std::nullopt;
  }
  return RingReader(shared, slots);
}

RingReader::RingReader(wire::Memory* memory, std::uint32_t slots) : memory_(memory), job_(memory->job), slots_(slots) {
  if (job_.rank > kMostRanks || job_.ranks > kMostRanks || (job_.ranks != 0 && job_.rank > job_.ranks)) job_ = {};
}

void RingReader::free_slots(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i, ++position_) {
    slot(position_).turn.store(position_ + slots_, std::memory_order_release);
  }
}

bool RingReader::next() {
  for (;;) {
    wire::Slot& first = slot(position_);
    const std::uint64_t turn = first.turn.load(std::memory_order_acquire);
    if (turn != position_ + 1) {
      const std::uint64_t head = memory_->head.load(std::memory_order_acquire);
      // A writer that ended in the middle of a message leaves its slots claimed for ever.
      if (!ended_ || head <= position_ || head - position_ > slots_) return false;
      ++unfinished_;
      free_slots(1);
      continue;
    }
    const wire::MessageKind kind = first.first.kind;
    const std::size_t count = first.first.slots;
    if (count == 0 || count > kMostMessageSlots || count > slots_) {
      ++malformed_;
      free_slots(1);
      continue;
    }
    bool whole = true;
    for (std::size_t i = 1; i < count && whole; ++i) {
      whole = slot(position_ + i).turn.load(std::memory_order_acquire) == position_ + i + 1;
    }
    if (!whole) {
      if (!ended_) return false;
      ++unfinished_;
      free_slots(1);
      continue;
    }
    message_.kind = kind;
    message_.id = first.first.id;
    message_.mark = first.first.mark;
    content_.resize(sizeof(first.first.content) + (count - 1) * sizeof(first.more));
    std::memcpy(content_.data(), first.first.content, sizeof(first.first.content));
    for (std::size_t i = 1; i < count; ++i) {
      std::memcpy(content_.data() + sizeof(first.first.content) + (i - 1) * sizeof(first.more),
                  slot(position_ + i).more, sizeof(first.more));
    }
    message_.content = content_;
    free_slots(count);
    return true;
  }
}

std::vector<OpenCallEntry> RingReader::open_calls() const {
  std::vector<OpenCallEntry> calls;
  for (const wire::OpenCall& entry : memory_->open) {
    const std::uint32_t before = entry.turn.load(std::memory_order_acquire);
    if (before & 1) continue;
    const OpenCallEntry call{entry.thread.load(std::memory_order_relaxed), entry.name.load(std::memory_order_relaxed),
                             entry.stack.load(std::memory_order_relaxed),
                             entry.start_ns.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (call.thread == 0 || entry.turn.load(std::memory_order_relaxed) != before) continue;
    calls.push_back(call);
  }
  std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return calls;
}

std::string RingReader::state_text() const { return text_of(memory_->status.state_text); }
std::string RingReader::python_text() const { return text_of(memory_->status.python_text); }
std::string RingReader::cupti_path() const { return text_of(memory_->status.cupti_path); }

double RingReader::fill() const {
  const std::uint64_t head = memory_->head.load(std::memory_order_relaxed);
  return head <= position_ ? 0 : std::min(1.0, static_cast<double>(head - position_) / static_cast<double>(slots_));
}

}  // namespace lanescope::capture
