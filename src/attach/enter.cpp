#include "attach/enter.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <vector>

#include "attach/launcher.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;
using Address = std::uint64_t;

constexpr Nanoseconds kGiveUp = 2 * base::kSecond;
constexpr Nanoseconds kNextTry = base::kMillisecond;         // no thread waits just now
constexpr Nanoseconds kAskAgain = 200 * base::kMillisecond;  // a library that was just falling asleep again
constexpr Nanoseconds kPythonComes = base::kSecond;          // to its next bytecode
constexpr Nanoseconds kOtherViewerLeaves = 100 * base::kMillisecond;
constexpr Nanoseconds kStops = 20 * base::kMillisecond;  // a thread that was told to
constexpr std::uint64_t kShortTurn = 500'000;            // ns; all of it takes less
constexpr const char* kEntry = "lanescope_enter";
constexpr int kServing = 1;  // what that returns while another viewer is there

Nanoseconds monotonic_now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * base::kSecond + t.tv_nsec;
}

void pause_for(Nanoseconds ns) {
  const timespec t{static_cast<time_t>(ns / base::kSecond), static_cast<long>(ns % base::kSecond)};
  ::nanosleep(&t, nullptr);
}

[[noreturn]] void refuse(pid_t pid, const std::string& why) {
  throw base::Error(
      tr("{} (process {}) cannot be attached to: {}", process_name(static_cast<std::uint32_t>(pid)), pid, why));
}

std::string proc(pid_t pid, const std::string& what) { return fmt::format("/proc/{}/{}", pid, what); }

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// What follows "Name:\t" in a status of /proc.
std::string status_field(const std::string& status, const std::string& name) {
  const std::size_t at = status.find("\n" + name + ":\t");
  if (at == std::string::npos) return {};
  const std::size_t from = at + name.size() + 3;
  return status.substr(from, status.find('\n', from) - from);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<int> ptrace_scope() {
  int scope = 0;
  std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
  if (!(file >> scope)) return std::nullopt;
  return scope;
}

// --- Its memory ------------------------------------------------------------------------------------------------------

/// A file that is mapped, by where it begins.
struct Module {
  std::string path;
  Address base = 0;
};

std::vector<Module> modules_of(pid_t pid) {
  std::vector<Module> modules;
  std::istringstream maps(text_of(proc(pid, "maps")));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos || (!modules.empty() && modules.back().path == line.substr(slash))) continue;
    Address base = 0;
    std::from_chars(line.data(), line.data() + line.size(), base, 16);
    modules.push_back({line.substr(slash), base});
  }
  return modules;
}

std::string file_name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_libc(const std::string& name) { return name.starts_with("libc.so") || name.starts_with("libc-2"); }

/// Of a program that has only just been started the loader is mapped before what it loads.
std::vector<Module> modules_once_started(pid_t pid) {
  for (const Nanoseconds began = monotonic_now();;) {
    std::vector<Module> modules = modules_of(pid);
    const auto any = [&](auto is) {
      return std::ranges::any_of(modules, [&](const Module& module) { return is(file_name_of(module.path)); });
    };
    const bool loads = any([](const std::string& name) { return name.starts_with("ld-linux"); }) && !any(is_libc);
    if (!loads || monotonic_now() > began + kGiveUp) return modules;
    pause_for(kNextTry);
  }
}

class Memory {
 public:
  explicit Memory(pid_t pid) : file_(::open(proc(pid, "mem").c_str(), O_RDWR | O_CLOEXEC)) {}
  ~Memory() {
    if (file_ >= 0) ::close(file_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  bool is_open() const { return file_ >= 0; }
  bool read(Address at, void* out, std::size_t bytes) const {
    return ::pread(file_, out, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  }
  bool write(Address at, const void* from, std::size_t bytes) const {
    return ::pwrite(file_, from, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  }
  template <typename T>
  T get(Address at) const {
    T value{};
    if (!read(at, &value, sizeof(value))) value = T{};
    return value;
  }

 private:
  int file_;
};

/// The functions that a module exports, from its memory: its file may be in a container, or have been replaced since.
class Exports {
 public:
  Exports(const Memory& memory, const Module& module) : memory_(memory) {
    const auto header = memory.get<Elf64_Ehdr>(module.base);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phnum > 64) return;
    std::optional<Address> first;
    Address dynamic = 0;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      const auto part = memory.get<Elf64_Phdr>(module.base + header.e_phoff + i * sizeof(Elf64_Phdr));
      if (part.p_type == PT_LOAD && !first) first = part.p_vaddr & ~Address{4095};
      if (part.p_type == PT_DYNAMIC) dynamic = part.p_vaddr;
    }
    if (!first || dynamic == 0) return;
    bias_ = module.base - *first;
    // The C library replaces these by addresses where it may write to them.
    const auto place = [&](Address value) { return value < module.base ? value + bias_ : value; };
    for (unsigned i = 0; i < 256; ++i) {
      const auto entry = memory.get<Elf64_Dyn>(dynamic + bias_ + i * sizeof(Elf64_Dyn));
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_SYMTAB) symbols_ = place(entry.d_un.d_ptr);
      if (entry.d_tag == DT_STRTAB) names_ = place(entry.d_un.d_ptr);
      if (entry.d_tag == DT_GNU_HASH) hashes_ = place(entry.d_un.d_ptr);
    }
  }

  /// 0: it has none of this name.
  Address find(std::string_view name) const {
    if (symbols_ == 0 || names_ == 0 || hashes_ == 0) return 0;
    struct Table {
      std::uint32_t buckets, first, words, shift;
    };
    const auto table = memory_.get<Table>(hashes_);
    if (table.buckets == 0 || table.buckets > (1u << 20)) return 0;
    std::uint32_t hash = 5381;
    for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
    const Address buckets = hashes_ + sizeof(Table) + Address{table.words} * 8, chains = buckets + table.buckets * 4;
    auto index = memory_.get<std::uint32_t>(buckets + hash % table.buckets * 4);
    if (index < table.first) return 0;
    for (int step = 0; step < 4096; ++step, ++index) {
      const auto chained = memory_.get<std::uint32_t>(chains + (index - table.first) * 4);
      if ((chained | 1) == (hash | 1)) {
        const auto symbol = memory_.get<Elf64_Sym>(symbols_ + index * sizeof(Elf64_Sym));
        std::string found(name.size() + 1, '\0');
        const bool same = memory_.read(names_ + symbol.st_name, found.data(), found.size()) && found.back() == '\0' &&
                          std::string_view(found).substr(0, name.size()) == name;
        const bool plain = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC || ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT;
        if (same && plain && symbol.st_shndx != SHN_UNDEF) return symbol.st_value + bias_;
      }
      if ((chained & 1) != 0) break;
    }
    return 0;
  }

 private:
  const Memory& memory_;
  Address bias_ = 0, symbols_ = 0, names_ = 0, hashes_ = 0;
};

// --- Asleep ----------------------------------------------------------------------------------------------------------

/// A path of the process's, which may be in a container, as one of ours.
std::filesystem::path seen_from_here(const RunningProcess& process, const std::filesystem::path& path) {
  return process.root().empty() ? path : process.root() / path.relative_path();
}
std::string seen_from_there(const RunningProcess& process, const std::filesystem::path& path) {
  const std::string text = path.string(), root = process.root().string();
  return !root.empty() && text.starts_with(root + "/") ? text.substr(root.size()) : text;
}

/// While it lives, writing to a pipe that nobody reads any more only fails.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec none{};
    if (sigismember(&before_, SIGPIPE) == 0) ::sigtimedwait(&pipe_, nullptr, &none);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

/// Wakes the library that waits in this process. False: there is none.
bool wake_library(const RunningProcess& process, const Meet& meet) {
  const std::string environment = text_of(proc(process.pid(), "environ"));
  const std::string_view variable = "XDG_RUNTIME_DIR=";
  std::string runtime = "/tmp";
  for (std::size_t at = 0; at < environment.size(); at = environment.find('\0', at) + 1) {
    const std::string entry = environment.c_str() + at;
    if (entry.starts_with(std::string(variable) + "/")) runtime = entry.substr(variable.size());
    if (environment.find('\0', at) == std::string::npos) break;
  }
  const std::vector<std::string> numbers = words_of(status_field(text_of(proc(process.pid(), "status")), "NSpid"));
  const std::string own = numbers.empty() ? std::to_string(process.pid()) : numbers.back();
  const auto path =
      seen_from_here(process, std::filesystem::path(runtime) / fmt::format("lanescope-sleep-{}", ::geteuid()) / own);
  const std::string line = seen_from_there(process, meet.socket) + "\n";
  const NoPipeSignal no_pipe_signal;
  bool written = false;
  const Nanoseconds began = monotonic_now();
  for (Nanoseconds now = began, again = now; now < began + kGiveUp; now = monotonic_now()) {
    if (meet.has_arrived()) return true;
    if (now >= again) {
      // Only while a sleeping library waits at the other end can the file be opened. ENXIO: there is such a library,
      // but its thread is still reading what somebody else wrote.
      const int fifo = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
      bool there = fifo < 0 && errno == ENXIO;
      if (fifo >= 0) {
        struct stat facts {};
        there = ::fstat(fifo, &facts) == 0 && S_ISFIFO(facts.st_mode) && facts.st_uid == ::geteuid();
        if (there) written = ::write(fifo, line.data(), line.size()) == static_cast<ssize_t>(line.size()) || written;
        ::close(fifo);
      }
      if (!written && (!there || now > began + kAskAgain)) return false;
      if (written) again = now + kAskAgain;
    }
    pause_for(kNextTry);
  }
  return false;
}

// --- Python ----------------------------------------------------------------------------------------------------------

// Where CPython 3.14 says of itself what is to be written (PEP 768), counted in numbers of 64 bits from the beginning
// of _PyRuntime.
enum PythonPlace : unsigned {
  kVersion = 1,
  kFreeThreaded = 2,
  kFirstInterpreter = 5,
  kMainThread = 10,
  kBreaker = 89,
  kSupport,
  kEnabled,
  kPending,
  kScript,
  kScriptBytes,
  kPythonPlaces
};
constexpr std::uint64_t kPleaseStop = 1 << 5;  // in the breaker of its evaluation loop

std::string quoted_for_python(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

/// Asks Python to load the library. False: it is another version, does not want to, or does not come to it.
bool ask_python(const RunningProcess& process, const Memory& memory, std::span<const Module> modules,
                const std::string& library, const Meet& meet) {
  for (const Module& module : modules) {
    const std::string name = file_name_of(module.path);
    if (!name.starts_with("python") && !name.starts_with("libpython")) continue;
    const Address runtime = Exports(memory, module).find("_PyRuntime");
    if (runtime == 0) continue;
    const auto places = memory.get<std::array<std::uint64_t, kPythonPlaces>>(runtime);
    const bool described = std::memcmp(places.data(), "xdebugpy", 8) == 0 && places[kVersion] >> 16 == 0x030E;
    // A pre-release may have them elsewhere.
    if (!described || (places[kVersion] >> 4 & 0xF) != 0xF || places[kScriptBytes] > 4096) return false;
    const auto interpreter = memory.get<Address>(runtime + places[kFirstInterpreter]);
    const auto thread = interpreter == 0 ? 0 : memory.get<Address>(interpreter + places[kMainThread]);
    if (thread == 0 || memory.get<std::int32_t>(interpreter + places[kEnabled]) != 1) return false;
    const auto script = meet.socket.parent_path() / "enter.py";
    std::ofstream(script) << "import ctypes\nctypes.CDLL(" << quoted_for_python(library) << ")." << kEntry << "("
                          << quoted_for_python(seen_from_there(process, meet.socket)) << ".encode())\n";
    const std::string there = seen_from_there(process, script);
    if (there.size() + 1 > places[kScriptBytes]) return false;
    const Address support = thread + places[kSupport], pending = support + places[kPending];
    const Address breaker = thread + places[kBreaker];
    const std::int32_t one = 1, none = 0;
    if (!memory.write(support + places[kScript], there.c_str(), there.size() + 1) ||
        !memory.write(pending, &one, sizeof(one))) {
      return false;
    }
    const std::uint64_t stop = memory.get<std::uint64_t>(breaker) | kPleaseStop;
    memory.write(breaker, &stop, sizeof(stop));
    const Nanoseconds asked = monotonic_now();
    while (monotonic_now() < asked + kGiveUp) {
      if (meet.has_arrived()) return true;
      if (process.ended()) return false;
      if (monotonic_now() > asked + kPythonComes && memory.get<std::int32_t>(pending) == 1) {
        memory.write(pending, &none, sizeof(none));  // its main thread waits for something
        return false;
      }
      pause_for(kNextTry);
    }
    return false;
  }
  return false;
}

// --- A thread --------------------------------------------------------------------------------------------------------

#if defined(__x86_64__)

// What is put into the process: two pieces of code, and this. The first piece runs on the thread that was stopped, and
// starts a thread; the second one is what that thread does. It is all that the stopped thread has to do: the loader may
// take its time, and wait for other threads, while nobody is stopped.
struct Block {
  Address attr_init, set_detached, create, start;  // pthread_attr_init() and so on; the second piece
  Address open, symbol, error_of, unmap;           // dlopen(), dlsym(), dlerror(), munmap()
  Address base, bytes;                             // of all that was mapped for this
  std::uint32_t state;                             // 0: under way, 1: it was called, 2: the library was not loaded
  std::uint32_t released;                          // 1: the stopped thread is away, and all this may go
  std::int32_t result, unused;                     // of lanescope_enter()
  Address thread;
  std::int64_t nap[2];  // a timespec
  char attributes[64];  // pthread_attr_t has 56
  char name[32], path[512], socket[128], error[512];
};
static_assert(offsetof(Block, open) == 32 && offsetof(Block, base) == 64 && offsetof(Block, state) == 80 &&
              offsetof(Block, thread) == 96 && offsetof(Block, attributes) == 120 && offsetof(Block, name) == 184 &&
              offsetof(Block, path) == 216 && offsetof(Block, socket) == 728 && offsetof(Block, error) == 856);

asm(R"(
  .pushsection .rodata
  .balign 16
lanescope_stopped_code:
  lea   120(%rbx), %rdi
  call  *0(%rbx)
  lea   120(%rbx), %rdi
  mov   $1, %esi
  call  *8(%rbx)
  lea   96(%rbx), %rdi
  lea   120(%rbx), %rsi
  mov   24(%rbx), %rdx
  mov   %rbx, %rcx
  call  *16(%rbx)
  int3
lanescope_thread_code:
  push  %rbx
  push  %r12
  sub   $8, %rsp
  mov   %rdi, %rbx
  lea   216(%rbx), %rdi
  mov   $2, %esi
  call  *32(%rbx)
  test  %rax, %rax
  jz    2f
  mov   %rax, %rdi
  lea   184(%rbx), %rsi
  call  *40(%rbx)
  test  %rax, %rax
  jz    2f
  lea   728(%rbx), %rdi
  call  *%rax
  mov   %eax, 88(%rbx)
  movl  $1, 80(%rbx)
  jmp   5f
2:
  call  *48(%rbx)
  test  %rax, %rax
  jz    4f
  mov   %rax, %rsi
  lea   856(%rbx), %rdi
  mov   $511, %ecx
3:
  lodsb
  stosb
  test  %al, %al
  jz    4f
  dec   %ecx
  jnz   3b
4:
  movl  $2, 80(%rbx)
5:
  mov   $3000, %r12d
6:
  cmpl  $0, 84(%rbx)
  jne   7f
  lea   104(%rbx), %rdi
  xor   %esi, %esi
  mov   $35, %eax
  syscall
  dec   %r12d
  jnz   6b
  xor   %eax, %eax
  add   $8, %rsp
  pop   %r12
  pop   %rbx
  ret
7:
  mov   64(%rbx), %rdi
  mov   72(%rbx), %rsi
  mov   56(%rbx), %rax
  add   $8, %rsp
  pop   %r12
  pop   %rbx
  jmp   *%rax
lanescope_code_end:
  .popsection
)");
extern "C" {
extern const unsigned char lanescope_stopped_code[], lanescope_thread_code[], lanescope_code_end[];
}

constexpr Address kPage = 4096, kPages = 20;  // code, block, and a stack for the stopped thread

/// While it lives, what would end this program waits: a thread of another program must not be left where it was put.
class EndLater {
 public:
  EndLater() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction note {};
      note.sa_handler = [](int number) { noted = number; };
      ::sigaction(kSignals[i], &note, &before_[i]);
    }
  }
  ~EndLater() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    if (const int number = noted; number != 0) {
      noted = 0;
      ::raise(number);
    }
  }
  EndLater(const EndLater&) = delete;
  EndLater& operator=(const EndLater&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};
  static inline volatile std::sig_atomic_t noted = 0;
  std::array<struct sigaction, kSignals.size()> before_{};
};

/// While it lives, these threads run soon after they are woken, on kernels that let everybody ask for that
/// (Linux 6.12): where all cores are busy, each step would otherwise wait for its turn.
class ShortTurns {
 public:
  explicit ShortTurns(pid_t other) : threads_{static_cast<pid_t>(::syscall(SYS_gettid)), other} {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      Attributes wanted{};
      known_[i] =
          ::syscall(SYS_sched_getattr, threads_[i], &before_[i], sizeof(Attributes), 0) == 0 && before_[i].policy == 0;
      if (!known_[i]) continue;
      wanted = before_[i];
      wanted.runtime = kShortTurn;
      ::syscall(SYS_sched_setattr, threads_[i], &wanted, 0);
    }
  }
  ~ShortTurns() {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (known_[i]) ::syscall(SYS_sched_setattr, threads_[i], &before_[i], 0);
    }
  }
  ShortTurns(const ShortTurns&) = delete;
  ShortTurns& operator=(const ShortTurns&) = delete;

 private:
  struct Attributes {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  };
  std::array<pid_t, 2> threads_;
  std::array<Attributes, 2> before_{};
  std::array<bool, 2> known_{};
};

/// One thread of the process, stopped, with all that makes it go on as if nothing had been. It goes on when this ends.
class StoppedThread {
 public:
  explicit StoppedThread(pid_t thread) : thread_(thread) {
    if (::ptrace(PTRACE_SEIZE, thread_, 0, 0) != 0) {
      reason_ = errno;
      return;
    }
    seized_ = true;
    since_ = monotonic_now();
    if (::ptrace(PTRACE_INTERRUPT, thread_, 0, 0) != 0 || !wait_for_stop(kStops)) return;
    stopped_ = true;
    iovec room{state_.data(), state_.size()};
    if (::ptrace(PTRACE_GETREGS, thread_, 0, &registers_) != 0 ||
        ::ptrace(PTRACE_GETSIGMASK, thread_, 8, &mask_) != 0 ||
        ::ptrace(PTRACE_GETREGSET, thread_, NT_X86_XSTATE, &room) != 0) {
      return;
    }
    state_bytes_ = room.iov_len;
    kept_ = true;
  }
  ~StoppedThread() { let_go(); }
  StoppedThread(const StoppedThread&) = delete;
  StoppedThread& operator=(const StoppedThread&) = delete;

  bool is_there() const { return kept_; }
  int reason() const { return reason_; }  ///< errno, if it could not be stopped
  const user_regs_struct& registers() const { return registers_; }

  /// It will be put back to where it was before it was stopped; the call in which it was is made anew by the kernel.
  void let_go() {
    if (!seized_) return;
    seized_ = false;
    if (!stopped_) {  // it was running on; it stops before it can be left
      if (!wait_for_stop(kGiveUp)) return;
    }
    if (changed_) {
      iovec state{state_.data(), state_bytes_};
      ::ptrace(PTRACE_SETREGSET, thread_, NT_X86_XSTATE, &state);
      user_regs_struct back = registers_;
      // epoll_wait() and a few others are not made anew, but say that they were interrupted. They were, but by us.
      if (restarts_ && !has_signal()) {
        back.rax = back.orig_rax;
        back.orig_rax = ~0ULL;
        back.rip -= 2;
      }
      ::ptrace(PTRACE_SETREGS, thread_, 0, &back);
      ::ptrace(PTRACE_SETSIGMASK, thread_, 8, &mask_);
    }
    ::ptrace(PTRACE_DETACH, thread_, 0, passed_on_);
    held_ns_ = monotonic_now() - since_;
  }
  Nanoseconds held_ns() const { return held_ns_; }

  /// It waits in a harmless call, and has been interrupted there. If so, its signals wait until it goes on.
  bool take() {
    if (!kept_) return false;
    const auto result = static_cast<std::int64_t>(registers_.rax);
    const bool again = result == -512 || result == -513 || result == -514 || result == -516;  // ERESTART...
    std::array<unsigned char, 2> before{};
    const std::string line = fmt::format("{} {:#x} {:#x} {:#x} {:#x}", static_cast<std::int64_t>(registers_.orig_rax),
                                         registers_.rdi, registers_.rsi, registers_.rdx, registers_.r10);
    if (!harmless_wait(line) || (!again && result != -EINTR) || has_signal()) return false;
    if (!read_word(registers_.rip - 2, before) || before[0] != 0x0F || before[1] != 0x05) return false;
    restarts_ = result == -EINTR;
    std::uint64_t mask = ~std::uint64_t{0};
    for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS})
      mask &= ~(std::uint64_t{1} << (fault - 1));
    changed_ = true;
    return ::ptrace(PTRACE_SETSIGMASK, thread_, 8, &mask) == 0;
  }

  /// A system call made by the thread; -errno.
  std::int64_t call(std::uint64_t number, std::array<std::uint64_t, 6> arguments) {
    user_regs_struct r = registers_;
    r.rax = number;
    r.orig_rax = ~0ULL;
    r.rip -= 2;
    r.rdi = arguments[0], r.rsi = arguments[1], r.rdx = arguments[2];
    r.r10 = arguments[3], r.r8 = arguments[4], r.r9 = arguments[5];
    if (::ptrace(PTRACE_SETREGS, thread_, 0, &r) != 0 || !run(PTRACE_SINGLESTEP)) return -ESRCH;
    return static_cast<std::int64_t>(after_.rax);
  }
  /// Runs code that ends with int3.
  std::optional<std::int64_t> jump(Address code, Address stack, Address block) {
    user_regs_struct r = registers_;
    r.orig_rax = ~0ULL;
    r.rip = code;
    r.rsp = stack;
    r.rbx = block;
    r.rbp = 0;
    r.eflags &= ~0x400ULL;  // upwards
    if (::ptrace(PTRACE_SETREGS, thread_, 0, &r) != 0 || !run(PTRACE_CONT)) return std::nullopt;
    return static_cast<std::int32_t>(after_.rax);
  }

 private:
  bool wait_for_stop(Nanoseconds patience) {
    for (const Nanoseconds until = monotonic_now() + patience;;) {
      const pid_t got = ::waitpid(thread_, &status_, __WALL | WNOHANG);
      if (got == thread_) {
        if (WIFSTOPPED(status_)) return true;
        seized_ = false;  // it has ended
        return false;
      }
      if (got < 0 && errno != EINTR) return false;
      if (monotonic_now() > until) return false;
      pause_for(5 * base::kMicrosecond);
    }
  }
  // Until the trap; what else stops it is none of ours, and is passed on when it goes on.
  template <typename Request>
  bool run(Request request) {
    for (;;) {
      stopped_ = false;
      if (::ptrace(request, thread_, 0, 0) != 0 || !wait_for_stop(kGiveUp)) return false;
      stopped_ = true;
      if (WSTOPSIG(status_) == SIGTRAP && status_ >> 16 == 0) break;
      if (status_ >> 16 != 0) continue;  // the whole program is stopped or goes on (SIGSTOP, SIGCONT)
      passed_on_ = WSTOPSIG(status_);
      return false;
    }
    return ::ptrace(PTRACE_GETREGS, thread_, 0, &after_) == 0;
  }
  /// It has a signal to handle.
  bool has_signal() const {
    const std::string status = text_of(proc(thread_, "status"));
    const auto bits = [&](const char* name) {
      const std::string field = status_field(status, name);
      std::uint64_t value = 0;
      std::from_chars(field.data(), field.data() + field.size(), value, 16);
      return value;
    };
    return ((bits("SigPnd") | bits("ShdPnd")) & ~mask_) != 0;
  }
  bool read_word(Address at, std::array<unsigned char, 2>& out) const {
    errno = 0;
    const long word = ::ptrace(PTRACE_PEEKTEXT, thread_, at, 0);
    std::memcpy(out.data(), &word, out.size());
    return errno == 0;
  }

  pid_t thread_;
  int reason_ = 0, status_ = 0, passed_on_ = 0;
  bool seized_ = false, stopped_ = false, kept_ = false, changed_ = false, restarts_ = false;
  Nanoseconds since_ = 0, held_ns_ = 0;
  user_regs_struct registers_{}, after_{};
  std::uint64_t mask_ = 0;
  alignas(64) std::array<unsigned char, 16384> state_{};
  std::size_t state_bytes_ = 0;
};

/// The threads that wait where they may be disturbed, the best first: none of the driver's if there are others, and
/// rather not the main thread.
std::vector<pid_t> waiting_threads(pid_t pid) {
  std::vector<std::pair<int, pid_t>> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(proc(pid, "task"), error), end; !error && at != end;
       at.increment(error)) {
    const std::string folder = at->path().string();
    const auto harm = harmless_wait(text_of(folder + "/syscall"));
    if (!harm) continue;
    const pid_t thread = std::atoi(at->path().filename().c_str());
    const bool of_driver = text_of(folder + "/comm").starts_with("cuda");
    found.emplace_back(*harm + (of_driver ? 20 : 0) + (thread == pid ? 1 : 0), thread);
  }
  std::ranges::sort(found);
  std::vector<pid_t> threads;
  for (const auto& [harm, thread] : found) threads.push_back(thread);
  return threads;
}

Block block_for(const RunningProcess& process, const Memory& memory, std::span<const Module> modules,
                const std::string& library, const std::string& socket) {
  Block block{};
  const std::array<std::pair<const char*, Address Block::*>, 7> wanted{
      {{"pthread_attr_init", &Block::attr_init},
       {"pthread_attr_setdetachstate", &Block::set_detached},
       {"pthread_create", &Block::create},
       {"dlopen", &Block::open},
       {"dlsym", &Block::symbol},
       {"dlerror", &Block::error_of},
       {"munmap", &Block::unmap}}};
  bool musl = false, libc = false;
  for (const Module& module : modules) {
    const std::string name = file_name_of(module.path);
    musl = musl || name.starts_with("ld-musl");
    // Until glibc 2.34 they were in libraries of their own.
    const bool of_libc = is_libc(name);
    if (!of_libc && !name.starts_with("libpthread") && !name.starts_with("libdl")) continue;
    libc = libc || of_libc;
    const Exports exports(memory, module);
    for (const auto& [symbol, place] : wanted) {
      if (block.*place == 0) block.*place = exports.find(symbol);
    }
  }
  if (musl) refuse(process.pid(), tr("it uses musl instead of glibc, for which there is no library"));
  if (!libc) refuse(process.pid(), tr("it is linked statically, so no library can be loaded"));
  for (const auto& [symbol, place] : wanted) {
    if (block.*place == 0) refuse(process.pid(), tr("its C library is too old, and has no {} yet", symbol));
  }
  if (library.size() >= sizeof(block.path) || socket.size() >= sizeof(block.socket)) {
    refuse(process.pid(), tr("the path is too long"));
  }
  block.nap[1] = base::kMillisecond;
  std::strcpy(block.name, kEntry);
  library.copy(block.path, sizeof(block.path) - 1);
  socket.copy(block.socket, sizeof(block.socket) - 1);
  return block;
}

/// Puts the block into the process and runs its first piece there. 0, an errno, or none: this thread cannot be used.
std::optional<int> start_thread_on(StoppedThread& thread, const Memory& memory, Block& block) {
  constexpr std::uint64_t kRead = 1, kWrite = 2, kExecute = 4, kPrivate = 2, kFixed = 0x10, kAnonymous = 0x20;
  if (!thread.take()) return std::nullopt;
  const auto none = ~std::uint64_t{0};
  // One mapping for all, so that there is one stop less; two where nothing may be both written and executed.
  const auto map = [&](Address where, Address bytes, std::uint64_t rights) {
    return thread.call(SYS_mmap, {where, bytes, rights, kPrivate | kAnonymous | (where != 0 ? kFixed : 0), none, 0});
  };
  std::int64_t at = map(0, kPages * kPage, kRead | kWrite | kExecute), code = 0;
  if (at == -EACCES || at == -EPERM) {
    at = map(0, kPages * kPage, kRead | kWrite);
    if (at >= 0) code = map(static_cast<Address>(at), kPage, kRead | kExecute);
  }
  if (at < 0) return static_cast<int>(-at);
  const auto base = static_cast<Address>(at);
  const Address second = base + static_cast<Address>(lanescope_thread_code - lanescope_stopped_code);
  block.base = base;
  block.bytes = kPages * kPage;
  block.start = second;
  const auto code_bytes = static_cast<std::size_t>(lanescope_code_end - lanescope_stopped_code);
  int result = code < 0 ? static_cast<int>(-code) : 0;
  if (result == 0 &&
      (!memory.write(base, lanescope_stopped_code, code_bytes) || !memory.write(base + kPage, &block, sizeof(block)))) {
    result = EFAULT;
  }
  if (result == 0) {
    const auto made = thread.jump(base, base + block.bytes - 64, base + kPage);
    if (!made) return ESRCH;
    result = static_cast<int>(*made);
  }
  if (result != 0) thread.call(SYS_munmap, {base, block.bytes, 0, 0, 0, 0});
  return result;
}

struct Attempt {
  bool done = false, serving = false;
  Nanoseconds held_ns = 0;
  std::string why;
};

Attempt enter_by_thread(const RunningProcess& process, const Memory& memory, const Block& wanted) {
  Attempt attempt;
  attempt.why =
      tr("none of its threads waits in a call in which it may be interrupted; try again, or start it with "
         "lanescope attach -- COMMAND");
  for (const pid_t id : waiting_threads(process.pid())) {
    Block block = wanted;
    std::optional<int> result;
    {
      const EndLater end_later;
      const ShortTurns short_turns(id);
      StoppedThread thread(id);
      if (thread.reason() == EPERM || thread.reason() == EACCES)
        refuse(process.pid(), why_not_permitted(ptrace_scope()));
      result = start_thread_on(thread, memory, block);
      thread.let_go();
      attempt.held_ns = thread.held_ns();
    }
    if (!result) continue;
    if (*result != 0) {
      const bool filtered = status_field(text_of(proc(process.pid(), "status")), "Seccomp") == "2";
      refuse(process.pid(), tr("it cannot start a thread for the library: {}{}", std::strerror(*result),
                               filtered ? tr("; it runs under a seccomp filter") : std::string()));
    }
    const Address at = block.base + kPage;
    for (const Nanoseconds until = monotonic_now() + kGiveUp;;) {
      const auto state = memory.get<std::uint32_t>(at + offsetof(Block, state));
      if (state != 0 || monotonic_now() > until) break;
      if (process.ended()) refuse(process.pid(), tr("it has ended"));
      pause_for(kNextTry / 4);
    }
    memory.read(at, &block, sizeof(block));
    const std::uint32_t released = 1;
    memory.write(at + offsetof(Block, released), &released, sizeof(released));
    block.error[sizeof(block.error) - 1] = 0;
    if (block.state == 2) refuse(process.pid(), tr("its loader says: {}", block.error));
    if (block.state == 0) refuse(process.pid(), tr("its loader is busy; try again when it has started"));
    if (block.result != 0 && block.result != kServing) {
      refuse(process.pid(), tr("it cannot start a thread for the library: {}{}", block.result, ""));
    }
    attempt.done = block.result == 0;
    attempt.serving = block.result == kServing;
    return attempt;
  }
  return attempt;
}

#endif

/// What makes it pointless to stop a thread.
void check_before_entering(const RunningProcess& process, std::span<const Module> modules, const Memory& memory) {
  const pid_t pid = process.pid();
  const std::string tracer = status_field(text_of(proc(pid, "status")), "TracerPid");
  if (!tracer.empty() && tracer != "0") {
    refuse(pid, tr("a debugger or strace is attached to it (process {}): end that first", tracer));
  }
  if (!memory.is_open()) refuse(pid, why_not_permitted(ptrace_scope()));
  for (const Module& module : modules) {
    const std::string_view tool = other_tool(file_name_of(module.path));
    if (!tool.empty()) refuse(pid, tr("{} watches it already: run the program without that", tool));
  }
  std::array<unsigned char, EI_NIDENT + 4> head{};
  std::ifstream(proc(pid, "exe"), std::ios::binary).read(reinterpret_cast<char*>(head.data()), head.size());
  std::uint16_t machine = 0;
  std::memcpy(&machine, &head[EI_NIDENT + 2], sizeof(machine));
#if defined(__x86_64__)
  constexpr std::uint16_t kOurs = EM_X86_64;
#else
  constexpr std::uint16_t kOurs = EM_AARCH64;
#endif
  if (head[EI_CLASS] != ELFCLASS64 || machine != kOurs)
    refuse(pid, tr("it is a program for another kind of processor"));
}

}  // namespace

// --- RunningProcess --------------------------------------------------------------------------------------------------

RunningProcess::RunningProcess(pid_t pid) : pid_(pid) {
  file_ = pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1;
  if (file_ < 0) throw base::Error(tr("there is no process {}", pid));
  try {
    const std::string status = text_of(proc(pid, "status"));
    if (ended() || status_field(status, "State").starts_with("Z")) refuse(pid, tr("it has ended"));
    if (pid == ::getpid()) refuse(pid, tr("it is this program"));
    const std::string own = std::to_string(::geteuid());
    for (const std::string& user : words_of(status_field(status, "Uid"))) {
      if (user != own) refuse(pid, tr("it belongs to another user: run lanescope as that one"));
    }
    struct stat there {
    }, here{};
    const std::string root = proc(pid, "root");
    if (::stat((root + "/.").c_str(), &there) != 0) refuse(pid, why_not_permitted(ptrace_scope()));
    std::error_code error;
    const auto space = [&](const std::string& of) {
      return std::filesystem::read_symlink("/proc/" + of + "/ns/mnt", error).string();
    };
    const bool same_root = ::stat("/", &here) == 0 && here.st_ino == there.st_ino && here.st_dev == there.st_dev;
    if (!same_root || space("self") != space(std::to_string(pid))) root_ = root;
  } catch (...) {
    ::close(file_);
    throw;
  }
}

RunningProcess::~RunningProcess() { ::close(file_); }

bool RunningProcess::ended() const {
  pollfd p{file_, POLLIN, 0};
  return ::poll(&p, 1, 0) > 0;
}

void RunningProcess::wait() const {
  pollfd p{file_, POLLIN, 0};
  while (::poll(&p, 1, -1) < 0 && errno == EINTR) {
  }
}

// --- enter -----------------------------------------------------------------------------------------------------------

Entry enter(const RunningProcess& process, const std::filesystem::path& library, const Meet& meet) {
  if (wake_library(process, meet)) return {Entry::Way::Asleep, 0};
  const Memory memory(process.pid());
  const std::vector<Module> modules = modules_once_started(process.pid());
  check_before_entering(process, modules, memory);
  // A container has files of its own: there the library lies beside the socket.
  std::filesystem::path there = library;
  if (!process.root().empty()) {
    there = meet.socket.parent_path() / library.filename();
    std::error_code error;
    std::filesystem::copy_file(library, there, std::filesystem::copy_options::overwrite_existing, error);
    if (error) refuse(process.pid(), tr("{} cannot be written: {}", there.string(), error.message()));
  }
  const std::string library_there = seen_from_there(process, there);
  if (ask_python(process, memory, modules, library_there, meet)) return {Entry::Way::Python, 0};
#if defined(__x86_64__)
  const Block block = block_for(process, memory, modules, library_there, seen_from_there(process, meet.socket));
  for (const Nanoseconds began = monotonic_now();;) {
    const Attempt attempt = enter_by_thread(process, memory, block);
    if (attempt.done) return {Entry::Way::Thread, attempt.held_ns};
    if (process.ended()) refuse(process.pid(), tr("it has ended"));
    if (monotonic_now() > began + kGiveUp) {
      refuse(process.pid(), attempt.serving ? tr("another Lanescope watches it") : attempt.why);
    }
    pause_for(attempt.serving ? kOtherViewerLeaves : kNextTry);
  }
#else
  refuse(process.pid(),
         tr("on this kind of processor that needs Python 3.14, or LANESCOPE_ATTACH=sleep; see the manual"));
#endif
}

// --- For tests -------------------------------------------------------------------------------------------------------

std::optional<int> harmless_wait(std::string_view line) {
#if defined(__x86_64__)
  const std::vector<std::string> words = words_of(std::string(line));
  if (words.size() < 4) return std::nullopt;  // "running"
  const auto number = [&](std::size_t i) { return i < words.size() ? std::strtoull(words[i].c_str(), nullptr, 0) : 0; };
  switch (std::atoi(words[0].c_str())) {
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_restart_syscall:  // one of these was interrupted before, or a futex with a time limit: no mutex has one
      return 0;
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      // Interrupted, it returns instead of going on, so it is made anew: that must not wait for longer than it would.
      if (static_cast<std::int32_t>(number(4)) != -1) return std::nullopt;
      return 2;
    case SYS_read:
    case SYS_accept:
    case SYS_accept4:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_wait4:
    case SYS_waitid:
      return 4;
    case SYS_futex: {
      // For a condition, a semaphore or a thread's end. A mutex may be the allocator's or the loader's, and is waited
      // for by another operation (FUTEX_WAIT).
      constexpr unsigned long long kWaitBitset = 9, kOperation = 0x7F;
      if ((number(2) & kOperation) != kWaitBitset) return std::nullopt;
      return 6;
    }
    default:
      return std::nullopt;
  }
#else
  return line.empty() ? std::nullopt : std::nullopt;
#endif
}

std::string why_not_permitted(std::optional<int> scope) {
  const std::string otherwise =
      tr("Or start it with lanescope attach -- COMMAND, or with LANESCOPE_ATTACH=sleep; see the "
         "manual.");
  switch (scope.value_or(0)) {
    case 1:
      return tr(
          "this system lets only a program's parent do that (Yama). An administrator can allow it: sysctl "
          "kernel.yama.ptrace_scope=0. {}",
          otherwise);
    case 2:
      return tr("this system lets only an administrator do that (kernel.yama.ptrace_scope is 2). {}", otherwise);
    case 3:
      return tr("this system lets nobody do that until it is started anew (kernel.yama.ptrace_scope is 3). {}",
                otherwise);
    default:
      return tr(
          "this system does not permit it. A container needs --cap-add=SYS_PTRACE; a program that has other rights "
          "than its user, or hides its memory, cannot be entered. {}",
          otherwise);
  }
}

std::string_view other_tool(std::string_view file) {
  static constexpr std::pair<std::string_view, std::string_view> kTools[] = {
      {"libToolsInjection", "Nsight Systems"},
      {"libcuda-injection", "Nsight Compute"},
      {"libsanitizer-collection", "compute-sanitizer"},
      {"libTreeLauncherTargetInjection", "Nsight"},
      {"libcuinj64", "nvprof"}};
  for (const auto& [beginning, tool] : kTools) {
    if (file.starts_with(beginning)) return tool;
  }
  return {};
}

}  // namespace lanescope::attach
