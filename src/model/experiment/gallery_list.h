// The experiments as the gallery lists them: under headings, filtered, navigated with the arrow keys.
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
  std::vector<std::string> errors;  ///< of own files that cannot be used; for the first chapter

  std::size_t size() const;
  const experiment::Experiment* at(std::size_t place) const;  ///< null beyond the end
  std::optional<std::size_t> place_of(const experiment::Experiment* experiment) const;
  /// The place next to, above or below `place`, for chapters laid out in rows of `columns` cards: dx and dy are -1, 0
  /// or 1. Left and right continue in the previous and next row; up and down keep the column where possible.
  std::size_t moved(std::size_t place, int dx, int dy, std::size_t columns) const;
};

/// The experiments in lesson order, with a heading wherever a new chapter begins. Keeps an experiment if it contains
/// every word of the filter: in its id, name, title, texts, workload, settings or tutorial, in either language; case
/// does not matter.
GalleryList gallery_list(std::span<const experiment::Experiment> experiments, std::string_view filter,
                         experiment::Language language);

/// The same for all experiments, the user's own in a first chapter. It is there if one of their files has an error,
/// too.
GalleryList gallery_list(std::string_view filter, experiment::Language language);

/// What an experiment's code means: "P09: one of the experiments on the numbers that the tutorials published", and a
/// line for each tutorial.
std::string code_text(const experiment::Experiment& experiment);
/// The tutorials that the experiment's numbers come from: "S2", "S0 · S3".
std::string sources_text(const experiment::Experiment& experiment);
/// A text's first sentence.
std::string first_sentence(const std::string& text);

}  // namespace lanescope::ui
