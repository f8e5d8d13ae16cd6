// What the program remembers between starts, in the user's configuration folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/translate.h"
#include "inspect/trigger.h"
#include "model/code/user_files.h"
#include "model/source/memory_cap.h"
#include "shell/bindings.h"
#include "timeline/colouring.h"
#include "timeline/theme.h"

namespace lanescope::ui {

inline constexpr std::size_t kRecentFiles = 10;
inline constexpr std::size_t kAttachedPrograms = 8;

/// A program of the user's, as typed to attach to it.
struct AttachedProgram {
  std::string command;      ///< words as a shell splits them
  std::string folder;       ///< where it runs; empty: where this program was started
  std::string environment;  ///< NAME=VALUE, one per line
  std::string level = "acquire";

  bool operator==(const AttachedProgram&) const = default;
};

struct Preferences {
  ThemeName theme = ThemeName::Dark;
  ColourBy colour_by = ColourBy::Kind;         ///< of runs
  ColourBy colour_traces_by = ColourBy::Name;  ///< of opened traces and attached programs
  float font_scale = 1.0f;                     ///< 0.7 to 2.5
  base::Language language = base::preferred_language();
  bool animation = true;   ///< views glide, lanes grow; off: all changes are immediate
  bool tour_done = false;  ///< the first start's three hints were shown
  int window_width = 1600, window_height = 900;
  double memory_gb = kAutomaticMemory;  ///< for events, see memory_cap_of()
  std::string picture_folder;           ///< where screenshots go; empty: the user's pictures folder
  float cpu_share = 0;                  ///< share of the lanes' height for the CPU's pane, if not all fit; 0: automatic
  bool code_view = false;               ///< show the code and its costs in the lower part of the middle area
  TriggerSettings trigger;              ///< the trigger; by default the picture rolls while nothing fires
  Bindings bindings;                    ///< the user's own keys
  std::vector<std::string> plots;       ///< PlotChoice::texts(); empty: the default
  std::vector<std::string> recent;      ///< entries used from the palette, newest first
  std::vector<std::string> recent_files;    ///< traces opened or saved, newest first, at most kRecentFiles
  std::vector<AttachedProgram> attached;    ///< programs that were attached to, newest first, at most kAttachedPrograms
  std::vector<MovedSources> moved_sources;  ///< where their sources are on this machine

  bool operator==(const Preferences&) const = default;
};

/// $XDG_CONFIG_HOME/lanescope/settings.toml, else ~/.config/lanescope/settings.toml.
std::filesystem::path preferences_path();
/// Loads the preferences; uses defaults for what is missing or unreadable (a broken file never prevents the program
/// from starting). A warning in the log says what was not understood and what is allowed.
/// A file with a mistake in its syntax is kept aside, as "settings.broken.toml" or with a number, and `broken` is set
/// to a line that says so.
Preferences load_preferences(const std::filesystem::path& path, std::string* broken = nullptr);
/// Best effort: if the folder is not writable, the error is only logged.
void save_preferences(const std::filesystem::path& path, const Preferences& preferences);
/// A path as a user would write it: "~/Pictures/a.png" for a file in the home folder.
std::string short_path(const std::filesystem::path& path);
/// Where screenshots go: the preference, else $XDG_PICTURES_DIR, else ~/Pictures, else the home folder.
std::filesystem::path picture_folder(const Preferences& preferences);
/// A path in that folder that does not exist yet: "lanescope-window-20261120-101500.png".
std::filesystem::path new_picture_path(const Preferences& preferences, const char* what, const char* extension);

}  // namespace lanescope::ui
