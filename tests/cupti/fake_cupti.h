// A CUPTI for tests: a table of functions that keep state, record the calls that a test makes, request buffers on the
// calling thread (one per thread, as in CUPTI 13) and return them when they are full or flushed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture/cupti/cupti_table.h"

namespace lanescope::capture::cupti {

/// One at a time: the table refers to the newest.
class FakeCupti {
 public:
  explicit FakeCupti(std::uint32_t version = 130001);
  ~FakeCupti();
  FakeCupti(const FakeCupti&) = delete;
  FakeCupti& operator=(const FakeCupti&) = delete;

  CuptiTable table() const;

  // What it refuses; set before a session starts.
  CUptiResult subscribe_answer = CUPTI_SUCCESS;
  std::string incumbent;  ///< the name it reports with a refusal
  std::map<CUpti_ActivityKind, CUptiResult> kind_answers;
  CUptiResult setting_answer = CUPTI_SUCCESS;   ///< attributes and thread ids
  CUptiResult callback_answer = CUPTI_SUCCESS;  ///< enabling callbacks

  /// Where full and flushed buffers are returned.
  enum class Delivery : std::uint8_t {
    SameThread,   ///< on the thread that flushes or fills
    OtherThread,  ///< on one of CUPTI's own, before the flush returns
    Never,
  };
  std::atomic<Delivery> delivery{Delivery::SameThread};
  /// Called inside every flush, without a lock.
  std::function<void()> in_flush;
  std::atomic<std::uint64_t> dropped{0};  ///< records that found no buffer; a test may add
  std::atomic<std::int64_t> clock_offset_ns{0};

  // The program's calls, on the calling thread: callbacks if enabled, and a record if its kind is enabled. Return the
  // correlation. `inside` runs between the callbacks.
  std::uint32_t call(CUpti_CallbackId id, const std::function<void()>& inside = {},
                     CUpti_CallbackDomain domain = CUPTI_CB_DOMAIN_RUNTIME_API);
  /// A runtime call with a driver call inside, which has callbacks of the same correlation, and no record.
  std::uint32_t call_with_driver_call(CUpti_CallbackId runtime, CUpti_CallbackId driver,
                                      const std::function<void()>& inside = {});
  /// Only the callback.
  void callback(CUpti_ApiCallbackSite site, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                std::uint32_t correlation);
  /// A record that has begun and not ended: its buffer is held back until end_record().
  void begin_record();
  void end_record();
  void fatal(const char* message);
  /// Returns every buffer, whatever `delivery` says, and the number of buffers.
  std::size_t give_back_all();

  // What it has observed.
  std::vector<std::string> journal() const;  ///< "subscribe", "enable 10", "flush 0", ...; consecutive flushes once
  std::size_t count(const std::string& entry) const;
  std::vector<CUpti_ActivityKind> enabled_kinds() const;
  bool callback_enabled(CUpti_CallbackDomain domain, CUpti_CallbackId id) const;
  bool subscribed() const;
  std::uint64_t flushes() const { return flushes_; }
  std::size_t buffers_held() const;
  std::uint64_t dirty_buffers() const { return dirty_; }  ///< handed out not zeroed
  /// Requests a buffer as CUPTI does.
  std::uint8_t* ask_for_buffer(std::size_t* size);

 private:
  friend struct FakeEntries;
  struct Buffer {
    std::uint8_t* data = nullptr;
    std::size_t size = 0, valid = 0;
    int incomplete = 0;
  };
  void note(std::string entry);
  void write(const void* record, std::size_t bytes, bool incomplete);
  void deliver(const std::vector<Buffer>& buffers, Delivery how);
  CUptiResult flush(std::uint32_t flag);
  std::uint64_t now() const;
  CUptiResult enable(CUpti_ActivityKind kind, const char* how);

  const std::uint32_t version_;
  mutable std::mutex mutex_;
  std::vector<std::string> journal_;
  std::set<CUpti_ActivityKind> kinds_;
  std::set<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>> callbacks_;
  std::map<std::uint32_t, Buffer> buffers_;  // by thread
  std::vector<Buffer> full_;                 // not delivered yet
  CUpti_CallbackFunc subscriber_ = nullptr;
  CUpti_BuffersCallbackRequestFunc request_ = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
  std::atomic<std::uint32_t> correlation_{0};
  std::atomic<std::uint64_t> flushes_{0}, dirty_{0};
};

}  // namespace lanescope::capture::cupti
