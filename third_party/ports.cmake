# For the browser, for which the distribution has no ready-made libraries: the same libraries as static targets, compiled
# here from the distribution's source packages, which scripts/port-sources.sh unpacks into LANESCOPE_PORTS. Those that
# consist of headers are the packages' own.
enable_language(C)
find_package(Threads REQUIRED)

# port_library(<target> <folder> <globs>...): its files, relative to the folder.
function(port_library target folder)
  list(TRANSFORM ARGN PREPEND "${LANESCOPE_PORTS}/${folder}/")
  file(GLOB sources ${ARGN})
  if(NOT sources)
    message(FATAL_ERROR "LANESCOPE_PORTS: ${LANESCOPE_PORTS}/${folder} has no sources; scripts/port-sources.sh gets them")
  endif()
  add_library(${target} STATIC ${sources})
  target_compile_options(${target} PRIVATE -w)
endfunction()

# Headers of a package, without the rest of /usr/include, which is for another target.
function(port_headers name)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/headers")
  if(NOT EXISTS "/usr/include/${name}")
    message(FATAL_ERROR "/usr/include/${name} is missing; scripts/install-deps.sh build installs it")
  endif()
  file(CREATE_LINK "/usr/include/${name}" "${PROJECT_BINARY_DIR}/headers/${name}" SYMBOLIC)
endfunction()
function(port_interface target)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE "${PROJECT_BINARY_DIR}/headers")
endfunction()

foreach(name nlohmann CLI toml++ spdlog utf8cpp eigen3)
  port_headers(${name})
endforeach()
port_interface(nlohmann_json::nlohmann_json)
port_interface(CLI11::CLI11)
port_interface(spdlog::spdlog)
target_compile_definitions(spdlog::spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
port_interface(third_party::toml)
target_compile_definitions(third_party::toml INTERFACE TOML_HEADER_ONLY=1)
add_library(third_party::utf8 INTERFACE IMPORTED GLOBAL)
target_include_directories(third_party::utf8 SYSTEM INTERFACE "${PROJECT_BINARY_DIR}/headers/utf8cpp")
add_library(Eigen3::Eigen INTERFACE IMPORTED GLOBAL)
target_include_directories(Eigen3::Eigen SYSTEM INTERFACE "${PROJECT_BINARY_DIR}/headers/eigen3")

port_library(port_fmt fmtlib src/format.cc src/os.cc)
target_include_directories(port_fmt SYSTEM PUBLIC "${LANESCOPE_PORTS}/fmtlib/include")
add_library(third_party::fmt ALIAS port_fmt)
target_link_libraries(spdlog::spdlog INTERFACE port_fmt)

port_library(port_zlib zlib *.c)
target_include_directories(port_zlib SYSTEM PUBLIC "${LANESCOPE_PORTS}/zlib")
target_compile_definitions(port_zlib PRIVATE Z_HAVE_UNISTD_H)
add_library(ZLIB::ZLIB ALIAS port_zlib)

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/png/readme.txt" CONTENT "libpng's default configuration\n")
configure_file("${LANESCOPE_PORTS}/libpng1.6/scripts/pnglibconf.h.prebuilt" "${PROJECT_BINARY_DIR}/png/pnglibconf.h" COPYONLY)
port_library(port_png libpng1.6 png*.c)
list(APPEND no_png_program "${LANESCOPE_PORTS}/libpng1.6/pngtest.c")
set_source_files_properties(${no_png_program} PROPERTIES HEADER_FILE_ONLY ON)
target_include_directories(port_png SYSTEM PUBLIC "${LANESCOPE_PORTS}/libpng1.6" "${PROJECT_BINARY_DIR}/png")
target_compile_definitions(port_png PRIVATE PNG_INTEL_SSE_OPT=0 PNG_ARM_NEON_OPT=0)
target_link_libraries(port_png PUBLIC port_zlib)
add_library(PNG::PNG ALIAS port_png)


port_library(port_zstd libzstd lib/common/*.c lib/compress/*.c lib/decompress/*.c)
target_include_directories(port_zstd SYSTEM PUBLIC "${LANESCOPE_PORTS}/libzstd/lib")
target_compile_definitions(port_zstd PRIVATE ZSTD_DISABLE_ASM=1)
add_library(third_party::zstd ALIAS port_zstd)

# SQLite is one large file, which its own scripts put together.
set(sqlite "${PROJECT_BINARY_DIR}/sqlite")
if(NOT EXISTS "${sqlite}/sqlite3.c")
  file(MAKE_DIRECTORY "${sqlite}")
  foreach(command "${LANESCOPE_PORTS}/sqlite3/configure" "make;sqlite3.c")
    # For this machine: only scripts run.
    execute_process(COMMAND env -u CC -u CXX -u CFLAGS -u AR ${command} WORKING_DIRECTORY "${sqlite}"
                    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()
add_library(port_sqlite STATIC "${sqlite}/sqlite3.c")
target_compile_options(port_sqlite PRIVATE -w)
target_include_directories(port_sqlite SYSTEM PUBLIC "${sqlite}")
target_compile_definitions(port_sqlite PRIVATE SQLITE_OMIT_LOAD_EXTENSION SQLITE_DQS=0 SQLITE_OMIT_DEPRECATED)
add_library(third_party::sqlite ALIAS port_sqlite)

if(NOT LANESCOPE_UI)
  return()
endif()
foreach(part ZLIB BZIP2 PNG HARFBUZZ BROTLI)
  set(FT_DISABLE_${part} ON CACHE BOOL "" FORCE)
endforeach()
set(CMAKE_POLICY_VERSION_MINIMUM 3.5)
set(SKIP_INSTALL_ALL ON)
add_subdirectory("${LANESCOPE_PORTS}/freetype" "${PROJECT_BINARY_DIR}/freetype" EXCLUDE_FROM_ALL)
target_compile_options(freetype PRIVATE -w)
# With the zlib above instead of its own copy, whose functions have the same names.
target_compile_definitions(freetype PRIVATE FT_CONFIG_OPTION_SYSTEM_ZLIB)
target_include_directories(freetype PRIVATE "${LANESCOPE_PORTS}/zlib")
target_link_libraries(freetype PUBLIC port_zlib)
add_library(port_freetype INTERFACE)
target_link_libraries(port_freetype INTERFACE freetype)
target_include_directories(port_freetype SYSTEM INTERFACE "${LANESCOPE_PORTS}/freetype/include")
add_library(Freetype::Freetype ALIAS port_freetype)

# Its own, with the browser's events.
add_library(glfw INTERFACE)
target_link_options(glfw INTERFACE -sUSE_GLFW=3)
add_library(third_party::epoxy INTERFACE IMPORTED GLOBAL)

port_library(port_imgui imgui imgui.cpp imgui_draw.cpp imgui_tables.cpp imgui_widgets.cpp backends/imgui_impl_glfw.cpp
             backends/imgui_impl_opengl3.cpp misc/freetype/imgui_freetype.cpp misc/cpp/imgui_stdlib.cpp)
target_include_directories(port_imgui SYSTEM PUBLIC "${LANESCOPE_PORTS}/imgui" "${LANESCOPE_PORTS}/imgui/backends"
                           "${LANESCOPE_PORTS}/imgui/misc/freetype" "${LANESCOPE_PORTS}/imgui/misc/cpp")
target_link_libraries(port_imgui PUBLIC glfw port_freetype)
target_compile_definitions(port_imgui PUBLIC IMGUI_IMPL_OPENGL_ES3)
add_library(third_party::imgui ALIAS port_imgui)
