#include "trace/owners.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace lanescope::trace {
namespace {

template <class Owner>
std::uint16_t number_of(std::vector<Owner>& owners, const Owner& owner) {
  const auto known = std::find(owners.begin(), owners.end(), owner);
  if (known != owners.end()) return static_cast<std::uint16_t>(known - owners.begin());
  owners.push_back(owner);
  return static_cast<std::uint16_t>(owners.size() - 1);
}

}  // namespace

std::string rank_name(int rank, std::string_view program) {
  std::string name = "rank " + std::to_string(rank);
  if (!program.empty()) name.append(" · ").append(program);
  return name;
}

std::optional<int> rank_in(std::string_view process) {
  constexpr std::string_view kRank = "rank ";
  if (!process.starts_with(kRank)) return std::nullopt;
  int rank = 0;
  const char* const end = process.data() + process.size();
  const auto [after, error] = std::from_chars(process.data() + kRank.size(), end, rank);
  const std::string_view rest(after, static_cast<std::size_t>(end - after));
  if (error != std::errc() || rank < 0 || (!rest.empty() && !rest.starts_with(" · "))) return std::nullopt;
  return rank;
}

// Looks at all lanes again: the process of a lane without a pid may be known only now.
void Owners::look() {
  const std::size_t count = trace_.lane_count();
  std::set<Process> calling;
  for (std::size_t l = 0; l < count; ++l) {
    const LaneInfo& info = trace_.lane(static_cast<LaneId>(l)).info();
    if (info.kind == LaneKind::Calls) calling.insert({info.host, info.pid});
  }
  lanes_.clear();
  processes_.clear();
  ranks_.clear();
  gpus_.clear();
  for (std::size_t l = 0; l < count; ++l) {
    const LaneInfo& info = trace_.lane(static_cast<LaneId>(l)).info();
    Process process{info.host, info.pid};
    const bool unnamed = is_gpu_lane(info.kind) && info.pid == 0 && info.host.empty() && !calling.contains(process);
    if (unnamed && calling.size() == 1) process = *calling.begin();
    Owner owner;
    owner.process = number_of(processes_, process);
    ranks_.resize(processes_.size());
    if (!ranks_[owner.process]) ranks_[owner.process] = info.rank;
    if (is_gpu_work_lane(info.kind)) owner.gpu = number_of(gpus_, Gpu{owner.process, info.device});
    lanes_.push_back(owner);
  }
}

}  // namespace lanescope::trace
