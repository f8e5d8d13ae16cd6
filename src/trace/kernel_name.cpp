#include "trace/kernel_name.h"

#include <algorithm>

namespace lanescope::trace {

std::string short_kernel_name(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";  // brackets that are not arguments
  if (name.starts_with("void ")) name.remove_prefix(5);
  // The function's name starts after the last "::" or, if there is a return type, after the blank. It excludes template
  // arguments.
  const bool has_arguments = name.find('(') != std::string_view::npos;
  std::size_t begin = 0;
  std::size_t end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    if (rest.starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (rest.starts_with("::")) {
      begin = i + 2;
      end = name.size();
      ++i;
    } else if (name[i] == ' ' && has_arguments) {
      begin = i + 1;
      end = name.size();
    } else if (name[i] == '(') {
      end = std::min(end, i);
      break;
    } else if (name[i] == '<') {
      end = std::min(end, i);
      for (std::size_t depth = 1; depth > 0 && i + 1 < name.size();) {
        ++i;
        if (name[i] == '<') ++depth;
        if (name[i] == '>') --depth;
      }
    }
  }
  return std::string(begin < end ? name.substr(begin, end - begin) : name);
}

}  // namespace lanescope::trace
