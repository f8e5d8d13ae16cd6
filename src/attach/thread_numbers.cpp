#include "attach/thread_numbers.h"

#include <algorithm>

namespace lanescope::attach {

std::uint32_t ThreadNumbers::begins(std::uint32_t thread, const std::string& name) {
  if (const auto known = alive_.find(thread); known != alive_.end()) {
    known->second.name = name;
    return known->second.shown;
  }
  if (alive_.size() >= kMost) return thread;
  std::uint32_t shown = thread;
  auto free = std::ranges::find(ended_, name, &Named::name);
  // The system gives numbers out again: this one's lanes may be free, or another thread may go on in them.
  if (free == ended_.end()) free = std::ranges::find(ended_, thread, &Named::shown);
  if (free != ended_.end()) {
    shown = free->shown;
    ended_.erase(free);
  } else if (taken_.contains(thread)) {
    shown = made_up_++;
  }
  taken_.insert(shown);
  alive_[thread] = {shown, name};
  return shown;
}

std::optional<std::uint32_t> ThreadNumbers::ends(std::uint32_t thread) {
  const auto known = alive_.find(thread);
  if (known == alive_.end()) return std::nullopt;
  const Named ended = known->second;
  alive_.erase(known);
  taken_.erase(ended.shown);
  if (ended_.size() < kMost) ended_.push_back(ended);
  return ended.shown;
}

}  // namespace lanescope::attach
