// Converts the structs of cupti_activity.h to Record. Each struct is read as its oldest version that has the required
// fields, because newer versions only append fields.
#pragma once

#include <cstdint>

#include "capture/assembly/counts.h"
#include "capture/assembly/record.h"
#include "capture/cupti/clock_map.h"
#include "capture/cupti/cupti_table.h"
#include "capture/cupti/launches.h"
#include "capture/cupti/names.h"

namespace lanescope::capture::cupti {

class RecordReader {
 public:
  RecordReader(const CuptiTable& table, const ClockMap& clock, Names& names, Launches& launches, Counts& counts)
      : version_(table.version), clock_(clock), names_(names), launches_(launches), counts_(counts) {}

  /// False if the record is of an unused kind, or has no plausible timestamp (which is counted). Frees what CUPTI
  /// allocated for the record.
  bool read(const CUpti_Activity& activity, Nanoseconds now, Record& record);

 private:
  bool read_call(const CUpti_ActivityAPI& api, bool driver, Nanoseconds now, Record& record);
  template <typename Copy>
  bool read_copy(const Copy& copy, Nanoseconds now, Record& record);
  bool read_overhead(const CUpti_Activity& activity, Nanoseconds now, Record& record);
  bool set_times(std::uint64_t start, std::uint64_t end, Nanoseconds now, Record& record);

  const std::uint32_t version_;
  const ClockMap& clock_;
  Names& names_;
  Launches& launches_;
  Counts& counts_;
};

}  // namespace lanescope::capture::cupti
