// API calls, from CUPTI's callbacks. A callback at a call's start remembers it and its stack, the one at its end sends
// it.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstdint>

namespace lanescope::inject {

void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

/// After each subscription.
void prepare_calls();
/// There is no subscription any more: nothing is watched.
void forget_calls();
/// Another reader begins, who does not know their names.
void forget_call_names();
/// Switches off what prepare_calls() has switched on.
void release_calls();
/// Learns from which number CUPTI counts calls now, by a call of the library's own. Its thread only.
void find_number();
enum class Departure : std::uint32_t {
  No,           ///< or not now: some thread is in a call for long
  Wanted,       ///< of the thread that ends its call next, unless another one is in a call
  OfOwnThread,  ///< wanted of the library's
  Now,          ///< a thread is at it
  Done,         ///< CUPTI has been finalised
  Graphs,       ///< there are some: CUPTI was not finalised
  Refused,      ///< by CUPTI
};
struct Departed {
  Departure how;
  std::int64_t took_ns;  ///< of the thread that did it
};
/// Finalises CUPTI where a call ends, on the thread that makes it, as NVIDIA advises; if no call comes, where one of
/// the library's own ends. Its thread only, which waits for it.
Departed depart();
/// A call's number, which goes on counting when CUPTI has begun anew.
std::uint32_t numbered(std::uint32_t correlation);

/// The process has, or had, an executable graph, or captures one: CUPTI must not be finalised any more. A replay
/// afterwards may fail and end the program. With CUPTI 13.0 simple graphs survive, those of torch.compile do not.
extern std::atomic<bool> graphs_seen;
/// Whether CUPTI tells of graphs. Once one is known it need not, and a program that replays graphs is up to 20 % slower
/// while it does (JAX, CUPTI 13.0). The library's thread only.
void look_for_graphs(bool on);

enum class Watched : std::uint8_t {
  Nothing,
  Waits,  ///< what may block, copies, and launches of graphs
  Calls,  ///< also launches, memsets, events, captures
  All,    ///< everything but calls that only ask for something
  Own,    ///< also those that ask how far the GPU is
};
/// Which calls have callbacks. `anchor`: one more (domain << 16 | id), 0: none. The library's thread only.
void watch(Watched watched, std::uint32_t anchor);

/// cuInit has ended: CUPTI said so.
extern std::atomic<bool> driver_ready;

/// CUPTI has ended itself; `fatal_text` says why. say_fatal() says so in Status, and nothing is asked of CUPTI any
/// more.
extern std::atomic<bool> fatal;
extern char fatal_text[128];
void say_fatal();

}  // namespace lanescope::inject
