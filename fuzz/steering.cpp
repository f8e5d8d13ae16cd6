// What a viewer and a recorder tell each other over a socket. The first byte says which of them reads.
#include "attach/steering_messages.h"
#include "foreign.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    attach::SteeringChange change;
    if (attach::read_request(bytes, change) != attach::SteeringResult::Done) return 0;
    if (change.share) fuzz::expect(*change.share > 0 && *change.share <= 1, "a share that is not allowed");
    if (change.record) {
      fuzz::expect(*change.record >= 0 && *change.record <= attach::kLongestRecord, "a recording that is not allowed");
    }
    attach::SteeringChange again;
    fuzz::expect(
        attach::read_request(attach::write_request(change), again) == attach::SteeringResult::Done && again == change,
        "a request that changes when written");
    return 0;
  }
  if (const auto whole = attach::answer_bytes(bytes)) {
    fuzz::expect(*whole <= attach::kMostAnswerBytes, "an answer that is too long");
  }
  const auto answer = attach::read_answer(bytes);
  if (!answer) return 0;
  static_cast<void>(attach::text_of(answer->state.intensity));
  for (const attach::Remark& remark : answer->state.program.remarks) fuzz::check_text(remark.sentence);
  for (const attach::ProcessState& process : answer->state.program.processes) {
    for (const std::string& text : {process.name, process.program, process.library, process.gpu, process.iterations}) {
      fuzz::check_text(text);
    }
  }
  const std::string written = attach::write_answer(answer->result, answer->state);
  fuzz::expect(written.size() <= attach::kMostAnswerBytes, "an answer that is written too long");
  fuzz::expect(attach::read_answer(written).has_value(), "an answer that cannot be read again");
  return 0;
}
