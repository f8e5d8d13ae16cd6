#include "picture/words.h"

#include <array>
#include <filesystem>
#include <string_view>

#include "analysis/summary.h"
#include "base/translate.h"
#include "device/device.h"
#include "experiment/own_experiments.h"
#include "experiment/session.h"
#include "picture/font_files.h"

namespace lanescope::ui {
namespace {

using experiment::Language;

constexpr std::array<const char*, static_cast<std::size_t>(Word::Count)> kWords{{
    N_("Experiments"),
    N_("EXPERIMENT"),
    N_("All experiments"),
    N_("type to filter"),
    N_("No experiment matches."),
    N_("Start"),
    N_("WHAT IT SHOWS"),
    N_("WATCH"),
    N_("TURN THIS"),
    N_("PUBLISHED"),
    N_("PUBLISHED AND THIS RUN"),
    N_("here"),
    N_("WHERE THE TUTORIAL ERRS"),
    N_("before"),
    N_("after"),
    N_("THIS RUN"),
    N_("iteration"),
    N_("GPU busy"),
    N_("syncs/iter."),
    N_("MEASURED BY THE PROGRAM"),
    N_("changed by hand: neither side"),
    N_("designed for"),
    N_("running on"),
    N_("measured"),
    N_("measured (machine unknown)"),
    N_("estimate"),
    N_("impossible"),
    N_("Not run yet: switch to this side."),
    N_("Has its own settings: lanescope run --experiment shows them."),
    N_("No figure to compare with."),
    N_("more"),
    N_("less"),
    N_("OTHER KNOBS"),
    N_("FREE PLAY"),
    N_("running now"),
    N_("faster"),
    N_("slower"),
    N_("the same"),
    N_("Close"),
    N_("experiments"),
    N_("The queue is still filling: the CPU runs ahead of the GPU. Figures follow once it is full."),
}};

struct Chapter {
  std::string_view workload;
  const char* title;
};
// Workloads on the same subject share a heading.
constexpr std::array<Chapter, 10> kChapters{{
    {"linear-mse", N_("WHAT A READ COSTS")},
    {"readback", N_("GETTING NUMBERS OUT")},
    {"plot-transfer", N_("GETTING NUMBERS OUT")},
    {"transfer-loop", N_("BRINGING DATA IN")},
    {"control-flow", N_("BRANCHES ON GPU VALUES")},
    {"bandwidth", N_("PINNED MEMORY AND BANDWIDTH")},
    {"raw-cuda", N_("CUDA WITHOUT PYTORCH")},
    {"dataloader", N_("LOADING DATA")},
    {"iris-mlp", N_("A SMALL NETWORK")},
    {"break-even", N_("CPU OR GPU")},
}};

}  // namespace

std::string word(Word w, Language language) { return base::tr(kWords[static_cast<std::size_t>(w)], language); }

std::string word(experiment::Quality quality, Language language) {
  switch (quality) {
    case experiment::Quality::Measured:
      return word(Word::Measured, language);
    case experiment::Quality::MeasuredSomewhere:
      return word(Word::MeasuredSomewhere, language);
    case experiment::Quality::Estimate:
      return word(Word::Estimate, language);
    default:
      return word(Word::Impossible, language);
  }
}

std::string chapter(const std::string& workload, Language language) {
  for (const Chapter& c : kChapters) {
    if (c.workload == workload) return base::tr(c.title, language);
  }
  return workload;
}

std::string no_chinese_text() {
  return base::tr("no font with Chinese characters found; install the package {}", kChineseFontPackage);
}

const char* language_name(Language language) { return language == Language::Chinese ? "中文" : "EN"; }

ChineseTexts catalogue_letters(Language language) {
  ChineseTexts texts;
  texts.body = texts.small = texts.title = texts.mono = base::all_translations(language);
  if (language == Language::English) return texts;
  for (std::size_t kind = 0; kind < analysis::kVerdictKinds; ++kind) {
    texts.verdict += verdict_title(static_cast<analysis::VerdictKind>(kind));
  }
  texts.verdict += base::tr("Waits for {}", language);  // a rank
  texts.verdict += base::tr("Measuring …", language);   // shown until there is a verdict
  return texts;
}

ChineseTexts chinese_texts(Language language) {
  ChineseTexts texts = catalogue_letters(language);
  texts.body += language_name(Language::Chinese);  // the switch itself
  for (const experiment::Experiment* each : experiment::all_experiments()) {
    const experiment::Experiment& e = *each;
    texts.title += e.title[language];
    texts.body += e.title[language];
    for (const experiment::Variant& side : e.sides) {
      texts.body += side.label[language];
      texts.small += side.label[language];
    }
    for (const experiment::Text* t : {&e.shows, &e.watch, &e.knob, &e.correction}) {
      texts.body += (*t)[language];
      texts.lead += (*t)[language];
    }
    texts.small += e.shows[language] + e.knob[language];
    for (const experiment::Published& p : e.published) {
      texts.small += p.label[language] + p.environment[language] + p.unchecked[language];
      texts.body += p.label[language] + p.environment[language] + p.unchecked[language];
    }
  }
  return texts;
}

// --- badge -----------------------------------------------------------------------------------------------------------

using base::tr;

std::string badge_text(const trace::RunFacts& facts, bool live) {
  const device::DeviceInfo device = experiment::device_of(facts);
  const bool cpu = device.kind == device::DeviceKind::Cpu;
  if (!device.simulated) {
    const std::string says = !live ? tr("RECORDED") : cpu ? tr("CPU") : tr("GPU");
    const std::string name = device.name.empty() ? device.id : device::name_in_words(device.name);
    return name.empty() ? says : says + " · " + name;
  }
  const std::string says = cpu ? tr("SIMULATED CPU") : tr("SIMULATED");
  return device.profile.empty() ? says : says + " · " + std::filesystem::path(device.profile).filename().string();
}

std::string badge_text(const trace::RunFacts& a, const trace::RunFacts& b) {
  const trace::RunFacts& facts = a.simulated ? a : b;
  if (a.device == b.device) return badge_text(facts, false);
  return facts.simulated ? tr("SIMULATED") : tr("MEASURED");
}

}  // namespace lanescope::ui
