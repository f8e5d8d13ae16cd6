#include "attach/recordings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "refusal.h"

namespace lanescope::attach {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Recording recording(pid_t recorder, const std::string& file, std::vector<std::string> words,
                    std::vector<std::string> names, std::vector<pid_t> processes) {
  return {recorder, file, std::move(words), std::move(names), std::move(processes)};
}

class FindRecording : public testing::Test {
 protected:
  const std::vector<Recording> all_{
      recording(10, "/data/monday.lanescope", {"python3", "src/train.py"}, {"train.py", "worker"}, {11, 12}),
      recording(20, "/data/tuesday.lanescope", {"python3", "eval.py"}, {"eval.py", "worker"}, {21, 22})};

  pid_t found(const std::string& wanted) const { return find_recording(all_, wanted).recorder; }
  std::string refused(const std::string& wanted) const {
    return refusal<base::UsageError>([&] { find_recording(all_, wanted); });
  }
};

TEST_F(FindRecording, ByNumberByNameAndByFile) {
  EXPECT_EQ(found("10"), 10);
  EXPECT_EQ(found("22"), 20);
  EXPECT_EQ(found("train.py"), 10);
  EXPECT_EQ(found("src/train.py"), 10);
  EXPECT_EQ(found("eval.py"), 20);
  EXPECT_EQ(found("tuesday"), 20);
  EXPECT_EQ(found("tuesday.lanescope"), 20);
  EXPECT_EQ(found("/data/monday.lanescope"), 10);
}

TEST_F(FindRecording, NoneAndSeveralAreAnsweredWithWhatThereIs) {
  EXPECT_THAT(refused("13"), AllOf(HasSubstr("'13' is not being recorded"), HasSubstr("10 (python3 src/train.py)"),
                                   HasSubstr("20 (python3 eval.py)")));
  EXPECT_THAT(refused("worker"), AllOf(HasSubstr("'worker' means several"), HasSubstr("10 ("), HasSubstr("20 (")));
  EXPECT_THAT(refused("python3"), HasSubstr("several"));
  EXPECT_THAT(refused(""), HasSubstr("is not being recorded"));
  EXPECT_THAT(refused("1x"), HasSubstr("is not being recorded"));
}

TEST(Recordings, AProcessLivesUntilItHasEnded) {
  EXPECT_TRUE(is_alive(::getpid()));
  EXPECT_TRUE(is_alive(1)) << "another user's";
  EXPECT_FALSE(is_alive(99'999'999));
}

}  // namespace
}  // namespace lanescope::attach
