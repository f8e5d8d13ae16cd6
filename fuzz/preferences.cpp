// The settings file (TOML). Whatever it says, preferences come of it; written and read again they are the same.
#include "shell/preferences.h"

#include <spdlog/spdlog.h>

#include "foreign.h"

using namespace lanescope;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  spdlog::set_level(spdlog::level::off);  // of what was not understood
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputFile file(".toml");
  const std::filesystem::path path = file.write(fuzz::text_of(data, size));
  std::string broken;
  const ui::Preferences read = ui::load_preferences(path, &broken);
  if (!broken.empty()) {
    std::error_code ignored;
    std::filesystem::remove(path.parent_path() / (path.stem().string() + ".broken.toml"), ignored);
    return 0;
  }
  ui::save_preferences(path, read);
  fuzz::expect(ui::load_preferences(path) == read, "preferences that change when written");
  return 0;
}
