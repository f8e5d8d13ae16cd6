// How a copy between pageable memory and the device goes through the driver's staging buffer, chunk by chunk.
#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"

namespace lanescope::device::sim {

/// The two ends of the pipeline and the buffer between them. Times are double nanoseconds from the call's own begin.
struct StagingRates {
  double host_ns_per_byte = 0;  ///< the CPU between the program's memory and the staging buffer
  double dma_ns_per_byte = 0;
  base::Nanoseconds latency = 0;  ///< from a staged chunk until its DMA can start
  base::Nanoseconds fixed = 0;    ///< of the copy as a whole
  std::size_t chunk = 0;
  std::size_t slots = 0;
};

/// Host to device: the CPU fills slots from `begin` on; each chunk's DMA follows, in order; a slot is free again when
/// its DMA has ended.
class StagedUpload {
 public:
  StagedUpload(const StagingRates& rates, std::size_t bytes, base::Nanoseconds begin);

  /// All chunks have a slot of their own, so that the CPU never waits for the DMA.
  bool fits() const { return chunks_ <= rates_.slots; }
  /// When the first chunk's DMA may start at the earliest.
  base::Nanoseconds arrival() const;
  /// When the CPU is done if it never waits for the DMA. With !fits(): when it has filled every slot.
  base::Nanoseconds filled() const;
  /// The DMA of everything, if the CPU is never late.
  base::Nanoseconds dma_duration() const;
  /// The DMA cannot end before this, because the CPU stages the last chunk so late. Only with fits().
  base::Nanoseconds earliest_end() const;

  struct Result {
    base::Nanoseconds host_done = 0;
    base::Nanoseconds dma_end = 0;
  };
  /// The whole pipeline, given that the first DMA starts at `start`. `scratch` only saves an allocation.
  Result run(base::Nanoseconds start, std::vector<double>& scratch) const;

 private:
  std::size_t chunk_bytes(std::size_t i) const;

  StagingRates rates_;
  std::size_t bytes_;
  std::size_t chunks_;
  base::Nanoseconds begin_;
};

/// Device to host, with the CPU emptying each slot as soon as its chunk is there: durations from the start of the DMA.
struct StagedDownload {
  base::Nanoseconds dma = 0;   ///< until the last chunk's DMA has ended
  base::Nanoseconds host = 0;  ///< until the CPU has emptied the last slot
};
StagedDownload staged_download(const StagingRates& rates, std::size_t bytes, std::vector<double>& scratch);

}  // namespace lanescope::device::sim
