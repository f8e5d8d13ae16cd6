# lanescope_embed(<target> NAMESPACE <ns> ROOT <dir> FILES <globs>...): compiles files into the program. The generated
# header "<target>.h" declares  std::span<const File> files()  and  const File* find(std::string_view path);  a path is
# relative to ROOT ("profiles/rtx4090.toml"). GENERATED <files> instead of FILES: files that the build makes, with absolute paths.
function(lanescope_embed target)
  cmake_parse_arguments(ARG "" "NAMESPACE;ROOT" "FILES;GENERATED" ${ARGN})
  if(ARG_GENERATED)
    set(files ${ARG_GENERATED})
  else()
    list(TRANSFORM ARG_FILES PREPEND "${PROJECT_SOURCE_DIR}/")
    file(GLOB files CONFIGURE_DEPENDS ${ARG_FILES})
  endif()
  cmake_path(ABSOLUTE_PATH ARG_ROOT BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set(dir "${PROJECT_BINARY_DIR}/embedded")
  set(source "${dir}/${target}.cpp")
  file(WRITE "${dir}/${target}.h.in" "#pragma once\n#include <span>\n#include <string_view>\n"
       "namespace ${ARG_NAMESPACE} {\nstruct File {\n  std::string_view path;\n  std::string_view text;\n};\n"
       "std::span<const File> files();\nconst File* find(std::string_view path);\n}  // namespace ${ARG_NAMESPACE}\n")
  configure_file("${dir}/${target}.h.in" "${dir}/${target}.h" COPYONLY)
  add_custom_command(
    OUTPUT "${source}"
    COMMAND ${CMAKE_COMMAND} "-DOUT=${source}" "-DTARGET=${target}" "-DNAMESPACE=${ARG_NAMESPACE}"
            "-DROOT=${ARG_ROOT}" "-DFILES=${files}" -P "${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake"
    VERBATIM)
  add_library(${target} STATIC "${source}")
  target_include_directories(${target} PUBLIC "${dir}")
endfunction()
