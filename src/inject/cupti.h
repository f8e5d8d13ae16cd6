// CUPTI, as this process has it: found at run time, asked for its calls and records.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstdint>

#include "inject/calls.h"
#include "inject/wire.h"

namespace lanescope::inject {

/// Functions that may be null are marked optional.
struct Cupti {
  decltype(&cuptiGetVersion) get_version;
  decltype(&cuptiGetTimestamp) get_timestamp;
  decltype(&cuptiSubscribe) subscribe;
  decltype(&cuptiSubscribe_v2) subscribe_v2;  // optional
  decltype(&cuptiUnsubscribe) unsubscribe;
  decltype(&cuptiEnableCallback) enable_callback;
  decltype(&cuptiEnableDomain) enable_domain;
  decltype(&cuptiGetCallbackName) get_callback_name;
  decltype(&cuptiGetResultString) get_result_string;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiActivityEnableAndDump) enable_and_dump;  // optional
  decltype(&cuptiActivityDisable) disable;
  decltype(&cuptiActivityFlushAll) flush_all;
  decltype(&cuptiActivityGetNextRecord) get_next_record;
  decltype(&cuptiActivityGetNumDroppedRecords) get_dropped;
  decltype(&cuptiActivitySetAttribute) set_attribute;                    // optional
  decltype(&cuptiSetThreadIdType) set_thread_id_type;                    // optional
  decltype(&cuptiActivityEnableAllSyncRecords) enable_all_sync_records;  // optional
  decltype(&cuptiFinalize) finalize;                                     // optional

  std::uint32_t version;
  CUpti_SubscriberHandle subscriber;
};
extern Cupti cupti;
/// True from a successful subscription until the program or the viewer ends, or CUPTI fails.
extern std::atomic<bool> cupti_works;

/// Each says in Status why it failed. Found once per process, since it stays loaded.
bool find_cupti();
bool subscribe_to_cupti();
/// Both, and prepares records and calls. Called within cuInit.
void start_cupti();
/// Says in Status why CUPTI refused. `holder`: who has it; `before`: it was ours, and will be again when they let go of
/// it.
void say_refusal(CUptiResult result, const char* holder, bool before = false);

// Between bursts: a launch-bound loop stays 2 to 66 % slower after a burst, although nothing is recorded any more,
// until CUPTI has been finalised. A graph that was instantiated before can then not be replayed. The library's thread
// only.

/// Takes CUPTI out of the process. Not Done: it stayed, with more calls watched than before.
Departed detach_cupti();
/// Once all threads have left it after that: what belonged to the subscription goes.
void forget_cupti();
enum class Joined : std::uint8_t { Yes, Busy, No };
/// Subscribes again, with nothing watched and nothing recorded. Busy: another profiler has it now. Status says so.
Joined join_cupti();

/// The program has the driver, and cuInit has ended.
bool driver_is_up();
/// The driver's answer to cuDriverGetVersion; 0: it has none.
int driver_version();
/// Says it in Status: it is only known once cuInit has returned.
void read_driver_version();

}  // namespace lanescope::inject
