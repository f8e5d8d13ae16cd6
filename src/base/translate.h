// Every text that a person sees goes through tr(), so that it can be translated (gettext, domain "lanescope").
#pragma once

namespace lanescope::base {

/// The translation of a text in the person's language, or the text itself.
const char* tr(const char* text);

/// Chooses the language from the environment (LANGUAGE, LC_ALL, LC_MESSAGES, LANG). Numbers keep the C locale.
void set_up_translation();

}  // namespace lanescope::base
