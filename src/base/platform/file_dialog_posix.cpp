#include "base/platform/file_dialog.h"

namespace lanescope::base {

bool has_file_dialog() { return false; }

FileAnswer ask_with_file_dialog(const FileQuestion&, const std::function<bool()>&) { return {{}, true}; }

}  // namespace lanescope::base
