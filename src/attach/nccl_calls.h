// What NCCL says of its calls in NVTX ranges: how many bytes go over which communicator; and which kernel launches are
// theirs. One object per thread of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inject/wire.h"
#include "trace/side_tables.h"

namespace lanescope::attach {

/// What follows a RangeMessage that names `bytes` of it; empty if it is too short.
std::optional<wire::CollectivePayload> payload_in(std::span<const unsigned char> after, std::uint32_t bytes);

/// What is recorded of a call.
struct NcclArguments {
  /// As the members of a JSON object: "\"communicator\":\"0x9a3e…\",\"bytes\":4194304,\"root\":0". Empty: nothing.
  std::string members;
  trace::CollectiveFacts facts;  ///< the same
};
NcclArguments arguments_of(const wire::CollectivePayload& payload);

/// The numbers of a process's collectives, each in its communicator. All ranks begin them in one order, so the number
/// is the same on all of them: it tells which collectives of several recordings are one, also where these were in
/// bursts, since NCCL's ranges are known at all times.
class CollectiveNumbers {
 public:
  /// A call of NCCL's begins. From 1; 0: it is none, or not known of which communicator.
  std::uint32_t next(std::string_view name, const wire::CollectivePayload& payload);

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> begun_;  // by communicator
};

/// Of a kernel's launch.
struct NcclLaunch : NcclArguments {
  std::uint32_t number = 0;  ///< as CollectiveNumbers gave it; of a group's, the first call's
};

/// NCCL launches a call's kernel within the call, or, of calls between ncclGroupStart and ncclGroupEnd, one kernel for
/// all of them within the latter.
class NcclCalls {
 public:
  void begin(std::string_view name, const std::optional<wire::CollectivePayload>& payload, std::uint32_t number = 0);
  /// The innermost range of NCCL's has ended.
  void end();
  /// A kernel is launched: its arguments; none if it is not NCCL's, or not known whose it is.
  NcclLaunch launched();

 private:
  enum class RangeIs : std::uint8_t { Other, GroupStart, GroupEnd };
  struct Open {
    RangeIs is = RangeIs::Other;
    std::optional<wire::CollectivePayload> payload;
    std::uint32_t number = 0;
    bool launched = false;
  };
  struct Grouped {
    wire::CollectivePayload payload;
    std::uint32_t number = 0;
  };
  NcclLaunch launch_of_group() const;

  std::vector<Open> open_;
  std::size_t groups_ = 0;
  std::vector<Grouped> grouped_;
};

}  // namespace lanescope::attach
