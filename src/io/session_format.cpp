#include "io/session_format.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "base/from_chars.h"
#include "base/translate.h"

namespace lanescope::io::session {
namespace {

enum class Transform : std::uint8_t { FromBase = 0, FromPrevious = 1 };

// A small number for a small difference in either direction.
constexpr std::uint64_t fold(std::uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
constexpr std::uint64_t unfold(std::uint64_t folded) { return folded >> 1 ^ (0 - (folded & 1)); }

std::size_t width_of(std::uint64_t largest) { return (static_cast<std::size_t>(std::bit_width(largest)) + 7) / 8; }

template <std::size_t Width>
void take_planes(const char* planes, std::span<std::uint64_t> values) {
  const std::size_t count = values.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(planes);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    for (std::size_t b = 0; b < Width; ++b) value |= std::uint64_t{bytes[b * count + i]} << 8 * b;
    values[i] = value;
  }
}

}  // namespace

std::string type_text(std::uint32_t type) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    const auto letter = static_cast<unsigned char>(type >> 8 * i);
    text += letter > 0x20 && letter < 0x7F ? static_cast<char>(letter) : '?';
  }
  return text;
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

std::optional<std::uint32_t> stored_bytes(std::string_view head) {
  Bytes in(head.substr(0, kChunkHeadBytes));
  in.take<std::uint64_t>();
  const auto stored = in.take<std::uint32_t>();
  in.take<std::uint64_t>();
  const bool right = in.take<std::uint32_t>() == checksum(head.substr(0, kChunkHeadBytes - 4)) && !in.bad();
  return right ? std::optional(stored) : std::nullopt;
}

void put_text(std::string& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

void put_column(std::string& out, std::span<const std::uint64_t> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  std::uint64_t steps = 0;
  for (std::size_t i = 1; i < values.size(); ++i) steps |= fold(values[i] - values[i - 1]);
  const std::size_t plain = width_of(*most - *least), stepped = width_of(steps);
  const bool differences = stepped < plain;
  const std::size_t width = differences ? stepped : plain;
  std::uint64_t before = differences ? values.front() : *least;
  put(out, static_cast<std::uint8_t>(differences ? Transform::FromPrevious : Transform::FromBase));
  put(out, static_cast<std::uint8_t>(width));
  put(out, before);
  const std::size_t planes = out.size(), count = values.size();
  out.resize(planes + width * count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t value = differences ? fold(values[i] - before) : values[i] - before;
    if (differences) before = values[i];
    for (std::size_t b = 0; b < width; ++b) out[planes + b * count + i] = static_cast<char>(value >> 8 * b);
  }
}

bool take_column(Bytes& in, std::span<std::uint64_t> values) {
  const auto transform = in.take<std::uint8_t>();
  const std::size_t width = in.take<std::uint8_t>();
  std::uint64_t base = in.take<std::uint64_t>();
  if (in.bad() || transform > 1 || width > 8) return false;
  const char* planes = in.take_bytes(width * values.size()).data();
  if (in.bad()) return false;
  switch (width) {
    case 0:
      std::fill(values.begin(), values.end(), 0);
      break;
    case 1:
      take_planes<1>(planes, values);
      break;
    case 2:
      take_planes<2>(planes, values);
      break;
    case 3:
      take_planes<3>(planes, values);
      break;
    case 4:
      take_planes<4>(planes, values);
      break;
    case 5:
      take_planes<5>(planes, values);
      break;
    case 6:
      take_planes<6>(planes, values);
      break;
    case 7:
      take_planes<7>(planes, values);
      break;
    default:
      take_planes<8>(planes, values);
  }
  if (static_cast<Transform>(transform) == Transform::FromBase) {
    for (std::uint64_t& value : values) value += base;
  } else {
    for (std::uint64_t& value : values) value = base += unfold(value);
  }
  return true;
}

// --- facts and health as texts ---------------------------------------------------------------------------------------

namespace {

template <typename Number>
bool take_number(std::string_view text, Number& number) {
  Number value{};
  const auto [end, error] = base::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  number = value;
  return true;
}

}  // namespace

Texts texts_of(const trace::RunFacts& facts) {
  Texts texts{{"version", facts.version},
              {"workload", facts.workload},
              {"program", facts.program},
              {"iterations", facts.iterations},
              {"device", facts.device},
              {"device_name", facts.device_name},
              {"simulated", facts.simulated ? "1" : "0"},
              {"sm_count", fmt::format("{}", facts.sm_count)},
              {"h2d_peak_gb_per_s", fmt::format("{}", facts.h2d_peak_gb_per_s)},
              {"d2h_peak_gb_per_s", fmt::format("{}", facts.d2h_peak_gb_per_s)},
              {"clock_error_ns", fmt::format("{}", facts.clock_error_ns)},
              {"marks", facts.marks}};
  for (const auto& [key, value] : facts.settings) texts.emplace_back("setting." + key, value);
  return texts;
}

Texts texts_of(const trace::CaptureHealth& health) {
  Texts texts{{"state", fmt::format("{}", static_cast<int>(health.state))},
              {"reason", health.reason},
              {"library", health.library}};
  for_each_number(health,
                  [&](const char* key, const auto& value) { texts.emplace_back(key, fmt::format("{}", value)); });
  return texts;
}

bool take_text(trace::RunFacts& facts, std::string_view key, std::string_view value) {
  constexpr std::string_view kSetting = "setting.";
  if (key == "version") facts.version = value;
  if (key == "workload") facts.workload = value;
  if (key == "program") facts.program = value;
  if (key == "iterations") facts.iterations = value;
  if (key == "device") facts.device = value;
  if (key == "device_name") facts.device_name = value;
  if (key == "simulated") facts.simulated = value == "1";
  if (key == "marks") facts.marks = value;
  if (key.starts_with(kSetting)) facts.settings[std::string(key.substr(kSetting.size()))] = value;
  if (key == "sm_count") return take_number(value, facts.sm_count);
  if (key == "h2d_peak_gb_per_s") return take_number(value, facts.h2d_peak_gb_per_s);
  if (key == "d2h_peak_gb_per_s") return take_number(value, facts.d2h_peak_gb_per_s);
  if (key != "clock_error_ns") return true;
  const bool taken = take_number(value, facts.clock_error_ns);
  facts.clock_error_ns = std::max<base::Nanoseconds>(0, facts.clock_error_ns);
  return taken;
}

bool take_text(trace::CaptureHealth& health, std::string_view key, std::string_view value) {
  if (key == "reason") health.reason = value;
  if (key == "library") health.library = value;
  bool taken = true;
  if (key == "state") {
    int state = 0;
    taken = take_number(value, state);
    if (state > 0 && state <= static_cast<int>(trace::CaptureState::Lost))
      health.state = static_cast<trace::CaptureState>(state);
  }
  for_each_number(health, [&](std::string_view of, auto& number) {
    if (of == key) taken = take_number(value, number);
  });
  return taken;
}

// --- the clock -------------------------------------------------------------------------------------------------------

void put_clock(std::string& out, const trace::ClockFacts& clock, std::size_t from) {
  for (const std::string* text : {&clock.host, &clock.boot_id, &clock.time_namespace}) put_text(out, *text);
  put(out, clock.origin_ns);
  for (; from < clock.readings.size(); ++from) {
    const trace::ClockReading& r = clock.readings[from];
    for (const std::int64_t number : {r.monotonic_ns, r.real_ns, r.width_ns}) put(out, number);
    put(out, r.status);
    for (const std::int64_t number : {r.maxerror_us, r.esterror_us, r.frequency}) put(out, number);
  }
}

bool take_clock(Bytes& in, trace::ClockFacts& clock) {
  for (std::string* text : {&clock.host, &clock.boot_id, &clock.time_namespace}) *text = in.take_text();
  clock.origin_ns = in.take<base::Nanoseconds>();
  while (in.more()) {
    trace::ClockReading r;
    for (base::Nanoseconds* number : {&r.monotonic_ns, &r.real_ns, &r.width_ns}) *number = in.take<std::int64_t>();
    r.status = in.take<std::int32_t>();
    for (std::int64_t* number : {&r.maxerror_us, &r.esterror_us, &r.frequency}) *number = in.take<std::int64_t>();
    if (!in.bad()) clock.readings.push_back(r);
  }
  return !in.bad();
}

std::string Chunk::name() const { return base::tr("chunk {} ({}) at byte {}", number, type_text(type), place); }

}  // namespace lanescope::io::session
