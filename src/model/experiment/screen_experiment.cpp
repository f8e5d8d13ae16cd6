#include "model/experiment/screen_experiment.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <vector>

#include "device/catalogue.h"
#include "experiment/own_experiments.h"
#include "model/advice/try_it.h"
#include "model/experiment/active_experiment.h"
#include "workload/workload.h"

namespace lanescope::ui {

namespace {

using base::Language;
using base::tr;
using experiment::Experiment;
using experiment::Side;
using experiment::Text;

constexpr std::array kSides = {Side::Before, Side::After};
constexpr std::size_t kLongestName = 40;

std::string assignment(const std::string& key, const workload::Value& value) {
  return key + "=" + workload::to_text(value);
}

template <class Words>
Text in_all_languages(Words words) {
  Text text;
  for (std::size_t l = 0; l < experiment::kLanguages; ++l) text.in[l] = words(static_cast<Language>(l));
  return text;
}

template <class... Arguments>
std::string said(const char* pattern, const Arguments&... arguments) {
  return fmt::format(fmt::runtime(pattern), arguments...);
}

// Letters and digits, with - between the words.
std::string name_from(const std::string& title) {
  std::string name;
  for (const char c : experiment::in_lower_case(title)) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (name.size() > kLongestName) {  // whole words
    const std::size_t cut = name.rfind('-', kLongestName);
    name.resize(cut == std::string::npos ? kLongestName : cut);
  }
  if (name.ends_with('-')) name.pop_back();
  return name;
}

// X1, X2 ... whatever is free; the last of the user's own.
void name(Experiment& e) {
  const std::vector<const Experiment*> all = experiment::all_experiments();
  const auto is_free = [&](const std::string& name) {
    return std::ranges::none_of(all, [&](const Experiment* other) {
      const std::string wanted = experiment::in_lower_case(name);
      return experiment::in_lower_case(other->id) == wanted || experiment::in_lower_case(other->name) == wanted;
    });
  };
  int number = 1;
  while (!is_free(fmt::format("X{}", number))) ++number;
  e.id = fmt::format("X{}", number);
  const std::string first = name_from(e.title[Language::English]);
  e.name = first;
  for (int n = 2; !is_free(e.name); ++n) e.name = fmt::format("{}-{}", first, n);
  for (const Experiment* own : experiment::own_experiments()) e.order = std::max(e.order, own->order);
  ++e.order;
}

Experiment beginning(const ShownRun& shown) {
  Experiment e;
  e.workload = shown.workload;
  e.device = shown.device;
  e.iterations = shown.iterations;
  for (const Side side : kSides) e.sides[static_cast<std::size_t>(side)].view = shown.view;
  return e;
}

experiment::Variant& side_of(Experiment& e, Side side) { return e.sides[static_cast<std::size_t>(side)]; }

}  // namespace

Experiment experiment_of_turn(const ShownRun& shown, const workload::Settings& before) {
  Experiment e = beginning(shown);
  for (const workload::SettingSpec& spec : shown.now.specs()) {
    const workload::Value &from = before.value(spec.key), &to = shown.now.value(spec.key);
    if (from != to) {
      e.turned_knob = side_of(e, Side::After).settings.empty() ? spec.key : "";
      side_of(e, Side::Before).settings.push_back(assignment(spec.key, from));
      side_of(e, Side::After).settings.push_back(assignment(spec.key, to));
    } else if (to != shown.standard.value(spec.key)) {
      e.settings.push_back(assignment(spec.key, to));
    }
  }
  const std::vector<std::string>& turned = side_of(e, Side::After).settings;
  e.title = in_all_languages([&](Language l) { return turn_text(before, turned, l); });
  // Compared with the other side, so that each says only what was turned.
  side_of(e, Side::Before).label =
      in_all_languages([&](Language l) { return trial_text(shown.now, side_of(e, Side::Before).settings, l); });
  side_of(e, Side::After).label = in_all_languages([&](Language l) { return trial_text(before, turned, l); });
  e.shows = in_all_languages([&](Language l) {
    return said(tr("What changes from {} to {}. Write here what it shows.", l), e.side(Side::Before).label[l],
                e.side(Side::After).label[l]);
  });
  e.watch = in_all_languages(
      [](Language l) { return tr("The lanes and the verdict of both sides. Write here what to look at.", l); });
  e.knob = in_all_languages([](Language l) { return tr("Tab switches between the sides.", l); });
  name(e);
  return e;
}

Experiment experiment_like(const Experiment& like, const ShownRun& shown) {
  Experiment e = beginning(shown);
  const bool in_place = flips_in_place(like);
  if (!in_place) e.device = like.device;
  std::vector<std::string> keys;
  for (const Side side : kSides) {
    experiment::Variant& variant = side_of(e, side);
    variant.label = like.side(side).label;
    const std::string& device = in_place ? shown.device : like.device_of(side);
    if (!in_place) variant.device = like.side(side).device;
    const workload::Settings standard = workload::default_settings(like.workload, device::describe_device(device));
    keys.clear();
    for (const auto& [key, value] : side_settings(like, side, standard)) {
      keys.push_back(key);
      variant.settings.push_back(assignment(key, value));
    }
  }
  // What both sides set alike goes to both.
  std::vector<std::string>& before = side_of(e, Side::Before).settings;
  std::vector<std::string>& after = side_of(e, Side::After).settings;
  for (const std::string& both : std::vector(before)) {
    if (std::erase(after, both) == 0) continue;
    std::erase(before, both);
    e.settings.push_back(both);
  }
  std::vector<std::string> others;
  for (const workload::SettingSpec& spec : shown.now.specs()) {
    // Properties of the machine mean nothing on the other side's.
    if (std::ranges::find(keys, spec.key) != keys.end() || (spec.of_device && !in_place)) continue;
    const workload::Value& value = shown.now.value(spec.key);
    if (value != shown.standard.value(spec.key)) others.push_back(assignment(spec.key, value));
  }
  e.settings.insert(e.settings.end(), others.begin(), others.end());
  e.title = in_all_languages([&](Language l) {
    const std::string changed = trial_text(shown.standard, others, l);
    return changed.empty() ? like.title[l] : said(tr("{}: {}", l), like.title[l], changed);
  });
  e.shows = like.shows;
  e.watch = like.watch;
  e.knob = like.knob;
  e.turned_knob = like.turned_knob;
  name(e);
  return e;
}

std::string file_name_of(const Experiment& experiment) {
  return fmt::format("{}-{}.toml", experiment.id, experiment.name);
}

ViewGoal view_goal(const experiment::View& view) {
  ViewGoal goal;
  goal.iterations = view.iterations;
  goal.trigger.hold_off_ns = view.hold_off_ns;
  if (view.trigger == "iteration") {
    goal.trigger.source = TriggerSource::Iteration;
  } else if (view.trigger == "wait") {
    goal.trigger.source = TriggerSource::LongWait;
    goal.trigger.wait_over_ns = view.wait_over_ns;
  } else {
    goal.trigger.source = TriggerSource::Name;
    goal.trigger.name = view.trigger;
  }
  return goal;
}

}  // namespace lanescope::ui
