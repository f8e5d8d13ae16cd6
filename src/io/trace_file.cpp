#include "io/trace_file.h"

#include "io/byte_source.h"
#include "io/nsys_read.h"
#include "io/nsys_report_file.h"
#include "io/sqlite.h"

namespace lanescope::io {

OpenedTrace read_trace(const std::filesystem::path& path, ReadProgress* progress, const ReadLimits& limits) {
  ByteSource source(path);
  const std::string_view beginning = source.peek();
  if (is_session_file(beginning)) return read_session(source, progress, limits);
  if (sqlite::is_database(beginning)) return read_nsys_export(path, source, progress, limits);
  if (is_nsys_report(beginning)) return read_nsys_report(source, progress, limits);
  return read_chrome_trace(source, progress, limits);
}

void write_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts,
                 const trace::CaptureHealth* health) {
  if (path.extension() == kSessionEnding) {
    write_session(path, trace, facts, health);
  } else {
    write_chrome_trace(path, trace, facts);
  }
}

}  // namespace lanescope::io
