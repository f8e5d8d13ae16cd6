// Promise: a PyTorch profiler's file opens within a small factor of what decompressing it and going through its events
// with simdjson takes, also one of a gigabyte with deep stacks. Sixty-four ranks at once cost little more than one file
// with as many events. And how much memory that needs at its peak.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "analysis/live_analysis.h"
#include "io/trace_file.h"
#include "promise.h"
#include "resident.h"

namespace lanescope::bench {
namespace {

constexpr int kLaunches = 300'000, kManyLaunches = 2'000'000;
constexpr int kEventsPerLaunch = 3;  // and two of the flow between them, which are no events of the trace
constexpr int kWithStacks = 140'000, kFrames = 24, kStackRounds = 3;  // a gigabyte
constexpr int kRanks = 64, kOfARank = 10'000;
constexpr int kRounds = 7;

enum class Form { Short, Details, Stacks };

/// A loop of operators, each of which launches a kernel; every tenth waits for it. Written as Kineto writes it.
class ProfilerFile {
 public:
  ProfilerFile(int launches, Form form, int rank = 0)
      : details_(form != Form::Short),
        frames_(form == Form::Stacks ? kFrames : 0),
        path_(folder() / fmt::format("rank{}.json", rank)) {
    std::filesystem::create_directories(folder());
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> plain(std::fopen(path_.c_str(), "wb"), std::fclose);
    const bool pack = form == Form::Details;
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> packed(pack ? gzopen(packed_path().c_str(), "wb6") : nullptr,
                                                            gzclose);
    if (!plain || (pack && !packed)) throw std::runtime_error("the file cannot be written");
    std::string text =
        fmt::format("{{\"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}, \"world_size\": {}}},\n", rank,
                    kRanks) +
        "  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\"id\": 0, \"name\": \"NVIDIA H100\"}\n  ],\n"
        "  \"traceEvents\": [\n";
    const auto write = [&] {
      if (std::fwrite(text.data(), 1, text.size(), plain.get()) != text.size() ||
          (pack && gzwrite(packed.get(), text.data(), static_cast<unsigned>(text.size())) <= 0)) {
        throw std::runtime_error("the file cannot be written");
      }
      text.clear();
    };
    for (int i = 0; i < launches; ++i) {
      launch(text, i);
      if (text.size() > 1'000'000) write();
    }
    text +=
        "  {\n    \"name\": \"process_name\", \"ph\": \"M\", \"ts\": 1712195495505000.000, \"pid\": 1102, \"tid\": "
        "0,\n    \"args\": {\n      \"name\": \"python3\"\n    }\n  }\n  ],\n  \"traceName\": \"trace.json\"\n}\n";
    write();
  }
  ~ProfilerFile() {
    std::filesystem::remove(path_);
    std::filesystem::remove(packed_path());
    std::error_code others_are_left;
    std::filesystem::remove(folder(), others_are_left);
  }
  static std::filesystem::path folder() {
    return std::filesystem::temp_directory_path() / ("lanescope-bench-" + std::to_string(getpid()));
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path packed_path() const { return path_.string() + ".gz"; }
  std::uint64_t events() const { return events_; }

 private:
  void launch(std::string& text, int i) {
    constexpr std::array kOps = {"aten::empty", "aten::add_", "aten::mul",  "aten::addmm",
                                 "aten::copy_", "aten::view", "aten::relu", "autograd::engine::evaluate_function"};
    constexpr std::array kKernels = {
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
        "at::detail::Array<char*, "
        "3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
        "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_"
        "cublas",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, "
        "float>, unsigned int, float, 4> >"};
    const auto time = [&](std::int64_t ns) {
      const std::int64_t all = 1'712'195'495'505'543'140 + std::int64_t{i} * 30'011 + ns;
      return fmt::format("{}.{:03}", all / 1000, all % 1000);
    };
    auto out = std::back_inserter(text);
    const int correlation = 135'071 + 2 * i;
    if (!details_) {
      fmt::format_to(
          out,
          "{{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"{}\",\"pid\":1,\"tid\":1,\"ts\":{},\"dur\":19}},\n"
          "{{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":{},"
          "\"dur\":6,\"args\":{{\"correlation\":{}}}}},\n"
          "{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"{}\",\"pid\":0,\"tid\":7,\"ts\":{},\"dur\":12,\"args\":"
          "{{\"device\":0,\"stream\":7,\"correlation\":{}}}}},\n",
          kOps[static_cast<std::size_t>(i) % kOps.size()], time(0), time(4'000), correlation,
          i % 50 == 0 ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)" : "gemm",
          time(15'000), correlation);
      events_ += kEventsPerLaunch;
      return;
    }
    for (int frame = 0; frame < frames_; ++frame) {
      fmt::format_to(
          out,
          "  {{\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": "
          "\"torch/nn/modules/module{}.py({}): forward\", \"pid\": 1102, \"tid\": 1102,\n    \"ts\": {}, "
          "\"dur\": {}.{:03},\n    \"args\": {{\n      \"Python parent id\": {},\"Python id\": {}\n    }}\n  }},\n",
          frame, 10 * frame + i % 7, time(-100 * (frames_ - frame)), 26 + (frames_ - frame) / 10, i % 1000,
          i * frames_ + frame, i * frames_ + frame + 1);
      ++events_;
    }
    fmt::format_to(
        out,
        "  {{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"{}\", \"pid\": 1102, \"tid\": 1102,\n    "
        "\"ts\": {}, \"dur\": 19.{:03},\n    \"args\": {{\n      \"External id\": {},\"Record function id\": "
        "0, \"Ev Idx\": {}\n    }}\n  }},\n",
        kOps[static_cast<std::size_t>(i) % kOps.size()], time(0), i % 1000, i + 1, i);
    fmt::format_to(
        out,
        "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1102, "
        "\"tid\": 1102,\n    \"ts\": {}, \"dur\": 6.{:03},\n    \"args\": {{\n      \"External id\": {},     "
        " \"cbid\": 211, \"correlation\": {}\n    }}\n  }},\n",
        time(4'000), i % 997, i + 1, correlation);
    fmt::format_to(out,
                   "  {{\n    \"ph\": \"s\", \"id\": {0}, \"pid\": 1102, \"tid\": 1102, \"ts\": {1},\n    \"cat\": "
                   "\"ac2g\", \"name\": \"ac2g\"\n  }},\n",
                   correlation, time(4'000));
    fmt::format_to(
        out,
        "  {{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"{}\", \"pid\": 0, \"tid\": 7,\n    "
        "\"ts\": {}, \"dur\": 12.{:03},\n    \"args\": {{\n      \"External id\": {},      \"queued\": 0, "
        "\"device\": 0, \"context\": 1,      \"stream\": 7, \"correlation\": {},      \"registers per "
        "thread\": 30,      \"shared memory\": 0,      \"blocks per SM\": 5.300000,      \"warps per SM\": "
        "21.200001,      \"grid\": [{}, 106, 1],      \"block\": [128, 1, 1],      \"est. achieved occupancy "
        "%\": 33\n    }}\n  }},\n",
        kKernels[static_cast<std::size_t>(i) % kKernels.size()], time(15'000), i % 991, i + 1, correlation, i % 40 + 1);
    fmt::format_to(out,
                   "  {{\n    \"ph\": \"f\", \"id\": {0}, \"pid\": 0, \"tid\": 7, \"ts\": {1},\n    \"cat\": "
                   "\"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  }},\n",
                   correlation, time(15'000));
    events_ += kEventsPerLaunch;
    if (i % 10 != 0) return;
    fmt::format_to(out,
                   "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaStreamSynchronize\", \"pid\": "
                   "1102, \"tid\": 1102,\n    \"ts\": {}, \"dur\": 7.{:03},\n    \"args\": {{\n      \"External id\": "
                   "{},      \"cbid\": 131, \"correlation\": {}\n    }}\n  }},\n",
                   time(21'000), i % 983, i + 1, correlation + 1);
    ++events_;
  }

  const bool details_;
  const int frames_;
  std::filesystem::path path_;
  std::uint64_t events_ = 0;
};

/// All of a file, decompressed, in memory that was there before: the other side need not be charged for that.
class WholeFile {
 public:
  std::string_view read(const std::filesystem::path& path) {
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);  // also plain ones
    if (!file) throw std::runtime_error("the file cannot be read");
    gzbuffer(file.get(), 256 * 1024);
    std::size_t size = 0;
    for (;;) {
      if (bytes_.size() < size + kPiece + simdjson::SIMDJSON_PADDING) {
        bytes_.resize(2 * bytes_.size() + kPiece + simdjson::SIMDJSON_PADDING);
      }
      const int got = gzread(file.get(), bytes_.data() + size, kPiece);
      if (got < 0) throw std::runtime_error("the file cannot be read");
      if (got == 0) return {bytes_.data(), size};
      size += static_cast<std::size_t>(got);
    }
  }
  std::size_t capacity() const { return bytes_.size(); }

 private:
  static constexpr unsigned kPiece = 1 << 20;
  std::vector<char> bytes_;
};

/// Only parses what a timeline needs of every event.
std::uint64_t parse_on_demand(simdjson::ondemand::parser& parser, std::string_view json, std::size_t capacity) {
  using namespace simdjson;
  std::uint64_t events = 0;
  ondemand::document document = parser.iterate(json.data(), json.size(), capacity);
  for (ondemand::object event : document["traceEvents"].get_array()) {
    bool interval = false;
    for (ondemand::field field : event) {
      const std::string_view key = field.unescaped_key();
      ondemand::value value = field.value();
      if (key == "ph") {
        interval = std::string_view(value.get_string()) == "X";
      } else if (key == "cat" || key == "name") {
        benchmark::DoNotOptimize(std::string_view(value.get_string()));
      } else if (key == "pid" || key == "tid") {
        benchmark::DoNotOptimize(std::int64_t(value.get_int64()));
      } else if (key == "ts" || key == "dur") {
        benchmark::DoNotOptimize(double(value.get_double()));
      } else if (key == "args") {
        for (ondemand::field argument : value.get_object()) {
          std::string_view name = argument.unescaped_key();
          ondemand::value of = argument.value();
          if (of.type() == ondemand::json_type::number) {
            benchmark::DoNotOptimize(double(of.get_double()));
          } else if (of.type() == ondemand::json_type::string) {
            benchmark::DoNotOptimize(std::string_view(of.get_string()));
          } else {
            for (ondemand::value element : of.get_array()) benchmark::DoNotOptimize(double(element.get_double()));
          }
          benchmark::DoNotOptimize(name);
        }
      }
    }
    events += interval ? 1 : 0;
  }
  return events;
}

/// Of measurements that were made in turns, because others use the machine, too.
double median_ratio(std::vector<double> values, const std::vector<double>& by) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= by[i];
  return median(std::move(values));
}

std::vector<std::unique_ptr<ProfilerFile>> all_ranks() {
  std::vector<std::unique_ptr<ProfilerFile>> files;
  for (int rank = 0; rank < kRanks; ++rank)
    files.push_back(std::make_unique<ProfilerFile>(kOfARank, Form::Short, rank));
  return files;
}

/// The peak while a child opens it, whose memory nothing has used before.
double peak_of(const std::filesystem::path& path) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const PeakMemory peak;
    const io::OpenedTrace opened = io::read_trace(path);
    const double bytes = peak.bytes();
    _exit(write(ends[1], &bytes, sizeof(bytes)) == sizeof(bytes) ? 0 : 1);
  }
  close(ends[1]);
  double bytes = 0;
  const bool told = child > 0 && read(ends[0], &bytes, sizeof(bytes)) == sizeof(bytes);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!told) throw std::runtime_error("the file could not be opened in a child");
  return bytes;
}

struct Measured {
  double plain = 0, packed = 0;            ///< CPU time of all threads / that of simdjson
  double plain_wall = 0, packed_wall = 0;  ///< the same in elapsed time; means little while others use the machine
  double ns_per_event = 0, gb_per_s = 0, on_demand_gb_per_s = 0;
  double peak_bytes_per_event = 0, peak_with_analysis = 0;
  double stacks = 0, stacks_wall = 0, stacks_gb = 0, stacks_bytes_per_event = 0;  ///< as `plain`, and the peak
  double ranks = 0, ranks_bytes_per_event = 0;  ///< CPU time of all threads / that of one file with the same events
};

const Measured& measured() {
  static const Measured once = [] {
    Measured result;
    {
      const ProfilerFile deep(kWithStacks, Form::Stacks);
      result.stacks_bytes_per_event = peak_of(deep.path()) / static_cast<double>(deep.events());
    }
    {
      const std::vector<std::unique_ptr<ProfilerFile>> files = all_ranks();
      result.ranks_bytes_per_event = peak_of(ProfilerFile::folder()) / (1.0 * kRanks * kOfARank * kEventsPerLaunch);
    }
    {
      const ProfilerFile large(kManyLaunches, Form::Short);
      const auto events = static_cast<double>(large.events());
      const PeakMemory peak;
      const io::OpenedTrace opened = io::read_trace(large.path());
      result.peak_bytes_per_event = peak.bytes() / events;
      analysis::LiveAnalysis analysis(*opened.trace);
      analysis.update(std::numeric_limits<trace::Nanoseconds>::max());
      analysis.finish();
      result.peak_with_analysis = peak.bytes() / events;
      if (opened.events_read != large.events()) throw std::runtime_error("events are missing");
    }
    const ProfilerFile file(kLaunches, Form::Details);
    WholeFile whole;
    simdjson::ondemand::parser parser;
    const auto compare = [&](const ProfilerFile& file, const std::filesystem::path& path, double& ratio,
                             double& wall_ratio, int rounds = kRounds) {
      std::vector<double> ours, theirs, ours_wall, theirs_wall;
      for (int round = 0; round < rounds; ++round) {
        Clock::time_point begun_wall = Clock::now();
        double begun = process_s();
        const std::string_view json = whole.read(path);
        if (parse_on_demand(parser, json, whole.capacity()) != file.events()) {
          throw std::runtime_error("simdjson has other events");
        }
        theirs.push_back(process_s() - begun);
        theirs_wall.push_back(seconds_since(begun_wall));
        begun_wall = Clock::now();
        begun = process_s();
        const io::OpenedTrace opened = io::read_trace(path);
        ours.push_back(process_s() - begun);
        ours_wall.push_back(seconds_since(begun_wall));
        if (opened.events_read != file.events()) throw std::runtime_error("events are missing");
      }
      ratio = median_ratio(ours, theirs);
      wall_ratio = median_ratio(ours_wall, theirs_wall);
      const auto gb = static_cast<double>(std::filesystem::file_size(file.path())) * 1e-9;
      result.ns_per_event = median(ours) * 1e9 / static_cast<double>(file.events());
      result.gb_per_s = gb / median(ours);
      result.on_demand_gb_per_s = gb / median(theirs);
      std::fprintf(stderr, "%s: ours %.3f s (%.0f ns per event), simdjson %.3f s, elapsed %.3f and %.3f s\n",
                   path.extension().c_str(), median(ours), result.ns_per_event, median(theirs), median(ours_wall),
                   median(theirs_wall));
    };
    compare(file, file.packed_path(), result.packed, result.packed_wall);
    compare(file, file.path(), result.plain, result.plain_wall);
    {
      const ProfilerFile deep(kWithStacks, Form::Stacks);
      result.stacks_gb = static_cast<double>(std::filesystem::file_size(deep.path())) * 1e-9;
      compare(deep, deep.path(), result.stacks, result.stacks_wall, kStackRounds);
    }
    const auto cpu_s = [](const std::filesystem::path& path) {
      const double begun = process_s();
      const io::OpenedTrace opened = io::read_trace(path);
      return process_s() - begun;
    };
    std::vector<double> ranks, one;
    for (int round = 0; round < kStackRounds; ++round) {
      {
        const ProfilerFile all(kRanks * kOfARank, Form::Short);
        one.push_back(cpu_s(all.path()));
      }
      const std::vector<std::unique_ptr<ProfilerFile>> files = all_ranks();
      ranks.push_back(cpu_s(ProfilerFile::folder()));
    }
    result.ranks = median_ratio(ranks, one);
    return result;
  }();
  return once;
}

void packed(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["elapsed"] = measured().packed_wall;
    at_most(state, measured().packed, 2);
  }
}
BENCHMARK(packed)->Name("opening .json.gz / inflating it and simdjson on demand, CPU time")->Iterations(1);

void plain(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["elapsed"] = measured().plain_wall;
    state.counters["ns_per_event"] = measured().ns_per_event;
    state.counters["gb_per_s"] = measured().gb_per_s;
    state.counters["on_demand_gb_per_s"] = measured().on_demand_gb_per_s;
    at_most(state, measured().plain, 2);
  }
}
BENCHMARK(plain)->Name("opening .json / simdjson on demand, CPU time")->Iterations(1);

void memory(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["with_analysis"] = measured().peak_with_analysis;
    at_most(state, measured().peak_bytes_per_event, 45);
  }
}
BENCHMARK(memory)->Name("opening .json: bytes per event at the peak")->Iterations(1);

void stacks(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["gb"] = measured().stacks_gb;
    state.counters["elapsed"] = measured().stacks_wall;
    state.counters["bytes_per_event"] = measured().stacks_bytes_per_event;
    at_most(state, measured().stacks, 2);
  }
}
BENCHMARK(stacks)->Name("opening 1 GB of .json with deep stacks / simdjson on demand, CPU time")->Iterations(1);

void ranks(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["bytes_per_event"] = measured().ranks_bytes_per_event;
    at_most(state, measured().ranks, 2);
  }
}
BENCHMARK(ranks)->Name("opening 64 ranks at once / one file with as many events, CPU time")->Iterations(1);

}  // namespace
}  // namespace lanescope::bench
