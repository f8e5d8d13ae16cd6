#include "inject/here.h"

#include <pthread.h>
#include <unistd.h>

#include <cstring>

#include "inject/calls.h"
#include "inject/compat.h"
#include "inject/connection.h"
#include "inject/cupti.h"
#include "inject/records.h"
#include "inject/threads.h"

namespace lanescope::inject {
namespace {

constexpr std::uint64_t kSlotsHere = 262'144;  // 16 MiB
constexpr auto kLevelHere = static_cast<std::uint32_t>(wire::Level::All);
constexpr std::int64_t kAtEnd = 200 * kMillisecond;

Silence silence;
std::int64_t looked = 0;

// Memory that stays for the process: a callback that is under way when a recording ends may still write to it.
bool make_memory() {
  if (ring.memory) return true;
  if (!create_tables()) return false;
  const int file = ring.create(kSlotsHere);
  if (file < 0) return false;
  close(file);
  // CUPTI does not work in a forked child, and the ring is shared with it.
  pthread_atfork(nullptr, nullptr, [] {
    ring.live.store(false, std::memory_order_release);
    cupti_works.store(false, std::memory_order_release);
  });
  return true;
}

bool begin_anew() {
  if (!make_memory()) return false;
  begin_records_anew();
  ring.begin_anew();
  forget_sent();
  forget_counts();
  forget_call_names();
  forget_calls();
  fatal.store(false, std::memory_order_relaxed);
  set_state(wire::State::Starting, "");
  return true;
}

}  // namespace

void wake_up() {}  // there is no thread of ours

bool begin_here(bool calls) {
  if (!begin_anew()) return false;
  start_cupti();
  if (!cupti_works.load(std::memory_order_acquire)) return false;
  silence = {};
  ring.live.store(true, std::memory_order_release);
  const int kernels = start_recording(kLevelHere, calls ? Kinds::Own : Kinds::Work);
  if (kernels != CUPTI_SUCCESS) {
    end_here(false);
    say_refusal(static_cast<CUptiResult>(kernels), "");
    return false;
  }
  // Only now: the work of each call that is seen is recorded, and none is waited for in vain.
  if (calls) watch(Watched::Own, 0);
  silence.begin(now_ns());
  return true;
}

bool can_begin_here() {
  if (!begin_anew() || !find_cupti() || !subscribe_to_cupti()) return false;
  cupti.unsubscribe(cupti.subscriber);
  return true;
}

void step_here() {
  if (!cupti_works.load(std::memory_order_acquire)) return;
  if (fatal.load(std::memory_order_acquire)) return say_fatal();
  send_unsent_changes();
  deliver(kLevelHere);
  const std::int64_t now = now_ns();
  silence.look(now);
  if (now < looked + kSecond) return;
  looked = now;
  forget_ended_threads();
  look_after_records();
}

void end_here(bool at_exit) {
  if (cupti_works.load(std::memory_order_acquire) && !fatal.load(std::memory_order_acquire)) {
    watch(Watched::Nothing, 0);
    stop_all_recording(kLevelHere);
    const std::int64_t deadline = now_ns() + kAtEnd;
    while (records_out() && now_ns() < deadline && !fatal.load(std::memory_order_acquire)) {
      const timespec nap{0, kMillisecond};
      nanosleep(&nap, nullptr);
      deliver(kLevelHere);
    }
    if (at_exit) deliver(kLevelHere, true);
    look_after_records();
    release_calls();
    cupti.unsubscribe(cupti.subscriber);
  }
  cupti_works.store(false, std::memory_order_release);
  ring.live.store(false, std::memory_order_release);
}

}  // namespace lanescope::inject
