#include "app/watched_window.h"

#include <utility>

#include "model/source/attached_source.h"
#include "model/source/followed_source.h"

namespace lanescope::app {
namespace {

void show(WindowRequest window, ui::Followed what) {
  window.source = [what = std::move(what)](std::size_t memory_bytes) {
    ui::Followed followed = what;
    followed.memory_bytes = memory_bytes;
    return std::make_unique<ui::FollowedSource>(std::move(followed));
  };
  show_window(window);
}

}  // namespace

void show_attached(WindowRequest window, std::shared_ptr<attach::Attachment> attachment) {
  window.source = [attachment = std::move(attachment)](std::size_t) {
    return std::make_unique<ui::AttachedSource>(attachment);
  };
  show_window(window);
}

void show_followed(WindowRequest window, const attach::Recording& recording) {
  show(std::move(window), ui::followed(recording));
}

void show_remote(WindowRequest window, std::shared_ptr<attach::RemoteProgram> remote) {
  show(std::move(window), ui::followed(std::move(remote)));
}

}  // namespace lanescope::app
