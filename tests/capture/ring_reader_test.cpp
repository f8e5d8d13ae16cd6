#include "capture/ring_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "capture/ring_writer.h"

namespace lanescope::capture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RingReader open(RingWriter& writer) {
  std::string problem;
  auto reader = RingReader::open(&writer.memory(), writer.bytes(), problem);
  EXPECT_TRUE(reader) << problem;
  return *reader;
}

std::string refusal(RingWriter& writer) {
  std::string problem;
  EXPECT_FALSE(RingReader::open(&writer.memory(), writer.bytes(), problem));
  return problem;
}

std::string text_of(const Message& message) {
  const auto head = message.as<wire::TextMessage>();
  const auto bytes = message.after<wire::TextMessage>();
  return {reinterpret_cast<const char*>(bytes.data()), head->bytes};
}

std::vector<std::string> texts(RingReader& reader) {
  std::vector<std::string> found;
  reader.read(1000, [&](const Message& message) { found.push_back(text_of(message)); });
  return found;
}

TEST(CleanText, SteersNothing) {
  EXPECT_EQ(clean_text("gemm\x1b[2J\n\u009b1m\u202ex", 100), "gemm [2J  1m x");
  EXPECT_EQ(clean_text("損失 µ", 100), "損失 µ");
}

TEST(RingReader, ReadsMessagesOfOneAndOfManySlotsRoundAndRound) {
  RingWriter writer(8);
  RingReader reader = open(writer);
  const std::string longer(44 + 56 + 1, 'x');  // 48 - 4 in the first slot, 56 in the second, one byte in the third
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(writer.text(1, "short"));
    ASSERT_TRUE(writer.text(2, longer));
    EXPECT_THAT(texts(reader), ElementsAre("short", longer));
  }
  EXPECT_EQ(reader.malformed(), 0u);
}

TEST(RingReader, AFullRingRefusesAndGoesOnAfterReading) {
  RingWriter writer(4);
  RingReader reader = open(writer);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(writer.text(1, "text"));
  EXPECT_DOUBLE_EQ(reader.fill(), 1);
  EXPECT_FALSE(writer.text(1, "text"));
  EXPECT_EQ(texts(reader).size(), 4u);
  EXPECT_TRUE(writer.text(1, "again"));
  EXPECT_THAT(texts(reader), ElementsAre("again"));
}

TEST(RingReader, WhatAWriterBeganIsAwaitedWhileItLivesAndSkippedAfterwards) {
  RingWriter writer(8);
  RingReader reader = open(writer);
  writer.text(1, "first");
  writer.send(wire::MessageKind::Text, 2, std::vector<unsigned char>(60), false);  // claims two slots, writes nothing
  writer.text(3, "last");
  EXPECT_THAT(texts(reader), ElementsAre("first"));
  reader.writer_ended();
  EXPECT_THAT(texts(reader), ElementsAre("last"));
  EXPECT_EQ(reader.unfinished(), 2u);
}

TEST(RingReader, RefusesMemoryThatIsNotALibrarys) {
  {
    RingWriter writer;
    writer.memory().magic = 7;
    EXPECT_THAT(refusal(writer), HasSubstr("not that of the injected library"));
  }
  {
    RingWriter writer;
    writer.memory().version = wire::kVersion + 1;
    EXPECT_THAT(refusal(writer), HasSubstr("version 3"));
  }
  for (const std::uint32_t slots : {0u, 3u, 2048u, 0x80000000u}) {  // none, no power of two, more than there are
    RingWriter writer;
    writer.memory().slot_count = slots;
    EXPECT_THAT(refusal(writer), HasSubstr("slots"));
  }
  RingWriter writer;
  std::string problem;
  EXPECT_FALSE(RingReader::open(&writer.memory(), 100, problem));
}

TEST(RingReader, ARankThatCannotBeIsNone) {
  const auto job = [](std::uint32_t rank, std::uint32_t ranks) {
    RingWriter writer(8);
    writer.memory().job = {rank, 0, ranks};
    return open(writer).job();
  };
  EXPECT_EQ(job(4, 8).rank, 4u);
  EXPECT_EQ(job(4, 8).ranks, 8u);
  EXPECT_EQ(job(4, 0).rank, 4u);
  EXPECT_EQ(job(9, 8).rank, 0u);
  EXPECT_EQ(job(0xFFFFFFFF, 0xFFFFFFFF).rank, 0u);
  EXPECT_EQ(job(1, 0xFFFFFFFF).ranks, 0u);
}

TEST(RingReader, OpenCallsAreReadUnlessTheyAreBeingWritten) {
  RingWriter writer;
  RingReader reader = open(writer);
  wire::OpenCall& first = writer.memory().open[3];
  first.thread.store(7);
  first.start_ns.store(200);
  wire::OpenCall& second = writer.memory().open[200];
  second.thread.store(8);
  second.start_ns.store(100);
  wire::OpenCall& torn = writer.memory().open[9];
  torn.turn.store(1);
  torn.thread.store(9);
  const auto calls = reader.open_calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].thread, 8u);  // oldest first
  EXPECT_EQ(calls[1].thread, 7u);
}

TEST(RingReader, TextsOfTheStatusAreCleaned) {
  RingWriter writer;
  RingReader reader = open(writer);
  std::memset(writer.memory().status.state_text, 'a', sizeof(writer.memory().status.state_text));  // no end
  EXPECT_EQ(reader.state_text().size(), 256u);
  std::strcpy(writer.memory().status.state_text, "bad \x1b[31m\xff end");
  EXPECT_EQ(reader.state_text(), "bad  [31m\xEF\xBF\xBD end");
}

// A hostile writer: every byte of the ring may change at any time.
TEST(RingReader, SurvivesRandomMemory) {
  std::minstd_rand generator(7);
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  for (int round = 0; round < 300; ++round) {
    RingWriter writer(64);
    RingReader reader = open(writer);
    for (int step = 0; step < 50; ++step) {
      writer.text(random() % 10, std::string(random() % 300, 'x'));
      auto* bytes = reinterpret_cast<unsigned char*>(&writer.memory());
      for (int i = 0; i < 20; ++i) bytes[random() % writer.bytes()] = static_cast<unsigned char>(random());
      if (step == 40) reader.writer_ended();
      std::size_t content = 0;
      EXPECT_LE(reader.read(1000, [&](const Message& message) { content += message.content.size(); }), 1000u);
      reader.open_calls();
      reader.state_text();
    }
  }
}

}  // namespace
}  // namespace lanescope::capture
