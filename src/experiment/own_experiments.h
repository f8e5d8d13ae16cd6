// Experiments from the user's own files, beside the embedded ones. Files are read while the program runs; an Experiment
// that was given out never moves and never changes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"

namespace lanescope::experiment {

/// Reads a file, or reads it again; look-ups then find what it says now. Throws base::FileError with file, line, key
/// and what is allowed; look-ups then find what it said before. Refuses ids and names of embedded experiments, and
/// those of another file in its folder.
const Experiment& add_file(const std::filesystem::path& path);
/// The file has gone: its experiment is no longer listed.
void forget_file(const std::filesystem::path& path);

/// Those listed, by their `order`.
std::vector<const Experiment*> own_experiments();
/// The user's own, then the embedded ones.
std::vector<const Experiment*> all_experiments();
/// Why files cannot be used: one line each.
std::vector<std::string> own_experiment_errors();
/// All files that were added and are there, or have gone.
std::vector<std::filesystem::path> own_experiment_files();
/// Changes with every change of what these functions return.
std::uint64_t own_experiments_version();

/// The file that an experiment comes from; empty for an embedded one.
std::filesystem::path file_of(const Experiment& experiment);
/// What the file of an own experiment says now; the experiment itself if that cannot be used, or if it is embedded.
const Experiment& newest_version(const Experiment& experiment);

/// As experiment_named(), but only what is listed.
const Experiment& listed_experiment(std::string_view id_or_name);
/// As given at the command line: a file (it ends in ".toml" or has a '/'), an id or a name.
const Experiment& experiment_from_argument(std::string_view argument);

}  // namespace lanescope::experiment
