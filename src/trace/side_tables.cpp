#include "trace/side_tables.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <system_error>
#include <utility>

namespace lanescope::trace {
namespace {

std::uint64_t hash_of(std::span<const Frame> frames) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  };
  for (const Frame& frame : frames) {
    mix(std::uint64_t{frame.file} << 32 | frame.function);
    mix(frame.line);
  }
  return hash;
}

template <typename Queue>
auto first_from(Queue& queue, Nanoseconds t) {
  return std::lower_bound(queue.begin(), queue.end(), t,
                          [](const CallSites::NotedCall& noted, Nanoseconds time) { return noted.start_ns < time; });
}

}  // namespace

bool is_library_file(std::string_view path) {
  if (path.empty() || path.front() == '<') return true;  // "<frozen importlib._bootstrap>", "<string>"
  constexpr std::array<std::string_view, 5> kParts{"/site-packages/", "/dist-packages/", "/lib/python3",
                                                   "/lib64/python3", "/torchinductor_"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return path.find(part) != std::string_view::npos; });
}

std::uint32_t CallSites::intern(std::span<const Frame> frames, std::size_t own) {
  if (frames.empty()) return 0;
  frames = frames.first(std::min(frames.size(), kMostFrames));
  const std::uint64_t hash = hash_of(frames);
  const std::lock_guard lock(mutex_);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (std::ranges::equal(stacks_[it->second - 1].frames, frames)) return it->second;
  }
  if (stacks_.size() >= kCapacity) return 0;
  stacks_.push_back({{frames.begin(), frames.end()}, std::min(own, frames.size())});
  const auto site = static_cast<std::uint32_t>(stacks_.size());
  by_hash_.emplace(hash, site);
  return site;
}

CallSites::Stack CallSites::stack(std::uint32_t site) const {
  const std::lock_guard lock(mutex_);
  return site == 0 || site > stacks_.size() ? Stack{} : stacks_[site - 1];
}

std::size_t CallSites::size() const {
  const std::lock_guard lock(mutex_);
  return stacks_.size();
}

void CallSites::note(LaneId lane, Nanoseconds start_ns, std::uint32_t site) {
  if (site == 0) return;
  const std::lock_guard lock(mutex_);
  std::deque<NotedCall>& noted = lanes_[lane];
  ++noted_;
  if (noted.empty() || noted.back().start_ns <= start_ns) {
    noted.push_back({start_ns, site});
  } else {
    noted.insert(first_from(noted, start_ns), {start_ns, site});  // a late call
  }
}

std::uint32_t CallSites::at(LaneId lane, Nanoseconds start_ns) const {
  const std::lock_guard lock(mutex_);
  const auto found = lanes_.find(lane);
  if (found == lanes_.end()) return 0;
  const auto it = first_from(found->second, start_ns);
  return it != found->second.end() && it->start_ns == start_ns ? it->site : 0;
}

std::vector<CallSites::NotedCall> CallSites::between(LaneId lane, Nanoseconds from, Nanoseconds to) const {
  const std::lock_guard lock(mutex_);
  const auto found = lanes_.find(lane);
  if (found == lanes_.end()) return {};
  return {first_from(found->second, from), first_from(found->second, to)};
}

void CallSites::forget_before(Nanoseconds t) {
  const std::lock_guard lock(mutex_);
  for (auto& [lane, noted] : lanes_) noted.erase(noted.begin(), first_from(noted, t));
}

std::uint64_t CallSites::noted() const {
  const std::lock_guard lock(mutex_);
  return noted_;
}

std::size_t CallSites::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const Stack& stack : stacks_) bytes += sizeof(Stack) + stack.frames.size() * sizeof(Frame);
  for (const auto& [lane, noted] : lanes_) bytes += noted.size() * sizeof(NotedCall);
  return bytes;
}

// --- launch table ----------------------------------------------------------------------------------------------------

std::uint64_t hash_of(const LaunchShape& shape) {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  };
  for (const auto& size : {shape.grid, shape.block}) {
    mix(std::uint64_t{size[0]} << 32 | size[1]);
    mix(size[2]);
  }
  mix(std::uint64_t{shape.registers_per_thread} << 32 | shape.shared_bytes);
  mix(std::uint64_t{shape.static_shared_bytes} << 32 | shape.dynamic_shared_bytes);
  mix(shape.context);
  for (const double value : {shape.blocks_per_sm, shape.warps_per_sm, shape.occupancy_percent}) {
    mix(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));  // -0 equals 0
  }
  return hash;
}

std::size_t LaunchTable::Hash::operator()(const LaunchShape& shape) const {
  return static_cast<std::size_t>(hash_of(shape));
}

std::uint32_t LaunchTable::intern(const LaunchShape& shape) {
  if (shape == LaunchShape{}) return kNone;
  const std::lock_guard lock(mutex_);
  if (const auto known = numbers_.find(shape); known != numbers_.end()) return known->second;
  const std::uint32_t number = end_.load(std::memory_order_relaxed);
  if (number >= kCapacity) return kOverflow;
  std::unique_ptr<Page>& page = pages_[number / kPageSize];
  if (!page) page = std::make_unique<Page>();
  (*page)[number % kPageSize] = shape;
  numbers_.emplace(shape, number);
  // The shape is stored before its number is published, so find() needs no lock.
  end_.store(number + 1, std::memory_order_release);
  return number;
}

std::optional<LaunchShape> LaunchTable::find(std::uint32_t number) const {
  if (number < kFirst || number >= end_.load(std::memory_order_acquire)) return std::nullopt;
  return (*pages_[number / kPageSize])[number % kPageSize];
}

// --- collectives -----------------------------------------------------------------------------------------------------

namespace {

/// The value of a member of a JSON object without spaces, as written; empty if there is none.
std::string_view member_in(std::string_view members, std::string_view quoted_key) {
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

std::optional<std::uint64_t> number_in(std::string_view written) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (written.empty() || error != std::errc{} || end != written.data() + written.size()) return std::nullopt;
  return value;
}

/// Of PyTorch's types of numbers, by their names; 0: another one.
std::uint32_t element_bytes_of(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::uint32_t>, 13> kTypes{{{"Byte", 1},
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
  const auto* found = std::ranges::find(kTypes, type, &std::pair<std::string_view, std::uint32_t>::first);
  return found != kTypes.end() ? found->second : 0;
}

}  // namespace

CollectiveFacts collective_facts(std::string_view arguments) {
  CollectiveFacts facts;
  facts.name = member_in(arguments, "\"Collective name\":");
  facts.bytes = number_in(member_in(arguments, "\"bytes\":"));
  if (!facts.bytes) {
    const auto in = number_in(member_in(arguments, "\"In msg nelems\":")),
               out = number_in(member_in(arguments, "\"Out msg nelems\":"));
    facts.elements = std::max(in.value_or(0), out.value_or(0));
    facts.element_bytes = element_bytes_of(member_in(arguments, "\"dtype\":"));
  }
  const std::string_view group = member_in(arguments, "\"Process Group Name\":");
  if (group.empty()) {
    facts.group = member_in(arguments, "\"communicator\":");
    return facts;
  }
  facts.group = group;
  facts.group += ' ';
  facts.group += member_in(arguments, "\"Process Group Ranks\":");
  std::int64_t sequence = 0;
  const std::string_view written = member_in(arguments, "\"Seq\":");
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), sequence);
  if (error == std::errc{} && end == written.data() + written.size()) facts.sequence = sequence;
  return facts;
}

std::optional<std::int64_t> collective_number(const CollectiveFacts& facts, std::uint32_t kernels_word) {
  if (facts.sequence) return facts.sequence;
  const bool nccls = facts.group.starts_with("0x");  // a process group has a name and a list
  return nccls && kernels_word != 0 ? std::optional<std::int64_t>(kernels_word) : std::nullopt;
}

void CollectiveTable::state(base::NameId arguments, CollectiveFacts facts) {
  const std::lock_guard lock(mutex_);
  facts_.try_emplace(arguments, std::move(facts));
}

const CollectiveFacts& CollectiveTable::of(base::NameId arguments) const {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = facts_.try_emplace(arguments);
  if (is_new) known->second = collective_facts(arguments_.text(arguments));
  return known->second;
}

}  // namespace lanescope::trace
