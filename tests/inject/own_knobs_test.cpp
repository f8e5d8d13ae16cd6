// lanescope.knob() in a program: python/lanescope.py, and the library's side of it.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "inject/target.h"

namespace lanescope::inject_tests {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kKnobFile = LANESCOPE_SOURCE_DIR "/python/lanescope.py";

// A program that evaluates what it is told, line by line, and prints it.
class KnobProgram {
 public:
  explicit KnobProgram(const std::string& begin = "gpu.init()") {
    viewer.environment["PYTHONPATH"] = LANESCOPE_SOURCE_DIR "/tests/inject:" LANESCOPE_SOURCE_DIR "/python";
    script = "import os, sys, threading, warnings\nimport fake_gpu as gpu\nfrom lanescope import knob\n" + begin +
             "\nfor line in iter(sys.stdin.readline, ''):\n    print(repr(eval(line)), flush=True)\n";
  }
  // Null: nobody says Hello, which the test has to expect.
  Process* start(int patience_ms = kPatience_ms) {
    viewer.start(script);
    return process = viewer.process(patience_ms);
  }
  std::string answer(const std::string& expression) {
    const auto lines = [&] {
      const std::string out = viewer.output();
      return std::count(out.begin(), out.end(), '\n');
    };
    const auto before = lines();
    viewer.say(expression);
    for (int ms = 0; lines() == before && ms < kPatience_ms; ++ms) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (process) process->read();
    }
    std::string out = viewer.output();
    if (out.empty() || out.back() != '\n') return "nothing after: " + out;
    out.pop_back();
    return out.substr(out.rfind('\n') + 1);
  }
  // The call twice: the first one finds the library, unless another has.
  void introduce(const std::string& call) { answer("(" + call + ", " + call + ")[1]"); }
  // Turns a knob, and waits until the library tells its value.
  bool turn(const std::string& name, const std::string& value, const std::string& told) {
    const std::size_t before = process->messages.knobs.size();
    process->command("set\t" + name + "\t" + value);
    return told_since(before, name, told);
  }
  bool told_since(std::size_t before, const std::string& name, const std::string& value) {
    return process->until([&] {
      const auto& lines = process->messages.knobs;
      return std::any_of(
          lines.begin() + static_cast<std::ptrdiff_t>(before), lines.end(),
          [&](const std::string& line) { return line.rfind("own\t" + name + "\t" + value + "\t", 0) == 0; });
    });
  }

  Viewer viewer;
  Process* process = nullptr;
  std::string script;
};

TEST(OwnKnobs, WithoutLanescopeAKnobIsItsDefault) {
  // Not attached at all, and with a library that finds no viewer.
  for (const char* socket : {"", "/nowhere/at/all"}) {
    KnobProgram program;
    program.viewer.environment[wire::kSocketVariable] = socket;
    ASSERT_EQ(program.start(0), nullptr);
    EXPECT_EQ(program.answer("[knob('a', 100) for i in range(1000)] == [100] * 1000"), "True");
    EXPECT_EQ(program.answer("knob('a', 100), knob('b', 0.5, low=0), knob('c', True), knob('d', 'x', choices='xyz')"),
              "(100, 0.5, True, 'x')");
    // Twice the same name: each place has its own.
    EXPECT_EQ(program.answer("knob('a', 7), knob('a', 8.5)"), "(7, 8.5)");
  }
}

TEST(OwnKnobs, AWrongDefaultIsAnErrorWithAndWithoutLanescope) {
  for (const bool attached : {false, true}) {
    KnobProgram program(R"(
gpu.init()
def error(*values, **named):
    try:
        return knob(*values, **named)
    except ValueError as e:
        return str(e)
)");
    if (!attached) program.viewer.environment[wire::kSocketVariable] = "";
    ASSERT_EQ(program.start(attached ? kPatience_ms : 0) != nullptr, attached);
    program.introduce("knob('x', 1)");
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(program.answer("error('a', 'fast')"),
                "\"knob 'a': 'fast' is neither a number nor one of its choices\"");
      EXPECT_EQ(program.answer("error('a', 3, choices=[1, 2])"),
                "\"knob 'a': 3 is neither a number nor one of its choices\"");
      EXPECT_EQ(program.answer("error('a', 3, high=2)"), "\"knob 'a': 3 is not from None to 2\"");
      EXPECT_EQ(program.answer("error('a', 0.5, low=1)"), "\"knob 'a': 0.5 is not from 1 to None\"");
    }
  }
}

// The viewer has not asked for knobs (--knobs): these are the program's own wish.
TEST(OwnKnobs, AKnobIsToldWithItsPlace) {
  KnobProgram program("gpu.init()\ndef interval():\n    return knob('log interval', 100, 1, 1000)\n");
  Process* process = program.start();
  ASSERT_NE(process, nullptr);
  EXPECT_EQ(process->memory().controls.knobs.load(), 0u);
  for (const char* call : {"interval()", "knob('lr', 1e-3, high=1)", "knob('amp', True)",
                           "knob('n', 2, choices=(1, 2, 4))", "knob('a\\tb', 'x|y', choices=['x|y', 'ä'])"}) {
    program.introduce(call);
  }
  const std::string end = "\t" + program.viewer.script() + "\t6";
  const std::vector<std::string>& told = process->messages.knobs;
  ASSERT_TRUE(process->until([&] { return told.size() >= 5; }));
  EXPECT_THAT(told, ElementsAre("own\tlog interval\t100\t1\t1000\t" + end,  //
                                "own\tlr\t0.001\t\t1\t\t<string>\t1", "own\tamp\tTrue\t\t\tFalse|True\t<string>\t1",
                                "own\tn\t2\t\t\t1|2|4\t<string>\t1", "own\ta b\tx/y\t\t\tx/y|ä\t<string>\t1"));
  // What is there already is not told again.
  program.introduce("knob('lr', 1e-3, high=1)");
  ASSERT_TRUE(program.turn("lr", "0.5", "0.5"));
  EXPECT_THAT(told, SizeIs(6));
  EXPECT_EQ(told.back(), "own\tlr\t0.5\t\t1\t\t<string>\t1");
}

TEST(OwnKnobs, ATurnedKnobKeepsItsKind) {
  KnobProgram program;
  ASSERT_NE(program.start(), nullptr);
  for (const char* call :
       {"knob('n', 100)", "knob('lr', 0.5)", "knob('amp', True)", "knob('way', None, choices=[None, 'a', 3])"}) {
    program.introduce(call);
  }
  ASSERT_TRUE(program.turn("n", "-7", "-7"));
  ASSERT_TRUE(program.turn("lr", "3", "3.0"));
  ASSERT_TRUE(program.turn("amp", "false", "False"));
  ASSERT_TRUE(program.turn("way", "3", "3"));
  EXPECT_EQ(
      program.answer("knob('n', 100), knob('lr', 0.5), knob('amp', True), knob('way', None, choices=[None, 'a', 3])"),
      "(-7, 3.0, False, 3)");
  ASSERT_TRUE(program.turn("lr", "1e-07", "1e-07"));
  ASSERT_TRUE(program.turn("n", "9007199254740993", "9007199254740993"));  // which no double is
  EXPECT_EQ(program.answer("knob('n', 100), knob('lr', 0.5) == 1e-7"), "(9007199254740993, True)");
  // At the default it is again what the program says, which may have another one meanwhile.
  ASSERT_TRUE(program.turn("n", "100", "100"));
  ASSERT_TRUE(program.turn("lr", "0.5", "0.5"));
  ASSERT_TRUE(program.turn("amp", "True", "True"));
  ASSERT_TRUE(program.turn("way", "None", "None"));
  EXPECT_EQ(program.answer("knob('n', 8), knob('lr', 0.25), knob('amp', True), knob('way', None)"),
            "(8, 0.25, True, None)");
}

TEST(OwnKnobs, ANumberIsBroughtBetweenItsLimits) {
  KnobProgram program;
  ASSERT_NE(program.start(), nullptr);
  for (const char* call : {"knob('n', 10, low=1, high=20)", "knob('lr', 0.5, low=0.25, high=1)", "knob('any', 0)"}) {
    program.introduce(call);
  }
  ASSERT_TRUE(program.turn("n", "0", "1"));
  EXPECT_EQ(program.answer("knob('n', 10)"), "1");
  ASSERT_TRUE(program.turn("n", "99999999999999999999", "20"));
  EXPECT_EQ(program.answer("knob('n', 10)"), "20");
  ASSERT_TRUE(program.turn("lr", "-1e300", "0.25"));
  EXPECT_EQ(program.answer("knob('lr', 0.5)"), "0.25");
  ASSERT_TRUE(program.turn("lr", "2", "1.0"));
  EXPECT_EQ(program.answer("knob('lr', 0.5)"), "1.0");
  ASSERT_TRUE(program.turn("any", "99999999999999999999", "9223372036854775807"));
  ASSERT_TRUE(program.turn("any", "-99999999999999999999", "-9223372036854775808"));
  EXPECT_EQ(program.answer("knob('any', 0)"), "-9223372036854775808");
}

TEST(OwnKnobs, WhatIsNoValueIsPassedOver) {
  KnobProgram program;
  Process* process = program.start();
  ASSERT_NE(process, nullptr);
  for (const char* call : {"knob('n', 10)", "knob('lr', 0.5)", "knob('amp', True)", "knob('way', 'a', choices='ab')"}) {
    program.introduce(call);
  }
  ASSERT_TRUE(process->until([&] { return process->messages.knobs.size() == 4; }));
  for (const char* line : {"set\tn\t2.5",   "set\tn\t1e3",   "set\tn\t",
                           "set\tn\t-",     "set\tn\tTrue",  "set\tn\t 1",
                           "set\tlr\tnan",  "set\tlr\tinf",  "set\tlr\t1e999",
                           "set\tlr\t0x10", "set\tlr\t0,25", "set\tlr\t1.5.",
                           "set\tlr\t",     "set\tamp\t2",   "set\tamp\t",
                           "set\tway\tc",   "set\tway\ta|b", "set\tnone\t1",
                           "set\tn",        "set",           "",
                           "sett\tn\t1",    "stop"}) {
    process->command(line);
  }
  process->command("set\tn\t" + std::string(3000, '1'));
  process->command("set\t" + std::string(3000, 'n') + "\t1");
  process->wake();
  ASSERT_TRUE(program.turn("n", "11", "11"));
  EXPECT_THAT(process->messages.knobs, SizeIs(5));
  EXPECT_EQ(program.answer("knob('n', 10), knob('lr', 0.5), knob('amp', True), knob('way', 'a')"),
            "(11, 0.5, True, 'a')");
  EXPECT_THAT(process->messages.problems, IsEmpty());
}

TEST(OwnKnobs, TheViewersEndGivesTheDefaultsBack) {
  KnobProgram program;
  Process* process = program.start();
  ASSERT_NE(process, nullptr);
  program.introduce("knob('n', 10)");
  ASSERT_TRUE(program.turn("n", "20", "20"));
  EXPECT_EQ(program.answer("knob('n', 10)"), "20");
  process->hang_up();
  EXPECT_EQ(program.answer("all(knob('n', 10) == 20 for i in iter(int, 1)), knob('n', 10)"), "(False, 10)");
}

TEST(OwnKnobs, AKnobMayBeReadBeforeTheLibraryIsThere) {
  KnobProgram program(R"(
before = [knob('n', 10) for i in range(1000)]
gpu.init()
while knob('n', 10) == 10:
    pass
print(set(before), knob('n', 10), flush=True)
)");
  Process* process = program.start();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(program.told_since(0, "n", "10")) << program.viewer.output();
  process->command("set\tn\t30");
  ASSERT_TRUE(program.viewer.until_printed("30")) << program.viewer.output();
  EXPECT_EQ(program.viewer.output(), "{10} 30\n");
}

TEST(OwnKnobs, AForkedChildFollows) {
  KnobProgram program(R"(
warnings.simplefilter('ignore', DeprecationWarning)  # of fork() in a process with threads, from Python 3.12 on
gpu.init()
def child():
    parent = os.getpid()
    if os.fork() == 0:
        print(knob('n', 10), knob('own', 1, high=5), knob('own', 1, high=5), flush=True)
        while knob('n', 10) != 30 and os.getppid() == parent:
            pass
        print('then 30', flush=True)
        while knob('n', 10) != 10 and os.getppid() == parent:
            pass
        print('then 10', flush=True)
        os._exit(0)
    return 'forked'
)");
  Process* process = program.start();
  ASSERT_NE(process, nullptr);
  program.introduce("knob('n', 10)");
  ASSERT_TRUE(program.turn("n", "20", "20"));
  program.viewer.say("child()");
  ASSERT_TRUE(program.viewer.until_printed("20 1 1")) << program.viewer.output();
  EXPECT_TRUE(program.told_since(0, "own", "1")) << "a knob that only the child has";
  ASSERT_TRUE(program.turn("n", "30", "30"));
  EXPECT_TRUE(program.viewer.until_printed("then 30")) << program.viewer.output();
  process->hang_up();
  EXPECT_TRUE(program.viewer.until_printed("then 10")) << program.viewer.output();
}

TEST(OwnKnobs, ManyThreadsMayAskForManyKnobs) {
  KnobProgram program(R"(
wrong = []
stop = False
def ask(first):
    while not stop:
        for i in range(60):
            try:
                if knob(f'k{(first + i) % 60}', i) not in (i, 1000):
                    wrong.append(i)
            except BaseException as error:
                wrong.append(error)
threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
for thread in threads:
    thread.start()
gpu.init()
def end():
    global stop
    stop = True
    for thread in threads:
        thread.join()
    return wrong
)");
  Process* process = program.start();
  ASSERT_NE(process, nullptr);
  std::set<std::string> names;
  ASSERT_TRUE(process->until([&] {
    for (const std::string& line : process->messages.knobs) names.insert(line.substr(0, line.find('\t', 4)));
    return names.size() == 60;
  })) << names.size();
  EXPECT_THAT(process->messages.knobs, SizeIs(60)) << "each is told once";
  EXPECT_THAT(process->messages.knobs, Each(StartsWith("own\tk")));
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(program.turn("k" + std::to_string(i), "1000", "1000"));
  EXPECT_EQ(program.answer("end()"), "[]");
  EXPECT_EQ(program.answer("{knob(f'k{i}', 5) for i in range(60)}"), "{1000}");
}

TEST(OwnKnobs, WhatTheTableHasNoRoomForKeepsItsDefault) {
  KnobProgram program;
  Process* process = program.start();
  ASSERT_NE(process, nullptr);
  const std::string long_name = "'" + std::string(64, 'x') + "'", long_choices = "range(100, 200)";
  program.introduce("knob(" + long_name + ", 5)");
  program.introduce("knob('many', 100, choices=" + long_choices + ")");
  program.introduce("[knob(f'k{i}', i) for i in range(70)]");
  ASSERT_TRUE(process->until([&] { return process->messages.knobs.size() >= 64; }));
  EXPECT_EQ(program.answer("[knob(f'k{i}', i) for i in range(70)] == list(range(70))"), "True");
  EXPECT_EQ(program.answer("knob(" + long_name + ", 5), knob('many', 100, choices=" + long_choices + ")"), "(5, 100)");
  ASSERT_TRUE(program.turn("k63", "7", "7"));
  EXPECT_EQ(program.answer("knob('k62', 0), knob('k63', 0), knob('k64', 0)"), "(0, 7, 0)");
  EXPECT_THAT(process->messages.knobs, SizeIs(65));
}

// Somebody copies it: it is short, says its licence, and needs Python 3.8 with what comes with it.
TEST(OwnKnobs, TheFileIsShortAndNeedsNothing) {
  std::ifstream file(kKnobFile);
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string text = stream.str();
  EXPECT_GT(text.size(), 1000u);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 60);
  EXPECT_NE(text.find("MIT License"), std::string::npos);
  EXPECT_NE(text.find("WITHOUT WARRANTY OF ANY KIND"), std::string::npos);
  Viewer viewer;
  viewer.environment["KNOB_FILE"] = kKnobFile;
  viewer.start(R"(
import ast, os
tree = ast.parse(open(os.environ['KNOB_FILE']).read(), feature_version=(3, 8))
print(sorted({name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}))
print([node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)])
)");
  EXPECT_EQ(viewer.wait(), 0);
  EXPECT_EQ(viewer.output(), "['ctypes', 'os', 'sys', 'time']\n[]\n");
}

}  // namespace
}  // namespace lanescope::inject_tests
