#include "inject/calls.h"

#include <errno.h>
#include <time.h>

#include <cstring>

#include "inject/call_lists.h"
#include "inject/compat.h"
#include "inject/connection.h"
#include "inject/cupti.h"
#include "inject/durations.h"
#include "inject/python.h"
#include "inject/ring.h"
#include "inject/short_text.h"
#include "inject/threads.h"

namespace lanescope::inject {
namespace {

constexpr std::size_t kMostCalls = 2048;  // ids of a domain; CUPTI 13 has 523 and 807
constexpr int kDomains = 2;

// What is known of an API call, by domain and id.
struct Api {
  std::atomic<std::uint32_t> name;  // text; 0: not sent yet
  std::atomic<bool> launches, graphs;
  bool waits, quiet, asks;  // of call_lists.h; constant after prepare_calls()
  Watched from;             // the level that watches it; constant after prepare_calls()
  bool enabled;             // the library's thread only
};
Api apis[kDomains][kMostCalls];

// Counts how often callbacks were switched off. A call that began before may end without a callback.
std::atomic<std::uint32_t> generation{1};
std::atomic<std::int64_t> switched_off_ns{0};  // then
std::atomic<std::uint32_t> anchor_now{0};
bool looks_for_graphs = false;
std::atomic<Departure> departure{Departure::No};
std::int64_t departure_took_ns = 0;  // written before `departure`
bool domains_on = false;             // the library's thread only

constexpr CUpti_CallbackDomain domain_of(int d) {
  return d == 0 ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
}

std::uint32_t learn_name(Api& api, CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const char* name = nullptr;
  if (cupti.get_callback_name(domain, id, &name) != CUPTI_SUCCESS || !name) return 0;
  if (std::strstr(name, "Launch")) api.launches.store(true, kRelaxed);
  for (const char* of : {"GraphInstantiate", "GraphLaunch", "GraphUpload", "GraphExecUpdate", "BeginCapture"}) {
    if (std::strstr(name, of)) api.graphs.store(true, kRelaxed);
  }
  const std::uint32_t text = text_id(name, std::strlen(name));
  if (text == kLater) return 0;
  api.name.store(text, kRelaxed);
  return text;
}

void show_open(const ThreadState& t, bool open) {
  if (t.index >= wire::kOpenCalls) return;
  wire::OpenCall& entry = ring.memory->open[t.index];
  const std::uint32_t turn = entry.turn.load(kRelaxed);
  entry.turn.store(turn + 1, kRelaxed);
  std::atomic_thread_fence(std::memory_order_release);
  if (open) {
    entry.name.store(t.name, kRelaxed);
    entry.stack.store(t.stack, kRelaxed);
    entry.start_ns.store(t.start_ns, kRelaxed);
    entry.correlation.store(t.number, kRelaxed);
    entry.api.store(std::uint32_t{t.domain} << 16 | t.call, kRelaxed);
  }
  entry.thread.store(open ? t.id.load(kRelaxed) : 0, kRelaxed);
  entry.turn.store(turn + 2, std::memory_order_release);
}

void enter(ThreadState& t, int d, const CUpti_CallbackData& call, CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const std::uint32_t now_generation = generation.load(kRelaxed);
  // A driver call within a call of the runtime belongs to it. But if callbacks were switched off in between, the call
  // of the runtime may have ended unseen.
  if (t.open && domain == CUPTI_CB_DOMAIN_DRIVER_API &&
      (t.correlation == call.correlationId || t.generation == now_generation)) {
    return;
  }
  Api& api = apis[d][id];
  t.open = true;
  t.domain = static_cast<std::uint8_t>(domain);
  t.call = id;
  t.correlation = call.correlationId;
  t.number = numbered(call.correlationId);
  t.newest_call.store(t.number, kRelaxed);
  if (std::uint32_t none = 0; first_call.load(kRelaxed) == 0) {
    first_call.compare_exchange_strong(none, t.number, kRelaxed);
  }
  t.generation = now_generation;
  t.start_ns = now_ns();
  t.quiet_since_ns.store(0, kRelaxed);
  t.name = api.name.load(kRelaxed);
  if (t.name == 0) t.name = learn_name(api, domain, id);
  t.mark = 0;
  const bool with_stack = api.waits || ring.memory->controls.walk_launches.load(kRelaxed) != 0 ||
                          anchor_now.load(kRelaxed) == (std::uint32_t{t.domain} << 16 | id);
  t.stack = with_stack ? walk(t, t.mark) : 0;
  show_open(t, true);
  wire::Status& status = ring.status();
  add(t.calls);
  if (status.first_call_ns.load(kRelaxed) == 0) status.first_call_ns.store(t.start_ns, kRelaxed);
  if (api.launches.load(kRelaxed)) add(t.launches);
  if (api.graphs.load(kRelaxed)) {
    graphs_seen.store(true);
    // CUPTI is just being finalised: that comes first. It takes some ms, unless it in turn waits for this thread.
    for (int ms = 0; ms < 20 && departure.load() == Departure::Now; ++ms) {
      const timespec short_while{0, kMillisecond};
      nanosleep(&short_while, nullptr);
    }
  }
}

// Where a thread is in a call that it has begun, CUPTI keeps something for its end. Of a call that began before
// callbacks were switched off the end is perhaps not seen; those that wait always have theirs.
bool others_in_calls(const ThreadState* t) {
  const std::size_t used = threads_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used && i < wire::kOpenCalls; ++i) {
    const wire::OpenCall& open = ring.memory->open[i];
    if ((t && t->index == i) || open.thread.load() == 0) continue;
    const std::uint32_t api = open.api.load(kRelaxed);
    if (open.start_ns.load(kRelaxed) > switched_off_ns.load(kRelaxed) ||
        apis[api >> 16 == CUPTI_CB_DOMAIN_DRIVER_API][api & 0xFFFF].waits) {
      return true;
    }
  }
  return false;
}

// At the end of a call of this thread. `t`: null if it is the library's.
void depart_here(const ThreadState* t) {
  Departure wanted = t ? Departure::Wanted : Departure::OfOwnThread;
  if (others_in_calls(t) || !departure.compare_exchange_strong(wanted, Departure::Now)) return;
  // A thread that begins with a graph says so first, and waits if it then finds us here.
  const std::int64_t began = now_ns();
  const Departure end = graphs_seen.load()                  ? Departure::Graphs
                        : cupti.finalize() == CUPTI_SUCCESS ? Departure::Done
                                                            : Departure::Refused;
  departure_took_ns = now_ns() - began;
  departure.store(end);
}

void leave(ThreadState& t, const CUpti_CallbackData& call, CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (!t.open || t.correlation != call.correlationId || t.domain != domain || t.call != id) return;
  t.open = false;
  Api& api = apis[domain == CUPTI_CB_DOMAIN_DRIVER_API][id];
  wire::CallMessage message;
  message.start_ns = t.start_ns;
  message.end_ns = now_ns();
  message.correlation = t.number;
  message.thread = t.id.load(kRelaxed);
  message.api = std::uint32_t{t.domain} << 16 | t.call;
  if (t.name == 0) t.name = learn_name(api, domain, id);
  message.name = t.name;
  message.stack = t.stack;
  message.result = 0;
  if (call.functionReturnValue) std::memcpy(&message.result, call.functionReturnValue, sizeof(message.result));
  const Departure now = departure.load(kRelaxed);
  const bool only_for_its_end =
      now != Departure::No && api.from > Watched::Waits && anchor_now.load(kRelaxed) != message.api;
  if (!only_for_its_end) ring.send_marked(wire::MessageKind::Call, t.mark, &message, sizeof(message));
  show_open(t, false);  // only now, so that the viewer sees the call in one place or the other
  t.quiet_since_ns.store(message.end_ns, kRelaxed);
  if (now == Departure::Wanted) depart_here(&t);
}

void set(int d, std::size_t id, bool on) {
  if (cupti.enable_callback(on, cupti.subscriber, domain_of(d), static_cast<CUpti_CallbackId>(id)) == CUPTI_SUCCESS) {
    apis[d][id].enabled = on;
  }
}

// --- a call of the library's own ------------------------------------------------------------------------------------

constexpr std::uint32_t kOwnCall = CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion;
std::atomic<std::uint32_t> own_thread{0};  // in such a call; 0: none is
std::atomic<std::uint32_t> number_base{0};

void in_own_call(const CUpti_CallbackData& call) {
  if (own_thread.load(std::memory_order_acquire) != thread_id() || call.callbackSite != CUPTI_API_EXIT) return;
  if (departure.load() == Departure::OfOwnThread) return depart_here(nullptr);
  // Other threads' calls may have begun since CUPTI began anew, and have been seen.
  const std::uint32_t newest = newest_call() - number_base.load(kRelaxed);
  if (call.correlationId <= newest) number_base.fetch_add(newest, kRelaxed);
}

void make_own_call() {
  if (cupti.enable_callback(1, cupti.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, kOwnCall) != CUPTI_SUCCESS) return;
  own_thread.store(thread_id(), std::memory_order_release);
  driver_version();
  own_thread.store(0, std::memory_order_release);
  if (departure.load() != Departure::Done)
    cupti.enable_callback(0, cupti.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, kOwnCall);
}

template <typename Ids>
void switch_off(int d, const Ids& ids) {
  for (const std::uint16_t id : ids) {
    cupti.enable_callback(0, cupti.subscriber, domain_of(d), id);
    apis[d][id].enabled = false;
  }
}

}  // namespace

std::atomic<bool> driver_ready{false}, graphs_seen{false};
std::atomic<bool> fatal{false};
char fatal_text[128];

void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (!live() || !data) return;
  const int saved = errno;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id == kOwnCall) {
    in_own_call(*static_cast<const CUpti_CallbackData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API || domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    ThreadState* t = id < kMostCalls ? this_thread() : nullptr;
    if (t) {
      const auto& call = *static_cast<const CUpti_CallbackData*>(data);
      if (call.callbackSite == CUPTI_API_ENTER) {
        enter(*t, domain == CUPTI_CB_DOMAIN_DRIVER_API, call, domain, id);
      } else {
        leave(*t, call, domain, id);
      }
    }
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CU_INIT_FINISHED) {
    driver_ready.store(true, std::memory_order_release);
    wake_up();
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE &&
             (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED || id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED)) {
    graphs_seen.store(true);  // also by a capture whose beginning nobody saw
  } else if (domain == CUPTI_CB_DOMAIN_STATE && id == CUPTI_CBID_STATE_FATAL_ERROR) {
    const char* message = static_cast<const CUpti_StateData*>(data)->notification.message;
    if (!fatal.load(kRelaxed)) {
      std::strncpy(fatal_text, message ? message : "no reason given", sizeof(fatal_text) - 1);
      fatal.store(true, std::memory_order_release);
    }
  }
  errno = saved;
}

void prepare_calls() {
  for (auto& domain : apis) {
    for (Api& api : domain) api.from = Watched::All;
  }
  const auto mark = [](int d, const auto& ids, Watched from) {
    for (const std::uint16_t id : ids) apis[d][id].from = from;
  };
  mark(0, kRuntimeWaits, Watched::Waits);
  mark(0, kRuntimeCalls, Watched::Calls);
  mark(1, kDriverWaits, Watched::Waits);
  mark(1, kDriverCalls, Watched::Calls);
  for (const std::uint16_t id : kRuntimeWaits) apis[0][id].waits = true;
  for (const std::uint16_t id : kDriverWaits) apis[1][id].waits = true;
  for (const std::uint16_t id : kRuntimeQuiet) apis[0][id].quiet = true;
  for (const std::uint16_t id : kDriverQuiet) apis[1][id].quiet = true;
  for (const std::uint16_t id : kRuntimeAsks) apis[0][id].asks = true;
  cupti.enable_callback(1, cupti.subscriber, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR);
  cupti.enable_callback(1, cupti.subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
  look_for_graphs(!graphs_seen.load());
}

void look_for_graphs(bool on) {
  if (on == looks_for_graphs) return;
  looks_for_graphs = on;
  for (const auto id : {CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED})
    cupti.enable_callback(on ? 1 : 0, cupti.subscriber, CUPTI_CB_DOMAIN_RESOURCE, static_cast<CUpti_CallbackId>(id));
}

void forget_calls() {
  for (auto& domain : apis) {
    for (Api& api : domain) api.enabled = false;
  }
  domains_on = looks_for_graphs = false;
  generation.fetch_add(1, std::memory_order_acq_rel);
  // Nobody will see the end of what is open now. Only callbacks write there, and none come any more.
  for (wire::OpenCall& open : ring.memory->open) open.thread.store(0, kRelaxed);
}

void forget_call_names() {
  for (auto& domain : apis) {
    for (Api& api : domain) api.name.store(0, kRelaxed);
  }
}

void release_calls() {
  cupti.enable_callback(0, cupti.subscriber, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR);
  cupti.enable_callback(0, cupti.subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
  look_for_graphs(false);
}

void say_fatal() {
  cupti_works.store(false, std::memory_order_release);
  Line<256> line;
  set_state(wire::State::Failed, line.add("CUPTI has stopped: ").add(fatal_text).c_str());
}

void find_number() { make_own_call(); }

Departed depart() {
  const auto wait = [](std::int64_t ns) {
    const timespec pause{0, ns};
    nanosleep(&pause, nullptr);
  };
  constexpr std::int64_t kLook = kMillisecond / 5, kCallComes = 100 * kMillisecond;
  watch(Watched::Calls, anchor_now.load(kRelaxed));
  wait(kMillisecond);  // for launches that had begun before
  departure.store(Departure::Wanted);
  for (std::int64_t ns = 0; ns < kCallComes && departure.load() == Departure::Wanted; ns += kLook) wait(kLook);
  if (Departure wanted = Departure::Wanted; departure.compare_exchange_strong(wanted, Departure::OfOwnThread)) {
    make_own_call();
    wanted = Departure::OfOwnThread;
    departure.compare_exchange_strong(wanted, Departure::No);
  }
  while (departure.load() == Departure::Now) wait(kLook);
  return {departure.exchange(Departure::No), departure_took_ns};
}

std::uint32_t numbered(std::uint32_t correlation) { return correlation + number_base.load(kRelaxed); }

void watch(Watched watched, std::uint32_t anchor) {
  const auto wanted = [&](int d, std::size_t id) {
    const Api& api = apis[d][id];
    if (watched != Watched::Nothing && anchor == (static_cast<std::uint32_t>(domain_of(d)) << 16 | id)) return true;
    if (watched == Watched::Own && api.asks) return true;
    return !api.quiet && api.from <= watched && watched != Watched::Nothing;
  };
  anchor_now.store(anchor, kRelaxed);
  bool off = false;
  if (watched >= Watched::All && !domains_on) {
    for (int d = 0; d < kDomains; ++d) {
      cupti.enable_domain(1, cupti.subscriber, domain_of(d));
      for (Api& api : apis[d]) api.enabled = true;
    }
    switch_off(0, kRuntimeQuiet);
    switch_off(1, kDriverQuiet);
    domains_on = true;
  } else if (watched < Watched::All && domains_on) {
    for (int d = 0; d < kDomains; ++d) {
      cupti.enable_domain(0, cupti.subscriber, domain_of(d));
      for (Api& api : apis[d]) api.enabled = false;
    }
    domains_on = false;
    off = true;
  }
  for (int d = 0; d < kDomains; ++d) {
    for (std::size_t id = 1; id < kMostCalls; ++id) {
      const Api& api = apis[d][id];
      // Only calls with a name of their own are ever switched one by one.
      if (domains_on && !api.quiet) continue;
      const bool on = wanted(d, id);
      if (on == api.enabled) continue;
      off = off || !on;
      set(d, id, on);
    }
  }
  if (!off) return;
  generation.fetch_add(1, std::memory_order_acq_rel);
  switched_off_ns.store(now_ns(), kRelaxed);
}

}  // namespace lanescope::inject
