#include "inject/knobs.h"

#include <cstring>

#include "inject/compat.h"
#include "inject/connection.h"
#include "inject/own_knobs.h"
#include "inject/ring.h"
#include "inject/short_text.h"
#include "lanescope_knobs.h"

namespace lanescope::inject {
namespace {

constexpr std::int64_t kPollEvery = 250 * kMillisecond;
constexpr std::int64_t kComesBy = 200 * kMillisecond;  // a pending call; otherwise the main thread has not noticed it
constexpr std::int64_t kAgain = 50 * kMillisecond;  // where the interpreter's queue is full, or it does not exist yet
constexpr std::size_t kCommands = 8;                // that wait
constexpr unsigned kOldest = 9, kNewest = 14;       // 3.9 to 3.14
constexpr int kFileInput = 257, kTuple = 1, kNoArguments = 4, kOne = 8, kWritable = 0x200;  // CPython's numbers

// --- CPython ---------------------------------------------------------------------------------------------------------

struct Object;
struct Method {  // PyMethodDef
  const char* name;
  Object* (*call)(Object*, Object*);
  int flags;
  const char* text;
};

struct CPython {
  int (*is_initialized)();
  int (*is_finalizing)();  // may be missing
  const char* (*version)();
  int (*add_pending_call)(int (*)(void*), void*);
  int (*ensure)();
  void (*release)(int);
  void* (*first_interpreter)();
  void* (*next_interpreter)(void*);
  Object* (*compile)(const char*, const char*, int);
  Object* (*evaluate)(Object*, Object*, Object*);
  Object* (*call)(Object*, Object*);
  Object* (*new_dictionary)();
  int (*set_item)(Object*, const char*, Object*);
  Object* (*get_item)(Object*, const char*);  // borrowed
  Object* (*module)(const char*);             // borrowed
  Object* (*view_of)(char*, std::ptrdiff_t, int);
  Object* (*function)(Method*, Object*, Object*);
  const char* (*utf8)(Object*, std::ptrdiff_t*);
  Object* (*text)(const char*, std::ptrdiff_t, const char*);
  Object* (*boolean)(long);
  Object* (*integer)(long long);
  int (*parse)(Object*, const char*, ...);
  int (*frame_to_locals)(Object*, int);  // may be missing
  int (*is_true)(Object*);
  void (*keep)(Object*);
  void (*forget)(Object*);
  void (*fetch)(Object**, Object**, Object**);
  void (*restore)(Object*, Object*, Object*);
  Object* (*occurred)();
  int (*is_error)(Object*);
  void (*clear)();
  void (*interrupt)();
  Object** keyboard_interrupt;
} cpython{};

template <typename Symbol>
bool find(Symbol& symbol, const char* name) {
  symbol = reinterpret_cast<Symbol>(dlsym(RTLD_DEFAULT, name));
  return symbol != nullptr;
}

bool find_cpython() {
  if (!find(cpython.is_finalizing, "Py_IsFinalizing")) find(cpython.is_finalizing, "_Py_IsFinalizing");
  find(cpython.frame_to_locals, "PyFrame_LocalsToFast");
  return find(cpython.is_initialized, "Py_IsInitialized") && find(cpython.version, "Py_GetVersion") &&
         find(cpython.add_pending_call, "Py_AddPendingCall") && find(cpython.ensure, "PyGILState_Ensure") &&
         find(cpython.release, "PyGILState_Release") && find(cpython.first_interpreter, "PyInterpreterState_Head") &&
         find(cpython.next_interpreter, "PyInterpreterState_Next") && find(cpython.compile, "Py_CompileString") &&
         find(cpython.evaluate, "PyEval_EvalCode") && find(cpython.call, "PyObject_CallObject") &&
         find(cpython.new_dictionary, "PyDict_New") && find(cpython.set_item, "PyDict_SetItemString") &&
         find(cpython.get_item, "PyDict_GetItemString") && find(cpython.module, "PyImport_AddModule") &&
         find(cpython.view_of, "PyMemoryView_FromMemory") && find(cpython.function, "PyCFunction_NewEx") &&
         find(cpython.utf8, "PyUnicode_AsUTF8AndSize") && find(cpython.text, "PyUnicode_DecodeUTF8") &&
         find(cpython.boolean, "PyBool_FromLong") && find(cpython.integer, "PyLong_FromLongLong") &&
         find(cpython.parse, "PyArg_ParseTuple") && find(cpython.is_true, "PyObject_IsTrue") &&
         find(cpython.keep, "Py_IncRef") && find(cpython.forget, "Py_DecRef") && find(cpython.fetch, "PyErr_Fetch") &&
         find(cpython.restore, "PyErr_Restore") && find(cpython.occurred, "PyErr_Occurred") &&
         find(cpython.is_error, "PyErr_ExceptionMatches") && find(cpython.clear, "PyErr_Clear") &&
         find(cpython.interrupt, "PyErr_SetInterrupt") && find(cpython.keyboard_interrupt, "PyExc_KeyboardInterrupt");
}

bool python_runs() { return cpython.is_initialized() != 0 && (!cpython.is_finalizing || !cpython.is_finalizing()); }

// --- What the library's thread and the main thread share -------------------------------------------------------------

// Memory of this process alone, which knobs.py sees as `words`: a forked child has its own.
enum Word { Allowed, Turned, Going, kWords };
enum WhatGoesOn : std::uint64_t { Nothing, Something, Trial };
std::atomic<std::uint64_t> words[kWords];
static_assert(sizeof(words) == 8 * kWords);

struct Command {
  char text[wire::kMostText];
  std::size_t bytes;
};
Command commands[kCommands];
std::atomic<std::uint32_t> commands_heard{0}, commands_taken{0};

std::atomic<std::int64_t> asked_ns{0};  // the pending call that has not run; 0: there is none
std::atomic<std::int64_t> ran_ns{0};    // the last one that has
std::atomic<bool> is_set_up{false};     // knobs.py has been run
std::atomic<bool> unable{false};        // and never will be, in this process
std::atomic<bool> to_take_back{false};  // as long as something is set up
Object* served = nullptr;               // of knobs.py; the main thread's

void stop_turning() {
  words[Allowed].store(0, kRelaxed);
  words[Turned].store(0, kRelaxed);
}

bool waiting() { return commands_heard.load(kRelaxed) != commands_taken.load(std::memory_order_acquire); }

bool say(const char* text, std::size_t bytes) {
  if (!live()) return true;  // nobody wants to know it any more
  if (bytes > wire::kMostText) {
    bytes = wire::kMostText;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  }
  const wire::TextMessage message{static_cast<std::uint32_t>(bytes)};
  return ring.send(wire::MessageKind::Knobs, 0, &message, sizeof(message), text, bytes);
}

void refuse(const char* why) {
  unable.store(true, kRelaxed);
  Line<wire::kMostText> line;
  line.add("unable\t").add(why);
  say(line.c_str(), line.size());
}

// --- What knobs.py calls ---------------------------------------------------------------------------------------------

Object* py_send(Object*, Object* line) {
  std::ptrdiff_t bytes = 0;
  const char* text = cpython.utf8(line, &bytes);
  return text ? cpython.boolean(say(text, static_cast<std::size_t>(bytes))) : nullptr;
}

// The next command; "" if there is none.
Object* py_take(Object*, Object*) {
  std::uint32_t at = commands_taken.load(std::memory_order_acquire);
  if (commands_heard.load(std::memory_order_acquire) == at) return cpython.text("", 0, nullptr);
  const Command& command = commands[at % kCommands];
  Object* text = cpython.text(command.text, static_cast<std::ptrdiff_t>(command.bytes), "replace");
  commands_taken.compare_exchange_strong(at, at + 1, std::memory_order_release);  // unless all have been dropped
  return text;
}

Object* py_clock(Object*, Object*) { return cpython.integer(now_ns()); }

// Before 3.13: what was written to frame.f_locals becomes the frame's variables. Later it is written through.
Object* py_fast_locals(Object*, Object* frame) {
  if (cpython.frame_to_locals) cpython.frame_to_locals(frame, 0);
  return cpython.boolean(1);
}

Object* py_set_own(Object*, Object* arguments) {
  const char *name = nullptr, *value = nullptr;
  if (cpython.parse(arguments, "ss", &name, &value) == 0) return nullptr;
  return cpython.boolean(set_own_knob(name, value));
}

// A knob's value, "" if there is no such knob.
Object* py_own_value(Object*, Object* name) {
  char value[wire::kMostText];
  std::ptrdiff_t bytes = 0;
  const char* text = cpython.utf8(name, &bytes);
  if (!text) return nullptr;
  const std::size_t n = own_knob_value(text, value, sizeof(value));
  return cpython.text(value, static_cast<std::ptrdiff_t>(n), "replace");
}

Method methods[] = {
    {"send", &py_send, kOne, nullptr},           {"take", &py_take, kNoArguments, nullptr},
    {"clock", &py_clock, kNoArguments, nullptr}, {"fast_locals", &py_fast_locals, kOne, nullptr},
    {"set_own", &py_set_own, kTuple, nullptr},   {"own_value", &py_own_value, kOne, nullptr},
};

// --- On the main thread ----------------------------------------------------------------------------------------------

// The part of the version after "3."; 0: it is not supported.
unsigned minor_version(const char* text) {
  if (std::strncmp(text, "3.", 2) != 0) return 0;
  unsigned minor = 0;
  for (text += 2; *text >= '0' && *text <= '9' && minor < 100; ++text) minor = minor * 10 + (*text - '0');
  return minor >= kOldest && minor <= kNewest ? minor : 0;
}

// Why not here; null: it is possible.
const char* obstacle() {
  const char* version = cpython.version();
  if (!version || minor_version(version) == 0) return "The knobs need CPython 3.9 to 3.14.";
  if (std::strstr(version, "free-threading")) return "The knobs do not work in a free-threaded Python.";
  void* first = cpython.first_interpreter();
  if (!first || cpython.next_interpreter(first)) return "The knobs do not work in a program with sub-interpreters.";
  return nullptr;
}

bool put(Object* dictionary, const char* name, Object* value) {  // takes the value over
  const bool done = value && cpython.set_item(dictionary, name, value) == 0;
  if (value) cpython.forget(value);
  return done;
}

// Null after an error.
Object* run_file() {
  const auto file = knobs_file::find("knobs.py");
  Object* builtins = cpython.module("builtins");
  Object* code = cpython.compile(file->text.data(), "<lanescope>", kFileInput);
  Object* names = code ? cpython.new_dictionary() : nullptr;
  bool done = names && builtins && cpython.set_item(names, "__builtins__", builtins) == 0 &&
              put(names, "words", cpython.view_of(reinterpret_cast<char*>(words), sizeof(words), kWritable));
  for (Method& method : methods) done = done && put(names, method.name, cpython.function(&method, nullptr, nullptr));
  Object* result = done ? cpython.evaluate(code, names, names) : nullptr;
  Object* found = result ? cpython.get_item(names, "serve") : nullptr;
  if (found) cpython.keep(found);  // and with it all of its names
  for (Object* object : {result, names, code}) {
    if (object) cpython.forget(object);
  }
  return found;
}

void let_go() {
  cpython.forget(served);
  served = nullptr;
  is_set_up.store(false, std::memory_order_release);
}

void work() {
  if (!served) {
    if (to_take_back.load(kRelaxed) || unable.load(kRelaxed)) return;
    if (const char* why = obstacle()) return refuse(why);
    served = run_file();
    if (!served) return;
    is_set_up.store(true, std::memory_order_release);
  }
  Object* result = cpython.call(served, nullptr);
  // False: it is in the middle of something, and is to be asked again.
  const bool done = result && cpython.is_true(result) > 0;
  if (result) cpython.forget(result);
  if (done && words[Allowed].load(kRelaxed) == 0) let_go();
}

int carry_out(void*) {
  if (python_runs()) {
    Object *type = nullptr, *value = nullptr, *trace = nullptr;
    cpython.fetch(&type, &value, &trace);
    work();
    if (cpython.occurred()) {
      // Ctrl-C came while our code ran: it is the program's.
      const bool interrupted = cpython.is_error(*cpython.keyboard_interrupt) != 0;
      cpython.clear();
      if (interrupted) {
        cpython.interrupt();
      } else {
        stop_turning();
        if (!unable.load(kRelaxed)) refuse("The knobs do not work in this interpreter.");
        if (served) let_go();
      }
    }
    cpython.restore(type, value, trace);
  }
  ran_ns.store(now_ns(), kRelaxed);
  asked_ns.store(0, std::memory_order_release);
  return 0;
}

// --- On the library's thread -----------------------------------------------------------------------------------------

bool cpython_known = false;
std::int64_t look_again = 0;
bool nudged = false;
bool released = false;  // the viewer has ended

bool can_ask(std::int64_t now) {
  if (!cpython_known && now >= look_again) {
    cpython_known = find_cpython();
    look_again = now + kSecond;
  }
  return cpython_known && python_runs();
}

void ask(std::int64_t now) {
  asked_ns.store(now, kRelaxed);
  nudged = false;
  if (cpython.add_pending_call(&carry_out, nullptr) != 0) asked_ns.store(0, kRelaxed);  // too many are waiting
}

// Up to 3.12 a main thread that never lets go of the interpreter's lock does not notice a pending call. It does when
// somebody wants the lock: a thread that ends afterwards, since at the interpreter's end it may be held for ever.
void nudge() {
  nudged = true;
  start_thread([](void*) -> void* {
    if (python_runs()) cpython.release(cpython.ensure());
    return nullptr;
  });
}

bool hears = false;  // the bytes of a command
Command heard;

void hear_command() {
  if (heard.bytes == 0 || heard.bytes == sizeof(heard.text)) return;
  if (std::strncmp(heard.text, "set\t", 4) == 0) {  // the program's own wish, so it needs no permission
    heard.text[heard.bytes] = 0;
    char* const value = std::strchr(heard.text + 4, '\t');
    if (!value) return;
    *value = 0;
    set_own_knob(heard.text + 4, value + 1);
    return;
  }
  const std::uint32_t at = commands_heard.load(kRelaxed);
  const bool room = at - commands_taken.load(std::memory_order_acquire) < kCommands;
  if (!room || ring.memory->controls.knobs.load(kRelaxed) != 1) return;
  commands[at % kCommands] = heard;
  commands_heard.store(at + 1, std::memory_order_release);
}

}  // namespace

void hear_knobs(const char* bytes, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (!hears) {
      hears = bytes[i] == 'K';
      heard.bytes = 0;
    } else if (bytes[i] == '\n') {
      hears = false;
      hear_command();
    } else if (heard.bytes < sizeof(heard.text)) {
      heard.text[heard.bytes++] = bytes[i];  // if it gets full it is too long
    }
  }
}

std::int64_t step_knobs(std::int64_t now) {
  const std::int64_t asked = asked_ns.load(std::memory_order_acquire);
  const bool set_up = is_set_up.load(std::memory_order_acquire);
  const bool on = !released && ring.memory->controls.knobs.load(kRelaxed) == 1 && !unable.load(kRelaxed);
  // What is to be taken back is taken back first, even if it is wanted again meanwhile.
  const bool back = set_up && (!on || to_take_back.load(kRelaxed));
  to_take_back.store(back, std::memory_order_release);
  if (on && !back) {
    words[Allowed].store(1, kRelaxed);
  } else {
    stop_turning();
  }
  if (!on) commands_taken.store(commands_heard.load(kRelaxed), std::memory_order_release);
  if (asked != 0) {
    if (now < asked + kComesBy) return asked + kComesBy;
    if (!nudged && python_runs()) nudge();
    return now + kAgain;
  }
  const bool polls = set_up && words[Going].load(kRelaxed) != Nothing;
  const std::int64_t due = ran_ns.load(kRelaxed) + kPollEvery;
  const bool wanted = waiting() || back;
  if (!wanted && !polls) return INT64_MAX;
  if (!wanted && now < due) return due;
  if (can_ask(now)) ask(now);
  return now + kAgain;
}

bool trial_runs() { return words[Going].load(kRelaxed) == Trial; }

void release_knobs() {
  released = true;
  // The main thread may be in a long call; then it does this after it.
  for (const std::int64_t end = now_ns() + kSecond; now_ns() < end;) {
    step_knobs(now_ns());
    if (!is_set_up.load(std::memory_order_acquire) && asked_ns.load(std::memory_order_acquire) == 0) break;
    const timespec nap{0, 5 * kMillisecond};
    nanosleep(&nap, nullptr);
  }
  released = hears = false;  // for the next viewer
  unable.store(false, kRelaxed);
}

void forget_knobs() {
  for (auto& word : words) word.store(0, kRelaxed);
}

}  // namespace lanescope::inject
