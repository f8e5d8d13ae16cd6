#include "app/picture_arguments.h"

#include "app/argument_checks.h"
#include "base/translate.h"

namespace lanescope::app {
namespace {

using base::tr;

constexpr float kPictureLeastScale = 0.5f, kPictureMostScale = 8;

}  // namespace

void PictureArguments::add_to(CLI::App& app, const char* what, PictureOptions::Of of) {
  of_ = of;
  app.add_option("--screenshot", file_, what)->type_name("FILE");
  app.add_option(
         "--screenshot-scale", scale_,
         tr("how many times larger than on the screen, {} to {}; default 2", kPictureLeastScale, kPictureMostScale))
      ->type_name("N");
  app.add_option("--screenshot-theme", theme_, tr("dark, light or high-contrast; default dark"))->type_name("THEME");
  if (of == PictureOptions::Of::Timeline) {
    app.add_flag("--no-caption", no_caption_, tr("draw the lanes only; a simulated run is still marked as such"))
        ->disable_flag_override();
  }
}

PictureOptions PictureArguments::options(const CLI::App& app) const {
  PictureOptions options;
  if (app.count("--screenshot") == 0) {
    constexpr Refusal kWhy = N_("{} needs --screenshot");
    refuse_options(app, {"--screenshot-scale", "--screenshot-theme"}, kWhy);
    if (of_ == PictureOptions::Of::Timeline) refuse_options(app, {"--no-caption"}, kWhy);
    return options;
  }
  options.file = file_;
  options.of = of_;
  options.theme = theme_;
  options.caption = !no_caption_;
  if (!scale_.empty())
    options.scale = decimal_number("--screenshot-scale", scale_, kPictureLeastScale, kPictureMostScale);
  check_picture(options);
  return options;
}

}  // namespace lanescope::app
