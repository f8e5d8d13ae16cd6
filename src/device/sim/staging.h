// Models copies between pageable memory and the device: they pass through the driver's staging buffer, chunk by chunk.
#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"

namespace lanescope::device::sim {

/// The two ends of the pipeline and the buffer between them. Times are in nanoseconds from the start of the call.
struct StagingRates {
  double host_ns_per_byte = 0;  ///< CPU time between the program's memory and the staging buffer
  double dma_ns_per_byte = 0;
  base::Nanoseconds latency = 0;  ///< from staging a chunk until its DMA can start
  base::Nanoseconds fixed = 0;    ///< fixed cost of the whole copy
  std::size_t chunk = 0;
  std::size_t slots = 0;
};

/// Host to device: the CPU fills slots starting at `begin`. Each chunk's DMA follows, in order, and frees its slot when
/// it ends.
class StagedUpload {
 public:
  StagedUpload(const StagingRates& rates, std::size_t bytes, base::Nanoseconds begin);

  /// True if every chunk has its own slot, so that the CPU never waits for the DMA.
  bool fits() const { return chunks_ <= rates_.slots; }
  /// The earliest start of the first chunk's DMA.
  base::Nanoseconds arrival() const;
  /// When the CPU is done, if it never waits for the DMA. If !fits(): when it has filled every slot.
  base::Nanoseconds filled() const;
  /// The duration of the whole DMA, if the CPU is never late.
  base::Nanoseconds dma_duration() const;
  /// A lower bound for the end of the DMA, given by when the CPU stages the last chunk. Only if fits().
  base::Nanoseconds earliest_end() const;

  struct Result {
    base::Nanoseconds host_done = 0;
    base::Nanoseconds dma_end = 0;
  };
  /// Runs the whole pipeline, with the first DMA starting at `start`. `scratch` only saves an allocation.
  Result run(base::Nanoseconds start, std::vector<double>& scratch) const;

 private:
  std::size_t chunk_bytes(std::size_t i) const;

  StagingRates rates_;
  std::size_t bytes_;
  std::size_t chunks_;
  base::Nanoseconds begin_;
};

/// Device to host, the CPU emptying each slot as soon as its chunk arrives. Durations from the start of the DMA.
struct StagedDownload {
  base::Nanoseconds dma = 0;   ///< until the last chunk's DMA has ended
  base::Nanoseconds host = 0;  ///< until the CPU has emptied the last slot
};
StagedDownload staged_download(const StagingRates& rates, std::size_t bytes, std::vector<double>& scratch);

}  // namespace lanescope::device::sim
