#include "shell/looking.h"

#include <utility>

#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

constexpr Nanoseconds kRecorded = base::kSecond;
constexpr std::chrono::seconds kBetween{1};
/// What is older than this cannot be recorded any more, and nobody who looks there waits for more.
constexpr Nanoseconds kNearPresent = 2 * base::kSecond;

}  // namespace

void record_where_looked(ShellState& state, std::chrono::steady_clock::time_point now) {
  LookingState& looking = state.looking;
  const std::uint64_t moves = state.view.moves_by_hand();
  const bool moved = std::exchange(looking.moves, moves) != moves;
  const bool same = std::exchange(looking.generation, state.model.generation()) == state.model.generation();
  Watching* watching = state.model.source().watching();
  if (!watching || !moved || !same || !state.model.running() || now - looking.asked < kBetween) return;
  if (watching->intensity().level != wire::Level::Acquire) return;
  if (state.view.destination().end_ns() < state.model.live_edge() - kNearPresent) return;
  looking.asked = now;
  watching->record_for(kRecorded);
}

}  // namespace lanescope::ui
