// Completion in shells, and the page for man: written from the options, so they know all of them.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Completions : public ProgramTest {
 protected:
  std::string said(const std::vector<std::string>& arguments) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
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
    std::ofstream(folder_ / "completions") << said({"--completions", "bash"});
    std::istringstream lines(shell("bash --norc -c '. " + (folder_ / "completions").string() + "; COMP_WORDS=(" +
                                   words +
                                   "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _lanescope; "
                                   "printf \"%s\\n\" \"${COMPREPLY[@]}\"'"));
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
  }
};

TEST_F(Completions, BashKnowsCommandsOptionsAndValues) {
  EXPECT_THAT(proposed("lanescope \"\""), AllOf(Contains("run"), Contains("attach"), Not(Contains("predict-check"))));
  EXPECT_EQ(proposed("lanescope comp"), std::vector<std::string>{"compare"});
  EXPECT_EQ(proposed("lanescope run --iter"), std::vector<std::string>{"--iterations"});
  EXPECT_EQ(proposed("lanescope run --workload iris"), std::vector<std::string>{"iris-mlp"});
  EXPECT_THAT(proposed("lanescope run --device \"\""),
              AllOf(Contains("auto"), Contains("sim:rtx4090"), Contains("cpu")));
  EXPECT_THAT(proposed("lanescope sweep --experiment P0"), Contains("P05"));
  EXPECT_THAT(proposed("lanescope list \"\""), AllOf(Contains("settings"), Not(Contains("run"))));
  EXPECT_EQ(proposed("lanescope attach --level wa"), std::vector<std::string>{"waits"});
  EXPECT_EQ(proposed("lanescope run --iterations \"\""), std::vector<std::string>{""})
      << "a number: nothing to propose";
  std::ofstream(folder_ / "mine.lanescope") << "x";
  EXPECT_THAT(proposed("lanescope report " + (folder_ / "mi").string()),
              Contains((folder_ / "mine.lanescope").string()));
}

TEST_F(Completions, OtherShellsHaveTheirOwn) {
  const std::string zsh = said({"--completions", "zsh"});
  EXPECT_THAT(zsh, HasSubstr("#compdef lanescope\n"));
  EXPECT_THAT(zsh, HasSubstr("'--workload["));
  EXPECT_THAT(zsh, HasSubstr("sim\\:rtx4090"));
  const std::string fish = said({"--completions", "fish"});
  EXPECT_THAT(fish, HasSubstr("complete -c lanescope -n '__fish_seen_subcommand_from run' -l workload -x -a '"));
  const Outcome other = run({"--completions", "csh"});
  expect_complaint(other, 2, {"csh", "bash, zsh, fish"});
}

TEST_F(Completions, ThePageForManHasEveryCommandAndOption) {
  const std::string page = said({"--man"});
  EXPECT_THAT(page, HasSubstr(".TH LANESCOPE 1 \"\" \"lanescope 0.1.0\"\n"));
  EXPECT_THAT(page, HasSubstr(".SS lanescope compare\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-iterations\\fR \\fIN\\fR\n"));
  EXPECT_THAT(page, HasSubstr("LANESCOPE_CRASH_REPORTS"));
  EXPECT_EQ(page.find("predict\\-check"), std::string::npos) << "for developers, not in the help either";
  const std::size_t status = page.find("Exit status: 0 done");
  EXPECT_EQ(page.find("Exit status: 0 done", status + 1), std::string::npos) << "said of every command";
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('.')) continue;
    EXPECT_THAT(line, testing::MatchesRegex("\\.(TH|SH|SS|TP|PP|nf|fi|br)( .*)?"));
  }
}

}  // namespace
}  // namespace lanescope::app::test
