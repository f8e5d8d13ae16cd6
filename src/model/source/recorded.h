// Real runs, recorded on a GPU and included in the program (assets/captures), for users without a GPU.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::captures {
struct File;
}

namespace lanescope::ui {

/// The prefix of a capture's name where a path is expected: `--open recorded:NAME`.
inline constexpr std::string_view kRecordedPrefix = "recorded:";

struct RecordedCapture {
  std::string name;        ///< the file's, without folder and extension: "h200--linear-mse--log-1"
  std::string title;       ///< "NVIDIA H200, linear-mse, log interval 1"
  std::string summary;     ///< one sentence, or empty
  std::string_view bytes;  ///< a trace as JSON, compressed or not
};

/// The captures in this program, sorted by name; read once, and only their index.
const std::vector<RecordedCapture>& recorded_captures();
/// The captures among embedded files: *.json.gz, with titles from captures.toml. A capture that is missing from the
/// index gets a title made from its name.
std::vector<RecordedCapture> captures_among(std::span<const captures::File> files);
/// Throws base::UsageError, which lists the allowed names, if there is no such capture.
const RecordedCapture& capture_named(std::span<const RecordedCapture> captures, std::string_view name);
/// The capture's name, if that is what shall be opened: "NAME" of "recorded:NAME".
std::optional<std::string> recorded_name(const std::vector<std::filesystem::path>& files);

}  // namespace lanescope::ui
