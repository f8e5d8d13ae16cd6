#include "ui/find/search.h"

namespace lanescope::ui {

void add_found(const MarkSurface&, const SearchState&) {}

}  // namespace lanescope::ui
