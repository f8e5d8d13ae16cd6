#include "workload/loader.h"

#include <algorithm>
#include <string>
#include <utility>

namespace lanescope::workload {

using device::HostTask;
using device::HostThread;

namespace {

constexpr float kLoadTimeVaries = 0.1f;

}  // namespace

std::size_t Loader::outstanding_bytes() const {
  std::size_t sum = 0;
  for (const RequestedBatch& asked : line_) sum += asked.loaded.elements;
  return sum * sizeof(float);
}

std::int64_t Loader::rows_of(std::int64_t batch) const {
  return std::min(options_.batch_size, samples_ - batch * options_.batch_size);
}

base::Nanoseconds Loader::load_time(std::int64_t rows, const LoaderData& data) {
  if (data.seed != seed_) {
    seed_ = data.seed;
    random_ = base::Random(seed_);
  }
  double samples = 0;  // each takes its own time
  for (std::int64_t row = 0; row < rows; ++row) samples += 1 + random_.uniform(kLoadTimeVaries);
  return static_cast<base::Nanoseconds>(static_cast<double>(data.load_ns) * samples + 0.5);
}

// Threads read the old source while they load, so it is kept when a larger one is needed.
device::Buffer Loader::sample_source(std::size_t elements) {
  if (sources_.empty() || sources_.back().elements < elements) {
    sources_.push_back(eager_.host_tensor(elements, false));
    eager_.host_fill(sources_.back());
  }
  return sources_.back().buffer;
}

device::Buffer Loader::Pinned::find(device::HostThreadCalls& calls) {
  tensor_ = {memory_->allocate(elements_ * sizeof(float), calls), elements_, true};
  return tensor_.buffer;
}

bool Loader::pins() const { return options_.pin_memory && eager_.device().info().kind == device::DeviceKind::Gpu; }

void Loader::begin_epoch(const LoaderData& data) {
  if (!options_.persistent_workers) end_workers();
  samples_ = data.samples;
  batches_ = (samples_ + options_.batch_size - 1) / options_.batch_size;
  asked_ = handed_out_ = 0;
  if (options_.num_workers == 0) return;
  if (workers_.empty()) start_workers(data);
  for (std::int64_t i = 0; i < options_.prefetch_factor * options_.num_workers; ++i) ask_for_one(data);
}

void Loader::start_workers(const LoaderData& data) {
  device::Device& device = eager_.device();
  for (std::int64_t i = 0; i < options_.num_workers; ++i) {
    workers_.push_back(device.create_host_thread("worker " + std::to_string(i)));
    if (data.worker_start_ns == 0) continue;
    device::Device::HostWork start;
    start.name = "start worker";
    start.busy_ns = data.worker_start_ns;
    device.submit(workers_.back(), start);
  }
  if (pins()) pin_thread_ = device.create_host_thread("pin thread");
}

void Loader::ask_for_one(const LoaderData& data) {
  if (asked_ == batches_) return;
  device::Device& device = eager_.device();
  const std::int64_t rows = rows_of(asked_);
  RequestedBatch& asked = line_.emplace_back();
  const std::size_t elements = static_cast<std::size_t>(rows) * data.sample_elements;
  asked.loaded = eager_.host_tensor(elements, false);
  device::Device::HostWork work;
  work.name = "load batch";
  work.busy_ns = load_time(rows, data);
  work.to = asked.loaded.buffer;
  work.from = sample_source(elements);
  work.bytes = elements * sizeof(float);
  work.index = static_cast<std::uint32_t>(asked_);
  asked.task = device.submit(workers_[static_cast<std::size_t>(asked_ % options_.num_workers)], work);
  if (pins()) {
    asked.pinned = std::make_shared<Pinned>(eager_.pinned_memory(), elements);
    work.name = "pin batch";
    work.busy_ns = 0;
    work.to = device::Buffer::None;
    work.destination = asked.pinned;
    work.from = asked.loaded.buffer;
    asked.task = device.submit(pin_thread_, work, asked.task);
  }
  ++asked_;
}

// num_workers=0: samples are fetched, collated and pinned inside next().
HostTensor Loader::load_here(const LoaderData& data) {
  const std::int64_t rows = rows_of(handed_out_++);
  const std::size_t elements = static_cast<std::size_t>(rows) * data.sample_elements;
  const HostTensor loaded = eager_.host_tensor(elements, false);
  const base::Nanoseconds began = eager_.device().now_ns();
  eager_.device().host_work(load_time(rows, data));
  eager_.host_fill(loaded);
  eager_.mark_data_wait(began, "load batch here");
  if (!options_.pin_memory) return loaded;
  const HostTensor pinned = eager_.host_tensor(elements, true);
  eager_.host_fill(pinned);
  eager_.drop(loaded);
  return pinned;
}

HostTensor Loader::next(const LoaderData& data) {
  if (options_.num_workers == 0) return load_here(data);
  eager_.device().wait_for(line_.front().task, "wait for batch");
  const RequestedBatch first = std::move(line_.front());
  line_.pop_front();
  ++handed_out_;
  if (first.pinned) eager_.drop(first.loaded);
  ask_for_one(data);
  return first.pinned ? first.pinned->tensor() : first.loaded;
}

void Loader::end_workers() {
  device::Device& device = eager_.device();
  for (const RequestedBatch& asked : line_) device.wait_for(asked.task, "shut down workers");
  for (const RequestedBatch& asked : line_) {
    eager_.drop(asked.loaded);
    if (asked.pinned) eager_.drop(asked.pinned->tensor());
  }
  line_.clear();
  for (const HostThread worker : workers_) device.end_host_thread(worker);
  workers_.clear();
  if (pin_thread_ != HostThread::None) device.end_host_thread(pin_thread_);
  pin_thread_ = HostThread::None;
}

void Loader::shut_down() {
  end_workers();
  for (const HostTensor& source : sources_) eager_.drop(source);
  sources_.clear();
  asked_ = handed_out_ = batches_ = 0;
}

}  // namespace lanescope::workload
