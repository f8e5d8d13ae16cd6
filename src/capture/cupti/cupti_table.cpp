#include "capture/cupti/cupti_table.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/translate.h"

namespace lanescope::capture::cupti {
namespace {

using base::tr;
namespace fs = std::filesystem;

constexpr std::array kFiles = {"libcupti.so.13", "libcupti.so.12"};
constexpr std::size_t kPlacesNamed = 6;  // in the problem line

template <typename Function>
void resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

CuptiTable table_of(void* library) {
  CuptiTable t;
  resolve(library, "cuptiGetVersion", t.get_version);
  resolve(library, "cuptiGetTimestamp", t.get_timestamp);
  resolve(library, "cuptiSubscribe", t.subscribe);
  resolve(library, "cuptiSubscribe_v2", t.subscribe_v2);
  resolve(library, "cuptiUnsubscribe", t.unsubscribe);
  resolve(library, "cuptiEnableCallback", t.enable_callback);
  resolve(library, "cuptiEnableDomain", t.enable_domain);
  resolve(library, "cuptiGetCallbackName", t.get_callback_name);
  resolve(library, "cuptiGetResultString", t.get_result_string);
  resolve(library, "cuptiActivityRegisterCallbacks", t.register_callbacks);
  resolve(library, "cuptiActivityEnable", t.enable);
  resolve(library, "cuptiActivityEnableAndDump", t.enable_and_dump);
  resolve(library, "cuptiActivityDisable", t.disable);
  resolve(library, "cuptiActivityFlushAll", t.flush_all);
  resolve(library, "cuptiActivityGetNextRecord", t.get_next_record);
  resolve(library, "cuptiActivityGetNumDroppedRecords", t.get_dropped);
  resolve(library, "cuptiActivitySetAttribute", t.set_attribute);
  resolve(library, "cuptiSetThreadIdType", t.set_thread_id_type);
  resolve(library, "cuptiActivityEnableRuntimeApi", t.enable_runtime_api);
  resolve(library, "cuptiActivityEnableDriverApi", t.enable_driver_api);
  resolve(library, "cuptiActivityEnableAllSyncRecords", t.enable_all_sync_records);
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name) t.path = map->l_name;
  if (t.get_version) t.get_version(&t.version);
  return t;
}

// The name of the first missing required function, or null.
const char* missing(const CuptiTable& t) {
  if (!t.get_version) return "cuptiGetVersion";
  if (!t.get_timestamp) return "cuptiGetTimestamp";
  if (!t.subscribe) return "cuptiSubscribe";
  if (!t.unsubscribe) return "cuptiUnsubscribe";
  if (!t.enable_callback) return "cuptiEnableCallback";
  if (!t.enable_domain) return "cuptiEnableDomain";
  if (!t.get_callback_name) return "cuptiGetCallbackName";
  if (!t.get_result_string) return "cuptiGetResultString";
  if (!t.register_callbacks) return "cuptiActivityRegisterCallbacks";
  if (!t.enable) return "cuptiActivityEnable";
  if (!t.disable) return "cuptiActivityDisable";
  if (!t.flush_all) return "cuptiActivityFlushAll";
  if (!t.get_next_record) return "cuptiActivityGetNextRecord";
  if (!t.get_dropped) return "cuptiActivityGetNumDroppedRecords";
  return nullptr;
}

std::vector<std::string> listing(const fs::path& folder, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  return names;
}

// The numbers in a name such as "cuda-13.0" or "python3.12".
std::vector<int> numbers_in(std::string_view name) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(name[i])) == 0) continue;
    int n = 0;
    for (; i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])) != 0 && n < 100'000; ++i) {
      n = n * 10 + (name[i] - '0');
    }
    numbers.push_back(n);
  }
  return numbers;
}
std::vector<std::string> newest_first(std::vector<std::string> names) {
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    const std::vector<int> na = numbers_in(a), nb = numbers_in(b);
    return na != nb ? na > nb : a < b;
  });
  return names;
}

class Search {
 public:
  explicit Search(const Surroundings& surroundings) : around_(surroundings) {}

  CuptiSearch run() {
    if (const char* file = set("LANESCOPE_CUPTI")) {
      result_.looked_in.push_back(file);
      // A bare name means the file in this folder, not what dlopen would find on its path.
      const std::string path =
          std::string_view(file).find('/') == std::string_view::npos ? fmt::format("./{}", file) : std::string(file);
      if (!open(path, RTLD_NOW | RTLD_LOCAL)) {
        result_.problem = tr("CUPTI not found: LANESCOPE_CUPTI names {}: {}", file, why_);
      }
      return std::move(result_);
    }
    result_.looked_in.push_back(tr("the loaded libraries"));
    for (const char* file : kFiles) {
      if (open(file, RTLD_NOW | RTLD_NOLOAD)) return std::move(result_);
    }
    toolkits();
    wheels();
    for (const fs::path& folder : folders_) result_.looked_in.push_back(folder.string());
    if (around_.loader_path) result_.looked_in.push_back(tr("the loader's search path"));
    for (const char* file : kFiles) {
      for (const fs::path& folder : folders_) {
        std::error_code error;
        if (fs::exists(folder / file, error) && open((folder / file).string(), RTLD_NOW | RTLD_LOCAL)) {
          return std::move(result_);
        }
      }
      if (around_.loader_path && open(file, RTLD_NOW | RTLD_LOCAL)) return std::move(result_);
    }
    result_.problem = useless_.empty() ? not_found() : useless_;
    return std::move(result_);
  }

 private:
  const char* set(const char* name) const {
    const char* value = around_.variable(name);
    return value && *value ? value : nullptr;
  }

  bool open(const std::string& file, int flags) {
    void* library = dlopen(file.c_str(), flags);  // never closed: CUPTI does not support it
    if (!library) {
      const char* error = dlerror();
      why_ = error ? error : tr("it cannot be opened");
      // A file that exists but cannot be loaded is more informative than a list of folders.
      if (file.find('/') != std::string::npos && useless_.empty()) {
        useless_ = tr("CUPTI cannot be loaded: {}", why_);
      }
      return false;
    }
    CuptiTable table = table_of(library);
    if (const char* name = missing(table)) {
      why_ = tr("it has no {}; CUPTI of CUDA 12 or 13 is needed", name);
      if (useless_.empty()) useless_ = tr("CUPTI {} cannot be used: {}", table.path, why_);
      return false;
    }
    result_.table = std::move(table);
    return true;
  }

  void folder(const fs::path& path) {
    if (std::find(folders_.begin(), folders_.end(), path) == folders_.end()) folders_.push_back(path);
  }

  void toolkit(const fs::path& root) {
    bool any = false;
    for (const char* below : {"lib64", "lib", "targets/x86_64-linux/lib", "extras/CUPTI/lib64"}) {
      std::error_code error;
      if (!fs::is_directory(root / below, error)) continue;
      folder(root / below);
      any = true;
    }
    if (!any) folder(root);  // so that the user sees where we looked
  }
  void toolkits() {
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
      if (const char* root = set(name)) toolkit(root);
    }
    const fs::path local = around_.usr_local;
    toolkit(local / "cuda");
    for (const std::string& name : newest_first(listing(local, "cuda-"))) toolkit(local / name);
  }

  // NVIDIA's Python packages: CUDA 13 uses one folder, CUDA 12 one folder per package.
  void wheels_below(const fs::path& prefix) {
    for (const char* lib : {"lib", "local/lib", "lib64"}) {
      for (const std::string& python : newest_first(listing(prefix / lib, "python3"))) {
        for (const char* packages : {"site-packages", "dist-packages"}) {
          for (const char* wheel : {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib"}) {
            const fs::path path = prefix / lib / python / packages / wheel;
            std::error_code error;
            if (fs::is_directory(path, error)) folder(path);
          }
        }
      }
    }
  }
  void wheels() {
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
      if (const char* prefix = set(name)) wheels_below(prefix);
    }
    const char* paths = set("PATH");
    for (std::string_view rest = paths ? paths : ""; !rest.empty();) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      const fs::path python = fs::path(rest.substr(0, end)) / "python3";
      std::error_code error;
      if (end > 0 && fs::exists(python, error)) {
        wheels_below(python.parent_path().parent_path());  // in case of a virtual environment
        const fs::path real = fs::canonical(python, error);
        if (!error) wheels_below(real.parent_path().parent_path());
        break;
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (const char* home = set("HOME")) wheels_below(fs::path(home) / ".local");
    wheels_below(around_.system_python);
  }

  std::string not_found() const {
    const std::size_t named = std::min(result_.looked_in.size(), kPlacesNamed);
    std::string places =
        fmt::format("{}", fmt::join(result_.looked_in.begin(), result_.looked_in.begin() + named, ", "));
    if (result_.looked_in.size() > named) {
      places = tr("{} and {} more places", places, result_.looked_in.size() - named);
    }
    return tr("CUPTI not found: looked for {} and {} in {}; LANESCOPE_CUPTI can name its file", kFiles[0], ".12",
              places);
  }

  const Surroundings& around_;
  std::vector<fs::path> folders_;
  std::string why_;      // the last one that could not be opened
  std::string useless_;  // the first existing one that could not be used
  CuptiSearch result_;
};

}  // namespace

bool CuptiTable::complete() const { return missing(*this) == nullptr; }

CuptiSearch find_cupti(const Surroundings& surroundings) { return Search(surroundings).run(); }

CuptiSearch find_cupti() {
  Surroundings real;
  real.variable = [](const char* name) -> const char* { return std::getenv(name); };
  return find_cupti(real);
}

}  // namespace lanescope::capture::cupti
