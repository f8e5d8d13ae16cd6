// Nsight Systems' own reports (.nsys-rep). Only its own program can read them: where that is installed, it makes an
// export, which is then read.
#pragma once

#include <string>
#include <string_view>

#include "io/reading.h"

namespace lanescope::io {

/// The beginning of a file says that it is one.
bool is_nsys_report(std::string_view beginning);
/// The version that wrote it, "2024.5.1"; empty if the beginning does not say.
std::string nsys_report_version(std::string_view beginning);

/// Throws base::FileError, with the command to type if there is no nsys here, and otherwise like read_nsys_export().
OpenedTrace read_nsys_report(ByteSource& source, ReadProgress* progress = nullptr, const ReadLimits& limits = {});

}  // namespace lanescope::io
