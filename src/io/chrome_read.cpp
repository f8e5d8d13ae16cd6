#include "base/error.h"
#include "base/translate.h"
#include "io/chrome_builder.h"
#include "io/chrome_parser.h"

namespace lanescope::io {

OpenedTrace read_chrome_trace(const std::filesystem::path& path) {
  ByteSource source(path);
  FileHead head;
  try {
    TraceBuilder builder(head, source);
    parse_chrome_trace(source, head, [&](RawEvent& event) { builder.add(event); });
    return builder.finish();
  } catch (const std::bad_alloc&) {
    source.fail(base::tr("cannot read: out of memory"));
  }
}

}  // namespace lanescope::io
