#include "base/error.h"
#include "base/translate.h"
#include "io/chrome_builder.h"
#include "io/chrome_parser.h"

namespace lanescope::io {
namespace {

OpenedTrace read_from(ByteSource& source) {
  FileHead head;
  try {
    TraceBuilder builder(head, source);
    parse_chrome_trace(source, head, [&](RawEvent& event) { builder.add(event); });
    return builder.finish();
  } catch (const std::bad_alloc&) {
    source.fail(base::tr("cannot read: out of memory"));
  }
}

}  // namespace

OpenedTrace read_chrome_trace(const std::filesystem::path& path) {
  ByteSource source(path);
  return read_from(source);
}

OpenedTrace read_chrome_trace(std::string_view bytes, std::string_view name) {
  ByteSource source(bytes, name);
  return read_from(source);
}

}  // namespace lanescope::io
