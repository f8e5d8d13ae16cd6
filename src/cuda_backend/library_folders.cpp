#include "cuda_backend/library_folders.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace lanescope::cuda_backend {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The folders in `parent` whose names start with `begin`, the highest version first.
std::vector<fs::path> folders_beginning(const fs::path& parent, std::string_view begin) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    std::error_code ignored;
    if (name.starts_with(begin) && entry->is_directory(ignored)) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    const std::string x = a.filename(), y = b.filename();
    return std::pair(x.size(), x) > std::pair(y.size(), y);  // cuda-13.10 comes before cuda-13.9
  });
  return found;
}

class Folders {
 public:
  void add(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (!error && fs::is_directory(real, error) && std::find(found_.begin(), found_.end(), real) == found_.end()) {
      found_.push_back(real);
    }
  }
  void add_toolkit(const fs::path& root) {
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      add(root / folder);
  }
  void add_wheels(const fs::path& prefix, const std::string& wheel) {
    for (const fs::path& python : folders_beginning(prefix / "lib", "python3")) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const std::string& part : {std::string("cu13"), wheel}) add(python / packages / "nvidia" / part / "lib");
      }
    }
  }
  std::vector<fs::path> take() { return std::move(found_); }

 private:
  std::vector<fs::path> found_;
};

/// The folder above the bin/ of the first python3 on the PATH, with links resolved to the packages' location.
std::vector<fs::path> python_prefixes() {
  const std::string path = environment("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path program = fs::path(path.substr(begin, end - begin)) / "python3";
    std::error_code error;
    if (program.is_absolute() && fs::exists(program, error)) {
      const fs::path real = fs::canonical(program, error);
      return {program.parent_path().parent_path(), error ? fs::path() : real.parent_path().parent_path()};
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace

std::vector<fs::path> library_folders(const std::string& wheel) {
  Folders folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = environment(variable); !root.empty()) folders.add_toolkit(root);
  }
  folders.add_toolkit("/usr/local/cuda");
  for (const fs::path& root : folders_beginning("/usr/local", "cuda-")) folders.add_toolkit(root);
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string prefix = environment(variable); !prefix.empty()) folders.add_wheels(prefix, wheel);
  }
  for (const fs::path& prefix : python_prefixes()) {
    if (!prefix.empty()) folders.add_wheels(prefix, wheel);
  }
  return folders.take();
}

}  // namespace lanescope::cuda_backend
