#include <vector>

#include "app/command_line.h"
#include "base/platform/paths.h"
#include "base/platform/terminal.h"

int main(int argc, char** argv) {
  lanescope::base::prepare_streams();
  const std::vector<std::string> words = lanescope::base::command_words(argc, argv);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return lanescope::app::run(static_cast<int>(words.size()), pointers.data());
}
