// Links to the program in the browser.
#include "experiment/link.h"

#include "foreign.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepted([&] {
    const experiment::Link link = experiment::parse_link(fuzz::text_of(data, size));
    const std::string fragment = experiment::to_fragment(link);
    fuzz::expect(experiment::to_fragment(experiment::parse_link(fragment)) == fragment, "a link that changes",
                 fragment);
    static_cast<void>(experiment::to_arguments(link));
  });
  return 0;
}
