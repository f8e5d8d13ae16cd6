// What a person types to find events by their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"

namespace lanescope::ui {

/// Words that a name must all contain, whatever their case; "a name" in quotes is the whole name exactly; -word and
/// -"a name" must not be. A quote that is not closed yet is a word with its spaces.
class NameQuery {
 public:
  NameQuery() = default;
  explicit NameQuery(std::string_view text);

  bool empty() const { return terms_.empty(); }  ///< asks for nothing
  bool matches(std::string_view name) const;

 private:
  struct Term {
    std::string text;  // in lower case, unless it is exact
    bool exact = false, excludes = false;
  };
  std::vector<Term> terms_;
};

/// Text that finds exactly this name.
std::string quoted_name(std::string_view name);

/// Names like the one that was typed and that nothing has: a few wrong letters in it, the likeliest first.
std::vector<std::string> near_names(const base::NameTable& names, std::string_view typed, std::size_t most = 3);

}  // namespace lanescope::ui
