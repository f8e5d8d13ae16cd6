# lanescope_precompiled(<target> [TESTS]): precompiles the headers that almost every source of the target includes: most of
#   the standard library and fmt; with TESTS, also GoogleTest. Compiled once for all modules and once for all test
#   programs, because programs and libraries differ in a compiler option (-fPIE, -fPIC).
# lanescope_precompiled(<target> HEADERS <headers>...): the target's own, for a module most of whose sources include the
#   same large header.
# A source must still include what it uses. A build with LANESCOPE_PRECOMPILED=OFF finds missing includes.
option(LANESCOPE_PRECOMPILED "Precompile the headers that almost every source includes" ON)

set(lanescope_common_headers
    <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstdlib> <cstring> <deque> <filesystem>
    <fstream> <functional> <future> <limits> <map> <memory> <mutex> <optional> <set> <span> <sstream> <string>
    <string_view> <system_error> <thread> <tuple> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# Compiled like the modules: with different options or macros, the compiler would reject it.
function(lanescope_compile_headers target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  lanescope_warnings(${target})
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

# Most of a test program's compile time went into optimising code that runs once. Sanitizers check the modules.
function(lanescope_test_options target)
  if(LANESCOPE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

if(LANESCOPE_PRECOMPILED)
  set(lanescope_empty_source "${PROJECT_BINARY_DIR}/precompiled/empty.cpp")
  file(CONFIGURE OUTPUT "${lanescope_empty_source}" CONTENT "int main() {}\n")
  add_library(lanescope_precompiled_modules OBJECT "${lanescope_empty_source}")
  target_link_libraries(lanescope_precompiled_modules PRIVATE third_party::fmt Threads::Threads)
  lanescope_compile_headers(lanescope_precompiled_modules ${lanescope_common_headers})
  if(LANESCOPE_TESTS)
    add_executable(lanescope_precompiled_tests "${lanescope_empty_source}")
    target_link_libraries(lanescope_precompiled_tests PRIVATE third_party::fmt Threads::Threads GTest::gmock)
    lanescope_compile_headers(lanescope_precompiled_tests ${lanescope_common_headers} <gmock/gmock.h> <gtest/gtest.h>)
    lanescope_test_options(lanescope_precompiled_tests)
  endif()
endif()

function(lanescope_precompiled target)
  cmake_parse_arguments(ARG "TESTS" "" "HEADERS" ${ARGN})
  if(NOT LANESCOPE_PRECOMPILED)
    return()
  endif()
  if(ARG_HEADERS)
    list(TRANSFORM ARG_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/src/")
    target_precompile_headers(${target} PRIVATE ${lanescope_common_headers} ${ARG_HEADERS})
  elseif(ARG_TESTS)
    target_precompile_headers(${target} REUSE_FROM lanescope_precompiled_tests)
  else()
    target_precompile_headers(${target} REUSE_FROM lanescope_precompiled_modules)
  endif()
endfunction()

# lanescope_test_code(<target>): for a program that links GoogleTest and has no hot code of its own.
function(lanescope_test_code target)
  lanescope_precompiled(${target} TESTS)
  lanescope_test_options(${target})
endfunction()
