#include "io/chrome_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <string_view>
#include <utility>

#include "base/translate.h"
#include "io/chrome_fields.h"
#include "io/chrome_vocabulary.h"
#include "io/json_text.h"

namespace lanescope::io {
namespace {

constexpr std::size_t kMaxDepth = 512;
constexpr std::size_t kMaxSettings = 1000;
constexpr std::size_t kMaxIntervalNumbers = 3 * trace::Coverage::kMostPages * trace::Coverage::kPageIntervals;
constexpr std::uint64_t kMaxValueBytes = 64u << 20;
// Of an argument's value, and of all arguments of an event: more is for reading elsewhere than beside a timeline.
constexpr std::size_t kMostArgument = 2000, kMostArguments = 8000;

template <typename Number>
Number narrow(const std::optional<std::int64_t>& value) {
  constexpr auto low = static_cast<std::int64_t>(std::numeric_limits<Number>::min());
  constexpr auto high = static_cast<std::int64_t>(std::numeric_limits<Number>::max());
  return value && *value >= low && *value <= high ? static_cast<Number>(*value) : Number{};
}

/// At most n bytes, without breaking a character.
std::string_view beginning_of(std::string_view text, std::size_t n) {
  if (text.size() <= n) return text;
  while (n > 0 && (static_cast<unsigned char>(text[n]) & 0xC0u) == 0x80u) --n;
  return text.substr(0, n);
}

/// The callbacks of nlohmann's parser. A stack holds the enclosing objects and arrays; no recursion.
class Handler {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  Handler(FileHead& head, const std::function<void(RawEvent&)>& on_event) : head_(head), on_event_(on_event) {}

  bool null() { return scalar({}); }
  bool boolean(bool value) { return scalar({Scalar::Type::Boolean, value ? 1 : 0, 0, value ? "true" : "false"}); }
  bool number_integer(number_integer_t value) { return scalar({Scalar::Type::Integer, value, 0, {}}); }
  bool number_unsigned(number_unsigned_t value) {
    if (value <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      return scalar({Scalar::Type::Integer, static_cast<std::int64_t>(value), 0, {}});
    }
    const std::string text = std::to_string(value);
    return scalar({Scalar::Type::Real, 0, static_cast<double>(value), text});
  }
  bool number_float(number_float_t value, const string_t& text) { return scalar({Scalar::Type::Real, 0, value, text}); }
  bool string(string_t& value) { return scalar({Scalar::Type::Text, 0, 0, value}); }
  bool binary(binary_t&) { return scalar({}); }

  bool key(string_t& name) {
    ++progress;
    switch (where()) {
      case Where::Event:
        field_ = event_field(name);
        break;
      case Where::Args:
        field_ = argument_field(name);
        if (field_ == Field::Other || is_details(field_)) argument_key_ = name;
        break;
      case Where::Value:
        begin_value();
        append_json_string(value_, name);
        value_ += ':';
        after_key_ = true;
        break;
      case Where::Skipped:
        break;
      default:
        key_ = name;
        break;
    }
    return true;
  }

  bool start_object(std::size_t) { return enter(true); }
  bool start_array(std::size_t) { return enter(false); }
  bool end_object() { return leave(); }
  bool end_array() { return leave(); }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    error_position = position;
    error_text = error.what();
    return false;
  }

  std::uint64_t progress = 0;  ///< number of callbacks
  bool saw_events = false;
  bool too_deep = false;
  std::size_t error_position = 0;
  std::string error_text;

 private:
  enum class Where : std::uint8_t {
    Outside,
    Root,
    Events,
    Event,
    Args,
    OtherData,
    Settings,
    Counts,
    Lanes,
    Lane,
    Recorded,         ///< which parts of which process are recorded
    RecordedProcess,  ///< of one of them
    Intervals,
    Devices,
    Device,
    Distributed,  ///< which rank of a job wrote the file
    Value,        ///< an array or object that is the value of an argument
    Skipped
  };

  Where where() const { return stack_.empty() ? Where::Outside : stack_.back(); }

  Where inside(bool object) const {
    const auto is = [&](bool wants_object, std::string_view wanted) {
      return object == wants_object && key_ == wanted;
    };
    switch (where()) {
      case Where::Outside:
        return object ? Where::Root : Where::Events;
      case Where::Root:
        if (is(false, "traceEvents")) return Where::Events;
        if (is(true, "otherData")) return Where::OtherData;
        if (is(false, "deviceProperties")) return Where::Devices;
        if (is(true, "distributedInfo")) return Where::Distributed;
        return Where::Skipped;
      case Where::Events:
        return object ? Where::Event : Where::Skipped;
      case Where::Event:
        return object && field_ == Field::Args ? Where::Args : Where::Skipped;
      case Where::Args:
        return field_ == Field::Other || field_ == Field::Grid || field_ == Field::Block ? Where::Value
                                                                                         : Where::Skipped;
      case Where::Value:
        return Where::Value;
      case Where::OtherData:
        if (is(true, "settings")) return Where::Settings;
        if (is(true, "events")) return Where::Counts;
        if (is(false, "lanes")) return Where::Lanes;
        if (is(false, "recorded")) return Where::Recorded;
        return Where::Skipped;
      case Where::Recorded:
        return object && head_.recorded.size() < trace::Trace::kMaxLanes ? Where::RecordedProcess : Where::Skipped;
      case Where::RecordedProcess:
        return is(false, "intervals_ns") ? Where::Intervals : Where::Skipped;
      case Where::Lanes:
        return object ? Where::Lane : Where::Skipped;
      case Where::Devices:
        return object ? Where::Device : Where::Skipped;
      default:
        return Where::Skipped;
    }
  }

  bool enter(bool object) {
    ++progress;
    if (stack_.size() >= kMaxDepth) {
      too_deep = true;
      return false;
    }
    const Where next = inside(object);
    if (next == Where::Event) event_.clear();
    if (next == Where::Events) saw_events = true;
    if (next == Where::RecordedProcess) head_.recorded.emplace_back();
    if (next == Where::Lane) {
      lane_ = {};
      lane_known_ = lane_marked_ = false;
    }
    if (next == Where::Value) {
      if (where() != Where::Value) value_.clear();
      begin_value();
      value_ += object ? '{' : '[';
      closes_.push_back(object ? '}' : ']');
    }
    stack_.push_back(next);
    return true;
  }

  bool leave() {
    ++progress;
    const Where left = where();
    stack_.pop_back();
    if (left == Where::Event) on_event_(event_);
    if (left == Where::Value) {
      value_ += closes_.back();
      closes_.pop_back();
      if (where() == Where::Args) take_value();
    }
    if (left == Where::Lane && !lane_marked_) lane_.role = role_of_unmarked(lane_);
    if (left == Where::Lane && head_.lanes.size() < trace::Trace::kMaxLanes) {
      head_.lanes.push_back(lane_known_ ? std::optional(lane_) : std::nullopt);
    }
    return true;
  }

  bool scalar(const Scalar& value) {
    ++progress;
    switch (where()) {
      case Where::Event:
      case Where::Args:
        take_field(value);
        break;
      case Where::Value:
        begin_value();
        append_json(value_, value);
        break;
      case Where::OtherData:
        take_fact(value);
        break;
      case Where::Settings:
        if (head_.facts.settings.size() < kMaxSettings) head_.facts.settings[key_] = value.written();
        break;
      case Where::Counts:
        take_count(value);
        break;
      case Where::Lane:
        take_lane(value);
        break;
      case Where::RecordedProcess:
        take_recorded(value);
        break;
      case Where::Intervals:
        if (intervals_ < kMaxIntervalNumbers && value.as_integer()) {
          ++intervals_;
          head_.recorded.back().intervals_ns.push_back(*value.as_integer());
        }
        break;
      case Where::Device:
        if (key_ == "name" && head_.device_name.empty()) head_.device_name = value.text;
        break;
      case Where::Distributed:
        if (key_ == "rank") head_.rank = rank_of(value, -1);
        if (key_ == "world_size") head_.world_size = rank_of(value, 0);
        break;
      default:
        break;
    }
    return true;
  }

  static int rank_of(const Scalar& value, int unknown) {
    constexpr std::int64_t kMostRanks = 1'000'000;
    const std::int64_t number = value.as_integer().value_or(-1);
    return number >= 0 && number <= kMostRanks ? static_cast<int>(number) : unknown;
  }

  // --- arguments -----------------------------------------------------------------------------------------------------

  /// Before each key, element and nested value of an argument: the comma, if one belongs there. Drops what is too long.
  void begin_value() {
    if (value_.size() > 4 * kMostArgument) value_.resize(2 * kMostArgument);  // take_value() cuts it
    const char last = value_.empty() ? '[' : value_.back();
    if (!std::exchange(after_key_, false) && last != '[' && last != '{') value_ += ',';
  }

  static void append_json(std::string& out, const Scalar& value) {
    switch (value.type) {
      case Scalar::Type::None:
        out += "null";
        break;
      case Scalar::Type::Integer:
        append_number(out, value.integer);
        break;
      case Scalar::Type::Boolean:
      case Scalar::Type::Real:
        out += value.text;
        break;
      case Scalar::Type::Text:
        append_json_string(out, beginning_of(value.text, kMostArgument));
        if (value.text.size() > kMostArgument) out.insert(out.size() - 1, "…");
        break;
    }
  }

  void take_value() {
    if (field_ == Field::Grid) return void(event_.launch.grid = size_of(value_));
    if (field_ == Field::Block) return void(event_.launch.block = size_of(value_));
    if (value_.size() <= kMostArgument) return add_argument(value_);
    std::string cut;
    append_json(cut, {Scalar::Type::Text, 0, 0, value_});
    add_argument(cut);
  }

  /// Only intervals have arguments of interest; in a file the phase comes first.
  void add_argument(std::string_view json) {
    const std::string& phase = event_.phase;
    if (!phase.empty() && phase != "X" && phase != "B") return;
    std::string& all = event_.arguments;
    if (argument_key_.size() > kMostArgument || all.size() + json.size() > kMostArguments) return;
    if (!all.empty()) all += ',';
    append_json_string(all, argument_key_);
    all += ':';
    all += json;
  }

  /// "[128,1,1]"; 0 for what is no size.
  static std::array<std::uint32_t, 3> size_of(std::string_view json) {
    std::array<std::uint32_t, 3> size{};
    const char* at = json.data() + 1;
    const char* const end = json.data() + json.size();
    for (std::uint32_t& n : size) {
      const auto [next, error] = std::from_chars(at, end, n);
      if (error != std::errc{} || next == end || (*next != ',' && *next != ']')) return {};
      at = next + 1;
    }
    return at == end ? size : std::array<std::uint32_t, 3>{};
  }

  static std::uint32_t count_of(const Scalar& value) {
    const auto n = value.as_integer();
    return n && *n >= 0 && *n < trace::LaunchShape::kUnknown ? static_cast<std::uint32_t>(*n)
                                                             : trace::LaunchShape::kUnknown;
  }
  static double share_of(const Scalar& value) {
    const double share = value.as_real().value_or(-1);
    return std::isfinite(share) && share >= 0 ? share : -1;
  }

  static bool is_details(Field field) {
    return field == Field::KernelDetails || field == Field::CopyDetails || field == Field::MemsetDetails ||
           field == Field::MemoryDetails;
  }
  void take_details(const Scalar& value, RawEvent::Details of) {
    event_.details_of = of;
    event_.details = value.text;
    value_.clear();
    append_json(value_, value);
    add_argument(value_);
  }

  void take_field(const Scalar& value) {
    switch (field_) {
      case Field::KernelDetails:
        return take_details(value, RawEvent::Details::Kernel);
      case Field::CopyDetails:
        return take_details(value, RawEvent::Details::Copy);
      case Field::MemsetDetails:
        return take_details(value, RawEvent::Details::Memset);
      case Field::MemoryDetails:
        return take_details(value, RawEvent::Details::Memory);
      case Field::Other:
        if (where() != Where::Args) break;
        value_.clear();
        append_json(value_, value);
        add_argument(value_);
        break;
      case Field::ExternalId:
        event_.external_id = value.as_integer();
        break;
      case Field::Registers:
        event_.launch.registers_per_thread = count_of(value);
        break;
      case Field::SharedMemory:
        event_.launch.shared_bytes = count_of(value);
        break;
      case Field::StaticShared:
        event_.launch.static_shared_bytes = count_of(value);
        break;
      case Field::DynamicShared:
        event_.launch.dynamic_shared_bytes = count_of(value);
        break;
      case Field::Context:
        event_.launch.context = count_of(value);
        break;
      case Field::BlocksPerSm:
        event_.launch.blocks_per_sm = share_of(value);
        break;
      case Field::WarpsPerSm:
        event_.launch.warps_per_sm = share_of(value);
        break;
      case Field::Occupancy:
        event_.launch.occupancy_percent = share_of(value);
        break;
      case Field::Grid:
      case Field::Block:
      case Field::Known:
      case Field::Args:
        break;
      case Field::Phase:
        event_.phase = value.text;
        break;
      case Field::Category:
        event_.category = value.text;
        break;
      case Field::Name:
        event_.name = value.text;
        break;
      case Field::Process:
        event_.process = value.as_id();
        break;
      case Field::Thread:
        event_.thread = value.as_id();
        break;
      case Field::Start:
        event_.start = value.as_time();
        break;
      case Field::Duration:
        event_.duration = value.as_time();
        break;
      case Field::Lane:
        event_.lane = value.as_integer();
        break;
      case Field::Label:
        event_.label = value.text;
        break;
      case Field::LabelHex:
        event_.label_hex = value.text;
        break;
      case Field::Raw:
        event_.raw = value.text;
        break;
      case Field::Correlation:
        event_.correlation = value.as_integer();
        break;
      case Field::Device:
        event_.device = value.as_integer();
        break;
      case Field::Stream:
        event_.stream = value.as_integer();
        break;
      case Field::WaitOnStream:
        event_.wait_on_stream = value.as_integer();
        break;
      case Field::Bytes:
        event_.bytes = value.as_integer();
        break;
      case Field::NewName:
        event_.new_name = value.text;
        break;
      case Field::Index:
        event_.index = value.as_integer();
        break;
      case Field::Flags:
        event_.flags = value.as_integer();
        break;
      case Field::OwnNs:
        event_.own_ns = value.as_integer();
        break;
      case Field::CopyingNs:
        event_.copying_ns = value.as_integer();
        break;
      case Field::ReturningNs:
        event_.returning_ns = value.as_integer();
        break;
      case Field::Value:
        event_.value = value.as_real();
        break;
      case Field::RangeKind:
        event_.range_kind = value.text;
        break;
      case Field::MarkerKind:
        event_.marker_kind = value.text;
        break;
      case Field::Version:
        event_.version = value.as_integer();
        break;
      case Field::Key:
        event_.key = value.text;
        break;
      case Field::Before:
        event_.before = value.text;
        break;
      case Field::Now:
        event_.now = value.text;
        break;
    }
  }

  /// 0 for an invalid rate.
  static double peak_of(const Scalar& value) {
    const double peak = value.as_real().value_or(0);
    return std::isfinite(peak) && peak > 0 ? peak : 0;
  }

  void take_fact(const Scalar& value) {
    RunFacts& facts = head_.facts;
    if (key_ == "lanescope") {
      head_.own = true;
      facts.version = value.text;
    } else if (key_ == "format") {
      head_.format = value.as_integer().value_or(0);
    } else if (key_ == "workload") {
      facts.workload = value.text;
    } else if (key_ == "program") {
      facts.program = value.text;
    } else if (key_ == "iterations") {
      facts.iterations = value.text;
    } else if (key_ == "device") {
      facts.device = value.text;
    } else if (key_ == "device_name") {
      facts.device_name = value.text;
    } else if (key_ == "simulated") {
      facts.simulated = value.as_integer().value_or(0) != 0;
    } else if (key_ == "sm_count") {
      constexpr std::int64_t kMostSms = 1 << 16;
      facts.sm_count = static_cast<int>(std::clamp<std::int64_t>(value.as_integer().value_or(0), 0, kMostSms));
    } else if (key_ == "h2d_peak_gb_per_s") {
      facts.h2d_peak_gb_per_s = peak_of(value);
    } else if (key_ == "d2h_peak_gb_per_s") {
      facts.d2h_peak_gb_per_s = peak_of(value);
    } else if (key_ == "marks") {
      facts.marks = value.text;
    } else if (key_ == "detailed") {
      head_.detailed = value.as_integer().value_or(0) != 0;
    } else if (key_ == "complete_until_ns") {
      head_.complete_until_ns = value.as_integer();
    }
  }

  void take_recorded(const Scalar& value) {
    FileHead::Recorded& process = head_.recorded.back();
    const std::int64_t number = value.as_integer().value_or(0);
    if (key_ == "pid") process.pid = number;
    if (key_ == "burst_ns") process.burst_ns = std::max<std::int64_t>(0, number);
    if (key_ == "period_ns") process.period_ns = std::max<std::int64_t>(0, number);
  }

  void take_count(const Scalar& value) {
    const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.as_integer().value_or(0)));
    if (key_ == "recorded") head_.counts.recorded = count;
    if (key_ == "evicted") head_.counts.evicted = count;
    if (key_ == "dropped") head_.counts.dropped = count;
    if (key_ == "late") head_.counts.late = count;
    if (key_ == "clamped") head_.counts.clamped = count;
  }

  void take_lane(const Scalar& value) {
    if (key_ == "kind") {
      if (const auto kind = lane_kind_from_key(value.text)) {
        lane_.kind = *kind;
        lane_known_ = true;
      }
    } else if (key_ == "role") {
      lane_.role = lane_role_from_key(value.text).value_or(trace::LaneRole::None);
      lane_marked_ = head_.marked = true;
    } else if (key_ == "name") {
      lane_.name = value.text;
    } else if (key_ == "process") {
      lane_.process = value.text;
    } else if (key_ == "host") {
      lane_.host = value.text;
    } else if (key_ == "thread") {
      lane_.thread = value.text;
    } else if (key_ == "pid") {
      lane_.pid = value.as_integer().value_or(0);
    } else if (key_ == "tid") {
      lane_.tid = value.as_integer().value_or(0);
    } else if (key_ == "device") {
      lane_.device = narrow<std::int32_t>(value.as_integer());
    } else if (key_ == "stream") {
      lane_.stream = narrow<std::int32_t>(value.as_integer());
    } else if (key_ == "reorder_window") {
      lane_.reorder_window = narrow<std::uint32_t>(value.as_integer());
    }
  }

  FileHead& head_;
  const std::function<void(RawEvent&)>& on_event_;
  std::vector<Where> stack_;
  std::string key_, argument_key_;
  std::string value_;   // of an argument, as JSON without spaces
  std::string closes_;  // the brackets that end it, innermost last
  bool after_key_ = false;
  Field field_ = Field::Other;
  RawEvent event_;
  trace::LaneInfo lane_;
  bool lane_known_ = false, lane_marked_ = false;
  std::size_t intervals_ = 0;  // numbers of recorded intervals read
};

/// Feeds a ByteSource to the parser, and stops it if one value takes more memory than in any real trace.
class SourceBuffer final : public std::streambuf {
 public:
  SourceBuffer(ByteSource& source, const std::uint64_t& progress) : source_(source), progress_(progress) {}
  bool at_end() const { return at_end_; }

 private:
  int_type underflow() override {
    const std::string_view piece = source_.next();
    if (progress_ != last_progress_) {
      last_progress_ = progress_;
      silent_bytes_ = 0;
    }
    silent_bytes_ += piece.size();
    if (silent_bytes_ > kMaxValueBytes) source_.fail(base::tr("not a trace: one value in it is longer than 64 MB"));
    if (piece.empty()) {
      at_end_ = true;
      return traits_type::eof();
    }
    char* begin = const_cast<char*>(piece.data());  // a streambuf's get area is only read here
    setg(begin, begin, begin + piece.size());
    return traits_type::to_int_type(*begin);
  }

  ByteSource& source_;
  const std::uint64_t& progress_;
  std::uint64_t last_progress_ = 0;
  std::uint64_t silent_bytes_ = 0;
  bool at_end_ = false;
};

/// The JSON library's message, without its prefix and without the text it quotes, which may be long.
std::string reason_of(const std::string& what) {
  const std::size_t dash = what.find(" - ");
  const std::size_t bracket = what.find("] ");
  std::size_t begin = 0;
  if (dash != std::string::npos) {
    begin = dash + 3;
  } else if (bracket != std::string::npos) {
    begin = bracket + 2;
  }
  const std::string reason = what.substr(begin, what.find("; last read", begin) - begin);
  return reason.size() > 100 ? reason.substr(0, 100) + "..." : reason;
}

}  // namespace

void RawEvent::clear() {
  for (std::string* text : {&phase, &category, &name, &process.text, &thread.text, &new_name, &label_hex, &raw,
                            &range_kind, &marker_kind, &key, &before, &now, &arguments, &details}) {
    text->clear();  // keeps its memory
  }
  for (auto* number : {&correlation, &device, &stream, &wait_on_stream, &bytes, &lane, &index, &flags, &own_ns,
                       &copying_ns, &returning_ns, &version, &external_id}) {
    number->reset();
  }
  process.is_text = thread.is_text = false;
  process.number = thread.number = 0;
  start = duration = {};
  value.reset();
  label.reset();
  launch = {};
  details_of = Details::None;
}

void parse_chrome_trace(ByteSource& source, FileHead& head, const std::function<void(RawEvent&)>& on_event) {
  Handler handler(head, on_event);
  SourceBuffer buffer(source, handler.progress);
  std::istream stream(&buffer);
  if (!nlohmann::json::sax_parse(stream, &handler)) {
    if (handler.too_deep) source.fail(base::tr("not a trace: objects and arrays nested more than 512 deep"));
    const std::string at = std::to_string(handler.error_position);
    if (buffer.at_end()) source.fail(base::tr("the file is truncated: its JSON ends too early, at byte ") + at);
    // The library's messages are in English only.
    const bool english = base::language() == base::Language::English;
    source.fail(base::tr("not valid JSON, at byte ") + at + (english ? ": " + reason_of(handler.error_text) : ""));
  }
  if (!handler.saw_events) source.fail(base::tr("not a Chrome trace: it has no \"traceEvents\""));
}

}  // namespace lanescope::io
