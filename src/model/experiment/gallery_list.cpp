#include "model/experiment/gallery_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <utility>

#include "base/translate.h"
#include "experiment/own_experiments.h"
#include "lesson/own_lessons.h"
#include "picture/words.h"

namespace lanescope::ui {

using experiment::Experiment;
using experiment::Language;

namespace {

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string all_of(const Experiment& e) {
  std::string all = e.id + " " + e.name + " " + e.workload + " " + sources_text(e);
  const auto add = [&](const experiment::Text& text) {
    for (const std::string& t : text.in) all += " " + t;
  };
  for (const experiment::Text* text : {&e.title, &e.shows, &e.watch, &e.knob, &e.correction}) add(*text);
  for (const experiment::Variant& side : e.sides) {
    add(side.label);
    for (const std::string& setting : side.settings) all += " " + setting;
  }
  for (const Language language : {Language::English, Language::Chinese}) all += " " + chapter(e.workload, language);
  return in_small_letters(std::move(all));
}

std::vector<std::string> words_of(std::string_view filter) {
  std::vector<std::string> words;
  std::istringstream stream(in_small_letters(std::string(filter)));
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool has_all(const std::string& text, const std::vector<std::string>& words) {
  const auto has = [&](const std::string& word) { return text.find(word) != std::string::npos; };
  return std::all_of(words.begin(), words.end(), has);
}

}  // namespace

std::size_t GalleryList::size() const {
  std::size_t count = 0;
  for (const GalleryChapter& chapter : chapters) count += chapter.experiments.size();
  return count;
}

const Experiment* GalleryList::at(std::size_t place) const {
  for (const GalleryChapter& chapter : chapters) {
    if (place < chapter.experiments.size()) return chapter.experiments[place];
    place -= chapter.experiments.size();
  }
  return nullptr;
}

std::optional<std::size_t> GalleryList::place_of(const Experiment* experiment) const {
  for (std::size_t place = 0; const Experiment* found = at(place); ++place) {
    if (found == experiment) return place;
  }
  return std::nullopt;
}

std::size_t GalleryList::moved(std::size_t place, int dx, int dy, std::size_t columns) const {
  const std::size_t count = size();
  if (count == 0) return 0;
  if (dx < 0) return place > 0 ? place - 1 : 0;
  if (dx > 0) return std::min(place + 1, count - 1);
  struct Line {
    std::size_t first, count;
  };
  std::vector<Line> lines;
  std::size_t next = 0;
  for (const GalleryChapter& chapter : chapters) {
    for (std::size_t i = 0; i < chapter.experiments.size(); i += columns) {
      lines.push_back({next + i, std::min(columns, chapter.experiments.size() - i)});
    }
    next += chapter.experiments.size();
  }
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (place < lines[l].first || place >= lines[l].first + lines[l].count) continue;
    if ((dy < 0 && l == 0) || (dy > 0 && l + 1 == lines.size())) return place;
    const Line& to = lines[dy < 0 ? l - 1 : dy > 0 ? l + 1 : l];
    return to.first + std::min(place - lines[l].first, to.count - 1);
  }
  return place;
}

GalleryList gallery_list(std::span<const Experiment> experiments, std::string_view filter, Language language) {
  const std::vector<std::string> words = words_of(filter);
  GalleryList list;
  for (const Experiment& e : experiments) {
    if (!words.empty() && !has_all(all_of(e), words)) continue;
    const std::string title = chapter(e.workload, language);
    auto place = std::ranges::find(list.chapters, title, &GalleryChapter::title);
    if (place == list.chapters.end()) place = list.chapters.insert(place, {title, {}});
    place->experiments.push_back(&e);
  }
  return list;
}

GalleryList gallery_list(std::string_view filter, Language language) {
  const std::vector<std::string> words = words_of(filter);
  GalleryList list = gallery_list(experiment::experiments(), filter, language);
  GalleryChapter own{base::tr("Your own", language), {}};
  for (const Experiment* e : experiment::own_experiments()) {
    if (words.empty() || has_all(all_of(*e), words)) own.experiments.push_back(e);
  }
  for (std::string& error : lesson::own_file_errors()) {
    if (has_all(in_small_letters(error), words)) list.errors.push_back(std::move(error));
  }
  if (!own.experiments.empty() || !list.errors.empty()) list.chapters.insert(list.chapters.begin(), std::move(own));
  return list;
}

std::string sources_text(const Experiment& experiment) {
  std::string text;
  for (const experiment::Published& p : experiment.published) {
    if (p.source.empty() || text.find(p.source) != std::string::npos) continue;
    text += (text.empty() ? "" : " · ") + p.source;
  }
  return text;
}

std::string code_text(const Experiment& experiment) {
  using base::tr;
  if (const auto file = file_of(experiment); !file.empty()) {
    return fmt::format("{}: {}", experiment.id, tr("one of your own, {}", file.string()));
  }
  const char kind = experiment.id.front();
  std::string says = experiment.id + ": ";
  says += kind == 'P'   ? tr("one of the experiments on the numbers that the tutorials published")
          : kind == 'T' ? tr("one of the experiments from PyTorch's own tutorial on pinned memory")
          : kind == 'S' ? tr("an experiment on a claim of the tutorial that it is called after")
                        : tr("one of the experiments on advice of the tutorials that has no number");
  constexpr std::array<std::pair<const char*, const char*>, 5> kTutorials{{
      {"S0", N_("what a transfer costs")},
      {"S1", N_("tuning a data loader")},
      {"S2", N_("asynchronous execution")},
      {"S3", N_("pinned memory")},
      {"S4", N_("training on the GPU that is slower than on the CPU")},
  }};
  const std::string sources = sources_text(experiment) + " " + experiment.id;
  for (const auto& [code, title] : kTutorials) {
    if (sources.find(code) != std::string::npos)
      says += fmt::format("\n{}: {}", code, tr("the tutorial on {}", tr(title)));
  }
  return says;
}

std::string first_sentence(const std::string& text) {
  std::size_t end = std::string::npos;
  for (const char* mark : {". ", "。"}) {
    const std::size_t at = text.find(mark);
    if (at != std::string::npos) end = std::min(end, at + (mark[0] == '.' ? 1 : 3));
  }
  return text.substr(0, end);
}

}  // namespace lanescope::ui
