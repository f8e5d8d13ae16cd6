#include "analysis/fix.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

namespace lanescope::analysis {
namespace {

// --- patterns --------------------------------------------------------------------------------------------------------
// Not translated: they are code.

constexpr const char* kPinned =
    "# non_blocking needs pinned memory. Pin once, not in the loop: pinning costs more than a copy.\n"
    "loader = DataLoader(data, batch_size=64, pin_memory=True)\n"
    "# or, without a loader:\n"
    "batches = [(x.pin_memory(), y.pin_memory()) for x, y in batches]\n";
constexpr const char* kNonBlocking =
    "# from pinned memory, which stays as it is until the copy has run:\n"
    "x = x.to(\"cuda\", non_blocking=True)\n";
constexpr const char* kCopyStream =
    "# once\n"
    "side = torch.cuda.Stream()\n"
    "# in the loop: copy the next batch from pinned memory while this one is computed\n"
    "with torch.cuda.stream(side):\n"
    "    ahead = batch.to(\"cuda\", non_blocking=True)\n"
    "# before the copy is used\n"
    "torch.cuda.current_stream().wait_stream(side)\n"
    "ahead.record_stream(torch.cuda.current_stream())\n";
constexpr const char* kWorkers =
    "# where the loader is made\n"
    "loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True, persistent_workers=True)\n";
constexpr const char* kKeepWorkers =
    "# once, before the epochs\n"
    "loader = DataLoader(data, batch_size=64, num_workers=4, persistent_workers=True)\n";
constexpr const char* kFewerLaunches =
    "# before the loop\n"
    "optimizer = torch.optim.AdamW(model.parameters(), lr=lr, fused=True)  # all parameters in a few kernels\n"
    "model = torch.compile(model, mode=\"reduce-overhead\")  # fused kernels in CUDA graphs; needs constant shapes\n";
constexpr const char* kReadLater =
    "# in the loop: no read\n"
    "losses.append(loss.detach())\n"
    "# once, after the loop\n"
    "values = torch.stack(losses).tolist()\n";
constexpr const char* kReadLaterJax =
    "# in the loop: no read\n"
    "losses.append(loss)\n"
    "# once, after the loop\n"
    "values = [float(v) for v in losses]\n";
constexpr const char* kReadSometimes =
    "# or read now and then; step: the loop's counter\n"
    "if step % 50 == 0:\n"
    "    print(loss.item())\n";
constexpr const char* kReadOnce =
    "# one read instead of several\n"
    "loss_value, error_value = torch.stack([loss.detach(), error.detach()]).tolist()\n";
constexpr const char* kCopyBack =
    "# enqueue the copy\n"
    "host = y.detach().to(\"cpu\", non_blocking=True)\n"
    "copied = torch.cuda.Event()\n"
    "copied.record()\n"
    "# after the next step was launched, and before host is read\n"
    "copied.synchronize()\n";
constexpr const char* kMask =
    "# a mask as index, y[mask], waits for its size; this does not\n"
    "mean = torch.where(mask, y, 0).sum() / mask.sum()\n"
    "# instead of cross_entropy(logits[mask], targets[mask]); -100 is ignored\n"
    "loss = torch.nn.functional.cross_entropy(logits, torch.where(mask, targets, -100))\n";
constexpr const char* kDecide =
    "# instead of: a if value.item() > limit else b\n"
    "x = torch.where(value > limit, a, b)\n"
    "# the end of a loop: test it every 50th step\n"
    "done = step % 50 == 0 and value.item() < limit\n";

// --- the line --------------------------------------------------------------------------------------------------------

/// One statement, as far as its text tells: not cut off, its brackets and quotes closed, no second one behind a ";".
bool is_whole(std::string_view line) {
  if (line.empty() || line.ends_with("...") || line.ends_with(",") || line.ends_with("\\")) return false;
  std::string open;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == ';' || c == '#') return false;
    if (c == '"' || c == '\'') quote = c;
    if (c == '(' || c == '[' || c == '{') open += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c != ')' && c != ']' && c != '}') continue;
    if (open.empty() || open.back() != c) return false;
    open.pop_back();
  }
  return open.empty() && quote == 0;
}

/// Names in a file may be of any length, and a regular expression takes stack for each letter.
constexpr std::size_t kLongest = 500;

bool has(const std::string& line, const char* pattern) { return std::regex_search(line, std::regex(pattern)); }

/// The place of the bracket that closes the one at `open`; nothing in quotes looks like one where this is asked.
std::size_t closing(std::string_view line, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < line.size(); ++i) {
    if (line[i] == '(') ++depth;
    if (line[i] == ')' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// What replaces the line, in one or more lines; empty: it is not one of those that can be changed.

std::string with_non_blocking(std::string line) {
  static const std::regex kCopies(
      R"re(\.(cuda\(\)|cuda\(\d\)|to\(("cuda(:\d)?"|'cuda(:\d)?'|torch\.device\(["']cuda(:\d)?["']\)|)re"
      R"re(([\w.]*_)?(device|dev|gpu)|([\w.]*\.)?(device|dev|gpu))(, dtype=[\w.]+)?\)))re");
  static const std::regex kAnyCopy(R"(\.(to|cuda|cpu)\()");
  const auto count = [&](const std::regex& what) {
    return std::distance(std::sregex_iterator(line.begin(), line.end(), what), std::sregex_iterator());
  };
  // Where some copy is of another kind, such as one back, the others may rely on it.
  if (count(kCopies) == 0 || count(kCopies) != count(kAnyCopy) || has(line, "pin_memory")) return {};
  std::string changed;
  std::size_t done = 0;
  for (std::sregex_iterator it(line.begin(), line.end(), kCopies), end; it != end; ++it) {
    const auto last = static_cast<std::size_t>(it->position() + it->length()) - 1;  // its closing bracket
    changed += line.substr(done, last - done) + (line[last - 1] == '(' ? "" : ", ") + "non_blocking=True";
    done = last;
  }
  return changed + line.substr(done);
}

std::string with_workers(const std::string& line) {
  static const std::regex kMade(R"(\bDataLoader\()");
  std::smatch made;
  if (!std::regex_search(line, made, kMade) || has(line, "num_workers|persistent_workers|pin_memory")) return {};
  const std::size_t end = closing(line, static_cast<std::size_t>(made.position() + made.length()) - 1);
  if (end == std::string::npos || line[end - 1] == '(') return {};
  return line.substr(0, end) + ", num_workers=4, pin_memory=True, persistent_workers=True" + line.substr(end);
}

std::string without_mask(const std::string& line) {
  std::smatch part;
  static const std::regex kMean(R"(^((?:\w+ = |return )?)([\w.]+)\[(\w*mask)\]\.mean\(\)$)");
  if (std::regex_match(line, part, kMean)) {
    const std::string mask = part[3], of = part[2];
    return part[1].str() + "torch.where(" + mask + ", " + of + ", 0).sum() / " + mask + ".sum()  # both of one shape";
  }
  // The flattened ones are what the mask would pick from, of whatever shape.
  static const std::regex kEntropy(
      R"(^((?:\w+ = |return )?)([\w.]*\bcross_entropy)\(([\w.]+)\[(\w*mask)\], ([\w.]+)\[(\w*mask)\]\)$)");
  if (std::regex_match(line, part, kEntropy) && part[4] == part[6]) {
    return part[1].str() + part[2].str() + "(" + part[3].str() + ".flatten(0, -2), torch.where(" + part[4].str() +
           ", " + part[5].str() + ", -100).flatten())  # -100 is ignored";
  }
  return {};
}

std::string read_later(const std::string& line) {
  std::smatch part;
  static const std::regex kCollected(R"(^([\w.]+)\.append\(([\w.]+)\.item\(\)\)$)");
  if (std::regex_match(line, part, kCollected)) {
    const std::string list = part[1];
    return list + ".append(" + part[2].str() + ".detach())  # torch.stack(" + list + ").tolist() once, after the loop";
  }
  static const std::regex kSummed(R"(^([\w.]+) \+= ([\w.]+)\.item\(\)((?: \* [\w.]+(?:\(\w*\))?)?)$)");
  if (std::regex_match(line, part, kSummed)) {
    const std::string sum = part[1];
    return sum + " += " + part[2].str() + ".detach()" + part[3].str() + "  # " + sum + ".item() once, after the loop";
  }
  return {};
}

constexpr const char* kRead = R"(\.item\(\)|\.tolist\(\)|\b(float|int|bool)\([\w.]+\)|\.(cpu|numpy)\(\))";

/// All that is called may be left out now and then: not train_step(x).item().
bool only_tells(const std::string& arguments) {
  static const std::regex kCall(R"((\w+)\s*\()");
  static const std::regex kPure(
      "item|tolist|cpu|numpy|detach|float|int|str|len|round|sum|mean|max|min|abs|sqrt|norm|size|print");
  return std::all_of(std::sregex_iterator(arguments.begin(), arguments.end(), kCall), std::sregex_iterator(),
                     [](const std::smatch& call) { return std::regex_match(call[1].str(), kPure); });
}

std::string read_sometimes(const std::string& line) {
  // Of a copy back all of it is used, so it is not left out now and then.
  static const std::regex kAssigned(R"(^\w+ = (.*\.(item|tolist)\(\)|float\([\w.]+\))$)");
  static const std::regex kTold(
      R"(^(?:print|[\w.]+\.(?:info|debug|add_scalar|set_postfix|set_description|log))(\(.*\))$)");
  if (has(line, R"(\b(if|else|for|while|yield|await|lambda)\b|:=)")) return {};
  const std::string when = "if step % 50 == 0:  # step: the loop's counter\n    " + line;
  if (std::regex_match(line, kAssigned) && only_tells(line) && !has(line, R"(\.(cpu|numpy)\()"))
    return when + "  # old in between: what uses it belongs here, too";
  std::smatch part;
  const bool tells = std::regex_match(line, part, kTold) && closing(line, line.find('(')) == line.size() - 1;
  return tells && only_tells(part[1]) && (line.starts_with("print(") || has(line, kRead)) ? when : std::string();
}

/// "- " the line, "+ " what replaces it; nothing where nothing does.
std::string edited(const std::string& line, const std::string& changed) {
  if (changed.empty()) return {};
  std::string all = "- " + line + "\n+ ";
  for (const char c : changed) all += c == '\n' ? "\n+ " : std::string(1, c);
  return all + '\n';
}

// --- the cures -------------------------------------------------------------------------------------------------------

class Cure {
 public:
  Cure(const Card& card, std::string line)
      : card_(card), line_(std::move(line)), whole_(is_whole(line_)), cuda_(card.call.starts_with("cuda")) {}

  std::string text() const {
    using enum Remedy;
    if (helps(PinMemory) || helps(NonBlocking) || helps(PinAhead)) return upload();
    if (helps(CopyStream)) return kCopyStream;
    if (helps(KeepWorkers)) return kKeepWorkers;
    if (helps(MoreWorkers)) return workers();
    if (helps(FewerLaunches)) return card_.rule == Rule::LaunchBound && cuda_ ? kFewerLaunches : "";
    if (helps(DecideOnGpu)) return cuda_ ? edit(&without_mask, has_mask() ? kMask : kDecide) : std::string();
    return helps(ReadLessOften) || awaits_result() ? read() : std::string();
  }

 private:
  bool helps(Remedy remedy) const { return std::ranges::count(card_.remedies, remedy) > 0; }
  /// A line that waits, as JAX does for what it reads.
  bool awaits_result() const {
    const bool waits = card_.rule == Rule::SyncBubble || card_.rule == Rule::RepeatedSync;
    return waits && card_.remedies.empty() && has(line_, kRead);
  }
  bool has_mask() const { return has(line_, R"(\[\w*mask\w*\])"); }

  std::string edit(std::string (*change)(const std::string&), const std::string& otherwise = {}) const {
    const std::string done = whole_ ? edited(line_, change(line_)) : std::string();
    return done.empty() ? otherwise : done;
  }

  std::string upload() const {
    const bool pin = helps(Remedy::PinMemory) || helps(Remedy::PinAhead);
    std::string text;
    if (helps(Remedy::NonBlocking)) {
      if (whole_) text = edited(line_, with_non_blocking(line_));
      const bool already = line_.find("non_blocking=True") != std::string::npos;
      if (text.empty() && !already) text = kNonBlocking;
    }
    return pin ? text + kPinned : text;
  }

  /// Of a queue of the program's own, nothing is known.
  std::string workers() const {
    const bool loads = !whole_ || has(line_, R"(\bDataLoader\(|^for .* in |\bnext\()");
    return loads ? edit(&with_workers, kWorkers) : std::string();
  }

  std::string read() const {
    // The calls of JAX are the driver's, and its arrays need no detach().
    if (cuda_)
      for (auto* change : {&without_mask, &read_later})
        if (std::string done = edit(change); !done.empty()) return done;
    if (std::string done = edit(&read_sometimes); !done.empty()) return done;
    if (!cuda_) return has(line_, kRead) ? std::string(kReadLaterJax) + kReadSometimes : std::string();
    if (has(line_, R"(\.(cpu|numpy)\()")) return kCopyBack;
    if (!has(line_, kRead)) return kMask;
    return (helps(Remedy::ReadOnce) ? kReadOnce : std::string()) + kReadLater + kReadSometimes;
  }

  const Card& card_;
  std::string line_;
  bool whole_, cuda_;
};

}  // namespace

std::string fix_for(const Card& card) {
  static const std::regex kPlace(R"(^(.*\.py:\d+)(?:  (.*))?$)");
  std::smatch place;
  if (card.weight == Weight::Harmless || card.range.size() > kLongest) return {};
  if (!std::regex_match(card.range, place, kPlace)) return {};
  std::string text = Cure(card, place[2]).text();
  if (text.empty()) return text;
  text.pop_back();  // the last line's end
  return place[1].str() + '\n' + text;
}

}  // namespace lanescope::analysis
