// Reads the tables of an Nsight Systems export into a trace, see trace_file.h; and what the numbers and names in them
// mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "io/iteration_names.h"
#include "io/sqlite.h"
#include "io/trace_assembly.h"
#include "trace/event.h"

namespace lanescope::io::nsys {

// A globalTid is VM << 48 | process << 24 | thread, and a globalPid the same without a thread.
inline std::int64_t pid_of(std::int64_t global) { return global >> 24 & 0xFFFFFF; }
inline std::int64_t tid_of(std::int64_t global) { return global & 0xFFFFFF; }

/// NVTX_EVENTS.eventType. The second number is that of events imported from a text file.
enum class NvtxKind : std::uint8_t { Mark, PushPop, StartEnd, ThreadName, Other };
NvtxKind nvtx_kind(std::int64_t event_type);

/// Copies have CUPTI's kinds and three more for unified memory; kinds of memory are numbered differently from CUPTI's.
/// The driver's own, of pages of unified memory.
bool is_unified(std::int64_t copy_kind);
trace::CopyTraits copy_traits(std::int64_t copy_kind, std::int64_t source, std::int64_t destination);
/// "Memcpy DtoH (Device -> Pageable)", as the PyTorch profiler calls it; "Unified memory DtoH".
std::string copy_label(std::int64_t copy_kind, const trace::CopyTraits& traits);
/// "Memset (Device)"
std::string memset_label(std::int64_t memory_kind);

/// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel": the version of CUDA that introduced the function.
std::string_view without_version(std::string_view call);

/// A range of PyTorch's emit_nvtx(): "aten::mul, seq = 7, op_id = 12, sizes = [[8, 3], []]".
struct OperatorRange {
  std::string_view name;  ///< "aten::mul"; all of the text if it is no such range
  bool is_operator = false;
  std::uint32_t id = 0;    ///< of the operator; 0: unknown
  std::string_view sizes;  ///< "[[8, 3], []]"; empty: unknown
};
OperatorRange operator_range(std::string_view text);

using io::iteration_name;
using io::IterationName;

/// The text as one line of at most 200 characters, without its paths: those say whose machine it was.
std::string without_paths(std::string_view text);

/// The text, cut at a character if it is longer than `most` bytes.
std::string_view cut(std::string_view text, std::size_t most);

// --- nsys reader -----------------------------------------------------------------------------------------------------
// Reads the tables of an Nsight Systems export into a trace, see trace_file.h.

class Reader {
 public:
  /// `ahead`: the same file once more, for the thread that goes through the large tables.
  Reader(const sqlite::Database& database, const sqlite::Database& ahead, const ByteSource& source,
         ReadProgress& progress, const ReadLimits& limits);
  OpenedTrace read();

 private:
  using Global = std::int64_t;  // a globalTid or globalPid

  // nsys_read.cpp
  void expect_rows();
  void count_unshown();
  void read_processes();
  void read_threads();
  void read_gpus();
  void read_diagnostics();
  void name_gpu();
  void name_program();
  void give_owners();
  /// For the loop over a table: progress, and stopping.
  void passed_row();
  void count_read(const char* category, std::uint64_t rows);
  void count_skipped(const char* category, std::uint64_t rows);

  // nsys_events.cpp: API calls, work, ranges
  void read_calls();
  void read_kernels();
  void read_copies();
  void read_memsets();
  void read_graphs();
  void read_event_streams();
  void read_syncs();
  /// False, and counted, unless the row has valid times and its lane exists.
  bool take_operation(const sqlite::RowsAhead& rows, trace::LaneKind kind, trace::Event& event);
  void take_context(const sqlite::RowsAhead& rows, int graph_node, trace::Event& event);

  void read_ranges();
  void read_os_calls();
  void read_metrics();

  /// Start and end are the first two columns.
  bool take_times(const sqlite::RowsAhead& rows, trace::Event& event);
  std::int32_t device_of(std::int64_t pid, std::int64_t device) const;
  /// The lane of a thread. `label` as in LaneKey.
  bool take_thread_lane(trace::LaneKind kind, Global thread, trace::NameId label, trace::Event& event);
  /// Looks up just the strings that events refer to: the table also has the program's output and other files.
  trace::NameId name(std::int64_t string_id);
  trace::NameId call_name(std::int64_t string_id);
  trace::NameId intern(std::string_view text);
  std::string string(std::int64_t string_id);

  const sqlite::Database& database_;
  const sqlite::Database& ahead_;
  const Threads threads_;
  ReadProgress& progress_;
  TraceAssembly out_;
  sqlite::StatementHandle find_string_;
  std::unordered_map<std::int64_t, trace::NameId> names_, call_names_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> gpu_of_device_;      // by process and its device
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> device_of_context_;  // by process
  struct GpuFacts {
    std::string name;
    int sm_count = 0;
  };
  std::map<std::int64_t, GpuFacts> gpus_;
  struct EventKey {
    std::int64_t pid = 0, event = 0, sync = 0;
    auto operator<=>(const EventKey&) const = default;
  };
  std::map<EventKey, std::int64_t> event_streams_;  // on which stream a CUDA event was recorded
  std::uint64_t rows_ = 0, expected_rows_ = 0;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace lanescope::io::nsys
