// What the library inside the watched program and the viewer share: a memory file with a page of controls, a table of
// open calls, and a ring of messages. Little-endian, for one machine.
//
//   watched program                                      viewer
//   any thread ── claims slots, writes, commits ──▶ ring ──▶ one thread reads, frees
//   library    ◀── level, burst, anchor ───────────────── controls
//
// The library passes the memory file over the Unix socket named by LANESCOPE_ATTACH, with a Hello, and waits a moment
// (200 ms at most) for a byte: the viewer writes the controls first, so that the program's first calls are watched as
// it wants them. Later bytes only wake the library after the controls have changed; otherwise it looks at them every 10
// ms, or every 50 ms while only waits are watched. The socket's end tells each side that the other has ended. Neither
// side trusts the other: the library reads nothing but the controls, which it clamps, and the viewer checks every
// length, number and text. A definition (text, frame, stack, shape) may come twice.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lanescope::wire {

inline constexpr std::uint64_t kMagic = 0x31454E414C534C00;  // "\0LSLANE1"
inline constexpr std::uint32_t kVersion = 3;
/// The socket's path. Set by the launcher, inherited by every process of the program.
inline constexpr const char* kSocketVariable = "LANESCOPE_ATTACH";

enum class Level : std::uint32_t {
  Off,      ///< nothing is watched
  Waits,    ///< blocking calls, with their stacks; no CUPTI records
  Acquire,  ///< the same, and everything in bursts
  Calls,    ///< everything continuously; of API calls those that matter
  All,      ///< everything continuously, with every API call
};

enum class State : std::uint32_t {
  Starting,      ///< loaded; CUPTI is not set up yet
  Watching,      ///< CUPTI is set up
  NoCupti,       ///< CUPTI was not found or cannot be used; NVTX still works
  CuptiBusy,     ///< another profiler has CUPTI; `state_text` names it
  DriverTooOld,  ///< CUPTI does not support this driver
  NoRecords,     ///< they do not come: another profiler replaced our buffers, or CUPTI keeps all of them
  Failed,        ///< CUPTI reported a fatal error
  Denied,        ///< the system does not permit it
  Unsupported,   ///< CUPTI does not support this GPU, or its mode
};

enum class Python : std::uint32_t { None, Walking, Unsupported, Failed };

/// Times are CLOCK_MONOTONIC nanoseconds.
enum class MessageKind : std::uint8_t {
  None,
  Text,       ///< id; `slots` hold its bytes, at most kMostText
  Frame,      ///< id: a place in a program
  Stack,      ///< id; frames, innermost first, at most kMostFrames
  Thread,     ///< a thread's name
  Call,       ///< an API call that has ended
  Kernel,     ///< GPU
  Copy,       ///< GPU: also a memset
  Sync,       ///< what a blocking call waited for
  Shape,      ///< id: a kernel's launch configuration
  Context,    ///< a context's null stream
  Stream,     ///< a stream's flags
  Device,     ///< a GPU
  Range,      ///< NVTX: push, pop, start, end, mark
  Recording,  ///< the GPU's records were switched on or off, or all were delivered
  Sample,     ///< where a thread is that has made no call for some time
  Forked,     ///< a child process that is not watched
  Stall,      ///< a call was held up because the launch queue was full, or by CUPTI itself
  Ended,      ///< a thread has ended; nothing of it comes after this
  Event,      ///< an event was put into a stream
  Knobs,      ///< a line of inject/knobs.py: see "Knobs" below
};

inline constexpr std::size_t kMostText = 1024;  ///< bytes
inline constexpr std::size_t kMostFrames = 64;

// --- Messages: the first slot holds a header of 16 bytes and 48 bytes of content; longer messages continue with 56
// bytes in each further slot. Ids count from 1; 0 means none.
// -----------------------------------------------------------------

struct TextMessage {  // then the text
  std::uint32_t bytes;
};
struct FrameMessage {
  std::uint32_t file, function;  ///< texts
  std::uint32_t line;            ///< 0: unknown
  // Loops are found by these.
  std::uint32_t code;    ///< the same for all frames of a code object
  std::uint32_t offset;  ///< the place in its bytecode
};
struct StackMessage {  // then `frames` ids
  std::uint32_t frames;
};
struct ThreadMessage {
  std::uint32_t thread, name;
};
struct EndedMessage {
  std::uint32_t thread;
};
struct CallMessage {
  std::int64_t start_ns, end_ns;
  std::uint32_t correlation, thread;
  std::uint32_t api;    ///< domain << 16 | callback id
  std::uint32_t name;   ///< text: "cudaLaunchKernel_v7000"
  std::uint32_t stack;  ///< 0: not walked
  std::int32_t result;  ///< 0: success
};
struct OperationMessage {  // Kernel, Copy
  std::int64_t start_ns, end_ns;
  std::uint32_t correlation;
  std::uint32_t stream, context;
  std::uint16_t device;
  std::uint8_t copy_kind;                    ///< CUPTI's numbers; kernel: 0; memset: 0xFF
  std::uint8_t source : 4, destination : 4;  ///< CUPTI's kinds of memory
  union {
    struct {
      std::uint32_t name, shape;
    } kernel;
    std::uint64_t bytes;
  };
  std::uint32_t graph_node;    ///< 0: not of a graph; the low 32 bits of CUPTI's number
  std::uint32_t asynchronous;  ///< a copy: 1 if asynchronous
};
struct SyncMessage {
  std::int64_t start_ns, end_ns;
  std::uint32_t correlation, type;  ///< CUPTI's kind of synchronisation
  std::uint32_t context, stream;    ///< 0xFFFFFFFF: all streams
  std::uint64_t event;              ///< what was waited for: an EventMessage's number; 0: unknown
};
struct EventMessage {   // has no time of its own
  std::uint64_t event;  ///< a number for each time that an event is recorded
  std::uint32_t correlation, context, stream;
};
struct ShapeMessage {
  std::uint32_t grid[3], block[3];
  std::uint32_t static_bytes, dynamic_bytes;
  std::uint16_t registers, unused;
};
struct ContextMessage {
  std::uint32_t context, device, null_stream;
};
struct StreamMessage {
  std::uint32_t context, stream, flags;
};
struct DeviceMessage {
  std::uint32_t device, name;
  std::uint8_t uuid[16];
};
enum class RangeAct : std::uint32_t { Push, Pop, Start, End, Mark };
struct RangeMessage {
  std::int64_t time_ns;
  RangeAct act;
  std::uint32_t thread, domain, name;  ///< domain and name: texts
  std::uint64_t range;                 ///< Start, End: the range's number; Push, Pop: its depth in its domain, from 1
  std::uint32_t color;                 ///< 0: none
  std::uint32_t payload;               ///< bytes of the CollectivePayload that follows; 0: none
};
/// What NCCL says of a call of its own, with its range. Each value is there only if its bit in `has` is set.
struct CollectivePayload {
  enum Has : std::uint32_t { kCommunicator = 1, kBytes = 2, kRoot = 4, kPeer = 8, kOperation = 16, kRank = 32 };
  std::uint32_t has;
  std::int32_t root, peer;
  std::int32_t operation;  ///< of a reduction: NCCL's number
  std::uint64_t communicator, bytes;
  std::int32_t rank, ranks;  ///< of the communicator
};
enum class RecordingAct : std::uint32_t {
  On,         ///< from `time_ns` on everything is recorded
  Off,        ///< until `time_ns` everything was recorded
  Delivered,  ///< of what ended on the GPU before `time_ns`, everything recorded has been sent
  Away,       ///< for `took_ns`, until `time_ns`, nothing was watched
};
struct RecordingMessage {
  std::int64_t time_ns;
  RecordingAct act;
  std::uint32_t level;
  std::int64_t took_ns;  ///< On, Off: what switching cost
  /// On, 1: kernels were on already, so those that were launched before are recorded, too.
  std::uint32_t kernels_before;
  std::uint32_t held_up_us = 0;  ///< Away: for so long of it CUPTI, which went and came, may have held calls up
};
struct SampleMessage {
  std::int64_t time_ns, since_ns;  ///< since_ns: the end of the thread's last call
  std::uint32_t thread, stack;
  std::uint32_t runs;  ///< 1: the thread was on a CPU, 0: it waited
};
struct ForkedMessage {
  std::uint32_t process;
};
struct StallMessage {
  std::int64_t start_ns, end_ns;
  std::uint32_t kind, correlation, thread;  ///< CUPTI's kind of overhead
};

/// The stack is not the thread's own: it is that of the Python thread which waits in backward() for this one.
inline constexpr std::uint16_t kLent = 1;

struct Slot {
  /// For the slot at position p: p while it is free, p + 1 once it is written. The reader sets it to p + slot_count.
  std::atomic<std::uint64_t> turn;
  union {
    struct {
      MessageKind kind;
      std::uint8_t slots;  ///< of the whole message, at least 1
      std::uint16_t mark;  ///< Call, Sample: kLent
      std::uint32_t id;    ///< of what is defined; other messages: 0
      unsigned char content[48];
    } first;
    unsigned char more[56];
  };
};
static_assert(sizeof(Slot) == 64);
static_assert(sizeof(CallMessage) <= 48 && sizeof(OperationMessage) <= 48 && sizeof(RangeMessage) <= 48 &&
              sizeof(SyncMessage) <= 48);

/// A call in progress. `turn` is odd while the entry is being written; an entry with thread 0 is empty.
struct OpenCall {
  std::atomic<std::uint32_t> turn;
  std::atomic<std::uint32_t> thread, name, stack;
  std::atomic<std::int64_t> start_ns;
  std::atomic<std::uint32_t> correlation, api;
};
inline constexpr std::size_t kOpenCalls = 256;

struct Controls {                            // written by the viewer
  std::atomic<std::uint32_t> level;          ///< Level
  std::atomic<std::uint32_t> walk_launches;  ///< 1: also launches get their stacks while they are recorded
  std::atomic<std::uint32_t> burst_us;       ///< Acquire: how long a burst lasts
  std::atomic<std::uint32_t> period_us;      ///< Acquire: from the start of one burst to the next
  std::atomic<std::int64_t> boost_until_ns;  ///< Acquire: record continuously until then
  std::atomic<std::uint32_t> anchor;         ///< an API call (domain << 16 | id) that is watched between bursts, too
  std::atomic<std::uint32_t> sample_us;      ///< threads without calls are sampled this often; 0: never
  std::atomic<std::uint32_t> knobs;          ///< 1: the program's knobs may be turned; 0: nothing of ours is in it
};

struct Status {                               // written by the library
  std::atomic<std::uint32_t> state;           ///< State
  std::atomic<std::uint32_t> python;          ///< Python
  std::atomic<std::uint32_t> python_version;  ///< 0x030C for 3.12; 0: none
  std::atomic<std::uint32_t> cupti_version, driver_version;
  std::atomic<std::uint32_t> recording;  ///< 1 while everything is recorded
  char state_text[256];                  ///< one line; written before `state`
  char python_text[256];                 ///< one line; written before `python`
  char cupti_path[256];
  // Counts.
  std::atomic<std::uint64_t> dropped;        ///< messages for which the ring had no room
  std::atomic<std::uint64_t> cupti_dropped;  ///< records that CUPTI dropped
  std::atomic<std::uint64_t> no_buffer;      ///< requests of CUPTI for which there was no buffer
  std::atomic<std::uint64_t> threads_lost;   ///< threads beyond the table's size
  std::atomic<std::uint64_t> texts_lost;     ///< texts, frames and stacks beyond the tables' sizes
  std::atomic<std::uint64_t> walks, walks_failed;
  std::atomic<std::uint64_t> untimed;              ///< records without a usable time
  std::atomic<std::uint64_t> clock_steps;          ///< how often the wall clock was set
  std::atomic<std::uint64_t> switches, switch_ns;  ///< how often recording was switched, and what that cost in all
  std::atomic<std::uint64_t> calls_seen;
  std::atomic<std::int64_t> first_call_ns;  ///< the first API call seen; 0: none
  std::atomic<std::int64_t> beat_ns;        ///< the library's thread was last alive then
  std::atomic<std::uint32_t> graphs;        ///< 1: the process has a graph, or captures one; 0 in older libraries
};

// --- Knobs -----------------------------------------------------------------------------------------------------------
// Lines of text, with fields divided by tabs, in UTF-8. A field has no tab and no line end.
//
// From the viewer over the socket, after a byte 'K', ended by '\n', at most kMostText bytes; everything else is a
// wake-up:
//   look                                            find the knobs; also again, later
//   try  NUMBER KIND FILE LINE NAME VALUE BLOCKS ITERATIONS SKIPPED
//                                                   FILE empty and LINE 0: everywhere; KIND as attach::to_text()
//   stop                                            ends the trial
//   set  NAME VALUE                                 a lanescope.knob() of the program; stays until Lanescope goes
// From the library, each in a message Knobs (a TextMessage, then the text):
//   able    PYTHON TORCH                            versions; TORCH is empty where there is none
//   unable  WHY                                     a sentence; nothing more comes
//   knob    KIND FILE LINE NAME VALUE CALLS REFUSED WARNING
//   own     NAME VALUE LEAST MOST CHOICES FILE LINE CHOICES divided by '|'; empty: none. A bool's are False|True.
//                                                   Comes without --knobs, too, and again when the value changes
//   looked  ITERATIONS COUNTED_BY                   all knobs have been told
//   begun   NUMBER
//   block   NUMBER TURNED ITERATIONS NANOSECONDS    TURNED: 0 or 1
//   ended   NUMBER HOW DEFERRED WHY                 HOW: done, stopped, failed; WHY: a sentence, or empty

/// The process's place in a job of several, from its environment. Zeros: it is in none, or the library is older.
struct Job {
  std::uint32_t rank, local_rank;  ///< plus one; 0: unknown
  std::uint32_t ranks;             ///< of the job; 0: unknown
};
enum class End : std::uint32_t {
  Unknown,  ///< the library is older
  None,     ///< if it stays: the process was killed, crashed, or left by _exit()
  Regular,  ///< it ran its exit handlers
};

struct Memory {
  std::uint64_t magic;
  std::uint32_t version, pid;
  std::uint32_t slot_count;  ///< a power of two
  std::uint32_t bytes;       ///< of the whole file
  Job job;
  std::atomic<std::uint32_t> end;               ///< End
  alignas(64) std::atomic<std::uint64_t> head;  ///< the next position to claim
  alignas(64) Controls controls;
  alignas(64) Status status;
  alignas(64) OpenCall open[kOpenCalls];
  alignas(64) Slot slots[1];  ///< slot_count of them
};

// What is before each may grow into the gap: zeros of an older library or viewer.
static_assert(offsetof(Memory, head) == 64 && offsetof(Memory, status) == 192 && offsetof(Memory, open) == 1152);

/// Sent once over the socket, with the memory file's descriptor. The file is sealed against shrinking and growing
/// (F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL), so that the viewer cannot be made to touch memory that is gone.
struct Hello {
  std::uint64_t magic;
  std::uint32_t version, pid, parent;
  std::uint32_t bytes;  ///< of the memory file
};

inline constexpr std::size_t bytes_for(std::size_t slot_count) {
  return offsetof(Memory, slots) + slot_count * sizeof(Slot);
}

}  // namespace lanescope::wire
