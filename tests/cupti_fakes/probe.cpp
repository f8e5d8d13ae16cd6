// Prints the result of find_cupti(): path, version, problem, places; one line each. A separate process, because what
// was found once stays loaded.
//   cupti_probe ROOT [LIBRARY]   toolkits in ROOT/usr-local, Python in ROOT/usr; loads LIBRARY first, if given
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "capture/cupti/cupti_table.h"

int main(int count, char** arguments) {
  using namespace lanescope::capture::cupti;
  if (count < 2 || (count > 2 && !dlopen(arguments[2], RTLD_NOW))) return 2;
  Surroundings around;
  around.variable = [](const char* name) -> const char* { return std::getenv(name); };
  around.usr_local = std::string(arguments[1]) + "/usr-local";
  around.system_python = std::string(arguments[1]) + "/usr";
  around.loader_path = false;
  const CuptiSearch search = find_cupti(around);
  std::printf("%s\n%u\n%s\n", search.table.complete() ? search.table.path.c_str() : "", search.table.version,
              search.problem.c_str());
  for (const std::string& place : search.looked_in) std::printf("%s;", place.c_str());
  return 0;
}
