#include "model/source/attached_source.h"

#include <algorithm>

#include "attach/program_state.h"
#include "base/translate.h"

namespace lanescope::ui {

using base::tr;

std::string AttachedSource::title() const { return attach::joined_words(attachment_->options().command.words); }

io::RunFacts AttachedSource::facts() const {
  io::RunFacts facts;
  facts.device_name = device().name;
  const attach::AttachState state = attachment_->state();
  if (const attach::ProcessState* process = state.first_with_gpu()) {
    facts.program = process->program;
    facts.iterations = process->iterations;
  }
  facts.version.clear();
  return facts;
}

device::DeviceInfo AttachedSource::device() const {
  device::DeviceInfo info;
  for (const attach::ProcessState& process : attachment_->state().processes) {
    if (info.name.empty()) info.name = process.gpu;
  }
  if (info.name.empty()) info.name = tr("the program's GPU");
  return info;
}

SourceWords AttachedSource::words() const {
  return {tr("your program"), tr("YOUR PROGRAM"),
          tr("Its settings are in its own code: change it there and run it again.")};
}

Recipe AttachedSource::recipe() const {
  attach::AttachOptions options = attachment_->options();
  options.intensity = attachment_->intensity();
  return attach_recipe(options);
}

Recipe attach_recipe(const attach::AttachOptions& options) {
  Recipe recipe;
  recipe.make = [options] { return std::make_unique<AttachedSource>(std::make_shared<attach::Attachment>(options)); };
  recipe.check = [options] {
    if (options.pid != 0) {
      const attach::RunningProcess there(static_cast<pid_t>(options.pid));
    } else {
      attach::check_startable(options.command);
    }
  };
  return recipe;
}

}  // namespace lanescope::ui
