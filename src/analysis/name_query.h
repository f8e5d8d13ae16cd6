// The user's query for events by name.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_table.h"
#include "trace/trace.h"

namespace lanescope::analysis {

/// A name must contain all words, ignoring case. "a name" in quotes must equal the whole name. -word and -"a name"
/// exclude. An unclosed quote is a word with spaces.
class NameQuery {
 public:
  NameQuery() = default;
  explicit NameQuery(std::string_view text);

  bool empty() const { return terms_.empty(); }  ///< the query is empty
  bool matches(std::string_view name) const;
  bool operator==(const NameQuery&) const = default;

 private:
  struct Term {
    std::string text;  // in lower case, unless it must match exactly
    bool exact = false, excludes = false;
    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms_;
};

/// What is true of some names, worked out once for each.
class NameMemo {
 public:
  /// `is`, called with the text if the name is new, says whether it is true.
  template <class Is>
  bool operator()(const base::NameTable& names, base::NameId id, Is&& is) {
    if (id >= known_.size()) known_.resize(std::max<std::size_t>(std::size_t{id} + 1, names.size()), Unknown);
    if (known_[id] == Unknown) known_[id] = is(names.text(id)) ? Yes : No;
    return known_[id] == Yes;
  }

 private:
  enum Known : char { Unknown, No, Yes };
  std::vector<Known> known_;  // by id
};

/// The names that a query matches, or this one alone.
class NameFilter {
 public:
  explicit NameFilter(NameQuery query, std::optional<base::NameId> only = {}) : query_(std::move(query)), only_(only) {}

  bool passes(const base::NameTable& names, base::NameId id) {
    if (only_ && id != *only_) return false;
    return query_.empty() || memo_(names, id, [&](std::string_view name) { return query_.matches(name); });
  }
  /// True if any name in the table passes. Looks at new ones only.
  bool any(const base::NameTable& names) {
    for (const base::NameId count = names.size(); seen_ < count; ++seen_) any_ = passes(names, seen_) || any_;
    return any_;
  }

 private:
  NameQuery query_;
  std::optional<base::NameId> only_;
  NameMemo memo_;
  base::NameId seen_ = 0;
  bool any_ = false;
};

/// A query for exactly this name.
std::string quoted_name(std::string_view name);

/// The names that only describe changed settings. No event on a lane with a row has one.
std::set<base::NameId> names_of_changes(const trace::Trace& trace);

/// Existing names similar to a typed one without matches, allowing for a few wrong letters; most likely first, without
/// those in `omitted`.
std::vector<std::string> near_names(const base::NameTable& names, std::string_view typed,
                                    const std::set<base::NameId>& omitted = {}, std::size_t most = 3);

}  // namespace lanescope::analysis
