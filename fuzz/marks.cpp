// Rulers, bookmarks and notes beside a trace (JSON), and what is typed to go to a time.
#include "foreign.h"
#include "inspect/destination.h"
#include "model/timeline/marks_json.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  static_cast<void>(ui::parse_destination(text));
  fuzz::accepted([&] {
    const ui::Marks marks = ui::marks_from_json(text);
    const std::string written = ui::marks_to_json(marks);
    const ui::Marks again = ui::marks_from_json(written);
    fuzz::expect(again.rulers.size() == marks.rulers.size() && again.bookmarks.size() == marks.bookmarks.size(),
                 "marks that are lost when written", written);
    for (const ui::Measure& ruler : marks.rulers) {
      fuzz::expect(ruler.from <= ruler.to, "a ruler that ends before it starts", written);
      static_cast<void>(ui::measure_text(ruler.to - ruler.from));
    }
  });
  return 0;
}
