#include "workload/iris_data.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/from_chars.h"
#include "lanescope_assets.h"

namespace lanescope::workload {
namespace {

struct Flower {
  std::array<double, IrisData::kFeatures> features{};
  std::int32_t species = 0;
};

std::string_view asset(std::string_view path) {
  const assets::File* file = assets::find(path);
  if (file == nullptr) throw base::Error(std::string(path) + " is not in the program");
  return file->text;
}

/// Removes and returns the text up to the separator from the front of `text`.
std::string_view next_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

template <typename Number>
Number number(std::string_view text, std::string_view file) {
  Number value{};
  const auto [end, failed] = base::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) {
    throw base::Error(std::string(file) + ": '" + std::string(text) + "' is not a number");
  }
  return value;
}

std::vector<Flower> read_flowers() {
  constexpr std::string_view kFile = "data/iris.csv";
  std::string_view text = asset(kFile);
  next_part(text, '\n');  // skips the header line
  std::vector<Flower> flowers;
  while (!text.empty()) {
    std::string_view line = next_part(text, '\n');
    if (line.empty()) continue;
    Flower& flower = flowers.emplace_back();
    for (double& feature : flower.features) feature = number<double>(next_part(line, ','), kFile);
    flower.species = number<std::int32_t>(next_part(line, ','), kFile);
  }
  return flowers;
}

}  // namespace

IrisData iris_training_rows() {
  constexpr std::string_view kOrderFile = "data/iris-train-order.txt";
  const std::vector<Flower> flowers = read_flowers();
  std::vector<Flower> chosen;
  for (std::string_view order = asset(kOrderFile); !order.empty();) {
    std::string_view line = next_part(order, '\n');
    while (!line.empty()) {
      const auto row = number<std::size_t>(next_part(line, ' '), kOrderFile);
      if (row >= flowers.size())
        throw base::Error(std::string(kOrderFile) + ": there is no row " + std::to_string(row));
      chosen.push_back(flowers[row]);
    }
  }

  IrisData data;
  data.rows = static_cast<std::int32_t>(chosen.size());
  std::array<double, IrisData::kFeatures> smallest = chosen.at(0).features, largest = smallest;
  for (const Flower& flower : chosen) {
    for (std::size_t f = 0; f < smallest.size(); ++f) {
      smallest[f] = std::min(smallest[f], flower.features[f]);
      largest[f] = std::max(largest[f], flower.features[f]);
    }
  }
  for (const Flower& flower : chosen) {
    for (std::size_t f = 0; f < smallest.size(); ++f) {
      data.features.push_back(static_cast<float>((flower.features[f] - smallest[f]) / (largest[f] - smallest[f])));
    }
    data.classes.push_back(static_cast<float>(flower.species));
  }
  return data;
}

}  // namespace lanescope::workload
