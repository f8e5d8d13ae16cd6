// The states that follow from CUPTI's refusals.
#include <gmock/gmock.h>

#include "capture/cupti/health.h"
#include "cupti/capture_rig.h"
#include "cupti/fake_cupti.h"

namespace lanescope::capture::cupti {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using trace::CaptureState;

struct Refusal {
  int code;
  CaptureState state;
};

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, AtTheSubscription) {
  FakeCupti fake;
  fake.subscribe_answer = static_cast<CUptiResult>(GetParam().code);
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  const trace::CaptureHealth health = session.health();
  EXPECT_EQ(health.state, GetParam().state);
  EXPECT_THAT(health.reason, AllOf(Not(IsEmpty()), Not(HasSubstr("\n"))));
  EXPECT_EQ(health.library, "libcupti.so.13 (API 130001)");
  EXPECT_EQ(subscription_problem(fake.table()), health.reason);
  EXPECT_THAT(fake.journal(), IsEmpty());  // nothing was registered, nothing enabled
  session.flush();
  session.stop();
  EXPECT_EQ(session.health().state, GetParam().state);
}

INSTANTIATE_TEST_SUITE_P(
    Codes, Refused,
    ::testing::Values(Refusal{39, CaptureState::Busy}, Refusal{35, CaptureState::Denied},
                      Refusal{33, CaptureState::Unsupported}, Refusal{40, CaptureState::Unsupported},
                      Refusal{41, CaptureState::Unsupported}, Refusal{43, CaptureState::Unsupported},
                      Refusal{45, CaptureState::Unsupported}, Refusal{14, CaptureState::Unsupported},
                      Refusal{15, CaptureState::Unavailable}, Refusal{999, CaptureState::Unavailable},
                      Refusal{8, CaptureState::Unavailable}),
    [](const auto& refused) { return std::to_string(refused.param.code); });

TEST(States, BusySaysWho) {
  FakeCupti fake;
  fake.subscribe_answer = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  fake.incumbent = "CUPTI for Kineto";
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  EXPECT_THAT(session.health().reason, HasSubstr("CUPTI for Kineto"));
  CuptiTable old = fake.table();
  old.subscribe_v2 = nullptr;  // before CUDA 12.9 the name is unknown
  EXPECT_THAT(subscription_problem(old), HasSubstr("another profiler"));
}

TEST(States, ATableThatIsNotCompleteIsUnavailable) {
  KeepingSink sink;
  CuptiCapture session(CuptiTable{}, sink, small_buffers());
  EXPECT_EQ(session.health().state, CaptureState::Unavailable);
  EXPECT_THAT(subscription_problem(CuptiTable{}), Not(IsEmpty()));
}

TEST(States, SubscriptionProblemLeavesNothingBehind) {
  FakeCupti fake;
  EXPECT_EQ(subscription_problem(fake.table()), "");
  EXPECT_FALSE(fake.subscribed());
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  EXPECT_THAT(subscription_problem(fake.table()), HasSubstr("this program"));
}

TEST(States, ARefusedKindDegrades) {
  FakeCupti fake;
  fake.kind_answers[CUPTI_ACTIVITY_KIND_OVERHEAD] = CUPTI_ERROR_NOT_COMPATIBLE;
  fake.kind_answers[CUPTI_ACTIVITY_KIND_CONTEXT] = CUPTI_ERROR_INVALID_KIND;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  EXPECT_EQ(session.health().state, CaptureState::Degraded);
  EXPECT_EQ(session.health().reason, "CUPTI does not record: OVERHEAD, CONTEXT");
  fake.call(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020);
  session.flush();
  EXPECT_EQ(session.health().calls, 1u);
}

TEST(States, OneOfKernelsAndCallsIsEnough) {
  FakeCupti fake;
  fake.kind_answers[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = CUPTI_ERROR_NOT_COMPATIBLE;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  EXPECT_EQ(session.health().state, CaptureState::Degraded);
}

TEST(States, NeitherKernelsNorCallsIsUnsupportedAndUndone) {
  for (const auto& [code, state] : {Refusal{14, CaptureState::Unsupported}, Refusal{999, CaptureState::Unsupported},
                                    Refusal{35, CaptureState::Denied}}) {
    FakeCupti fake;
    fake.kind_answers[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = static_cast<CUptiResult>(code);
    fake.kind_answers[CUPTI_ACTIVITY_KIND_RUNTIME] = static_cast<CUptiResult>(code);
    KeepingSink sink;
    CuptiCapture session(fake.table(), sink, small_buffers());
    EXPECT_EQ(session.health().state, state);
    EXPECT_THAT(session.health().reason, HasSubstr("neither kernels nor calls"));
    EXPECT_THAT(fake.enabled_kinds(), IsEmpty());
    EXPECT_FALSE(fake.subscribed());
    EXPECT_EQ(fake.count("enable 1"), 1u);
    EXPECT_EQ(fake.count("disable 1"), 1u);
    EXPECT_EQ(fake.count("attribute 5=1"), 1u);
    EXPECT_EQ(fake.count("attribute 5=0"), 1u);
  }
}

TEST(States, SettingsAndCallbacksThatAreRefusedDegrade) {
  FakeCupti fake;
  fake.setting_answer = CUPTI_ERROR_INVALID_PARAMETER;
  fake.callback_answer = CUPTI_ERROR_INVALID_PARAMETER;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  EXPECT_EQ(session.health().state, CaptureState::Degraded);
  EXPECT_THAT(session.health().reason, AllOf(HasSubstr("thread ids"), HasSubstr("calls in progress")));
}

TEST(States, OptionalFunctionsMayBeMissing) {
  FakeCupti fake;
  CuptiTable table = fake.table();
  table.subscribe_v2 = nullptr;
  table.enable_and_dump = nullptr;
  table.set_attribute = nullptr;
  table.enable_runtime_api = nullptr;
  table.enable_driver_api = nullptr;
  table.enable_all_sync_records = nullptr;
  ASSERT_TRUE(table.complete());
  KeepingSink sink;
  CuptiCapture session(table, sink, small_buffers());
  EXPECT_EQ(session.health().state, CaptureState::Running);
  fake.call(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020);
  session.flush();
  EXPECT_EQ(session.health().calls, 1u);
}

TEST(States, WithoutDriverTheReasonSaysSo) {
  FakeCupti fake;
  const Verdict verdict = refusal(fake.table(), CUPTI_ERROR_UNKNOWN);
  EXPECT_EQ(verdict.state, CaptureState::Unavailable);
  EXPECT_THAT(verdict.reason, HasSubstr("CUPTI_ERROR_UNKNOWN"));
  EXPECT_EQ(refusal(fake.table(), CUPTI_ERROR_HARDWARE).reason, "CUPTI cannot start (CUPTI error 9)");
}

// --- Watch -----------------------------------------------------------------------------------------------------------

constexpr std::int64_t kHalf = 500'000'000;

TEST(Watch, CallsWithoutBuffersForMoreThanTwoSecondsAreSilence) {
  FakeCupti fake;
  const CuptiTable table = fake.table();
  Watch watch;
  std::int64_t now = 100 * kHalf;
  watch.look(table, now, 10, 5, 0);
  for (int i = 1; i <= 4; ++i) watch.look(table, now += kHalf, 10 + i, 5, 0);
  EXPECT_EQ(watch.silent_since_ns(), 0);  // two seconds, and not more
  watch.look(table, now += kHalf, 15, 5, 0);
  EXPECT_EQ(watch.silent_since_ns(), 100 * kHalf);
  watch.look(table, now += kHalf, 16, 6, 0);  // one has come
  EXPECT_EQ(watch.silent_since_ns(), 0);
}

TEST(Watch, AnIdleProgramAndALongWaitAreNoSilence) {
  FakeCupti fake;
  const CuptiTable table = fake.table();
  Watch watch;
  std::int64_t now = 100 * kHalf;
  watch.look(table, now, 10, 5, 0);
  for (int i = 0; i < 100; ++i) watch.look(table, now += kHalf, 10, 5, 0);
  watch.look(table, now += kHalf, 11, 5, 0);  // a wait of 50 s begins or ends
  EXPECT_EQ(watch.silent_since_ns(), 0);
  // A thread that was not scheduled for long counts as little.
  watch.look(table, now += 60 * kHalf, 12, 5, 0);
  EXPECT_EQ(watch.silent_since_ns(), 0);
}

TEST(Watch, AClockThatLeavesTheSystemsIsForeign) {
  FakeCupti fake;
  const CuptiTable table = fake.table();
  Watch watch;
  watch.look(table, 1 * kHalf, 0, 0, 0);
  fake.clock_offset_ns = 3600 * 2 * kHalf;
  watch.look(table, 2 * kHalf, 0, 0, 1);
  EXPECT_FALSE(watch.foreign_clock());  // a single change may be a step of the system clock
  watch.look(table, 3 * kHalf, 0, 0, 1);
  EXPECT_TRUE(watch.foreign_clock());
}

TEST(Watch, AClockThatNeverWasTheSystemsOrHasOnlySettledIsNot) {
  FakeCupti fake;
  const CuptiTable table = fake.table();
  fake.clock_offset_ns = -3600 * 2 * kHalf;
  Watch other_platform;
  for (int i = 1; i <= 5; ++i) other_platform.look(table, i * kHalf, 0, 0, 3);
  EXPECT_FALSE(other_platform.foreign_clock());

  fake.clock_offset_ns = 0;
  Watch settling;
  settling.look(table, 1 * kHalf, 0, 0, 0);
  fake.clock_offset_ns = -3600 * 2 * kHalf;
  for (int i = 2; i <= 5; ++i) settling.look(table, i * kHalf, 0, 0, 0);  // no step between records
  EXPECT_FALSE(settling.foreign_clock());
}

}  // namespace
}  // namespace lanescope::capture::cupti
