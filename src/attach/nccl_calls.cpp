#include "attach/nccl_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace lanescope::attach {
namespace {

using Payload = wire::CollectivePayload;

constexpr std::size_t kMostOpen = 64, kMostGrouped = 4096, kMostCommunicators = 4096;

bool has(const Payload& payload, std::uint32_t what) { return (payload.has & what) != 0; }

void add(NcclArguments& to, std::string_view name, std::string_view value) {
  fmt::format_to(std::back_inserter(to.members), "{}\"{}\":{}", to.members.empty() ? "" : ",", name, value);
}

void add_communicator(NcclArguments& to, const Payload& payload) {
  if (!has(payload, Payload::kCommunicator)) return;
  to.facts.group = fmt::format("{:#018x}", payload.communicator);
  add(to, "communicator", fmt::format("\"{}\"", to.facts.group));
}

void add_bytes(NcclArguments& to, std::uint64_t bytes) {
  to.facts.bytes = bytes;
  add(to, "bytes", std::to_string(bytes));
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

NcclArguments arguments_of(const Payload& payload) {
  NcclArguments arguments;
  add_communicator(arguments, payload);
  if (has(payload, Payload::kBytes)) add_bytes(arguments, payload.bytes);
  if (has(payload, Payload::kRoot)) add(arguments, "root", std::to_string(payload.root));
  if (has(payload, Payload::kPeer)) add(arguments, "peer", std::to_string(payload.peer));
  if (has(payload, Payload::kOperation)) add(arguments, "reduction", reduction(payload.operation));
  if (has(payload, Payload::kRank)) {
    add(arguments, "rank", std::to_string(payload.rank));
    add(arguments, "ranks", std::to_string(payload.ranks));
  }
  return arguments;
}

std::uint32_t CollectiveNumbers::next(std::string_view name, const Payload& payload) {
  if (!has(payload, Payload::kCommunicator) || !has(payload, Payload::kBytes)) return 0;
  // Who sends and who receives begins them in an order of his own.
  if (has(payload, Payload::kPeer) || name == "ncclSend" || name == "ncclRecv") return 0;
  const auto known = begun_.find(payload.communicator);
  if (known != begun_.end()) return ++known->second;
  if (begun_.size() >= kMostCommunicators) return 0;
  return begun_[payload.communicator] = 1;
}

void NcclCalls::begin(std::string_view name, const std::optional<Payload>& payload, std::uint32_t number) {
  if (open_.size() >= kMostOpen) open_.clear();  // ends were lost
  const RangeIs is = name == "ncclGroupStart" ? RangeIs::GroupStart
                     : name == "ncclGroupEnd" ? RangeIs::GroupEnd
                                              : RangeIs::Other;
  open_.push_back({is, payload, number, false});
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
    grouped_.push_back({*ended.payload, ended.number});
  }
}

NcclLaunch NcclCalls::launched() {
  for (auto range = open_.rbegin(); range != open_.rend(); ++range) {
    if (!range->payload) continue;
    range->launched = true;
    return {arguments_of(*range->payload), range->number};
  }
  if (open_.empty() || open_.back().is != RangeIs::GroupEnd || grouped_.empty()) return {};
  open_.back().launched = true;
  return launch_of_group();
}

NcclLaunch NcclCalls::launch_of_group() const {
  const Payload& first = grouped_.front().payload;
  NcclLaunch launch;
  // The first call that is a collective: beside it there may be sends.
  for (const Grouped& call : grouped_) {
    if (launch.number == 0 && call.payload.communicator == first.communicator) launch.number = call.number;
  }
  if (grouped_.size() == 1) return {arguments_of(first), launch.number};
  const bool same = std::ranges::all_of(grouped_, [&](const Grouped& call) {
    return has(call.payload, Payload::kCommunicator) && call.payload.communicator == first.communicator;
  });
  if (same) add_communicator(launch, first);
  if (!same) launch.number = 0;
  std::uint64_t bytes = 0;
  for (const Grouped& call : grouped_) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - bytes;
    bytes += std::min(call.payload.bytes, room);
  }
  add_bytes(launch, bytes);
  add(launch, "calls", std::to_string(grouped_.size()));
  return launch;
}

}  // namespace lanescope::attach
