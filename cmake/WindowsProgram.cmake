# What Windows reads from the program's file: its version, an icon, and its manifest (sharp on every screen, UTF-8).
if(NOT WIN32)
  return()
endif()
enable_language(RC)
# The icon is drawn from the one of other systems, where the tools for it are.
set(LANESCOPE_ICON "")
set(drawing "${PROJECT_SOURCE_DIR}/packaging/lanescope.svg")
find_program(lanescope_rsvg rsvg-convert)
if(EXISTS "${drawing}" AND lanescope_rsvg)
  set(icon "${PROJECT_BINARY_DIR}/lanescope.ico")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/packaging/windows/make_icon.py"
                          "${lanescope_rsvg}" "${drawing}" "${icon}" COMMAND_ERROR_IS_FATAL ANY)
  set(LANESCOPE_ICON "1 ICON \"${icon}\"")
endif()
configure_file("${PROJECT_SOURCE_DIR}/packaging/windows/lanescope.manifest" "${PROJECT_BINARY_DIR}/lanescope.manifest" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/packaging/windows/lanescope.rc" "${PROJECT_BINARY_DIR}/lanescope.rc" @ONLY)
target_sources(lanescope PRIVATE "${PROJECT_BINARY_DIR}/lanescope.rc")
# Nothing but the system's own libraries beside it.
target_link_options(lanescope PRIVATE -static)
