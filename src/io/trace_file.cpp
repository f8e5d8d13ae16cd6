#include "io/trace_file.h"

#include "io/byte_source.h"

namespace lanescope::io {

OpenedTrace read_trace(const std::filesystem::path& path, ReadProgress* progress, const ReadLimits& limits) {
  ByteSource source(path);
  return is_session_file(source.peek()) ? read_session(source, progress, limits)
                                        : read_chrome_trace(source, progress, limits);
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
