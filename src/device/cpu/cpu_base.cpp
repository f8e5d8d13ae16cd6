#include "device/cpu/cpu_base.h"

#include <fmt/format.h>

#include <utility>

#include "base/translate.h"

namespace lanescope::device::cpu {

using base::tr;

namespace {

trace::EventSink& sink_of(const DeviceContext& context) {
  if (context.sink == nullptr) throw base::Error(tr("a CPU needs a sink for its events"));
  return *context.sink;
}

trace::LaneInfo ops_lane() {
  trace::LaneInfo info;
  info.kind = trace::LaneKind::Phases;
  info.name = "CPU ops";
  info.process = "lanescope";
  return info;
}

}  // namespace

CpuBase::CpuBase(DeviceInfo info, DeviceContext context)
    : context_(std::move(context)),
      info_(std::move(info)),
      writer_(sink_of(context_).open_writer()),
      lane_(context_.sink->lane(ops_lane())) {
  add_costs(info_, context_);
}

CpuBase::~CpuBase() = default;

Buffer CpuBase::allocate(MemoryKind kind, std::size_t bytes) {
  if (kind == MemoryKind::Unknown) throw base::Error(tr("allocate: the kind of memory is unknown"));
  if (bytes == 0) throw base::Error(tr("allocate: a buffer of 0 bytes is not allowed"));
  return memory_.allocate(kind, bytes);
}

void CpuBase::release(Buffer buffer) {
  memory_.kind_of(buffer, "release");
  check_release(buffer);
  memory_.release(buffer);
}

// --- streams and events: there is nothing to wait for --------------------------------------------------------------

void CpuBase::check(Stream stream, std::string_view call) const {
  const auto index = static_cast<std::uint32_t>(stream);
  if (index < streams_) return;
  throw base::Error(tr("{}: stream {} was never created", call, index));
}

void CpuBase::check(GpuEvent event, std::string_view call) const {
  const auto number = static_cast<std::uint32_t>(event);
  if (number != 0 && number <= events_.size()) return;
  throw base::Error(tr("{}: event {} was never created", call, number));
}

Stream CpuBase::create_stream(bool /*non_blocking*/) { return static_cast<Stream>(streams_++); }

GpuEvent CpuBase::create_event() {
  events_.emplace_back();
  return static_cast<GpuEvent>(events_.size());
}

void CpuBase::record(GpuEvent event, Stream stream) {
  check(event, "record");
  check(stream, "record");
  events_[static_cast<std::uint32_t>(event) - 1] = now_ns();
}

void CpuBase::wait(Stream stream, GpuEvent event) {
  check(stream, "wait");
  check(event, "wait");
}

bool CpuBase::query(GpuEvent event) {
  check(event, "query");
  return true;
}

std::optional<Nanoseconds> CpuBase::elapsed(GpuEvent start, GpuEvent end) {
  const auto recorded = [&](GpuEvent event) {
    check(event, "elapsed");
    const auto number = static_cast<std::uint32_t>(event);
    if (!events_[number - 1]) {
      throw base::Error(tr("{}: event {} was never recorded", "elapsed", number));
    }
    return *events_[number - 1];
  };
  const Nanoseconds from = recorded(start);
  return recorded(end) - from;
}

void CpuBase::synchronize(GpuEvent event) { check(event, "synchronize"); }

void CpuBase::synchronize(Stream stream) { check(stream, "synchronize"); }

// --- work ----------------------------------------------------------------------------------------------------------

void CpuBase::copy_async(Slice to, Slice from, std::size_t bytes, Stream stream) {
  check(stream, "copy");
  copy(to, from, bytes);
}

void CpuBase::copy(Slice to, Slice from, std::size_t bytes) {
  hand_over(to, from, bytes);
  wrote(to, bytes);
}

void CpuBase::hand_over(Slice to, Slice from, std::size_t bytes) {
  memory_.check(to, bytes, "copy");
  memory_.check(from, bytes, "copy");
  if (bytes == 0 || !memory_.copies_values(to.buffer, from.buffer)) return;
  sim::Work work;
  work.kind = sim::Work::Kind::Copy;
  work.to = to;
  work.from = from;
  work.bytes = bytes;
  memory_.run(work);
}

void CpuBase::fill_async(Slice to, std::uint8_t value, std::size_t bytes, Stream stream) {
  check(stream, "fill");
  memory_.check(to, bytes, "fill");
  if (bytes > 0 && memory_.has_values(to.buffer)) {
    sim::Work work;
    work.kind = sim::Work::Kind::Fill;
    work.value = value;
    work.to = to;
    work.bytes = bytes;
    memory_.run(work);
  }
  wrote(to, bytes);
}

void CpuBase::launch(const ops::Op& op, std::span<const Buffer> args, Stream stream, bool compute) {
  check(stream, ops::kernel_name(op.kind));
  memory_.check_arguments(args, ops::kernel_name(op.kind));
  if (op.m < 1 || op.n < 1 || op.k < 1) {
    throw base::Error(
        tr("{}: shape m={} n={} k={} is not allowed; each is at least 1", ops::kernel_name(op.kind), op.m, op.n, op.k));
  }
  trace::Event event;
  event.kind = trace::EventKind::Range;
  trace::set_range_kind(event, trace::RangeKind::Compute);
  event.name = name_of(op.kind);
  event.lane = lane_;
  event.start_ns = now_ns();
  execute(op, args, compute);
  event.end_ns = now_ns();
  writer_->write(event);
  progress();
}

trace::NameId CpuBase::name_of(ops::OpKind kind) {
  const auto i = static_cast<std::size_t>(kind);
  if (i >= names_.size()) names_.resize(i + 1);
  if (names_[i] == 0) names_[i] = context_.sink->name(ops::kernel_name(kind));
  return names_[i];
}

}  // namespace lanescope::device::cpu
