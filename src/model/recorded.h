// Real runs that were recorded on a GPU and travel inside the program (assets/captures), for those who have none.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::captures {
struct File;
}

namespace lanescope::ui {

/// Before a capture's name where a path may stand: `--open recorded:NAME`.
inline constexpr std::string_view kRecordedPrefix = "recorded:";

struct RecordedCapture {
  std::string name;        ///< the file's, without folder and ending: "h200--linear-mse--log-1"
  std::string title;       ///< "NVIDIA H200, linear-mse, log interval 1"
  std::string summary;     ///< one sentence, or empty
  std::string_view bytes;  ///< a trace as JSON, compressed or not
};

/// Those of this program, by name; read once, and only their index.
const std::vector<RecordedCapture>& recorded_captures();
/// The captures among embedded files: *.json.gz, with titles from captures.toml. One that the index
/// does not know has a title made from its name.
std::vector<RecordedCapture> captures_among(std::span<const captures::File> files);
/// Throws base::UsageError that lists the names.
const RecordedCapture& capture_named(std::span<const RecordedCapture> captures, std::string_view name);

}  // namespace lanescope::ui
