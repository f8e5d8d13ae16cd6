// Streams, engines and events, and the order they impose.
#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

TEST(Streams, TheDefaultStreamAndABlockingStreamWaitForEachOther) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  const Stream blocking = rig->create_stream(false);
  rig.start = rig->now_ns();
  rig.kernel(100, blocking);                                           // [15, 115)
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, Stream::Default);  // could start at 40; waits for the kernel
  rig.kernel(100, blocking);                                           // could start at 115; waits for the copy
  rig.close();
  EXPECT_EQ(span_of(rig.copies()[0]), (Span{115, 217}));
  EXPECT_EQ(span_of(rig.kernels()[1]), (Span{217, 317}));
}

TEST(Streams, ANonBlockingStreamDoesNotWaitForTheDefaultStream) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  const Stream copies = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig.kernel(100);                                            // [15, 115)
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, copies);  // [40, 142)
  rig.kernel(100);                                            // [115, 215)
  rig.close();
  EXPECT_EQ(span_of(rig.copies()[0]), (Span{40, 142}));
  EXPECT_EQ(span_of(rig.kernels()[1]), (Span{115, 215}));
}

TEST(Streams, TwoBlockingStreamsDoNotWaitForEachOther) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  const Stream first = rig->create_stream(false), second = rig->create_stream(false);
  rig.start = rig->now_ns();
  rig.kernel(100, first);
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, second);
  rig.close();
  EXPECT_EQ(span_of(rig.copies()[0]), (Span{40, 142}));
}

TEST(Streams, TheDefaultStreamWaitsForAllBlockingStreams) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 3'000'000);
  const Stream first = rig->create_stream(false), second = rig->create_stream(false);
  rig.start = rig->now_ns();
  rig->copy_async({rig.gpu}, {rig.host}, 3'000'000, first);   // [30, 332)
  rig->copy_async({rig.host}, {rig.gpu}, 1'000'000, second);  // [50, 152)
  rig.kernel(100);
  rig.close();
  EXPECT_EQ(span_of(rig.kernels()[0]), (Span{332, 432}));
}

TEST(Streams, SynchronisingTheDefaultStreamWaitsForBlockingStreamsOnly) {
  Rig rig;
  const Stream blocking = rig->create_stream(false), free = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig.kernel(100, blocking);  // [15, 115)
  rig.kernel(500, free);      // [115, 615)
  rig->synchronize(Stream::Default);
  EXPECT_EQ(span_of(rig.calls("cudaStreamSynchronize")[0]), (Span{20, 165}));
}

TEST(Engines, ComputeAndBothCopyDirectionsRunAtTheSameTime) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  const Stream up = rig->create_stream(true), down = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig.kernel(200);                                          // call [0, 10): [15, 215)
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, up);    // call [10, 30): [40, 142)
  rig->copy_async({rig.host}, {rig.gpu}, 1'000'000, down);  // call [30, 50): [60, 162)
  rig.close();
  EXPECT_EQ(span_of(rig.kernels()[0]), (Span{15, 215}));
  EXPECT_EQ(span_of(rig.copies()[0]), (Span{40, 142}));
  EXPECT_EQ(span_of(rig.copies()[1]), (Span{60, 162}));
}

TEST(Engines, CopiesOfOneDirectionShareOneEngine) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  const Stream first = rig->create_stream(true), second = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, first);   // [30, 132)
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, second);  // ready at 50
  rig.close();
  EXPECT_EQ(span_of(rig.copies()[1]), (Span{132, 234}));
}

TEST(Engines, TheEarliestReadyOperationGoesFirstEvenIfItWasIssuedLater) {
  Rig rig;
  const Stream first = rig->create_stream(true), second = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig.kernel(100, first);   // [15, 115)
  rig.kernel(110, first);   // ready when its predecessor ends: 115
  rig.kernel(120, second);  // ready on arrival: 35
  rig.close();
  const auto kernels = rig.kernels();
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(span_of(kernels[1]), (Span{115, 235}));  // of the second stream
  EXPECT_EQ(span_of(kernels[2]), (Span{235, 345}));
}

TEST(Engines, OfTwoThatAreReadyTogetherTheOneIssuedFirstGoesFirst) {
  // Both wait for the same event, so both are ready when it comes.
  Rig rig;
  const Stream first = rig->create_stream(true), second = rig->create_stream(true);
  const GpuEvent event = rig->create_event();
  rig.start = rig->now_ns();
  rig.kernel(100);                      // call [0, 10): [15, 115)
  rig->record(event, Stream::Default);  // 11
  rig->wait(second, event);             // 12
  rig->wait(first, event);              // 13
  rig.kernel(110, first);
  rig.kernel(120, second);
  rig.close();
  EXPECT_EQ(span_of(rig.kernels()[1]), (Span{115, 225}));
  EXPECT_EQ(span_of(rig.kernels()[2]), (Span{225, 345}));
}

TEST(Engines, ALaterCallIsNotPassedOverByWorkThatIsNotReadyYet) {
  // The first stream's kernel waits for a long copy. When the host comes back much later, the second stream's kernel
  // must still find the engine free.
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 10'000'000);
  const Stream first = rig->create_stream(true), second = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig->copy_async({rig.gpu}, {rig.host}, 10'000'000, first);  // [30, 1032)
  rig.kernel(100, first);                                     // ready at 1032
  rig->host_work(us(470));                                    // until 500
  rig.kernel(600, second);                                    // arrives at 515, holds the engine until 1115
  rig.close();
  EXPECT_EQ(span_of(rig.kernels()[0]), (Span{515, 1115}));
  EXPECT_EQ(span_of(rig.kernels()[1]), (Span{1115, 1215}));
}

TEST(Events, QueryTellsWhetherTheStreamHasPassedIt) {
  Rig rig;
  const GpuEvent event = rig->create_event();
  rig.start = rig->now_ns();
  rig.kernel(100);                      // [15, 115)
  rig->record(event, Stream::Default);  // until 11
  EXPECT_FALSE(rig->query(event));      // until 12
  rig->host_work(us(101));              // until 113
  EXPECT_FALSE(rig->query(event));      // until 114
  EXPECT_TRUE(rig->query(event));       // until 115
  const auto calls = rig.calls("cudaEventQuery");
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(span_of(calls[0]), (Span{11, 12}));
  EXPECT_EQ(calls[0].flags, 0);
  EXPECT_EQ(span_of(rig.calls("cudaEventRecord")[0]), (Span{10, 11}));
}

TEST(Events, SynchroniseWaitsForTheRecordedPointOnly) {
  Rig rig;
  const GpuEvent event = rig->create_event();
  rig.start = rig->now_ns();
  rig.kernel(100);                      // [15, 115)
  rig->record(event, Stream::Default);  // until 11
  rig.kernel(500);                      // [115, 615), call [11, 21)
  rig->synchronize(event);              // own until 26, waits until 115
  const auto calls = rig.calls("cudaEventSynchronize");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(span_of(calls[0]), (Span{21, 165}));
  EXPECT_EQ(parts_in_us(calls[0]), (Parts{5, 89, 0, 50}));
  EXPECT_TRUE(trace::is_sync(calls[0]));
}

TEST(Events, SynchroniseOnAPassedEventReturnsFast) {
  Rig rig;
  const GpuEvent event = rig->create_event();
  rig.kernel(100);
  rig->record(event, Stream::Default);
  rig->host_work(us(500));
  rig->synchronize(event);
  EXPECT_EQ(parts_in_us(rig.calls("cudaEventSynchronize")[0]), (Parts{5, 0, 0, 3}));
}

TEST(Events, AStreamWaitsForAnEventOfAnother) {
  // The recommended way to overlap: a copy on its own stream, and a kernel that waits for an event.
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  const Stream copies = rig->create_stream(true);
  const GpuEvent event = rig->create_event();
  rig.start = rig->now_ns();
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, copies);  // call [0, 20): [30, 132)
  rig->record(event, copies);                                 // until 21
  rig->wait(Stream::Default, event);                          // until 22
  rig.kernel(100);                                            // would start at 37
  rig.close();
  EXPECT_EQ(span_of(rig.kernels()[0]), (Span{132, 232}));
  const auto waits = rig.calls("cudaStreamWaitEvent");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(span_of(waits[0]), (Span{21, 22}));
  EXPECT_EQ(waits[0].flags, 0);
}

TEST(Events, WhatWasIssuedBeforeTheWaitIsNotHeldUp) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  const Stream copies = rig->create_stream(true);
  const GpuEvent event = rig->create_event();
  rig.start = rig->now_ns();
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, copies);  // [30, 132)
  rig->record(event, copies);
  rig.kernel(100);  // call [21, 31)
  rig->wait(Stream::Default, event);
  rig.close();
  EXPECT_EQ(span_of(rig.kernels()[0]), (Span{36, 136}));
}

TEST(Events, AWaitForAnEventThatWasNeverRecordedDoesNothing) {
  Rig rig;
  const GpuEvent event = rig->create_event();
  rig.start = rig->now_ns();
  rig->wait(Stream::Default, event);
  rig.kernel(100);
  EXPECT_TRUE(rig->query(event));
  rig->synchronize(event);
  EXPECT_EQ(parts_in_us(rig.calls("cudaEventSynchronize")[0]), (Parts{5, 0, 0, 3}));
  rig.close();
  EXPECT_EQ(span_of(rig.kernels()[0]), (Span{16, 116}));
}

TEST(Events, AWaitMeansTheRecordThatWasTheLatestWhenItWasCalled) {
  Rig rig;
  const Stream first = rig->create_stream(true), second = rig->create_stream(true);
  const GpuEvent event = rig->create_event();
  rig.start = rig->now_ns();
  rig.kernel(100, first);     // [15, 115)
  rig->record(event, first);  // until 11
  rig->wait(second, event);   // until 12
  rig.kernel(300, first);     // ready at 115
  rig->record(event, first);  // until 23: does not move the wait
  rig.kernel(100, second);    // call [23, 33): ready at 115, too, but the first stream's kernel was issued earlier
  rig->synchronize(second);
  rig.close();
  EXPECT_EQ(span_of(rig.kernels()[1]), (Span{115, 415}));
  EXPECT_EQ(span_of(rig.kernels()[2]), (Span{415, 515}));
}

TEST(Events, ARecordInTheDefaultStreamComesAfterBlockingStreams) {
  Rig rig;
  const Stream blocking = rig->create_stream(false);
  const GpuEvent event = rig->create_event();
  rig.start = rig->now_ns();
  rig.kernel(100, blocking);            // [15, 115)
  rig->record(event, Stream::Default);  // until 11
  rig->synchronize(event);              // own until 16
  EXPECT_EQ(parts_in_us(rig.calls("cudaEventSynchronize")[0]), (Parts{5, 99, 0, 50}));
}

// The first record reaches the idle device at 1 + 5 us. The launch (10 us) makes the kernel start at 1 + 10 + 5, so
// that the two events are 10 us of an idle GPU and 200 us of the kernel apart.
TEST(Events, TheTimeBetweenTwoEventsIsThatOfTheGpuIdleOrNot) {
  Rig rig;
  const GpuEvent start = rig->create_timing_event(), end = rig->create_timing_event();
  rig->host_work(us(100));
  rig->record(start, Stream::Default);
  rig.kernel(200);
  rig->record(end, Stream::Default);
  EXPECT_EQ(rig->elapsed(start, end), std::nullopt);  // too early: no number
  EXPECT_EQ(rig.calls("cudaEventElapsedTime").size(), 1u);
  EXPECT_EQ(rig.calls("cudaEventElapsedTime")[0].duration(), us(1));
  EXPECT_FALSE(trace::is_blocking(rig.calls("cudaEventElapsedTime")[0]));
  rig->synchronize();
  EXPECT_EQ(rig->elapsed(start, end), us(10 + 200));
  EXPECT_EQ(rig->elapsed(end, start), -us(10 + 200));
  // Behind a long kernel both wait for the stream: the launches are through by then, and only the kernel is between.
  rig.kernel(1000);
  rig->record(start, Stream::Default);
  EXPECT_EQ(rig->elapsed(start, end), std::nullopt);
  rig.kernel(200);
  rig->record(end, Stream::Default);
  rig->synchronize();
  EXPECT_EQ(rig->elapsed(start, end), us(200));
}

TEST(Events, ManyRecordsOfOneEventLeaveTheNewest) {
  Rig rig;
  const GpuEvent start = rig->create_timing_event(), end = rig->create_timing_event();
  rig->record(start, Stream::Default);
  for (int i = 0; i < 300; ++i) {  // more than the timeline keeps at first
    rig->record(end, Stream::Default);
    if (i % 100 == 0) rig.kernel(100);
  }
  rig.kernel(100);
  rig->record(end, Stream::Default);
  rig->synchronize();
  EXPECT_GE(*rig->elapsed(start, end), us(400));
}

TEST(Events, WithoutTimingOrARecordThereIsNoTime) {
  Rig rig;
  const GpuEvent plain = rig->create_event(), timed = rig->create_timing_event(), unused = rig->create_timing_event();
  rig->record(plain, Stream::Default);
  rig->record(timed, Stream::Default);
  rig->synchronize();
  const auto error_of = [&](GpuEvent from, GpuEvent to) -> std::string {
    try {
      rig->elapsed(from, to);
    } catch (const base::Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of(plain, timed), "cudaEventElapsedTime: event 1 was made without timing");
  EXPECT_EQ(error_of(timed, unused), "cudaEventElapsedTime: event 3 was never recorded");
  EXPECT_EQ(error_of(timed, GpuEvent{9}), "cudaEventElapsedTime: event 9 was never created");
}

}  // namespace
}  // namespace lanescope::device::sim
