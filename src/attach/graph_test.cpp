#include "attach/graph_test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "attach/launcher.h"
#include "base/platform/paths.h"
#include "capture/ring_reader.h"

namespace lanescope::attach {
namespace {

using Clock = std::chrono::steady_clock;
using wire::GraphsSurvive;

constexpr std::size_t kMostTries = 4;
constexpr std::chrono::seconds kLongest{10};
constexpr int kCycles = 3;  // bursts after which CUPTI leaves and comes back
constexpr std::uint32_t kBurstUs = 20'000, kPeriodUs = 400'000;

/// The memory of the child's library.
class Shared {
 public:
  explicit Shared(const Arrival& arrival) : socket_(arrival.socket), bytes_(arrival.hello.bytes) {
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, arrival.memory, 0);
    ::close(arrival.memory);
    std::string problem;
    if (memory_ != MAP_FAILED) ring_ = capture::RingReader::open(memory_, bytes_, problem);
    if (!ring_) return;
    wire::Controls& controls = ring_->controls();
    controls.burst_us.store(kBurstUs);
    controls.period_us.store(kPeriodUs);
    controls.graphs_survive.store(static_cast<std::uint32_t>(GraphsSurvive::Yes));
    controls.level.store(static_cast<std::uint32_t>(wire::Level::Acquire));
    [[maybe_unused]] const ssize_t sent = ::send(socket_, "!", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  ~Shared() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, bytes_);
    ::close(socket_);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  /// How often CUPTI has left since the last question, and come back.
  int cycles() {
    int n = 0;
    const auto take = [&n](const capture::Message& message) {
      const auto recording =
          message.kind == wire::MessageKind::Recording ? message.as<wire::RecordingMessage>() : std::nullopt;
      n += recording && recording->act == wire::RecordingAct::Away;
    };
    if (ring_) ring_->read(1 << 15, take);
    return n;
  }

 private:
  const int socket_;
  const std::size_t bytes_;
  void* memory_;
  std::optional<capture::RingReader> ring_;
};

GraphsSurvive try_it(const std::string& cupti, const std::map<std::string, std::string>& variables,
                     const std::atomic<bool>& stop) {
  const std::filesystem::path program = base::this_program();
  // Other programs with this code in them, such as tests, do not know the command.
  std::error_code error;
  const std::filesystem::path file = std::filesystem::read_symlink(program, error);
  if (!file.filename().string().starts_with("lanescope")) return GraphsSurvive::No;
  try {
    Meeting meeting;
    Command command{{program.string(), "replay-graphs"}, {}, variables};
    command.variables["LANESCOPE_CUPTI"] = cupti;
    command.variables["LANESCOPE_RING_SLOTS"] = "16384";
    Launched child(command, meeting.socket_path());
    std::optional<Shared> shared;
    int cycles = 0;
    bool enough = false;
    for (const auto until = Clock::now() + kLongest; !child.ended();) {
      if (stop.load() || Clock::now() > until) {
        child.signal(SIGKILL);
        child.wait();
        break;
      }
      if (shared) {
        cycles += shared->cycles();
      } else if (const auto arrival = meeting.next()) {
        shared.emplace(*arrival);
      }
      if (cycles >= kCycles && !enough) {
        enough = true;
        child.signal(SIGTERM);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return enough && child.wait() == 0 ? GraphsSurvive::Yes : GraphsSurvive::No;
  } catch (const std::exception&) {  // it could not be tried
    return GraphsSurvive::No;
  }
}

}  // namespace

struct GraphTest::Try {
  std::atomic<GraphsSurvive> answer{GraphsSurvive::Unknown};
  std::thread thread;
};

GraphTest::GraphTest(std::map<std::string, std::string> variables) : variables_(std::move(variables)) {}

GraphTest::~GraphTest() {
  stop_.store(true);
  for (auto& [cupti, tried] : tries_) tried->thread.join();
}

GraphsSurvive GraphTest::answer(const std::string& cupti) {
  const auto known = tries_.find(cupti);
  if (known != tries_.end()) return known->second->answer.load();
  if (cupti.empty() || tries_.size() >= kMostTries) return GraphsSurvive::No;
  Try& tried = *(tries_[cupti] = std::make_unique<Try>());
  tried.thread = std::thread([this, cupti, &tried] { tried.answer = try_it(cupti, variables_, stop_); });
  return GraphsSurvive::Unknown;
}

// --- the child -------------------------------------------------------------------------------------------------------

namespace {

constexpr std::uint64_t kLeastFree = std::uint64_t{2} << 30;  // bytes on the GPU: a context takes a part of it
constexpr std::chrono::seconds kLongestReplay{15};
constexpr std::size_t kMostGraphs = 32;
constexpr int kRoundsPerGraph = 16;

// Counts how often it ran.
constexpr const char* kKernel = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry count(.param .u64 at) {
  .reg .u64 %a;
  .reg .u32 %n;
  ld.param.u64 %a, [at];
  cvta.to.global.u64 %a, %a;
  ld.global.u32 %n, [%a];
  add.u32 %n, %n, 1;
  st.global.u32 [%a], %n;
  ret;
}
)";

volatile std::sig_atomic_t asked_to_end = 0;

/// Calls a library's function by its name, with exactly these types. Its result; -1: there is no such function.
template <typename... Arguments>
int call(void* library, const char* name, Arguments... arguments) {
  using Function = int (*)(Arguments...);
  const auto function = library ? reinterpret_cast<Function>(::dlsym(library, name)) : nullptr;
  return function ? function(arguments...) : -1;
}

/// A program that has filled the GPU must not run out of its memory because of this one.
bool has_room(const char* bus_id) {
  void* const nvml = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
  void* gpu = nullptr;
  struct {
    unsigned long long total, free, used;
  } memory{};
  return call(nvml, "nvmlInit_v2") == 0 && call(nvml, "nvmlDeviceGetHandleByPciBusId_v2", bus_id, &gpu) == 0 &&
         call(nvml, "nvmlDeviceGetMemoryInfo", gpu, &memory) == 0 && memory.free >= kLeastFree;
}

class Replays {
 public:
  bool begin() {
    int device = 0;
    std::array<char, 64> bus{};
    void *context = nullptr, *module = nullptr;
    return ok(call(cuda_, "cuInit", 0u)) && ok(call(cuda_, "cuDeviceGet", &device, 0)) &&
           ok(call(cuda_, "cuDeviceGetPCIBusId", bus.data(), static_cast<int>(bus.size()), device)) &&
           has_room(bus.data()) && ok(call(cuda_, "cuDevicePrimaryCtxRetain", &context, device)) &&
           ok(call(cuda_, "cuCtxSetCurrent", context)) &&
           ok(call(cuda_, "cuModuleLoadData", &module, static_cast<const void*>(kKernel))) &&
           ok(call(cuda_, "cuModuleGetFunction", &kernel_, module, "count")) &&
           ok(call(cuda_, "cuStreamCreate", &stream_, 1u)) &&  // which does not wait for the null stream
           ok(call(cuda_, "cuMemAlloc_v2", &memory_, kBytes)) &&
           ok(call(cuda_, "cuMemsetD8Async", memory_, kZero, kBytes, stream_));
  }
  /// A capture that finalising has disturbed is left out: the library waits for those that it sees.
  bool capture() {
    if (!ok(call(cuda_, "cuStreamBeginCapture_v2", stream_, 0))) return true;
    bool well = launch() && ok(call(cuda_, "cuMemsetD8Async", memory_ + 64, kZero, std::size_t{64}, stream_)) &&
                ok(call(cuda_, "cuMemcpyDtoDAsync_v2", memory_ + 128, memory_ + 64, std::size_t{64}, stream_)) &&
                launch();
    void *graph = nullptr, *replayed = nullptr;
    well = ok(call(cuda_, "cuStreamEndCapture", stream_, &graph)) && well;
    if (!graph) return true;
    const bool made = ok(call(cuda_, "cuGraphInstantiateWithFlags", &replayed, graph, 0ull));
    if (well && made) graphs_.push_back(replayed);
    return made || !well;
  }
  bool replay() {
    for (void* graph : graphs_) {
      if (!ok(call(cuda_, "cuGraphLaunch", graph, stream_))) return false;
      expected_ += 2;
    }
    return ok(call(cuda_, "cuStreamSynchronize", stream_));
  }
  bool counted() {
    std::uint32_t count = 0;
    return ok(call(cuda_, "cuMemcpyDtoH_v2", static_cast<void*>(&count), memory_, sizeof(count))) &&
           count == expected_ && expected_ > 0;
  }
  std::size_t size() const { return graphs_.size(); }

 private:
  static constexpr std::size_t kBytes = 256;
  static constexpr unsigned char kZero = 0;
  static bool ok(int result) { return result == 0; }
  bool launch() {
    void* argument = &memory_;
    return ok(call(cuda_, "cuLaunchKernel", kernel_, 1u, 1u, 1u, 1u, 1u, 1u, 0u, stream_, &argument,
                   static_cast<void**>(nullptr)));
  }

  void* const cuda_ = ::dlopen("libcuda.so.1", RTLD_NOW);
  void *kernel_ = nullptr, *stream_ = nullptr;
  std::uint64_t memory_ = 0;
  std::uint32_t expected_ = 0;
  std::vector<void*> graphs_;
};

}  // namespace

int replay_graphs(const std::string& cupti) {
  if (!cupti.empty()) {
    GraphTest test({});
    GraphsSurvive answer = GraphsSurvive::Unknown;
    while ((answer = test.answer(cupti)) == GraphsSurvive::Unknown) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return answer == GraphsSurvive::Yes ? 0 : 1;
  }
  // It says nothing, whatever happens, and leaves nothing behind.
  if (const int nowhere = ::open("/dev/null", O_RDWR); nowhere >= 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(number, SIG_DFL);
  std::signal(SIGTERM, [](int) { asked_to_end = 1; });
  Replays replays;
  if (!replays.begin()) return 1;
  // New graphs are made all the time: while CUPTI records, while it only watches, and while it is away.
  const auto until = Clock::now() + kLongestReplay;
  for (int round = 0; Clock::now() < until; ++round) {
    const bool last = asked_to_end != 0;
    if (round % kRoundsPerGraph == 0 && replays.size() < kMostGraphs && !replays.capture()) return 1;
    if (!replays.replay()) return 1;
    if (last) return replays.counted() ? 0 : 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return 1;
}

}  // namespace lanescope::attach
