// Checks that XML is well-formed. As strict as our own documents are simple.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::ui {

/// The first error with its position; empty if there is none.
inline std::string xml_fault(std::string_view text) {
  std::vector<std::string> open;
  std::size_t i = 0;
  int roots = 0;
  const auto fault = [&](const std::string& what) { return what + " at " + std::to_string(i); };
  const auto entity = [&] {
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
      if (text.substr(i).starts_with(known)) return known.size();
    }
    return std::size_t{0};
  };
  if (text.starts_with("<?xml ")) i = text.find("?>") + 2;
  while (i < text.size()) {
    if (text[i] == '&') {
      if (entity() == 0) return fault("a lone &");
      i += entity();
      continue;
    }
    if (text[i] != '<') {
      if (open.empty() && text[i] != '\n') return fault("text outside the root");
      if (static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\n' && text[i] != '\t') return fault("a control");
      ++i;
      continue;
    }
    const bool closes = text.substr(i).starts_with("</");
    i += closes ? 2 : 1;
    const std::size_t end = text.find_first_of(" />\n", i);
    if (end == std::string_view::npos || end == i) return fault("no name");
    const std::string name(text.substr(i, end - i));
    i = end;
    while (i < text.size() && text[i] == ' ') {
      const std::size_t quote = text.find("=\"", i);
      const std::size_t stop = quote == std::string_view::npos ? quote : text.find('"', quote + 2);
      if (stop == std::string_view::npos) return fault("an attribute without quotes");
      if (text.substr(quote + 2, stop - quote - 2).find('<') != std::string_view::npos) return fault("< in quotes");
      i = stop + 1;
    }
    const bool empty = text.substr(i).starts_with("/>");
    i += empty ? 2 : 1;
    if (text[i - 1] != '>') return fault("no >");
    if (closes) {
      if (open.empty() || open.back() != name) return fault("</" + name + "> closes nothing");
      open.pop_back();
    } else if (!empty) {
      if (open.empty() && roots++ > 0) return fault("a second root");
      open.push_back(name);
    }
  }
  return open.empty() && roots == 1 ? "" : fault("not closed: " + (open.empty() ? "no root" : open.back()));
}

}  // namespace lanescope::ui
