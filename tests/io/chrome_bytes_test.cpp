// A trace in memory instead of a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scratch.h"
#include "io/trace_file.h"

namespace lanescope::io {
namespace {

using testing::HasSubstr;

class ChromeBytesTest : public Scratch {};

TEST_F(ChromeBytesTest, ReadsWhatAFileWouldGive) {
  for (const char* name : {"pytorch-event-sync.json.gz", "pytorch-alexnet.json.gz"}) {
    const std::string bytes = read_bytes(fixture(name));
    const OpenedTrace from_file = read_chrome_trace(fixture(name));
    const OpenedTrace from_memory = read_chrome_trace(bytes, "memory");
    EXPECT_EQ(from_memory.facts, from_file.facts);
    EXPECT_EQ(from_memory.events_read, from_file.events_read);
    EXPECT_GT(from_memory.events_read, 0u);
    EXPECT_EQ(from_memory.trace->extent(), from_file.trace->extent());
    EXPECT_EQ(from_memory.trace->lane_count(), from_file.trace->lane_count());
  }
}

TEST_F(ChromeBytesTest, ReadsPlainJson) {
  const OpenedTrace opened = read_chrome_trace(
      R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "pid": 0, "tid": 7}]})",
      "memory");
  EXPECT_EQ(opened.events_read, 1u);
  EXPECT_FALSE(opened.own);
}

TEST_F(ChromeBytesTest, WhatCannotBeReadIsSaidWithItsName) {
  const std::string whole = read_bytes(fixture("pytorch-event-sync.json.gz"));
  EXPECT_THAT(error_of([&] { read_chrome_trace(std::string_view(whole).substr(0, 20), "start"); }),
              HasSubstr("start: the file is truncated"));
  EXPECT_EQ(error_of([] { read_chrome_trace("", "nothing"); }), "nothing: the file is empty");
  EXPECT_THAT(error_of([] { read_chrome_trace("{", "one"); }), HasSubstr("one"));
}

}  // namespace
}  // namespace lanescope::io
