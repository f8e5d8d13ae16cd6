#include "device/sim/profile.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/translate.h"
#include "lanescope_assets.h"

namespace lanescope::device::sim {
namespace {

using base::tr;

constexpr std::array<std::string_view, 4> kSourceKinds{"measured", "published", "fitted", "assumed"};
constexpr std::string_view kNotInTheFile = "assumed: not in the file";
constexpr std::string_view kFolder = "profiles/";
constexpr std::string_view kEnding = ".toml";
constexpr double kMostMicroseconds = 1e6;
constexpr std::size_t kMostBytes = 1 << 20;

enum class Whole : std::uint8_t { No, Yes };

/// The allowed values of a number: [minimum, maximum], or (minimum, maximum] if the minimum is excluded.
struct Range {
  double minimum = 0;
  bool minimum_allowed = false;
  double maximum = 0;
  Whole whole = Whole::No;

  bool allows(double value) const {
    return std::isfinite(value) && (minimum_allowed ? value >= minimum : value > minimum) && value <= maximum &&
           (whole == Whole::No || value == std::floor(value));
  }
  std::string text() const {
    const char* const bound = minimum_allowed ? ">=" : ">";
    return whole == Whole::Yes ? tr("a whole number {} {} and <= {}", bound, minimum, maximum)
                               : tr("a number {} {} and <= {}", bound, minimum, maximum);
  }
};

constexpr Range kTime{0, true, kMostMicroseconds};
constexpr Range kRate{0, false, 1e6};
constexpr Range kRateOrNone{0, true, 1e6};
constexpr Range kCount{1, true, 1e6, Whole::Yes};
constexpr Range kBytes{0, true, 1e9, Whole::Yes};
constexpr Range kChunk{1024, true, 1e9, Whole::Yes};
constexpr Range kFraction{0, false, 1};
constexpr Range kSpread{0, true, 0.9};

struct NumberSpec {
  std::string_view table;
  std::string_view key;
  Range range{};
  double& (*of)(DeviceProfile&) = nullptr;
  bool optional = false;  ///< the default of DeviceProfile applies if the file lacks it

  constexpr NumberSpec or_standard() const {
    NumberSpec spec = *this;
    spec.optional = true;
    return spec;
  }
};

#define LANESCOPE_NUMBER(table, key, range)                                       \
  NumberSpec {                                                                    \
#table, #key, range, [](DeviceProfile & p) -> double& { return p.table.key; } \
  }

constexpr auto kMachine = std::to_array<NumberSpec>({
    LANESCOPE_NUMBER(cpu, dispatch_us, kTime),
    LANESCOPE_NUMBER(cpu, launch_us, kTime),
    LANESCOPE_NUMBER(cpu, memcpy_us, kTime),
    LANESCOPE_NUMBER(cpu, memset_us, kTime),
    LANESCOPE_NUMBER(cpu, event_record_us, kTime),
    LANESCOPE_NUMBER(cpu, event_query_us, kTime),
    LANESCOPE_NUMBER(cpu, stream_wait_us, kTime),
    LANESCOPE_NUMBER(cpu, sync_us, kTime),
    LANESCOPE_NUMBER(cpu, idle_return_us, kTime),
    LANESCOPE_NUMBER(cpu, wake_us, kTime),
    LANESCOPE_NUMBER(cpu, stream_create_us, kTime),
    LANESCOPE_NUMBER(cpu, event_create_us, kTime),
    LANESCOPE_NUMBER(cpu, malloc_us, kTime),
    LANESCOPE_NUMBER(cpu, free_us, kTime),
    LANESCOPE_NUMBER(cpu, host_alloc_us, kTime),
    LANESCOPE_NUMBER(cpu, host_alloc_us_per_mib, kTime),
    LANESCOPE_NUMBER(cpu, host_free_us, kTime),
    LANESCOPE_NUMBER(cpu, host_free_us_per_mib, kTime),
    LANESCOPE_NUMBER(cpu, memory_gb_per_s, kRate),
    LANESCOPE_NUMBER(cpu, page_fault_us_per_mib, kTime).or_standard(),
    LANESCOPE_NUMBER(cpu, cores, kCount).or_standard(),
    LANESCOPE_NUMBER(cpu, fp32_gflops, kRate).or_standard(),
    LANESCOPE_NUMBER(cpu, op_us, kTime).or_standard(),
    LANESCOPE_NUMBER(cpu, graph_launch_us, kTime).or_standard(),
    LANESCOPE_NUMBER(cpu, graph_node_us, kTime).or_standard(),
    LANESCOPE_NUMBER(cpu, graph_instantiate_us, kTime).or_standard(),
    LANESCOPE_NUMBER(cpu, copy_gb_per_s, kRateOrNone).or_standard(),
    LANESCOPE_NUMBER(cpu, linear_us, kTime).or_standard(),
    LANESCOPE_NUMBER(cpu, linear_grad_us, kTime).or_standard(),
    LANESCOPE_NUMBER(gpu, launch_latency_us, kTime),
    LANESCOPE_NUMBER(gpu, copy_latency_us, kTime),
    LANESCOPE_NUMBER(gpu, kernel_floor_us, kTime),
    LANESCOPE_NUMBER(gpu, fp32_tflops, kRate),
    LANESCOPE_NUMBER(gpu, memory_gb_per_s, kRate),
    LANESCOPE_NUMBER(gpu, reached_fraction, kFraction),
    LANESCOPE_NUMBER(gpu, sm_count, kCount),
    LANESCOPE_NUMBER(gpu, gemm_tile_rows, kCount),
    LANESCOPE_NUMBER(gpu, gemm_tile_columns, kCount),
    LANESCOPE_NUMBER(gpu, launch_queue_depth, kCount),
    LANESCOPE_NUMBER(gpu, graph_gap_us, kTime).or_standard(),
    LANESCOPE_NUMBER(link, h2d_pinned_gb_per_s, kRate),
    LANESCOPE_NUMBER(link, d2h_pinned_gb_per_s, kRate),
    LANESCOPE_NUMBER(link, h2d_pageable_gb_per_s, kRate),
    LANESCOPE_NUMBER(link, d2h_pageable_gb_per_s, kRate),
    LANESCOPE_NUMBER(link, h2d_cached_gb_per_s, kRate).or_standard(),
    LANESCOPE_NUMBER(link, cached_copy_bytes, kBytes).or_standard(),
    LANESCOPE_NUMBER(link, copy_fixed_us, kTime),
    LANESCOPE_NUMBER(link, inline_limit_bytes, kBytes),
    LANESCOPE_NUMBER(link, staging_chunk_bytes, kChunk),
    LANESCOPE_NUMBER(link, staging_slots, kCount),
    NumberSpec{"jitter", "spread", kSpread, [](DeviceProfile& p) -> double& { return p.jitter_spread; }},
    NumberSpec{"jitter", "gpu_spread", kSpread, [](DeviceProfile& p) -> double& { return p.jitter_gpu_spread; }}
        .or_standard(),
});
#undef LANESCOPE_NUMBER

template <FrameworkCosts DeviceProfile::*costs, std::size_t which>
double& framework_cost(DeviceProfile& p) {
  return (p.*costs).us[which];
}

template <FrameworkCosts DeviceProfile::*costs, std::size_t... which>
constexpr std::array<NumberSpec, kFrameworkCalls> framework_specs(std::string_view table,
                                                                  std::index_sequence<which...>) {
  return {NumberSpec{table, kFrameworkKeys[which], kTime, &framework_cost<costs, which>}...};
}
constexpr auto kCalls = std::make_index_sequence<kFrameworkCalls>();

// These tables may be left out as a whole.
constexpr std::array<std::array<NumberSpec, kFrameworkCalls>, 2> kFramework{
    framework_specs<&DeviceProfile::pytorch>("pytorch", kCalls),
    framework_specs<&DeviceProfile::pytorch_cpu>("pytorch_cpu", kCalls)};

constexpr auto all_numbers() {
  std::array<NumberSpec, kMachine.size() + kFramework.size() * kFrameworkCalls> all{};
  auto end = std::copy(kMachine.begin(), kMachine.end(), all.begin());
  for (const auto& table : kFramework) end = std::copy(table.begin(), table.end(), end);
  return all;
}
constexpr auto kNumbers = all_numbers();

struct TextSpec {
  std::string_view key;
  std::string DeviceProfile::*of;
};
constexpr std::array<TextSpec, 2> kTexts{{{"name", &DeviceProfile::name}, {"summary", &DeviceProfile::summary}}};

/// Reads one file. Every error names the file, the line and the key.
class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  DeviceProfile read(std::string_view text) {
    toml::table root;
    try {
      root = toml::parse(text);
    } catch (const toml::parse_error& e) {
      throw base::FileError(fmt::format("{}:{}: {}", origin_, e.source().begin.line, e.description()));
    }
    reject_unknown(root);
    DeviceProfile profile;
    profile.id = std::filesystem::path(origin_).stem().string();
    for (const TextSpec& spec : kTexts) profile.*spec.of = text_of(root, spec.key, spec.key);
    for (const NumberSpec& spec : kMachine) read_number(root, spec, profile);
    for (const auto& table : kFramework) {
      if (!root.contains(table.front().table)) continue;
      for (const NumberSpec& spec : table) read_number(root, spec, profile);
    }
    return profile;
  }

 private:
  [[noreturn]] void fail(const toml::node& at, std::string_view key, const std::string& complaint) const {
    fail(at.source().begin.line, key, complaint);
  }
  [[noreturn]] void fail(toml::source_index line, std::string_view key, const std::string& complaint) const {
    throw base::FileError(tr("{}:{}: key '{}': {}", origin_, std::max<toml::source_index>(line, 1), key, complaint));
  }

  /// A value as written in the file, for the end of an error message.
  static std::string written(const toml::node& node) {
    if (node.is_table()) return tr("a table");
    if (node.is_array()) return tr("an array");
    std::ostringstream out;
    node.visit([&out](const auto& value) { out << value; });
    return out.str();
  }

  void reject_unknown(const toml::table& root) const {
    for (const auto& [key, node] : root) {
      const std::string_view name = key.str();
      if (std::any_of(kTexts.begin(), kTexts.end(), [&](const TextSpec& spec) { return spec.key == name; })) continue;
      if (!is_table_name(name)) fail(node, name, tr("is unknown; allowed: {}", top_keys()));
      const toml::table* table = node.as_table();
      if (table == nullptr) fail(node, name, tr("must be a table, got {}", written(node)));
      for (const auto& [inner, inner_node] : *table) {
        if (!is_number(name, inner.str())) {
          fail(inner_node, fmt::format("{}.{}", name, inner.str()), tr("is unknown; allowed: {}", keys_of(name)));
        }
      }
    }
  }

  static bool is_table_name(std::string_view name) {
    return std::any_of(kNumbers.begin(), kNumbers.end(), [&](const NumberSpec& spec) { return spec.table == name; });
  }
  static bool is_number(std::string_view table, std::string_view key) {
    return std::any_of(kNumbers.begin(), kNumbers.end(),
                       [&](const NumberSpec& spec) { return spec.table == table && spec.key == key; });
  }
  static std::string top_keys() {
    std::string all;
    for (const TextSpec& spec : kTexts) all += fmt::format("{}, ", spec.key);
    std::string_view last;
    for (const NumberSpec& spec : kNumbers) {
      if (spec.table != last) all += fmt::format("{}{}", last.empty() ? "" : ", ", spec.table);
      last = spec.table;
    }
    return all;
  }
  static std::string keys_of(std::string_view table) {
    std::string all;
    for (const NumberSpec& spec : kNumbers) {
      if (spec.table == table) all += fmt::format("{}{}", all.empty() ? "" : ", ", spec.key);
    }
    return all;
  }

  std::string text_of(const toml::table& table, std::string_view key, std::string_view full_key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) fail(table, full_key, tr("is missing"));
    const auto* text = node->as_string();
    if (text == nullptr || text->get().empty()) {
      fail(*node, full_key, tr("must be a text, got {}", written(*node)));
    }
    return text->get();
  }

  void read_number(const toml::table& root, const NumberSpec& spec, DeviceProfile& profile) const {
    const std::string key = fmt::format("{}.{}", spec.table, spec.key);
    const toml::node* section = root.get(spec.table);
    if (section == nullptr) fail(root, key, tr("is missing"));
    const toml::node* node = section->as_table()->get(spec.key);
    if (node == nullptr && spec.optional) {
      // A negative default stands for another number.
      if (spec.of(profile) >= 0) profile.numbers.push_back({key, spec.of(profile), std::string(kNotInTheFile)});
      return;
    }
    if (node == nullptr) fail(*section, key, tr("is missing"));
    const toml::table* pair = node->as_table();
    if (pair == nullptr) {
      // A bare number is the most likely mistake, so say what it lacks. Anything else is not a number at all.
      if (node->is_number()) fail(*node, key, tr("has no source; write { value = ..., source = \"...\" }"));
      fail(*node, key, tr("must be {}, got {}", spec.range.text(), written(*node)));
    }
    for (const auto& [inner, inner_node] : *pair) {
      if (inner.str() != "value" && inner.str() != "source" && inner.str() != "from") {
        fail(inner_node, fmt::format("{}.{}", key, inner.str()), tr("is unknown; allowed: value, source, from"));
      }
    }
    const toml::node* value = pair->get("value");
    if (value == nullptr) fail(*pair, key, tr("has no value; write { value = ..., source = \"...\" }"));
    const double number = value->value<double>().value_or(std::numeric_limits<double>::quiet_NaN());
    if (!value->is_number() || !spec.range.allows(number)) {
      fail(*value, key, tr("must be {}, got {}", spec.range.text(), written(*value)));
    }
    const toml::node* source = pair->get("source");
    if (source == nullptr) fail(*pair, key, tr("has no source; write { value = ..., source = \"...\" }"));
    const std::string text = text_of(*pair, "source", fmt::format("{}.source", key));
    if (std::none_of(kSourceKinds.begin(), kSourceKinds.end(),
                     [&](std::string_view kind) { return text.starts_with(kind); })) {
      fail(*source, fmt::format("{}.source", key),
           tr("must begin with {}, got '{}'", fmt::join(kSourceKinds, ", "), text));
    }
    spec.of(profile) = number;
    profile.numbers.push_back({key, number, text, read_from(*pair, key)});
  }

  std::vector<std::string> read_from(const toml::table& pair, const std::string& number) const {
    const toml::node* node = pair.get("from");
    if (node == nullptr) return {};
    const std::string key = number + ".from";
    const auto wrong = [&](const toml::node& at) {
      fail(at, key, tr("must be an array of published numbers, [\"P20.h2d_pinned\"], got {}", written(at)));
    };
    const toml::array* array = node->as_array();
    if (array == nullptr || array->empty()) wrong(*node);
    std::vector<std::string> from;
    for (const toml::node& item : *array) {
      const auto* name = item.as_string();
      const std::size_t dot = name == nullptr ? std::string::npos : name->get().find('.');
      if (dot == std::string::npos || dot == 0 || dot + 1 == name->get().size()) wrong(item);
      from.push_back(name->get());
    }
    return from;
  }

  std::string origin_;
};

}  // namespace

DeviceProfile parse_profile(std::string_view text, std::string_view origin) { return Reader(origin).read(text); }

namespace {

// Quotes a text as a TOML basic string.
std::string toml_string(std::string_view text) {
  std::string written = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') written += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      written += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      written += c;
    }
  }
  return written + '"';
}

}  // namespace

std::string profile_text(const DeviceProfile& profile, std::string_view comment) {
  std::ostringstream out;
  std::istringstream lines{std::string(comment)};
  for (std::string line; std::getline(lines, line);) out << (line.empty() ? "#" : "# ") << line << '\n';
  out << '\n';
  for (const TextSpec& spec : kTexts) out << spec.key << " = " << toml_string(profile.*spec.of) << '\n';
  std::string_view table;
  DeviceProfile standard;
  const auto has = [&](std::string_view name) {
    return std::any_of(profile.numbers.begin(), profile.numbers.end(),
                       [&](const DeviceProfile::Number& n) { return n.key.starts_with(fmt::format("{}.", name)); });
  };
  for (const NumberSpec& spec : kNumbers) {
    if (spec.table.starts_with("pytorch") && !has(spec.table)) continue;
    if (spec.table != table) out << "\n[" << (table = spec.table) << "]\n";
    const std::string key = fmt::format("{}.{}", spec.table, spec.key);
    const auto found = std::find_if(profile.numbers.begin(), profile.numbers.end(),
                                    [&](const DeviceProfile::Number& n) { return n.key == key; });
    if (found == profile.numbers.end() && spec.optional && spec.of(standard) < 0) continue;  // another number's value
    if (found == profile.numbers.end()) throw base::Error(tr("profile: {} is missing", key));
    std::string from;
    for (const std::string& published : found->from) from += (from.empty() ? "" : ", ") + toml_string(published);
    if (!from.empty()) from = fmt::format(", from = [{}]", from);
    out << fmt::format("{} = {{ value = {}, source = {}{} }}\n", spec.key, found->value, toml_string(found->source),
                       from);
  }
  return out.str();
}

DeviceProfile load_profile(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) {
    throw base::FileError(tr("{}: cannot be read: is a directory", path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw base::FileError(tr("{}: cannot be read: {}", path, base::system_error_text(errno)));
  }
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostBytes) {
    throw base::FileError(tr("{}: is too large; allowed: at most {} bytes", path, kMostBytes));
  }
  return parse_profile(text, path);
}

void leave_out_library(FrameworkCosts& costs, const DeviceProfile::Cpu& cpu) {
  const auto take = [&](FrameworkCall call, double us) {
    double& cost = costs.us[static_cast<std::size_t>(call)];
    cost = std::max(0.0, cost - us);
  };
  take(FrameworkCall::Linear, cpu.linear_us);
  take(FrameworkCall::LinearBackward, cpu.linear_grad_us * 2 / 3);
}

bool assumes_pytorch(const DeviceProfile& profile, std::string_view table) {
  bool invented = true, known = false, assumed = false;
  for (const DeviceProfile::Number& number : profile.numbers) {
    const std::string_view key = number.key;
    const bool is_assumed = number.source.starts_with("assumed");
    // What the link and CUDA do is the same for an invented GPU.
    invented &= is_assumed || key.starts_with("link.");
    const bool of_table = key.starts_with(table) && key.substr(table.size()).starts_with('.');
    known |= of_table || (key == "cpu.dispatch_us" && number.source.starts_with("fitted"));
    assumed |= of_table && is_assumed;
  }
  return !invented && (!known || assumed);
}

std::vector<std::string> embedded_profiles() {
  std::vector<std::string> ids;
  for (const assets::File& file : assets::files()) {
    if (!file.path.starts_with(kFolder) || !file.path.ends_with(kEnding)) continue;
    ids.emplace_back(file.path.substr(kFolder.size(), file.path.size() - kFolder.size() - kEnding.size()));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

DeviceProfile embedded_profile(std::string_view id) {
  const std::string path = fmt::format("{}{}{}", kFolder, id, kEnding);
  const assets::File* file = assets::find(path);
  if (file == nullptr) {
    throw base::UsageError(tr("profile '{}' is unknown; allowed: {}", id, fmt::join(embedded_profiles(), ", ")));
  }
  // Each is parsed once: the experiments alone ask for one of them fifty times while the program starts.
  static std::mutex mutex;
  static std::map<std::string, DeviceProfile, std::less<>> parsed;
  const std::lock_guard lock(mutex);
  auto known = parsed.find(path);
  if (known == parsed.end()) known = parsed.emplace(path, parse_profile(file->text, path)).first;
  return known->second;
}

}  // namespace lanescope::device::sim
