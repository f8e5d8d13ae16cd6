# How each dependency is found: the system's package first, a pinned FetchContent second. Nothing is vendored.
include(FetchContent)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# lanescope_dependency(<package> <git url> <tag>): find_package, else fetch exactly that tag.
macro(lanescope_dependency package url tag)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(STATUS "${package}: no system package, fetching ${tag}")
    FetchContent_Declare(${package} GIT_REPOSITORY ${url} GIT_TAG ${tag} GIT_SHALLOW ON)
    FetchContent_MakeAvailable(${package})
  endif()
endmacro()

lanescope_dependency(fmt https://github.com/fmtlib/fmt.git 9.1.0)
set(SPDLOG_FMT_EXTERNAL ON)
lanescope_dependency(spdlog https://github.com/gabime/spdlog.git v1.10.0)
lanescope_dependency(nlohmann_json https://github.com/nlohmann/json.git v3.11.2)
lanescope_dependency(CLI11 https://github.com/CLIUtils/CLI11.git v2.3.2)
lanescope_dependency(tomlplusplus https://github.com/marzer/tomlplusplus.git v3.3.0)
lanescope_dependency(glfw3 https://github.com/glfw/glfw.git 3.3.8)
if(LANESCOPE_TESTS)
  lanescope_dependency(GTest https://github.com/google/googletest.git v1.14.0)
endif()
if(LANESCOPE_BENCH)
  lanescope_dependency(benchmark https://github.com/google/benchmark.git v1.7.1)
endif()

# Libraries that every distribution ships; they are too large or too much part of the system to be fetched.
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Freetype REQUIRED)
pkg_check_modules(epoxy REQUIRED IMPORTED_TARGET epoxy)
add_library(third_party_epoxy INTERFACE)
target_link_libraries(third_party_epoxy INTERFACE PkgConfig::epoxy)
add_library(third_party::epoxy ALIAS third_party_epoxy)

include(${CMAKE_CURRENT_LIST_DIR}/imgui.cmake)
