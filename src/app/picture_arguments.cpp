#include "app/picture_arguments.h"

#include "app/argument_checks.h"
#include "base/translate.h"

namespace lanescope::app {

using base::tr;

void PictureArguments::add_to(CLI::App& app, const char* what, PictureOptions::Of of) {
  of_ = of;
  app.add_option("--screenshot", file_, what)->type_name("FILE");
  app.add_option("--theme", theme_, tr("of the picture: dark, light or high-contrast; default dark"))
      ->type_name("THEME");
}

PictureOptions PictureArguments::options(const CLI::App& app) const {
  PictureOptions options;
  if (app.count("--screenshot") == 0) {
    refuse_options(app, {"--theme"}, N_("{} needs --screenshot"));
    return options;
  }
  options.file = file_;
  options.of = of_;
  options.theme = theme_;
  check_picture(options);
  return options;
}

}  // namespace lanescope::app
