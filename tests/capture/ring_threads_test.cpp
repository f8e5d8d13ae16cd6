// The injected library's own end of the ring (inject/ring.cpp, compiled into these tests), written by several threads
// while a reader reads: what ThreadSanitizer can follow, which the library in a watched program is built without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "capture/ring_reader.h"
#include "inject/ring.h"

namespace lanescope::capture {
namespace {

using testing::Each;

constexpr std::uint32_t kWriters = 4, kMessages = 5'000, kTexts = 500;

// Texts of one slot to three, the same for every writer.
std::string text(std::uint32_t number) { return std::to_string(number) + std::string(number % 120, 'x'); }

TEST(RingThreads, WhatIsRefusedIsCountedAndNothingElseIsLostTornOrOutOfOrder) {
  const int file = inject::ring.create(256);
  ASSERT_GE(file, 0);
  ::close(file);
  ASSERT_TRUE(inject::create_tables());
  inject::ring.live = true;
  std::string problem;
  auto reader = RingReader::open(inject::ring.memory, inject::ring.bytes, problem);
  ASSERT_TRUE(reader) << problem;

  std::atomic<std::uint32_t> running{kWriters};
  std::atomic<std::uint64_t> refused{0};
  const auto refuse = [&] {
    ++refused;
    std::this_thread::yield();
  };
  std::vector<std::thread> writers;
  for (std::uint32_t me = 0; me < kWriters; ++me) {
    writers.emplace_back([&, me] {
      for (std::uint32_t i = 0; i < kMessages; ++i) {
        const std::string said = text(i % kTexts);
        std::uint32_t id = inject::kLater;
        while ((id = inject::text_id(said.data(), said.size())) == inject::kLater) refuse();
        while (!inject::ring.send(wire::MessageKind::Sample, wire::SampleMessage{i, 0, me, id, 0})) refuse();
      }
      --running;
    });
  }

  std::map<std::uint32_t, std::string> texts;
  std::array<std::uint32_t, kWriters> next{};
  const auto take = [&](const Message& message) {
    if (message.kind == wire::MessageKind::Text) {
      const auto bytes = message.after<wire::TextMessage>().first(message.as<wire::TextMessage>()->bytes);
      const std::string said(bytes.begin(), bytes.end());
      EXPECT_EQ(texts.try_emplace(message.id, said).first->second, said) << "two texts with one id";
      return;
    }
    const auto sample = message.as<wire::SampleMessage>();
    std::uint32_t& expected = next[sample->thread];
    EXPECT_EQ(sample->time_ns, expected);
    EXPECT_EQ(texts[sample->stack], text(expected % kTexts));
    ++expected;
  };
  while (running > 0) reader->read(64, take);
  for (std::thread& writer : writers) writer.join();
  reader->read(1'000, take);

  EXPECT_THAT(next, Each(kMessages));
  EXPECT_EQ(texts.size(), kTexts);
  EXPECT_EQ(reader->status().dropped, refused);
  EXPECT_EQ(reader->status().texts_lost, 0u);
  EXPECT_EQ(reader->malformed(), 0u);
  inject::ring.live = false;
  ::munmap(inject::ring.memory, inject::ring.bytes);
  inject::ring.memory = nullptr;
}

}  // namespace
}  // namespace lanescope::capture
