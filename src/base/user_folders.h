// Where the user's own files are; and files that a start leaves for the next one to offer: reports of crashes, rescued
// runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::base {

/// $HOME, or "/" without one.
std::filesystem::path home_folder();
/// $XDG_CONFIG_HOME/lanescope, else ~/.config/lanescope. It need not exist.
std::filesystem::path settings_folder();
/// $XDG_STATE_HOME/lanescope, else ~/.local/state/lanescope: what nobody edits, such as crash reports. It need not
/// exist.
std::filesystem::path state_folder();

/// Their names begin with the time, and end differently until they have been offered: "run-20261126-110203-4711.new.x",
/// then "run-20261126-110203-4711.x".
struct OfferedFiles {
  std::string_view begin;    ///< "run-"
  std::string_view end;      ///< ".x"
  std::string_view new_end;  ///< ".new.x"
  std::size_t kept = 0;      ///< only so many of the newest
};

/// A name for a new one, now, of this process.
std::string new_name(const OfferedFiles& kind);
/// The newest that has not been offered yet. All of them then count as offered.
std::optional<std::filesystem::path> take_newest(const std::filesystem::path& folder, const OfferedFiles& kind);

}  // namespace lanescope::base
