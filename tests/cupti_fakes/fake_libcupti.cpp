// CUPTI's functions as stubs; FAKE_API is the version it reports.
#include <cstdint>

#define FAKE_ENTRY(name) \
  extern "C" int name(); \
  extern "C" int name() { return 999; }

extern "C" int cuptiGetVersion(std::uint32_t* version);
extern "C" int cuptiGetVersion(std::uint32_t* version) {
  *version = FAKE_API;
  return 0;
}
FAKE_ENTRY(cuptiGetTimestamp)
FAKE_ENTRY(cuptiSubscribe)
FAKE_ENTRY(cuptiUnsubscribe)
FAKE_ENTRY(cuptiEnableCallback)
FAKE_ENTRY(cuptiEnableDomain)
FAKE_ENTRY(cuptiGetCallbackName)
FAKE_ENTRY(cuptiGetResultString)
FAKE_ENTRY(cuptiActivityRegisterCallbacks)
FAKE_ENTRY(cuptiActivityEnable)
FAKE_ENTRY(cuptiActivityDisable)
FAKE_ENTRY(cuptiActivityGetNextRecord)
FAKE_ENTRY(cuptiActivityGetNumDroppedRecords)
#ifndef FAKE_WITHOUT_FLUSH
FAKE_ENTRY(cuptiActivityFlushAll)
#endif
