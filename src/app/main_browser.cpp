// The program in the browser: what the command line says elsewhere, the page's address says here. Under Node.js, which
// has no page, it is the command line.
#include <string>
#include <vector>

#include "app/command_line.h"
#include "base/error.h"
#include "base/platform/page_browser.h"
#include "experiment/link.h"

int main(int argc, char** argv) {
  using namespace lanescope;
  if (!base::browser::has_page()) return app::run(argc, argv);
  std::vector<std::string> arguments{"lanescope"};
  try {
    for (std::string& argument : experiment::to_arguments(experiment::parse_link(base::browser::fragment()))) {
      arguments.push_back(std::move(argument));
    }
  } catch (const base::UsageError& error) {
    base::browser::show_failure(error.what());
    return 2;
  }
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return app::run(static_cast<int>(pointers.size()), pointers.data());
}
