#include "attach/nccl_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace lanescope::attach {
namespace {

using Payload = wire::CollectivePayload;

constexpr std::size_t kMostOpen = 64, kMostGrouped = 4096;

bool has(const Payload& payload, std::uint32_t what) { return (payload.has & what) != 0; }

void add(std::string& members, std::string_view name, std::string_view value) {
  fmt::format_to(std::back_inserter(members), "{}\"{}\":{}", members.empty() ? "" : ",", name, value);
}

void add_communicator(std::string& members, const Payload& payload) {
  if (has(payload, Payload::kCommunicator)) {
    add(members, "communicator", fmt::format("\"{:#018x}\"", payload.communicator));
  }
}

// As ncclRedOp_t has them; those of the program's own have larger numbers.
std::string_view reduction(std::int32_t number) {
  constexpr std::string_view kNames[] = {"\"sum\"", "\"prod\"", "\"max\"", "\"min\"", "\"avg\""};
  return number >= 0 && number < static_cast<std::int32_t>(std::size(kNames)) ? kNames[number] : "\"its own\"";
}

}  // namespace

std::optional<Payload> payload_in(std::span<const unsigned char> after, std::uint32_t bytes) {
  if (bytes != sizeof(Payload) || after.size() < sizeof(Payload)) return std::nullopt;
  Payload payload;
  std::memcpy(&payload, after.data(), sizeof(payload));
  if (payload.has == 0) return std::nullopt;
  return payload;
}

std::string arguments_of(const Payload& payload) {
  std::string members;
  add_communicator(members, payload);
  if (has(payload, Payload::kBytes)) add(members, "bytes", std::to_string(payload.bytes));
  if (has(payload, Payload::kRoot)) add(members, "root", std::to_string(payload.root));
  if (has(payload, Payload::kPeer)) add(members, "peer", std::to_string(payload.peer));
  if (has(payload, Payload::kOperation)) add(members, "reduction", reduction(payload.operation));
  if (has(payload, Payload::kRank)) {
    add(members, "rank", std::to_string(payload.rank));
    add(members, "ranks", std::to_string(payload.ranks));
  }
  return members;
}

void NcclCalls::begin(std::string_view name, const std::optional<Payload>& payload) {
  if (open_.size() >= kMostOpen) open_.clear();  // ends were lost
  const RangeIs is = name == "ncclGroupStart" ? RangeIs::GroupStart
                     : name == "ncclGroupEnd" ? RangeIs::GroupEnd
                                              : RangeIs::Other;
  open_.push_back({is, payload, false});
}

void NcclCalls::end() {
  if (open_.empty()) return;
  const Open ended = std::move(open_.back());
  open_.pop_back();
  if (ended.is == RangeIs::GroupStart) ++groups_;
  if (ended.is == RangeIs::GroupEnd) {
    if (groups_ > 0) --groups_;
    if (groups_ == 0 || ended.launched) grouped_.clear();
  }
  if (ended.payload && has(*ended.payload, Payload::kBytes) && groups_ > 0 && !ended.launched &&
      grouped_.size() < kMostGrouped) {
    grouped_.push_back(*ended.payload);
  }
}

std::string NcclCalls::launched() {
  for (auto range = open_.rbegin(); range != open_.rend(); ++range) {
    if (!range->payload) continue;
    range->launched = true;
    return arguments_of(*range->payload);
  }
  if (open_.empty() || open_.back().is != RangeIs::GroupEnd || grouped_.empty()) return {};
  open_.back().launched = true;
  return arguments_of_group();
}

std::string NcclCalls::arguments_of_group() const {
  const Payload& first = grouped_.front();
  if (grouped_.size() == 1) return arguments_of(first);
  std::string members;
  const bool same = std::ranges::all_of(grouped_, [&](const Payload& payload) {
    return has(payload, Payload::kCommunicator) && payload.communicator == first.communicator;
  });
  if (same) add_communicator(members, first);
  std::uint64_t bytes = 0;
  for (const Payload& payload : grouped_) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - bytes;
    bytes += std::min(payload.bytes, room);
  }
  add(members, "bytes", std::to_string(bytes));
  add(members, "calls", std::to_string(grouped_.size()));
  return members;
}

}  // namespace lanescope::attach
