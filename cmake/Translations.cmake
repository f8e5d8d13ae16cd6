# Compiles the translation catalogue, po/zh_CN.po, to binary form and embeds it in the program: no locale needs to be
# installed. `scripts/translations.sh` updates it from the sources.
find_program(LANESCOPE_MSGFMT msgfmt REQUIRED)
set(folder "${PROJECT_BINARY_DIR}/translations")
add_custom_command(
  OUTPUT "${folder}/zh_CN.mo"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}"
  COMMAND "${LANESCOPE_MSGFMT}" --no-hash --output-file "${folder}/zh_CN.mo" "${PROJECT_SOURCE_DIR}/po/zh_CN.po"
  DEPENDS "${PROJECT_SOURCE_DIR}/po/zh_CN.po"
  VERBATIM)
lanescope_embed(lanescope_translations NAMESPACE lanescope::translations ROOT "${folder}" GENERATED "${folder}/zh_CN.mo")
