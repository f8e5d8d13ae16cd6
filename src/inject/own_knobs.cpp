#include "inject/own_knobs.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <atomic>
#include <cmath>
#include <cstring>

#include "inject/compat.h"
#include "inject/ring.h"
#include "inject/short_text.h"

namespace lanescope::inject {
namespace {

constexpr std::size_t kMostOwnKnobs = 64;
constexpr std::size_t kNumberRoom = 32;  // as Python writes one, with the 0 at the end

struct OwnKnob {
  enum Stage : std::uint32_t { Free, Filled, Ready };
  // The two that the program reads.
  std::atomic<std::uint64_t> turned, word;  // see register_own_knob()
  std::atomic<std::uint32_t> stage;
  std::atomic<std::uint32_t> changes, told;  // of `changes`, how many the viewer knows
  std::uint32_t line;
  char kind;
  // All that is told of a knob fits into one message. `own` is the program's value, `now` the present one.
  char name[64], own[64], now[64], least[kNumberRoom], most[kNumberRoom], choices[384], file[320];
};
static_assert(sizeof(OwnKnob::name) + sizeof(OwnKnob::now) + 2 * kNumberRoom + sizeof(OwnKnob::choices) +
                  sizeof(OwnKnob::file) + 32 <=
              wire::kMostText);

std::atomic<OwnKnob*> own_knobs{nullptr};  // as many as kMostOwnKnobs

// Held while a knob's present value is read or written, for less than a microsecond: by the library's thread, and by
// one of the program's only while that is in cuInit.
std::atomic<bool> own_values_held{false};
struct OwnValuesLock {
  OwnValuesLock() {
    while (own_values_held.exchange(true, std::memory_order_acquire)) {
      const timespec nap{0, 10'000};
      nanosleep(&nap, nullptr);
    }
  }
  ~OwnValuesLock() { own_values_held.store(false, std::memory_order_release); }
  OwnValuesLock(const OwnValuesLock&) = delete;
  OwnValuesLock& operator=(const OwnValuesLock&) = delete;
};

OwnKnob* own_table() {
  OwnKnob* table = own_knobs.load(std::memory_order_acquire);
  if (table) return table;
  constexpr std::size_t kBytes = kMostOwnKnobs * sizeof(OwnKnob);
  void* at = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  if (own_knobs.compare_exchange_strong(table, static_cast<OwnKnob*>(at), std::memory_order_acq_rel)) {
    return static_cast<OwnKnob*>(at);
  }
  munmap(at, kBytes);
  return table;
}

// False if the text is too long. A tab or a line's end in it would divide the message.
template <std::size_t kRoom>
bool copy_field(char (&to)[kRoom], const char* from) {
  const std::size_t bytes = from ? std::strlen(from) : 0;
  if (bytes >= kRoom) return false;
  for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(from[i]) < ' ' ? ' ' : from[i];
  to[bytes] = 0;
  return true;
}

// An integer beyond 64 bits is brought into them.
bool integer_of(const char* text, std::int64_t& out) {
  const bool negative = *text == '-';
  if (*text == '-' || *text == '+') ++text;
  if (!*text) return false;
  std::uint64_t n = 0;
  const std::uint64_t most = negative ? std::uint64_t{1} << 63 : INT64_MAX;
  for (; *text; ++text) {
    if (*text < '0' || *text > '9') return false;
    const std::uint64_t digit = static_cast<std::uint64_t>(*text - '0');
    n = n > (most - digit) / 10 ? most : n * 10 + digit;
  }
  out = static_cast<std::int64_t>(negative ? 0 - n : n);
  return true;
}

bool double_of(const char* text, double& out) {
  if (!*text || text[std::strspn(text, "0123456789+-.eE")] != 0) return false;  // no blanks, no "inf", no "0x"
  // The program may have chosen a locale whose numbers have a comma. This one is libc's own, and not allocated.
  const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);
  if (!c) return false;
  char* end = nullptr;
  out = strtod_l(text, &end, c);
  return *end == 0 && std::isfinite(out);
}

template <typename To, typename From>
To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

// A number of the knob's kind as a word.
bool word_of(char kind, const char* text, std::uint64_t& out) {
  double d = 0;
  std::int64_t n = 0;
  if (kind == 'd' ? !double_of(text, d) : !integer_of(text, n)) return false;
  out = kind == 'd' ? same_bits<std::uint64_t>(d) : same_bits<std::uint64_t>(n);
  return true;
}
bool is_less(char kind, std::uint64_t a, std::uint64_t b) {
  return kind == 'd' ? same_bits<double>(a) < same_bits<double>(b)
                     : same_bits<std::int64_t>(a) < same_bits<std::int64_t>(b);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The place in "a|b|c" of a text; -1: it is none of them. `found` becomes the text as it stands there.
int place_of(const char* choices, const char* text, bool any_case, const char*& found, std::size_t& bytes) {
  const std::size_t wanted = std::strlen(text);
  const char* at = choices;
  for (int i = 0;; ++i) {
    const std::size_t n = std::strcspn(at, "|");
    bool equal = n == wanted;
    for (std::size_t j = 0; j < n && equal; ++j) {
      equal = at[j] == text[j] || (any_case && lower(at[j]) == lower(text[j]));
    }
    if (equal) {
      found = at;
      bytes = n;
      return i;
    }
    if (at[n] == 0) return -1;
    at += n + 1;
  }
}

// The value as a word (of choices: its place), and as Python writes it. False: it is no value of this knob.
bool understand(const OwnKnob& knob, const char* value, std::uint64_t& word, Line<sizeof(OwnKnob::now)>& text) {
  if (knob.choices[0] != 0) {
    const char* found = nullptr;
    std::size_t bytes = 0;
    int place = place_of(knob.choices, value, false, found, bytes);
    if (place < 0) place = place_of(knob.choices, value, true, found, bytes);  // "true" of Python's True
    if (place < 0) return false;
    word = static_cast<std::uint64_t>(place);
    text.add(found, bytes);
    return true;
  }
  if (std::strlen(value) >= kNumberRoom || !word_of(knob.kind, value, word)) return false;
  std::uint64_t limit = 0;
  const char* shown = value;
  if (word_of(knob.kind, knob.least, limit) && is_less(knob.kind, word, limit)) {
    word = limit;
    shown = knob.least;
  }
  if (word_of(knob.kind, knob.most, limit) && is_less(knob.kind, limit, word)) {
    word = limit;
    shown = knob.most;
  }
  if (knob.kind == 'd') {
    text.add(shown);
    if (shown[std::strcspn(shown, ".eE")] == 0) text.add(".0");
  } else {
    const auto n = same_bits<std::int64_t>(word);
    if (n < 0) text.add("-");
    text.add(n < 0 ? 0 - word : word);
  }
  return true;
}

bool same_facts(const OwnKnob& knob, const OwnKnobFacts& facts) {
  const auto same = [](const char* a, const char* b) { return std::strcmp(a, b ? b : "") == 0; };
  return knob.kind == facts.kind && same(knob.name, facts.name) && same(knob.least, facts.least) &&
         same(knob.most, facts.most) && same(knob.choices, facts.choices);
}

bool fill(OwnKnob& knob, const OwnKnobFacts& facts) {
  if (!copy_field(knob.name, facts.name) || knob.name[0] == 0 || !copy_field(knob.choices, facts.choices)) return false;
  // What cannot be told is left out. The program's own value is never taken from here.
  if (!copy_field(knob.own, facts.value)) knob.own[0] = 0;
  if (!copy_field(knob.least, facts.least)) knob.least[0] = 0;
  if (!copy_field(knob.most, facts.most)) knob.most[0] = 0;
  knob.line = facts.line;
  if (!copy_field(knob.file, facts.file)) knob.file[0] = 0;
  if (knob.file[0] == 0) knob.line = 0;
  knob.kind = facts.kind;
  std::memcpy(knob.now, knob.own, sizeof(knob.now));
  knob.changes.store(1, kRelaxed);
  return true;
}

// A limit as it is told: none if it is no number.
const char* told_limit(const OwnKnob& knob, const char* limit) {
  std::uint64_t word = 0;
  return knob.choices[0] == 0 && word_of(knob.kind, limit, word) ? limit : "";
}

template <typename F>
void for_each_own_knob(F f) {
  OwnKnob* const table = own_knobs.load(std::memory_order_acquire);
  for (std::size_t i = 0; table && i < kMostOwnKnobs; ++i) {
    if (table[i].stage.load(std::memory_order_acquire) == OwnKnob::Ready) f(table[i]);
  }
}

}  // namespace

const void* register_own_knob(const OwnKnobFacts& facts) {
  const int saved = errno;
  OwnKnob* const table = facts.kind == 'q' || facts.kind == 'd' ? own_table() : nullptr;
  errno = saved;
  for (std::size_t i = 0; table && i < kMostOwnKnobs; ++i) {
    OwnKnob& knob = table[i];
    if (knob.stage.load(std::memory_order_acquire) == OwnKnob::Ready && same_facts(knob, facts)) return &knob.turned;
  }
  for (std::size_t i = 0; table && i < kMostOwnKnobs; ++i) {
    OwnKnob& knob = table[i];
    std::uint32_t stage = OwnKnob::Free;
    if (!knob.stage.compare_exchange_strong(stage, OwnKnob::Filled, std::memory_order_acq_rel)) continue;
    const bool filled = fill(knob, facts);
    knob.stage.store(filled ? OwnKnob::Ready : OwnKnob::Free, std::memory_order_release);
    return filled ? &knob.turned : nullptr;
  }
  return nullptr;
}

// Two of one name, such as a line that was run again with other limits: both are turned.
bool set_own_knob(const char* name, const char* value) {
  bool set = false;
  for_each_own_knob([&](OwnKnob& knob) {
    std::uint64_t word = 0;
    Line<sizeof(OwnKnob::now)> text;
    if (std::strcmp(knob.name, name) != 0 || !understand(knob, value, word, text)) return;
    const OwnValuesLock lock;
    knob.word.store(word, std::memory_order_release);
    const bool own = std::strcmp(text.c_str(), knob.own) == 0;
    knob.turned.store(own ? 0 : knob.choices[0] != 0 ? word + 1 : 1, std::memory_order_release);
    std::memcpy(knob.now, text.c_str(), text.size() + 1);
    knob.changes.fetch_add(1, kRelaxed);
    set = true;
  });
  return set;
}

void tell_own_knobs() {
  for_each_own_knob([](OwnKnob& knob) {
    if (knob.told.load(kRelaxed) == knob.changes.load(kRelaxed)) return;
    Line<wire::kMostText> line;
    std::uint32_t changes = 0;
    {
      const OwnValuesLock lock;
      changes = knob.changes.load(kRelaxed);
      line.add("own\t").add(knob.name).add("\t").add(knob.now);
    }
    line.add("\t").add(told_limit(knob, knob.least)).add("\t").add(told_limit(knob, knob.most));
    line.add("\t").add(knob.choices).add("\t").add(knob.file).add("\t").add(std::uint64_t{knob.line});
    const wire::TextMessage message{static_cast<std::uint32_t>(line.size())};
    if (ring.send(wire::MessageKind::Knobs, 0, &message, sizeof(message), line.c_str(), line.size())) {
      knob.told.store(changes, kRelaxed);
    }
  });
}

void release_own_knobs() {
  for_each_own_knob([](OwnKnob& knob) {
    const OwnValuesLock lock;
    knob.turned.store(0, std::memory_order_release);
    std::memcpy(knob.now, knob.own, sizeof(knob.now));
    knob.changes.fetch_add(1, kRelaxed);
  });
}

std::size_t own_knob_value(const char* name, char* out, std::size_t room) {
  std::size_t n = 0;
  for_each_own_knob([&](OwnKnob& knob) {
    if (n > 0 || std::strcmp(knob.name, name) != 0) return;
    const OwnValuesLock lock;
    n = std::strlen(knob.now);
    n = n < room ? n : room;
    std::memcpy(out, knob.now, n);
  });
  return n;
}

}  // namespace lanescope::inject
