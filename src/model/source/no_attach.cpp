#include "base/error.h"
#include "model/source/attach_recipe.h"

namespace lanescope::ui {

Recipe attach_recipe(const attach::AttachOptions&) { throw base::UsageError(attach::why_not()); }

}  // namespace lanescope::ui
