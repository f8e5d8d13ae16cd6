// Digests and seals against those of other programs, so that files written today can be read tomorrow.
#include "lesson/digest.h"

#include <gmock/gmock.h>

#include <vector>

#include "lesson/student_file.h"

namespace lanescope::lesson {
namespace {

using Fields = std::vector<std::string>;

// FIPS 180-2, appendix B.1; and `printf '' | sha256sum`.
TEST(Digest, IsSha256) {
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

// Python: hmac.new(b"Lanescope: answers of a student, format 1", b"1:a2:bc", "sha256").hexdigest()[:32]
TEST(Digest, ASealIsAnHmacOfTheFieldsAndTheirLengths) {
  EXPECT_EQ(seal_of(Fields{"a", "bc"}), "73e7e815c1ecc2a5b63c1b6cb23ec34e");
  EXPECT_EQ(seal_of(Fields{"ab", "c"}), "91913b45011041d15d2fc081a1d8af50");
  EXPECT_EQ(seal_of({}), "1e5f1b0997a4b3c9b57ac3c253604b41");
  EXPECT_EQ(joined_fields(Fields{"a", "bc"}), "1:a2:bc");
}

// Every seal worked out in Python in the same way: `head` is of "head", student, lesson, version and digest; a step's
// seals are of the part's name, `head`, the step and its values; its `chain` of "chain", the chain before it (`head`)
// and its other seals; `end` of "end", the number of steps and the last chain.
TEST(Digest, AFileOfFormat1StaysAsItIs) {
  const std::string text = R"({
  "lanescope": "0.1.0",
  "format": 1,
  "student": "Ann",
  "lesson": "one-line",
  "lesson_digest": "0000000000000000000000000000000000000000000000000000000000000000",
  "seals": {
    "student": "0cab051ba42f7e20e498cb47711b3530",
    "lesson": "d022f67d6c1a874390a0ed590255f1ee",
    "version": "ed83136c62948fc2fd0e3689fbc75bd9",
    "lesson_digest": "92a05ee2ad5260f26dec140af56f4ecb",
    "head": "df56b689854afe315a4d480c5cdc5aa5",
    "end": "b18dcd88124f02867f506489de437ce9"
  },
  "steps": [
    {
      "step": "guess",
      "answer": {
        "number": 1.5
      },
      "begun": "2026-03-02T09:30:00Z",
      "seconds": 42.5,
      "hints": 1,
      "settings": [],
      "solved": false,
      "seen": {
        "value": 1.442,
        "verdict": "",
        "choice": 0
      },
      "device": "sim:rtx4090",
      "seals": {
        "step": "a3029fe514183d6fd16e838d6f8e02ce",
        "answer": "a674cfd57b1c5a38af7547a1b801f017",
        "time": "7736868f7fa5fb6234d8092acd5fe062",
        "hints": "9cb897ff28b79d838626638f8438593e",
        "task": "da59d143fad3f2d158d99f68e55cc96b",
        "seen": "64175489ffbe57aeb7ea45a2a0045cbb",
        "chain": "dffe006787fe06d91d214f4093106bdd"
      }
    }
  ]
}
)";
  const StudentFile file = parse_student_file(text, "ann.json");
  EXPECT_THAT(file.changed, testing::IsEmpty());
  EXPECT_EQ(file.steps.at(0).answer, Answer(1.5));
  EXPECT_EQ(to_json(file), text);
}

}  // namespace
}  // namespace lanescope::lesson
