// Profiles of machines (TOML). What was read is written and read again.
#include "device/sim/profile.h"

#include "foreign.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace sim = device::sim;
  fuzz::accepted([&] {
    const sim::DeviceProfile profile = sim::parse_profile(fuzz::text_of(data, size), "input.toml");
    const std::string text = sim::profile_text(profile, "a comment");
    fuzz::expect(fuzz::accepted([&] { sim::parse_profile(text, "written.toml"); }),
                 "a profile that cannot be read again", text);
  });
  return 0;
}
