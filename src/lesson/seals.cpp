#include "lesson/seals.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.h"
#include "base/translate.h"
#include "lesson/digest.h"

namespace lanescope::lesson {
namespace {

using Fields = std::vector<std::string>;
using Head = decltype(Seals::head);
using StepSeals = decltype(Seals::steps)::value_type;

constexpr std::size_t kHead = kHeadParts.size() - 1, kChain = kStepParts.size() - 1;

constexpr std::array<const char*, kHeadParts.size()> kHeadChanges = {
    N_("the name of the student was changed after it was written"),
    N_("the name of the lesson was changed after it was written"),
    N_("the program's version was changed after it was written"),
    N_("the lesson's digest was changed after it was written"),
    N_("student and lesson do not belong together: one was changed after it was written"),
};
constexpr std::array<const char*, kStepParts.size()> kStepChanges = {
    N_("the name of step '{}' was changed after it was written"),
    N_("the answer of step '{}' was changed after it was written"),
    N_("the time of step '{}' was changed after it was written"),
    N_("the number of hints of step '{}' was changed after it was written"),
    N_("the solution of step '{}' was changed after it was written"),
    N_("what was seen in step '{}' was changed after it was written"),
    N_("step '{}' was moved, or steps before it were removed, after it was written"),
};

std::string number(double value) {
  std::string text;
  base::append_number(text, value);
  return text;
}

Fields head_fields(const StudentFile& file, std::size_t part) {
  const Fields values = {file.student, file.lesson, file.version, file.lesson_digest};
  Fields fields = {std::string(kHeadParts[part])};
  if (part == kHead) {
    fields.insert(fields.end(), values.begin(), values.end());
  } else {
    fields.push_back(values[part]);
  }
  return fields;
}

void add_answer(Fields& fields, const std::optional<Answer>& answer) {
  if (!answer) return;
  const auto* choice = std::get_if<std::size_t>(&*answer);
  fields.emplace_back(choice ? "choice" : "number");
  fields.push_back(choice ? std::to_string(*choice) : number(std::get<double>(*answer)));
}

void add_part(Fields& fields, const StepRecord& record, std::string_view part) {
  if (part == "answer") add_answer(fields, record.answer);
  if (part == "time") fields.insert(fields.end(), {record.begun, number(record.seconds)});
  if (part == "hints") fields.push_back(std::to_string(record.hints));
  if (part == "task") {
    fields.emplace_back(record.solved ? "solved" : "open");
    fields.insert(fields.end(), record.settings.begin(), record.settings.end());
  }
  if (part == "seen") {
    fields.push_back(record.device);
    if (!record.seen) return;
    fields.insert(fields.end(),
                  {number(record.seen->value), record.seen->verdict, std::to_string(record.seen->choice)});
  }
}

std::string part_seal(const std::string& head, const StepRecord& record, std::size_t part) {
  Fields fields = {std::string(kStepParts[part]), head, record.step};
  add_part(fields, record, kStepParts[part]);
  return seal_of(fields);
}

std::string chain_seal(const std::string& before, const StepSeals& seals) {
  Fields fields = {"chain", before};
  fields.insert(fields.end(), seals.begin(), seals.begin() + kChain);
  return seal_of(fields);
}

const std::string& last_of(const Seals& seals) {
  return seals.steps.empty() ? seals.head[kHead] : seals.steps.back()[kChain];
}

std::string end_seal(const Seals& seals) {
  return seal_of(Fields{"end", std::to_string(seals.steps.size()), last_of(seals)});
}

std::vector<std::string> head_changes(const Head& read, const StudentFile& file) {
  std::vector<std::string> changes;
  for (std::size_t part = 0; part < kHeadParts.size(); ++part) {
    if (part == kHead && !changes.empty()) break;  // it holds the others
    if (seal_of(head_fields(file, part)) != read[part]) changes.emplace_back(base::tr(kHeadChanges[part]));
  }
  return changes;
}

std::vector<std::string> step_changes(const std::string& head, const std::string& before, const StepSeals& read,
                                      const StepRecord& record) {
  std::vector<std::string> changes;
  for (std::size_t part = 0; part < kStepParts.size(); ++part) {
    if (part == kChain && !changes.empty()) break;
    const std::string now = part == kChain ? chain_seal(before, read) : part_seal(head, record, part);
    if (now == read[part]) continue;
    changes.push_back(base::format_translated(kStepChanges[part], fmt::make_format_args(record.step)));
    if (part == 0) break;  // the other seals are of a step of another name
  }
  return changes;
}

}  // namespace

Seals seals_of(const StudentFile& file) {
  Seals seals;
  for (std::size_t part = 0; part < kHeadParts.size(); ++part) seals.head[part] = seal_of(head_fields(file, part));
  for (const StepRecord& record : file.steps) {
    StepSeals step;
    for (std::size_t part = 0; part < kChain; ++part) step[part] = part_seal(seals.head[kHead], record, part);
    step[kChain] = chain_seal(last_of(seals), step);
    seals.steps.push_back(std::move(step));
  }
  seals.end = end_seal(seals);
  return seals;
}

std::vector<std::string> changes_since(const Seals& read, const StudentFile& file) {
  std::vector<std::string> changes = head_changes(read.head, file);
  const std::string& head = read.head[kHead];
  for (std::size_t i = 0; i < file.steps.size(); ++i) {
    const std::string& before = i == 0 ? head : read.steps[i - 1][kChain];
    const std::vector<std::string> more = step_changes(head, before, read.steps[i], file.steps[i]);
    changes.insert(changes.end(), more.begin(), more.end());
  }
  if (end_seal(read) != read.end) {
    changes.emplace_back(base::tr("steps at the end were removed or added after the file was written"));
  }
  return changes;
}

}  // namespace lanescope::lesson
