#include "json_mutator.h"

#include <array>
#include <nlohmann/json.hpp>

namespace lanescope::fuzz {
namespace {

using nlohmann::json;

// What nlohmann's values cannot hold stands in a text with this mark, and is put in afterwards.
constexpr std::string_view kMark = "raw#";
constexpr std::array<std::string_view, 22> kRaw = {"1e999",
                                                   "-1e999",
                                                   "1e-999",
                                                   "-0",
                                                   "-0.0",
                                                   "0.000000000000000000000001",
                                                   "18446744073709551616",
                                                   "-9223372036854775809",
                                                   "9007199254740993.0000000001",
                                                   "123456789012345678901234567890",
                                                   "1E+18",
                                                   "9223372036854775.807",
                                                   "9223372036854775.808",
                                                   "\"\xff\xfe\"",
                                                   "\"\xed\xa0\x80\"",
                                                   "\"\xf0\x9f\"",
                                                   "\"\\ud800\"",
                                                   "\"\\u0000\"",
                                                   "\"\\udc00\\ud800\"",
                                                   "{}",
                                                   "[]",
                                                   "\"\""};

// Keys and values that mean something to the reader.
constexpr std::array<const char*, 66> kKeys = {"ph",
                                               "cat",
                                               "name",
                                               "pid",
                                               "tid",
                                               "ts",
                                               "dur",
                                               "args",
                                               "id",
                                               "bp",
                                               "s",
                                               "correlation",
                                               "External id",
                                               "stream",
                                               "device",
                                               "bytes",
                                               "grid",
                                               "block",
                                               "context",
                                               "registers per thread",
                                               "shared memory",
                                               "blocks per SM",
                                               "warps per SM",
                                               "est. achieved occupancy %",
                                               "wait_on_stream",
                                               "wait_on_cuda_event_id",
                                               "Sequence number",
                                               "name",
                                               "labels",
                                               "sort_index",
                                               "traceEvents",
                                               "deviceProperties",
                                               "distributedInfo",
                                               "rank",
                                               "world_size",
                                               "baseTimeNanoseconds",
                                               "displayTimeUnit",
                                               "otherData",
                                               "lanes",
                                               "lane",
                                               "index",
                                               "flags",
                                               "own_ns",
                                               "copying_ns",
                                               "returning_ns",
                                               "version",
                                               "value",
                                               "label",
                                               "label_hex",
                                               "raw",
                                               "range_kind",
                                               "marker_kind",
                                               "key",
                                               "before",
                                               "now",
                                               "recorded",
                                               "complete_until_ns",
                                               "format",
                                               "long_name",
                                               "hlo_module",
                                               "hlo_op",
                                               "correlation_id",
                                               "kernel_details",
                                               "memcpy_details",
                                               "memset_details",
                                               "Collective name"};
constexpr std::array<const char*, 40> kTexts = {"X",
                                                "B",
                                                "E",
                                                "M",
                                                "i",
                                                "I",
                                                "s",
                                                "f",
                                                "C",
                                                "b",
                                                "e",
                                                "kernel",
                                                "gpu_memcpy",
                                                "gpu_memset",
                                                "cuda_runtime",
                                                "cuda_driver",
                                                "cpu_op",
                                                "user_annotation",
                                                "gpu_user_annotation",
                                                "python_function",
                                                "ac2g",
                                                "cuda_sync",
                                                "process_name",
                                                "thread_name",
                                                "cudaLaunchKernel",
                                                "cudaStreamSynchronize",
                                                "cudaMemcpyAsync",
                                                "cudaDeviceSynchronize",
                                                "cudaGraphLaunch",
                                                "Memcpy HtoD (Pageable -> Device)",
                                                "Memcpy DtoH (Device -> Pinned)",
                                                "ProfilerStep#1",
                                                "Context Sync",
                                                "Stream Wait Event",
                                                "ncclDevKernel_AllReduce_Sum_f32",
                                                "aten::item",
                                                "GPU 0",
                                                "python",
                                                "stream 7",
                                                "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"};

json any_value(Dice& dice) {
  switch (dice.below(9)) {
    case 0:
      return dice.extreme();
    case 1:
      return static_cast<double>(dice.extreme()) / 1000.0;
    case 2:
      return static_cast<std::int64_t>(dice.below(8));
    case 3:
      return kTexts[dice.below(kTexts.size())];
    case 4:
      return std::to_string(dice.extreme());
    case 5:
      return std::string(kMark) + std::to_string(dice.below(kRaw.size() + 3));
    case 6:
      return dice.one_in(2) ? json() : json(dice.one_in(2));
    case 7:
      return json::array({dice.extreme(), static_cast<std::int64_t>(dice.below(2000)), 1});
    default:
      return json::object({{kKeys[dice.below(kKeys.size())], dice.extreme()}});
  }
}

/// Any value below, the deeper the rarer.
json* anywhere(json& root, Dice& dice) {
  json* at = &root;
  while (at->is_structured() && !at->empty() && !dice.one_in(6)) {
    auto member = at->begin();
    std::advance(member, static_cast<std::ptrdiff_t>(dice.below(at->size())));
    at = &*member;
  }
  return at;
}

void change_object(json& object, Dice& dice) {
  if (!object.is_object()) return;
  auto member = object.begin();
  if (!object.empty()) std::advance(member, static_cast<std::ptrdiff_t>(dice.below(object.size())));
  switch (object.empty() ? 2 : dice.below(4)) {
    case 0:
      object.erase(member);
      break;
    case 1:
      *member = any_value(dice);
      break;
    case 2:
      object[kKeys[dice.below(kKeys.size())]] = any_value(dice);
      break;
    default: {
      json value = *member;
      object[kKeys[dice.below(kKeys.size())]] = std::move(value);
    }
  }
}

void change_number(json& value, Dice& dice) {
  if (!value.is_number()) return;
  const double now = value.get<double>();
  switch (dice.below(5)) {
    case 0:
      value = -now;
      break;
    case 1:
      value = now + static_cast<double>(dice.below(2001)) / 1000.0 - 1.0;
      break;
    case 2:
      value = now * 1e6;
      break;
    case 3:
      value = dice.extreme();
      break;
    default:
      value = std::to_string(now);
  }
}

void change_events(json& events, Dice& dice) {
  if (!events.is_array() || events.empty()) return;
  const std::size_t a = dice.below(events.size()), b = dice.below(events.size());
  switch (dice.below(8)) {
    case 0:
      std::swap(events[a], events[b]);
      break;
    case 1: {
      json copy = events[a];
      events.insert(events.begin() + static_cast<std::ptrdiff_t>(b), std::move(copy));
      break;
    }
    case 2:
      events.erase(a);
      break;
    case 3:  // the same key of another event
      if (events[a].is_object() && events[b].is_object() && !events[a].empty()) {
        auto member = events[a].begin();
        std::advance(member, static_cast<std::ptrdiff_t>(dice.below(events[a].size())));
        json value = member.value();
        events[b][member.key()] = std::move(value);
      }
      break;
    case 4:
      if (events[a].is_object() && events[a].contains("args")) change_object(events[a]["args"], dice);
      break;
    case 5:
      for (const char* key : {"ts", "dur"}) {
        if (events[a].is_object() && events[a].contains(key)) change_number(events[a][key], dice);
      }
      break;
    case 6:  // many alike
      for (std::size_t n = dice.below(64); n > 0; --n) {
        json copy = events[a];
        if (copy.is_object() && copy.contains("ts") && copy["ts"].is_number()) {
          copy["ts"] = copy["ts"].get<double>() + static_cast<double>(n) * 3.0;
        }
        events.push_back(std::move(copy));
      }
      break;
    default:
      change_object(events[a], dice);
  }
}

std::string deep(Dice& dice) {
  const std::size_t depth = 1 + dice.below(1024);
  std::string text;
  const bool object = dice.one_in(2);
  for (std::size_t i = 0; i < depth; ++i) text += object ? "{\"a\":" : "[";
  text += '1';
  if (!dice.one_in(4)) text.append(depth, object ? '}' : ']');
  return text;
}

std::string with_raw(const std::string& text, Dice& dice) {
  std::string out;
  std::size_t done = 0;
  const std::string opening = '"' + std::string(kMark);
  for (std::size_t at = 0; (at = text.find(opening, done)) != std::string::npos;) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string::npos) break;
    out.append(text, done, at - done);
    const std::string number = text.substr(at + opening.size(), end - at - opening.size());
    const std::size_t which = static_cast<std::size_t>(std::strtoul(number.c_str(), nullptr, 10));
    out += which < kRaw.size() ? std::string(kRaw[which]) : deep(dice);
    done = end + 1;
  }
  return out + text.substr(done);
}

}  // namespace

std::string mutated_json(std::string_view text, Dice& dice) {
  if (dice.one_in(6)) return {};
  json root = json::parse(text, nullptr, false);
  if (root.is_discarded()) return {};
  for (std::size_t n = 1 + dice.below(4); n > 0; --n) {
    const bool wrapped = root.is_object() && root.contains("traceEvents");
    switch (dice.below(8)) {
      case 0:
        *anywhere(root, dice) = any_value(dice);
        break;
      case 1:
        change_number(*anywhere(root, dice), dice);
        break;
      case 2:
        change_object(*anywhere(root, dice), dice);
        break;
      case 3:
        if (root.is_object())
          change_object(dice.one_in(2) && root.contains("otherData") ? root["otherData"] : root, dice);
        break;
      default:
        change_events(wrapped ? root["traceEvents"] : root, dice);
    }
  }
  return with_raw(root.dump(dice.one_in(4) ? 1 : -1, ' ', false, json::error_handler_t::ignore), dice);
}

}  // namespace lanescope::fuzz
