#include "inject/cupti.h"

#include <dirent.h>
#include <link.h>
#include <stdlib.h>

#include <cstring>
#include <initializer_list>

#include "inject/calls.h"
#include "inject/compat.h"
#include "inject/records.h"
#include "inject/ring.h"
#include "inject/short_text.h"

namespace lanescope::inject {
namespace {

using Path = Line<1024>;
Line<sizeof(wire::Status::cupti_path)> found_at;
constexpr const char* kFiles[] = {"libcupti.so.13", "libcupti.so.12"};

template <typename Function>
bool resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// The name of a function that is missing, or null.
const char* resolve_all(void* library, Cupti& t) {
  const char* missing = nullptr;
  const auto need = [&](const char* name, auto& function) {
    if (!resolve(library, name, function)) missing = name;
  };
  need("cuptiGetVersion", t.get_version);
  need("cuptiGetTimestamp", t.get_timestamp);
  need("cuptiSubscribe", t.subscribe);
  need("cuptiUnsubscribe", t.unsubscribe);
  need("cuptiEnableCallback", t.enable_callback);
  need("cuptiEnableDomain", t.enable_domain);
  need("cuptiGetCallbackName", t.get_callback_name);
  need("cuptiGetResultString", t.get_result_string);
  need("cuptiActivityRegisterCallbacks", t.register_callbacks);
  need("cuptiActivityEnable", t.enable);
  need("cuptiActivityDisable", t.disable);
  need("cuptiActivityFlushAll", t.flush_all);
  need("cuptiActivityGetNextRecord", t.get_next_record);
  need("cuptiActivityGetNumDroppedRecords", t.get_dropped);
  resolve(library, "cuptiSubscribe_v2", t.subscribe_v2);
  resolve(library, "cuptiActivityEnableAndDump", t.enable_and_dump);
  resolve(library, "cuptiActivitySetAttribute", t.set_attribute);
  resolve(library, "cuptiSetThreadIdType", t.set_thread_id_type);
  resolve(library, "cuptiActivityEnableAllSyncRecords", t.enable_all_sync_records);
  resolve(library, "cuptiFinalize", t.finalize);
  return missing;
}

// --- The search. What is mapped already is the program's own, and a second copy would not get along with it. -----

class Search {
 public:
  bool run() {
    if (const char* file = getenv("LANESCOPE_CUPTI"); file && *file) return open(file, RTLD_NOW | RTLD_LOCAL);
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* self) {
          static_cast<Search*>(self)->look_at(info->dlpi_name ? info->dlpi_name : "");
          return 0;
        },
        this);
    if (mapped_.size() > 0 && open(mapped_.c_str(), RTLD_NOW | RTLD_NOLOAD)) return true;
    for (const char* file : kFiles) {
      for (std::size_t i = 0; i < sites_; ++i) {
        if (wheel(site_[i].c_str(), file)) return true;
      }
      for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* root = getenv(variable); root && *root && toolkit(root, file)) return true;
      }
      if (toolkit("/usr/local/cuda", file)) return true;
      if (newest_toolkit(file)) return true;
      for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
        if (const char* root = getenv(variable); root && *root && python(root, file)) return true;
      }
      if (python_of_path(file)) return true;
      if (open(file, RTLD_NOW | RTLD_LOCAL)) return true;
    }
    return false;
  }
  const char* why() const { return why_.c_str(); }

 private:
  // Called with the loader's lock held: remembers paths, opens nothing.
  void look_at(const char* path) {
    const char* slash = std::strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    if (mapped_.size() == 0 && std::strncmp(name, "libcupti.so", 11) == 0) mapped_.add(path);
    for (const char* packages : {"/site-packages/", "/dist-packages/"}) {
      const char* at = std::strstr(path, packages);
      if (!at) continue;
      Path site;
      site.add(path, static_cast<std::size_t>(at - path) + std::strlen(packages) - 1);
      bool known = sites_ == kSites;
      for (std::size_t i = 0; i < sites_; ++i) known = known || std::strcmp(site_[i].c_str(), site.c_str()) == 0;
      if (!known) site_[sites_++] = site;
    }
  }
  bool try_file(const Path& path) {
    return access(path.c_str(), R_OK) == 0 && open(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  bool toolkit(const char* root, const char* file) {
    for (const char* below : {"/lib64/", "/extras/CUPTI/lib64/", "/targets/x86_64-linux/lib/", "/lib/"}) {
      Path path;
      if (try_file(path.add(root).add(below).add(file))) return true;
    }
    return false;
  }
  bool wheel(const char* site, const char* file) {
    for (const char* below : {"/nvidia/cu13/lib/", "/nvidia/cuda_cupti/lib/"}) {
      Path path;
      if (try_file(path.add(site).add(below).add(file))) return true;
    }
    return false;
  }
  // An environment of Python, none of whose libraries need be mapped.
  bool python(const char* root, const char* file) {
    Path lib;
    DIR* folder = opendir(lib.add(root).add("/lib").c_str());
    if (!folder) return false;
    bool found = false;
    while (const dirent* entry = found ? nullptr : readdir(folder)) {
      if (std::strncmp(entry->d_name, "python3", 7) != 0) continue;
      for (const char* packages : {"/site-packages", "/dist-packages"}) {
        Path site;
        found = found || wheel(site.add(lib.c_str()).add("/").add(entry->d_name).add(packages).c_str(), file);
      }
    }
    closedir(folder);
    return found;
  }
  // That of the first python3 which a shell would find.
  bool python_of_path(const char* file) {
    for (const char* at = getenv("PATH"); at && *at;) {
      const char* end = std::strchr(at, ':');
      const std::size_t bytes = end ? static_cast<std::size_t>(end - at) : std::strlen(at);
      Path interpreter, root;
      if (access(interpreter.add(at, bytes).add("/python3").c_str(), X_OK) == 0) {
        return python(root.add(at, bytes).add("/..").c_str(), file);
      }
      at += bytes + (end ? 1 : 0);
    }
    return false;
  }
  bool newest_toolkit(const char* file) {
    DIR* folder = opendir("/usr/local");
    if (!folder) return false;
    Path newest;
    unsigned newest_version = 0;
    while (const dirent* entry = readdir(folder)) {
      if (std::strncmp(entry->d_name, "cuda-", 5) != 0) continue;
      unsigned parts[2] = {0, 0}, i = 0;
      for (const char* c = entry->d_name + 5; *c != 0 && i < 2; ++c) {
        if (*c == '.') {
          ++i;
        } else if (*c >= '0' && *c <= '9') {
          parts[i] = parts[i] * 10 + static_cast<unsigned>(*c - '0');
        }
      }
      const unsigned version = parts[0] * 1000 + parts[1];
      if (version < newest_version) continue;
      newest_version = version;
      newest = Path();
      newest.add("/usr/local/").add(entry->d_name);
    }
    closedir(folder);
    return newest.size() > 0 && toolkit(newest.c_str(), file);
  }
  bool open(const char* file, int flags) {
    void* library = dlopen(file, flags);  // never closed: CUPTI does not support it
    if (!library) {
      const char* error = dlerror();
      if (why_.size() == 0 && std::strchr(file, '/')) why_.add(error ? error : file);
      return false;
    }
    Cupti found{};
    if (const char* name = resolve_all(library, found)) {
      if (why_.size() == 0) why_.add(file).add(" has no ").add(name);
      return false;
    }
    cupti = found;
    // glibc's handles are link maps; dlinfo would be one more function to find under its oldest name.
    const char* name = static_cast<const link_map*>(library)->l_name;
    const char* path = name && *name ? name : file;
    Line<sizeof(wire::Status::cupti_path)> line;
    line.add(path);
    found_at = line;
    return true;
  }

  static constexpr std::size_t kSites = 4;
  Path mapped_, site_[kSites];
  std::size_t sites_ = 0;
  Line<200> why_;
};

void say_watching() {
  Line<256> line;
  line.add("CUPTI ").add(std::uint64_t{cupti.version});
  if (cupti.version == 130000) {
    line.add(": CUDA 13.0 before its update 1 keeps no records of cudaDeviceSynchronize");
  }
  set_state(wire::State::Watching, line.c_str());
}

}  // namespace

void say_refusal(CUptiResult result, const char* holder, bool before) {
  const char* code = nullptr;
  Line<64> number;
  if (cupti.get_result_string(result, &code) != CUPTI_SUCCESS || !code) {
    number.add("error ").add(static_cast<std::uint64_t>(result));
    code = number.c_str();
  }
  Line<256> line;
  wire::State state = wire::State::NoCupti;
  switch (static_cast<int>(result)) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      state = wire::State::CuptiBusy;
      if (before) {
        line.add("another profiler has CUPTI now").add(*holder ? ": " : "").add(holder);
        line.add("; nothing is watched until it is done");
      } else if (*holder) {
        line.add("another profiler has CUPTI: ").add(holder).add("; run the program without it");
      } else {
        line.add("another profiler or debugger has CUPTI (nsys, ncu, cuda-gdb, ...): run the program without it");
      }
      break;
    case CUPTI_ERROR_UNKNOWN:
    case CUPTI_ERROR_NOT_INITIALIZED:
      state = wire::State::DriverTooOld;
      line.add("the driver is too old for CUPTI ").add(std::uint64_t{cupti.version}).add(" (").add(code);
      line.add("): update the driver, or name an older libcupti.so in LANESCOPE_CUPTI");
      break;
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      state = wire::State::Denied;
      line.add("this system does not permit tracing (").add(code).add("): an administrator can allow it");
      break;
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      state = wire::State::Unsupported;
      line.add("this virtual GPU cannot be traced (").add(code).add(")");
      break;
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      state = wire::State::Unsupported;
      line.add("a GPU in confidential computing mode cannot be traced (").add(code).add(")");
      break;
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      state = wire::State::Unsupported;
      line.add("a part of a GPU (MIG) cannot be traced (").add(code).add(")");
      break;
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      state = wire::State::Unsupported;
      line.add("a GPU under WSL cannot be traced (").add(code).add(")");
      break;
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
      state = wire::State::Unsupported;
      line.add("this GPU or its mode cannot be traced (").add(code).add(")");
      break;
    default:
      line.add("CUPTI cannot start (").add(code).add(")");
  }
  set_state(state, line.c_str());
}

namespace {

// subscribe_v2 of 13.0 and later is used only because it names who has CUPTI; the records are read by the first version
// of the interface, which all versions have.
CUptiResult subscribe(char* holder, std::size_t room) {
  if (!cupti.subscribe_v2) return cupti.subscribe(&cupti.subscriber, &called, nullptr);
  CUpti_SubscriberParams params{};
  params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  params.subscriberName = "Lanescope";
  params.oldSubscriberName = holder;
  params.oldSubscriberSize = room - 1;
  return cupti.subscribe_v2(&cupti.subscriber, &called, nullptr, &params);
}

}  // namespace

Cupti cupti;
std::atomic<bool> cupti_works{false};

Departed detach_cupti() {
  if (!cupti.finalize) return {Departure::Refused, 0};
  const Departed departed = depart();
  if (departed.how == Departure::Done) cupti.subscriber = nullptr;
  return departed;
}

void forget_cupti() {
  forget_calls();
  forget_records();
}

bool subscribe_to_cupti() {
  char holder[2 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = {};
  const CUptiResult result = subscribe(holder, sizeof(holder));
  if (result == CUPTI_SUCCESS) return true;
  say_refusal(result, holder, false);
  return false;
}

Joined join_cupti() {
  const bool waited = !cupti_works.exchange(false, std::memory_order_acq_rel);
  char holder[2 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = {};
  const CUptiResult result = subscribe(holder, sizeof(holder));
  if (result != CUPTI_SUCCESS) {
    const bool busy = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    if (!busy || !waited) say_refusal(result, holder, true);
    return busy ? Joined::Busy : Joined::No;
  }
  prepare_calls();
  find_number();
  if (!ask_for_records()) {
    cupti.unsubscribe(cupti.subscriber);
    set_state(wire::State::NoCupti, "CUPTI does not accept buffers for its records");
    return Joined::No;
  }
  cupti_works.store(true, std::memory_order_release);
  if (waited) say_watching();
  return Joined::Yes;
}

bool find_cupti() {
  Search search;
  if (cupti.version == 0 && !search.run()) {
    Line<256> line;
    if (*search.why()) {
      line.add("CUPTI cannot be loaded: ").add(search.why());
    } else {
      line.add("CUPTI was not found: install the package nvidia-cuda-cupti, or name libcupti.so in LANESCOPE_CUPTI");
    }
    set_state(wire::State::NoCupti, line.c_str());
    return false;
  }
  if (cupti.version == 0) cupti.get_version(&cupti.version);
  std::memcpy(ring.status().cupti_path, found_at.c_str(), found_at.size() + 1);
  ring.status().cupti_version.store(cupti.version, std::memory_order_relaxed);
  return true;
}

void start_cupti() {
  if (!find_cupti() || !subscribe_to_cupti()) return;
  if (!prepare_records()) {
    cupti.unsubscribe(cupti.subscriber);
    set_state(wire::State::NoCupti, "CUPTI does not accept buffers for its records");
    return;
  }
  prepare_calls();
  cupti_works.store(true, std::memory_order_release);
  say_watching();
}

bool driver_is_up() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  using Count = int (*)(int*);
  const auto count = driver ? reinterpret_cast<Count>(dlsym(driver, "cuDeviceGetCount")) : nullptr;
  int devices = 0;
  return count && count(&devices) == 0;  // otherwise it is "not initialised"
}

int driver_version() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  using Get = int (*)(int*);
  const auto get = driver ? reinterpret_cast<Get>(dlsym(driver, "cuDriverGetVersion")) : nullptr;
  int version = 0;
  return get && get(&version) == 0 ? version : 0;
}

void read_driver_version() {
  const int version = driver_version();
  if (version > 0) ring.status().driver_version.store(static_cast<std::uint32_t>(version), std::memory_order_relaxed);
}

}  // namespace lanescope::inject
