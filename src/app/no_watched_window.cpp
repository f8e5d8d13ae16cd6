#include "app/watched_window.h"

namespace lanescope::app {

// It refuses.
void show_attached(WindowRequest window, std::shared_ptr<attach::Attachment>) { show_window(window); }
void show_followed(WindowRequest window, const attach::Recording&) { show_window(window); }
void show_remote(WindowRequest window, std::shared_ptr<attach::RemoteProgram>) { show_window(window); }

}  // namespace lanescope::app
