#include "analysis/communicator.h"

#include <charconv>

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

}  // namespace

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
