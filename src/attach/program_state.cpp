#include "attach/program_state.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/plain_text.h"
#include "base/translate.h"
#include "base/user_folders.h"

namespace lanescope::attach {

using base::tr;

std::string why_not() {
#if LANESCOPE_ATTACH
  return {};
#else
  return tr("this build cannot attach to programs: attaching needs Linux; record them there, and open the file here");
#endif
}

wire::Level parse_level(const std::string& text) {
  for (const wire::Level level : {wire::Level::Waits, wire::Level::Acquire, wire::Level::Calls, wire::Level::All}) {
    if (text == to_text(level)) return level;
  }
  throw base::UsageError(tr("'{}' is not a level; allowed: waits, acquire, calls, all", text));
}

const char* to_text(wire::Level level) {
  switch (level) {
    case wire::Level::Off:
      return "off";
    case wire::Level::Waits:
      return "waits";
    case wire::Level::Acquire:
      return "acquire";
    case wire::Level::Calls:
      return "calls";
    case wire::Level::All:
      return "all";
  }
  return "off";
}

const ProcessState* AttachState::first_with_gpu() const {
  const auto first = std::ranges::find_if(processes, &ProcessState::uses_gpu);
  return first == processes.end() ? nullptr : &*first;
}

// --- command words ---------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kForShells = "|&;<>()`$*?#";
constexpr std::string_view kForShellsInQuotes = "`$";

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && letter(text.front()) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

[[noreturn]] void refuse(char c) {
  throw base::UsageError(
      tr("'{}' is for a shell, and none is run: quote it, or put the command into a script", std::string(1, c)));
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false, quoted = false;
  const auto end_word = [&] {
    if (!in_word) return;
    if (words.empty() && !quoted && is_name(std::string_view(word).substr(0, word.find('='))) &&
        word.find('=') != std::string::npos) {
      throw base::UsageError(tr("'{}' comes before the command: put it into the environment", word));
    }
    words.push_back(std::move(word));
    word.clear();
    in_word = quoted = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (kBlank.find(c) != std::string_view::npos) {
      end_word();
      continue;
    }
    const bool starts = !in_word;
    in_word = true;
    if (c == '\'' || c == '"') {
      quoted = true;
      const std::size_t opened = i;
      for (++i; i < text.size() && text[i] != c; ++i) {
        if (c == '"' && kForShellsInQuotes.find(text[i]) != std::string_view::npos) refuse(text[i]);
        const bool escape = c == '"' && text[i] == '\\' && i + 1 < text.size() &&
                            std::string_view("\"\\$`").find(text[i + 1]) != std::string_view::npos;
        if (escape) ++i;
        word += text[i];
      }
      if (i >= text.size()) throw base::UsageError(tr("the quote {} at character {} is not closed", c, opened + 1));
    } else if (c == '\\') {
      if (i + 1 >= text.size()) throw base::UsageError(tr("a backslash at the end quotes nothing"));
      word += text[++i];
      quoted = true;
    } else if (c == '~' && starts && (i + 1 == text.size() || text[i + 1] == '/')) {
      word += base::home_folder().string();
    } else if (kForShells.find(c) != std::string_view::npos && (c != '#' || starts)) {
      refuse(c);
    } else {
      word += c;
    }
  }
  end_word();
  return words;
}

std::string joined_words(const std::vector<std::string>& words) { return base::shell_words(words); }

std::map<std::string, std::string> parse_variables(std::string_view text) {
  std::map<std::string, std::string> variables;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t first = line.find_first_not_of(kBlank);
    if (first == std::string_view::npos) continue;
    line.remove_prefix(first);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !is_name(line.substr(0, equals))) {
      throw base::UsageError(tr("environment, line {}: '{}' is not NAME=VALUE", number, std::string(line)));
    }
    variables[std::string(line.substr(0, equals))] = std::string(line.substr(equals + 1));
  }
  return variables;
}

}  // namespace lanescope::attach
