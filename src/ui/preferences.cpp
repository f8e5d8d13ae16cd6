#include "ui/preferences.h"

#include <fmt/chrono.h>
#include <spdlog/spdlog.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "io/atomic_file.h"

namespace lanescope::ui {
namespace {

std::filesystem::path home() {
  const char* folder = std::getenv("HOME");
  return folder && *folder ? folder : "/";
}

}  // namespace

std::filesystem::path preferences_path() {
  const char* configured = std::getenv("XDG_CONFIG_HOME");
  // The specification has relative paths ignored.
  const bool usable = configured && *configured == '/';
  return (usable ? std::filesystem::path(configured) : home() / ".config") / "lanescope" / "settings.toml";
}

Preferences load_preferences(const std::filesystem::path& path) {
  Preferences p;
  std::ifstream in(path);
  if (!in) return p;
  try {
    const toml::table table = toml::parse(in, path.string());
    p.theme = table["theme"].value_or(std::string("dark")) == "light" ? ThemeName::Light : ThemeName::Dark;
    const float font_scale = table["font_scale"].value_or(p.font_scale);
    if (!std::isnan(font_scale)) p.font_scale = std::clamp(font_scale, 0.7f, 2.5f);
    p.language = table["language"].value_or(std::string("en")) == "zh" ? experiment::Language::Chinese
                                                                       : experiment::Language::English;
    p.animation = table["animation"].value_or(p.animation);
    p.tour_done = table["tour_done"].value_or(p.tour_done);
    p.window_width = std::clamp(table["window_width"].value_or(p.window_width), 640, 16384);
    p.window_height = std::clamp(table["window_height"].value_or(p.window_height), 480, 16384);
    p.picture_folder = table["picture_folder"].value_or(p.picture_folder);
  } catch (const toml::parse_error& error) {
    spdlog::warn("{}: {}; using defaults", path.string(), error.description());
  }
  return p;
}

void save_preferences(const std::filesystem::path& path, const Preferences& p) {
  const toml::table table{{"theme", p.theme == ThemeName::Light ? "light" : "dark"},
                          {"font_scale", p.font_scale},
                          {"language", std::string(experiment::language_key(p.language))},
                          {"animation", p.animation},
                          {"tour_done", p.tour_done},
                          {"window_width", p.window_width},
                          {"window_height", p.window_height},
                          {"picture_folder", p.picture_folder}};
  std::ostringstream text;
  text << table << '\n';
  try {
    std::filesystem::create_directories(path.parent_path());
    io::write_text_file(path, text.str());
  } catch (const std::exception& error) {
    spdlog::warn("settings are not remembered: {}", error.what());
  }
}

std::filesystem::path picture_folder(const Preferences& preferences) {
  if (!preferences.picture_folder.empty()) return preferences.picture_folder;
  if (const char* folder = std::getenv("XDG_PICTURES_DIR"); folder && *folder == '/') return folder;
  std::error_code ignored;
  return std::filesystem::is_directory(home() / "Pictures", ignored) ? home() / "Pictures" : home();
}

std::filesystem::path new_picture_path(const Preferences& preferences, const char* what, const char* extension) {
  const std::time_t now = std::time(nullptr);
  const std::string stem = fmt::format("lanescope-{}-{:%Y%m%d-%H%M%S}", what, fmt::localtime(now));
  const std::filesystem::path folder = picture_folder(preferences);
  std::filesystem::path path = folder / (stem + extension);
  std::error_code ignored;
  for (int n = 2; std::filesystem::exists(path, ignored); ++n)
    path = folder / fmt::format("{}-{}{}", stem, n, extension);
  return path;
}

}  // namespace lanescope::ui
