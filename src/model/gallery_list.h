// The experiments as the gallery lists them: under headings, filtered, walked through with the arrow keys.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"

namespace lanescope::ui {

struct GalleryChapter {
  std::string title;
  std::vector<const experiment::Experiment*> experiments;
};

struct GalleryList {
  std::vector<GalleryChapter> chapters;

  std::size_t size() const;
  const experiment::Experiment* at(std::size_t place) const;  ///< null beyond the end
  std::optional<std::size_t> place_of(const experiment::Experiment* experiment) const;
  /// The place beside, above or below another one when chapters are laid out in rows of `columns` cards: dx and dy are
  /// -1, 0 or 1. Left and right go on in the row before and after; above and below keep the column as far as they can.
  std::size_t moved(std::size_t place, int dx, int dy, std::size_t columns) const;
};

/// In the order of a lesson, under a heading wherever another chapter begins. An experiment stays when it has every
/// word of the filter somewhere: id, name, title, texts, workload, settings, tutorial, in either language; capitals do
/// not matter.
GalleryList gallery_list(std::span<const experiment::Experiment> experiments, std::string_view filter,
                         experiment::Language language);

/// The tutorials that its numbers are from: "S2", "S0 · S3".
std::string sources_text(const experiment::Experiment& experiment);
/// A text's first sentence.
std::string first_sentence(const std::string& text);

}  // namespace lanescope::ui
