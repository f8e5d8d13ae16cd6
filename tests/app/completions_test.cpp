// Completion in bash: it knows all commands and options, since it asks the program.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using testing::AllOf;
using testing::Contains;

class Completions : public ProgramTest {
 protected:
  std::string shell(const std::string& command) {
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    std::array<char, 4096> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), n);
    EXPECT_EQ(pclose(pipe), 0) << command;
    return output;
  }
  /// What bash proposes after these words, of which the last one is being typed.
  std::vector<std::string> proposed(const std::string& words) {
    std::istringstream lines(shell("bash --norc -c '. " LANESCOPE_SOURCE_DIR "/packaging/lanescope.bash; COMP_WORDS=(" +
                                   words +
                                   "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _lanescope " LANESCOPE_BINARY "; "
                                   "printf \"%s\\n\" \"${COMPREPLY[@]}\"'"));
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
  }
};

TEST_F(Completions, BashKnowsCommandsOptionsAndValues) {
  EXPECT_THAT(proposed("lanescope \"\""), AllOf(Contains("run"), Contains("attach")));
  EXPECT_EQ(proposed("lanescope comp"), std::vector<std::string>{"compare"});
  EXPECT_EQ(proposed("lanescope run --iter"), std::vector<std::string>{"--iterations"});
  EXPECT_EQ(proposed("lanescope run --workload iris"), std::vector<std::string>{"iris-mlp"});
  EXPECT_THAT(proposed("lanescope run --device \"\""), AllOf(Contains("sim:rtx4090"), Contains("cpu")));
  EXPECT_THAT(proposed("lanescope sweep --experiment P0"), Contains("P05"));
  EXPECT_EQ(proposed("lanescope report my"), std::vector<std::string>{""}) << "bash adds the files";
}

}  // namespace
}  // namespace lanescope::app::test
