# Warnings are errors in the project's own code; lanescope_warnings(<target>) turns them on.
option(LANESCOPE_WERROR "Treat warnings as errors" ON)
function(lanescope_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual)
  # GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105329), and with precompiled
  # headers overflowing ones, too.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
    if(LANESCOPE_PRECOMPILED)
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
    endif()
  endif()
  # GCC takes sources that are compiled together for headers, and their file-local names for each other's.
  if("modules" IN_LIST LANESCOPE_UNITY)
    target_compile_options(${target} PRIVATE -Wno-shadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
  if(LANESCOPE_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND LANESCOPE_SANITIZE STREQUAL "")
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
