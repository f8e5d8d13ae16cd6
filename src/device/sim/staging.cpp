#include "device/sim/staging.h"

#include <algorithm>
#include <vector>

namespace lanescope::device::sim {
namespace {

using base::Nanoseconds;

Nanoseconds staging_rounded(double ns) { return static_cast<Nanoseconds>(ns + 0.5); }

std::size_t count_chunks(const StagingRates& rates, std::size_t bytes) {
  return (bytes + rates.chunk - 1) / rates.chunk;
}

}  // namespace

StagedUpload::StagedUpload(const StagingRates& rates, std::size_t bytes, Nanoseconds begin)
    : rates_(rates), bytes_(bytes), chunks_(count_chunks(rates, bytes)), begin_(begin) {}

std::size_t StagedUpload::chunk_bytes(std::size_t i) const {
  return i + 1 < chunks_ ? rates_.chunk : bytes_ - (chunks_ - 1) * rates_.chunk;
}

Nanoseconds StagedUpload::arrival() const {
  return begin_ + staging_rounded(static_cast<double>(chunk_bytes(0)) * rates_.host_ns_per_byte) + rates_.latency;
}

Nanoseconds StagedUpload::filled() const {
  const std::size_t filled_bytes = fits() ? bytes_ : rates_.slots * rates_.chunk;
  return begin_ + staging_rounded(static_cast<double>(filled_bytes) * rates_.host_ns_per_byte);
}

Nanoseconds StagedUpload::dma_duration() const {
  return rates_.fixed + staging_rounded(static_cast<double>(bytes_) * rates_.dma_ns_per_byte);
}

Nanoseconds StagedUpload::earliest_end() const {
  return filled() + rates_.latency +
         staging_rounded(static_cast<double>(chunk_bytes(chunks_ - 1)) * rates_.dma_ns_per_byte);
}

StagedUpload::Result StagedUpload::run(Nanoseconds start, std::vector<double>& scratch) const {
  scratch.assign(std::min(rates_.slots, chunks_), 0.0);  // when the DMA that last used a slot has ended
  const double latency = static_cast<double>(rates_.latency);
  double staged = 0;
  double dma_end = static_cast<double>(start - begin_ + rates_.fixed);
  for (std::size_t i = 0; i < chunks_; ++i) {
    const double bytes = static_cast<double>(chunk_bytes(i));
    double& slot = scratch[i % scratch.size()];
    staged = std::max(staged, slot) + bytes * rates_.host_ns_per_byte;
    dma_end = std::max(dma_end, staged + latency) + bytes * rates_.dma_ns_per_byte;
    slot = dma_end;
  }
  return {begin_ + staging_rounded(staged), begin_ + staging_rounded(dma_end)};
}

StagedDownload staged_download(const StagingRates& rates, std::size_t bytes, std::vector<double>& scratch) {
  const std::size_t chunks = count_chunks(rates, bytes);
  scratch.assign(std::min(rates.slots, chunks), 0.0);  // when the CPU has emptied a slot
  double dma_end = static_cast<double>(rates.fixed);
  double emptied = 0;
  for (std::size_t i = 0; i < chunks; ++i) {
    const double size = static_cast<double>(i + 1 < chunks ? rates.chunk : bytes - (chunks - 1) * rates.chunk);
    double& slot = scratch[i % scratch.size()];
    dma_end = std::max(dma_end, slot) + size * rates.dma_ns_per_byte;
    emptied = std::max(emptied, dma_end) + size * rates.host_ns_per_byte;
    slot = emptied;
  }
  return {staging_rounded(dma_end), staging_rounded(emptied)};
}

}  // namespace lanescope::device::sim
