#include "inject/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/compat.h"
#include "inject/ring.h"
#include "inject/short_text.h"

namespace lanescope::inject {
namespace {

constexpr std::uint32_t kNamedByProgram = 0xFFFFFFFF;

// Static thread-local storage: no allocation at a thread's first use of it. A library that is opened late gets little
// of it, and the CUDA runtime in our back end needs far more; there an allocation harms nobody.
#ifndef LANESCOPE_OWN_LOOPS
__attribute__((tls_model("initial-exec")))
#endif
thread_local ThreadState* mine = nullptr;
ThreadState nobody;  // for threads that found no state: they are counted once

void send_name(ThreadState& thread, const char* name, std::size_t bytes) {
  const std::uint32_t text = text_id(name, bytes);
  if (text == 0 || text == kLater || text == thread.comm) return;
  const wire::ThreadMessage message{thread.id.load(kRelaxed), text};
  if (ring.send(wire::MessageKind::Thread, message)) thread.comm = text;
}

void forget_if_ended(std::size_t i) {
  std::uint32_t id = threads[i].id.load(std::memory_order_acquire);
  if (id == 0 || syscall(SYS_tgkill, getpid(), id, 0) == 0 || errno != ESRCH) return;
  if (i < wire::kOpenCalls) ring.memory->open[i].thread.store(0, kRelaxed);  // it may have ended within a call
  threads[i].python.store(0, kRelaxed);
  if (threads[i].id.compare_exchange_strong(id, 0)) ring.send(wire::MessageKind::Ended, wire::EndedMessage{id});
}

// A program that starts a thread for each piece of work starts the next one soon after the last has ended: it is told
// now, so that the new one goes on in its place.
void forget_some_ended() {
  constexpr std::size_t kSome = 32;
  static std::atomic<std::size_t> next{0};
  const std::size_t used = threads_used.load(std::memory_order_acquire);
  const std::size_t from = next.fetch_add(kSome, kRelaxed);
  for (std::size_t i = 0; i < used && i < kSome; ++i) forget_if_ended((from + i) % used);
}

ThreadState* take() {
  const std::uint32_t id = thread_id();
  forget_some_ended();
  // A state with this number belonged to a thread that has ended.
  const std::size_t used = threads_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    std::uint32_t old = id;
    threads[i].id.compare_exchange_strong(old, 0);
  }
  for (std::size_t i = 0; i < kThreads; ++i) {
    ThreadState& thread = threads[i];
    std::uint32_t none = 0;
    if (!thread.id.compare_exchange_strong(none, id, std::memory_order_acq_rel)) continue;
    thread.index = static_cast<std::uint32_t>(i);
    thread.open = thread.walked = false;
    thread.generation = thread.comm = 0;
    for (ThreadState::Pushed& pushed : thread.pushed) pushed = {};
    thread.quiet_since_ns.store(0, kRelaxed);
    thread.python.store(0, kRelaxed);
    thread.walked_ns.store(0, kRelaxed);
    std::size_t most = threads_used.load(kRelaxed);
    while (most < i + 1 && !threads_used.compare_exchange_weak(most, i + 1)) {
    }
    char name[17] = {};
    if (prctl(PR_GET_NAME, name) == 0 && name[0] != 0) send_name(thread, name, std::strlen(name));
    return &thread;
  }
  count(ring.status().threads_lost);
  return &nobody;
}

}  // namespace

ThreadState threads[kThreads];
std::atomic<std::size_t> threads_used{0};

ThreadState* this_thread() {
  if (!mine) {
    const int saved = errno;
    mine = take();
    errno = saved;
  }
  return mine == &nobody ? nullptr : mine;
}

void forget_ended_threads() {
  const std::size_t used = threads_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) forget_if_ended(i);
}

void forget_counts() {
  const std::size_t used = threads_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    ThreadState& thread = threads[i];
    thread.calls.store(0, kRelaxed);
    thread.launches.store(0, kRelaxed);
    thread.walks.store(0, kRelaxed);
    thread.newest_call.store(0, kRelaxed);
    thread.comm = thread.lent_stack = 0;
    thread.open = false;  // its end would have the names and the stack of an earlier reader
  }
}

std::uint64_t add_up_counts() {
  std::uint64_t calls = 0, launches = 0, walks = 0;
  const std::size_t used = threads_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    calls += threads[i].calls.load(kRelaxed);
    launches += threads[i].launches.load(kRelaxed);
    walks += threads[i].walks.load(kRelaxed);
  }
  ring.status().calls_seen.store(calls, kRelaxed);
  ring.status().walks.store(walks, kRelaxed);
  return launches;
}

std::uint32_t newest_call() {
  std::uint32_t newest = 0;
  const std::size_t used = threads_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const std::uint32_t call = threads[i].newest_call.load(kRelaxed);
    if (call != 0 && (newest == 0 || static_cast<std::int32_t>(call - newest) > 0)) newest = call;
  }
  return newest;
}

void send_thread_names() {
  const std::size_t used = threads_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    ThreadState& thread = threads[i];
    const std::uint32_t id = thread.id.load(std::memory_order_acquire);
    if (id == 0 || thread.comm == kNamedByProgram) continue;
    Line<64> path;
    path.add("/proc/self/task/").add(std::uint64_t{id}).add("/comm");
    char name[32];
    std::size_t bytes = read_file(path.c_str(), name, sizeof(name));
    if (bytes > 0 && name[bytes - 1] == '\n') --bytes;
    if (bytes > 0) send_name(thread, name, bytes);
  }
}

void name_thread(std::uint32_t thread, const char* name, std::size_t bytes) {
  const wire::ThreadMessage message{thread, text_or_none(name, bytes)};
  if (message.name == 0 || !ring.send(wire::MessageKind::Thread, message)) return;
  const std::size_t used = threads_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    if (threads[i].id.load(kRelaxed) == thread) threads[i].comm = kNamedByProgram;
  }
}

std::size_t read_file(const char* path, char* out, std::size_t room) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t n = read(file, out, room - 1);
  close(file);
  out[n > 0 ? n : 0] = 0;
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

}  // namespace lanescope::inject
