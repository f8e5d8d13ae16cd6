// Experiments from the user's own files, beside the embedded ones. Files are read while the program runs; an Experiment
// that was given out never moves and never changes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "experiment/experiment.h"

namespace lanescope::experiment {

// --- own files -------------------------------------------------------------------------------------------------------
// Files of the user's own, experiments or lessons, as they were last read: a file that has changed gets another
// version, and what was found before stays where it is.

/// The whole text of a file of at most 1 MiB. Throws base::FileError.
std::string own_file_text(const std::filesystem::path& path);
/// What a file is told apart by: without "..", from the root.
std::filesystem::path own_file_key(const std::filesystem::path& path);
/// An argument of the command line that is a file, not a name: it ends in ".toml" or has a '/'.
bool is_file_argument(std::string_view argument);
/// ASCII letters only, as ids and names have them.
std::string in_lower_case(std::string_view text);
/// The names under which a file that cannot be used may be asked for: its id and name, if they can be read, and its
/// file's name.
std::vector<std::string> names_in(const std::string& text, const std::filesystem::path& path);

/// Any thread may use it. T is Experiment or Lesson: it has == and is never destroyed once it was given out.
template <class T>
class OwnFiles {
 public:
  struct File {
    std::filesystem::path path;      ///< as it was named
    const T* newest = nullptr;       ///< null: no version of it could be used yet
    bool listed = false;             ///< false: the file has gone
    std::string error;               ///< why what it says now cannot be used; `newest` is what it said before
    std::vector<std::string> names;  ///< of a file with an error, in lower case
  };
  using Parse = std::function<T(const std::string& text, const std::string& origin)>;

  /// Reads the file. If it says the same as before, its newest version stays. Throws base::FileError, which is kept as
  /// the file's error.
  const T& add(const std::filesystem::path& path, const Parse& parse) {
    const std::filesystem::path key = own_file_key(path);
    std::string text;
    try {
      text = own_file_text(path);
      auto made = std::make_unique<const T>(parse(text, path.string()));
      const std::scoped_lock lock(mutex_);
      KeptFile& kept = of(key);
      if (kept.versions.empty() || *kept.versions.back() != *made) {
        kept.versions.push_back(std::move(made));
        ++version_;
      }
      if (!kept.file.listed || !kept.file.error.empty()) ++version_;
      kept.file = {path, kept.versions.back().get(), true, "", {}};
      return *kept.file.newest;
    } catch (const base::Error& error) {
      const std::scoped_lock lock(mutex_);
      KeptFile& kept = of(key);
      if (!kept.file.listed || kept.file.error != error.what()) ++version_;
      kept.file = {path, kept.versions.empty() ? nullptr : kept.versions.back().get(), true, error.what(),
                   names_in(text, path)};
      throw base::FileError(error.what());
    }
  }
  /// The file has gone.
  void forget(const std::filesystem::path& path) {
    const std::scoped_lock lock(mutex_);
    KeptFile& kept = of(own_file_key(path));
    if (kept.file.listed) ++version_;
    kept.file.listed = false;
    kept.file.error.clear();
  }

  /// All, those that have gone included, in the order in which they were added.
  std::vector<File> files() const {
    const std::scoped_lock lock(mutex_);
    std::vector<File> found;
    for (const auto& kept : kept_) found.push_back(kept->file);
    return found;
  }
  /// Those of files that are there, in the order of T::order, then of their names.
  std::vector<const T*> all() const {
    std::vector<File> found = files();
    std::erase_if(found, [](const File& f) { return !f.listed || !f.newest; });
    std::ranges::sort(found, [](const File& a, const File& b) {
      return std::pair(a.newest->order, a.path) < std::pair(b.newest->order, b.path);
    });
    std::vector<const T*> newest;
    for (const File& file : found) newest.push_back(file.newest);
    return newest;
  }
  std::vector<std::string> errors() const {
    std::vector<std::string> said;
    for (const File& file : files()) {
      if (file.listed && !file.error.empty()) said.push_back(file.error);
    }
    return said;
  }
  /// The file that this came from, whichever version it is; empty path: none.
  File file_of(const T& t) const {
    const std::scoped_lock lock(mutex_);
    for (const auto& kept : kept_) {
      const auto is = [&](const auto& version) { return version.get() == &t; };
      if (std::ranges::any_of(kept->versions, is)) return kept->file;
    }
    return {};
  }
  /// What some file said before, or a file said that has gone, the file added last first; null: none did.
  const T* old_version(const std::function<bool(const T&)>& is_wanted) const {
    const std::scoped_lock lock(mutex_);
    for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
      const auto& versions = (*kept)->versions;
      const auto found = std::find_if(versions.rbegin(), versions.rend(), [&](const auto& v) { return is_wanted(*v); });
      if (found != versions.rend()) return found->get();
    }
    return nullptr;
  }
  /// Changes whenever anything above does.
  std::uint64_t version() const { return version_; }

 private:
  struct KeptFile {
    std::filesystem::path key;
    std::vector<std::unique_ptr<const T>> versions;
    File file;
  };
  KeptFile& of(const std::filesystem::path& key) {
    for (const auto& kept : kept_) {
      if (kept->key == key) return *kept;
    }
    kept_.push_back(std::make_unique<KeptFile>());
    kept_.back()->key = key;
    return *kept_.back();
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<KeptFile>> kept_;
  std::atomic<std::uint64_t> version_ = 0;
};

// --- own experiments -------------------------------------------------------------------------------------------------

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
