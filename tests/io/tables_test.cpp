// A trace as tables.
#include "io/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>

#include "analysis/builders.h"
#include "scratch.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Times in microseconds, on one GPU:
//
//   calls    launch [0,10)  copy [10,160)                     launch [200,210)
//   kernels          gemm [20,120)                                      =gemm [220,300)
//   d2h                          copy [120,140)
//
// The copy's call costs 5, waits until 120, is copied until 140, and returns 20 later. The GPU is idle until its first
// kernel, and from 140 to 220: 20 until the call returns, 40 of the program's own, 20 until the launch arrives.
class Tables : public Scratch {
 protected:
  Tables() {
    const LaneId calls = trace_.add_lane(cpu_lane(LaneKind::Calls, "CUDA calls", 9));
    LaneInfo kernels = gpu_lane(LaneKind::Kernels, "kernels"), copies = gpu_lane(LaneKind::CopyD2H, "copies");
    kernels.pid = copies.pid = 9;
    const LaneId kernel_lane = trace_.add_lane(kernels), copy_lane = trace_.add_lane(copies);
    const auto call = [&](const char* name, std::int64_t start, std::int64_t end, std::uint32_t correlation) {
      return make_event(trace_, calls, EventKind::Call, name, start * 1000, end * 1000, correlation);
    };
    Event launch = call("cudaLaunchKernel", 0, 10, 1);
    launch.flags = trace::kLaunchFlag;
    trace_.append(launch);
    Event read = call("cudaMemcpy", 10, 160, 2);
    trace::set_parts(read, {5'000, 0, 20'000, 20'000});
    read.flags |= trace::kSyncFlag | trace::kLaunchFlag;
    trace_.append(read);
    launch = call("cudaLaunchKernel", 200, 210, 3);
    launch.flags = trace::kLaunchFlag;
    trace_.append(launch);
    trace_.append(make_event(trace_, kernel_lane, EventKind::Kernel, "gemm", 20'000, 120'000, 1));
    trace_.append(make_event(trace_, kernel_lane, EventKind::Kernel, "=gemm", 220'000, 300'000, 3));
    Event copy = make_event(trace_, copy_lane, EventKind::Copy, "Memcpy DtoH", 120'000, 140'000, 2);
    trace::set_bytes(copy, 5'000'000'000);
    trace::set_copy_traits(
        copy, {trace::CopyDirection::DeviceToHost, trace::MemoryKind::Device, trace::MemoryKind::Pageable, false});
    trace_.append(copy);
    trace_.publish();
    const auto name = [&](const char* text) { return trace_.names().intern(text); };
    const trace::Frame library{name("torch/nn.py"), name("forward"), 99}, own{name("train.py"), name("main"), 7};
    const trace::Frame both[] = {library, own};
    trace_.sites().note(calls, 0, trace_.sites().intern(both, 1));
    const trace::Frame item{name("train.py"), name("main"), 8};
    trace_.sites().note(calls, 10'000, trace_.sites().intern({&item, 1}, 0));
    facts_.program = "train.py";
    facts_.device_name = "a GPU";
  }
  void write(TableSink& sink) { write_tables(sink, trace_, analysis_test::Finished(trace_), facts_); }
  std::string text_of(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  trace::Trace trace_;
  RunFacts facts_;
};

TEST_F(Tables, AsFilesOfValuesSeparatedByCommas) {
  const auto sink = csv_tables(folder_ / "tables");
  write(*sink);
  EXPECT_THAT(text_of("tables/events.csv"), IsEmpty()) << "not before all of them are complete";
  sink->commit();
  EXPECT_EQ(text_of("tables/lanes.csv"),
            "lane,kind,name,host,process,pid,thread,tid,gpu,device,stream\r\n"
            "0,calls,CUDA calls,,lanescope,9,,,,,\r\n"
            "1,kernels,kernels,,,9,,,0,0,7\r\n"
            "2,copies_d2h,copies,,,9,,,0,0,7\r\n");
  // A spreadsheet would calculate "=gemm".
  EXPECT_EQ(text_of("tables/events.csv"),
            "event,lane,kind,name,start_ns,end_ns,correlation,launched_by,bytes,direction,source,destination,iteration,"
            "value,file,line,function\r\n"
            "1,0,call,cudaLaunchKernel,0,10000,1,,,,,,,,train.py,7,main\r\n"
            "2,0,call,cudaMemcpy,10000,160000,2,,,,,,,,train.py,8,main\r\n"
            "3,0,call,cudaLaunchKernel,200000,210000,3,,,,,,,,,,\r\n"
            "4,1,kernel,gemm,20000,120000,1,1,,,,,,,train.py,7,main\r\n"
            "5,1,kernel,'=gemm,220000,300000,3,3,,,,,,,,,\r\n"
            "6,2,copy,Memcpy DtoH,120000,140000,2,2,5000000000,device-to-host,device,pageable,,,train.py,8,main\r\n");
  EXPECT_EQ(
      text_of("tables/waits.csv"),
      "event,lane,name,start_ns,end_ns,own_ns,waiting_ns,copying_ns,returning_ns,waited_for,file,line,function\r\n"
      "2,0,cudaMemcpy,10000,160000,5000,105000,20000,20000,6,train.py,8,main\r\n");
  EXPECT_EQ(text_of("tables/bubbles.csv"),
            "gpu,start_ns,end_ns,cause,call,range,wake_ns,cpu_ns,launch_ns,file,line,function\r\n"
            "0,0,20000,start_or_end,,,0,0,0,,,\r\n"
            "0,140000,220000,after_sync,cudaMemcpy,,20000,40000,20000,train.py,8,main\r\n");
  EXPECT_THAT(text_of("tables/about.csv"), HasSubstr("program,train.py\r\n"));
}

TEST_F(Tables, AsADatabase) {
  const std::filesystem::path path = folder_ / "t.db";
  const auto sink = sqlite_tables(path);
  write(*sink);
  EXPECT_FALSE(std::filesystem::exists(path)) << "not before it is complete";
  sink->commit();
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto ask = [&](const char* question) {
    std::vector<std::string> rows;
    const auto take = [](void* to, int columns, char** values, char**) {
      std::string row;
      for (int c = 0; c < columns; ++c) row += (c > 0 ? "|" : "") + std::string(values[c] ? values[c] : "NULL");
      static_cast<std::vector<std::string>*>(to)->push_back(row);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, question, take, &rows, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    return rows;
  };
  EXPECT_THAT(ask("pragma integrity_check"), ElementsAre("ok"));
  EXPECT_THAT(ask("pragma user_version"), ElementsAre("1"));
  EXPECT_THAT(ask("select name from sqlite_master where type = 'table'"),
              UnorderedElementsAre("about", "lanes", "events", "waits", "bubbles"));
  EXPECT_THAT(ask("select file, line, sum(waiting_ns) from waits group by 1, 2"), ElementsAre("train.py|8|105000"));
  EXPECT_THAT(ask("select cause, sum(end_ns - start_ns) from bubbles group by 1"),
              ElementsAre("after_sync|80000", "start_or_end|20000"));
  EXPECT_THAT(ask("select k.name, c.name, c.line, c.correlation from events k join events c on k.launched_by = c.event "
                  "order by k.event"),
              ElementsAre("gemm|cudaLaunchKernel|7|1", "=gemm|cudaLaunchKernel|NULL|3", "Memcpy DtoH|cudaMemcpy|8|2"));
  EXPECT_THAT(ask("select typeof(bytes), bytes from events where event = 6"), ElementsAre("integer|5000000000"));
  sqlite3_close(database);
}

TEST_F(Tables, WhatIsNotCommittedLeavesNothing) {
  std::ofstream(folder_ / "t.db") << "mine";
  {
    const auto files = csv_tables(folder_ / "tables");
    const auto database = sqlite_tables(folder_ / "t.db");
    write(*files);
    write(*database);
  }
  EXPECT_EQ(text_of("t.db"), "mine");
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    left.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(left, ElementsAre("t.db"));
}

TEST_F(Tables, WhereNothingCanBeWrittenThatIsSaid) {
  std::ofstream(folder_ / "taken") << "mine";
  for (const std::filesystem::path& path : {folder_ / "taken", folder_ / "no" / "folder"}) {
    EXPECT_THAT(error_of([&] { csv_tables(path); }),
                HasSubstr(path.string() + ": the folder for the tables cannot be made: "));
  }
  EXPECT_THAT(error_of([&] { sqlite_tables(folder_ / "no" / "t.db"); }),
              HasSubstr("t.db: the tables cannot be written: "));
}

TEST_F(Tables, AnyTraceCanBeWritten) {
  fill_randomly(trace_, 5, 50);
  const auto files = csv_tables(folder_ / "tables");
  const auto database = sqlite_tables(folder_ / "t.db");
  write(*files);
  write(*database);
  files->commit();
  database->commit();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "t.db"));
}

}  // namespace
}  // namespace lanescope::io
