#include "inject/target.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace lanescope::inject_tests {
namespace {

using Clock = std::chrono::steady_clock;

template <typename T>
T as(const std::string& content) {
  T message{};
  std::memcpy(&message, content.data(), std::min(sizeof(message), content.size()));
  return message;
}

}  // namespace

const Call* Messages::call(std::uint32_t correlation) const {
  for (const Call& c : calls) {
    if (c.correlation == correlation) return &c;
  }
  return nullptr;
}

Place Messages::place(std::uint32_t stack, const std::string& file) const {
  const auto found = stacks.find(stack);
  if (found == stacks.end()) return {};
  for (const std::uint32_t id : found->second) {
    const auto frame = frames.find(id);
    if (frame != frames.end() && frame->second.file == file) return frame->second;
  }
  return {};
}

std::string Messages::lines(std::uint32_t stack) const {
  const auto found = stacks.find(stack);
  if (found == stacks.end()) return "";
  std::string text;
  for (const std::uint32_t id : found->second) {
    const auto frame = frames.find(id);
    if (!text.empty()) text += " < ";
    text += frame == frames.end() ? "?" : frame->second.function + ":" + std::to_string(frame->second.line);
  }
  return text;
}

Process::Process(int connection, int file, const wire::Hello& h) : hello(h), connection_(connection) {
  void* at = mmap(nullptr, hello.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (at == MAP_FAILED) throw std::runtime_error("the memory file cannot be mapped");
  memory_ = static_cast<wire::Memory*>(at);
}

Process::~Process() {
  hang_up();
  munmap(memory_, hello.bytes);
}

void Process::level(wire::Level level) {
  memory_->controls.level.store(static_cast<std::uint32_t>(level));
  wake();
}

void Process::wake() {
  if (connection_ >= 0 && send(connection_, "!", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
  }
}

void Process::permit_knobs(bool permitted) {
  memory_->controls.knobs.store(permitted ? 1 : 0);
  wake();
}

void Process::command(const std::string& line) {
  const std::string text = "K" + line + "\n";
  if (connection_ < 0 || send(connection_, text.data(), text.size(), MSG_NOSIGNAL) < 0) {
  }
}

void Process::read() {
  const std::uint64_t mask = memory_->slot_count - 1;
  for (;;) {
    wire::Slot& first = memory_->slots[at_ & mask];
    if (first.turn.load(std::memory_order_acquire) != at_ + 1) return;
    const std::size_t n = first.first.slots;
    if (n == 0) {
      messages.problems.push_back("a message without slots");
      return;
    }
    std::string content(reinterpret_cast<const char*>(first.first.content), sizeof(first.first.content));
    for (std::size_t i = 1; i < n; ++i) {
      const wire::Slot& slot = memory_->slots[(at_ + i) & mask];
      if (slot.turn.load(std::memory_order_acquire) != at_ + i + 1) messages.problems.push_back("a message in pieces");
      content.append(reinterpret_cast<const char*>(slot.more), sizeof(slot.more));
    }
    take(first, content);
    for (std::size_t i = 0; i < n; ++i) {
      memory_->slots[(at_ + i) & mask].turn.store(at_ + i + mask + 1, std::memory_order_release);
    }
    at_ += n;
  }
}

void Process::take(const wire::Slot& first, const std::string& content) {
  Messages& m = messages;
  const std::uint32_t id = first.first.id;
  const auto text = [&](std::uint32_t number) -> std::string {
    if (number == 0) return "";
    if (m.texts.count(number) == 0) m.problems.push_back("text " + std::to_string(number) + " is used undefined");
    return m.texts[number];
  };
  const auto check_stack = [&](std::uint32_t number) {
    if (number != 0 && m.stacks.count(number) == 0) {
      m.problems.push_back("stack " + std::to_string(number) + " is used undefined");
    }
  };
  switch (first.first.kind) {
    case wire::MessageKind::Text: {
      const auto bytes = as<wire::TextMessage>(content).bytes;
      if (bytes + sizeof(wire::TextMessage) > content.size()) {
        m.problems.push_back("a text longer than its message");
        return;
      }
      m.texts[id] = content.substr(sizeof(wire::TextMessage), bytes);
      return;
    }
    case wire::MessageKind::Frame: {
      const auto f = as<wire::FrameMessage>(content);
      m.frames[id] = {text(f.file), text(f.function), f.line, f.code, f.offset};
      return;
    }
    case wire::MessageKind::Stack: {
      const auto s = as<wire::StackMessage>(content);
      std::vector<std::uint32_t> ids(std::min<std::size_t>(s.frames, wire::kMostFrames));
      std::memcpy(ids.data(), content.data() + sizeof(s), ids.size() * sizeof(ids[0]));
      for (const std::uint32_t f : ids) {
        if (m.frames.count(f) == 0) m.problems.push_back("frame " + std::to_string(f) + " is used undefined");
      }
      m.stacks[id] = ids;
      return;
    }
    case wire::MessageKind::Thread: {
      const auto t = as<wire::ThreadMessage>(content);
      m.threads[t.thread] = text(t.name);
      return;
    }
    case wire::MessageKind::Call: {
      Call c;
      static_cast<wire::CallMessage&>(c) = as<wire::CallMessage>(content);
      c.text = text(c.name);
      c.lent = first.first.mark == wire::kLent;
      check_stack(c.stack);
      m.calls.push_back(c);
      return;
    }
    case wire::MessageKind::Kernel: {
      Operation o;
      static_cast<wire::OperationMessage&>(o) = as<wire::OperationMessage>(content);
      o.text = text(o.kernel.name);
      if (m.shapes.count(o.kernel.shape) == 0) {
        m.problems.push_back("a shape is used undefined");
      } else {
        o.shape_registers = m.shapes[o.kernel.shape].registers;
      }
      m.kernels.push_back(o);
      return;
    }
    case wire::MessageKind::Copy: {
      Operation o;
      static_cast<wire::OperationMessage&>(o) = as<wire::OperationMessage>(content);
      m.copies.push_back(o);
      return;
    }
    case wire::MessageKind::Sync:
      m.syncs.push_back(as<wire::SyncMessage>(content));
      return;
    case wire::MessageKind::Shape:
      m.shapes[id] = as<wire::ShapeMessage>(content);
      return;
    case wire::MessageKind::Context:
      m.contexts.push_back(as<wire::ContextMessage>(content));
      return;
    case wire::MessageKind::Stream:
      m.streams.push_back(as<wire::StreamMessage>(content));
      return;
    case wire::MessageKind::Device:
      m.devices.push_back(text(as<wire::DeviceMessage>(content).name));
      return;
    case wire::MessageKind::Range: {
      Range r;
      static_cast<wire::RangeMessage&>(r) = as<wire::RangeMessage>(content);
      r.text = text(r.name);
      r.domain_text = text(r.domain);
      if (r.payload != 0) {
        if (r.payload != sizeof(wire::CollectivePayload) || content.size() < sizeof(wire::RangeMessage) + r.payload) {
          m.problems.push_back("a payload of " + std::to_string(r.payload) + " bytes");
        } else {
          r.nccl = as<wire::CollectivePayload>(content.substr(sizeof(wire::RangeMessage)));
        }
      }
      m.ranges.push_back(r);
      return;
    }
    case wire::MessageKind::Recording:
      m.recordings.push_back(as<wire::RecordingMessage>(content));
      return;
    case wire::MessageKind::Sample:
      m.samples.push_back(as<wire::SampleMessage>(content));
      check_stack(m.samples.back().stack);
      return;
    case wire::MessageKind::Forked:
      m.forked.push_back(as<wire::ForkedMessage>(content).process);
      return;
    case wire::MessageKind::Ended:
      m.ended.push_back(as<wire::EndedMessage>(content).thread);
      return;
    case wire::MessageKind::Stall:
      return;
    case wire::MessageKind::Knobs: {
      const auto bytes = as<wire::TextMessage>(content).bytes;
      if (bytes + sizeof(wire::TextMessage) > content.size()) {
        m.problems.push_back("a line longer than its message");
        return;
      }
      m.knobs.push_back(content.substr(sizeof(wire::TextMessage), bytes));
      return;
    }
    default:
      m.problems.push_back("a message of kind " + std::to_string(static_cast<int>(first.first.kind)));
  }
}

bool Process::until(const std::function<bool()>& condition, int patience_ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(patience_ms);
  for (;;) {
    read();
    if (condition()) return true;
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool Process::ended() {
  pollfd p{connection_, POLLIN, 0};
  if (connection_ < 0 || poll(&p, 1, 0) <= 0) return connection_ < 0;
  char byte = 0;
  return recv(connection_, &byte, 1, MSG_DONTWAIT) == 0;
}

void Process::hang_up() {
  if (connection_ >= 0) close(connection_);
  connection_ = -1;
}

Viewer::Viewer() {
  std::string pattern = (std::filesystem::temp_directory_path() / "lanescope-inject-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  socket_ = folder_ + "/socket";
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_.c_str(), sizeof(address.sun_path) - 1);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener_, 16) != 0) {
    throw std::runtime_error("the socket cannot be made");
  }
}

Viewer::~Viewer() {
  if (pid_ > 0 && status_ == -1) {
    kill(SIGKILL);
    wait();
  }
  for (Process* p : processes_) delete p;
  if (listener_ >= 0) close(listener_);
  if (input_ >= 0) close(input_);
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

void Viewer::start(const std::string& script) {
  std::ofstream(this->script()) << script;
  std::map<std::string, std::string> variables = {
      {"CUDA_INJECTION64_PATH", LANESCOPE_INJECT},
      {"NVTX_INJECTION64_PATH", LANESCOPE_INJECT},
      {wire::kSocketVariable, socket_},
      {"FAKE_GPU_LIBRARIES", LANESCOPE_FAKES},
      {"PYTHONPATH", LANESCOPE_SOURCE_DIR "/tests/inject"},
      {"PYTHONDONTWRITEBYTECODE", "1"},
      {"PYTHONUNBUFFERED", "1"},
  };
  for (const auto& [name, value] : environment) variables[name] = value;
  const std::string output = folder_ + "/output", path = this->script();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = fork();
  if (pid_ == 0) {
    for (const auto& [name, value] : variables) {
      if (value.empty()) {
        unsetenv(name.c_str());
      } else {
        setenv(name.c_str(), value.c_str(), 1);
      }
    }
    dup2(ends[0], 0);
    const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, 1);
    dup2(out, 2);
    execl(python.c_str(), python.c_str(), path.c_str(), nullptr);
    _exit(127);
  }
  close(ends[0]);
  input_ = ends[1];
}

Process* Viewer::process(int patience_ms) {
  pollfd p{listener_, POLLIN, 0};
  if (poll(&p, 1, patience_ms) <= 0) return nullptr;
  const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  wire::Hello hello{};
  iovec part{&hello, sizeof(hello)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t n = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  const cmsghdr* header = n > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (n != static_cast<ssize_t>(sizeof(hello)) || !header || header->cmsg_type != SCM_RIGHTS) {
    close(connection);
    return nullptr;
  }
  int file = -1;
  std::memcpy(&file, CMSG_DATA(header), sizeof(file));
  processes_.push_back(new Process(connection, file, hello));
  processes_.back()->memory().controls.walk_launches.store(1);
  processes_.back()->level(first_level);
  return processes_.back();
}

void Viewer::say(const std::string& line) {
  const std::string text = line + "\n";
  if (write(input_, text.data(), text.size()) < 0) {
  }
}

int Viewer::wait() {
  if (status_ == -1 && pid_ > 0) {
    const auto deadline = Clock::now() + std::chrono::milliseconds(kPatience_ms);
    while (waitpid(pid_, &status_, WNOHANG) == 0) {
      if (Clock::now() > deadline) kill(SIGKILL);
      for (Process* p : processes_) p->read();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  for (Process* p : processes_) p->read();
  return status_;
}

void Viewer::kill(int signal) { ::kill(pid_, signal); }

std::string Viewer::output() {
  std::ifstream file(folder_ + "/output");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool Viewer::until_printed(const std::string& text) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(kPatience_ms);
  const auto printed = [&] {  // with the rest of its line
    const std::string out = output();
    const std::size_t at = out.find(text);
    return at != std::string::npos && out.find('\n', at) != std::string::npos;
  };
  while (!printed()) {
    if (Clock::now() > deadline) return false;
    for (Process* p : processes_) p->read();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace lanescope::inject_tests
