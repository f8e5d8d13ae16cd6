#include "experiment/link.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/plain_text.h"
#include "base/translate.h"

namespace lanescope::experiment {
namespace {

using base::tr;
using base::UsageError;

struct Key {
  std::string_view name;
  std::string Link::*value;
};

constexpr std::array<Key, 8> kKeys{{{"experiment", &Link::experiment},
                                    {"side", &Link::side},
                                    {"workload", &Link::workload},
                                    {"device", &Link::device},
                                    {"lesson", &Link::lesson},
                                    {"student", &Link::student},
                                    {"lang", &Link::lang},
                                    {"theme", &Link::theme}}};
constexpr std::string_view kSet = "set";
constexpr std::string_view kHex = "0123456789ABCDEF";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~=:,").find(c) != std::string_view::npos;
}

int digit(char c) {
  if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  const std::size_t at = kHex.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

std::string decoded(std::string_view key, std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1, low = high < 0 ? -1 : digit(text[i + 2]);
    if (low < 0) throw UsageError(tr("the link's {} has '%' without two digits after it", key));
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (base::valid_utf8(plain) != plain) throw UsageError(tr("the link's {} is not text in UTF-8", key));
  return plain;
}

void append(std::string& fragment, std::string_view key, std::string_view value) {
  if (!fragment.empty()) fragment += '&';
  fragment.append(key) += '=';
  for (const char c : value) {
    if (is_plain(c)) {
      fragment += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      fragment += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
}

/// What is before the first of these characters, and what is after it.
std::pair<std::string_view, std::string_view> split(std::string_view text, char at) {
  const std::size_t end = text.find(at);
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end), text.substr(end + 1)};
}

}  // namespace

Link parse_link(std::string_view fragment) {
  Link link;
  while (!fragment.empty()) {
    const auto [part, rest] = split(fragment, '&');
    fragment = rest;
    if (part.empty()) continue;
    const auto [name, text] = split(part, '=');
    const std::string value = decoded(name, text);
    if (name == kSet) {
      link.set.push_back(value);
      continue;
    }
    const auto* key = std::ranges::find(kKeys, name, &Key::name);
    if (key == kKeys.end()) {
      std::string allowed(kSet);
      for (const Key& one : kKeys) allowed.append(", ").append(one.name);
      throw UsageError(tr("the link says '{}'; allowed: {}", name, allowed));
    }
    std::string& known = link.*key->value;
    if (!known.empty()) throw UsageError(tr("the link says {} twice", name));
    known = value;
  }
  return link;
}

std::string to_fragment(const Link& link) {
  std::string fragment;
  for (const Key& key : kKeys) {
    if (const std::string& value = link.*key.value; !value.empty()) append(fragment, key.name, value);
  }
  for (const std::string& assignment : link.set) append(fragment, kSet, assignment);
  return fragment;
}

std::vector<std::string> to_arguments(const Link& link) {
  std::vector<std::string> arguments;
  for (const Key& key : kKeys) {
    if (const std::string& value = link.*key.value; !value.empty()) {
      arguments.push_back("--" + std::string(key.name) + "=" + value);
    }
  }
  for (const std::string& assignment : link.set) arguments.push_back("--set=" + assignment);
  return arguments;
}

}  // namespace lanescope::experiment
