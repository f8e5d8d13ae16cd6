#include "lesson/own_lessons.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <system_error>

#include "base/error.h"
#include "base/platform/files.h"
#include "base/translate.h"
#include "base/user_folders.h"
#include "experiment/own_experiments.h"

namespace lanescope::lesson {
namespace {

namespace fs = std::filesystem;
using base::tr;
using Files = experiment::OwnFiles<Lesson>;

Files& own() {
  static Files files;
  return files;
}

void check_name(std::string_view name, const fs::path& path) {
  for (const Lesson& embedded : lessons()) {
    if (embedded.name == name) {
      throw base::UsageError(
          tr("is '{}', which is one of the program's own lessons; allowed: one that `lanescope list lessons` does not "
             "show",
             name));
    }
  }
  const fs::path key = experiment::own_file_key(path);
  for (const Files::File& file : own().files()) {
    const fs::path other = experiment::own_file_key(file.path);
    const bool beside = file.listed && file.newest && file.error.empty() && other != key;
    if (beside && other.parent_path() == key.parent_path() && file.newest->name == name) {
      throw base::UsageError(
          tr("is '{}', as in {}; allowed: another one in every file", name, file.path.filename().string()));
    }
  }
}

const Lesson* find_own(std::string_view name) {
  const std::vector<Files::File> files = own().files();
  for (const Files::File& file : files | std::views::reverse) {
    if (file.listed && file.newest && file.newest->name == name) return file.newest;
  }
  return nullptr;
}

// Sorted, so that of two files with one name always the same is refused. Hidden ones are somebody's temporary files.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(".toml") && !name.starts_with('.')) found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

void read_experiments(const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths) {
    try {
      experiment::add_file(path);
    } catch (const base::Error&) {  // kept, see own_file_errors()
    }
  }
}

using Stamps = std::map<fs::path, std::tuple<std::uintmax_t, std::int64_t, std::uint64_t>>;

Stamps stamps_of(const std::vector<fs::path>& paths) {
  Stamps stamps;
  for (const fs::path& path : paths) {
    if (const auto facts = base::file_facts(path)) stamps[path] = {facts->bytes, facts->changed_ns, facts->id};
  }
  return stamps;
}

std::vector<fs::path> with(std::vector<fs::path> in_folder, std::vector<fs::path> added) {
  std::ranges::copy(added, std::back_inserter(in_folder));
  return in_folder;
}

std::vector<fs::path> own_lesson_files() {
  std::vector<fs::path> paths;
  for (const Files::File& file : own().files()) paths.push_back(file.path);
  return paths;
}

}  // namespace

const Lesson& add_file(const fs::path& path) {
  const fs::path folder = experiment::own_file_key(path).parent_path();
  read_experiments(files_in(folder.parent_path() / "experiments"));
  return own().add(path, [&](const std::string& text, const std::string& origin) {
    return parse_lesson(text, origin, [&](std::string_view name) { check_name(name, path); });
  });
}

void forget_file(const fs::path& path) { own().forget(path); }

std::vector<const Lesson*> own_lessons() { return own().all(); }

std::vector<const Lesson*> all_lessons() {
  std::vector<const Lesson*> all = own_lessons();
  for (const Lesson& lesson : lessons()) all.push_back(&lesson);
  return all;
}

fs::path file_of(const Lesson& lesson) { return own().file_of(lesson).path; }

const Lesson& newest_version(const Lesson& lesson) {
  const Files::File file = own().file_of(lesson);
  return file.newest ? *file.newest : lesson;
}

const Lesson& lesson_named(std::string_view name) {
  if (const Lesson* found = find_own(name)) return *found;
  std::vector<std::string_view> names;
  for (const Lesson* lesson : all_lessons()) {
    if (lesson->name == name) return *lesson;
    names.emplace_back(lesson->name);
  }
  if (const Lesson* old = own().old_version([&](const Lesson& lesson) { return lesson.name == name; })) return *old;
  for (const Files::File& file : own().files()) {
    const bool wanted = std::ranges::find(file.names, experiment::in_lower_case(name)) != file.names.end();
    if (file.listed && !file.error.empty() && wanted) throw base::FileError(file.error);
  }
  throw base::UsageError(tr("lesson '{}' is unknown; allowed: {}", name, fmt::join(names, ", ")));
}

const Lesson& lesson_from_argument(std::string_view argument) {
  return experiment::is_file_argument(argument) ? add_file(argument) : lesson_named(argument);
}

fs::path own_experiments_folder() { return base::settings_folder() / "experiments"; }

fs::path own_lessons_folder() { return base::settings_folder() / "lessons"; }

std::vector<std::string> own_file_errors() {
  std::vector<std::string> errors = experiment::own_experiment_errors();
  std::ranges::copy(own().errors(), std::back_inserter(errors));
  return errors;
}

std::uint64_t own_files_version() { return experiment::own_experiments_version() + own().version(); }

bool OwnFolders::look() {
  const Stamps experiments = stamps_of(with(files_in(own_experiments_folder()), experiment::own_experiment_files()));
  const Stamps lessons = stamps_of(with(files_in(own_lessons_folder()), own_lesson_files()));
  if (looked_ && experiments == experiments_ && lessons == lessons_) return false;
  looked_ = true;
  const std::uint64_t before = own_files_version();
  for (const fs::path& path : experiment::own_experiment_files()) {
    if (!experiments.contains(path)) experiment::forget_file(path);
  }
  for (const fs::path& path : own_lesson_files()) {
    if (!lessons.contains(path)) own().forget(path);
  }
  // All of them, since an error may be about another file.
  for (const auto& [path, stamp] : experiments) read_experiments({path});
  for (const auto& [path, stamp] : lessons) {
    try {
      add_file(path);
    } catch (const base::Error&) {  // kept, see own_file_errors()
    }
  }
  experiments_ = experiments;
  lessons_ = lessons;
  return own_files_version() != before;
}

}  // namespace lanescope::lesson
