// Models the timing and the threads of torch.utils.data.DataLoader.
//
// With workers, num_workers threads load batches ("worker 0", ...). A new iterator requests prefetch_factor *
// num_workers batches, from each worker in turn. Every batch returned requests one more, so that many are outstanding
// until the epoch's end. Batches are returned in order: a slow worker delays the others' batches, which wait in memory.
// Each epoch begins with an empty queue; only persistent workers are not restarted.
//
// With pin_memory, one more thread takes batches from the workers in order of arrival, copies each into pinned memory
// and passes it on. It allocates that memory itself when the batch arrives, from the caching host allocator: sizes are
// rounded up to a power of two, and free blocks are reused. Only if there is none does the thread call cudaHostAlloc,
// which takes its own time, not the main thread's. So there are never more blocks than batches waiting or in use, and
// the steady state allocates nothing. On a CPU there is no pin thread: PyTorch warns and pins nothing.
//
// Sources, in PyTorch: torch/utils/data/dataloader.py (_MultiProcessingDataLoaderIter: _reset, _try_put_index,
// _next_data; _BaseDataLoaderIter for pin_memory without an accelerator), torch/utils/data/_utils/pin_memory.py
// (_pin_memory_loop), aten/src/ATen/core/CachingHostAllocator.h (allocate, process_events).
//
// Differences from PyTorch: workers are threads, so sending a batch between processes and starting the workers cost
// nothing. Python's interpreter lock, which the pin thread shares with the main thread, is not modelled. A batch of
// several tensors is pinned as one block. A loader abandoned in mid-epoch waits for all requested batches, whereas
// PyTorch's workers drop those not begun.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/random.h"
#include "workload/eager.h"

namespace lanescope::workload {

/// The arguments of a DataLoader.
struct LoaderOptions {
  std::int64_t num_workers = 0;
  std::int64_t prefetch_factor = 2;  ///< batches per worker
  bool pin_memory = false;
  bool persistent_workers = false;
  std::int64_t batch_size = 1;

  bool operator==(const LoaderOptions&) const = default;
};

/// The dataset and its costs.
struct LoaderData {
  std::int64_t samples = 1;  ///< per epoch; the last batch may be smaller
  std::size_t sample_elements = 1;
  base::Nanoseconds load_ns = 0;  ///< per sample, varied by up to 10 %
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
  /// True if the epoch's last batch has been returned, or no epoch was begun.
  bool at_end() const { return handed_out_ == batches_; }
  /// next(iterator): returns the batch, which the caller drops. New requests cost what `data` says now.
  HostTensor next(const LoaderData& data);
  /// Abandons the loader: ends the workers, and waits for their remaining work.
  void shut_down();

  /// Batches requested and not returned yet.
  std::size_t outstanding() const { return line_.size(); }
  std::size_t outstanding_bytes() const;

 private:
  /// Where the pin thread copies a batch.
  class Pinned final : public device::HostDestination {
   public:
    Pinned(std::shared_ptr<CachingHostAllocator> memory, std::size_t elements)
        : memory_(std::move(memory)), elements_(elements) {}
    device::Buffer find(device::HostThreadCalls& calls) override;
    /// Valid once the task has ended; empty if it failed.
    const HostTensor& tensor() const { return tensor_; }

   private:
    const std::shared_ptr<CachingHostAllocator> memory_;
    const std::size_t elements_;
    HostTensor tensor_;
  };
  struct RequestedBatch {
    HostTensor loaded;
    std::shared_ptr<Pinned> pinned;  // null without a pin thread
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
  base::Random random_;
  std::uint64_t seed_;
  std::int64_t samples_ = 0, batches_ = 0;  // of this epoch
  std::int64_t asked_ = 0, handed_out_ = 0;
  std::deque<RequestedBatch> line_;
  std::vector<device::HostThread> workers_;
  device::HostThread pin_thread_ = device::HostThread::None;
  std::vector<HostTensor> sources_;  // what samples are copied from; the last one is the largest
};

}  // namespace lanescope::workload
