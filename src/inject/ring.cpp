#include "inject/ring.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>

#include "inject/short_text.h"

namespace lanescope::inject {
namespace {

constexpr std::size_t kFirst = sizeof(wire::Slot::first.content), kMore = sizeof(wire::Slot::more);
constexpr unsigned kProbes = 64;
/// To claim slots. Each one that fails is another thread's success, or a viewer that writes where it must not.
constexpr unsigned kMostTries = 10'000;

IdTable text_table;

// Reads content and tail as one.
struct Parts {
  const char* content;
  std::size_t bytes;
  const char* tail;
  std::size_t tail_bytes;
  void take(unsigned char* out, std::size_t n) {
    const std::size_t a = n < bytes ? n : bytes;
    std::memcpy(out, content, a);
    content += a;
    bytes -= a;
    std::size_t b = n - a;
    if (b > tail_bytes) b = tail_bytes;
    if (b > 0) std::memcpy(out + a, tail, b);
    tail += b;
    tail_bytes -= b;
    if (a + b < n) std::memset(out + a + b, 0, n - a - b);
  }
};

bool put(wire::MessageKind kind, std::uint32_t id, std::uint16_t mark, Parts parts) {
  if (!ring.live.load(kRelaxed)) return false;
  wire::Memory& memory = *ring.memory;
  const std::size_t bytes = parts.bytes + parts.tail_bytes;
  const std::size_t n = bytes <= kFirst ? 1 : 1 + (bytes - kFirst + kMore - 1) / kMore;
  std::uint64_t at = memory.head.load(kRelaxed);
  for (unsigned tries = 0;; ++tries) {
    bool free = true;
    for (std::size_t i = n; i-- > 0 && free;) {  // the last one first: it is the last to become free
      free = memory.slots[(at + i) & ring.mask].turn.load(std::memory_order_acquire) == at + i;
    }
    if (free && tries < kMostTries) {
      if (memory.head.compare_exchange_weak(at, at + n, std::memory_order_acq_rel, kRelaxed)) break;
      continue;
    }
    const std::uint64_t head = memory.head.load(kRelaxed);
    if (head == at || tries >= kMostTries) {
      count(memory.status.dropped);
      return false;
    }
    at = head;
  }
  wire::Slot& first = memory.slots[at & ring.mask];
  first.first.kind = kind;
  first.first.slots = static_cast<std::uint8_t>(n);
  first.first.mark = mark;
  first.first.id = id;
  parts.take(first.first.content, kFirst);
  for (std::size_t i = 1; i < n; ++i) {
    wire::Slot& slot = memory.slots[(at + i) & ring.mask];
    parts.take(slot.more, kMore);
    slot.turn.store(at + i + 1, std::memory_order_release);
  }
  first.turn.store(at + 1, std::memory_order_release);  // last: with it the whole message is there
  return true;
}

}  // namespace

Ring ring;
IdTable frame_table, stack_table, shape_table;

int Ring::create(std::uint64_t slots) {
  const int file = static_cast<int>(syscall(SYS_memfd_create, "lanescope", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file < 0) return -1;
  bytes = wire::bytes_for(slots);
  // Sealed: a file that the viewer could cut would kill the program with SIGBUS.
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0 ||
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(file);
    return -1;
  }
  // In the place of the last viewer's, if there was one: a callback that was late writes into memory that is there.
  void* at = mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE | (memory ? MAP_FIXED : 0), file, 0);
  if (at == MAP_FAILED) {
    close(file);
    return -1;
  }
  memory = static_cast<wire::Memory*>(at);
  memory->magic = wire::kMagic;
  memory->version = wire::kVersion;
  memory->pid = static_cast<std::uint32_t>(getpid());
  memory->slot_count = static_cast<std::uint32_t>(slots);
  memory->bytes = static_cast<std::uint32_t>(bytes);
  for (std::uint64_t i = 0; i < slots; ++i) memory->slots[i].turn.store(i, kRelaxed);
  mask = slots - 1;
  return file;
}

void Ring::begin_anew() {
  for (std::uint64_t i = 0; i <= mask; ++i) memory->slots[i].turn.store(i, kRelaxed);
  memory->head.store(0, kRelaxed);
  for (wire::OpenCall& open : memory->open) open.thread.store(0, kRelaxed);
  wire::Status& counts = status();
  for (auto* count : {&counts.dropped, &counts.cupti_dropped, &counts.no_buffer, &counts.threads_lost,
                      &counts.texts_lost, &counts.walks, &counts.walks_failed, &counts.untimed, &counts.clock_steps,
                      &counts.switches, &counts.switch_ns, &counts.calls_seen}) {
    count->store(0, kRelaxed);
  }
  counts.first_call_ns.store(0, kRelaxed);
}

bool Ring::send(wire::MessageKind kind, std::uint32_t id, const void* content, std::size_t content_bytes,
                const void* tail, std::size_t tail_bytes) {
  return put(kind, id, 0,
             {static_cast<const char*>(content), content_bytes, static_cast<const char*>(tail), tail_bytes});
}

bool Ring::send_marked(wire::MessageKind kind, std::uint16_t mark, const void* content, std::size_t content_bytes) {
  return put(kind, 0, mark, {static_cast<const char*>(content), content_bytes, nullptr, 0});
}

void set_state(wire::State state, const char* line) {
  wire::Status& status = ring.status();
  Line<sizeof(status.state_text)> text;
  text.add(line);
  std::memcpy(status.state_text, text.c_str(), text.size() + 1);
  status.state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
}

bool IdTable::create(unsigned bits) {
  void* at = mmap(nullptr, sizeof(Cell) << bits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  cells_ = static_cast<Cell*>(at);
  bits_ = bits;
  return true;
}

void IdTable::forget_all() {
  madvise(cells_, bytes(), MADV_DONTNEED);  // they are zeros then
  last_id_.store(0, kRelaxed);
}

IdTable::Cell* IdTable::find(std::uint64_t key) {
  if (key == 0) key = 1;
  const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
  for (unsigned i = 0; i < kProbes; ++i) {
    Cell& cell = cells_[(key + i) & mask];
    std::uint64_t found = cell.key.load(std::memory_order_acquire);
    if (found == 0 && cell.key.compare_exchange_strong(found, key, std::memory_order_acq_rel)) found = key;
    if (found != key) continue;
    if (cell.id.load(std::memory_order_acquire) == 0) {
      // Whoever comes second wastes an id.
      std::uint32_t none = 0;
      cell.id.compare_exchange_strong(none, last_id_.fetch_add(1, kRelaxed) + 1, std::memory_order_acq_rel);
    }
    return &cell;
  }
  count(ring.status().texts_lost);
  return nullptr;
}

std::uint32_t text_id(const char* text, std::size_t bytes) { return text_id(text, bytes, hash(text, bytes)); }

std::uint32_t text_id(const char* text, std::size_t bytes, std::uint64_t key) {
  IdTable::Cell* cell = text_table.find(key);
  if (!cell) return 0;
  const std::uint32_t id = cell->id.load(kRelaxed);
  if (cell->sent.load(std::memory_order_acquire) != 0) return id;
  if (bytes > wire::kMostText) {
    bytes = wire::kMostText;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  }
  const wire::TextMessage message{static_cast<std::uint32_t>(bytes)};
  if (!ring.send(wire::MessageKind::Text, id, &message, sizeof(message), text, bytes)) return kLater;
  cell->sent.store(1, std::memory_order_release);
  return id;
}

void forget_sent() {
  for (IdTable* table : {&text_table, &frame_table, &stack_table, &shape_table}) table->forget_all();
}

bool create_tables() {
  return text_table.create(16) && frame_table.create(16) && stack_table.create(17) && shape_table.create(14);
}

}  // namespace lanescope::inject
