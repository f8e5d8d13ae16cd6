// What NCCL says of its calls in NVTX ranges: how many bytes go over which communicator; and which kernel launches are
// theirs. One object per thread of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// NCCL launches a call's kernel within the call, or, of calls between ncclGroupStart and ncclGroupEnd, one kernel for
/// all of them within the latter.
class NcclCalls {
 public:
  void begin(std::string_view name, const std::optional<wire::CollectivePayload>& payload);
  /// The innermost range of NCCL's has ended.
  void end();
  /// A kernel is launched: its arguments; none if it is not NCCL's, or not known whose it is.
  NcclArguments launched();

 private:
  enum class RangeIs : std::uint8_t { Other, GroupStart, GroupEnd };
  struct Open {
    RangeIs is = RangeIs::Other;
    std::optional<wire::CollectivePayload> payload;
    bool launched = false;
  };
  NcclArguments arguments_of_group() const;

  std::vector<Open> open_;
  std::size_t groups_ = 0;
  std::vector<wire::CollectivePayload> grouped_;
};

}  // namespace lanescope::attach
