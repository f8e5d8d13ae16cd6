#include "app/animation_arguments.h"

#include "app/argument_checks.h"
#include "base/translate.h"

namespace lanescope::app {
namespace {

using base::tr;

constexpr float kLeastScale = 0.5f, kMostScale = 4, kScale = 1.5f;

}  // namespace

void AnimationArguments::add_to(CLI::App& app) {
  app.add_option("--animation", file_,
                 tr("write the change between two runs as a short animation (.gif, at most 5 MB)"))
      ->type_name("FILE");
  app.add_option("--animation-scale", scale_,
                 tr("its size, {} to {}; default {}, about 1280 x 640 pixels", kLeastScale, kMostScale, kScale))
      ->type_name("N");
  app.add_option("--animation-theme", theme_, tr("dark, light or high-contrast; default dark"))->type_name("THEME");
}

AnimationOptions AnimationArguments::options(const CLI::App& app) const {
  AnimationOptions options;
  if (app.count("--animation") == 0) {
    refuse_options(app, {"--animation-scale", "--animation-theme"}, N_("{} needs --animation"));
    return options;
  }
  options.file = file_;
  options.theme = theme_;
  options.scale = scale_.empty() ? kScale : decimal_number("--animation-scale", scale_, kLeastScale, kMostScale);
  check_animation(options);
  return options;
}

}  // namespace lanescope::app
