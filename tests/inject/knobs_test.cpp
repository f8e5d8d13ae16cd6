// The knobs of a program: what is found, what a trial does to it, and that nothing of it is left afterwards. The
// program runs on a PyTorch of these tests (fake_torch), whose GPU's clock moves on by fixed amounts.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>

#include "inject/target.h"

namespace lanescope::inject_tests {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// Before a program: `heard()` is the next line of input if there is one; `intact()` says whether the classes are as
// they were.
constexpr const char* kBefore = R"(
import os, select, sys, time
import fake_gpu
fake_gpu.init()
import torch
from torch import cuda
from torch.utils.data import dataloader

OWNERS = (torch.Tensor, torch._C.TensorBase, torch.cuda, torch.cuda.Event, dataloader._BaseDataLoaderIter)
KEPT = [list(vars(owner).items()) for owner in OWNERS]

def intact():
    now = [list(vars(owner).items()) for owner in OWNERS]
    return [[(a, id(b)) for a, b in items] for items in now] == [[(a, id(b)) for a, b in items] for items in KEPT]

def heard():
    time.sleep(0.0002)  # lets go of the interpreter's lock, as a read of the GPU's does
    return sys.stdin.readline().strip() if select.select([sys.stdin], [], [], 0)[0] else ""

def gpu(value): return torch.tensor(value, "cuda")
def say(*what): print(*what, flush=True)
)";

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all;
  std::stringstream stream(line + "\t");
  for (std::string field; std::getline(stream, field, '\t');) all.push_back(field);
  return all;
}

struct Block {
  bool turned;
  long iterations, ns;
};

// A program with its knobs looked at.
struct Knobs {
  explicit Knobs(const std::string& program, bool look = true) {
    viewer.environment["PYTHONPATH"] =
        LANESCOPE_SOURCE_DIR "/tests/inject:" LANESCOPE_SOURCE_DIR "/tests/inject/fake_torch";
    viewer.start(kBefore + program);
    process = viewer.process();
    if (!process) throw std::runtime_error(viewer.output());
    process->permit_knobs(true);
    if (look && !this->look()) throw std::runtime_error("it was not looked at: " + viewer.output());
  }
  bool look() {
    const std::size_t before = of("looked").size();
    process->command("look");
    return process->until([&] { return of("looked").size() > before; });
  }
  // The lines of a kind.
  std::vector<std::vector<std::string>> of(const std::string& kind) {
    std::vector<std::vector<std::string>> all;
    for (const std::string& line : process->messages.knobs) {
      if (fields(line)[0] == kind) all.push_back(fields(line));
    }
    return all;
  }
  // The knob of this kind at the line with this comment; empty: there is none.
  std::vector<std::string> knob(const std::string& kind, const std::string& comment) {
    for (const auto& k : of("knob")) {
      if (k[1] == kind && std::stoi(k[3]) == line(comment)) return k;
    }
    return {};
  }
  std::string refused(const std::string& kind, const std::string& comment) {
    const auto found = knob(kind, comment);
    return found.empty() ? "there is no such knob" : found[7];
  }
  int line(const std::string& comment) {
    std::ifstream file(viewer.script());
    int number = 0;
    for (std::string text; std::getline(file, text);) {
      ++number;
      if (text.ends_with("# " + comment)) return number;
    }
    return -1;
  }
  void begin(const std::string& kind, const std::string& comment, const std::string& value, const char* plan) {
    const auto k = knob(kind, comment);
    if (k.empty()) throw std::runtime_error("there is no knob " + kind);
    process->command("try\t" + std::to_string(++trial) + "\t" + kind + "\t" + k[2] + "\t" + k[3] + "\t" + k[4] + "\t" +
                     value + "\t" + plan);
  }
  // {how, deferred, why} of the last trial.
  std::vector<std::string> end() {
    std::vector<std::string> last;
    process->until([&] {
      for (const auto& e : of("ended")) {
        if (e[1] == std::to_string(trial)) last = {e[2], e[3], e[4]};
      }
      return !last.empty();
    });
    return last;
  }
  std::vector<Block> blocks() {
    std::vector<Block> all;
    for (const auto& b : of("block")) {
      if (b[1] == std::to_string(trial)) all.push_back({b[2] == "1", std::stol(b[3]), std::stol(b[4])});
    }
    return all;
  }
  std::string sides() {
    std::string all;
    for (const Block& b : blocks()) all += b.turned ? 'B' : 'A';
    return all;
  }
  long ns(bool turned) {  // of the last block of that side
    long last = 0;
    for (const Block& b : blocks()) last = b.turned == turned ? b.ns : last;
    return last;
  }
  bool asked(const std::string& question, const std::string& answer) {
    viewer.say(question);
    return viewer.until_printed(answer);
  }

  Viewer viewer;
  Process* process = nullptr;
  int trial = 0;
};

constexpr const char* kTrain = R"(
def train():
    log_interval = 2
    total = 0.0
    step = 0
    buffer = torch.tensor(0.0, pinned=True)
    while True:
        x = torch.tensor(1.0).to("cuda")  # batch
        y = buffer.to("cuda")  # buffer
        loss = gpu(float(step))
        loss.backward()  # backward
        value = loss.item()  # item
        total += value
        if step % log_interval == 0:  # test
            text = f"{loss:.1f}"  # text
            sys.stderr.write(text[:0])
        cuda.synchronize()  # synchronize
        print(total, file=sys.stderr) if False else None
        step += 1
        command = heard()
        if command == "intact": print("intact" if intact() else "changed", log_interval, flush=True)
        if command == "end": break
train()
)";

TEST(Knobs, AreLookedForInSomeIterations) {
  Knobs k(kTrain);
  ASSERT_THAT(k.of("able"), Not(IsEmpty()));  // perhaps twice: first without PyTorch
  EXPECT_THAT(k.of("able").back()[1], StartsWith("3."));
  EXPECT_EQ(k.of("able").back()[2], "2.9.0");
  EXPECT_GE(std::stoi(k.of("looked")[0][1]), 20);
  EXPECT_EQ(k.of("looked")[0][2], "backward script.py:" + std::to_string(k.line("backward")));
  const auto batch = k.knob("non_blocking", "batch");
  ASSERT_EQ(batch.size(), 9u);
  EXPECT_EQ(batch[2], k.viewer.script());
  EXPECT_EQ(batch[4], "to");
  EXPECT_EQ(batch[6], "1");
  EXPECT_EQ(batch[7], "");
  EXPECT_EQ(k.refused("pinned", "batch"), "");
  EXPECT_THAT(k.refused("non_blocking", "buffer"), HasSubstr("written to again"));
  EXPECT_THAT(k.knob("pinned", "buffer"), IsEmpty());  // it is pinned
  EXPECT_EQ(k.refused("read-every", "item"), "");
  EXPECT_EQ(k.refused("read-late", "item"), "");
  EXPECT_EQ(k.refused("no-synchronize", "synchronize"), "");
  EXPECT_EQ(k.refused("variable", "test"), "");
  EXPECT_EQ(k.knob("variable", "test")[5], "2");
  EXPECT_TRUE(k.asked("intact", "intact 2")) << k.viewer.output();
  EXPECT_THAT(k.process->messages.problems, IsEmpty());
}

TEST(Knobs, AreNotTouchedWithoutPermission) {
  Knobs k(kTrain, false);
  k.process->permit_knobs(false);
  k.process->command("look");
  k.process->command("");
  EXPECT_TRUE(k.asked("intact", "intact 2"));
  k.viewer.say("end");
  EXPECT_EQ(k.viewer.wait(), 0);
  EXPECT_THAT(k.process->messages.knobs, IsEmpty());
}

TEST(Knobs, TooLongCommandsAreDroppedAndTheNextIsHeard) {
  Knobs k(kTrain, false);
  k.process->command("look" + std::string(2000, ' '));
  k.process->command("nonsense\t\xff\xfe");
  EXPECT_TRUE(k.look());
  EXPECT_EQ(k.of("looked").size(), 1u);
}

TEST(Knobs, ATrialIsOfBlocksInTheOrderABBA) {
  Knobs k(kTrain);
  k.begin("read-every", "item", "5", "8\t12\t2");
  EXPECT_THAT(k.end(), ElementsAre("done", "36", ""));  // of each 12 reads the 1st, 6th and 11th
  EXPECT_EQ(k.sides(), "ABBAABBA");
  for (const Block& b : k.blocks()) EXPECT_EQ(b.iterations, 10);
  // The GPU's times of 10 iterations: 40 + 20 for copies, 100, 50 for each read, of which every 2nd step has two, 30.
  EXPECT_EQ(k.ns(false), 10 * 240'000 + 5 * 50'000);
  EXPECT_EQ(k.ns(true), 10 * 190'000 + 2 * 50'000 + 5 * 50'000);
  EXPECT_TRUE(k.asked("intact", "intact 2")) << k.viewer.output();
}

TEST(Knobs, EachKindMakesItsDifference) {
  Knobs k(kTrain);
  const auto gain = [&](const char* kind, const char* comment, const char* value) {
    k.begin(kind, comment, value, "4\t12\t2");
    EXPECT_THAT(k.end(), Contains("done")) << kind;
    EXPECT_EQ(k.sides(), "ABBA") << kind;
    return k.ns(false) - k.ns(true);
  };
  EXPECT_EQ(gain("read-late", "item", ""), 10 * 50'000);
  EXPECT_THAT(k.end(), ElementsAre("done", "22", ""));  // all but the first of a block
  EXPECT_EQ(gain("pinned", "batch", ""), 10 * 20'000);
  EXPECT_EQ(gain("non_blocking", "batch", ""), 0);  // from memory that is not pinned
  EXPECT_EQ(gain("no-synchronize", "synchronize", ""), 10 * 30'000);
  EXPECT_EQ(gain("variable", "test", "10"), 4 * 50'000);
  EXPECT_TRUE(k.asked("intact", "intact 2")) << k.viewer.output();
}

// --- Whether a value decides ----------------------------------------------------------------------------------------

struct Use {
  const char *name, *code, *refused;  // "": it is only shown
};

// In functions of their own; the line with "# here" is the one that reads.
constexpr Use kUses[] = {
    {"accumulated", "    total += loss.item()  # here\n    print(total / 3)", ""},
    {"compared", "    if loss.item() < best:  # here\n        pass", "decides"},
    {"appended", "    mine = []\n    v = float(loss)  # here\n    mine.append(v)\n    print(sum(mine) / len(mine))",
     ""},
    {"printed_now_and_then", "    w = loss.item()  # here\n    if i % 10 == 0:\n        print(f'{w:.3f}')", ""},
    {"tested_by_isnan", "    g = loss.item()  # here\n    if math.isnan(g):\n        return", "decides"},
    {"given_to_a_step", "    model.step_with = unknown\n    unknown(loss.item())  # here", "given to unknown()"},
    {"given_to_a_writer", "    writer.add_scalar('loss', loss.item(), i)  # here", ""},
    {"formatted", "    print(f'{i}: {loss:.2f}')  # here", ""},
    {"formatted_by_method", "    print('{:.2f}'.format(loss))  # here", ""},
    {"formatted_by_percent", "    print('%.2f' % loss)  # here", ""},
    {"printed_as_a_tensor", "    print(loss)  # here", ""},
    {"of_a_logger", "    logger.info('loss %s', loss.item())  # here", ""},
    {"logged_by_the_library", "    logger.warning('loss %s', loss)  # here", ""},
    {"tested", "    if loss:  # here\n        pass", "decides"},
    {"returned", "    return loss.item()  # here", "returned"},
    {"stored_in_an_attribute", "    model.last = loss.item()  # here", "stored in model.last"},
    {"stored_in_a_list_of_the_callers", "    losses.append(loss.item())  # here", "stored in losses"},
    {"stored_in_a_global_list", "    meter.append(loss.item())  # here\n    if meter[-1] > 99:\n        return",
     "decides"},
    {"an_index", "    table = {}\n    table[loss.item()] = 1  # here", "index"},
    {"of_a_loop", "    for v in loss.tolist():  # here\n        pass", "decides"},
    {"printed_of_a_list", "    print(loss.tolist()[0])  # here", ""},
    {"used_again_on_the_gpu", "    scale = loss.item()  # here\n    other = scale * 2\n    gpu(other).backward()",
     "given to gpu()"},
    {"in_a_comprehension", "    print([loss.item() for _ in range(1)])  # here", "comprehension"},
    {"with_locals", "    v = loss.item()  # here\n    print(locals())", "locals()"},
    {"changed_in_place", "    v = loss.tolist()  # here\n    v += [1]\n    print(v)", "changed"}};

TEST(Knobs, TheUseOfAValueIsJudgedByTheSource) {
  std::string program = R"(
import math, logging
logger, writer, best, meter = logging.getLogger(), logging.getLogger(), 1e9, []
writer.add_scalar = lambda *a: None
class Model: pass
model = Model()
def unknown(*a): pass
sys.stdout = open(os.devnull, "w")
)";
  std::string calls;
  for (const Use& use : kUses) {
    std::string code = use.code;
    code.replace(code.find("# here"), 6, std::string("# ") + use.name);
    program += std::string("def ") + use.name + "(i, loss, total, losses):\n" + code + "\n";
    calls += std::string("        ") + use.name + "(i, loss, total, losses)\n";
  }
  Knobs k(program + R"(
def run():
    i, total, losses = 0, 0.0, []
    while heard() != "end":
        loss = gpu(float(i % 7 + 1))
        loss.backward()
        i += 1
)" + calls +
          "run()\n");
  for (const Use& use : kUses) {
    const std::string why = k.refused("read-every", use.name);
    EXPECT_TRUE(*use.refused ? why.find(use.refused) != std::string::npos : why.empty()) << use.name << ": " << why;
  }
}

// --- A variable of the program's ------------------------------------------------------------------------------------

void PrintTo(const Use& use, std::ostream* out) { *out << use.name; }
class KnobsVariable : public testing::TestWithParam<Use> {};  // refused: how it is named

TEST_P(KnobsVariable, IsChangedWhereItLivesAndPutBack) {
  Knobs k(std::string(R"(
class Options: pass
options = Options()
options.every = 2
every = 2
seen = set()
)") + GetParam().code);
  const auto found = k.knob("variable", "test");
  ASSERT_EQ(found.size(), 9u) << k.viewer.output();
  EXPECT_EQ(found[4], GetParam().refused);
  EXPECT_EQ(found[5], "2");
  ASSERT_EQ(found[7], "");
  k.begin("variable", "test", "10", "4\t20\t0");
  ASSERT_THAT(k.end(), ElementsAre("done", "0", ""));
  EXPECT_TRUE(k.asked("seen", "seen [2, 10] now 2")) << k.viewer.output();
  // In the middle of a side with the new value:
  k.begin("variable", "test", "10", "4\t2000\t0");
  ASSERT_TRUE(k.process->until([&] { return !k.blocks().empty(); }));
  k.process->command("stop");
  EXPECT_THAT(k.end(), ElementsAre("stopped", "0", ""));
  EXPECT_TRUE(k.asked("again", "again [2, 10] now 2")) << k.viewer.output();
  EXPECT_TRUE(k.asked("intact", "intact")) << k.viewer.output();
}

constexpr const char* kRest = R"(
            print(f"{loss:.1f}", file=sys.stderr)
        command = heard()
        if command == "intact": say("intact" if intact() else "changed")
        elif command == "end": break
        elif command: print(command, sorted(seen), "now", VALUE, flush=True)
)";
std::string loop(const std::string& value, const std::string& before, const std::string& after) {
  std::string rest = kRest;
  rest.replace(rest.find("VALUE"), 5, value);
  return before +
         "    step = 0\n    while True:\n        loss = gpu(1.0)\n        loss.backward()\n        step += 1\n" +
         "        if step % " + value + " == 0:  # test\n            seen.add(" + value + ")" + rest + after;
}
const std::string kLocal = loop("mine", "def train():\n    mine = 2\n", "train()\n"),
                  kGlobal = loop("every", "def train():\n", "train()\n"), kModule = loop("every", "if True:\n", ""),
                  kAttribute = loop("args.every", "def train(args):\n", "train(options)\n"),
                  kCell = loop("mine", "def outer():\n  mine = 2\n  def train():\n", "  train()\nouter()\n");

INSTANTIATE_TEST_SUITE_P(All, KnobsVariable,
                         testing::Values(Use{"local", kLocal.c_str(), "mine"}, Use{"global", kGlobal.c_str(), "every"},
                                         Use{"module", kModule.c_str(), "every"},
                                         Use{"attribute", kAttribute.c_str(), "args.every"},
                                         Use{"cell", kCell.c_str(), "mine"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Knobs, AVariableThatAlsoDecidesAboutTrainingIsRefused) {
  Knobs k(R"(
class Optimizer:
    def step(self): pass
def train():
    accumulate, optimizer, step = 2, Optimizer(), 0
    while heard() != "end":
        loss = gpu(1.0)
        loss.backward()
        step += 1
        if step % accumulate == 0:  # test
            print(f"{loss:.1f}", file=sys.stderr)
            optimizer.step()
train()
)");
  EXPECT_THAT(k.refused("variable", "test"), HasSubstr("step() in line"));
}

TEST(Knobs, AVariableThatTheProgramSetsEndsTheTrial) {
  Knobs k(R"(
def train():
    every, step = 2, 0
    while True:
        loss = gpu(1.0)
        loss.backward()
        step += 1
        if step % every == 0:  # test
            print(f"{loss:.1f}", file=sys.stderr)
        command = heard()
        if command == "set": every = 7
        if command == "value": print("value", every, intact(), flush=True)
train()
)");
  k.begin("variable", "test", "10", "64\t1000\t0");
  ASSERT_TRUE(k.process->until([&] { return !k.of("begun").empty(); }));
  k.viewer.say("set");
  EXPECT_THAT(k.end(), ElementsAre("failed", "0", "The program itself has set every to 7."));
  EXPECT_TRUE(k.asked("value", "value 7 True")) << k.viewer.output();
}

// --- How a trial ends -----------------------------------------------------------------------------------------------

// Until the classes are as before: what is left is taken back on the program's main thread, a moment later.
bool becomes_intact(Knobs& k) {
  for (int i = 0; i < 200; ++i) {
    if (k.asked("intact", "intact " + std::to_string(i) + " ")) {
      const std::string out = k.viewer.output();
      if (out.find("intact " + std::to_string(i) + " True") != std::string::npos) return true;
    }
  }
  return false;
}

constexpr const char* kPlain = R"(
class Boom(Exception): pass
def train():
    asked, forks, command = 0, 0, ""
    while True:
        try:
            loss = gpu(1.0)
            loss.backward()
            gpu(None if command == "raise" else 1.0).item()  # item
            torch.tensor(1.0).to("cuda")  # batch
        except ValueError as error:
            print("hers", error, flush=True)
        command = heard()
        if command == "intact":
            print("intact", asked, intact(), flush=True)
            asked += 1
        if command == "break": torch.tensor(0.0).__class__.__base__.pin_memory = lambda *a: 1 / 0
        if command == "fork":
            if os.fork() == 0:
                before = cuda.gpu.reads
                for _ in range(100):
                    gpu(1.0).backward()
                    gpu(1.0).item()
                print("child", forks, cuda.gpu.reads - before, flush=True)
                os._exit(0)
            os.wait()
            forks += 1
        if command == "end": break
train()
print("over", flush=True)
)";
constexpr const char* kEndless = "64\t100000\t0";

struct Running : Knobs {
  explicit Running(const std::string& kind, const char* comment, const char* plan = kEndless) : Knobs(kPlain) {
    begin(kind, comment, "5", plan);
    process->until([&] { return !of("begun").empty(); });
  }
};

TEST(KnobsEnd, ByStop) {
  Running k("read-every", "item");
  EXPECT_TRUE(k.asked("intact", "intact 0 False"));
  k.process->command("stop");
  EXPECT_THAT(k.end(), ElementsAre("stopped", "0", ""));
  EXPECT_TRUE(k.asked("intact", "intact 1 True")) << k.viewer.output();
}

TEST(KnobsEnd, WhenTheViewerEnds) {
  Running k("read-every", "item");
  k.process->hang_up();
  EXPECT_TRUE(becomes_intact(k)) << k.viewer.output();
  k.viewer.say("end");
  EXPECT_EQ(k.viewer.wait(), 0);
}

TEST(KnobsEnd, WhenThePermissionEnds) {
  Running k("read-every", "item");
  k.process->permit_knobs(false);
  EXPECT_TRUE(becomes_intact(k)) << k.viewer.output();
  k.process->permit_knobs(true);  // and everything again
  EXPECT_TRUE(k.look());
  k.begin("read-every", "item", "5", "4\t10\t0");
  EXPECT_THAT(k.end(), ElementsAre("done", "16", ""));
}

TEST(KnobsEnd, AnotherTrialIsRefusedMeanwhile) {
  Running k("read-every", "item");
  k.begin("read-every", "item", "5", "4\t10\t0");
  EXPECT_THAT(k.end(), ElementsAre("failed", "0", "Another trial is going on."));
  k.process->command("stop");
  ASSERT_TRUE(k.process->until([&] { return k.of("ended").size() == 2; }));
  EXPECT_EQ(k.of("ended")[1][2], "stopped");
}

TEST(KnobsEnd, AnExceptionOfTheProgramsReachesItUnchanged) {
  Running k("read-every", "item");
  k.viewer.say("raise");
  EXPECT_THAT(k.end(), ElementsAre("failed", "0", "The program raised ValueError in item()."));
  EXPECT_TRUE(k.viewer.until_printed("hers there is no value"));
  EXPECT_TRUE(k.asked("intact", "intact 0 True")) << k.viewer.output();
}

// In the middle of a trial the pinning fails: the copy is made as the program asked for it.
TEST(KnobsEnd, AnExceptionOfOursDoesNotReachIt) {
  Running k("pinned", "batch", "64\t50\t0");
  k.viewer.say("break");
  EXPECT_THAT(k.end(), ElementsAre("failed", "0", "ZeroDivisionError: division by zero"));
  EXPECT_THAT(k.viewer.output(), Not(HasSubstr("Error")));
  k.viewer.say("end");
  EXPECT_EQ(k.viewer.wait(), 0);
  EXPECT_THAT(k.viewer.output(), HasSubstr("over"));
}

TEST(KnobsEnd, InAForkedChildNothingIsTurned) {
  Running k("read-every", "item", "64\t400\t0");
  // Wherever the parent's trial is: the child does all of its reads.
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(k.asked("fork", "child " + std::to_string(i) + " 100")) << k.viewer.output();
  }
  EXPECT_TRUE(k.asked("intact", "intact 0 False")) << k.viewer.output();
}

TEST(KnobsEnd, WithTheProgram) {
  Running k("read-every", "item");
  k.viewer.say("end");
  EXPECT_EQ(k.viewer.wait(), 0);
  EXPECT_THAT(k.viewer.output(), AllOf(HasSubstr("over"), Not(HasSubstr("Error"))));
}

TEST(KnobsEnd, CtrlCIsThePrograms) {
  Running k("read-every", "item");
  k.viewer.kill(SIGINT);
  const int status = k.viewer.wait();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_THAT(k.viewer.output(), HasSubstr("KeyboardInterrupt"));
}

TEST(KnobsEnd, WhatAnotherLibraryHasWrappedPassesCallsOn) {
  Knobs k(R"(
def train():
    while True:
        loss = gpu(1.0)
        loss.backward()
        loss.item()  # item
        command = heard()
        if command == "wrap":
            inner = torch.Tensor.item
            torch.Tensor.item = lambda tensor: inner(tensor)
            print("wrapped", flush=True)
        if command == "count":
            before = cuda.gpu.reads
            for _ in range(50): gpu(1.0).item()
            print("reads", cuda.gpu.reads - before, [name for name in vars(torch.Tensor) if name in ("item", "__bool__")], flush=True)
train()
)");
  k.begin("read-every", "item", "5", kEndless);
  ASSERT_TRUE(k.process->until([&] { return !k.of("begun").empty(); }));
  ASSERT_TRUE(k.asked("wrap", "wrapped"));
  k.process->command("stop");
  EXPECT_THAT(k.end(), ElementsAre("stopped", "0", HasSubstr("has wrapped item")));
  EXPECT_TRUE(k.asked("count", "reads 50 ['item']")) << k.viewer.output();
}

// --- Epochs and loaders ---------------------------------------------------------------------------------------------

constexpr const char* kEpochs = R"(
def train(workers):
    got, command, asked = [], "", 0
    while command != "end":
        for batch in dataloader.DataLoader([torch.tensor(i) for i in range(45)], num_workers=workers):  # loader
            got.append(batch.value)
            batch.to("cuda").backward()  # copy
            command = heard() or command
            if command == "intact":
                print("intact", asked, intact(), flush=True)
                command, asked = "", asked + 1
        if got != list(range(45)): print("wrong", got, flush=True)
        got.clear()
)";

TEST(KnobsEpochs, ABlockAtAnEpochsEndIsBegunAnew) {
  Knobs k(std::string(kEpochs) + "train(0)\n");
  k.begin("pinned", "copy", "", "8\t20\t2");
  EXPECT_THAT(k.end(), ElementsAre("done", "0", ""));
  EXPECT_EQ(k.sides(), "ABBAABBA");
  for (const Block& b : k.blocks()) EXPECT_EQ(b.ns, 18 * (b.turned ? 120'000 : 140'000));
}

TEST(KnobsEpochs, TheIteratorOfALoaderPinsAheadAndLosesNoBatch) {
  for (const char* workers : {"0", "2"}) {
    Knobs k(std::string(kEpochs) + "train(" + workers + ")\n");
    const auto loader = k.knob("prefetch", "loader");
    ASSERT_EQ(loader.size(), 9u);
    EXPECT_EQ(loader[7], "");
    EXPECT_EQ(loader[8].find("own thread") != std::string::npos, *workers == '0') << loader[8];
    k.begin("prefetch", "loader", "", "8\t15\t4");
    EXPECT_THAT(k.end(), ElementsAre("done", "0", ""));
    EXPECT_EQ(k.sides(), "ABBAABBA");
    EXPECT_EQ(k.ns(false) - k.ns(true), 11 * 20'000) << workers;
    // Stopped while batches were taken ahead: they still come, in their order.
    k.begin("prefetch", "loader", "", "64\t40\t0");
    ASSERT_TRUE(k.process->until([&] { return !k.blocks().empty(); }));
    k.process->command("stop");
    EXPECT_THAT(k.end(), ElementsAre("stopped", "0", ""));
    EXPECT_TRUE(becomes_intact(k)) << k.viewer.output();
    k.viewer.say("end");
    EXPECT_EQ(k.viewer.wait(), 0);
    EXPECT_THAT(k.viewer.output(), Not(HasSubstr("wrong")));
  }
}

// --- Where they do not work -----------------------------------------------------------------------------------------

// Up to 3.12 a loop that never lets go of the interpreter's lock does not notice that something is asked of it.
TEST(Knobs, AreFoundInALoopThatKeepsTheLock) {
  Knobs k("while True:\n    gpu(1.0).backward()\n    gpu(1.0).item()\n");
  EXPECT_GE(std::stoi(k.of("looked")[0][1]), 20);
}

TEST(Knobs, AreRefusedWhereThereAreSubInterpreters) {
  Knobs k(R"(
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
another = interpreters.create()
print("created", flush=True)
while heard() != "end": pass
)",
          false);
  ASSERT_TRUE(k.viewer.until_printed("created")) << k.viewer.output();
  k.process->command("look");
  ASSERT_TRUE(k.process->until([&] { return !k.process->messages.knobs.empty(); }));
  EXPECT_THAT(k.process->messages.knobs,
              ElementsAre("unable\tThe knobs do not work in a program with sub-interpreters."));
}

TEST(Knobs, TheLibraryRecordsOnlyWaitsDuringATrial) {
  Knobs k(R"(
while True:
    fake_gpu.launch("gemm", 1, fake_gpu.STREAM)
    gpu(1.0).backward()
    gpu(1.0).item()  # item
    heard()
)");
  k.process->level(wire::Level::Calls);
  ASSERT_TRUE(k.process->until([&] { return k.process->memory().status.recording.load() == 1; }));
  k.begin("read-every", "item", "5", kEndless);
  EXPECT_TRUE(k.process->until([&] { return k.process->memory().status.recording.load() == 0; }));
  k.process->command("stop");
  EXPECT_TRUE(k.process->until([&] { return k.process->memory().status.recording.load() == 1; }));
}

}  // namespace
}  // namespace lanescope::inject_tests
