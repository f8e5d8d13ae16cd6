// The pipeline through the staging buffer in isolation.
#include "device/sim/gpu_timeline.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace lanescope::device::sim {
namespace {

using base::from_us;

// The CPU needs 20 us per chunk, the DMA 10, and 5 pass until the device knows of a chunk.
StagingRates rates(std::size_t slots, double dma_ns_per_byte = 0.1) {
  StagingRates r;
  r.host_ns_per_byte = 0.2;
  r.dma_ns_per_byte = dma_ns_per_byte;
  r.latency = from_us(5);
  r.fixed = from_us(1);
  r.chunk = 100'000;
  r.slots = slots;
  return r;
}

TEST(StagedUpload, OfOneShortChunk) {
  const StagedUpload upload(rates(2), 50'000, from_us(100));
  EXPECT_TRUE(upload.fits());
  EXPECT_EQ(upload.filled(), from_us(110));
  EXPECT_EQ(upload.arrival(), from_us(115));
  EXPECT_EQ(upload.dma_duration(), from_us(6));
  EXPECT_EQ(upload.earliest_end(), from_us(120));
}

TEST(StagedUpload, FitsWhileEveryChunkHasASlot) {
  EXPECT_TRUE(StagedUpload(rates(3), 300'000, 0).fits());
  EXPECT_FALSE(StagedUpload(rates(3), 300'001, 0).fits());
}

TEST(StagedUpload, OneSlotMakesCpuAndDmaTakeTurns) {
  const StagedUpload upload(rates(1), 300'000, 0);
  std::vector<double> scratch;
  // Staged at 20; DMA from 25 (the fixed microsecond has passed by then only if it starts at 24) to 36; staged at 56;
  // DMA 61 to 71; staged at 91; DMA 96 to 106.
  const StagedUpload::Result result = upload.run(from_us(25), scratch);
  EXPECT_EQ(result.host_done, from_us(91));
  EXPECT_EQ(result.dma_end, from_us(106));
}

TEST(StagedUpload, ASlowDmaIsTheBottleneck) {
  // 30 us per chunk by DMA, two slots. Staged at 20 and 40. DMA from 25: ends at 56, 86. Chunk 3 takes a slot at 56 and
  // is staged at 76, its DMA ends at 116; chunk 4 takes one at 86, is staged at 106, and ends at 146.
  const StagedUpload upload(rates(2, 0.3), 400'000, 0);
  std::vector<double> scratch;
  const StagedUpload::Result result = upload.run(from_us(25), scratch);
  EXPECT_EQ(result.host_done, from_us(106));
  EXPECT_EQ(result.dma_end, from_us(146));
}

TEST(StagedUpload, WhereItFitsBothWaysOfReckoningAgree) {
  const StagedUpload upload(rates(8), 650'000, from_us(7));
  std::vector<double> scratch;
  for (const double start_us : {32.0, 60.0, 100.0, 135.0, 150.0, 400.0}) {
    const StagedUpload::Result result = upload.run(from_us(start_us), scratch);
    EXPECT_EQ(result.host_done, upload.filled());
    EXPECT_EQ(result.dma_end, std::max(from_us(start_us) + upload.dma_duration(), upload.earliest_end())) << start_us;
  }
}

TEST(StagedDownload, TheCpuEmptiesWhileTheNextChunkArrives) {
  // DMA ends at 11, 21, 31; emptied at 31, 51, 71.
  std::vector<double> scratch;
  const StagedDownload download = staged_download(rates(4), 300'000, scratch);
  EXPECT_EQ(download.dma, from_us(31));
  EXPECT_EQ(download.host, from_us(71));
}

TEST(StagedDownload, OneSlotMakesCpuAndDmaTakeTurns) {
  // DMA ends at 11, emptied at 31; 41, 61; 71, 91.
  std::vector<double> scratch;
  const StagedDownload download = staged_download(rates(1), 300'000, scratch);
  EXPECT_EQ(download.dma, from_us(71));
  EXPECT_EQ(download.host, from_us(91));
}

}  // namespace
}  // namespace lanescope::device::sim
