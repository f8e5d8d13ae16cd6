// CUPTI, as this process has it: found at run time, asked for its calls and records.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstdint>

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

  std::uint32_t version;
  CUpti_SubscriberHandle subscriber;
};
extern Cupti cupti;
/// True from a successful subscription until the program or the viewer ends, or CUPTI fails.
extern std::atomic<bool> cupti_works;

/// Finds CUPTI and subscribes; says in Status what came of it. Called within cuInit.
void start_cupti();
/// Asks the driver for its version, which is only known once cuInit has returned.
void read_driver_version();

}  // namespace lanescope::inject
