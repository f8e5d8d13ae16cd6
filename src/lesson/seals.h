// The seals in a student's file: which part was changed after it was written.
//
// Each part has its own, which holds for this student, lesson and step. Each step's `chain` holds its other seals and
// the step before it; `end` holds the last one and how many there are. So a step cannot be moved, left out or copied
// from elsewhere.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/student_file.h"

namespace lanescope::lesson {

inline constexpr auto kHeadParts =
    std::to_array<std::string_view>({"student", "lesson", "version", "lesson_digest", "head"});
inline constexpr auto kStepParts =
    std::to_array<std::string_view>({"step", "answer", "time", "hints", "task", "seen", "chain"});

struct Seals {
  std::array<std::string, kHeadParts.size()> head;  ///< the last one: of all
  std::vector<std::array<std::string, kStepParts.size()>> steps;
  std::string end;
};

Seals seals_of(const StudentFile& file);
/// A sentence for each part that is not as it was when `read` was written. `read` has as many steps as the file.
std::vector<std::string> changes_since(const Seals& read, const StudentFile& file);

}  // namespace lanescope::lesson
