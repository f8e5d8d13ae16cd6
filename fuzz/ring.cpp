// The shared memory in which an injected library sends messages, read to its end, written into a trace and analysed.
// The first byte says what the rest is: the memory itself, or messages: kind, flags, content's length (two bytes), id
// (two bytes), content.
#include <algorithm>
#include <cstring>

#include "attach/watched_process.h"
#include "capture/recorder.h"
#include "capture/ring_writer.h"
#include "examine.h"

using namespace lanescope;

namespace {

constexpr std::uint32_t kSlots = 256, kPid = 100;
constexpr base::Nanoseconds kOrigin = 1'000'000, kNow = 100 * base::kSecond;

void write_messages(capture::RingWriter& writer, std::string_view bytes) {
  constexpr std::size_t kHead = 6;
  while (bytes.size() >= kHead) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
    const auto kind = static_cast<wire::MessageKind>(byte(0));
    const std::uint8_t flags = byte(1);
    const std::size_t size = byte(2) | std::size_t{byte(3)} << 8;
    const std::uint32_t id = byte(4) | std::uint32_t{byte(5)} << 8;
    bytes.remove_prefix(kHead);
    const std::string_view content = bytes.substr(0, std::min<std::size_t>(size, 1200));
    bytes.remove_prefix(content.size());
    const std::uint64_t at = writer.memory().head.load();
    if (!writer.send(kind, id, {content.begin(), content.end()}, (flags & 1) == 0)) return;
    wire::Slot& slot = writer.memory().slots[at % kSlots];
    if ((flags & 1) == 0) slot.first.mark = flags >> 1 & 1;
    if ((flags & 4) != 0) slot.first.slots = flags;  // says that it is longer or shorter than it is
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  capture::RingWriter writer(kSlots);
  auto* memory = reinterpret_cast<char*>(&writer.memory());
  if (data[0] % 4 == 0) {  // all of it is the input's
    bytes.copy(memory, std::min(bytes.size(), writer.bytes()));
  } else if (data[0] % 4 == 1) {  // but for the beginning, without which nothing is read
    constexpr std::size_t kFrom = offsetof(wire::Memory, job);
    bytes.copy(memory + kFrom, std::min(bytes.size(), writer.bytes() - kFrom));
  } else {
    write_messages(writer, bytes);
  }
  std::string problem;
  auto ring = capture::RingReader::open(memory, writer.bytes(), problem);
  if (!ring) {
    fuzz::check_line(problem);
    return 0;
  }
  for (const std::string& text : {ring->state_text(), ring->python_text(), ring->cupti_path()}) fuzz::check_text(text);

  trace::Trace trace(std::size_t{64} << 20);
  capture::Recorder recorder(trace, capture::WhenFull::Direct);
  {
    attach::WatchedProcess process({kPid, 1, "train.py", "/nonexistent", 0, std::nullopt, 0}, std::move(*ring), trace,
                                   recorder, kOrigin);
    if (data[0] % 8 >= 4) process.set_bursts(50 * base::kMillisecond, 500 * base::kMillisecond);
    process.read(64, kNow - base::kSecond);
    process.read(std::size_t{1} << 16, kNow);
    for (const trace::OpenCall& call : process.open_calls())
      fuzz::expect(call.start_ns <= kNow + (1LL << 62), "far off");
    for (const attach::LoopChoice& loop : process.loops()) {
      fuzz::check_text(loop.text);
      process.choose_loop(loop.key);
    }
    fuzz::check_text(process.iteration_text());
    fuzz::check_text(process.gpu());
    process.anchor();
    process.finish(kNow + base::kSecond);
  }
  recorder.flush();
  fuzz::examine(trace, {}, bytes);
  return 0;
}
