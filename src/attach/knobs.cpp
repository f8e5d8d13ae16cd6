#include "attach/knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/from_chars.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;

constexpr std::array<std::pair<KnobKind, std::string_view>, 8> kKinds{{
    {KnobKind::NonBlocking, "non_blocking"},
    {KnobKind::Pinned, "pinned"},
    {KnobKind::Prefetch, "prefetch"},
    {KnobKind::ReadEvery, "read-every"},
    {KnobKind::ReadLate, "read-late"},
    {KnobKind::NoSynchronize, "no-synchronize"},
    {KnobKind::Variable, "variable"},
    {KnobKind::Own, "own"},
}};

/// Two-sided, 95 %: the 97.5th percentile. Beyond the table, the expansion of Abramowitz and Stegun, 26.7.5, is right
/// to four digits.
double students_t(std::size_t degrees) {
  constexpr std::array kTable{12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622};
  if (degrees <= kTable.size()) return kTable[degrees - 1];
  constexpr double x = 1.959964, x3 = x * x * x, x5 = x3 * x * x, x7 = x5 * x * x;
  const auto n = static_cast<double>(degrees);
  return x + (x3 + x) / (4 * n) + (5 * x5 + 16 * x3 + 3 * x) / (96 * n * n) +
         (3 * x7 + 19 * x5 + 17 * x3 - 15 * x) / (384 * n * n * n);
}

double per_iteration(const TrialBlock& block) {
  return static_cast<double>(block.duration_ns) / static_cast<double>(block.iterations);
}

Nanoseconds median_of(std::span<const TrialBlock> blocks, bool turned) {
  std::vector<double> means;
  for (const TrialBlock& block : blocks) {
    if (block.turned == turned && block.iterations > 0) means.push_back(per_iteration(block));
  }
  if (means.empty()) return 0;
  const auto middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
  std::ranges::nth_element(means, middle);
  if (means.size() % 2 != 0) return static_cast<Nanoseconds>(std::llround(*middle));
  return static_cast<Nanoseconds>(std::llround((*middle + *std::max_element(means.begin(), middle)) / 2));
}

std::string range_text(const TrialResult& result) {
  const auto [least, most] = interval_ends(result);
  return tr("{} to {} times as fast", least, most);
}

std::string measured_text(const TrialResult& result) {
  const std::string iterations = base::format_count(static_cast<std::int64_t>(result.iterations));
  if (!result.differs) return tr("no difference above {} %, {} iterations", resolved_percent(result), iterations);
  if (result.most < 1) return tr("{}: slower, {} iterations", range_text(result), iterations);
  return tr("{}, {} iterations", range_text(result), iterations);
}

}  // namespace

std::pair<std::string, std::string> interval_ends(const TrialResult& result) {
  for (int digits = 2;; ++digits) {
    const double scale = std::pow(10, digits), tiny = 1e-9;  // 1.21 is to stay 1.21
    const double least = std::floor(result.least * scale + tiny) / scale;
    const double most = std::ceil(result.most * scale - tiny) / scale;
    if (digits == 5 || (result.least > 1 ? least > 1 : most < 1))
      return {fmt::format("{:.{}f}", least, digits), fmt::format("{:.{}f}", most, digits)};
  }
}

std::string resolved_percent(const TrialResult& result) {
  const double percent = result.resolved * 100;
  if (percent >= 10) return fmt::format("{:.0f}", std::ceil(percent - 1e-9));
  const std::string text = fmt::format("{:.1f}", std::max(std::ceil(percent * 10 - 1e-9) / 10, 0.1));
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

namespace {

// --- plans -----------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kMostBlocks = 64, kUsualBlocks = 16, kFewestBlocks = 8;  // usual: before blocks get shorter
constexpr std::uint32_t kIterations = 25, kFewestIterations = 10, kMostIterations = 2500, kSkipped = 3;
constexpr Nanoseconds kLongest = 60 * base::kSecond;
/// The launches of a shorter block would all fit into the queue: it would measure how far the CPU runs ahead.
constexpr Nanoseconds kShortestBlock = 25 * base::kMillisecond;

/// What is done only each N-th time is in each block equally often if it counts a multiple of N.
std::uint32_t rhythm(const Knob& knob, const std::string& value) {
  const auto whole = [](const std::string& text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : 0;
  };
  switch (knob.kind) {
    case KnobKind::ReadEvery:
      return whole(value);
    case KnobKind::Variable:
    case KnobKind::Own:
      return std::max(whole(knob.value), whole(value));
    default:
      return 0;
  }
}

}  // namespace

std::string_view to_text(KnobKind kind) {
  return std::ranges::find(kKinds, kind, &decltype(kKinds)::value_type::first)->second;
}

std::optional<KnobKind> parse_knob_kind(std::string_view text) {
  const auto same = [text](std::string_view word) {
    return std::ranges::equal(text, word, [](char a, char b) { return a == b || (a == '-' && b == '_'); });
  };
  const auto found = std::ranges::find_if(kKinds, [&](const auto& kind) { return same(kind.second); });
  return found == kKinds.end() ? std::nullopt : std::optional(found->first);
}

std::string Knob::place() const {
  if (file.empty()) return {};
  const std::string base = std::filesystem::path(file).filename().string();
  return line == 0 ? base : fmt::format("{}:{}", base, line);
}

std::string Knob::id() const {
  if (kind == KnobKind::Variable || kind == KnobKind::Own) return name;
  const std::string where = place();
  return where.empty() ? std::string(to_text(kind)) : fmt::format("{} {}", to_text(kind), where);
}

std::optional<TrialResult> trial_result(std::span<const TrialBlock> blocks) {
  std::vector<double> pairs;
  TrialResult result;
  for (const TrialBlock& block : blocks) result.iterations += block.iterations;
  // A block may be missing in between: a pair is always two neighbours, one of either side.
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    const TrialBlock &one = blocks[i], &other = blocks[i + 1];
    const auto usable = [](const TrialBlock& block) { return block.iterations > 0 && block.duration_ns > 0; };
    if (one.turned == other.turned || !usable(one) || !usable(other)) continue;
    const double ratio = std::log(per_iteration(one) / per_iteration(other));
    pairs.push_back(one.turned ? -ratio : ratio);
    ++i;
  }
  if (pairs.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(pairs.size());
  double mean = 0, squares = 0;
  for (const double pair : pairs) mean += pair / n;
  for (const double pair : pairs) squares += (pair - mean) * (pair - mean);
  const double half = students_t(pairs.size() - 1) * std::sqrt(squares / (n - 1) / n);
  result.least = std::exp(mean - half);
  result.middle = std::exp(mean);
  result.most = std::exp(mean + half);
  result.before_ns = median_of(blocks, false);
  result.after_ns = median_of(blocks, true);
  result.differs = result.least > 1 || result.most < 1;
  if (!result.differs) result.resolved = std::max(result.most, 1 / result.least) - 1;
  return result;
}

TrialPlan plan_for(const Knob& knob, std::string value, Nanoseconds iteration_ns) {
  TrialPlan plan;
  plan.knob = knob;
  const Nanoseconds iteration = std::clamp<Nanoseconds>(iteration_ns, 0, kLongest);
  const auto fitting = static_cast<std::uint32_t>(
      iteration == 0 ? kMostBlocks * kIterations
                     : std::min<Nanoseconds>(kLongest / iteration, kMostBlocks * Nanoseconds{kMostIterations}));
  const auto blocks_of = [fitting](std::uint32_t iterations, std::uint32_t fewest) {
    return std::clamp(fitting / iterations / 4 * 4, fewest, kMostBlocks);
  };
  plan.blocks = blocks_of(kIterations, kUsualBlocks);
  plan.iterations = std::clamp(fitting / plan.blocks, kFewestIterations, kIterations);
  if (plan.iterations == kFewestIterations) plan.blocks = blocks_of(kFewestIterations, kFewestBlocks);
  if (iteration > 0 && iteration * kIterations < kShortestBlock) {
    plan.iterations = static_cast<std::uint32_t>(std::min<Nanoseconds>(kShortestBlock / iteration, kMostIterations));
  }
  plan.skipped = std::max(kSkipped, plan.iterations / 8);
  if (const std::uint32_t n = rhythm(knob, value); n > 1 && n <= kMostIterations) {
    const std::uint32_t counted = (plan.iterations - plan.skipped + n - 1) / n * n;
    if ((counted + plan.skipped) * kFewestBlocks <= fitting) {
      plan.iterations = counted + plan.skipped;
      plan.blocks = std::min(plan.blocks, blocks_of(plan.iterations, kFewestBlocks));
    }
  }
  plan.value = std::move(value);
  return plan;
}

std::string deferred_text(const ProgramTrial& trial) {
  if (trial.deferred == 0) return {};
  const std::string count = base::format_count(static_cast<std::int64_t>(trial.deferred));
  if (trial.plan.knob.kind == KnobKind::ReadLate) {
    return trial.deferred == 1 ? tr("1 value in the log is that of the iteration before")
                               : tr("{} values in the log are those of the iteration before", count);
  }
  return trial.deferred == 1 ? tr("1 value in the log is an older one")
                             : tr("{} values in the log are older ones", count);
}

std::string result_text(const ProgramTrial& trial) {
  const std::string deferred = deferred_text(trial);
  switch (trial.state) {
    case ProgramTrial::State::Asked:
      return tr("waits for the next iteration");
    case ProgramTrial::State::Running:
      return tr("{} of {} blocks measured", trial.blocks.size(), trial.plan.blocks);
    case ProgramTrial::State::Failed:
      return deferred.empty() ? trial.ended : fmt::format("{} {}.", trial.ended, deferred);
    case ProgramTrial::State::Done:
      break;
  }
  std::string measured = trial.result ? measured_text(*trial.result) : tr("too short to tell");
  if (!deferred.empty()) measured += "; " + deferred;
  return trial.ended.empty() ? measured : fmt::format("{}. {}", measured, trial.ended);
}

// --- on the command line ---------------------------------------------------------------------------------------------

namespace {

bool is_named(KnobKind kind) { return kind == KnobKind::Variable || kind == KnobKind::Own; }

std::string knob_syntax() {
  std::string all;
  for (const auto& [kind, word] : kKinds) {
    all += (all.empty() ? "" : ", ") + std::string(word);
    all += is_named(kind) ? "=VALUE:NAME" : kind == KnobKind::ReadEvery ? "=N[:PLACE]" : "[:PLACE]";
  }
  return all + ", NAME=VALUE";
}

constexpr std::size_t kMostNamed = 20;

std::string wishes_for(std::span<const Knob* const> knobs) {
  std::string all;
  for (std::size_t i = 0; i < knobs.size() && i < kMostNamed; ++i) {
    all += (all.empty() ? "" : ", ") + wish_for(*knobs[i]);
  }
  return knobs.size() > kMostNamed ? all + ", ..." : all;
}

}  // namespace

KnobWish parse_knob_wish(std::string_view text) {
  const auto refuse = [text] {
    throw base::UsageError(tr("--try: '{}' is no knob; allowed: list, {}", text, knob_syntax()));
  };
  const std::string_view word = text.substr(0, text.find_first_of("=:"));
  std::string_view rest = text.substr(word.size());
  KnobWish wish{parse_knob_kind(word), {}, {}};
  if (!wish.kind) {
    // A kind that is misspelt has a "-" as a rule.
    const bool a_variable = !word.empty() && word.find_first_of("- \t") == word.npos;
    if (!a_variable || rest.size() < 2 || rest.front() != '=') refuse();
    return {{}, std::string(rest.substr(1)), std::string(word)};
  }
  if (is_named(*wish.kind)) {  // a value may have a colon, a name has none
    const std::size_t colon = rest.rfind(':');
    if (!rest.starts_with('=') || colon == rest.npos || colon < 2 || colon + 1 == rest.size()) refuse();
    return {wish.kind, std::string(rest.substr(1, colon - 1)), std::string(rest.substr(colon + 1))};
  }
  if (*wish.kind == KnobKind::ReadEvery) {
    std::uint32_t times = 0;
    const auto [end, error] = std::from_chars(rest.data() + (rest.empty() ? 0 : 1), rest.data() + rest.size(), times);
    if (!rest.starts_with('=') || error != std::errc() || times < 2 || times > 1'000'000) refuse();
    wish.value = std::to_string(times);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  }
  if (!rest.empty() && (rest.front() != ':' || rest.size() == 1)) refuse();
  if (!rest.empty()) wish.place = rest.substr(1);
  return wish;
}

std::string wish_for(const Knob& knob) {
  if (is_named(knob.kind)) return knob.name + "=VALUE";
  std::string text(to_text(knob.kind));
  if (knob.kind == KnobKind::ReadEvery) text += "=N";
  const std::string where = knob.place();
  return where.empty() ? text : text + ':' + where;
}

const Knob& find_knob(std::span<const Knob> knobs, const KnobWish& wish) {
  std::vector<const Knob*> all, meant;
  const Knob* everywhere = nullptr;
  for (const Knob& knob : knobs) {
    all.push_back(&knob);
    if (wish.kind ? knob.kind != *wish.kind : !is_named(knob.kind)) continue;
    const bool here = is_named(knob.kind) ? knob.name == wish.place
                                          : wish.place.empty() || knob.place() == wish.place ||
                                                fmt::format("{}:{}", knob.file, knob.line) == wish.place;
    if (!here) continue;
    meant.push_back(&knob);
    if (!is_named(knob.kind) && knob.file.empty()) everywhere = &knob;
  }
  if (wish.place.empty() && everywhere) return *everywhere;
  if (meant.size() > 1) {  // of several, the one that can be turned
    const auto refused = [](const Knob* knob) { return !knob->refused.empty(); };
    if (std::ranges::count_if(meant, refused) + 1 == std::ssize(meant)) std::erase_if(meant, refused);
  }
  if (meant.size() == 1) return *meant.front();
  if (meant.size() > 1) throw base::UsageError(tr("there are several: {}", wishes_for(meant)));
  if (all.empty()) throw base::UsageError(tr("the program has no knobs"));
  throw base::UsageError(tr("the program has no such knob; it has: {}", wishes_for(all)));
}

}  // namespace lanescope::attach
