// Files that are not all JSON: what killed programs leave, and what profilers write although JSON does not have it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "io/trace_file.h"
#include "opened.h"
#include "scratch.h"

namespace lanescope::io {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Three kernels, of 2 us each.
std::string kernel(int n, const std::string& name = "k", const std::string& more = "") {
  return R"({"ph":"X","cat":"kernel","name":")" + name + R"(","pid":0,"tid":7,"ts":)" + std::to_string(10 * n) +
         R"(,"dur":2,"args":{"correlation":)" + std::to_string(n) + more + "}}";
}
std::string events(const std::string& middle) { return kernel(1) + ",\n" + middle + ",\n" + kernel(3); }
OpenedTrace in_object(const std::string& middle) {
  return read_chrome_trace("{\"traceEvents\":[" + events(middle) + "]}", "memory");
}
std::vector<std::string> names_in(const OpenedTrace& opened) {
  std::vector<std::string> names;
  for (const NamedEvent& e : events_on(opened, LaneKind::Kernels)) names.push_back(e.name);
  return names;
}

// Chrome's form of an array needs no end; an object does.
TEST(DamagedTrace, AnArrayNeedNotEnd) {
  for (const char* end : {"", ",", ",\n", "]"}) {
    const OpenedTrace opened = read_chrome_trace("[" + events(kernel(2)) + end, "memory");
    EXPECT_EQ(opened.events_read, 3u) << end;
    EXPECT_THAT(opened.incomplete, IsEmpty()) << end;
  }
  const OpenedTrace cut = read_chrome_trace("[" + events(kernel(2)) + ",{\"ph\":\"X\",\"na", "memory");
  EXPECT_EQ(cut.events_read, 3u);
  EXPECT_THAT(cut.incomplete, HasSubstr("cut off at byte"));
  const OpenedTrace object = read_chrome_trace("{\"traceEvents\":[" + events(kernel(2)), "memory");
  EXPECT_EQ(object.events_read, 3u);
  EXPECT_THAT(object.incomplete, HasSubstr("cut off at byte"));
}

TEST(DamagedTrace, WhatCanBeInflatedIsRead) {
  std::string many = "[";
  for (int n = 1; n <= 5'000; ++n) many += kernel(n, "k" + std::to_string(n * 7919 % 5003)) + ",";
  const std::string gz = gzip(many + kernel(5'001) + "]");
  const OpenedTrace opened = read_chrome_trace(gz.substr(0, gz.size() / 2), "memory");
  EXPECT_GT(opened.events_read, 1'000u);
  EXPECT_LT(opened.events_read, 5'000u);
  EXPECT_THAT(opened.incomplete, HasSubstr("its compressed data ends too early"));
}

std::string zstd(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

// Two frames after each other are one text, as with gzip.
TEST(DamagedTrace, ZstandardIsOpenedLikeGzip) {
  const std::string text = "[" + events(kernel(2)) + "]";
  EXPECT_EQ(read_chrome_trace(zstd(text), "memory").events_read, 3u);
  EXPECT_EQ(read_chrome_trace(zstd(text.substr(0, 50)) + zstd(text.substr(50)), "memory").events_read, 3u);
  std::string many = "[";
  for (int n = 1; n <= 5'000; ++n) many += kernel(n, "k" + std::to_string(n * 7919 % 5003)) + ",";
  const std::string whole = zstd(many + kernel(5'001) + "]");
  const OpenedTrace cut = read_chrome_trace(whole.substr(0, whole.size() / 2), "memory");
  EXPECT_GT(cut.events_read, 500u);
  EXPECT_THAT(cut.incomplete, HasSubstr("its compressed data ends too early"));
}

// The archive of these files, as PKWARE's APPNOTE.TXT has it; without checksums, which nobody compares.
std::string zip(const std::vector<std::pair<std::string, std::string>>& files, bool deflated = true) {
  std::string archive, directory;
  const auto number = [](std::size_t value, int bytes) {
    std::string text;
    for (; bytes-- > 0; value >>= 8) text += static_cast<char>(value & 255);
    return text;
  };
  for (const auto& [name, bytes] : files) {
    std::string data = bytes;
    if (deflated) data = gzip(bytes), data = data.substr(10, data.size() - 18);  // without gzip's own header and end
    const std::string about = number(20, 2) + number(0, 2) + number(deflated ? 8 : 0, 2) + number(0, 8) +
                              number(data.size(), 4) + number(bytes.size(), 4) + number(name.size(), 2) + number(0, 2);
    directory += "PK\x01\x02" + number(20, 2) + about + number(0, 10) + number(archive.size(), 4) + name;
    archive += "PK\x03\x04" + about + name + data;
  }
  return archive + directory + "PK\x05\x06" + number(0, 4) + number(files.size(), 2) + number(files.size(), 2) +
         number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
}

TEST(DamagedTrace, AZipArchiveOfOneFileIsOpened) {
  const std::string text = "[" + events(kernel(2)) + "]";
  EXPECT_EQ(read_chrome_trace(zip({{"trace.json", text}}), "memory").events_read, 3u);
  EXPECT_EQ(read_chrome_trace(zip({{"trace.json", text}}, false), "memory").events_read, 3u);
  // As a Mac packs a folder.
  const std::string mac = zip({{"run/", ""}, {"run/trace.json", text}, {"__MACOSX/run/._trace.json", "x"}});
  EXPECT_EQ(read_chrome_trace(mac, "memory").events_read, 3u);
  std::string why;
  try {
    read_chrome_trace(zip({{"rank0.json", text}, {"rank1.json", text}}), "memory");
  } catch (const base::FileError& error) {
    why = error.what();
  }
  EXPECT_EQ(why, "memory: a ZIP archive of 2 files; unpack it, and open them");
  std::string many = "[";
  for (int n = 1; n <= 5'000; ++n) many += kernel(n, "k" + std::to_string(n * 7919 % 5003)) + ",";
  for (const bool deflated : {true, false}) {
    const std::string whole = zip({{"trace.json", many + kernel(5'001) + "]"}}, deflated);
    const OpenedTrace cut = read_chrome_trace(whole.substr(0, whole.size() / 2), "memory");
    EXPECT_GT(cut.events_read, 1'000u);
    EXPECT_THAT(cut.incomplete, HasSubstr("its compressed data ends too early"));
  }
}

TEST(DamagedTrace, NumbersThatAreNoneAreNoValues) {
  for (const char* number : {"inf", "-inf", "Infinity", "-Infinity", "NaN", "nan", "-nan(ind)", "1.#INF"}) {
    const OpenedTrace opened = in_object(kernel(2, "k", std::string(",\"memory bandwidth (GB/s)\":") + number));
    EXPECT_EQ(opened.events_read, 3u) << number;
    EXPECT_THAT(opened.incomplete, IsEmpty()) << number;
  }
}

TEST(DamagedTrace, TextsAreReadAsTheyAreMeant) {
  EXPECT_THAT(names_in(in_object(kernel(2, "two\nlines\x01"))), testing::ElementsAre("k", "two\nlines\x01", "k"));
  EXPECT_THAT(names_in(in_object(kernel(2, R"(C:\Work\new\train.py)"))),
              testing::ElementsAre("k", R"(C:\Work\new\train.py)", "k"));
  EXPECT_THAT(names_in(in_object(kernel(2, "caf\xE9"))), testing::ElementsAre("k", "caf\uFFFD", "k"));
  EXPECT_THAT(in_object(kernel(2, "two\nlines")).incomplete, HasSubstr("faults"));
}

// The second event has a quote within its name: it alone is left out.
TEST(DamagedTrace, OneDamagedEventIsLeftOut) {
  const OpenedTrace opened = in_object(kernel(2, "a \"quoted\" word"));
  EXPECT_EQ(opened.events_read, 2u);
  EXPECT_EQ(opened.events_malformed, 1u);
  EXPECT_THAT(opened.incomplete, HasSubstr("One event is damaged, at byte "));
}

// Times of 0 where the others are an hour after the clock's beginning; one that begins there in earnest stays.
TEST(DamagedTrace, TimesOfZeroAreNone) {
  const auto at = [](const std::string& ts) {
    return R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"dur":2,"ts":)" + ts + "}";
  };
  const OpenedTrace far =
      read_chrome_trace("[" + at("0") + "," + at("3600000000") + "," + at("3600000010") + "]", "memory");
  EXPECT_EQ(far.events_read, 2u);
  EXPECT_EQ(far.events_malformed, 1u);
  EXPECT_EQ(far.trace->extent().second, 12 * kUs);
  EXPECT_EQ(read_chrome_trace("[" + at("0") + "," + at("500000") + "]", "memory").events_read, 2u);
  EXPECT_EQ(read_chrome_trace("[" + at("0") + "," + at("2000000") + "," + at("9000000") + "]", "memory").events_read,
            3u);
}

}  // namespace
}  // namespace lanescope::io
