// The user's query for events by name.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "trace/trace.h"

namespace lanescope::ui {

/// A name must contain all words, ignoring case. "a name" in quotes must equal the whole name. -word and -"a name"
/// exclude. An unclosed quote is a word with spaces.
class NameQuery {
 public:
  NameQuery() = default;
  explicit NameQuery(std::string_view text);

  bool empty() const { return terms_.empty(); }  ///< the query is empty
  bool matches(std::string_view name) const;

 private:
  struct Term {
    std::string text;  // in lower case, unless it must match exactly
    bool exact = false, excludes = false;
  };
  std::vector<Term> terms_;
};

/// A query for exactly this name.
std::string quoted_name(std::string_view name);

/// The names that only describe changed settings. No event on a lane with a row has one.
std::set<base::NameId> names_of_changes(const trace::Trace& trace);

/// Existing names similar to a typed one without matches, allowing for a few wrong letters; most likely first, without
/// those in `omitted`.
std::vector<std::string> near_names(const base::NameTable& names, std::string_view typed,
                                    const std::set<base::NameId>& omitted = {}, std::size_t most = 3);

}  // namespace lanescope::ui
