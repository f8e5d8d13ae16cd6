#include "attach/nccl_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>

namespace lanescope::attach {
namespace {

using Payload = wire::CollectivePayload;

Payload all_reduce(std::uint64_t bytes, std::uint64_t communicator = 0xAB) {
  Payload payload{};
  payload.has = Payload::kCommunicator | Payload::kBytes | Payload::kOperation;
  payload.communicator = communicator;
  payload.bytes = bytes;
  return payload;
}

TEST(NcclCalls, ArgumentsAreTheMembersOfAnObject) {
  EXPECT_EQ(arguments_of(all_reduce(4096)).members,
            R"("communicator":"0x00000000000000ab","bytes":4096,"reduction":"sum")");
  Payload old{};
  old.has = Payload::kBytes | Payload::kRoot | Payload::kOperation;
  old.bytes = 8;
  old.root = 3;
  old.operation = 77;
  EXPECT_EQ(arguments_of(old).members, R"("bytes":8,"root":3,"reduction":"its own")");
  Payload begun{};
  begun.has = Payload::kCommunicator | Payload::kRank;
  begun.communicator = std::numeric_limits<std::uint64_t>::max();
  begun.rank = 1;
  begun.ranks = 8;
  EXPECT_EQ(arguments_of(begun).members, R"("communicator":"0xffffffffffffffff","rank":1,"ranks":8)");
}

// A file has the text only.
TEST(NcclArguments, SayTheSameAsValuesAndAsText) {
  Payload begun{}, old{};
  begun.has = Payload::kCommunicator | Payload::kRank;
  begun.communicator = 0xabcdef;
  begun.ranks = 2;
  old.has = Payload::kBytes;
  old.bytes = 8;
  for (const Payload& payload : {all_reduce(4096), begun, old}) {
    const auto [members, facts] = arguments_of(payload);
    EXPECT_EQ(facts, trace::collective_facts(members)) << members;
  }
}

TEST(NcclCalls, OnlyAWholePayloadIsOne) {
  std::array<unsigned char, sizeof(Payload) + 24> bytes{};
  const Payload payload = all_reduce(5);
  std::memcpy(bytes.data(), &payload, sizeof(payload));
  ASSERT_TRUE(payload_in(bytes, sizeof(Payload)));
  EXPECT_EQ(payload_in(bytes, sizeof(Payload))->bytes, 5u);
  EXPECT_FALSE(payload_in(bytes, 0));
  EXPECT_FALSE(payload_in(bytes, sizeof(Payload) - 1));
  EXPECT_FALSE(payload_in(bytes, std::numeric_limits<std::uint32_t>::max()));
  EXPECT_FALSE(payload_in(std::span(bytes).first(sizeof(Payload) - 1), sizeof(Payload)));
  bytes.fill(0);
  EXPECT_FALSE(payload_in(bytes, sizeof(Payload)));
}

TEST(NcclCalls, ALaunchWithinACallIsItsOwn) {
  NcclCalls calls;
  EXPECT_EQ(calls.launched().members, "");
  calls.begin("ncclAllReduce", all_reduce(1));
  EXPECT_EQ(calls.launched().members, arguments_of(all_reduce(1)).members);
  calls.end();
  EXPECT_EQ(calls.launched().members, "");
  calls.begin("ncclCommInitRank", {});
  EXPECT_EQ(calls.launched().members, "");
}

TEST(NcclCalls, AGroupIsLaunchedAtItsEnd) {
  NcclCalls calls;
  const auto group = [&](const std::vector<Payload>& of) {
    calls.begin("ncclGroupStart", {});
    calls.end();
    for (const Payload& payload : of) {
      calls.begin("ncclSend", payload);
      calls.end();
    }
    calls.begin("ncclGroupEnd", {});
    const std::string arguments = calls.launched().members;
    calls.end();
    return arguments;
  };
  EXPECT_EQ(group({all_reduce(7)}), arguments_of(all_reduce(7)).members);
  EXPECT_EQ(group({all_reduce(7), all_reduce(8)}), R"("communicator":"0x00000000000000ab","bytes":15,"calls":2)");
  EXPECT_EQ(group({all_reduce(7), all_reduce(8, 0xCD)}), R"("bytes":15,"calls":2)");
  EXPECT_EQ(group({all_reduce(std::numeric_limits<std::uint64_t>::max()), all_reduce(8)}),
            R"("communicator":"0x00000000000000ab","bytes":18446744073709551615,"calls":2)");
  EXPECT_EQ(group({}), "") << "nothing is left of the groups before";
}

TEST(NcclCalls, NeitherLostBeginningsNorLostEndsSpoilWhatFollows) {
  NcclCalls calls;
  for (int i = 0; i < 1000; ++i) calls.end();
  for (int i = 0; i < 1000; ++i) calls.begin("ncclGroupStart", {});
  for (int i = 0; i < 1000; ++i) calls.end();
  for (int i = 0; i < 100'000; ++i) {
    calls.begin("ncclSend", all_reduce(1));
    calls.end();
  }
  calls.begin("ncclAllReduce", all_reduce(9));
  EXPECT_EQ(calls.launched().members, arguments_of(all_reduce(9)).members);
  calls.end();
  calls.begin("ncclGroupEnd", {});
  calls.launched();
  calls.end();
  calls.begin("ncclGroupEnd", {});
  EXPECT_EQ(calls.launched().members, "");
}

// Of two communicators each has numbers of its own. Sends have none: each rank has others.
TEST(CollectiveNumbersTest, CountEachCommunicatorsCollectives) {
  CollectiveNumbers numbers;
  EXPECT_EQ(numbers.next("ncclAllReduce", all_reduce(8, 1)), 1u);
  EXPECT_EQ(numbers.next("ncclAllReduce", all_reduce(8, 2)), 1u);
  EXPECT_EQ(numbers.next("ncclAllGather", all_reduce(4, 1)), 2u);
  Payload send = all_reduce(8, 1);
  send.has |= Payload::kPeer;
  EXPECT_EQ(numbers.next("ncclSend", send), 0u);
  EXPECT_EQ(numbers.next("ncclSend", all_reduce(8, 1)), 0u);
  Payload before_2_25 = all_reduce(8, 1);
  before_2_25.has &= ~std::uint32_t{Payload::kCommunicator};
  EXPECT_EQ(numbers.next("ncclAllReduce", before_2_25), 0u);
  EXPECT_EQ(numbers.next("ncclAllReduce", all_reduce(8, 1)), 3u);
}

TEST(CollectiveNumbersTest, AKernelHasItsCallsOrOfAGroupTheFirst) {
  NcclCalls calls;
  calls.begin("ncclAllReduce", all_reduce(1), 5);
  EXPECT_EQ(calls.launched().number, 5u);
  calls.end();
  calls.begin("ncclGroupStart", {});
  calls.end();
  for (const std::uint32_t number : {6u, 7u}) {
    calls.begin("ncclAllReduce", all_reduce(1), number);
    calls.end();
  }
  calls.begin("ncclGroupEnd", {});
  EXPECT_EQ(calls.launched().number, 6u);
  calls.end();
  calls.begin("ncclGroupStart", {});
  calls.end();
  for (const std::uint64_t communicator : {1u, 2u}) {
    calls.begin("ncclAllReduce", all_reduce(1, communicator), 8);
    calls.end();
  }
  calls.begin("ncclGroupEnd", {});
  EXPECT_EQ(calls.launched().number, 0u) << "of two communicators it is none's";
}

TEST(CollectiveNumbersTest, AFilesOwnNumberComesFirstAndAnotherKernelsWordIsNone) {
  const auto number = [](std::string_view arguments, std::uint32_t word) {
    return trace::collective_number(trace::collective_facts(arguments), word);
  };
  EXPECT_EQ(number(arguments_of(all_reduce(8)).members, 12), 12);
  EXPECT_EQ(number(arguments_of(all_reduce(8)).members, 0), std::nullopt);
  EXPECT_EQ(number(R"("Process Group Name":"0","Process Group Ranks":"[0, 1]","Seq":7)", 12), 7);
  EXPECT_EQ(number(R"("Process Group Name":"0","Process Group Ranks":"[0, 1]")", 12), std::nullopt)
      << "that is the profiler's number of an operator";
  EXPECT_EQ(number("", 12), std::nullopt);
}

}  // namespace
}  // namespace lanescope::attach
