// Who arrives last in the collectives of two GPUs, worked out by hand.
#include "analysis/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "analysis/gpu_job.h"

namespace lanescope::analysis_test {
namespace {

using analysis::Collectives;
using analysis::CollectiveVerdict;
using base::Nanoseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CollectivesOfGpus : public testing::Test {
 protected:
  explicit CollectivesOfGpus(int gpus = 3) : job_(gpus) {}
  void kernel(int gpu, const std::string& name, Nanoseconds start, Nanoseconds end, const std::string& arguments = "") {
    job_.kernel(gpu, name, start, end, arguments);
  }
  Collectives all(Nanoseconds clock_error_ns = 0) {
    job_.trace.publish();
    return analysis::collectives(job_.trace, std::numeric_limits<Nanoseconds>::min(),
                                 std::numeric_limits<Nanoseconds>::max(), clock_error_ns);
  }
  /// Every millisecond, 12 times.
  template <typename Once>
  static void each(Once once) {
    for (Nanoseconds t = 0; t < 12'000; t += 1000) once(t);
  }
  /// Each time GPU 0 arrives at once, GPU 1 after `skew` µs, and both end after 100.
  void two(Nanoseconds skew) {
    each([&](Nanoseconds t) {
      kernel(0, kAllReduce, t, t + 100);
      kernel(1, kAllReduce, t + skew, t + 100);
    });
  }

  GpuJob job_;
};

TEST(CollectiveOperation, IsInTheNameOfTheKernelOfEveryVersion) {
  const std::pair<const char*, const char*> kernels[] = {
      {kAllReduce, "AllReduce"},
      {"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long)", "AllGather"},
      {"ncclReduceScatterRingLLKernel_sum_f32", "ReduceScatter"},
      {"void ncclDevKernel_SendRecv(ncclDevKernelArgs)", "SendRecv"},
      {"ncclDevKernel_Reduce_Sum_f32_RING_LL", "Reduce"},
      {"gemm_AllReduce_kernel", ""},
      {"void multimem_one_shot_all_reduce_kernel<c10::BFloat16, 16>(int)", "AllReduce"},
      {"two_shot_all_reduce_kernel", "AllReduce"},
      {"multimem_all_gather_kernel", "AllGather"},
      {"void vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData*)", "AllReduce"},
      {"multimem_copy", ""},
      {"ncclGroupEnd", ""},
  };
  for (const auto& [name, operation] : kernels) EXPECT_EQ(analysis::collective_operation(name), operation) << name;
}

TEST(CollectiveOperation, OfRcclsGenericKernelIsInItsArguments) {
  const auto of = [](const std::string& name) {
    return analysis::collective_operation("ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)",
                                          trace::collective_facts(R"("Collective name":")" + name + R"(","Seq":3)"));
  };
  const std::pair<const char*, const char*> names[] = {{"allreduce", "AllReduce"},
                                                       {"_allgather_base", "AllGather"},
                                                       {"reduce_scatter_tensor_coalesced", "ReduceScatter"},
                                                       {"all_to_allv", "AllToAll"},
                                                       {"_reduce_oop", "Reduce"},
                                                       {"recv", "SendRecv"},
                                                       {"wait", "Generic"}};
  for (const auto& [name, operation] : names) EXPECT_EQ(of(name), operation) << name;
  EXPECT_EQ(analysis::collective_operation("ncclDevKernel_Generic_1", trace::collective_facts("")), "Generic");
  EXPECT_EQ(analysis::collective_operation(kAllReduce, trace::collective_facts(R"("Collective name":"broadcast")")),
            "AllReduce")
      << "a kernel's own name goes first";
  EXPECT_EQ(analysis::collective_operation("gemm", trace::collective_facts(R"("Collective name":"broadcast")")), "");
}

// As OperationsAreMatchedWithTheirOwn, by RCCL: the broadcast of GPU 1 runs at the same time, but is another one.
TEST_F(CollectivesOfGpus, GenericKernelsAreMatchedByTheNamesOfTheirCollectives) {
  const std::string generic = "ncclDevKernel_Generic_1";
  kernel(0, generic, 0, 100, R"("Collective name":"allreduce")");
  kernel(1, generic, 5, 95, R"("Collective name":"broadcast")");
  kernel(1, generic, 95, 120, R"("Collective name":"allreduce")");
  const Collectives found = all();
  ASSERT_THAT(found.all, SizeIs(1));
  EXPECT_EQ(found.all[0].operation, "AllReduce");
  EXPECT_EQ(found.all[0].parts[1].start_ns, 95'000);
  EXPECT_EQ(found.unmatched, 1);
}

// Nobody waits, and the clocks are known to 1 ns: that is enough to say so.
TEST_F(CollectivesOfGpus, WithoutAnyWaitingItIsTransfer) {
  two(0);
  const Collectives found = all(1);
  EXPECT_EQ(found.verdict, CollectiveVerdict::Transfer);
  EXPECT_THAT(found.sentence, HasSubstr("0 % of the time"));
}

// On GPU 0 a kernel's lane sets memory for 30 of the 100 µs: no kernel runs then. On GPU 1 one computes.
TEST_F(CollectivesOfGpus, SettingMemoryIsNoKernelBesideThem) {
  job_.trace.append({.start_ns = 20'000,
                     .end_ns = 50'000,
                     .name = job_.trace.names().intern("Memset"),
                     .lane = job_.lane(0, 0),
                     .kind = trace::EventKind::Memset});
  kernel(0, kAllReduce, 0, 100);
  kernel(1, "gemm", 20, 50);
  kernel(1, kAllReduce, 0, 100);
  const Collectives found = all();
  EXPECT_EQ(found.gpus[0].exposed_ns, 100'000);
  EXPECT_EQ(found.gpus[1].exposed_ns, 70'000);
}

// Each time GPU 0 waits 90 µs for GPU 1, and both transfer for 10: 90 of 110 µs is waiting, 82 %.
TEST_F(CollectivesOfGpus, AGpuThatIsLateMakesTheOthersWait) {
  two(90);
  const Collectives found = all();
  ASSERT_THAT(found.all, SizeIs(12));
  EXPECT_EQ(found.all[3].operation, "AllReduce");
  EXPECT_EQ(found.all[3].last, 1u);
  EXPECT_EQ(found.all[3].last_start_ns, 3'090'000);
  ASSERT_THAT(found.gpus, SizeIs(2));
  EXPECT_EQ(found.gpus[0].wait_ns, 12 * 90'000);
  EXPECT_EQ(found.gpus[0].transfer_ns, 12 * 10'000);
  EXPECT_EQ(found.gpus[0].arrived_last, 0);
  EXPECT_EQ(found.gpus[1].wait_ns, 0);
  EXPECT_EQ(found.gpus[1].transfer_ns, 12 * 10'000);
  EXPECT_EQ(found.gpus[1].arrived_last, 12);
  EXPECT_EQ(found.unmatched, 0);
  EXPECT_EQ(found.verdict, CollectiveVerdict::Skew);
  EXPECT_THAT(found.sentence, HasSubstr("82 % of the time"));
  EXPECT_THAT(found.sentence, HasSubstr(found.gpus[1].name + " in 100 % of them"));
}

// 10 of 190 µs is waiting; 60 of 140 is 43 %.
TEST_F(CollectivesOfGpus, HowMuchIsWaitingDecides) {
  two(10);
  EXPECT_EQ(all().verdict, CollectiveVerdict::Transfer);
  EXPECT_EQ(all(4'000).verdict, CollectiveVerdict::Transfer) << "10 µs of skew with clocks known to 4";
  EXPECT_EQ(all(6'000).verdict, CollectiveVerdict::Inconclusive) << "but not if they are known to 6";
}
TEST_F(CollectivesOfGpus, InBetweenItIsMixed) {
  two(60);
  EXPECT_EQ(all().verdict, CollectiveVerdict::Mixed);
}

// A compute kernel runs for the first 30 µs of GPU 0's 100, and on until 20 µs after it began on GPU 1.
TEST_F(CollectivesOfGpus, CommunicationIsExposedWhileNothingElseRuns) {
  kernel(0, "gemm", 0, 30);
  kernel(0, kAllReduce, 0, 100);
  kernel(1, "gemm", 0, 30);
  kernel(1, kAllReduce, 10, 100);
  const Collectives found = all();
  EXPECT_EQ(found.gpus[0].communication_ns, 100'000);
  EXPECT_EQ(found.gpus[0].exposed_ns, 70'000);
  EXPECT_EQ(found.gpus[1].communication_ns, 90'000);
  EXPECT_EQ(found.gpus[1].exposed_ns, 70'000);
  EXPECT_EQ(found.gpus[0].exposed_transfer_ns, 70'000) << "they transfer from 10 to 100";
  EXPECT_EQ(found.verdict, CollectiveVerdict::Inconclusive) << "one is too few";
}

// The record of GPU 1 begins later, so its first kernel is the counterpart of GPU 0's second.
TEST_F(CollectivesOfGpus, AMissingKernelDoesNotShiftTheOthers) {
  each([&](Nanoseconds t) {
    kernel(0, kAllReduce, t, t + 100);
    if (t > 0) kernel(1, kAllReduce, t + 90, t + 100);
  });
  const Collectives found = all();
  EXPECT_THAT(found.all, SizeIs(11));
  EXPECT_EQ(found.unmatched, 1);
  EXPECT_EQ(found.gpus[0].wait_ns, 11 * 90'000);
  EXPECT_EQ(found.verdict, CollectiveVerdict::Skew);
}

// GPU 1 is recorded from 3.5 ms on: of GPU 0's first four collectives nobody knows when it came. The fifth is missing.
TEST_F(CollectivesOfGpus, WhatTheOthersDidNotRecordIsNotUnmatched) {
  for (Nanoseconds t = 0; t < 16'000; t += 1000) {
    kernel(0, kAllReduce, t, t + 100);
    if (t > 4000) kernel(1, kAllReduce, t + 90, t + 100);
  }
  constexpr std::int64_t pid = 101;  // of GPU 1
  job_.trace.change_recording({trace::RecordingChange::Act::Nothing, pid, 0, 0});
  job_.trace.begin_recorded(pid, 3'500'000);
  job_.trace.end_recorded(pid, 16'000'000);
  const Collectives found = all();
  EXPECT_THAT(found.all, SizeIs(11));
  EXPECT_EQ(found.unmatched, 1);
}

// Two at the same time, of different operations, are not mixed up; two of the same are taken in order.
TEST_F(CollectivesOfGpus, OperationsAreMatchedWithTheirOwn) {
  kernel(0, kAllReduce, 0, 100);
  kernel(1, "ncclDevKernel_AllGather_RING_LL", 5, 95);
  kernel(1, kAllReduce, 20, 100);
  kernel(0, "ncclDevKernel_AllGather_RING_LL", 100, 130);
  const Collectives found = all();
  ASSERT_THAT(found.all, SizeIs(1));
  EXPECT_EQ(found.all[0].parts[1].start_ns, 20'000);
  EXPECT_EQ(found.unmatched, 2) << "the gathers do not overlap";
}

TEST_F(CollectivesOfGpus, OfThreeGpusAllMustTakePart) {
  each([&](Nanoseconds t) {
    kernel(0, kAllReduce, t, t + 100);
    kernel(1, kAllReduce, t + 20, t + 100);
    kernel(2, kAllReduce, t + (t % 2000 == 0 ? 50 : 5), t + 100);
  });
  const Collectives found = all();
  ASSERT_THAT(found.gpus, SizeIs(3));
  EXPECT_EQ(found.gpus[1].arrived_last, 6);
  EXPECT_EQ(found.gpus[2].arrived_last, 6);
  EXPECT_EQ(found.gpus[0].wait_ns, 6 * 50'000 + 6 * 20'000);
  EXPECT_EQ(found.gpus[2].delays_ns, 6 * 30'000) << "50 - 20";
  EXPECT_EQ(found.gpus[1].delays_ns, 6 * 15'000) << "20 - 5";
}

// As the PyTorch profiler writes them.
TEST(CommunicatorOfAKernel, IsInItsArguments) {
  const auto found = trace::collective_facts(
      R"("Collective name":"allreduce","In msg nelems":4096,"Process Group Name":"1","Process Group Ranks":"[0, 2]","Seq":17)");
  EXPECT_EQ(found.group, "1 [0, 2]");
  EXPECT_EQ(found.sequence, 17);
  EXPECT_EQ(trace::collective_facts(R"("Process Group Name":"a\"b")").group, "a\\\"b ");
  EXPECT_EQ(trace::collective_facts(R"("Process Group Name":"1","Seq":"x")").sequence, std::nullopt);
  EXPECT_EQ(trace::collective_facts(R"("Group size":2,"Seq":3)").group, "");
  EXPECT_EQ(trace::collective_facts(R"("Process Group Name":"cut)").group, "");
  EXPECT_EQ(trace::collective_facts(R"("bytes":4096,"communicator":"0x00000000000abcde")").group, "0x00000000000abcde");
  EXPECT_EQ(trace::collective_facts("").group, "");
}

class CollectivesOfGroups : public CollectivesOfGpus {
 protected:
  CollectivesOfGroups() : CollectivesOfGpus(4) {}
  void reduce(int gpu, const std::string& group, Nanoseconds start, Nanoseconds end, int sequence = -1) {
    std::string arguments = R"("Process Group Name":")" + group + '"';
    if (sequence >= 0) arguments += R"(,"Seq":)" + std::to_string(sequence);
    kernel(gpu, kAllReduce, start, end, arguments);
  }
};

// Tensor parallel: GPUs 0 and 1, GPUs 2 and 3; data parallel: GPUs 0 and 2. All of them overlap in time. In each
// millisecond GPU 0 waits 30 µs for GPU 1 and 60 for GPU 2, and GPU 2 waits 40 for GPU 3; the transfers take 2 * 70,
// 2 * 70 and 2 * 50 µs. So 130 of 510 µs is waiting.
TEST_F(CollectivesOfGroups, AreNotMixedUp) {
  each([&](Nanoseconds t) {
    reduce(0, "tp0", t, t + 100);
    reduce(1, "tp0", t + 30, t + 100);
    reduce(2, "tp1", t + 10, t + 100);
    reduce(3, "tp1", t + 50, t + 100);
    reduce(0, "dp0", t + 20, t + 150);
    reduce(2, "dp0", t + 80, t + 150);
  });
  const Collectives found = all();
  ASSERT_THAT(found.all, SizeIs(36));
  ASSERT_THAT(found.gpus, SizeIs(4));
  EXPECT_EQ(found.unmatched, 0);
  EXPECT_EQ(found.gpus[0].wait_ns, 12 * 90'000);
  EXPECT_EQ(found.gpus[1].wait_ns, 0);
  EXPECT_EQ(found.gpus[2].wait_ns, 12 * 40'000);
  EXPECT_EQ(found.gpus[2].transfer_ns, 12 * 120'000);
  EXPECT_EQ(found.gpus[0].arrived_last, 0);
  EXPECT_EQ(found.gpus[1].arrived_last, 12);
  EXPECT_EQ(found.gpus[2].arrived_last, 12);
  EXPECT_EQ(found.gpus[3].arrived_last, 12);
  EXPECT_EQ(found.gpus[2].count, 24);
  EXPECT_THAT(found.sentence, HasSubstr("25 % of the time"));
  for (std::size_t i = 0; i + 1 < found.all.size(); ++i) {
    EXPECT_LE(found.all[i].parts[0].start_ns, found.all[i + 1].parts[0].start_ns);
  }
}

// GPU 1's second all-reduce starts before its first.
TEST_F(CollectivesOfGroups, TheSequenceNumberDecides) {
  reduce(0, "0", 0, 100, 1);
  reduce(0, "0", 10, 120, 2);
  reduce(1, "0", 30, 120, 2);
  reduce(1, "0", 60, 100, 1);
  const Collectives found = all();
  ASSERT_THAT(found.all, SizeIs(2));
  EXPECT_EQ(found.all[0].last_start_ns, 60'000);
  EXPECT_EQ(found.all[1].last_start_ns, 30'000);
}

// Recorded in bursts: what was launched before says nothing of its communicator. Rank 1 had launched five of twelve by
// then, rank 0 none, since it runs less far ahead. Each time rank 0 waits 30 µs.
TEST_F(CollectivesOfGroups, AKernelThatDoesNotSayItsCommunicatorHasThatOfItsStream) {
  const std::string said = R"("communicator":"0x00000000000abcde","bytes":4096)";
  each([&](Nanoseconds t) {
    kernel(0, kAllReduce, t, t + 100, said);
    kernel(1, kAllReduce, t + 30, t + 100, t < 5000 ? "" : said);
    kernel(2, kAllReduce, t + 10, t + 100, R"("communicator":"0x00000000000fffff")");
    kernel(3, kAllReduce, t + 20, t + 100, R"("communicator":"0x00000000000fffff")");
  });
  const Collectives found = all();
  EXPECT_THAT(found.all, SizeIs(24));
  EXPECT_EQ(found.unmatched, 0);
  EXPECT_EQ(found.gpus[0].wait_ns, 12 * 30'000);
  EXPECT_EQ(found.all[0].bytes, 4096u);
}

// So little of rank 1 is looked at that none of its kernels says it; there is only one communicator.
TEST_F(CollectivesOfGpus, AKernelThatDoesNotSayItsCommunicatorHasTheOnlyOne) {
  each([&](Nanoseconds t) {
    kernel(0, kAllReduce, t, t + 100);
    kernel(1, kAllReduce, t + 90, t + 100, R"("communicator":"0x00000000000abcde","bytes":4096)");
  });
  const Collectives found = all();
  ASSERT_THAT(found.all, SizeIs(12));
  EXPECT_EQ(found.unmatched, 0);
  EXPECT_EQ(found.all[0].bytes, 4096u);
}

// A stream that two communicators use tells nothing.
TEST_F(CollectivesOfGroups, OfSeveralCommunicatorsInAStreamNoneIsGuessed) {
  for (const int gpu : {0, 1}) {
    kernel(gpu, kAllReduce, 0, 100, R"("communicator":"0x0000000000000001")");
    kernel(gpu, kAllReduce, 200, 300, R"("communicator":"0x0000000000000002")");
  }
  kernel(0, kAllReduce, 400, 500);
  kernel(1, kAllReduce, 430, 500, R"("communicator":"0x0000000000000001")");
  const Collectives found = all();
  EXPECT_THAT(found.all, SizeIs(2));
  EXPECT_EQ(found.unmatched, 2);
}

// A member whose trace is not here.
TEST_F(CollectivesOfGroups, AGroupOfOneHasNoCounterpart) {
  reduce(0, "0", 0, 100);
  reduce(1, "0", 30, 100);
  reduce(1, "1", 10, 90);
  const Collectives found = all();
  EXPECT_THAT(found.all, SizeIs(1));
  EXPECT_EQ(found.unmatched, 1);
}

TEST_F(CollectivesOfGpus, OfOneGpuNobodyKnowsWhoArrivedLast) {
  each([&](Nanoseconds t) { kernel(0, kAllReduce, t, t + 100); });
  const Collectives found = all();
  ASSERT_THAT(found.gpus, SizeIs(1));
  EXPECT_EQ(found.gpus[0].communication_ns, 12 * 100'000);
  EXPECT_THAT(found.all, IsEmpty());
  EXPECT_EQ(found.verdict, CollectiveVerdict::Inconclusive);
}

TEST_F(CollectivesOfGpus, WithoutThemThereIsNothingToSay) {
  kernel(0, "gemm", 0, 30);
  EXPECT_THAT(all().gpus, IsEmpty());
}

}  // namespace
}  // namespace lanescope::analysis_test
