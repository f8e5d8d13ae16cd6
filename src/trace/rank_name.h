// How the processes of a job of several are named in lanes, and so in files. The names are the same in every language.
#pragma once

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lanescope::trace {

/// "rank 3 · train.py"; "rank 3" if the program has no name.
inline std::string rank_name(int rank, std::string_view program) {
  std::string name = "rank " + std::to_string(rank);
  if (!program.empty()) name.append(" · ").append(program);
  return name;
}

/// The rank in such a name.
inline std::optional<int> rank_in(std::string_view process) {
  constexpr std::string_view kRank = "rank ";
  if (!process.starts_with(kRank)) return std::nullopt;
  int rank = 0;
  const char* const end = process.data() + process.size();
  const auto [after, error] = std::from_chars(process.data() + kRank.size(), end, rank);
  const std::string_view rest(after, static_cast<std::size_t>(end - after));
  if (error != std::errc() || rank < 0 || (!rest.empty() && !rest.starts_with(" · "))) return std::nullopt;
  return rank;
}

/// Sorts processes: by rank, those without one last.
inline int rank_order(std::string_view process) { return rank_in(process).value_or(std::numeric_limits<int>::max()); }

}  // namespace lanescope::trace
