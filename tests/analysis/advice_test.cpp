// One hand-made trace per rule of the advisor, with every interval known. Each test lists all the rules that apply, and
// so checks that the others do not. Five iterations of 100 µs.
#include "analysis/advisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "analysis/advice_loop.h"
#include "analysis/warm_up.h"

namespace lanescope::analysis_test {
namespace {

using analysis::Card;
using analysis::Evidence;
using analysis::Rule;
using analysis::Weight;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::MemoryKind;

class AdviceTest : public AdviceLoop {
 protected:
  /// In each iteration 3 waits within `statement`, and a launch 5 µs after each.
  template <typename Statement>
  void three_waits(Statement statement) {
    loop([&](Nanoseconds t) {
      statement(t);
      for (Nanoseconds s = t; s < t + 90'000; s += 30'000) {
        kernel(s + 1'000, s + 4'000, s + 10'000);
        b_.sync(s + 5'000, s + 14'000, 1'000, 4'000);
      }
      kernel(t + 79'000, t + 82'000, t + 98'000);
    });
  }
};

// The kernel runs until 44 µs, its wait returns at 58, the next launch begins at 110 and its kernel at 114: the GPU
// idles for 70 µs, four times in five iterations (the last gap is still open): 4 * 70 / 5 = 56 µs per iteration, 56 %.
// The wait is 15 µs (after 1 of own cost); for the first of these, the GPU is busy.
TEST_F(AdviceTest, AWaitThatDrainsTheGpu) {
  loop([&](Nanoseconds t) {
    kernel(t + 10'000, t + 14'000, t + 44'000);
    range("item()", t + 40'000, t + 80'000);
    b_.sync(t + 42'000, t + 58'000, 1'000, 14'000);
  });
  const Evidence e = evidence();
  EXPECT_EQ(e.iterations, 5);
  ASSERT_EQ(e.sites.size(), 2u);
  const analysis::CallSite& site = e.sites[0];
  EXPECT_EQ(trace_.names().text(site.range), "item()");
  EXPECT_EQ(trace_.names().text(site.call), "cudaStreamSynchronize");
  EXPECT_EQ(site.count, 5);
  EXPECT_EQ(site.sync_count, 5);
  EXPECT_EQ(site.needless_count, 0);
  EXPECT_EQ(site.wait_ns, 75'000);
  EXPECT_EQ(site.wait_busy_ns, 5'000);
  EXPECT_EQ(site.bubble_count, 4);
  EXPECT_EQ(site.bubbles_ns(), 280'000);
  EXPECT_EQ(site.quickly_followed, 0) << "the next launch is 52 µs later";
  EXPECT_EQ(site.example.start_ns, 42'000);
  EXPECT_EQ(e.median_kernel_ns, 30'000);
  EXPECT_EQ(e.median_launch_ns, 2'000);

  const std::vector<Card> found = cards();
  ASSERT_THAT(rules(found), ElementsAre(Rule::SyncBubble));
  EXPECT_EQ(found[0].weight, Weight::Costs);
  EXPECT_DOUBLE_EQ(found[0].cost_ns, 56'000);
  EXPECT_DOUBLE_EQ(found[0].share, 0.56);
  EXPECT_DOUBLE_EQ(found[0].per_iteration, 1);
  EXPECT_EQ(found[0].title, "item() drains the GPU");
  EXPECT_THAT(found[0].what, HasSubstr("56 µs per iteration, 56 %"));
}

// As in the file of a program that was killed before it said for the first time what is complete.
TEST_F(AdviceTest, WithoutACompleteStretchThereIsNoEvidence) {
  b_.iteration(10, 20);
  b_.kernel(12, 18);
  b_.publish_until(std::numeric_limits<Nanoseconds>::min());
  EXPECT_EQ(analysis::gather(trace_, 0, 100).iterations, 0);
  b_.publish_until(5);
  EXPECT_EQ(analysis::gather(trace_, 0, 100).iterations, 0);
  b_.publish_until(20);
  EXPECT_EQ(analysis::gather(trace_, 0, 100).iterations, 1);
}

// The wait is for a kernel of 44 us, and costs the GPU 2 us. But then four small kernels come late, one each 10 us: the
// GPU idles 4 x 8 us for them, which launches made 36 us earlier would have spared.
TEST_F(AdviceTest, AWaitForABusyGpuHoldsTheLaunchesUp) {
  loop([&](Nanoseconds t) {
    kernel(t + 10'000, t + 12'000, t + 56'000);
    range("item()", t + 18'000, t + 56'600);
    b_.sync(t + 20'000, t + 56'500, 1'000, 0);
    for (Nanoseconds at = t + 57'000; at < t + 97'000; at += 10'000) kernel(at - 300, at, at + 2'000);
    kernel(t + 96'700, t + 97'000, t + 111'000);
  });
  const std::vector<Card> found = cards();
  const auto held = std::ranges::find(found, "item() holds the launches up", &Card::title);
  ASSERT_NE(held, found.end());
  EXPECT_EQ(held->rule, Rule::SyncBubble);
  EXPECT_EQ(held->weight, Weight::Costs);
  EXPECT_THAT(rules(found), testing::Not(testing::Contains(Rule::HarmlessWait)));
  for (const Card& card : found) EXPECT_THAT(card.what, testing::Not(HasSubstr("No wait is the cause")));
}

// The same calls, and each kernel runs until the next one begins: 486 of 500 µs.
TEST_F(AdviceTest, AWaitForABusyGpuIsHarmless) {
  loop([&](Nanoseconds t) {
    kernel(t + 10'000, t + 14'000, t + 114'000);
    range("item()", t + 20'000, t + 98'000);
    b_.sync(t + 22'000, t + 97'000, 1'000, 0);
  });
  const std::vector<Card> found = cards();
  ASSERT_THAT(rules(found), ElementsAre(Rule::GpuBound, Rule::HarmlessWait));
  for (const Card& card : found) {
    EXPECT_EQ(card.weight, Weight::Harmless);
    EXPECT_EQ(card.cost_ns, 0);
  }
  EXPECT_THAT(found[1].what, HasSubstr("74 µs per iteration"));
}

// Ten launches of 8 µs, kernels of 3 µs: the GPU idles for 7 of 10 µs, 49 times in five iterations. A read in between
// finds nothing to wait for.
TEST_F(AdviceTest, LaunchesThatTakeLongerThanTheirKernels) {
  loop([&](Nanoseconds t) {
    for (Nanoseconds k = 0; k < 10; ++k) kernel(t + k * 10'000, t + k * 10'000 + 8'500, t + k * 10'000 + 11'500, 8'000);
  });
  const std::vector<Card> found = cards();
  ASSERT_THAT(rules(found), ElementsAre(Rule::LaunchBound));
  EXPECT_DOUBLE_EQ(found[0].cost_ns, 49 * 7'000 / 5.0);
  EXPECT_DOUBLE_EQ(found[0].per_iteration, 10);
}

// One kernel of 20 µs each 100 µs, launched without a wait before: 80 µs, four times.
TEST_F(AdviceTest, ACpuThatComputesBetweenLaunches) {
  loop([&](Nanoseconds t) { kernel(t + 50'000, t + 54'000, t + 74'000); });
  const std::vector<Card> found = cards();
  ASSERT_THAT(rules(found), ElementsAre(Rule::StarvedByCpu));
  EXPECT_DOUBLE_EQ(found[0].cost_ns, 64'000);
}

// The call blocks the CPU from 10 to 60 µs; its copy runs from 12 to 58. Meanwhile the GPU idles 4 µs per iteration.
// After the copy it idles until the kernel at 70, launched at 66, and then until the next copy at 112: what the calls
// do not block is the CPU's own time.
TEST_F(AdviceTest, APageableCopyHoldsTheCpu) {
  loop([&](Nanoseconds t) {
    range("copy", t + 5'000, t + 62'000);
    upload(t + 10'000, t + 60'000, t + 12'000, t + 58'000, 4 << 20, MemoryKind::Pageable);
    kernel(t + 66'000, t + 60'000, t + 104'000);
  });
  const Evidence e = evidence();
  ASSERT_EQ(e.copies.size(), 1u);
  EXPECT_EQ(trace_.names().text(e.copies[0].range), "copy");
  EXPECT_EQ(e.copies[0].host_ns, 250'000);
  EXPECT_EQ(e.copies[0].gpu_ns, 230'000);
  // Kernels run until 4 µs after each iteration's end, so every copy runs alone.
  EXPECT_EQ(e.copies[0].exposed_ns, 230'000);
  EXPECT_EQ(e.copies[0].held_idle_ns, 5 * 4'000);
  const std::vector<Card> found = cards();
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(rules(found), testing::Contains(Rule::PageableCopy));
  const auto card =
      std::find_if(found.begin(), found.end(), [](const Card& c) { return c.rule == Rule::PageableCopy; });
  EXPECT_DOUBLE_EQ(card->cost_ns, 50'000) << "idle, and copying alone";
  EXPECT_THAT(card->title, HasSubstr("in copy"));
}

// A damaged record may claim any number of bytes. As signed numbers, two of these would overflow, and each would count
// as small. Each counts as 2^40.
TEST_F(AdviceTest, CopiesThatClaimMoreThanAnyGpuHolds) {
  loop([&](Nanoseconds t) {
    upload(t + 1'000, t + 3'000, t + 4'000, t + 44'000, 0xa0a0'a0a0'a0a0'a0a0, MemoryKind::Pinned);
    kernel(t + 5'000, t + 38'000, t + 104'000);
  });
  const Evidence e = evidence();
  ASSERT_EQ(e.copies.size(), 1u);
  EXPECT_EQ(e.copies[0].bytes, std::int64_t{5} << 40);
  EXPECT_EQ(e.copies[0].small_count, 0);
}

// 40 µs of copying from pinned memory, 6 of them beside a kernel: 34 µs. 4.2 MB in 40 µs are 104.9 GB/s: more than half
// of a link of 200, and far less than half of one of 400.
TEST_F(AdviceTest, CopiesBesideNoKernel) {
  loop([&](Nanoseconds t) {
    upload(t + 1'000, t + 3'000, t + 4'000, t + 44'000, 4 << 20, MemoryKind::Pinned);
    kernel(t + 5'000, t + 38'000, t + 104'000);
  });
  EXPECT_THAT(rules(cards()), ElementsAre(Rule::NoOverlap)) << "not that only faster kernels would help";
  EXPECT_DOUBLE_EQ(cards()[0].cost_ns, 34'000);
  EXPECT_THAT(rules(cards({.h2d_peak_gb_per_s = 200})), ElementsAre(Rule::NoOverlap));
  EXPECT_THAT(rules(cards({.h2d_peak_gb_per_s = 400})), ElementsAre(Rule::NoOverlap, Rule::SlowLink));
}

TEST_F(AdviceTest, ReadsThatDecideWhatIsLaunched) {
  three_waits([&](Nanoseconds t) { range("while loss > eps", t, t + 100'000); });
  const std::vector<Card> found = cards();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, Rule::DependentSync);
  EXPECT_THAT(found[0].title, HasSubstr("while loss > eps"));
  EXPECT_THAT(rules(found), testing::Not(testing::Contains(Rule::RepeatedSync)));
}

// The same waits and launches, but the statement says what it is. A print decides nothing; synchronize() reads nothing,
// so that stacking its values or reading less often is no advice.
class StatementAdvice : public AdviceTest, public testing::WithParamInterface<trace::RangeKind> {};

TEST_P(StatementAdvice, APrintDecidesNothingAndSynchronizeReadsNothing) {
  three_waits([&](Nanoseconds t) { trace::set_range_kind(range("statement", t, t + 100'000), GetParam()); });
  const std::vector<Card> found = cards();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, Rule::RepeatedSync);
  EXPECT_THAT(found[0].fix, testing::Not(HasSubstr("torch.stack")));
  const bool prints = GetParam() == trace::RangeKind::Print;
  EXPECT_THAT(found[0].fix, HasSubstr(prints ? "print its item()" : "Synchronise only"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, StatementAdvice, testing::Values(trace::RangeKind::Print, trace::RangeKind::Sync),
                         [](const auto& tested) {
                           return std::string(tested.param == trace::RangeKind::Print ? "Print" : "Sync");
                         });

// Two reads in one range, the next launch more than 50 µs after the second: a single read would save half of their
// cost.
TEST_F(AdviceTest, SeveralReadsAtOnePlace) {
  loop([&](Nanoseconds t) {
    range("metrics", t + 10'000, t + 40'000);
    kernel(t + 1'000, t + 4'000, t + 14'000);
    b_.sync(t + 11'000, t + 20'000, 1'000, 6'000);
    b_.sync(t + 21'000, t + 24'000, 3'000, 0);
  });
  const std::vector<Card> found = cards();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, Rule::RepeatedSync);
  EXPECT_DOUBLE_EQ(found[0].per_iteration, 2);
  const Nanoseconds lost = evidence().sites[0].bubbles_ns();
  EXPECT_DOUBLE_EQ(found[0].cost_ns, static_cast<double>(lost) / 2 / 5);
  EXPECT_THAT(rules(found), testing::Contains(Rule::NeedlessSync)) << "the second one finds nothing to wait for";
}

// Waits 66 of 100 µs for data and then launches: the GPU's gap of 70 is due to the loader, but for less than a tenth. A
// wait of 80 µs does not count as a first batch.
TEST_F(AdviceTest, AProgramThatWaitsForItsLoader) {
  loop([&](Nanoseconds t) {
    b_.host_wait(t + 6'000, t + 72'000);
    kernel(t + 72'000, t + 75'000, t + 105'000);
  });
  const std::vector<Card> found = cards();
  ASSERT_THAT(rules(found), ElementsAre(Rule::LoaderWait));
  EXPECT_DOUBLE_EQ(found[0].cost_ns, 4 * 70'000 / 5.0);
}

// Four waits of 1 µs and one of 89, in the gap before the kernel of that iteration: more workers would not shorten it.
TEST_F(AdviceTest, OneWaitForDataIsFarLonger) {
  loop([&](Nanoseconds t) {
    const bool first = t == 2 * kPeriod;  // of an epoch
    b_.host_wait(t + 1'000, t + (first ? 90'000 : 2'000));
    kernel(t + (first ? 91'000 : 3'000), t + (first ? 94'000 : 6'000), t + (first ? 98'000 : 66'000));
  });
  const std::vector<Card> found = cards();
  ASSERT_THAT(rules(found), testing::Contains(Rule::FirstBatch));
  EXPECT_THAT(rules(found), testing::Not(testing::Contains(Rule::LoaderWait)));
  const auto card = std::ranges::find(found, Rule::FirstBatch, &Card::rule);
  EXPECT_DOUBLE_EQ(card->cost_ns, 88'000 / 5.0);
}

TEST_F(AdviceTest, MemoryThatIsPinnedAgainAndAgain) {
  loop([&](Nanoseconds t) {
    b_.call("cudaHostAlloc", t + 1'000, t + 11'000);
    kernel(t + 12'000, t + 15'000, t + 100'000);
  });
  const std::vector<Card> found = cards();
  ASSERT_THAT(rules(found), testing::Contains(Rule::PinningChurn));
}

// That is the pin thread's job: the program does not wait for it.
TEST_F(AdviceTest, APinThreadThatPinsIsNoMistake) {
  loop([&](Nanoseconds t) {
    b_.call("cudaHostAlloc", t + 1'000, t + 11'000, 0, 7);
    kernel(t + 12'000, t + 15'000, t + 100'000);
  });
  EXPECT_THAT(rules(cards()), testing::Not(testing::Contains(Rule::PinningChurn)));
}

// Ten copies of 1 KB an iteration, and one of 1 KB.
TEST_F(AdviceTest, ManySmallCopies) {
  loop([&](Nanoseconds t) {
    for (Nanoseconds k = 0; k < 10; ++k) {
      const Nanoseconds s = t + k * 4'000;
      upload(s + 500, s + 3'500, s + 2'000, s + 3'000, 1024, MemoryKind::Pinned);
    }
    kernel(t + 40'000, t + 43'000, t + 100'000);
  });
  EXPECT_THAT(rules(cards()), testing::Contains(Rule::ManySmallCopies));
}

// cudaMemcpyAsync followed by a wait, twice per iteration, in a range that reads nothing: a blocking upload, not a read
// that could be combined with others.
TEST_F(AdviceTest, UploadsThatAreWaitedFor) {
  loop([&](Nanoseconds t) {
    range("copy", t + 1'000, t + 60'000);
    for (Nanoseconds k = 0; k < 2; ++k) {
      const Nanoseconds s = t + 2'000 + k * 28'000;
      upload(s, s + 2'000, s + 3'000, s + 9'000, 1 << 20, MemoryKind::Pinned);
      b_.sync(s + 4'000, s + 14'000, 1'000, 5'000);
    }
    kernel(t + 70'000, t + 73'000, t + 99'000);
  });
  const std::vector<Card> found = cards();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, Rule::SyncBubble);
  EXPECT_EQ(found[0].title, "copy waits for its own copy");
  EXPECT_THAT(found[0].remedies, testing::Contains(analysis::Remedy::NonBlocking));
  EXPECT_THAT(rules(found), testing::Not(testing::Contains(Rule::RepeatedSync)));
}

TEST_F(AdviceTest, AWrongNumberComesFirst) {
  loop([&](Nanoseconds t) {
    kernel(t + 10'000, t + 14'000, t + 44'000);
    b_.sync(t + 42'000, t + 58'000, 1'000, 14'000);
    range("read", t + 70'000, t + 71'000);
    b_.events.back().flags = trace::kNotArrivedFlag;
  });
  const std::vector<Card> found = cards();
  ASSERT_THAT(rules(found), ElementsAre(Rule::StaleRead, Rule::SyncBubble));
  EXPECT_EQ(found[0].weight, Weight::Wrong);
  EXPECT_EQ(found[0].place.start_ns, 70'000);
}

TEST_F(AdviceTest, WithoutAWholeIterationNothingIsSaid) {
  kernel(10'000, 14'000, 44'000);
  b_.publish();
  EXPECT_EQ(evidence().iterations, 0);
  EXPECT_THAT(cards(), IsEmpty());
}

// The first iteration always, then those above twice the median (10): 50 and 30, but not 15. A quarter at most.
TEST(WarmUp, IsWhatTakesMoreThanTwiceTheUsual) {
  const auto records = [](const std::vector<Nanoseconds>& durations) {
    std::vector<analysis::IterationRecord> made;
    for (const Nanoseconds d : durations) {
      made.emplace_back();
      made.back().end_ns = d;
    }
    return made;
  };
  EXPECT_EQ(analysis::warm_up_count(records({90, 50, 30, 15, 10, 10, 10, 10, 10, 10, 10, 10})), 3u);
  EXPECT_EQ(analysis::warm_up_count(records({90, 50, 30, 10, 10, 10, 10, 10, 10})), 2u) << "a quarter";
  EXPECT_EQ(analysis::warm_up_count(records({10, 10, 10, 10})), 1u);
  EXPECT_EQ(analysis::warm_up_count(records({90, 10, 10})), 0u) << "too few to tell";
}

// Two kernels until 194 µs; the launch of the third takes 300 µs, from 195 to 495, and it starts at 498: the GPU is dry
// for 304 of 500 µs, 60.8 per iteration. The other launches take 2 µs.
TEST_F(AdviceTest, OneVeryLongLaunchIsNamed) {
  for (int i = 0; i < kIterations; ++i) b_.iteration(i * kPeriod, (i + 1) * kPeriod);
  kernel(0, 4'000, 94'000);
  kernel(10'000, 94'000, 194'000);
  kernel(195'000, 498'000, 500'000, 300'000);
  for (Nanoseconds t = 20'000; t < 50'000; t += 10'000) b_.launch(t, t + 2'000, ++correlation_);
  b_.publish();
  const Evidence e = evidence();
  EXPECT_EQ(e.median_launch_ns, 2'000);
  EXPECT_EQ(e.long_launches.count, 1);
  EXPECT_EQ(e.long_launches.idle_ns, 304'000) << "from 194 to 498";
  const std::vector<Card> found = cards();
  ASSERT_THAT(rules(found), ElementsAre(Rule::StarvedByCpu));
  EXPECT_EQ(found[0].title, "One launch took 300 µs");
  EXPECT_DOUBLE_EQ(found[0].cost_ns, 304'000 / 5.0);
  EXPECT_THAT(found[0].what, HasSubstr("Half of the launches take 2 µs or less"));
  EXPECT_EQ(found[0].place.start_ns, 195'000);
  EXPECT_EQ(found[0].call, "cudaLaunchKernel");
}

// The same with a call of 95 µs, which is no more than 100; and in a program all of whose launches take 40.
TEST_F(AdviceTest, ALaunchAsLongAsOthersIsNot) {
  for (int i = 0; i < kIterations; ++i) b_.iteration(i * kPeriod, (i + 1) * kPeriod);
  kernel(0, 4'000, 194'000);
  kernel(195'000, 295'000, 300'000, 95'000);
  kernel(301'000, 425'000, 500'000, 120'000);
  for (Nanoseconds t = 2'000; t < 192'000; t += 50'000) b_.launch(t, t + 40'000, ++correlation_);
  b_.publish();
  EXPECT_EQ(evidence().long_launches.count, 0);
}

// 10 copies of 1 KB per iteration in each direction.
TEST_F(AdviceTest, SmallCopiesAreNamedByTheirDirection) {
  const auto title = [this](CopyDirection direction, bool called) {
    trace::Trace trace;
    TraceBuilder b(trace);
    for (int i = 0; i < kIterations; ++i) {
      b.iteration(i * kPeriod, (i + 1) * kPeriod);
      for (Nanoseconds k = 0; k < 10; ++k) {
        const Nanoseconds at = i * kPeriod + k * 10'000;
        if (called) b.copy_call(at, at + 2'000, ++correlation_);
        b.upload(at + 3'000, at + 9'000, 1024, called ? correlation_ : 0);
        trace::set_copy_traits(b.events.back(), {direction, MemoryKind::Device, MemoryKind::Device, true});
      }
    }
    b.publish();
    for (const Card& card : analysis::advise(analysis::gather(trace, 0, kIterations * kPeriod), trace.names(), {}))
      if (card.rule == Rule::ManySmallCopies) return card.title;
    return std::string();
  };
  EXPECT_EQ(title(CopyDirection::HostToDevice, true), "Many small copies in uploads");
  EXPECT_EQ(title(CopyDirection::DeviceToHost, true), "Many small copies in downloads");
  EXPECT_EQ(title(CopyDirection::DeviceToDevice, true), "Many small copies in device-to-device copies");
  EXPECT_EQ(title(CopyDirection::DeviceToDevice, false), "") << "they took none of the CPU's time";
}

}  // namespace
}  // namespace lanescope::analysis_test
