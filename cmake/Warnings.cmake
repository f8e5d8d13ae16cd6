# Warnings are errors in the project's own code; lanescope_warnings(<target>) turns them on.
option(LANESCOPE_WERROR "Treat warnings as errors" ON)
function(lanescope_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual)
  # GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105329).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  # It takes sources that are compiled together for headers; a build of each alone is the one that tells.
  if(LANESCOPE_WERROR AND NOT "rooms" IN_LIST LANESCOPE_UNITY)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
