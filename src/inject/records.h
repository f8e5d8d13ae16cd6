// CUPTI's records of what the GPU did: the buffers they come in, and what is sent of them.
#pragma once

#include <cstdint>

namespace lanescope::inject {

/// Once, after the first subscription. False if CUPTI refuses.
bool prepare_records();
/// After each later one.
bool ask_for_records();

// The library's thread only.

/// What is recorded. Each includes the one before it.
enum class Kinds : std::uint8_t {
  Work,      ///< kernels, copies, memsets
  Attached,  ///< also what calls waited for, what held them up, contexts, streams, devices
  Own,       ///< also events
};
/// Switches recording on or off, and sends when, and how long it took. Returns CUPTI's answer about kernels.
int start_recording(std::uint32_t level, Kinds kinds = Kinds::Attached);
void stop_recording(std::uint32_t level);
/// Also what otherwise stays on.
void stop_all_recording(std::uint32_t level);
/// Nothing of an earlier recording counts any more. CUPTI may still have buffers of it.
void begin_records_anew();
/// Sends the changes that found no room in the ring when they were made. Every now and then.
void send_unsent_changes();
bool recording();
/// When the first kernel ran that was launched since recording was switched on; 0: none has come yet.
std::int64_t first_work_ns();
/// True from the first recording on until release_kinds() or forget_records(): what stays on between recordings slows
/// the program down.
bool kinds_on();
/// Switches that off, as far as it may be between recordings.
void release_kinds();
/// CUPTI has left the process, and the buffers that it had are free again.
void forget_records();
/// In how many contexts the GPU's work was recorded.
std::uint32_t contexts_seen();
/// [from_ns, to_ns) is not known: CUPTI had left the process, and may have held up calls for so long as it went and
/// came.
void send_away(std::int64_t from_ns, std::int64_t to_ns, std::int64_t held_up_ns);
/// For good: those that are queued may be lost. The program goes on alone, and of what stays on they cost it the most.
void stop_kernels();
/// Asks CUPTI for what is complete, sends it, and sends until when everything was delivered. `forced`: also what is not
/// complete, at the program's end. True if CUPTI has no more records of what was recorded.
bool deliver(std::uint32_t level, bool forced = false);
/// Sends what was recorded of the buffers that CUPTI has given back, and empties them. Part of deliver(); between
/// recordings, for what stays switched on.
void read_completed();
/// True while CUPTI has buffers with records in them.
bool records_out();
/// Once a second: compares the clocks, asks for the number of records that CUPTI dropped.
void look_after_records();
/// Buffers asked for and given back so far.
std::uint64_t buffers_moved();

/// Whether somebody else gets the buffers, or CUPTI keeps all of them: launches are seen while everything is recorded,
/// but no buffer moves. Then Status says so, and again when the records come. The library's thread only.
class Silence {
 public:
  /// Recording has begun.
  void begin(std::int64_t now) { from_ = now; }
  void look(std::int64_t now);

 private:
  std::int64_t from_ = 0, silent_ns_ = 0;
  std::uint64_t launches_ = 0, silent_launches_ = 0, moved_ = 0, no_buffer_ = 0;
};

}  // namespace lanescope::inject
