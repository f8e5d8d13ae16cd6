// The file as other tools see it: parsed by a separate JSON parser, and byte for byte for one small trace.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "io/trace_file.h"
#include "scratch.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using nlohmann::json;

class ChromeWriteTest : public Scratch {
 protected:
  // One iteration: a launch, a kernel, and a read of the loss that waits for it. All on process and thread 0, as the
  // simulated device records them.
  ChromeWriteTest() {
    const LaneId calls = trace_.add_lane(cpu_lane(LaneKind::Calls, "CUDA calls"));
    const LaneId iterations = trace_.add_lane(cpu_lane(LaneKind::Iterations, "iteration"));
    const LaneId phases = trace_.add_lane(cpu_lane(LaneKind::Phases, "phase"));
    const LaneId kernels = trace_.add_lane(gpu_lane(LaneKind::Kernels, "kernels", 0, 0));
    const LaneId d2h = trace_.add_lane(gpu_lane(LaneKind::CopyD2H, "D2H", 0, 0));
    const LaneId markers = trace_.add_lane(cpu_lane(LaneKind::Markers, "settings"));
    const LaneId losses = trace_.add_lane(cpu_lane(LaneKind::Counter, "loss"));
    Event iteration = make_event(trace_, iterations, EventKind::Range, "iteration", 0, 100'000);
    iteration.a = 12;
    trace_.append(iteration);
    trace_.append(make_event(trace_, phases, EventKind::Range, "forward", 0, 10'000));
    Event launch = make_event(trace_, calls, EventKind::Call, "cudaLaunchKernel", 1'000, 5'500, 41);
    launch.flags = trace::kLaunchFlag;
    trace_.append(launch);
    trace_.append(make_event(trace_, kernels, EventKind::Kernel, "linear_forward", 7'001, 60'000, 41));
    Event copy = make_event(trace_, d2h, EventKind::Copy, "Memcpy DtoH (Device -> Pinned)", 60'000, 62'000, 42);
    trace::set_bytes(copy, 4'000);
    trace::set_copy_traits(
        copy, {trace::CopyDirection::DeviceToHost, trace::MemoryKind::Device, trace::MemoryKind::Pinned, true});
    trace_.append(copy);
    Event sync = make_event(trace_, calls, EventKind::Call, "cudaStreamSynchronize", 20'000, 70'000, 43);
    sync.flags = trace::kSyncFlag;
    trace::set_parts(sync, {500, 0, 0, 8'000});
    trace_.append(sync);
    Event turned = make_event(trace_, markers, EventKind::Marker, "log interval 1 → 100", 80'000, 80'000);
    base::NameTable& names = trace_.names();
    trace::set_change(turned, {3, names.intern("log_interval"), names.intern("1"), names.intern("100")});
    trace_.append(turned);
    Event read = make_event(trace_, phases, EventKind::Range, "item()", 85'000, 86'000);
    trace::set_range_kind(read, trace::RangeKind::Read);
    trace_.append(read);
    Event loss = make_event(trace_, losses, EventKind::Counter, "loss", 90'000, 90'000);
    trace::set_value(loss, 0.0625);
    trace_.append(loss);
    trace_.publish();
    facts_.device_name = "Teaching GPU";
    facts_.simulated = true;
    write_chrome_trace(file("a.json"), trace_, facts_);
    document_ = json::parse(read_bytes(file("a.json")));
  }

  trace::Trace trace_;
  RunFacts facts_;
  json document_;
};

TEST_F(ChromeWriteTest, EventsAreWrittenByteForByte) {
  const std::string text = read_bytes(file("a.json"));
  for (
      const char* line :
      {R"j({"ph":"X","cat":"user_annotation","name":"ProfilerStep#12","label":"iteration","pid":1000,"tid":1000,"ts":0.000,"dur":100.000,"lane":1,"args":{"index":12}})j",
       R"j({"ph":"X","cat":"user_annotation","name":"forward","pid":1000,"tid":1000,"ts":0.000,"dur":10.000,"lane":2,"args":{}})j",
       R"j({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1000,"tid":1000,"ts":1.000,"dur":4.500,"lane":0,"args":{"External id":41,"correlation":41,"cbid":211,"flags":4}})j",
       R"j({"ph":"s","id":41,"cat":"ac2g","name":"ac2g","pid":1000,"tid":1000,"ts":1.000})j",
       R"j({"ph":"X","cat":"kernel","name":"linear_forward","pid":0,"tid":7,"ts":7.001,"dur":52.999,"lane":3,"args":{"External id":41,"device":0,"stream":7,"correlation":41}})j",
       R"j({"ph":"f","bp":"e","id":41,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":7.001})j",
       // 4,000 bytes in 2,000 ns are 2 GB/s.
       R"j({"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Pinned)","pid":0,"tid":7,"ts":60.000,"dur":2.000,"lane":4,"args":{"External id":42,"device":0,"stream":7,"correlation":42,"bytes":4000,"memory bandwidth (GB/s)":2,"flags":109}})j",
       // 50,000 ns, of which 500 are own cost and 8,000 return: 41,500 of waiting.
       R"j({"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":1000,"tid":1000,"ts":20.000,"dur":50.000,"lane":0,"args":{"External id":43,"correlation":43,"cbid":131,"own_ns":500,"waiting_ns":41500,"copying_ns":0,"returning_ns":8000,"flags":3}})j",
       R"j({"ph":"i","s":"p","cat":"marker","name":"log interval 1 → 100","pid":1000,"tid":1000,"ts":80.000,"lane":5,"args":{"marker":"setting","version":3,"key":"log_interval","before":"1","now":"100"}})j",
       R"j({"ph":"X","cat":"user_annotation","name":"item()","pid":1000,"tid":1000,"ts":85.000,"dur":1.000,"lane":2,"args":{"range":"read"}})j",
       R"j({"ph":"C","cat":"counter","name":"loss","pid":1000,"tid":1000,"ts":90.000,"lane":6,"args":{"value":0.0625}})j"}) {
    EXPECT_THAT(text, testing::HasSubstr(line));
  }
}

TEST_F(ChromeWriteTest, ASynchronisationIsNeverABarOnAGpuLane) {
  for (const json& e : document_["traceEvents"]) {
    EXPECT_NE(e.value("cat", ""), "cuda_sync");
    if (e["ph"] != "X" || e["pid"] != 0) continue;
    EXPECT_TRUE(e["cat"] == "kernel" || e["cat"] == "gpu_memcpy") << e;
  }
}

TEST_F(ChromeWriteTest, OuterEventsStandBeforeInnerOnesThatStartWithThem) {
  const std::string text = read_bytes(file("a.json"));
  EXPECT_LT(text.find("\"ProfilerStep#12\""), text.find("\"name\":\"forward\""));
  EXPECT_LT(text.find("\"name\":\"forward\""), text.find("\"cat\":\"cuda_runtime\""));
}

TEST_F(ChromeWriteTest, ArrowsGoOnlyWhereBothEndsAre) {
  std::multiset<std::string> flows;
  for (const json& e : document_["traceEvents"]) {
    if (e.value("cat", "") == "ac2g") flows.insert(e["ph"].get<std::string>() + e["id"].dump());
  }
  EXPECT_THAT(flows, testing::ElementsAre("f41", "s41"));  // the copy's and the synchronisation's partners are missing
}

TEST_F(ChromeWriteTest, ViewersShowTheProgramAboveTheGpuWithNames) {
  std::map<std::string, json> meta;
  for (const json& e : document_["traceEvents"]) {
    if (e["ph"] == "M") {
      meta[e["name"].get<std::string>() + " " + e["pid"].dump() + " " + e["tid"].dump()] = e["args"].begin().value();
    }
  }
  EXPECT_EQ(meta["process_name 1000 0"], "lanescope");
  EXPECT_EQ(meta["process_labels 1000 0"], "CPU");
  EXPECT_EQ(meta["process_name 0 0"], "GPU 0: Teaching GPU (simulated)");
  EXPECT_EQ(meta["process_labels 0 0"], "GPU 0, simulated");
  EXPECT_LT(meta["process_sort_index 1000 0"], meta["process_sort_index 0 0"]);
  EXPECT_EQ(meta["thread_name 0 7"], "stream 7");
  EXPECT_EQ(meta["thread_name 1000 1000"], "iteration, phase, CUDA calls, settings");
}

TEST_F(ChromeWriteTest, TheHeadSaysWhatItIs) {
  EXPECT_EQ(document_["schemaVersion"], 1);
  EXPECT_EQ(document_["displayTimeUnit"], "ns");
  const json& other = document_["otherData"];
  EXPECT_EQ(other["lanescope"], base::kVersion);
  EXPECT_EQ(other["simulated"], true);
  EXPECT_EQ(other["lanes"].size(), 7u);
  EXPECT_EQ(other["events"]["recorded"], 9);
  EXPECT_EQ(document_["deviceProperties"][0]["name"], "Teaching GPU (simulated)");
}

TEST_F(ChromeWriteTest, TheVersionIsTheProjects) {
  const std::string cmake = read_bytes(std::filesystem::path(LANESCOPE_SOURCE_DIR) / "CMakeLists.txt");
  EXPECT_THAT(cmake, testing::HasSubstr("VERSION " + std::string(base::kVersion) + " "));
}

TEST_F(ChromeWriteTest, TheGzipHeaderHasNoTimeAndNoName) {
  write_chrome_trace(file("a.json.gz"), trace_, facts_);
  const std::string bytes = read_bytes(file("a.json.gz"));
  EXPECT_EQ(bytes.substr(0, 4), std::string("\x1f\x8b\x08\x00", 4));  // deflate, no flags: so no name
  EXPECT_EQ(bytes.substr(4, 4), std::string(4, '\0'));                // the time
}

TEST_F(ChromeWriteTest, BrokenNamesStillGiveValidJson) {
  trace::Trace trace;
  fill_randomly(trace, 3, 50);
  write_chrome_trace(file("b.json"), trace, facts_);
  EXPECT_TRUE(json::accept(read_bytes(file("b.json"))));
}

TEST_F(ChromeWriteTest, CopiesWithNamesOfTheirOwnGetTheUsualOneToo) {
  trace::Trace trace;
  const LaneId lane = trace.add_lane(gpu_lane(LaneKind::CopyH2D, "H2D"));
  Event copy = make_event(trace, lane, EventKind::Copy, "batch", 0, 10);
  trace::set_copy_traits(
      copy, {trace::CopyDirection::HostToDevice, trace::MemoryKind::Pageable, trace::MemoryKind::Device, false});
  trace.append(copy);
  trace.append(make_event(trace, lane, EventKind::Memset, "clear", 20, 30));
  trace.publish();
  write_chrome_trace(file("c.json"), trace, {});
  const std::string text = read_bytes(file("c.json"));
  EXPECT_THAT(text, testing::HasSubstr(R"j("name":"Memcpy HtoD (Pageable -> Device)","label":"batch")j"));
  EXPECT_THAT(text, testing::HasSubstr(R"j("name":"Memset (Device)","label":"clear")j"));
}

}  // namespace
}  // namespace lanescope::io
