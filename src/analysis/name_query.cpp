#include "analysis/name_query.h"

#include <algorithm>
#include <tuple>

#include "analysis/event_query.h"

namespace lanescope::analysis {
namespace {

// Handles ASCII only: kernel and call names are ASCII, and other bytes are kept.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

// The minimum number of letters to change, insert or delete so that `typed` becomes the start of `name`.
std::size_t distance_to_beginning(std::string_view typed, std::string_view name) {
  name = name.substr(0, 2 * typed.size() + 2);
  std::vector<std::size_t> row(name.size() + 1);
  for (std::size_t j = 0; j <= name.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= typed.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= name.size(); ++j) {
      const std::size_t changed = diagonal + (typed[i - 1] == name[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return *std::min_element(row.begin(), row.end());
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80); }

// The same for the start of any word of the name, such as "Synchronize" in cudaStreamSynchronize.
std::size_t distance_to_a_word(std::string_view typed, std::string_view name) {
  const std::string low = lowered(name);
  std::size_t best = typed.size();
  for (std::size_t i = 0; i < name.size() && best > 0; ++i) {
    const bool capital = name[i] >= 'A' && name[i] <= 'Z';
    const bool begins = i == 0 || capital || (is_letter(low[i]) && !is_letter(low[i - 1]));
    if (begins) best = std::min(best, distance_to_beginning(typed, std::string_view(low).substr(i)));
  }
  return best;
}

}  // namespace

NameQuery::NameQuery(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    Term term;
    if (text[i] == '-') {
      term.excludes = true;
      ++i;
    }
    if (i < text.size() && text[i] == '"') {
      const std::size_t close = text.find('"', i + 1);
      term.exact = close != std::string_view::npos;
      term.text = text.substr(i + 1, term.exact ? close - i - 1 : close);
      i = term.exact ? close + 1 : text.size();
    } else {
      const std::size_t end = std::min(text.find(' ', i), text.size());
      term.text = text.substr(i, end - i);
      i = end;
    }
    if (!term.exact) term.text = lowered(term.text);
    if (!term.text.empty()) terms_.push_back(std::move(term));
  }
}

bool NameQuery::matches(std::string_view name) const {
  const std::string low = lowered(name);
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    const bool there = term.exact ? name == term.text : low.find(term.text) != std::string::npos;
    return there != term.excludes;
  });
}

std::string quoted_name(std::string_view name) { return "\"" + std::string(name) + "\""; }

std::set<base::NameId> names_of_changes(const trace::Trace& trace) {
  std::set<base::NameId> found;
  const EventQuery markers{.lane_kind = trace::LaneKind::Markers, .markers = true};
  scan(trace, event_sources(trace, markers), {},
       [&](const EventSource&, const trace::Block& block, trace::EventIndex first, trace::EventIndex last) {
         for (; first < last; ++first) {
           const trace::Event marker = trace::untimed_event(block, first % trace::kBlockEvents);
           if (!trace::is_setting_change(marker)) continue;
           const trace::SettingChange change = trace::change_of(marker);
           found.insert({marker.name, change.key, change.before, change.now});
         }
       });
  return found;
}

std::vector<std::string> near_names(const base::NameTable& names, std::string_view typed,
                                    const std::set<base::NameId>& omitted, std::size_t most) {
  constexpr base::NameId kMostNames = 20'000;
  constexpr std::size_t kLongest = 48;
  std::string wanted = lowered(typed.substr(0, kLongest));
  std::erase(wanted, '"');
  while (!wanted.empty() && wanted.back() == ' ') wanted.pop_back();
  if (wanted.size() < 2) return {};
  const std::size_t allowed = std::max<std::size_t>(1, wanted.size() / 3);
  using Candidate = std::tuple<std::size_t, std::size_t, std::string>;  // distance, length, name
  std::vector<Candidate> candidates;
  const base::NameId count = std::min(names.size(), kMostNames);
  for (base::NameId id = base::NameTable::kOverflow + 1; id < count; ++id) {
    const std::string_view name = names.text(id);
    if (name.empty() || omitted.contains(id)) continue;
    const std::size_t distance = distance_to_a_word(wanted, name.substr(0, 4 * kLongest));
    if (distance <= allowed) candidates.emplace_back(distance, name.size(), name);
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::string> result;
  for (const Candidate& candidate : candidates) {
    if (result.size() == most) break;
    result.push_back(std::get<std::string>(candidate));
  }
  return result;
}

}  // namespace lanescope::analysis
