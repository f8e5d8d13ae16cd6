// torch.utils.data.DataLoader, as far as time and threads go.
//
// With workers, num_workers threads load batches ("worker 0", ...). When an iterator is made, prefetch_factor *
// num_workers batches are asked for, in turn from each worker; every batch that is handed out asks for one more, so
// that this many are outstanding until the epoch's end. Batches are handed out in order: a slow worker holds up the
// line, and later ones wait in memory. Each epoch begins with an empty queue; only persistent workers are not started
// anew.
//
// With pin_memory one more thread takes batches as they arrive from the workers, in whatever order that is, copies each
// into pinned memory and hands it on. It allocates that memory itself, when the batch has arrived, from the caching
// host allocator: sizes are rounded up to a power of two, a block that is free again is reused, and only when there is
// none does the thread call cudaHostAlloc, which takes its time and not the program's first thread's. So there are
// never more blocks than batches that wait or are in use, and none is allocated in the steady state. On a CPU there is
// no pin thread: PyTorch warns, and pins nothing.
//
// Sources, in PyTorch: torch/utils/data/dataloader.py (_MultiProcessingDataLoaderIter: _reset, _try_put_index,
// _next_data; _BaseDataLoaderIter for pin_memory without an accelerator), torch/utils/data/_utils/pin_memory.py
// (_pin_memory_loop), aten/src/ATen/core/CachingHostAllocator.h (allocate, process_events).
//
// Otherwise than in PyTorch: workers are threads, so nothing is spent on sending a batch from process to process, and
// the program's first thread spends nothing on starting them; Python's interpreter lock, which the pin thread shares
// with that thread, is not modelled; a batch of several tensors is pinned as one block; and a loader that is given up
// in the middle of an epoch waits for all batches it has asked for, where PyTorch's workers drop those that they have
// not begun.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "workload/eager.h"
#include "workload/random.h"

namespace lanescope::workload {

/// What a DataLoader is made with.
struct LoaderOptions {
  std::int64_t num_workers = 0;
  std::int64_t prefetch_factor = 2;  ///< batches per worker
  bool pin_memory = false;
  bool persistent_workers = false;
  std::int64_t batch_size = 1;

  bool operator==(const LoaderOptions&) const = default;
};

/// The dataset, and what it costs.
struct LoaderData {
  std::int64_t samples = 1;  ///< in an epoch; what is left over makes a smaller last batch
  std::size_t sample_elements = 1;
  base::Nanoseconds load_ns = 0;  ///< per sample, varied by up to a tenth
  base::Nanoseconds worker_start_ns = 0;
  std::uint64_t seed = 1;
};

class Loader {
 public:
  Loader(Eager& eager, const LoaderOptions& options, std::uint64_t seed)
      : eager_(eager), options_(options), random_(seed), seed_(seed) {}

  const LoaderOptions& options() const { return options_; }

  /// iter(loader)
  void begin_epoch(const LoaderData& data);
  /// The epoch's last batch has been handed out, or none was begun.
  bool at_end() const { return handed_out_ == batches_; }
  /// next(iterator): the batch, which the caller drops. What it asks for costs what `data` says now.
  HostTensor next(const LoaderData& data);
  /// The loader is given up: ends the workers, and waits for what they still do.
  void shut_down();

  /// Asked for and not handed out.
  std::size_t outstanding() const { return line_.size(); }
  std::size_t outstanding_bytes() const;

 private:
  /// Where the pin thread puts a batch.
  class Pinned final : public device::HostDestination {
   public:
    Pinned(std::shared_ptr<CachingHostAllocator> memory, std::size_t elements)
        : memory_(std::move(memory)), elements_(elements) {}
    device::Buffer find(device::HostThreadCalls& calls) override;
    /// When the task has ended; none if it failed.
    const HostTensor& tensor() const { return tensor_; }

   private:
    const std::shared_ptr<CachingHostAllocator> memory_;
    const std::size_t elements_;
    HostTensor tensor_;
  };
  struct Asked {
    HostTensor loaded;
    std::shared_ptr<Pinned> pinned;  // none without a pin thread
    device::HostTask task = device::HostTask::None;
  };

  void start_workers(const LoaderData& data);
  void end_workers();
  bool pins() const;
  void ask_for_one(const LoaderData& data);
  std::int64_t rows_of(std::int64_t batch) const;
  base::Nanoseconds load_time(std::int64_t rows, const LoaderData& data);
  HostTensor load_here(const LoaderData& data);
  device::Buffer sample_source(std::size_t elements);

  Eager& eager_;
  const LoaderOptions options_;
  Random random_;
  std::uint64_t seed_;
  std::int64_t samples_ = 0, batches_ = 0;  // of this epoch
  std::int64_t asked_ = 0, handed_out_ = 0;
  std::deque<Asked> line_;
  std::vector<device::HostThread> workers_;
  device::HostThread pin_thread_ = device::HostThread::None;
  std::vector<HostTensor> sources_;  // what samples are copied from; the last one is the largest
};

}  // namespace lanescope::workload
