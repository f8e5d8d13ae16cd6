#include "analysis/communicator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace lanescope::analysis {
namespace {

/// The value of a member of a JSON object without spaces, as written; empty if there is none.
std::string_view member(std::string_view members, std::string_view quoted_key) {
  const std::size_t at = members.find(quoted_key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = members.substr(at + quoted_key.size());
  if (!rest.starts_with('"')) return rest.substr(0, rest.find_first_of(",}"));
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '\\') {
      ++i;
    } else if (rest[i] == '"') {
      return rest.substr(1, i - 1);
    }
  }
  return {};
}

std::optional<std::uint64_t> number(std::string_view written) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (written.empty() || error != std::errc{} || end != written.data() + written.size()) return std::nullopt;
  return value;
}

/// Of PyTorch's types of numbers, by their names; 0: another one.
std::uint64_t bytes_each(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 13> kTypes{{{"Byte", 1},
                                                                               {"Char", 1},
                                                                               {"Bool", 1},
                                                                               {"Float8_e4m3fn", 1},
                                                                               {"Float8_e5m2", 1},
                                                                               {"Short", 2},
                                                                               {"Half", 2},
                                                                               {"BFloat16", 2},
                                                                               {"Int", 4},
                                                                               {"Float", 4},
                                                                               {"Long", 8},
                                                                               {"Double", 8},
                                                                               {"ComplexFloat", 8}}};
  const auto* found = std::ranges::find(kTypes, type, &std::pair<std::string_view, std::uint64_t>::first);
  return found != kTypes.end() ? found->second : 0;
}

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;  // more than any GPU has

}  // namespace

std::uint64_t bytes_of_collective(std::string_view arguments, std::string_view operation, std::size_t gpus) {
  std::uint64_t bytes = 0;
  if (const auto written = number(member(arguments, "\"bytes\":"))) {
    // NCCL says of these what one GPU has of the whole.
    const bool of_one = operation == "AllGather" || operation == "ReduceScatter";
    bytes = std::min(*written, kMostBytes) * (of_one ? gpus : 1);
  } else {
    const auto in = number(member(arguments, "\"In msg nelems\":")),
               out = number(member(arguments, "\"Out msg nelems\":"));
    bytes =
        std::min(std::max(in.value_or(0), out.value_or(0)), kMostBytes) * bytes_each(member(arguments, "\"dtype\":"));
  }
  return bytes <= kMostBytes ? bytes : 0;
}

std::string_view collective_name_in(std::string_view arguments) { return member(arguments, "\"Collective name\":"); }

Communicator communicator_of(std::string_view arguments) {
  Communicator communicator;
  const std::string_view name = member(arguments, "\"Process Group Name\":");
  if (name.empty()) {
    communicator.group = member(arguments, "\"communicator\":");
    return communicator;
  }
  communicator.group = name;
  communicator.group += ' ';
  communicator.group += member(arguments, "\"Process Group Ranks\":");
  std::int64_t sequence = 0;
  const std::string_view written = member(arguments, "\"Seq\":");
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), sequence);
  if (error == std::errc{} && end == written.data() + written.size()) communicator.sequence = sequence;
  return communicator;
}

}  // namespace lanescope::analysis
