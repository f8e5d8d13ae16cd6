#include "capture/messages.h"

#include <algorithm>
#include <exception>

#include "base/translate.h"
#include "capture/assembly/operation_names.h"
#include "trace/names.h"
#include "trace/trace.h"

namespace lanescope::capture {
namespace {

constexpr std::size_t kMostCalls = 1 << 16;
constexpr Nanoseconds kFarOff = 3600 * base::kSecond;

Record record_of(RecordKind kind, std::uint32_t detail) {
  Record record;
  record.kind = kind;
  record.detail = detail;
  return record;
}

}  // namespace

Words::Words(trace::EventSink& sink) : sink_(sink), no_name_(sink.name("(no name)")) {}

void Words::learn(const Message& message) {
  if (message.kind == wire::MessageKind::Text) learn_text(message);
  if (message.kind == wire::MessageKind::Shape) learn_shape(message);
}

base::NameId Words::name(std::string_view text) {
  try {
    return sink_.name(text);
  } catch (const std::exception&) {  // a program that sends a million names
    return no_name_;
  }
}

void Words::learn_text(const Message& message) {
  const auto head = message.as<wire::TextMessage>();
  const auto bytes = message.after<wire::TextMessage>();
  if (!head || head->bytes > bytes.size() || head->bytes > wire::kMostText) return;
  if (std::string* place = place_for(texts_, message.id)) {
    *place = clean_text({reinterpret_cast<const char*>(bytes.data()), head->bytes}, wire::kMostText);
  }
}

void Words::learn_shape(const Message& message) {
  const auto sent = message.as<wire::ShapeMessage>();
  if (!sent || message.id == 0 || message.id >= kMostIds || shapes_.size() >= kMostIds) return;
  trace::LaunchShape shape;
  std::copy(std::begin(sent->grid), std::end(sent->grid), shape.grid.begin());
  std::copy(std::begin(sent->block), std::end(sent->block), shape.block.begin());
  shape.registers_per_thread = sent->registers;
  shape.static_shared_bytes = sent->static_bytes;
  shape.dynamic_shared_bytes = sent->dynamic_bytes;
  shape.shared_bytes = sent->static_bytes + sent->dynamic_bytes;
  shapes_[message.id] = shape;
}

Words::Call Words::call(const wire::CallMessage& sent) {
  Call& call = calls_.size() < kMostCalls || calls_.contains(sent.api) ? calls_[sent.api] : calls_[0];
  if (!call.known) {
    constexpr std::uint32_t kDriverDomain = 1;  // CUPTI_CB_DOMAIN_DRIVER_API
    const std::string& raw = text(sent.name);
    const ApiFacts facts = api_facts(raw, sent.api >> 16 == kDriverDomain);
    call.name = name(facts.name);
    call.nature = facts.nature;
    call.traits = facts.traits;
    call.launches = facts.name.find("Launch") != std::string_view::npos;
    call.launches_graph = trace::is_graph_launch(facts.name);
    call.known = !raw.empty();
  }
  return call;
}

base::NameId Words::kernel(std::uint32_t id) {
  base::NameId& known = kernels_[id < texts_.size() ? id : 0];
  if (known == 0) known = text(id).empty() ? no_name_ : name(kernel_name(text(id)));
  return known;
}

std::uint32_t Words::shape(std::uint32_t id, std::uint32_t context) {
  const std::uint64_t key = std::uint64_t{context} << 32 | id;
  if (const auto known = launches_.find(key); known != launches_.end()) return known->second;
  const auto sent = shapes_.find(id);
  if (sent == shapes_.end()) return trace::LaunchTable::kNone;
  if (launches_.size() >= kMostIds) launches_.clear();  // a process that makes up contexts
  trace::LaunchShape shape = sent->second;
  shape.context = context;
  return launches_[key] = sink_.launch(shape);
}

// --- messages --------------------------------------------------------------------------------------------------------

Nanoseconds MessageReader::here(std::int64_t monotonic_ns) const {
  return std::clamp(monotonic_ns, -base::kFarthest, base::kFarthest) - origin_ns_;
}

bool MessageReader::plausible(Nanoseconds start_ns, Nanoseconds end_ns) {
  for (const Nanoseconds t : {start_ns, end_ns}) {
    if (t >= now_ns_ - 24 * kFarOff && t <= now_ns_ + kFarOff) continue;
    add(counts_.far_off);
    return false;
  }
  if (end_ns >= start_ns) return true;
  add(counts_.clamped);
  return false;
}

std::optional<Record> MessageReader::timed(Record record, std::int64_t start_ns, std::int64_t end_ns) {
  record.start_ns = here(start_ns);
  record.end_ns = here(end_ns);
  if (!plausible(record.start_ns, record.end_ns)) return std::nullopt;
  return record;
}

std::optional<Record> MessageReader::call(const wire::CallMessage& call, const Words::Call& known) {
  Record record;
  record.kind = RecordKind::Call;
  record.event_kind = trace::EventKind::Call;
  record.name = known.name;
  record.nature = known.nature;
  record.traits = known.traits;
  if (call.result != 0) record.traits |= kFailed;
  record.correlation = call.correlation;
  record.thread = call.thread;
  return timed(record, call.start_ns, call.end_ns);
}

std::optional<Record> MessageReader::operation(const wire::OperationMessage& op, bool kernel) {
  constexpr std::uint8_t kMemset = 0xFF;
  Record record;
  record.kind = RecordKind::Operation;
  record.correlation = op.correlation;
  record.device = op.device;
  record.context = op.context;
  record.stream = op.stream;
  if (kernel) {
    record.event_kind = trace::EventKind::Kernel;
    record.name = words_.kernel(op.kernel.name);
    record.detail = words_.shape(op.kernel.shape, op.context);
  } else if (op.copy_kind == kMemset) {
    record.event_kind = trace::EventKind::Memset;
    record.name = words_.name(memset_name(op.destination));
    record.value = op.bytes;
    record.copy_flags = copy_flags({.destination = memory_kind(op.destination), .asynchronous = op.asynchronous != 0});
  } else {
    record.event_kind = trace::EventKind::Copy;
    record.name = words_.name(copy_name(op.copy_kind, op.source, op.destination));
    record.value = op.bytes;
    record.copy_flags = copy_flags({.direction = copy_direction(op.copy_kind),
                                    .source = memory_kind(op.source),
                                    .destination = memory_kind(op.destination),
                                    .asynchronous = op.asynchronous != 0});
  }
  return timed(record, op.start_ns, op.end_ns);
}

std::optional<Record> MessageReader::record(const Message& message) {
  switch (message.kind) {
    case wire::MessageKind::Kernel:
    case wire::MessageKind::Copy:
      if (const auto op = message.as<wire::OperationMessage>()) {
        return operation(*op, message.kind == wire::MessageKind::Kernel);
      }
      break;
    case wire::MessageKind::Sync:
      if (const auto sync = message.as<wire::SyncMessage>()) {
        Record record = record_of(RecordKind::Sync, sync->type);
        record.correlation = sync->correlation;
        record.context = sync->context;
        record.stream = sync->stream;
        record.value = sync->event;
        return timed(record, sync->start_ns, sync->end_ns);
      }
      break;
    case wire::MessageKind::Event:
      if (const auto event = message.as<wire::EventMessage>()) {
        Record record = record_of(RecordKind::GpuEvent, 0);
        record.correlation = event->correlation;
        record.context = event->context;
        record.stream = event->stream;
        record.value = event->event;
        record.start_ns = record.end_ns = now_ns_;
        return record;
      }
      break;
    case wire::MessageKind::Stall:
      if (const auto stall = message.as<wire::StallMessage>()) {
        Record record = record_of(RecordKind::Overhead, stall->kind);
        record.correlation = stall->correlation;
        record.thread = stall->thread;
        return timed(record, stall->start_ns, stall->end_ns);
      }
      break;
    case wire::MessageKind::Context:
      if (const auto context = message.as<wire::ContextMessage>()) {
        Record record = record_of(RecordKind::Context, context->null_stream);
        record.context = context->context;
        record.device = context->device;
        return record;
      }
      break;
    case wire::MessageKind::Stream:
      if (const auto stream = message.as<wire::StreamMessage>()) {
        Record record = record_of(RecordKind::Stream, stream->flags);
        record.context = stream->context;
        record.stream = stream->stream;
        return record;
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

// --- health ----------------------------------------------------------------------------------------------------------

wire::State library_state(const wire::Status& status) {
  const std::uint32_t state = status.state.load(std::memory_order_acquire);
  return state <= static_cast<std::uint32_t>(wire::State::Unsupported) ? static_cast<wire::State>(state)
                                                                       : wire::State::Failed;
}

trace::CaptureState capture_state(wire::State state) {
  switch (state) {
    case wire::State::Starting:
    case wire::State::Watching:
      return trace::CaptureState::Running;
    case wire::State::NoCupti:
      return trace::CaptureState::Unavailable;
    case wire::State::CuptiBusy:
      return trace::CaptureState::Busy;
    case wire::State::Denied:
      return trace::CaptureState::Denied;
    case wire::State::DriverTooOld:
    case wire::State::Unsupported:
      return trace::CaptureState::Unsupported;
    case wire::State::NoRecords:
      return trace::CaptureState::Degraded;
    case wire::State::Failed:
      return trace::CaptureState::Lost;
  }
  return trace::CaptureState::Degraded;
}

std::string library_text(const RingReader& ring) {
  const std::uint32_t version = ring.status().cupti_version.load(std::memory_order_relaxed);
  return version == 0 ? std::string() : std::string(base::tr("{} (API {})", ring.cupti_path(), version));
}

void add_to(trace::CaptureHealth& health, const wire::Status& status) {
  health.dropped +=
      status.dropped.load(std::memory_order_relaxed) + status.cupti_dropped.load(std::memory_order_relaxed);
  health.no_buffer += status.no_buffer.load(std::memory_order_relaxed);
  health.untimed += status.untimed.load(std::memory_order_relaxed);
  health.clock_steps += status.clock_steps.load(std::memory_order_relaxed);
}

}  // namespace lanescope::capture
