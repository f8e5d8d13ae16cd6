// A job of many ranks, opened as a map of its ranks and iterations instead of as lanes. Only summaries are read, beside
// the recordings or in their folder; where one is missing, it is made in memory, recording by recording. So a folder
// opens at once, however many recordings it has, and a recording is read when somebody asks for it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/job_join.h"
#include "base/background_job.h"
#include "timeline/theme.h"

namespace lanescope::ui {

/// More recordings than this open as a map.
inline constexpr std::size_t kMostAsLanes = 16;

/// A folder with so many recordings, or with summaries only; a summary, whose folder is meant; or so many files.
bool opens_as_job(const std::vector<std::filesystem::path>& files);

/// What is known of the job so far; it does not change.
struct JobLook {
  analysis::JobReport report;
  analysis::JobMap map;
  std::vector<std::filesystem::path> recordings;  ///< of the report's ranks; empty: not at hand
};

class JobFolder {
 public:
  JobFolder() = default;
  ~JobFolder() { close(); }
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;

  /// Of files for which opens_as_job() is true.
  void open(std::vector<std::filesystem::path> files);
  void close();
  bool on() const { return work_ != nullptr; }
  const std::string& title() const { return title_; }
  /// Once per frame; true: look() is another one.
  bool update();
  const std::shared_ptr<const JobLook>& look() const { return look_; }  ///< null: nothing is known yet
  std::uint64_t version() const { return version_; }                    ///< changes with look()
  /// Files are still read or joined.
  bool reading() const { return job_.busy(); }
  std::size_t done() const;
  std::size_t total() const;  ///< files to read; 0: they are still looked for
  /// Of files that could not be read, the first few; and why nothing can be shown, if so.
  const std::vector<std::string>& problems() const { return problems_; }
  std::size_t problem_count() const { return problem_count_; }
  /// The rank's recording, and no other file.
  bool has(const std::vector<std::filesystem::path>& files) const;
  const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  struct Work;
  static void read(const std::vector<std::filesystem::path>& files, Work& work);

  std::shared_ptr<Work> work_;
  base::BackgroundJob<bool> job_;
  std::vector<std::filesystem::path> files_;
  std::string title_;
  std::shared_ptr<const JobLook> look_;
  std::uint64_t version_ = 0;
  std::vector<std::string> problems_;
  std::size_t problem_count_ = 0;
};

// --- what is drawn ---------------------------------------------------------------------------------------------------

enum class MapMeasure : std::uint8_t { Lateness, Idle };

/// Nanoseconds of lateness, or the share of the iteration in which the GPU is idle; NaN: not known.
float map_value(const analysis::MapCell& cell, MapMeasure measure);
/// From the value below which nobody stands out to that of the highest of the kRampSteps steps; 1, 2 or 5 times a power
/// of ten. Idle time has even steps from 0, lateness steps of equal ratio: who is late by little all the time is seen
/// beside one who is late by much. Both are made of what nine tenths of a rank's values are below, so that a single
/// iteration does not hide all others: `to` of the highest such value, `from` of the rank in the middle.
struct MapScale {
  float from = 0, to = 0;

  std::uint8_t step_of(float value) const;  ///< 0 to kRampSteps - 1
  bool operator==(const MapScale&) const = default;
};
MapScale map_scale(const analysis::JobMap& map, MapMeasure measure);

/// The map in so many lines and columns: of the cells that share one, the highest.
struct MapGrid {
  static constexpr std::uint8_t kUnknown = 0xff;
  std::size_t lines = 0, columns = 0;
  std::vector<std::uint8_t> steps;  ///< 0 to kRampSteps - 1, or kUnknown; line by line
  std::vector<std::uint32_t> rows;  ///< as steps: the place in JobMap::rows of the one that is shown
};
/// Of the rows [first, first + count) of the map.
MapGrid map_grid(const analysis::JobMap& map, MapMeasure measure, const MapScale& scale, std::size_t first,
                 std::size_t count, std::size_t most_lines, std::size_t most_columns);

}  // namespace lanescope::ui
