#include "inject/python.h"

#include <errno.h>
#include <sys/uio.h>

#include <cstring>
#include <initializer_list>

#include "inject/compat.h"
#include "inject/ring.h"
#include "inject/short_text.h"

namespace lanescope::inject {
namespace {

using Address = std::uint64_t;
constexpr int kNone = -1;
constexpr std::size_t kMostFrames = wire::kMostFrames;
constexpr int kMostSteps = 128;          // frames looked at, with those that are skipped
constexpr std::size_t kMostName = 1024;  // characters of a file's or function's name
constexpr Address kTagged = 3;           // in 3.14 a frame's code is a tagged pointer

// Where things are, in bytes. kNone: there is no such thing.
struct Layout {
  int minor = 0;
  int thread_frame = kNone;                           // from the thread's state to its innermost frame, or
  int thread_c_frame = kNone, c_frame_frame = kNone;  // to a structure that has it
  int frame_code = kNone, frame_previous = kNone, frame_instruction = kNone;
  int frame_owner = kNone, shim_owner = 3;  // frames with at least this owner are the interpreter's own
  int code_file = kNone, code_name = kNone, code_first_line = kNone, code_lines = kNone, code_start = kNone;
  int object_type = 8;
  int bytes_size = 16, bytes_data = 32;
  int text_length = 16, text_state = 32, text_ascii = 40, text_other = 56;
  bool instruction_is_index = false;  // 3.10: the frame has an index of instructions instead of a pointer
  bool lines = true;                  // free-threaded: the instruction may be of a copy, so only functions are known
};

constexpr Layout layout_3_10() {
  Layout l;
  l.minor = 10;
  l.thread_frame = 24;
  l.frame_code = 32, l.frame_previous = 24, l.frame_instruction = 96;
  l.code_file = 104, l.code_name = 112, l.code_first_line = 40, l.code_lines = 120;
  l.text_ascii = 48, l.text_other = 72;
  l.instruction_is_index = true;
  return l;
}
constexpr Layout layout_3_11() {
  Layout l;
  l.minor = 11;
  l.thread_c_frame = 56, l.c_frame_frame = 8;
  l.frame_code = 32, l.frame_previous = 48, l.frame_instruction = 56;
  l.code_file = 112, l.code_name = 128, l.code_first_line = 72, l.code_lines = 136, l.code_start = 184;
  l.text_ascii = 48, l.text_other = 72;
  return l;
}
constexpr Layout layout_3_12() {
  Layout l;
  l.minor = 12;
  l.thread_c_frame = 56, l.c_frame_frame = 0;
  l.frame_code = 0, l.frame_previous = 8, l.frame_instruction = 56, l.frame_owner = 70;
  l.code_file = 112, l.code_name = 128, l.code_first_line = 68, l.code_lines = 136, l.code_start = 192;
  return l;
}

// From 3.13 on the interpreter describes itself: _PyRuntime begins with a cookie, its version, and offsets, all of 64
// bits. The description's own layout is that of a minor version; these are the places in it, counted in numbers.
struct Described {
  int thread_frame, frame_size, frame_previous, frame_code, frame_instruction, frame_owner;
  int code_size, code_file, code_qualified_name, code_lines, code_first_line, code_start;
  int object_type, bytes_size, bytes_data, text_state, text_length, text_ascii_size;
};
constexpr Described kDescribed13 = {23, 28, 29, 30, 31, 33, 34, 35, 37, 38, 39, 43, 45, 65, 66, 68, 69, 70};
constexpr Described kDescribed14 = {26, 31, 32, 33, 34, 36, 39, 40, 42, 43, 44, 48, 51, 75, 76, 78, 79, 80};

using ThisThreadState = void* (*)();
using IsInitialized = int (*)();

struct Interpreter {
  Layout layout;
  Address code_type = 0, text_type = 0, bytes_type = 0;
  ThisThreadState this_thread_state = nullptr;
  IsInitialized is_initialized = nullptr;
  std::atomic<bool> walks{false};
} python;

// --- Reading ----------------------------------------------------------------------------------------------------

// The calling thread's own memory, at addresses that are known to be right.
struct Loads {
  static constexpr bool failed = false;
  bool read(Address at, void* out, std::size_t bytes) {
    std::memcpy(out, reinterpret_cast<const void*>(at), bytes);
    return true;
  }
  Address word(Address at) { return *reinterpret_cast<const Address*>(at); }
  std::uint32_t half(Address at) { return *reinterpret_cast<const std::uint32_t*>(at); }
  std::uint8_t byte(Address at) { return *reinterpret_cast<const std::uint8_t*>(at); }
};

// Any memory of this process; what cannot be read is reported instead of ending the program. Keeps the last blocks,
// since a frame takes several reads; forget() before anything is to be read anew.
class CarefulReads {
 public:
  bool failed = false;

  bool read(Address at, void* out, std::size_t bytes) {
    char* to = static_cast<char*>(out);
    while (bytes > 0) {
      const Block* block = get(at & ~Address{kBlock - 1});
      if (!block) {
        std::memset(to, 0, bytes);
        failed = true;
        return false;
      }
      const std::size_t offset = at & (kBlock - 1), n = bytes < kBlock - offset ? bytes : kBlock - offset;
      std::memcpy(to, block->data + offset, n);
      at += n;
      to += n;
      bytes -= n;
    }
    return true;
  }
  Address word(Address at) { return value<Address>(at); }
  std::uint32_t half(Address at) { return value<std::uint32_t>(at); }
  std::uint8_t byte(Address at) { return value<std::uint8_t>(at); }
  void forget() {
    for (Block& block : blocks_) block.at = 0;
  }

 private:
  static constexpr std::size_t kBlock = 128;  // aligned, so that it lies within one page
  struct Block {
    Address at = 0;
    alignas(8) char data[kBlock];
  };
  template <typename T>
  T value(Address at) {
    T v = 0;
    read(at, &v, sizeof(v));
    return v;
  }
  const Block* get(Address at) {
    if (at == 0) return nullptr;
    for (const Block& block : blocks_) {
      if (block.at == at) return &block;
    }
    Block& block = blocks_[next_++ % 8];
    block.at = 0;
    iovec to{block.data, kBlock}, from{reinterpret_cast<void*>(at), kBlock};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(kBlock)) return nullptr;
    block.at = at;
    return &block;
  }
  Block blocks_[8];
  unsigned next_ = 0;
};

// --- Frames -----------------------------------------------------------------------------------------------------

struct Frame {
  Address code;
  std::int64_t offset;  // of the instruction, in bytes
  std::uint64_t key;
};

template <typename Reads>
std::size_t frames_of(Reads& reads, Address thread_state, Frame* out, std::size_t most = kMostFrames) {
  const Layout& l = python.layout;
  Address frame = l.thread_frame != kNone ? reads.word(thread_state + l.thread_frame)
                                          : reads.word(reads.word(thread_state + l.thread_c_frame) + l.c_frame_frame);
  std::size_t n = 0;
  for (int step = 0; step < kMostSteps && n < most && frame != 0 && !reads.failed; ++step) {
    if (frame % 8 != 0) break;
    const Address previous = reads.word(frame + l.frame_previous);
    const bool shim = l.frame_owner != kNone && reads.byte(frame + l.frame_owner) >= l.shim_owner;
    const Address code = shim ? 0 : reads.word(frame + l.frame_code) & ~kTagged;
    // A frame can have something else in place of its code, such as None.
    if (code != 0 && reads.word(code + l.object_type) == python.code_type) {
      Frame& f = out[n++];
      f.code = code;
      f.offset = l.instruction_is_index
                     ? 2 * std::int64_t{static_cast<std::int32_t>(reads.half(frame + l.frame_instruction))}
                     : static_cast<std::int64_t>(reads.word(frame + l.frame_instruction) - (code + l.code_start));
      if (!l.lines) f.offset = 0;
      // Addresses are used again, so the key has the file and the first line, too.
      f.key = mix(code + static_cast<std::uint64_t>(f.offset) * 0x9FB21C651E98DF25,
                  reads.word(code + l.code_file) ^ (std::uint64_t{reads.half(code + l.code_first_line)} << 48));
    }
    frame = previous;
  }
  return reads.failed ? 0 : n;
}

// The bytes of a bytes object, one after the other.
template <typename Reads>
class Bytes {
 public:
  Bytes(Reads& reads, Address object) : reads_(reads) {
    const Layout& l = python.layout;
    if (object == 0 || reads.word(object + l.object_type) != python.bytes_type) return;
    at_ = object + l.bytes_data;
    left_ = reads.word(object + l.bytes_size);
    if (left_ > (1u << 24)) left_ = 0;
  }
  bool more() const { return have_ > used_ || left_ > 0; }
  std::uint8_t peek() {
    if (used_ == have_) fill();
    return used_ < have_ ? buffer_[used_] : 0;
  }
  std::uint8_t next() {
    const std::uint8_t b = peek();
    if (used_ < have_) ++used_;
    return b;
  }

 private:
  void fill() {
    have_ = left_ < sizeof(buffer_) ? left_ : sizeof(buffer_);
    used_ = 0;
    if (have_ > 0 && !reads_.read(at_, buffer_, have_)) have_ = left_ = 0;
    at_ += have_;
    left_ -= have_;
  }
  Reads& reads_;
  Address at_ = 0;
  std::size_t left_ = 0, have_ = 0, used_ = 0;
  std::uint8_t buffer_[128];
};

// 3.10: pairs of a length in bytes and a signed step in lines; -128: no line.
template <typename Reads>
std::int64_t line_3_10(Bytes<Reads>& table, std::int64_t line, std::int64_t offset) {
  std::int64_t end = 0;
  while (table.more()) {
    end += table.next();
    const auto step = static_cast<std::int8_t>(table.next());
    if (step != -128) line += step;
    if (offset < end) return step == -128 ? 0 : line;
  }
  return 0;
}

// From 3.11 on (Objects/locations.md): an entry's first byte has bit 7, a kind, and its length in units of two bytes;
// what follows, up to the next byte with bit 7, are numbers of 6 bits a byte, the lowest first.
template <typename Reads>
std::int64_t line_3_11(Bytes<Reads>& table, std::int64_t line, std::int64_t offset) {
  std::int64_t end = 0;
  while (table.more()) {
    const std::uint8_t first = table.next();
    if ((first & 0x80) == 0) return 0;
    const unsigned kind = first >> 3 & 15;
    end += 2 * ((first & 7) + 1);
    if (kind == 13 || kind == 14) {
      std::uint64_t number = 0;
      for (unsigned shift = 0; shift < 36; shift += 6) {
        const std::uint8_t b = table.next();
        number |= std::uint64_t{b & 0x3Fu} << shift;
        if ((b & 0x40) == 0) break;
      }
      const auto step = static_cast<std::int64_t>(number >> 1);
      line += (number & 1) != 0 ? -step : step;
    } else if (kind >= 10 && kind <= 12) {
      line += kind - 10;
    }
    if (offset < end) return kind == 15 ? 0 : line;
    while (table.more() && (table.peek() & 0x80) == 0) table.next();
  }
  return 0;
}

template <typename Reads>
std::uint32_t line_of(Reads& reads, const Frame& frame) {
  const Layout& l = python.layout;
  const auto first = static_cast<std::int32_t>(reads.half(frame.code + l.code_first_line));
  std::int64_t line = first;
  if (l.lines && frame.offset >= 0) {
    Bytes<Reads> table(reads, reads.word(frame.code + l.code_lines));
    line = l.minor == 10 ? line_3_10(table, first, frame.offset) : line_3_11(table, first, frame.offset);
  }
  return line > 0 && line < (1 << 30) ? static_cast<std::uint32_t>(line) : 0;
}

// A str as UTF-8; returns its bytes, 0 if it is not a str or empty.
template <typename Reads>
std::size_t text_of(Reads& reads, Address object, char* out, std::size_t room) {
  const Layout& l = python.layout;
  if (object == 0 || reads.word(object + l.object_type) != python.text_type) return 0;
  const std::uint32_t state = reads.half(object + l.text_state);
  // How many bits stand before the kind differs between the builds: 2, 8 or 16, of which only the lowest 2 are used.
  unsigned kind = 0, shift = 2;
  for (const unsigned s : {2u, 8u, 16u}) {
    shift = s;
    kind = state >> shift & 7;
    if (kind != 0) break;
  }
  const bool compact = (state >> (shift + 3) & 1) != 0, ascii = (state >> (shift + 4) & 1) != 0;
  if (!compact || (kind != 1 && kind != 2 && kind != 4)) return 0;
  std::size_t length = reads.word(object + l.text_length);
  if (length > kMostName) length = kMostName;
  const Address data = object + (ascii ? l.text_ascii : l.text_other);
  std::size_t n = 0;
  char raw[64 * 4];
  for (std::size_t i = 0; i < length && n + 4 < room; i += 64) {
    const std::size_t here = length - i < 64 ? length - i : 64;
    if (!reads.read(data + i * kind, raw, here * kind)) return 0;
    for (std::size_t j = 0; j < here && n + 4 < room; ++j) {
      std::uint32_t c = 0;
      std::memcpy(&c, raw + j * kind, kind);
      n += put_utf8(c, out + n);
    }
  }
  return n;
}

template <typename Reads>
std::uint32_t name_id(Reads& reads, Address object) {
  char name[kMostName + 8];
  const std::size_t bytes = text_of(reads, object, name, sizeof(name));
  return bytes == 0 ? 0 : text_id(name, bytes);
}

// Sends a frame that has not been sent; returns its id, 0 or kLater.
template <typename Reads>
std::uint32_t frame_id(Reads& reads, const Frame& frame) {
  IdTable::Cell* cell = frame_table.find(frame.key);
  if (!cell) return 0;
  const std::uint32_t id = cell->id.load(kRelaxed);
  if (cell->sent.load(std::memory_order_acquire) != 0) return id;
  wire::FrameMessage message{};
  message.file = name_id(reads, reads.word(frame.code + python.layout.code_file));
  message.function = name_id(reads, reads.word(frame.code + python.layout.code_name));
  message.line = line_of(reads, frame);
  message.code = static_cast<std::uint32_t>(frame.code / alignof(std::max_align_t));
  message.offset = frame.offset > 0 ? static_cast<std::uint32_t>(frame.offset) : 0;
  if (reads.failed || message.file == kLater || message.function == kLater) return kLater;
  if (!ring.send(wire::MessageKind::Frame, message, id)) return kLater;
  cell->sent.store(1, std::memory_order_release);
  return id;
}

template <typename Reads>
std::uint32_t stack_id(Reads& reads, const Frame* frames, std::size_t n) {
  if (n == 0) return 0;
  std::uint64_t key = n;
  for (std::size_t i = 0; i < n; ++i) key = mix(key, frames[i].key);
  IdTable::Cell* cell = stack_table.find(key);
  if (!cell) return 0;
  const std::uint32_t id = cell->id.load(kRelaxed);
  if (cell->sent.load(std::memory_order_acquire) != 0) return id;
  std::uint32_t ids[kMostFrames];
  for (std::size_t i = 0; i < n; ++i) {
    ids[i] = frame_id(reads, frames[i]);
    if (ids[i] == kLater || ids[i] == 0) return 0;
  }
  const wire::StackMessage message{static_cast<std::uint32_t>(n)};
  if (!ring.send(wire::MessageKind::Stack, id, &message, sizeof(message), ids, n * sizeof(ids[0]))) return 0;
  cell->sent.store(1, std::memory_order_release);
  return id;
}

// --- The interpreter --------------------------------------------------------------------------------------------

void say(wire::Python state, const char* line) {
  wire::Status& status = ring.status();
  Line<sizeof(status.python_text)> text;
  text.add(line);
  std::memcpy(status.python_text, text.c_str(), text.size() + 1);
  status.python.store(static_cast<std::uint32_t>(state), std::memory_order_release);
}

void give_up(const char* why) {
  python.walks.store(false, kRelaxed);
  Line<256> line;
  line.add("Python lines are off: ").add(why);
  say(wire::Python::Failed, line.c_str());
}

bool described(const Described& d, Layout& l, const std::uint64_t* numbers) {
  const auto at = [&](int place, std::uint64_t most, int& out) {
    out = static_cast<int>(numbers[place]);
    return numbers[place] <= most;
  };
  const std::uint64_t frame = numbers[d.frame_size], code = numbers[d.code_size];
  if (frame < 64 || frame > 512 || code < 128 || code > 1024) return false;
  int ascii = 0;
  const bool sane = at(d.thread_frame, 1024, l.thread_frame) && at(d.frame_previous, frame - 8, l.frame_previous) &&
                    at(d.frame_code, frame - 8, l.frame_code) &&
                    at(d.frame_instruction, frame - 8, l.frame_instruction) &&
                    at(d.frame_owner, frame - 1, l.frame_owner) && at(d.code_file, code - 8, l.code_file) &&
                    at(d.code_qualified_name, code - 8, l.code_name) && at(d.code_lines, code - 8, l.code_lines) &&
                    at(d.code_first_line, code - 4, l.code_first_line) && at(d.code_start, code, l.code_start) &&
                    at(d.object_type, 32, l.object_type) && at(d.bytes_size, 64, l.bytes_size) &&
                    at(d.bytes_data, 128, l.bytes_data) && at(d.text_state, 128, l.text_state) &&
                    at(d.text_length, 64, l.text_length) && at(d.text_ascii_size, 128, ascii);
  l.text_ascii = ascii;
  l.text_other = ascii + 16;
  return sane && l.thread_frame > 0 && l.code_file > 0 && l.code_start > 0 && ascii >= 32;
}

template <typename Function>
Function symbol(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// 0x030C0100 for 3.12.1; 0: none.
std::uint32_t version() {
  if (const auto* number = symbol<const unsigned long*>("Py_Version")) return static_cast<std::uint32_t>(*number);
  const auto get = symbol<const char* (*)()>("Py_GetVersion");
  const char* text = get ? get() : nullptr;  // "3.10.13 (main, ..."
  if (!text) return 0;
  std::uint32_t parts[2] = {};
  for (int i = 0; i < 2; ++i, ++text) {
    while (*text >= '0' && *text <= '9' && parts[i] < 100) parts[i] = parts[i] * 10 + (*text++ - '0');
    if (i == 0 && *text != '.') return 0;
  }
  return parts[0] << 24 | parts[1] << 16;
}

// Reads the calling thread's frames with care. False if something there is not what it should be.
bool check(Address thread_state) {
  CarefulReads reads;
  Frame frames[kMostFrames];
  const std::size_t n = frames_of(reads, thread_state, frames);
  if (reads.failed) {
    give_up(errno == EPERM || errno == ENOSYS ? "this system does not permit process_vm_readv"
                                              : "the interpreter's frames could not be read");
    return false;
  }
  char name[kMostName + 8];
  for (std::size_t i = 0; i < n; ++i) {
    const auto first = static_cast<std::int32_t>(reads.half(frames[i].code + python.layout.code_first_line));
    const bool file = text_of(reads, reads.word(frames[i].code + python.layout.code_file), name, sizeof(name)) > 0;
    const bool function = text_of(reads, reads.word(frames[i].code + python.layout.code_name), name, sizeof(name)) > 0;
    const bool offset = frames[i].offset >= -2 && frames[i].offset < (1 << 26);
    if (!file || !function || first < 0 || first > (1 << 26) || !offset || reads.failed) {
      give_up("the interpreter's code objects are not laid out as expected");
      return false;
    }
  }
  return true;
}

// The functions in which a thread waits for PyTorch's backward pass, which runs on threads of its own.
bool waits_in_backward(CarefulReads& reads, const Frame& frame) {
  char name[kMostName + 8];
  std::size_t n = text_of(reads, reads.word(frame.code + python.layout.code_file), name, sizeof(name) - 1);
  name[n] = 0;
  return n > 0 && std::strstr(name, "torch/autograd/") != nullptr;
}

// Of the threads whose frames were seen, newest first, the first one that waits in backward().
std::uint32_t lent_stack(ThreadState& borrower, std::uint16_t& mark) {
  std::int64_t before = INT64_MAX;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const ThreadState* newest = nullptr;
    const std::size_t used = threads_used.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < used; ++i) {
      const ThreadState& t = threads[i];
      const std::int64_t at = t.walked_ns.load(kRelaxed);
      if (t.id.load(kRelaxed) == 0 || t.python.load(kRelaxed) == 0 || at >= before) continue;
      if (!newest || at > newest->walked_ns.load(kRelaxed)) newest = &t;
    }
    if (!newest) return 0;
    before = newest->walked_ns.load(kRelaxed);
    CarefulReads reads;
    Frame frames[kMostFrames];
    const Address state = newest->python.load(kRelaxed);
    if (borrower.lent_stack != 0 && borrower.lent_since_ns == before && frames_of(reads, state, frames, 1) == 1 &&
        frames[0].key == borrower.lent_frame) {
      mark = wire::kLent;
      return borrower.lent_stack;
    }
    const std::size_t n = frames_of(reads, state, frames);
    if (n == 0 || !waits_in_backward(reads, frames[0])) continue;
    const std::uint32_t stack = stack_id(reads, frames, n);
    if (stack == 0) return 0;
    mark = wire::kLent;
    borrower.lent_stack = stack;
    borrower.lent_since_ns = before;
    borrower.lent_frame = frames[0].key;
    return stack;
  }
  return 0;
}

}  // namespace

bool find_python() {
  const std::uint32_t number = version();
  if (number == 0) return false;
  const std::uint32_t major = number >> 24, minor = number >> 16 & 0xFF;
  ring.status().python_version.store(number >> 16, kRelaxed);
  Line<256> unsupported;
  unsupported.add("Python ").add(std::uint64_t{major}).add(".").add(std::uint64_t{minor});
  python.this_thread_state = symbol<ThisThreadState>("PyGILState_GetThisThreadState");
  python.is_initialized = symbol<IsInitialized>("Py_IsInitialized");
  python.code_type = symbol<Address>("PyCode_Type");
  python.text_type = symbol<Address>("PyUnicode_Type");
  python.bytes_type = symbol<Address>("PyBytes_Type");
  bool known = python.this_thread_state && python.is_initialized && python.code_type && python.text_type &&
               python.bytes_type && major == 3;
  Layout& l = python.layout;
  if (known && minor >= 10 && minor <= 12) {
    l = minor == 10 ? layout_3_10() : minor == 11 ? layout_3_11() : layout_3_12();
  } else if (known && (minor == 13 || minor == 14)) {
    const auto* numbers = symbol<const std::uint64_t*>("_PyRuntime");
    if (!numbers || std::memcmp(numbers, "xdebugpy", 8) != 0 || numbers[1] >> 16 != number >> 16 ||
        !described(minor == 13 ? kDescribed13 : kDescribed14, l, numbers)) {
      unsupported.add(" does not describe itself as expected: no Python lines");
      say(wire::Python::Unsupported, unsupported.c_str());
      return true;
    }
    l.minor = static_cast<int>(minor);
    l.lines = numbers[2] == 0;
  } else {
    known = false;
  }
  if (!known) {
    unsupported.add(" is not supported: lines are known for CPython 3.10 to 3.14");
    say(wire::Python::Unsupported, unsupported.c_str());
    return true;
  }
  void* state = python.is_initialized() != 0 ? python.this_thread_state() : nullptr;
  if (state && !check(reinterpret_cast<Address>(state))) return true;
  unsupported.add(l.lines ? "" : ", free-threaded: functions are known, lines within them are not");
  say(wire::Python::Walking, unsupported.c_str());
  python.walks.store(true, std::memory_order_release);
  return true;
}

std::uint32_t walk(ThreadState& thread, std::uint16_t& mark) {
  if (!python.walks.load(std::memory_order_acquire)) return 0;
  // After Py_Finalize the key of the thread's state may be another library's.
  if (python.is_initialized() == 0) return 0;
  const auto state = reinterpret_cast<Address>(python.this_thread_state());
  if (state != thread.python.load(kRelaxed)) thread.python.store(state, kRelaxed);
  if (state == 0) return lent_stack(thread, mark);
  if (!thread.walked) {
    if (!check(state)) {
      count(ring.status().walks_failed);
      return 0;
    }
    thread.walked = true;
  }
  Loads reads;
  Frame frames[kMostFrames];
  const std::size_t n = frames_of(reads, state, frames);
  if (n == 0) return lent_stack(thread, mark);  // it has run Python code before, and now runs none
  thread.walked_ns.store(thread.start_ns, kRelaxed);
  add(thread.walks);
  return stack_id(reads, frames, n);
}

std::uint32_t walk_other(const ThreadState& thread) {
  const Address state = thread.python.load(kRelaxed);
  if (state == 0 || !python.walks.load(std::memory_order_acquire)) return 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    CarefulReads reads, again;
    Frame frames[kMostFrames], later[kMostFrames];
    const std::size_t n = frames_of(reads, state, frames);
    // The innermost instruction may have moved on, but if a function was entered or left, the frames may be a mixture.
    if (n == 0 || frames_of(again, state, later) != n) continue;
    bool same = true;
    for (std::size_t i = 0; i < n && same; ++i) {
      same = frames[i].code == later[i].code && (i == 0 || frames[i].offset == later[i].offset);
    }
    if (!same) continue;

    return stack_id(again, later, n);
  }
  count(ring.status().walks_failed);
  return 0;
}

}  // namespace lanescope::inject
