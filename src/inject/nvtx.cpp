#include "inject/nvtx.h"

#include <errno.h>
#include <sys/mman.h>
#include <wchar.h>

#include <atomic>
#include <cstring>

#include "inject/compat.h"
#include "inject/ring.h"
#include "inject/short_text.h"
#include "inject/threads.h"

// The handles that NVTX passes around; the program sees only pointers to them.
struct nvtxDomainRegistration_st {
  const char* text;
  std::uint32_t bytes;
  std::uint64_t hash;
};
struct nvtxStringRegistration_st {
  const char* text;
  std::uint32_t bytes;
  std::uint64_t hash;
};

namespace lanescope::inject {
namespace {

// Domains and registered strings are kept for as long as the program runs, in memory of a fixed size.
constexpr std::size_t kRoom = 4 << 20;
std::atomic<char*> arena{nullptr};
std::atomic<std::size_t> arena_used{0};
std::atomic<std::uint64_t> last_range{0};

void* keep(std::size_t bytes) {
  char* at = arena.load(std::memory_order_acquire);
  if (!at) {
    void* made = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return nullptr;
    if (arena.compare_exchange_strong(at, static_cast<char*>(made))) {
      at = static_cast<char*>(made);
    } else {
      munmap(made, kRoom);
    }
  }
  const std::size_t offset = arena_used.fetch_add((bytes + 15) & ~std::size_t{15}, kRelaxed);
  if (offset + bytes <= kRoom) return at + offset;
  arena_used.store(kRoom, kRelaxed);
  return nullptr;
}

// A text that is the caller's or kept.
struct Name {
  const char* text = nullptr;
  std::size_t bytes = 0;
  std::uint64_t hash = 0;  // 0: not known
};

std::uint32_t id_of(const Name& name) {
  if (!name.text || name.bytes == 0) return 0;
  const std::uint32_t id = name.hash != 0 ? text_id(name.text, name.bytes, name.hash) : text_id(name.text, name.bytes);
  return id == kLater ? 0 : id;
}

// PyTorch's emit_nvtx numbers every operation ("aten::view, op_id = 314290"); with these numbers no two names are
// equal.
Name of(const char* text) {
  if (!text) return {};
  const char* number = std::strstr(text, ", op_id = ");
  return {text, number ? static_cast<std::size_t>(number - text) : strnlen(text, 4 * wire::kMostText)};
}

// A wide text as UTF-8, in the caller's room.
struct Narrow {
  char text[wire::kMostText + 4];
  Name name(const wchar_t* wide) {
    std::size_t n = 0;
    for (; wide && *wide && n < wire::kMostText - 4; ++wide) n += put_utf8(static_cast<std::uint32_t>(*wide), text + n);
    return {text, n};
  }
};

template <typename Registration>
Registration* registration(const Name& name) {
  static Registration too_many{"", 0, 0};
  auto* made = static_cast<Registration*>(keep(sizeof(Registration) + name.bytes + 1));
  if (!made) {
    if (ring.memory) count(ring.status().texts_lost);
    return &too_many;
  }
  char* text = reinterpret_cast<char*>(made + 1);
  std::memcpy(text, name.text ? name.text : "", name.bytes);
  text[name.bytes] = 0;
  *made = {text, static_cast<std::uint32_t>(name.bytes), hash(text, name.bytes)};
  return made;
}

Name of(nvtxDomainHandle_t domain) { return domain ? Name{domain->text, domain->bytes, domain->hash} : Name{}; }

// --- What NCCL says of its calls -------------------------------------------------------------------------------------

// As NVTX's payload extension has it (nvToolsExtPayload.h), which the headers of older toolkits do not.
struct PayloadData {
  std::uint64_t schema;
  std::size_t bytes;
  const void* data;
};
constexpr auto kExtended = static_cast<std::int32_t>(0xDFBD0009);  // the type of an event's payload
constexpr std::uint64_t kFirstSchema = 1 << 24;                    // of those that a library numbers itself
constexpr std::size_t kLargestPayload = 4096;

using wire::CollectivePayload;

// What the structure of each of NCCL's schemas has (nvtx_payload_schemas.h), in this order: a communicator, whose
// absence before NCCL 2.25 makes the structure 8 bytes shorter; bytes; numbers of 32 bits.
struct RangeLayout {
  bool bytes;
  std::uint8_t count;        // of numbers
  std::uint32_t numbers[2];  // the first ones; 0: not wanted
};
constexpr std::uint32_t kRoot = CollectivePayload::kRoot, kPeer = CollectivePayload::kPeer,
                        kOperation = CollectivePayload::kOperation, kRank = CollectivePayload::kRank;

// False for a schema that is not a collective's or a communicator's.
bool layout_of(std::uint64_t schema, RangeLayout& layout) {
  switch (schema - kFirstSchema) {
    case 0:   // CommInitRank
    case 2:   // CommDestroy
    case 3:   // CommAbort
    case 11:  // CommInitRankConfig
    case 12:  // CommInitRankScalable
    case 19:  // CommRevoke
      layout = {false, 3, {kRank, 0}};
      return true;
    case 13:  // CommSplit; its ranks are the old communicator's
    case 15:  // CommShrink
    case 20:  // CommGrow
      layout = {false, 0, {0, 0}};
      return true;
    case 4:   // AllGather
    case 16:  // AlltoAll
      layout = {true, 0, {0, 0}};
      return true;
    case 5:  // AllReduce
    case 7:  // ReduceScatter
      layout = {true, 1, {kOperation, 0}};
      return true;
    case 6:   // Broadcast
    case 17:  // Gather
    case 18:  // Scatter
      layout = {true, 1, {kRoot, 0}};
      return true;
    case 8:  // Reduce
      layout = {true, 2, {kRoot, kOperation}};
      return true;
    case 9:   // Send
    case 10:  // Recv
      layout = {true, 1, {kPeer, 0}};
      return true;
    default:
      return false;
  }
}

bool read_payload(nvtxDomainHandle_t domain, const PayloadData* from, CollectivePayload& payload) {
  if (!domain || domain->bytes != 4 || std::memcmp(domain->text, "NCCL", 4) != 0) return false;
  RangeLayout layout;
  if (!from || !from->data || from->bytes > kLargestPayload || !layout_of(from->schema, layout)) return false;
  payload = {};
  if (!layout.bytes) {
    // {communicator, ranks, rank, device}, padded; before 2.25 {rank, ranks, device}.
    struct {
      std::uint64_t communicator;
      std::int32_t ranks, rank;
    } now;
    std::int32_t before[2];
    if (from->bytes >= 24) {
      std::memcpy(&now, from->data, sizeof(now));
      payload.communicator = now.communicator;
      payload.has = CollectivePayload::kCommunicator | layout.numbers[0];
      payload.rank = now.rank;
      payload.ranks = now.ranks;
    } else if (from->bytes == 12 && layout.numbers[0] == kRank) {
      std::memcpy(before, from->data, sizeof(before));
      payload.has = kRank;
      payload.rank = before[0];
      payload.ranks = before[1];
    }
    return payload.has != 0;
  }
  const std::size_t without = 8 + (std::size_t{layout.count} * 4 + 7) / 8 * 8;
  const char* at = static_cast<const char*>(from->data);
  if (from->bytes >= without + 8) {
    std::memcpy(&payload.communicator, at, 8);
    payload.has = CollectivePayload::kCommunicator;
    at += 8;
  } else if (from->bytes != without) {
    return false;
  }
  std::memcpy(&payload.bytes, at, 8);
  payload.has |= CollectivePayload::kBytes;
  at += 8;
  for (unsigned i = 0; i < layout.count; ++i, at += 4) {
    std::int32_t number;
    std::memcpy(&number, at, 4);
    payload.has |= layout.numbers[i];
    (layout.numbers[i] == kRoot   ? payload.root
     : layout.numbers[i] == kPeer ? payload.peer
                                  : payload.operation) = number;
  }
  return true;
}

bool watched() {
  return live() && ring.memory->controls.level.load(kRelaxed) != static_cast<std::uint32_t>(wire::Level::Off);
}

// Sends one act of a range; the calling thread's.
void send(wire::RangeAct act, nvtxDomainHandle_t domain, const Name& name, std::uint64_t range, std::uint32_t color,
          const PayloadData* data = nullptr) {
  if (!watched()) return;
  const int saved = errno;
  wire::RangeMessage message{};
  message.time_ns = now_ns();
  message.act = act;
  ThreadState* thread = this_thread();
  message.thread = thread ? thread->id.load(kRelaxed) : thread_id();
  message.domain = id_of(of(domain));
  message.name = id_of(name);
  message.range = range;
  message.color = color;
  CollectivePayload payload;
  if (data && read_payload(domain, data, payload)) {
    message.payload = sizeof(payload);
    ring.send(wire::MessageKind::Range, 0, &message, sizeof(message), &payload, sizeof(payload));
  } else {
    ring.send(wire::MessageKind::Range, message);
  }
  errno = saved;
}

void send(wire::RangeAct act, nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event, std::uint64_t range) {
  if (!watched() || !event) return;
  Name name;
  Narrow narrow;
  if (event->messageType == NVTX_MESSAGE_TYPE_ASCII) {
    name = of(event->message.ascii);
  } else if (event->messageType == NVTX_MESSAGE_TYPE_UNICODE) {
    name = narrow.name(event->message.unicode);
  } else if (event->messageType == NVTX_MESSAGE_TYPE_REGISTERED && event->message.registered) {
    const nvtxStringHandle_t kept = event->message.registered;
    name = {kept->text, kept->bytes, kept->hash};
  }
  // The number of payloads is in a reserved field.
  const bool extended = event->payloadType == kExtended && event->reserved0 > 0;
  send(act, domain, name, range, event->colorType == NVTX_COLOR_ARGB ? event->color : 0,
       extended ? reinterpret_cast<const PayloadData*>(event->payload.ullValue) : nullptr);
}

// How many ranges the thread has pushed in the domain; null if there are too many domains or threads to know.
std::uint32_t* depth_in(nvtxDomainHandle_t domain) {
  ThreadState* thread = live() ? this_thread() : nullptr;
  if (!thread) return nullptr;
  const std::uint64_t name = of(domain).hash;
  ThreadState::Pushed* free = nullptr;
  for (ThreadState::Pushed& pushed : thread->pushed) {
    if (pushed.depth == 0) free = &pushed;
    if (pushed.depth != 0 && pushed.domain == name) return &pushed.depth;
  }
  if (!free) return nullptr;
  free->domain = name;
  return &free->depth;
}
// A push or pop says the range's depth, from 1 (0: it is not known), so that a viewer that misses one still pairs the
// others. It returns the level that NVTX promises: one less, so -1 if nothing was pushed.
template <typename What>
int push(nvtxDomainHandle_t domain, What what) {
  std::uint32_t* depth = depth_in(domain);
  what(wire::RangeAct::Push, depth ? std::uint64_t{++*depth} : 0);
  return depth ? static_cast<int>(*depth) - 1 : 0;
}
template <typename What>
int pop(nvtxDomainHandle_t domain, What what) {
  std::uint32_t* depth = depth_in(domain);
  what(wire::RangeAct::Pop, depth ? std::uint64_t{*depth} : 0);
  return depth && *depth > 0 ? static_cast<int>(--*depth) : -1;
}
std::uint64_t next_range() { return last_range.fetch_add(1, kRelaxed) + 1; }

using wire::RangeAct;
using Event = const nvtxEventAttributes_t*;
using Domain = nvtxDomainHandle_t;

// --- What NVTX calls -------------------------------------------------------------------------------------------------

void mark_ex(Event event) { send(RangeAct::Mark, nullptr, event, 0); }
void mark_a(const char* text) { send(RangeAct::Mark, nullptr, of(text), 0, 0); }
void mark_w(const wchar_t* text) {
  Narrow narrow;
  send(RangeAct::Mark, nullptr, narrow.name(text), 0, 0);
}
nvtxRangeId_t start_in(Domain domain, Event event) {
  const std::uint64_t range = next_range();
  send(RangeAct::Start, domain, event, range);
  return range;
}
nvtxRangeId_t start_ex(Event event) { return start_in(nullptr, event); }
nvtxRangeId_t start_a(const char* text) {
  const std::uint64_t range = next_range();
  send(RangeAct::Start, nullptr, of(text), range, 0);
  return range;
}
nvtxRangeId_t start_w(const wchar_t* text) {
  Narrow narrow;
  const std::uint64_t range = next_range();
  send(RangeAct::Start, nullptr, narrow.name(text), range, 0);
  return range;
}
void end_in(Domain domain, nvtxRangeId_t range) { send(RangeAct::End, domain, Name{}, range, 0); }
void end(nvtxRangeId_t range) { end_in(nullptr, range); }
int push_in(Domain domain, Event event) {
  return push(domain, [&](RangeAct act, std::uint64_t depth) { send(act, domain, event, depth); });
}
int push_ex(Event event) { return push_in(nullptr, event); }
int push_name(const Name& name) {
  return push(nullptr, [&](RangeAct act, std::uint64_t depth) { send(act, nullptr, name, depth, 0); });
}
int push_a(const char* text) { return push_name(of(text)); }
int push_w(const wchar_t* text) {
  Narrow narrow;
  return push_name(narrow.name(text));
}
int pop_in(Domain domain) {
  return pop(domain, [&](RangeAct act, std::uint64_t depth) { send(act, domain, Name{}, depth, 0); });
}
int pop_any() { return pop_in(nullptr); }
void mark_in(Domain domain, Event event) { send(RangeAct::Mark, domain, event, 0); }

// Of the payload extension: ranges without a name. NCCL ends the ranges of new communicators in this way.
const PayloadData* first_of(const PayloadData* data, std::size_t count) { return count > 0 ? data : nullptr; }
void mark_payload(Domain domain, const PayloadData* data, std::size_t count) {
  send(RangeAct::Mark, domain, Name{}, 0, 0, first_of(data, count));
}
int push_payload(Domain domain, const PayloadData* data, std::size_t count) {
  return push(domain,
              [&](RangeAct act, std::uint64_t depth) { send(act, domain, Name{}, depth, 0, first_of(data, count)); });
}
int pop_payload(Domain domain, const PayloadData* data, std::size_t count) {
  return pop(domain,
             [&](RangeAct act, std::uint64_t depth) { send(act, domain, Name{}, depth, 0, first_of(data, count)); });
}
nvtxRangeId_t start_payload(Domain domain, const PayloadData* data, std::size_t count) {
  const std::uint64_t range = next_range();
  send(RangeAct::Start, domain, Name{}, range, 0, first_of(data, count));
  return range;
}
void end_payload(Domain domain, nvtxRangeId_t range, const PayloadData* data, std::size_t count) {
  send(RangeAct::End, domain, Name{}, range, 0, first_of(data, count));
}

void name_thread_a(std::uint32_t thread, const char* text) {
  const Name name = of(text);
  if (watched() && name.bytes > 0) name_thread(thread, name.text, name.bytes);
}
void name_thread_w(std::uint32_t thread, const wchar_t* text) {
  Narrow narrow;
  const Name name = narrow.name(text);
  if (watched() && name.bytes > 0) name_thread(thread, name.text, name.bytes);
}

Domain create_domain_a(const char* text) { return registration<nvtxDomainRegistration_st>(of(text)); }
Domain create_domain_w(const wchar_t* text) {
  Narrow narrow;
  return registration<nvtxDomainRegistration_st>(narrow.name(text));
}
nvtxStringHandle_t register_a(Domain, const char* text) { return registration<nvtxStringRegistration_st>(of(text)); }
nvtxStringHandle_t register_w(Domain, const wchar_t* text) {
  Narrow narrow;
  return registration<nvtxStringRegistration_st>(narrow.name(text));
}

template <typename Function>
void put(NvtxFunctionTable table, unsigned size, unsigned id, Function function) {
  if (id < size && table[id]) *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

bool take_over_nvtx(NvtxGetExportTableFunc_t tables) {
  const auto* callbacks = tables ? static_cast<const NvtxExportTableCallbacks*>(tables(NVTX_ETID_CALLBACKS)) : nullptr;
  if (!callbacks || callbacks->struct_size < sizeof(NvtxExportTableCallbacks) || !callbacks->GetModuleFunctionTable) {
    return false;
  }
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0 || !table) return false;
  put(table, size, NVTX_CBID_CORE_MarkEx, mark_ex);
  put(table, size, NVTX_CBID_CORE_MarkA, mark_a);
  put(table, size, NVTX_CBID_CORE_MarkW, mark_w);
  put(table, size, NVTX_CBID_CORE_RangeStartEx, start_ex);
  put(table, size, NVTX_CBID_CORE_RangeStartA, start_a);
  put(table, size, NVTX_CBID_CORE_RangeStartW, start_w);
  put(table, size, NVTX_CBID_CORE_RangeEnd, end);
  put(table, size, NVTX_CBID_CORE_RangePushEx, push_ex);
  put(table, size, NVTX_CBID_CORE_RangePushA, push_a);
  put(table, size, NVTX_CBID_CORE_RangePushW, push_w);
  put(table, size, NVTX_CBID_CORE_RangePop, pop_any);
  put(table, size, NVTX_CBID_CORE_NameOsThreadA, name_thread_a);
  put(table, size, NVTX_CBID_CORE_NameOsThreadW, name_thread_w);
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0 || !table) return true;
  put(table, size, NVTX_CBID_CORE2_DomainMarkEx, mark_in);
  put(table, size, NVTX_CBID_CORE2_DomainRangeStartEx, start_in);
  put(table, size, NVTX_CBID_CORE2_DomainRangeEnd, end_in);
  put(table, size, NVTX_CBID_CORE2_DomainRangePushEx, push_in);
  put(table, size, NVTX_CBID_CORE2_DomainRangePop, pop_in);
  put(table, size, NVTX_CBID_CORE2_DomainRegisterStringA, register_a);
  put(table, size, NVTX_CBID_CORE2_DomainRegisterStringW, register_w);
  put(table, size, NVTX_CBID_CORE2_DomainCreateA, create_domain_a);
  put(table, size, NVTX_CBID_CORE2_DomainCreateW, create_domain_w);
  return true;
}

// As in nvtxExtTypes.h, see above.
struct ExtensionSegment {
  std::size_t id, slots;
  std::intptr_t* functions;
};
struct Extension {
  std::uint16_t nvtx_version, bytes, module, compatible;
  std::size_t segment_count;
  ExtensionSegment* segments;
};

bool take_over_nvtx_extension(void* module) {
  constexpr std::uint16_t kPayloads = 2;
  auto* extension = static_cast<Extension*>(module);
  if (!extension || extension->bytes < sizeof(Extension) || extension->module != kPayloads ||
      extension->segment_count == 0 || !extension->segments || !extension->segments[0].functions) {
    return false;
  }
  const ExtensionSegment& segment = extension->segments[0];
  const auto put_in = [&](std::size_t id, auto function) {
    if (id < segment.slots) segment.functions[id] = reinterpret_cast<std::intptr_t>(function);
  };
  put_in(2, mark_payload);
  put_in(3, push_payload);
  put_in(4, pop_payload);
  put_in(5, start_payload);
  put_in(6, end_payload);
  return true;
}

}  // namespace lanescope::inject
