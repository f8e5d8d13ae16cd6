#include "attach/vocabulary.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "base/plain_text.h"

namespace lanescope::attach {
namespace {

constexpr std::uintmax_t kLargestFile = 4 << 20;
constexpr std::size_t kMostLines = 1 << 17;
constexpr std::string_view kKnobsFile = "<lanescope>";  // what inject/knobs.cpp calls knobs.py

std::size_t indent_of(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? line.size() : first;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '#') {
      return trimmed(line.substr(0, i));
    }
  }
  return line;
}

bool is_loop(std::string_view line) {
  return line.starts_with("for ") || line.starts_with("while ") || line.starts_with("while(") ||
         line.starts_with("async for ");
}

// "[step(x) for x in data]", which may go on in the next lines.
bool is_comprehension(const std::vector<std::string>& all, std::uint32_t number) {
  constexpr std::size_t kMostLinesOfIt = 6;
  const std::string_view first = without_comment(trimmed(all[number - 1]));
  if (first.starts_with("for ")) return false;
  if (first.find(" for ") != std::string_view::npos && first.find(" in ") != std::string_view::npos) return true;
  if (first.ends_with(':')) return false;
  for (std::size_t i = number; i < all.size() && i < number + kMostLinesOfIt; ++i) {
    const std::string_view line = without_comment(trimmed(all[i]));
    if (line.starts_with("for ") && line.find(" in ") != std::string_view::npos) return !line.ends_with(':');
    if (line.empty() || line.find('=') != std::string_view::npos) return false;
  }
  return false;
}

}  // namespace

std::optional<std::filesystem::path> SourceLines::find(std::string_view file) const {
  if (file.empty() || file.front() == '<') return std::nullopt;
  const std::filesystem::path path = folder_ / std::filesystem::path(file);  // an absolute path stays as it is
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || error) return std::nullopt;
  return path;
}

const std::vector<std::string>& SourceLines::lines(std::string_view file) {
  const auto known = files_.find(file);
  if (known != files_.end()) return known->second;
  std::vector<std::string>& lines = files_[std::string(file)];
  const auto path = find(file);
  if (!path) return lines;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(*path, error);
  if (error || bytes == 0 || bytes > kLargestFile) return lines;  // in /proc all seem empty
  std::ifstream stream(*path);
  for (std::string line; lines.size() < kMostLines && std::getline(stream, line);) {
    lines.push_back(base::without_controls(line));
  }
  return lines;
}

std::string SourceLines::line(std::string_view file, std::uint32_t number, std::size_t most) {
  const std::vector<std::string>& all = lines(file);
  if (number == 0 || number > all.size()) return {};
  const std::string_view text = without_comment(trimmed(all[number - 1]));
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole characters
  return std::string(text.substr(0, end)) + "...";
}

std::vector<std::uint32_t> SourceLines::loops_around(std::string_view file, std::uint32_t number) {
  std::vector<std::uint32_t> loops;
  const std::vector<std::string>& all = lines(file);
  if (number == 0 || number > all.size()) return loops;
  if (is_loop(trimmed(all[number - 1])) || is_comprehension(all, number)) loops.push_back(number);
  std::size_t indent = indent_of(all[number - 1]);
  for (std::uint32_t i = number - 1; i > 0 && indent > 0; --i) {
    const std::string_view line = trimmed(all[i - 1]);
    if (line.empty() || line.front() == '#' || indent_of(all[i - 1]) >= indent) continue;
    if (is_loop(line)) loops.push_back(i);
    if (line.starts_with("def ") || line.starts_with("class ") || line.starts_with("async def ")) break;
    indent = indent_of(all[i - 1]);
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

// --- thread numbers --------------------------------------------------------------------------------------------------

std::uint32_t ThreadNumbers::begins(std::uint32_t thread, const std::string& name) {
  if (const auto known = alive_.find(thread); known != alive_.end()) {
    known->second.name = name;
    return known->second.shown;
  }
  if (alive_.size() >= kMost) return thread;
  std::uint32_t shown = thread;
  auto free = std::ranges::find(ended_, name, &Named::name);
  // The system gives numbers out again: this one's lanes may be free, or another thread may go on in them.
  if (free == ended_.end()) free = std::ranges::find(ended_, thread, &Named::shown);
  if (free != ended_.end()) {
    shown = free->shown;
    ended_.erase(free);
  } else if (taken_.contains(thread)) {
    shown = made_up_++;
  }
  taken_.insert(shown);
  alive_[thread] = {shown, name};
  return shown;
}

std::optional<std::uint32_t> ThreadNumbers::ends(std::uint32_t thread) {
  const auto known = alive_.find(thread);
  if (known == alive_.end()) return std::nullopt;
  const Named ended = known->second;
  alive_.erase(known);
  taken_.erase(ended.shown);
  if (ended_.size() < kMost) ended_.push_back(ended);
  return ended.shown;
}

// --- vocabulary ------------------------------------------------------------------------------------------------------

void Vocabulary::learn(const Message& message) {
  if (message.kind == wire::MessageKind::Frame) return learn_frame(message);
  if (message.kind == wire::MessageKind::Stack) return learn_stack(message);
  Words::learn(message);
}

void Vocabulary::learn_frame(const Message& message) {
  const auto sent = message.as<wire::FrameMessage>();
  Frame* place = sent ? place_for(frames_, message.id) : nullptr;
  if (!place) return;
  const std::string& file = text(sent->file);
  place->place.file = name(file);
  place->place.function = name(text(sent->function));
  place->place.line = sent->line;
  place->loop_place = {sent->code, sent->offset, message.id};
  place->library = trace::is_library_file(file);
  place->loop_place.own = !place->library;
  place->ours = file == kKnobsFile;
}

void Vocabulary::learn_stack(const Message& message) {
  const auto head = message.as<wire::StackMessage>();
  const auto bytes = message.after<wire::StackMessage>();
  if (!head || head->frames > wire::kMostFrames || head->frames * sizeof(std::uint32_t) > bytes.size()) return;
  Stack* place = place_for(stacks_, message.id);
  if (!place) return;
  Stack stack;
  stack.frames.resize(head->frames);
  if (head->frames != 0) std::memcpy(stack.frames.data(), bytes.data(), head->frames * sizeof(std::uint32_t));
  // Through our wrapper, a call is the same as without it.
  std::erase_if(stack.frames, [&](std::uint32_t id) { return frame(id) && frame(id)->ours; });
  std::vector<trace::Frame> frames;
  stack.own = stack.frames.size();
  for (std::size_t i = 0; i < stack.frames.size(); ++i) {
    const Frame* known = frame(stack.frames[i]);
    if (!known) return;  // the frame was lost
    if (!known->library && stack.own == stack.frames.size()) stack.own = i;
    frames.push_back(known->place);
  }
  stack.site = trace_.sites().intern(frames, stack.own);
  *place = std::move(stack);
}

}  // namespace lanescope::attach
