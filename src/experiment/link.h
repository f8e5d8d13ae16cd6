// What a link to the program in the browser says: the part of an address after '#'.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::experiment {

/// "experiment=P09&side=after&set=log_interval=10&lang=zh". Each key at most once, but for `set`; values are
/// percent-encoded UTF-8. The values mean what they mean on the command line, which also checks them.
struct Link {
  std::string experiment, side, workload, device, lesson, student, lang, theme;
  std::vector<std::string> set;  ///< "key=value"
};

/// Throws base::UsageError with one line: an unknown key and those allowed, a key twice, a value that is not encoded.
Link parse_link(std::string_view fragment);
std::string to_fragment(const Link& link);
/// As arguments of the command line.
std::vector<std::string> to_arguments(const Link& link);

}  // namespace lanescope::experiment
