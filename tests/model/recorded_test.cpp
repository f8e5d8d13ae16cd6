#include "model/source/recorded.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "io/scratch.h"
#include "io/trace_file.h"
#include "lanescope_captures.h"
#include "model/model.h"

namespace lanescope::ui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kIndex = R"(
[h200--linear-mse--log-1]
title = "NVIDIA H200, linear-mse, log interval 1"
summary = "Reads every loss."
[gone]
title = "a file that is not there"
)";

std::vector<std::string> names(const std::vector<RecordedCapture>& captures) {
  std::vector<std::string> found;
  for (const RecordedCapture& c : captures) found.push_back(c.name);
  return found;
}

std::string error_named(std::span<const RecordedCapture> captures, std::string_view name) {
  return refusal<base::UsageError>([&] { capture_named(captures, name); });
}

TEST(Recorded, TitlesComeFromTheIndexOrElseFromTheName) {
  const std::vector<captures::File> files{{"profiles/rtx4090.toml", "x"},
                                          {"captures.toml", kIndex},
                                          {"l4--iris-mlp--log-100.json.gz", "b"},
                                          {"h200--linear-mse--log-1.json.gz", "a"},
                                          {"notes.txt", "c"}};
  const auto captures = captures_among(files);
  ASSERT_THAT(names(captures), ElementsAre("h200--linear-mse--log-1", "l4--iris-mlp--log-100"));
  EXPECT_EQ(captures[0].title, "NVIDIA H200, linear-mse, log interval 1");
  EXPECT_EQ(captures[0].summary, "Reads every loss.");
  EXPECT_EQ(captures[0].bytes, "a");
  EXPECT_EQ(captures[1].title, "l4, iris-mlp, log-100");
  EXPECT_THAT(captures[1].summary, IsEmpty());
}

TEST(Recorded, AnEmptyFolderAndABrokenIndexAreNoTrouble) {
  EXPECT_THAT(captures_among({}), IsEmpty());
  const std::vector<captures::File> files{{"captures.toml", "[broken"}, {"a.json.gz", "a"}};
  EXPECT_THAT(names(captures_among(files)), ElementsAre("a"));
}

TEST(Recorded, AnUnknownNameIsAnsweredWithTheAllowedOnes) {
  const std::vector<captures::File> files{{"a.json.gz", "a"}, {"b.json.gz", "b"}};
  const auto captures = captures_among(files);
  EXPECT_EQ(capture_named(captures, "b").bytes, "b");
  EXPECT_EQ(error_named(captures, "c"), "'recorded:c' is unknown; allowed: recorded:a, recorded:b");
  EXPECT_EQ(error_named({}, "c"), "'recorded:c' is unknown; this program includes no recorded runs");
}

// Those that are in the program: the index knows each of them, and each can be opened and is of a real GPU.
TEST(Recorded, TheProgramsOwnAreInOrder) {
  const captures::File* index = captures::find("captures.toml");
  ASSERT_NE(index, nullptr);
  Model model;
  for (const RecordedCapture& capture : recorded_captures()) {
    EXPECT_THAT(std::string(index->text), HasSubstr("\n[" + capture.name + "]"));
    EXPECT_LE(capture.bytes.size(), 300'000u) << capture.name;
    model.show(read_recorded(capture));
    EXPECT_FALSE(model.simulated()) << capture.name;
    EXPECT_TRUE(model.source().own()) << capture.name;
    EXPECT_GT(model.analysis().records().size(), 0u) << capture.name;
  }
}

class RecordedModelTest : public io::Scratch {
 protected:
  RecordedCapture small_capture() {
    session::SessionOptions options;
    options.device = "sim:teaching";
    options.assignments = {"log_interval=7", "dispatch_us=3"};
    options.paced = false;
    options.iterations = 5;
    session::Session session(options);
    session.start();
    session.wait();
    trace::RunFacts facts;
    facts.workload = "linear-mse";
    facts.device = "cuda:0";
    facts.device_name = "NVIDIA H200";
    facts.settings = {{"log_interval", "7"}, {"dispatch_us", "3"}, {"unheard_of", "1"}, {"batch_size", "-4"}};
    io::write_chrome_trace(file("small.json.gz"), session.trace(), facts);
    bytes = io::read_bytes(file("small.json.gz"));
    return {"small", "NVIDIA H200, linear-mse", "", bytes};
  }
  std::string bytes;
};

TEST_F(RecordedModelTest, IsShownAsAFile) {
  Model model;
  model.show(read_recorded(small_capture()));
  EXPECT_FALSE(model.live());
  EXPECT_FALSE(model.simulated());
  EXPECT_EQ(model.title(), "NVIDIA H200, linear-mse");
  EXPECT_EQ(model.source().file(), std::nullopt) << "no marks are kept beside it";
  EXPECT_EQ(model.source().device().id, "recorded:small");
  EXPECT_EQ(model.source().device().name, "NVIDIA H200");
  EXPECT_EQ(model.analysis().records().size(), 5u);
  EXPECT_FALSE(model.notice().has_value());
  EXPECT_EQ(model.capture().counts.recorded, model.trace().counts().recorded);
}

// Another device chosen then runs what the recording shows, but for what it cost there, and for what makes no sense.
TEST_F(RecordedModelTest, ARunAfterItIsOfTheSameWorkloadAndSettings) {
  Model model;
  session::SessionOptions first;
  first.workload = "iris-mlp";
  first.device = "sim:rtx4090";
  first.assignments = {"log_interval=50"};
  first.speed = 0.01;
  model.set_first_options(first);
  model.show(read_recorded(small_capture()));
  const session::SessionOptions options = model.options_now();
  EXPECT_EQ(options.workload, "linear-mse");
  EXPECT_EQ(options.device, "sim:rtx4090");
  EXPECT_DOUBLE_EQ(options.speed, 0.01);
  EXPECT_THAT(options.assignments, ElementsAre("log_interval=7"));
}

TEST_F(RecordedModelTest, ABrokenOneChangesNothing) {
  Model model;
  model.show(read_recorded(small_capture()));
  const std::uint64_t before = model.generation();
  EXPECT_THAT(io::error_of([&] {
                model.show(read_recorded({"half", "half", "", bytes.substr(0, 100)}));
              }),
              HasSubstr("recorded:half"));
  EXPECT_EQ(model.generation(), before);
  EXPECT_EQ(model.source().device().id, "recorded:small");
}

}  // namespace
}  // namespace lanescope::ui
