// Derives what another program's trace does not state about its API calls: which of them synchronise or launch, and how
// long a blocking one waited, copied and took to return.
#pragma once

#include <cstdint>
#include <span>

#include "base/name_table.h"
#include "io/event_store.h"
#include "io/reading.h"
#include "trace/event.h"
#include "trace/names.h"
#include "trace/sink.h"

namespace lanescope::io {

/// The profiler's own record of a synchronisation ("cuda_sync"): the GPU side of the call with the same correlation.
struct SyncRecord {
  std::int64_t pid = 0;  ///< the calling process
  std::uint32_t correlation = 0;
  base::Nanoseconds start_ns = 0;
  std::int32_t device = -1;  ///< -1: unknown
  std::int32_t stream = -1;  ///< the stream waited for; -1: the whole device, or unknown
};

/// Sets the flags and parts of every Call, and which copies are asynchronous. An event's lane is its index in `lanes`;
/// GPU lanes have the pid of the process that uses the GPU.
///
/// A synchronisation waited until the last GPU operation ended that was issued before the call, ran on the stream (or
/// device) waited for, and ended within the call; the rest is its return. If there is no such operation, nothing is
/// known, and all of its time stays own cost. A blocking copy, a copy from the device to pageable memory, and one of
/// more than 64 KB from pageable memory were blocked while their own bytes moved, and before that waited for earlier
/// work on their stream. Throws Cancelled if `progress` requests a stop.
void infer_calls(EventStore& events, std::span<const trace::LaneInfo> lanes, const base::NameTable& names,
                 std::span<const SyncRecord> syncs, const ReadProgress& progress);

}  // namespace lanescope::io
