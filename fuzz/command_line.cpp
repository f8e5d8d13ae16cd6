// The command line, one argument per line. It is only parsed: no request is carried out.
#include <array>
#include <cstdlib>
#include <vector>

#include "app/command_requests.h"
#include "foreign.h"

using namespace lanescope;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // The user's own experiments and lessons are none of the input.
  for (const char* variable : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"}) setenv(variable, "/nonexistent", 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words{"lanescope"};
  std::string_view left = fuzz::text_of(data, size);
  if (left.find('\0') != std::string_view::npos) return 0;  // no argument has one
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    words.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  fuzz::accepted([&] { app::parse_command_line(static_cast<int>(arguments.size()), arguments.data()); });
  return 0;
}
