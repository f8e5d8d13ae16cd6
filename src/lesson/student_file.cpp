#include "lesson/student_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/json_text.h"
#include "base/plain_text.h"
#include "base/translate.h"
#include "base/version.h"
#include "io/atomic_file.h"
#include "io/byte_source.h"

namespace lanescope::lesson {
namespace {

using base::tr;

constexpr std::size_t kMostCharacters = 100;
constexpr std::uint64_t kMostBytes = 4'000'000;
constexpr std::size_t kStudentBytes = 60, kLessonBytes = 80;  // of a file's name
constexpr std::size_t kDigestDigits = 12;
constexpr char32_t kByteOrderMark = 0xFEFF;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// "Ann Lee 2": words of letters and digits, each with a capital at most at its beginning, one space between them. Only
// one name of that kind gives "ann-lee-2".
bool is_plain_name(std::string_view name) {
  char before = ' ';
  for (const char c : name) {
    const bool begins = before == ' ';
    if (begins ? !is_upper(c) && !is_digit(c) : !is_lower(c) && !is_digit(c) && c != ' ') return false;
    before = c;
  }
  return before != ' ';
}

bool is_plain_lesson(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

// Letters and digits of any script, in lower case if they are ASCII's; all else is a hyphen.
std::string slug_of(std::string_view name, std::size_t most) {
  std::string slug;
  for (std::size_t i = 0; i < name.size();) {
    std::string piece;
    const char32_t c = base::next_code_point(name, i);
    if (c < 0x80) {
      const char ascii = static_cast<char>(c);
      if (is_upper(ascii)) piece = static_cast<char>(ascii - 'A' + 'a');
      if (is_lower(ascii) || is_digit(ascii)) piece = ascii;
    } else if ((c >= 0xC0 && c < 0x2000) || (c >= 0x3040 && c < 0xD800)) {
      base::append_utf8(piece, c);
    }
    if (slug.size() + piece.size() > most) break;
    if (!piece.empty()) {
      slug += piece;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

// FNV-1a, as 16 hex digits.
std::string digest_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

// `plain`: no other name gives the same.
std::string part_of_name(std::string_view name, bool plain, std::size_t most) {
  const std::string slug = slug_of(name, most);
  if (plain && name.size() <= most) return slug;
  return slug + "_" + digest_of(name).substr(0, kDigestDigits);
}

void add_number(std::vector<std::string>& fields, double value) {
  fields.emplace_back();
  base::append_number(fields.back(), value);
}

void add_text(std::vector<std::string>& fields, const Text& text) {
  fields.insert(fields.end(), text.in.begin(), text.in.end());
}

void add_list(std::vector<std::string>& fields, const std::vector<std::string>& list) {
  fields.push_back(std::to_string(list.size()));
  fields.insert(fields.end(), list.begin(), list.end());
}

void add_question(std::vector<std::string>& fields, const Question& question) {
  add_text(fields, question.text);
  fields.insert(fields.end(), {question.measure.figure, std::string(side_key(question.measure.of)), question.unit});
  for (const double value : {question.least, question.most, question.tolerance}) add_number(fields, value);
  fields.push_back(std::to_string(question.choices.size()));
  for (const Choice& choice : question.choices) {
    add_text(fields, choice.text);
    fields.push_back(choice.verdict);
    add_number(fields, choice.up_to);
  }
}

void add_task(std::vector<std::string>& fields, const Task& task) {
  add_text(fields, task.text);
  for (const Goal& goal : task.goals) {
    fields.push_back(goal.figure);
    add_number(fields, goal.least);
    add_number(fields, goal.most);
  }
  add_list(fields, task.keep);
}

}  // namespace

const StepRecord* StudentFile::record(std::string_view step) const {
  const auto found = std::ranges::find(steps, step, &StepRecord::step);
  return found == steps.end() ? nullptr : &*found;
}

StepRecord* StudentFile::record(std::string_view step) {
  return const_cast<StepRecord*>(std::as_const(*this).record(step));
}

void check_student_name(std::string_view student) {
  std::size_t characters = 0;
  bool fits = !student.empty() && student.front() != ' ' && student.back() != ' ';
  for (std::size_t i = 0; fits && i < student.size(); ++characters) {
    const char32_t c = base::next_code_point(student, i);
    fits = c != base::kInvalidCodePoint && !base::is_control(c) && c != kByteOrderMark;
  }
  if (fits && characters <= kMostCharacters) return;
  const std::string shown = base::without_controls(student.substr(0, kMostCharacters));
  throw base::UsageError(tr(
      "the student's name is '{}'; allowed: 1 to {} characters in UTF-8, no control characters, no space at the ends",
      shown, kMostCharacters));
}

StudentFile new_student_file(std::string student, const Lesson& lesson) {
  check_student_name(student);
  StudentFile file;
  file.student = std::move(student);
  file.lesson = lesson.name;
  file.version = base::kVersion;
  file.lesson_digest = lesson_digest(lesson);
  return file;
}

std::string lesson_digest(const Lesson& lesson) {
  std::vector<std::string> fields = {lesson.name};
  for (const Step& step : lesson.steps) {
    if (!step.asks()) continue;
    fields.insert(fields.end(),
                  {step.name, step.experiment, step.workload, step.device, std::string(side_key(step.side))});
    for (const auto* settings : {&step.before, &step.after, &step.settings}) add_list(fields, *settings);
    fields.emplace_back(step.question ? "question" : "task");
    if (step.question) add_question(fields, *step.question);
    if (step.task) add_task(fields, *step.task);
  }
  std::string text;
  for (const std::string& field : fields) text += fmt::format("{}:{}", field.size(), field);
  return digest_of(text);
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

StudentFile read_student_file(const std::filesystem::path& path) {
  io::ByteSource source(path, {.decompressed = kMostBytes});
  std::string text;
  for (std::string_view piece = source.next(); !piece.empty(); piece = source.next()) text += piece;
  return parse_student_file(text, path.string());
}

void write_student_file(const std::filesystem::path& path, const StudentFile& file) {
  const std::string text = to_json(file);
  if (parse_student_file(text, path.string()) != file) {
    throw base::FileError(fmt::format("{}: {}", path.string(), tr("cannot be read as it would be written")));
  }
  io::write_text_file(path, text);
}

std::filesystem::path student_file_path(const std::filesystem::path& folder, std::string_view student,
                                        std::string_view lesson) {
  return folder / fmt::format("{}-{}.answers.json", part_of_name(student, is_plain_name(student), kStudentBytes),
                              part_of_name(lesson, is_plain_lesson(lesson), kLessonBytes));
}

// --- student json ----------------------------------------------------------------------------------------------------

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kFormat = 2;
constexpr int kMostDepth = 8;
constexpr std::size_t kMostSteps = 1000, kMostSettings = 200, kMostText = 800, kShown = 60;
constexpr double kMostSeconds = 1e7, kMostNumber = 1e12;
constexpr std::int64_t kMostHints = 1000, kMostChoice = 1000;

constexpr const char* kSeals = "seals";  // of format 1; ignored
constexpr auto kStudentRootKeys =
    std::to_array<std::string_view>({"lanescope", "format", "student", "lesson", "lesson_digest", "steps"});
constexpr auto kStudentStepKeys = std::to_array<std::string_view>(
    {"step", "answer", "begun", "seconds", "hints", "settings", "solved", "seen", "device"});
constexpr auto kAnswerKeys = std::to_array<std::string_view>({"choice", "number"});
constexpr auto kSeenKeys = std::to_array<std::string_view>({"value", "verdict", "choice"});

// --- writing -------------------------------------------------------------------------------------------------------

Json json_of(const Answer& answer) {
  if (const auto* choice = std::get_if<std::size_t>(&answer)) return {{"choice", *choice}};
  return {{"number", std::get<double>(answer)}};
}

Json json_of(const Truth& truth) {
  return {{"value", truth.value}, {"verdict", truth.verdict}, {"choice", truth.choice}};
}

Json json_of(const StepRecord& record) {
  Json json{{"step", record.step}};
  json["answer"] = record.answer ? json_of(*record.answer) : Json();
  json["begun"] = record.begun;
  json["seconds"] = record.seconds;
  json["hints"] = record.hints;
  json["settings"] = record.settings;
  json["solved"] = record.solved;
  json["seen"] = record.seen ? json_of(*record.seen) : Json();
  json["device"] = record.device;
  return json;
}

// --- reading -------------------------------------------------------------------------------------------------------

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

class StudentReader {
 public:
  explicit StudentReader(std::string_view origin) : origin_(origin) {}

  StudentFile read(std::string_view content) const {
    const Json root = parse(content);
    // A newer one may have other keys.
    if (root.is_object() && root.contains("format") && integer(root, "", "format", 0, 1'000'000) > kFormat) {
      fail("format", tr("written by a newer Lanescope; this one cannot read it"));
    }
    check_object(root, "", kStudentRootKeys);
    needed(root, "", "format");
    StudentFile file;
    file.version = text(root, "", "lanescope");
    file.student = text(root, "", "student");
    checked("student", [&] { check_student_name(file.student); });
    file.lesson = word(root, "", "lesson");
    file.lesson_digest = word(root, "", "lesson_digest");
    read_steps(root, file);
    return file;
  }

 private:
  [[noreturn]] void fail(std::string_view place, std::string_view complaint) const {
    throw base::FileError(fmt::format("{}: {}{}{}", origin_, place, place.empty() ? "" : ": ", complaint));
  }
  [[noreturn]] void fail_allowed(const Json& found, std::string_view place, const std::string& allowed) const {
    fail(place, tr("is {}; allowed: {}", written(found), allowed));
  }
  template <class Check>
  void checked(std::string_view place, const Check& check) const {
    try {
      check();
    } catch (const base::UsageError& error) {
      fail(place, error.what());
    }
  }

  static std::string written(const Json& found) {
    if (found.is_object()) return tr("an object");
    if (found.is_array()) return tr("an array");
    std::string text = found.is_string() ? found.get<std::string>() : found.dump();
    if (text.size() > kShown) {
      std::size_t end = kShown;
      while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
      text = text.substr(0, end) + "…";
    }
    std::ranges::replace_if(text, is_control, ' ');
    return fmt::format("'{}'", text);
  }
  static std::string at(std::string_view place, std::string_view key) {
    return place.empty() ? std::string(key) : fmt::format("{}.{}", place, key);
  }

  Json parse(std::string_view content) const {
    const auto wanted = [this](int depth, Json::parse_event_t event, const Json& found) {
      if (depth > kMostDepth) fail("", tr("is not a student's file: its values are nested too deeply"));
      return event != Json::parse_event_t::key || found != kSeals;
    };
    try {
      return Json::parse(content, wanted);
    } catch (const Json::parse_error& error) {
      const auto before = content.substr(0, std::min(error.byte == 0 ? 0 : error.byte - 1, content.size()));
      fail(fmt::format("{}", 1 + std::ranges::count(before, '\n')),
           tr("is not JSON, or was cut off; allowed: a student's file"));
    } catch (const Json::exception&) {
      fail("", tr("has a number that is too large"));
    }
  }

  void check_object(const Json& found, std::string_view place, std::span<const std::string_view> allowed) const {
    if (!found.is_object()) fail_allowed(found, place, tr("an object"));
    for (const auto& [key, value] : found.items()) {
      if (std::ranges::find(allowed, key) == allowed.end()) {
        fail(at(place, written(key)), tr("is unknown; allowed: {}", fmt::join(allowed, ", ")));
      }
    }
  }
  const Json& needed(const Json& object, std::string_view place, std::string_view key) const {
    const auto found = object.find(key);
    if (found == object.end()) fail(at(place, key), tr("is missing"));
    return *found;
  }

  // May be empty.
  std::string text(const Json& object, std::string_view place, std::string_view key) const {
    const Json& found = needed(object, place, key);
    return text_of(found, at(place, key));
  }
  std::string text_of(const Json& found, std::string_view place) const {
    if (!found.is_string()) fail_allowed(found, place, tr("a text of at most {} bytes", kMostText));
    std::string text = found.get<std::string>();
    if (text.size() > kMostText || std::ranges::any_of(text, is_control)) {
      fail_allowed(found, place, tr("a text of at most {} bytes without control characters", kMostText));
    }
    return text;
  }
  std::string word(const Json& object, std::string_view place, std::string_view key) const {
    std::string said = text(object, place, key);
    const auto fits = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    };
    if (said.empty() || !std::ranges::all_of(said, fits))
      fail_allowed(said, at(place, key), tr("letters, digits and -"));
    return said;
  }
  std::int64_t integer(const Json& object, std::string_view place, std::string_view key, std::int64_t least,
                       std::int64_t most) const {
    const Json& found = needed(object, place, key);
    // An unsigned number may be beyond what is signed.
    const bool fits = found.is_number_unsigned() ? found.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                                 : found.is_number_integer() && found.get<std::int64_t>() >= least;
    if (!fits) fail_allowed(found, at(place, key), tr("a whole number from {} to {}", least, most));
    return found.get<std::int64_t>();
  }
  double number(const Json& object, std::string_view place, std::string_view key, double least, double most) const {
    const Json& found = needed(object, place, key);
    const double value = found.is_number() ? found.get<double>() : std::nan("");
    if (!(value >= least && value <= most)) {
      fail_allowed(found, at(place, key), tr("a number from {} to {}", least, most));
    }
    return value;
  }

  std::string time(const Json& object, std::string_view place, std::string_view key) const {
    const std::string said = text(object, place, key);
    if (!is_time(said)) fail_allowed(said, at(place, key), tr("a time such as {}", "2026-03-02T09:30:00Z"));
    return said;
  }
  static bool is_time(std::string_view said) {
    constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
    if (said.size() != kForm.size()) return false;
    for (std::size_t i = 0; i < kForm.size(); ++i) {
      const bool digit = said[i] >= '0' && said[i] <= '9';
      if (kForm[i] == '0' ? !digit : said[i] != kForm[i]) return false;
    }
    const auto part = [&](std::size_t from, std::size_t digits) {
      int value = 0;
      std::from_chars(said.data() + from, said.data() + from + digits, value);
      return value;
    };
    const std::chrono::year_month_day day(std::chrono::year(part(0, 4)),
                                          std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                          std::chrono::day(static_cast<unsigned>(part(8, 2))));
    return day.ok() && part(11, 2) < 24 && part(14, 2) < 60 && part(17, 2) < 60;
  }

  std::optional<Answer> answer(const Json& object, std::string_view place) const {
    const Json& found = needed(object, place, "answer");
    if (found.is_null()) return std::nullopt;
    const std::string here = at(place, "answer");
    check_object(found, here, kAnswerKeys);
    if (found.size() != 1) fail_allowed(found, here, R"({"choice": 0}, {"number": 1.5}, null)");
    if (found.contains("choice")) return static_cast<std::size_t>(integer(found, here, "choice", 0, kMostChoice));
    return number(found, here, "number", -kMostNumber, kMostNumber);
  }

  std::optional<Truth> seen(const Json& object, std::string_view place) const {
    const Json& found = needed(object, place, "seen");
    if (found.is_null()) return std::nullopt;
    const std::string here = at(place, "seen");
    check_object(found, here, kSeenKeys);
    Truth truth;
    truth.value = number(found, here, "value", -kMostNumber, kMostNumber);
    truth.verdict = text(found, here, "verdict");
    truth.choice = static_cast<std::size_t>(integer(found, here, "choice", 0, kMostChoice));
    return truth;
  }

  std::vector<std::string> settings(const Json& object, std::string_view place) const {
    const Json& found = needed(object, place, "settings");
    const std::string here = at(place, "settings");
    if (!found.is_array() || found.size() > kMostSettings) {
      fail_allowed(found, here, tr("an array of at most {} texts", kMostSettings));
    }
    std::vector<std::string> list;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string each = fmt::format("{}[{}]", here, i);
      list.push_back(text_of(found[i], each));
      if (const std::size_t equals = list.back().find('='); equals == 0 || equals == std::string::npos) {
        fail_allowed(found[i], each, "KEY=VALUE");
      }
    }
    return list;
  }

  void read_steps(const Json& root, StudentFile& file) const {
    const Json& steps = needed(root, "", "steps");
    if (!steps.is_array() || steps.size() > kMostSteps) {
      fail_allowed(steps, "steps", tr("an array of at most {} steps", kMostSteps));
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string place = fmt::format("steps[{}]", i);
      check_object(steps[i], place, kStudentStepKeys);
      file.steps.push_back(read_step(steps[i], place));
      if (!names.insert(file.steps.back().step).second) {
        fail(at(place, "step"), tr("'{}' appears twice; allowed: a different name for each", file.steps.back().step));
      }
    }
  }

  StepRecord read_step(const Json& step, const std::string& place) const {
    StepRecord record;
    record.step = word(step, place, "step");
    record.answer = answer(step, place);
    record.begun = time(step, place, "begun");
    record.seconds = number(step, place, "seconds", 0, kMostSeconds);
    record.hints = static_cast<int>(integer(step, place, "hints", 0, kMostHints));
    record.settings = settings(step, place);
    const Json& solved = needed(step, place, "solved");
    if (!solved.is_boolean()) fail_allowed(solved, at(place, "solved"), "true, false");
    record.solved = solved.get<bool>();
    record.seen = seen(step, place);
    record.device = text(step, place, "device");
    return record;
  }

  std::string origin_;
};

}  // namespace

std::string to_json(const StudentFile& file) {
  Json json{{"lanescope", file.version},
            {"format", kFormat},
            {"student", file.student},
            {"lesson", file.lesson},
            {"lesson_digest", file.lesson_digest}};
  json["steps"] = Json::array();
  for (const StepRecord& record : file.steps) json["steps"].push_back(json_of(record));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

StudentFile parse_student_file(std::string_view text, std::string_view origin) {
  return StudentReader(origin).read(text);
}

}  // namespace lanescope::lesson
