#include "analysis/stragglers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/advisor.h"
#include "analysis/collectives.h"
#include "analysis/gpu_job.h"

namespace lanescope::analysis {
namespace {

using analysis_test::GpuJob;
using base::Nanoseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Nanoseconds kUs = base::kMicrosecond;
constexpr int kTimes = 12;
constexpr Nanoseconds kEvery = 20'000;  // µs, from one iteration to the next
constexpr const char* kGather = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

// 25,000,000 numbers of 4 bytes.
std::string of_group(const std::string& name, const std::string& ranks) {
  return R"("Collective name":"allreduce","In msg nelems":25000000,"Out msg nelems":25000000,"dtype":"Float",)"
         R"("Process Group Name":")" +
         name + R"(","Process Group Ranks":")" + ranks + '"';
}

/// In each iteration, 100 MB between two GPUs, the second of which comes 100 µs after the first. Nothing is computed.
void exchange(GpuJob& job, int first, const std::string& group, Nanoseconds transfer_us) {
  const std::string said = of_group(group, "[" + std::to_string(first) + ", " + std::to_string(first + 1) + "]");
  for (int i = 0; i < kTimes; ++i) {
    const Nanoseconds at = i * kEvery;
    job.kernel(first, analysis_test::kAllReduce, at, at + 100 + transfer_us, said);
    job.kernel(first + 1, analysis_test::kAllReduce, at + 100, at + 100 + transfer_us, said);
  }
  job.trace.publish();
}

Collectives all(const GpuJob& job, Nanoseconds clock_error_ns = 0) {
  return collectives(job.trace, 0, kTimes * kEvery * kUs, clock_error_ns);
}

std::vector<Card> slow(const GpuJob& job) {
  const Nanoseconds whole = kTimes * kEvery * kUs;
  std::vector<Card> cards = job_cards(job.trace, all(job), {0, whole, whole, kTimes, kEvery * kUs});
  std::erase_if(cards, [](const Card& card) { return card.rule != Rule::SlowExchange; });
  return cards;
}

TEST(CollectiveRates, BytesAreWhatIsExchanged) {
  EXPECT_EQ(bytes_of_collective(trace::collective_facts(of_group("0", "[0, 1]")), "AllReduce", 2), 100'000'000u);
  // PyTorch states both arrays, NCCL what one GPU has.
  EXPECT_EQ(bytes_of_collective(trace::collective_facts(R"("In msg nelems":10,"Out msg nelems":40,"dtype":"BFloat16")"),
                                "AllGather", 4),
            80u);
  EXPECT_EQ(bytes_of_collective(trace::collective_facts(R"("communicator":"0xab","bytes":20)"), "AllGather", 4), 80u);
  EXPECT_EQ(bytes_of_collective(trace::collective_facts(R"("communicator":"0xab","bytes":20)"), "ReduceScatter", 4),
            80u);
  EXPECT_EQ(bytes_of_collective(trace::collective_facts(R"("communicator":"0xab","bytes":80)"), "AllReduce", 4), 80u);
  // Not known.
  EXPECT_EQ(bytes_of_collective(trace::collective_facts(""), "AllReduce", 2), 0u);
  EXPECT_EQ(bytes_of_collective(trace::collective_facts(R"("In msg nelems":10,"dtype":"Quaternion")"), "AllReduce", 2),
            0u);
  EXPECT_EQ(bytes_of_collective(trace::collective_facts(R"("bytes":99999999999999999999999)"), "AllReduce", 2), 0u);
  EXPECT_EQ(bytes_of_collective(trace::collective_facts(R"("In msg nelems":18446744073709551615,"dtype":"Double")"),
                                "AllGather", 9),
            0u);
}

// 80 bytes among four GPUs.
TEST(CollectiveRates, LinksCarryAnotherNumberOfBytes) {
  Collective one;
  one.parts.resize(4);
  one.bytes = 80;
  const auto of = [&](std::string_view operation) {
    one.operation = operation;
    return bus_bytes(one);
  };
  EXPECT_DOUBLE_EQ(of("AllReduce"), 120);
  EXPECT_DOUBLE_EQ(of("AllGather"), 60);
  EXPECT_DOUBLE_EQ(of("ReduceScatter"), 60);
  EXPECT_DOUBLE_EQ(of("Broadcast"), 80);
  EXPECT_DOUBLE_EQ(of("SendRecv"), 0);
  one.parts.resize(1);
  EXPECT_DOUBLE_EQ(of("AllReduce"), 0);
}

// 100 MB in 1 ms after the second has come: 100 GB/s, and the wait before counts for nothing. The others need 10 ms. Of
// those, 9 ms in each iteration would not be there at the rate of the first.
TEST(CollectiveRates, TheSlowGroupIsNamed) {
  GpuJob job(4);
  exchange(job, 0, "a", 1000);
  exchange(job, 2, "b", 10'000);
  const Collectives found = all(job);
  ASSERT_THAT(found.all, SizeIs(2 * kTimes));
  const std::vector<GroupRate> rates = group_rates(found);
  ASSERT_THAT(rates, SizeIs(2));
  EXPECT_THAT(rates[0].gpus, ElementsAre(0, 1));
  EXPECT_DOUBLE_EQ(rates[0].bytes_per_s, 100e9);
  EXPECT_EQ(rates[0].collectives, kTimes);
  EXPECT_EQ(rates[0].transfer_ns, kTimes * 1000 * kUs);
  EXPECT_DOUBLE_EQ(rates[1].bytes_per_s, 10e9);
  EXPECT_THAT(rate_sentences(found), ElementsAre(HasSubstr("100.0 GB/s"), HasSubstr("10.0 GB/s")));

  const std::vector<Card> cards = slow(job);
  ASSERT_THAT(cards, SizeIs(1));
  EXPECT_THAT(cards[0].what, AllOf(HasSubstr(group_text(found, rates[1])), HasSubstr("10.0 GB/s, elsewhere"),
                                   HasSubstr("100.0 GB/s")));
  EXPECT_NEAR(cards[0].cost_ns, 9e6, 1);
  EXPECT_EQ(cards[0].place.lane, job.lane(2, 1));
}

// 6 GB/s in 16.7 ms: half of it is more than PCIe 3.0 would need. At 50 GB/s there is nothing to say.
TEST(CollectiveRates, ASlowLinkNeedsNoOtherToCompareWith) {
  GpuJob job(2);
  exchange(job, 0, "a", 16'667);
  const std::vector<Card> cards = slow(job);
  ASSERT_THAT(cards, SizeIs(1));
  EXPECT_THAT(cards[0].what, AllOf(HasSubstr("6.0 GB/s"), HasSubstr("PCIe")));
  EXPECT_NEAR(cards[0].cost_ns, 16'667e3 / 2, 1000);
  GpuJob fast(2);
  exchange(fast, 0, "a", 2000);
  EXPECT_THAT(slow(fast), IsEmpty());
}

// An all-gather of 1 MB lasts long because of its latency.
TEST(CollectiveRates, ShortOnesAndUncertainOnesAreLeftOut) {
  GpuJob job(2);
  for (int i = 0; i < kTimes; ++i) {
    for (int gpu = 0; gpu < 2; ++gpu) job.kernel(gpu, kGather, i * kEvery, i * kEvery + 10'000, R"("bytes":500000)");
  }
  job.trace.publish();
  ASSERT_THAT(all(job).all, SizeIs(kTimes));
  EXPECT_EQ(all(job).all[0].bytes, 1'000'000u);
  EXPECT_THAT(group_rates(all(job)), IsEmpty());
  EXPECT_THAT(group_rates(all(job), 1'000'000), SizeIs(1));
  EXPECT_THAT(group_rates(all(job, 1001 * kUs), 1'000'000), IsEmpty()) << "a tenth of the transfer, and more";
}

TEST(CollectiveRates, LookingForCollectivesCanBeStopped) {
  GpuJob job(2);
  exchange(job, 0, "a", 1000);
  const base::Stop stop{true};
  const Collectives none = collectives(job.trace, 0, kTimes * kEvery * kUs, 0, &stop);
  EXPECT_THAT(none.all, IsEmpty());
  EXPECT_THAT(none.gpus, IsEmpty());
}

}  // namespace
}  // namespace lanescope::analysis
