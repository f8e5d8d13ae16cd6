# The catalogue of translations, po/zh_CN.po, made binary and compiled into the program: no installed locale is needed.
# `scripts/translations.sh` brings it up to date with the sources.
find_program(LANESCOPE_MSGFMT msgfmt REQUIRED)
find_program(LANESCOPE_MSGCAT msgcat REQUIRED)
set(folder "${PROJECT_BINARY_DIR}/translations")
# Fragments are translations that have not been merged into the catalogue yet.
file(GLOB catalogues CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/po/fragments/*.po" "${PROJECT_SOURCE_DIR}/po/zh_CN.po")
add_custom_command(
  OUTPUT "${folder}/zh_CN.mo"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}"
  COMMAND "${LANESCOPE_MSGCAT}" --use-first --output-file "${folder}/zh_CN.po" ${catalogues}
  COMMAND "${LANESCOPE_MSGFMT}" --no-hash --output-file "${folder}/zh_CN.mo" "${folder}/zh_CN.po"
  DEPENDS ${catalogues}
  VERBATIM)
lanescope_embed(lanescope_translations NAMESPACE lanescope::translations ROOT "${folder}" GENERATED "${folder}/zh_CN.mo")
