#include "base/crash_reports.h"

#if defined(__EMSCRIPTEN__) || defined(LANESCOPE_SANITIZED)

namespace lanescope::base {

bool install_crash_handler(const std::string&) { return false; }

}  // namespace lanescope::base

#else

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstring>
#include <exception>

#include "base/version.h"

// Everything below `on_signal` runs in a signal handler: system calls and fixed memory only. The exception is dladdr(),
// which takes the loader's lock: so the stack comes last, when the rest has been written, and an alarm ends a report
// that does not end.
namespace lanescope::base {
namespace {

struct FatalSignal {
  int number;
  std::string_view name;
};
constexpr std::array<FatalSignal, 5> kSignals{
    {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGBUS, "SIGBUS"}}};
constexpr std::size_t kDeepest = 64;
constexpr unsigned kPatienceSeconds = 10;
constexpr std::size_t kStackBytes = 128 << 10;  // unwinding needs some, and the program's own stack may be used up

std::array<char, PATH_MAX> folder_path{};
std::array<char, 41> build_id{};
alignas(16) std::array<char, kStackBytes> own_stack;
std::terminate_handler terminate_before = nullptr;

constexpr int kNowhere = -1;

/// Text that goes to a file in pieces, or stays here.
class Writer {
 public:
  explicit Writer(int file) : file_(file) {}
  ~Writer() { flush(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& operator<<(std::string_view text) {
    for (const char c : text) {
      if (used_ == buffer_.size()) flush();
      if (used_ < buffer_.size()) buffer_[used_++] = c;
    }
    return *this;
  }
  Writer& number(std::int64_t value, int base = 10, int digits = 1) {
    std::array<char, 24> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, base).ptr;
    for (auto n = end - text.data(); n < digits; ++n) *this << "0";
    return *this << std::string_view(text.data(), end);
  }
  Writer& address(std::uintptr_t value) {
    std::array<char, 24> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, 16).ptr;
    return *this << "0x" << std::string_view(text.data(), end);
  }
  const char* text() const { return buffer_.data(); }
  void flush() {
    if (file_ == kNowhere) return;
    for (std::size_t done = 0; done < used_;) {
      const ssize_t n = ::write(file_, buffer_.data() + done, used_ - done);
      if (n < 0 && errno != EINTR) break;
      if (n > 0) done += static_cast<std::size_t>(n);
    }
    used_ = 0;
  }

 private:
  int file_;
  std::array<char, PATH_MAX + 64> buffer_{};
  std::size_t used_ = 0;
};

void write_time(Writer& out, std::string_view between_days, std::string_view between, std::string_view between_hours) {
  using namespace std::chrono;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const sys_seconds time{seconds(now.tv_sec)};
  const year_month_day day{floor<days>(time)};
  const hh_mm_ss clock{time - floor<days>(time)};
  out.number(static_cast<int>(day.year())) << between_days;
  out.number(static_cast<unsigned>(day.month()), 10, 2) << between_days;
  out.number(static_cast<unsigned>(day.day()), 10, 2) << between;
  out.number(clock.hours().count(), 10, 2) << between_hours;
  out.number(clock.minutes().count(), 10, 2) << between_hours;
  out.number(clock.seconds().count(), 10, 2);
}

// The parents, too.
void make_folder() {
  for (char* at = folder_path.data() + 1; *at != '\0'; ++at) {
    if (*at != '/') continue;
    *at = '\0';
    ::mkdir(folder_path.data(), 0700);
    *at = '/';
  }
  ::mkdir(folder_path.data(), 0700);
}

int open_report() {
  Writer name(kNowhere);
  name << folder_path.data() << "/" << kCrashReportBegin;
  write_time(name, "", "-", "");
  name << "-";
  name.number(::getpid()) << kNewCrashReportEnd << std::string_view("", 1);
  return ::open(name.text(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

std::uintptr_t instruction_of(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__) && defined(__linux__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__) && defined(__linux__)
  return machine.pc;
#else
  static_cast<void>(machine);
  return 0;
#endif
}

struct Frames {
  std::array<std::uintptr_t, kDeepest> at{};
  std::size_t count = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* data) {
  Frames& frames = *static_cast<Frames*>(data);
  frames.at[frames.count++] = _Unwind_GetIP(context);
  return frames.count == kDeepest ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// Places are given relative to their file, so that `addr2line -f -C -e FILE` with the same build id names them.
void write_frame(Writer& out, std::uintptr_t at) {
  Dl_info info{};
  out << "  ";
  if (::dladdr(reinterpret_cast<void*>(at), &info) == 0 || info.dli_fname == nullptr) {
    out.address(at) << "\n";
    return;
  }
  const char* slash = std::strrchr(info.dli_fname, '/');
  out << (slash ? slash + 1 : info.dli_fname) << "+";
  out.address(at - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  if (info.dli_sname != nullptr) out << "  " << info.dli_sname;
  out << "\n";
}

void write_stack(Writer& out, const void* context) {
  Frames frames;
  _Unwind_Backtrace(add_frame, &frames);
  const std::uintptr_t fault = instruction_of(context);
  // What is above it is this handler.
  const auto end = frames.at.begin() + static_cast<std::ptrdiff_t>(frames.count);
  auto begin = std::find(frames.at.begin(), end, fault);
  out << "\nstack\n";
  if (begin == end) {
    if (fault != 0) write_frame(out, fault);
    begin = frames.at.begin();
  }
  for (; begin != end; ++begin) write_frame(out, *begin);
}

void write_fact(Writer& out, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  out << name << std::string_view("          ").substr(std::min<std::size_t>(name.size(), 9)) << text << "\n";
}

void write_report(int file, int number, const siginfo_t& signal, const void* context) {
  Writer out(file);
  out << "Lanescope " << kVersion << " ended unexpectedly. This report is only in this file: nothing was sent.\n\n";
  out << "time      ";
  write_time(out, "-", " ", ":");
  out << " UTC\nsignal    ";
  for (const FatalSignal& s : kSignals) {
    if (s.number == number) out << s.name;
  }
  if (signal.si_code == SI_USER) {
    out << ", sent by process ";
    out.number(signal.si_pid);
  } else if (number != SIGABRT) {
    out << " at ";
    out.address(reinterpret_cast<std::uintptr_t>(signal.si_addr));
  }
  out << "\n";
  for (std::size_t i = 0; i < kCrashFacts; ++i) {
    const auto fact = static_cast<CrashFact>(i);
    write_fact(out, crash_fact_name(fact), crash_fact(fact));
  }
  write_fact(out, "build id", build_id.data());
  out.flush();
  write_stack(out, context);
}

void on_signal(int number, siginfo_t* signal, void* context) {
  static std::atomic<bool> taken{false};
  if (taken.exchange(true)) {
    for (;;) ::pause();  // another thread is writing already, and will end the program
  }
  ::signal(SIGALRM, SIG_DFL);
  ::alarm(kPatienceSeconds);
  make_folder();
  if (const int file = open_report(); file >= 0) {
    write_report(file, number, *signal, context);
    ::close(file);
  }
  ::alarm(0);
  // It ends as it would have without a report: when this returns.
  for (const FatalSignal& s : kSignals) ::signal(s.number, SIG_DFL);
  ::raise(number);
}

[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    note_crash_fact(CrashFact::Error, error.what());
  } catch (...) {
    note_crash_fact(CrashFact::Error, "an exception that is none of the standard library");
  }
  if (terminate_before) terminate_before();  // says so on standard error
  std::abort();
}

// Of the program itself, which comes first.
int find_build_id(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const unsigned char*>(info->dlpi_addr + header.p_vaddr);
    const unsigned char* const end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof(note));
      const auto padded = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
      const unsigned char* const bytes = at + sizeof(note) + padded(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz * 2 < build_id.size()) {
        for (std::size_t b = 0; b < note.n_descsz; ++b) {
          build_id[2 * b] = "0123456789abcdef"[bytes[b] >> 4];
          build_id[2 * b + 1] = "0123456789abcdef"[bytes[b] & 15];
        }
        return 1;
      }
      at = bytes + padded(note.n_descsz);
    }
  }
  return 1;
}

}  // namespace

bool install_crash_handler(const std::string& folder) {
  if (folder.empty() || folder.size() >= folder_path.size()) return false;
  std::copy(folder.begin(), folder.end(), folder_path.begin());
  ::dl_iterate_phdr(find_build_id, nullptr);
  if (utsname system{}; ::uname(&system) == 0) {
    note_crash_fact(CrashFact::System, std::string(system.sysname) + ' ' + system.release + ' ' + system.machine);
  }
  Frames ignored;
  _Unwind_Backtrace(add_frame, &ignored);  // whatever it loads or allocates the first time is there now

  stack_t stack{};
  stack.ss_sp = own_stack.data();
  stack.ss_size = own_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction handler {};
  handler.sa_sigaction = on_signal;
  handler.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&handler.sa_mask);
  for (const FatalSignal& s : kSignals) sigaddset(&handler.sa_mask, s.number);
  for (const FatalSignal& s : kSignals) ::sigaction(s.number, &handler, nullptr);
  terminate_before = std::set_terminate(on_terminate);
  return true;
}

}  // namespace lanescope::base

#endif
