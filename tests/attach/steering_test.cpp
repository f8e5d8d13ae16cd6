// How a recording is steered while it goes on: messages, the recorder's socket, the viewer's side.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "attach/recorder_controls.h"
#include "attach/steered.h"
#include "attach/steering_link.h"
#include "attach/steering_messages.h"
#include "attach/steering_server.h"
#include "io/scratch.h"
#include "until.h"

namespace lanescope::attach {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;

constexpr LoopKey kBatches{2, 7, false, 41}, kEpochs{1, 7, false, 40};

AttachState of_two_loops() {
  AttachState state;
  state.started = true;
  ProcessState process;
  process.pid = 4711;
  process.name = "train.py";
  process.uses_gpu = true;
  process.state = wire::State::Watching;
  process.iterations = "train.py:41 for batch in loader";
  process.loops = {{kEpochs, "train.py:40 for epoch in range(9)", base::kSecond, 3, 0},
                   {kBatches, "train.py:41 for batch in loader", base::kMillisecond, 3000, 12}};
  state.processes = {process};
  state.remarks = {{"Something.", true}};
  return state;
}

SteeringChange everything() {
  SteeringChange change;
  change.level = wire::Level::Calls;
  change.share = 0.25;
  change.launch_lines = false;
  change.record = 30 * base::kSecond;
  change.loop = {4711, kBatches};
  return change;
}

// --- messages --------------------------------------------------------------------------------------------------------

TEST(SteeringMessages, ARequestArrivesAsItWasMeant) {
  for (const SteeringChange& sent : {SteeringChange{}, everything()}) {
    const std::string bytes = write_request(sent);
    EXPECT_EQ(bytes.size(), kSteeringRequestBytes);
    SteeringChange received;
    ASSERT_EQ(read_request(bytes, received), SteeringResult::Done);
    EXPECT_EQ(received, sent);
  }
  SteeringChange by_itself, received;
  by_itself.loop = {1, std::nullopt};
  ASSERT_EQ(read_request(write_request(by_itself), received), SteeringResult::Done);
  EXPECT_EQ(received, by_itself);
}

TEST(SteeringMessages, AnythingElseIsRefused) {
  const std::string whole = write_request(everything());
  SteeringChange change;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(read_request(std::string_view(whole).substr(0, size), change), SteeringResult::Refused) << size;
  }
  EXPECT_EQ(read_request(whole + "x", change), SteeringResult::Refused);
  const auto with = [&](std::size_t at, std::initializer_list<int> values) {
    std::string bytes = whole;
    for (const int value : values) bytes[at++] = static_cast<char>(value);
    return read_request(bytes, change);
  };
  EXPECT_EQ(with(0, {'X'}), SteeringResult::Refused);
  EXPECT_EQ(with(4, {2}), SteeringResult::OtherVersion);
  EXPECT_EQ(with(6, {0xFF, 0xFF}), SteeringResult::Refused) << "a change that is not known";
  EXPECT_EQ(with(8, {0}), SteeringResult::Refused) << "level off";
  EXPECT_EQ(with(8, {5}), SteeringResult::Refused);
  EXPECT_EQ(with(12, {0, 0, 0, 0}), SteeringResult::Refused) << "no share";
  EXPECT_EQ(with(12, {0xFF, 0xFF, 0xFF, 0x7F}), SteeringResult::Refused) << "more than everything";
  EXPECT_EQ(with(16, {2}), SteeringResult::Refused);
  EXPECT_EQ(with(31, {0x80}), SteeringResult::Refused) << "a time that has passed";
  EXPECT_EQ(with(31, {0x01}), SteeringResult::Refused) << "for years";
  EXPECT_EQ(with(32, {2}), SteeringResult::Refused);
  EXPECT_EQ(with(44, {2}), SteeringResult::Refused);
  EXPECT_EQ(change, SteeringChange{}) << "nothing of them is taken";
}

SteeringState state_of(const Steered& program) { return {program.intensity(), program.boosted_ns(), program.state()}; }

TEST(SteeringMessages, AnAnswerArrivesAsItWasMeant) {
  Steered program(of_two_loops());
  ASSERT_EQ(apply(program, everything()), SteeringResult::Done);
  const std::string bytes = write_answer(SteeringResult::Done, state_of(program));
  EXPECT_EQ(answer_bytes(bytes), bytes.size());
  const auto answer = read_answer(bytes);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->result, SteeringResult::Done);
  EXPECT_EQ(answer->state.intensity, (Intensity{wire::Level::Calls, 0.25, false}));
  EXPECT_EQ(answer->state.boosted_ns, 30 * base::kSecond);
  ASSERT_EQ(answer->state.program.processes.size(), 1u);
  const ProcessState& process = answer->state.program.processes[0];
  EXPECT_EQ(process.name, "train.py");
  EXPECT_EQ(process.chosen, kBatches);
  EXPECT_EQ(process.loops, program.state().processes[0].loops);
  EXPECT_EQ(answer->state.program.first_with_gpu()->iterations, "train.py:41 for batch in loader");
  EXPECT_THAT(answer->state.program.remarks, ElementsAre(Remark{"Something.", true}));
}

TEST(SteeringMessages, AnAnswerOfALargeJobIsCutToItsSize) {
  Steered program(of_two_loops());
  SteeringState state = state_of(program);
  ProcessState process = state.program.processes[0];
  std::string name;
  for (int i = 0; i < 100; ++i) name += "训";  // three bytes
  process.name = name;
  process.loops.resize(1000, process.loops[0]);
  state.program.processes.assign(1024, process);
  state.program.processes[0].uses_gpu = false;
  state.program.remarks.resize(100, {std::string(5000, 'x'), false});
  const std::string bytes = write_answer(SteeringResult::Done, state);
  EXPECT_THAT(bytes.size(), Le(kMostAnswerBytes));
  const auto answer = read_answer(bytes);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->state.program.processes.size(), kMostToldProcesses);
  EXPECT_TRUE(answer->state.program.processes[0].uses_gpu) << "those that use a GPU come first";
  EXPECT_EQ(answer->state.program.processes[0].name, name.substr(0, 93)) << "whole characters";
  EXPECT_FALSE(answer->state.program.processes.back().loops.empty());
}

TEST(SteeringMessages, NothingInAnAnswerIsTrusted) {
  const Steered program(of_two_loops());
  const std::string whole = write_answer(SteeringResult::Done, state_of(program));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_answer(std::string_view(whole).substr(0, size))) << size;
  }
  std::string other = whole;
  other[4] = 9;
  ASSERT_TRUE(read_answer(other));
  EXPECT_EQ(read_answer(other)->result, SteeringResult::OtherVersion);
  // Each byte, changed to each of these: it is read or refused, and nothing is reached beyond it.
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 0x7F, 0xFF}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(value);
      if (const auto answer = read_answer(bytes)) {
        EXPECT_LE(answer->state.program.processes.size(), kMostToldProcesses);
      }
    }
  }
}

TEST(SteeringMessages, TextsInAnAnswerAreOneLineOfUtf8) {
  SteeringState state;
  ProcessState process;
  process.name = "a\n\x1b[1m\xff";
  state.program.processes.push_back(process);
  state.program.remarks.push_back({"a\tb\x7f", false});
  const auto answer = read_answer(write_answer(SteeringResult::Done, state));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->state.program.processes.at(0).name, "a  [1m\xEF\xBF\xBD");
  EXPECT_EQ(answer->state.program.remarks.at(0).sentence, "a b ");
}

// --- the recorder's socket -------------------------------------------------------------------------------------------

class SteeringTest : public io::Scratch {
 protected:
  SteeringTest() { server_ = std::make_unique<SteeringServer>(program_, path()); }
  std::filesystem::path path() const { return folder_ / kSteeringSocket; }
  int connected() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string text = path().string();
    std::copy(text.begin(), text.end(), address.sun_path);
    const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return socket;
    ::close(socket);
    return -1;
  }
  static bool send(int socket, const std::string& bytes, int flags = 0) {
    return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | flags) == static_cast<ssize_t>(bytes.size());
  }
  static std::optional<SteeringAnswer> receive(int socket) {
    std::string bytes(kMostAnswerBytes, '\0');
    const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (got <= 0) return std::nullopt;
    return read_answer(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
  }
  static SteeringResult result(int socket, const std::string& bytes) {
    EXPECT_TRUE(send(socket, bytes));
    const auto answer = receive(socket);
    EXPECT_TRUE(answer);
    return answer ? answer->result : SteeringResult::NoRecorder;
  }

  Steered program_{of_two_loops()};
  std::unique_ptr<SteeringServer> server_;
};

TEST_F(SteeringTest, IsFoundByTheRecordersNumberAndOnlyTheUsersOwn) {
  EXPECT_EQ(steering_socket(::getpid()), path());
  EXPECT_EQ(steering_socket(::getppid()), std::nullopt);
  EXPECT_EQ(std::filesystem::status(path()).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  server_.reset();
  EXPECT_EQ(steering_socket(::getpid()), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(SteeringTest, ChangesWhatIsAskedForAndSaysWhatIsInEffect) {
  SteeringSocket link(::getpid());
  const SteeringAnswer before = link.ask({});
  EXPECT_EQ(before.state.intensity, Intensity{});
  SteeringChange level;
  level.level = wire::Level::Waits;
  EXPECT_EQ(link.ask(level).state.intensity.level, wire::Level::Waits);
  EXPECT_EQ(program_.intensity().share, Intensity{}.share) << "the rest stays";
  const SteeringAnswer after = link.ask(everything());
  EXPECT_EQ(after.result, SteeringResult::Done);
  EXPECT_EQ(after.state.intensity, program_.intensity());
  EXPECT_EQ(program_.boosted_ns(), 30 * base::kSecond);
  EXPECT_EQ(program_.chosen(), kBatches);
  SteeringChange by_itself;
  by_itself.loop = {4711, std::nullopt};
  link.ask(by_itself);
  EXPECT_EQ(program_.chosen(), std::nullopt);
}

TEST_F(SteeringTest, AChangeThatCannotBeMadeChangesNothing) {
  SteeringSocket link(::getpid());
  SteeringChange change = everything();
  change.loop->pid = 1;
  EXPECT_EQ(link.ask(change).result, SteeringResult::NoProcess);
  change = everything();
  change.loop->key->head = 99;
  EXPECT_EQ(link.ask(change).result, SteeringResult::NoLoop);
  EXPECT_EQ(program_.intensity(), Intensity{});
  EXPECT_EQ(program_.boosted_ns(), 0);
}

TEST_F(SteeringTest, NonsenseIsAnsweredAndChangesNothing) {
  const int socket = connected();
  ASSERT_GE(socket, 0);
  EXPECT_EQ(result(socket, "x"), SteeringResult::Refused);
  EXPECT_EQ(result(socket, std::string(100'000, 'x')), SteeringResult::Refused);
  std::string other = write_request(everything());
  other[4] = 7;
  EXPECT_EQ(result(socket, other), SteeringResult::OtherVersion);
  EXPECT_EQ(result(socket, write_request(everything()) + "x"), SteeringResult::Refused);
  EXPECT_EQ(program_.intensity(), Intensity{});
  EXPECT_EQ(result(socket, write_request({})), SteeringResult::Done) << "the connection is as good as before";
  ::close(socket);
}

TEST_F(SteeringTest, AViewerThatDoesNotReadIsLeftAndTheOthersAreServed) {
  const int deaf = connected();
  ASSERT_GE(deaf, 0);
  ASSERT_TRUE(until([&] { return !send(deaf, write_request({}), MSG_DONTWAIT) && errno == EPIPE; }));
  ::close(deaf);
  SteeringSocket link(::getpid());
  EXPECT_EQ(link.ask({}).result, SteeringResult::Done);
}

TEST_F(SteeringTest, OfTooManyViewersTheQuietestIsLeft) {
  std::vector<int> sockets;
  for (std::size_t i = 0; i < SteeringServer::kMostClients + 1; ++i) {
    sockets.push_back(connected());
    ASSERT_EQ(result(sockets.back(), write_request({})), SteeringResult::Done);
  }
  EXPECT_EQ(receive(sockets[0]), std::nullopt) << "the first one has been closed";
  EXPECT_LE(server_->clients(), SteeringServer::kMostClients);
  EXPECT_EQ(result(sockets[1], write_request({})), SteeringResult::Done);
  for (const int socket : sockets) ::close(socket);
}

TEST_F(SteeringTest, AViewerThatWasLeftComesAgain) {
  SteeringSocket link(::getpid());
  link.ask({});
  std::vector<int> others;
  for (std::size_t i = 0; i < SteeringServer::kMostClients; ++i) {
    others.push_back(connected());
    result(others.back(), write_request({}));
  }
  EXPECT_EQ(link.ask(everything()).result, SteeringResult::Done);
  EXPECT_EQ(program_.intensity().level, wire::Level::Calls);
  for (const int socket : others) ::close(socket);
}

TEST_F(SteeringTest, AnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "takes root to become another user";
  // As if the folder could be entered and the socket reached.
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  ASSERT_EQ(::chmod(path().c_str(), 0777), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(65534) != 0) ::_exit(3);
    const int socket = connected();
    if (socket < 0) ::_exit(4);
    send(socket, write_request(everything()));
    ::_exit(receive(socket) ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 4) GTEST_SKIP() << "the folder for temporary files is closed to others";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(server_->refused(), 1u);
  EXPECT_EQ(program_.intensity(), Intensity{});
}

TEST_F(SteeringTest, ARecorderThatHasGoneIsSaid) {
  SteeringSocket link(::getpid());
  link.ask({});
  server_.reset();
  EXPECT_THROW(link.ask({}), SteeringError);
}

// --- over ssh --------------------------------------------------------------------------------------------------------

TEST_F(SteeringTest, RequestsArePassedOnAndAnswered) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  std::thread there([&] {
    pass_on(ends[1], ends[1], [] { return std::make_unique<SteeringSocket>(::getpid()); });
    ::close(ends[1]);
  });
  ASSERT_TRUE(send(ends[0], write_request(everything()) + write_request({})));
  ::shutdown(ends[0], SHUT_WR);
  std::string bytes;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::recv(ends[0], part.data(), part.size(), 0)) > 0;) {
    bytes.append(part.data(), static_cast<std::size_t>(got));
  }
  there.join();
  ::close(ends[0]);
  const std::size_t first = answer_bytes(bytes).value_or(0);
  const auto answer = read_answer(bytes.substr(0, first)), next = read_answer(bytes.substr(first));
  ASSERT_TRUE(answer && next);
  EXPECT_EQ(answer->state.intensity.level, wire::Level::Calls);
  EXPECT_EQ(next->state.intensity.level, wire::Level::Calls);
  EXPECT_EQ(program_.chosen(), kBatches);
}

std::string failure(const std::string& command, bool lasting) {
  SteeringOverSsh link({"sh", "-c", command}, "node");
  try {
    link.ask({});
  } catch (const SteeringError& error) {
    EXPECT_EQ(error.lasting(), lasting) << command;
    return error.what();
  }
  return {};
}

TEST(SteeringOverSshTest, WhyThereIsNoAnswerIsASentence) {
  EXPECT_THAT(failure("head -c 64 >/dev/null; exit 2", true), HasSubstr("older"));
  EXPECT_THAT(failure("exit 2", true), AllOf(HasSubstr("node"), HasSubstr("older"), HasSubstr("--steer")));
  EXPECT_THAT(failure("exit 127", true), HasSubstr("no Lanescope on node"));
  EXPECT_THAT(failure("exit 255", false), HasSubstr("connection to node is broken"));
  EXPECT_THAT(failure("echo welcome to this machine; exec sleep 600", false),
              HasSubstr("connection to node is broken"));
  SteeringOverSsh none({"no-such-program"}, "node");
  EXPECT_THROW(none.ask({}), SteeringError);
}

// --- a window's thread -----------------------------------------------------------------------------------------------

class ScriptedLink final : public SteeringLink {
 public:
  struct Shared {
    std::atomic<bool> there{false}, lasting{false}, refuses{false};
    std::atomic<int> asked{0}, changed{0};
  };
  explicit ScriptedLink(Shared& shared) : shared_(shared) {}
  SteeringAnswer ask(const SteeringChange& change) override {
    ++shared_.asked;
    if (shared_.lasting) throw SteeringError("It is too old.", true);
    if (!shared_.there) throw SteeringError("It is not there.", false);
    SteeringAnswer answer;
    if (change != SteeringChange{}) {
      ++shared_.changed;
      if (shared_.refuses) {
        answer.result = SteeringResult::NoLoop;
      } else {
        state_.intensity.level = change.level.value_or(state_.intensity.level);
      }
    }
    answer.state = state_;
    return answer;
  }

 private:
  Shared& shared_;
  SteeringState state_;
};

class ControlsTest : public testing::Test {
 protected:
  RecorderControls controls() {
    return RecorderControls(std::make_unique<ScriptedLink>(shared_), std::chrono::milliseconds(1));
  }
  static SteeringChange waits() {
    SteeringChange change;
    change.level = wire::Level::Waits;
    return change;
  }
  ScriptedLink::Shared shared_;
};

TEST_F(ControlsTest, AsksUntilTheRecorderIsThereAndPassesChangesOn) {
  RecorderControls controls = this->controls();
  ASSERT_TRUE(until([&] { return controls.state().trouble == "It is not there."; }));
  EXPECT_FALSE(controls.state().known);
  shared_.there = true;
  ASSERT_TRUE(until([&] { return controls.state().connected; }));
  EXPECT_THAT(controls.state().trouble, IsEmpty());
  controls.change(waits());
  ASSERT_TRUE(until([&] { return controls.state().changing == 0; }));
  EXPECT_EQ(controls.state().recorder.intensity.level, wire::Level::Waits);
  shared_.there = false;
  ASSERT_TRUE(until([&] { return !controls.state().connected; }));
  EXPECT_TRUE(controls.state().known) << "what is known stays";
}

TEST_F(ControlsTest, AChangeThatWasNotMadeIsSaidUntilTheNext) {
  shared_.there = shared_.refuses = true;
  RecorderControls controls = this->controls();
  controls.change(waits());
  ASSERT_TRUE(until([&] { return controls.state().refusal.find("was not made") != std::string::npos; }));
  EXPECT_TRUE(controls.state().connected);
  shared_.refuses = false;
  controls.change(waits());
  ASSERT_TRUE(until([&] { return controls.state().changing == 0 && controls.state().refusal.empty(); }));
}

TEST_F(ControlsTest, WhatLastsIsNotTriedAgain) {
  shared_.lasting = true;
  RecorderControls controls = this->controls();
  ASSERT_TRUE(until([&] { return controls.state().trouble == "It is too old."; }));
  controls.change(waits());
  EXPECT_EQ(shared_.asked, 1);
  EXPECT_EQ(controls.state().changing, 0u);
}

TEST_F(ControlsTest, AfterItsEndNothingIsAsked) {
  shared_.there = true;
  RecorderControls controls = this->controls();
  ASSERT_TRUE(until([&] { return controls.state().known; }));
  controls.stop();
  controls.change(waits());
  EXPECT_EQ(shared_.changed, 0);
}

}  // namespace
}  // namespace lanescope::attach
