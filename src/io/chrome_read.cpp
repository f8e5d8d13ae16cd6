#include "base/error.h"
#include "base/translate.h"
#include "io/chrome_builder.h"
#include "io/chrome_parser.h"
#include "io/chrome_trace.h"

namespace lanescope::io {

OpenedTrace read_chrome_trace(ByteSource& source, ReadProgress* progress, const ReadLimits& limits) {
  ReadProgress unused;
  ReadProgress& reported = progress ? *progress : unused;
  source.report_to(reported);
  FileHead head;
  try {
    TraceBuilder builder(head, source, reported, limits);
    parse_chrome_trace(
        source, head, [&](const RawEvent& event) { builder.add(event); }, limits.threads);
    return builder.finish();
  } catch (const std::bad_alloc&) {
    source.fail(base::tr("cannot read: out of memory"));
  }
}

OpenedTrace read_chrome_trace(const std::filesystem::path& path, ReadProgress* progress, const ReadLimits& limits) {
  ByteSource source(path);
  return read_chrome_trace(source, progress, limits);
}

OpenedTrace read_chrome_trace(std::string_view bytes, std::string_view name, ReadProgress* progress,
                              const ReadLimits& limits) {
  ByteSource source(bytes, name);
  return read_chrome_trace(source, progress, limits);
}

}  // namespace lanescope::io
