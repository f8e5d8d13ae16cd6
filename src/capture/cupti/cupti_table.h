// CUPTI's functions, loaded at run time: nothing is linked against it, and tests can provide their own.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lanescope::capture::cupti {

/// A null entry means that the library lacks the function. Only entries marked optional may be null, see complete().
struct CuptiTable {
  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiGetTimestamp) get_timestamp = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiSubscribe_v2) subscribe_v2 = nullptr;  // optional
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiEnableCallback) enable_callback = nullptr;
  decltype(&cuptiEnableDomain) enable_domain = nullptr;
  decltype(&cuptiGetCallbackName) get_callback_name = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityEnableAndDump) enable_and_dump = nullptr;  // optional
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) get_next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) get_dropped = nullptr;
  decltype(&cuptiActivitySetAttribute) set_attribute = nullptr;                    // optional
  decltype(&cuptiSetThreadIdType) set_thread_id_type = nullptr;                    // optional
  decltype(&cuptiActivityEnableRuntimeApi) enable_runtime_api = nullptr;           // optional
  decltype(&cuptiActivityEnableDriverApi) enable_driver_api = nullptr;             // optional
  decltype(&cuptiActivityEnableAllSyncRecords) enable_all_sync_records = nullptr;  // optional

  std::string path;           ///< path of the library
  std::uint32_t version = 0;  ///< cuptiGetVersion: 130001 is the second release of CUDA 13.0
  bool complete() const;
};

struct CuptiSearch {
  CuptiTable table;                    ///< complete() if CUPTI was found
  std::vector<std::string> looked_in;  ///< the places searched, in order
  std::string problem;                 ///< one line, if CUPTI was not found or is unusable
};

/// Searches in this order: the file that LANESCOPE_CUPTI names (and then nothing else); one already loaded in this
/// process; the toolkit's library folders and extras/CUPTI (CUDA_HOME, CUDA_PATH, /usr/local/cuda*, newest first);
/// Python's nvidia wheels (VIRTUAL_ENV, CONDA_PREFIX, the site-packages of the PATH's python3); the loader's own path.
/// Prefers 13.x over 12.x.
CuptiSearch find_cupti();

// --- cupti search ----------------------------------------------------------------------------------------------------
// The search for CUPTI, with its environment as parameters.

struct Surroundings {
  std::function<const char*(const char*)> variable;  ///< like getenv(): null if not set
  std::string usr_local = "/usr/local";              ///< contains toolkits
  std::string system_python = "/usr";                ///< contains lib/python3*
  bool loader_path = true;                           ///< finally try the dynamic loader's path
};
/// find_cupti() uses getenv and the defaults.
CuptiSearch find_cupti(const Surroundings& surroundings);

}  // namespace lanescope::capture::cupti
