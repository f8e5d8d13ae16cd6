// Builds databases as Nsight Systems exports them, table by table, each test with the columns of the version it is
// about.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::io {

class NsysFile {
 public:
  explicit NsysFile(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::remove(path_);
    EXPECT_EQ(sqlite3_open(path_.c_str(), &handle_), SQLITE_OK);
    run("PRAGMA synchronous = OFF");
    run("BEGIN");
  }
  ~NsysFile() { close(); }
  NsysFile(const NsysFile&) = delete;
  NsysFile& operator=(const NsysFile&) = delete;

  void run(const std::string& sql) {
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << sql << ": " << error;
    sqlite3_free(error);
  }
  void table(const std::string& name, const std::string& columns, const std::vector<std::string>& rows = {}) {
    run("CREATE TABLE " + name + " (" + columns + ")");
    for (const std::string& values : rows) row(name, values);
  }
  /// `values`: as in SQL.
  void row(const std::string& table, const std::string& values) {
    run("INSERT INTO " + table + " VALUES (" + values + ")");
  }
  /// The id of a text in StringIds.
  std::string id(const std::string& text) {
    if (strings_.empty()) table("StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL");
    const auto [known, added] = strings_.try_emplace(text, static_cast<int>(strings_.size()) + 100);
    if (added) row("StringIds", std::to_string(known->second) + ", '" + text + "'");
    return std::to_string(known->second);
  }
  const std::filesystem::path& path() {
    close();
    return path_;
  }

  // The tables with the columns that all versions have; `more` are those that newer ones added.
  void calls() {
    table("CUPTI_ACTIVITY_KIND_RUNTIME",
          "start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT, "
          "callchainId INT");
  }
  void call(const std::string& name, std::int64_t start, std::int64_t end, int correlation, std::int64_t thread,
            int event_class = 0) {
    row("CUPTI_ACTIVITY_KIND_RUNTIME",
        numbers({start, end, event_class, thread, correlation}) + ", " + id(name) + ", 0, NULL");
  }
  void kernels(const std::string& more = "") {
    table("CUPTI_ACTIVITY_KIND_KERNEL",
          "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, "
          "demangledName INT, shortName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, blockX INT, "
          "blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT, graphNodeId INT" +
              more);
  }
  void kernel(const std::string& name, std::int64_t start, std::int64_t end, int correlation, std::int64_t process,
              int device = 0, int stream = 7, const std::string& node = "NULL", const std::string& more = "") {
    const std::string whole = id("void " + name + "<float>(float*)"), simple = id(name);
    row("CUPTI_ACTIVITY_KIND_KERNEL", numbers({start, end, device, 1, stream, correlation, process}) + ", " + whole +
                                          ", " + simple + ", 32, 200, 2, 1, 128, 1, 1, 16, 1024, " + node + more);
  }
  void copies(const std::string& more = "") {
    table("CUPTI_ACTIVITY_KIND_MEMCPY",
          "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, bytes INT, "
          "copyKind INT, srcKind INT, dstKind INT, graphNodeId INT" +
              more);
  }
  void syncs(const std::string& more = "") {
    table("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
          "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, syncType "
          "INT, "
          "eventId INT" +
              more);
  }
  void ranges() {
    table("NVTX_EVENTS",
          "start INT, end INT, eventType INT, rangeId INT, category INT, color INT, text TEXT, globalTid INT, "
          "endGlobalTid INT, textId INT, domainId INT");
  }
  /// `end`, `text` and `text_id` as in SQL.
  void range(std::int64_t start, const std::string& end, int type, const std::string& text, const std::string& text_id,
             std::int64_t thread) {
    row("NVTX_EVENTS", std::to_string(start) + ", " + end + ", " + std::to_string(type) + ", NULL, NULL, NULL, " +
                           text + ", " + std::to_string(thread) + ", NULL, " + text_id + ", 0");
  }
  void os_calls() {
    table("OSRT_API",
          "start INT, end INT, eventClass INT, globalTid INT, nameId INT, returnValue INT, callchainId INT");
  }

  static std::string numbers(std::initializer_list<std::int64_t> values) {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text;
  }

 private:
  void close() {
    if (handle_ == nullptr) return;
    run("COMMIT");
    sqlite3_close(handle_);
    handle_ = nullptr;
  }

  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
  std::map<std::string, int> strings_;
};

/// As in the files: process 111 of VM 1 is 1 << 48 | 111 << 24, and its thread 113 has the 113 besides.
constexpr std::int64_t process_in_vm(std::int64_t pid) { return std::int64_t{1} << 48 | pid << 24; }
constexpr std::int64_t thread_in_vm(std::int64_t pid, std::int64_t tid) { return process_in_vm(pid) | tid; }

}  // namespace lanescope::io
