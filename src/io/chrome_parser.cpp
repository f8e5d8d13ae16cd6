#include "io/chrome_parser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "base/time.h"
#include "base/translate.h"
#include "io/chrome_fields.h"
#include "io/chrome_vocabulary.h"
#include "io/json_reader.h"
#include "trace/owners.h"

namespace lanescope::io {
namespace {

constexpr std::size_t kMaxSettings = 1000;
constexpr std::size_t kMaxIntervalNumbers = 3 * trace::Coverage::kMostPages * trace::Coverage::kPageIntervals;

template <typename Number>
Number narrow(const std::optional<std::int64_t>& value) {
  constexpr auto low = static_cast<std::int64_t>(std::numeric_limits<Number>::min());
  constexpr auto high = static_cast<std::int64_t>(std::numeric_limits<Number>::max());
  return value && *value >= low && *value <= high ? static_cast<Number>(*value) : Number{};
}

/// Takes what the reader finds. A stack holds the enclosing objects and arrays outside the events.
class Handler {
 public:
  Handler(JsonReader& reader, FileHead& head, const std::function<void(const RawEvent&)>& on_event)
      : reader_(reader), head_(head), on_event_(on_event) {}

  bool saw_events() const { return saw_events_; }
  std::uint64_t events() const { return events_; }
  /// Events that were left out, and the byte at which the first of them is damaged.
  std::uint64_t damaged() const { return damaged_; }
  std::uint64_t first_damage() const { return first_damage_; }
  /// The file may end here: Chrome's form of an array without anything around it need not be closed.
  bool may_end() const { return !in_event_ && stack_.size() == 1 && stack_.front() == Where::Events; }

  // What JsonReader::walk() passes.
  bool opened(bool object) {
    const Where next = inside(object);
    if (next == Where::Event) {
      read_whole_event();
      return true;
    }
    if (next == Where::Events) saw_events_ = true;
    if (next == Where::RecordedProcess) head_.recorded.emplace_back();
    if (next == Where::Lane) {
      lane_ = {};
      lane_known_ = lane_marked_ = false;
    }
    stack_.push_back(next);
    return false;
  }

  void closed(bool) {
    const Where left = where();
    stack_.pop_back();
    if (left == Where::Lane && !lane_marked_) lane_.role = role_of_unmarked(lane_);
    if (left == Where::Lane && head_.lanes.size() < trace::Trace::kMaxLanes) {
      head_.lanes.push_back(lane_known_ ? std::optional(lane_) : std::nullopt);
    }
  }

  void key(std::string_view name) {
    key_ = name;
    reader_.release();
  }

  void value(const Scalar& value) {
    take_outside(value);
    reader_.release();
  }

 private:
  enum class Where : std::uint8_t {
    Outside,
    Root,
    Events,
    Event,
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

  void take_outside(const Scalar& value) {
    switch (where()) {
      case Where::OtherData:
        head_.take_fact(key_, value);
        break;
      case Where::Settings:
        if (head_.facts.settings.size() < kMaxSettings) head_.facts.settings[key_] = value.written();
        break;
      case Where::Counts:
        head_.take_count(key_, value);
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
      case Where::Root:
        if (key_ == "baseTimeNanoseconds") {
          head_.base_time_ns = std::clamp<std::int64_t>(value.as_integer().value_or(0), 0, base::kFarthest);
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
  }

  static int rank_of(const Scalar& value, int unknown) {
    constexpr std::int64_t kMostRanks = 1'000'000;
    const std::int64_t number = value.as_integer().value_or(-1);
    return number >= 0 && number <= kMostRanks ? static_cast<int>(number) : unknown;
  }

  // --- events and their arguments
  // -----------------------------------------------------------------------------------------------------

  // Of a damaged event only that one is left out, if the next can be found.
  void read_whole_event() {
    constexpr std::uint64_t kMostDamaged = 10'000;
    constexpr std::array<std::string_view, 6> kFirstKeys{"ph", "name", "cat", "pid", "tid", "ts"};
    const int depth = reader_.depth();
    for (;;) {
      try {
        in_event_ = true;
        read_event();
        in_event_ = false;
        ++events_;
        return;
      } catch (const Damaged& damaged) {
        if (damaged.cut_off() || damaged_ >= kMostDamaged || !reader_.find_object(kFirstKeys, depth)) throw;
        if (++damaged_ == 1) first_damage_ = damaged.byte();
      }
    }
  }

  void read_event() {
    reader_.release();
    event_.clear();
    arguments_.clear();
    if (reader_.open(true)) {
      const auto kind = [&] { return event_.phase.empty() ? '\0' : event_.phase.front(); };
      std::string_view name;
      Field field = Field::Other;
      for (std::size_t n = 0; next_key(event_keys_, kind(), n, name, field, event_field); ++n) {
        const char next = reader_.peek();
        if (next == '{' && field == Field::Args) {
          read_arguments();
        } else if (next == '{' || next == '[') {
          reader_.skip();
        } else {
          take_value(field, next);
        }
      }
      reader_.close();
    }
    event_.arguments = arguments_;
    on_event_(event_);
  }

  static RawEvent::Details details_in(Field field) {
    switch (field) {
      case Field::KernelDetails:
        return RawEvent::Details::Kernel;
      case Field::CopyDetails:
        return RawEvent::Details::Copy;
      case Field::MemsetDetails:
        return RawEvent::Details::Memset;
      case Field::MemoryDetails:
        return RawEvent::Details::Memory;
      default:
        return RawEvent::Details::None;
    }
  }

  void read_arguments() {
    if (!reader_.open(true)) return;
    const std::string_view category = event_.category;
    const int kind = category.empty() ? 0 : category.front() + 5 * category.back();
    std::string_view name;
    Field field = Field::Other;
    for (std::size_t n = 0; next_key(argument_keys_, kind, n, name, field, argument_field); ++n) {
      const char next = reader_.peek();
      if (next != '{' && next != '[') {
        const RawEvent::Details details = details_in(field);
        const bool shown = field == Field::Other || field == Field::Size;  // as an argument
        if (!shown && details == RawEvent::Details::None) {
          take_value(field, next);
          continue;
        }
        const Scalar value = reader_.scalar();
        if (field == Field::Size && !event_.bytes) event_.bytes = value.as_integer();
        if (details != RawEvent::Details::None) {
          event_.details_of = details;
          event_.details = value.text;
        }
        if (!are_kept()) continue;
        value_.clear();
        value_.append(value);
        add_argument(name, value_.text());
      } else if (field == Field::Grid) {
        event_.launch.grid = read_size();
      } else if (field == Field::Block) {
        event_.launch.block = read_size();
      } else if ((field == Field::Other || field == Field::Size) && are_kept()) {
        value_.clear();
        reader_.walk(value_);
        if (value_.text().size() > kMostArgument) {
          const std::string whole = value_.text();
          value_.clear();
          value_.append(Scalar::of_text(whole));
        }
        add_argument(name, value_.text());
      } else {
        reader_.skip();
      }
    }
    reader_.close();
  }

  // Events of a kind mostly have the same keys in the same order.
  struct ExpectedKey {
    JsonReader::KnownKey written;
    Field field = Field::Other;
  };
  static constexpr std::size_t kKinds = 16, kPlaces = 16;
  using ExpectedKeys = std::array<ExpectedKey, kKinds * kPlaces>;

  /// The n-th key of an object; false at its end, which is consumed.
  template <class FieldOf>
  bool next_key(ExpectedKeys& keys, int kind, std::size_t n, std::string_view& name, Field& field, FieldOf&& field_of) {
    const std::size_t place = n == 0 ? 0 : 1 + (n - 1) % (kPlaces - 1);  // only the first has no comma before it
    ExpectedKey& expected = keys[static_cast<std::size_t>(kind) % kKinds * kPlaces + place];
    if (!reader_.known_key(expected.written, name)) {
      if (!reader_.learn_key(expected.written, n == 0, name)) return false;
      expected.field = field_of(name);
    }
    field = expected.field;
    return true;
  }

  // The kinds of values that most fields have take the short way; take_field() knows all.
  void take_value(Field field, char next) {
    if (next == '"') return take_text(field, reader_.text());
    const bool time = field == Field::Start || field == Field::Duration;  // hardly ever short
    if (std::int64_t integer = 0; !time && reader_.short_integer(integer)) return take_integer(field, integer);
    take_field(field, reader_.number_or_word());
  }

  void take_text(Field field, std::string_view text) {
    switch (field) {
      case Field::Phase:
        event_.phase = text;
        break;
      case Field::Category:
        event_.category = text;
        break;
      case Field::Name:
        event_.name = text;
        break;
      default:
        take_field(field, Scalar::of_text(text));
    }
  }

  void take_integer(Field field, std::int64_t n) {
    switch (field) {
      case Field::Process:
        event_.process.is_text = false;
        event_.process.number = n;
        break;
      case Field::Thread:
        event_.thread.is_text = false;
        event_.thread.number = n;
        break;
      case Field::ExternalId:
        event_.external_id = n;
        break;
      case Field::Correlation:
        event_.correlation = n;
        break;
      case Field::Device:
        event_.device = n;
        break;
      case Field::Stream:
        event_.stream = n;
        break;
      case Field::Lane:
        event_.lane = n;
        break;
      case Field::Known:
        break;
      default:
        take_field(field, {Scalar::Type::Integer, -1, n, {}});
    }
  }

  std::array<std::uint32_t, 3> read_size() {
    SizeReader size;
    reader_.walk(size);
    return size.size();
  }

  /// Only intervals have arguments of interest; in a file the phase comes first.
  bool are_kept() const { return event_.phase.empty() || event_.phase == "X" || event_.phase == "B"; }

  void add_argument(std::string_view name, std::string_view json) {
    if (name.size() > kMostArgument || arguments_.size() + json.size() > kMostArguments) return;
    if (!arguments_.empty()) arguments_ += ',';
    base::append_json_string(arguments_, name);
    arguments_ += ':';
    arguments_ += json;
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

  void take_field(Field field, const Scalar& value) {
    switch (field) {
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
      case Field::Other:
      case Field::Size:
      case Field::Grid:
      case Field::Block:
      case Field::KernelDetails:
      case Field::CopyDetails:
      case Field::MemsetDetails:
      case Field::MemoryDetails:
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

  void take_recorded(const Scalar& value) {
    FileHead::Recorded& process = head_.recorded.back();
    const std::int64_t number = value.as_integer().value_or(0);
    if (key_ == "pid") process.pid = number;
    if (key_ == "burst_ns") process.burst_ns = std::max<std::int64_t>(0, number);
    if (key_ == "period_ns") process.period_ns = std::max<std::int64_t>(0, number);
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
      lane_.rank = trace::rank_in(value.text);
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

  JsonReader& reader_;
  FileHead& head_;
  const std::function<void(const RawEvent&)>& on_event_;
  std::vector<Where> stack_;
  std::string key_;
  bool saw_events_ = false, in_event_ = false;
  std::uint64_t events_ = 0, damaged_ = 0, first_damage_ = 0;
  RawEvent event_;
  std::string arguments_;  // of that event
  ValueWriter value_;
  ExpectedKeys event_keys_, argument_keys_;
  trace::LaneInfo lane_;
  bool lane_known_ = false, lane_marked_ = false;
  std::size_t intervals_ = 0;  // numbers of recorded intervals read
};

}  // namespace

// Not an assignment: most of an event is not there, and need not be written.
void RawEvent::clear() {
  // Not one in a chain: each would be read back at once, while it is still being written.
  for (std::string_view* text : {&phase, &category, &name, &new_name, &arguments, &details, &label_hex, &raw,
                                 &range_kind, &marker_kind, &key, &before, &now}) {
    *text = {};
  }
  details_of = Details::None;
  process.is_text = thread.is_text = false;
  process.number = thread.number = 0;
  start.present = duration.present = false;
  start.ns.reset();
  duration.ns.reset();
  correlation.reset();
  device.reset();
  stream.reset();
  wait_on_stream.reset();
  bytes.reset();
  external_id.reset();
  lane.reset();
  index.reset();
  flags.reset();
  own_ns.reset();
  copying_ns.reset();
  returning_ns.reset();
  version.reset();
  value.reset();
  label.reset();
  launch = {};
}

void parse_chrome_trace(ByteSource& source, FileHead& head, const std::function<void(const RawEvent&)>& on_event,
                        Threads threads) {
  JsonReader reader(source, threads);
  reader.tolerate();
  Handler handler(reader, head, on_event);
  try {
    reader.walk(handler);
    reader.expect_end();
  } catch (const Damaged& damaged) {
    if (handler.events() == 0) throw;
    if (!damaged.cut_off() || damaged.byte() == 0 || !handler.may_end()) head.damage = damaged.remark();
  }
  head.damaged_events = handler.damaged();
  if (handler.damaged() == 1) {
    add_sentence(head.damage, base::tr("One event is damaged, at byte {}, and left out.", handler.first_damage()));
  } else if (handler.damaged() > 1) {
    add_sentence(head.damage, base::tr("{} events are damaged, the first at byte {}, and left out.", handler.damaged(),
                                       handler.first_damage()));
  }
  if (reader.faults() > 0) {
    add_sentence(head.damage, base::tr("Its JSON has {} faults, which were read as they are meant.", reader.faults()));
  }
  if (!handler.saw_events()) {
    throw NotATrace(source.named(base::tr("not a Chrome trace: it has no \"traceEvents\"")));
  }
}

}  // namespace lanescope::io
