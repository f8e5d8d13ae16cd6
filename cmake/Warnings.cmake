# Warnings are errors in the project's own code; lanescope_warnings(<target>) turns them on.
option(LANESCOPE_WERROR "Treat warnings as errors" ON)
function(lanescope_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual)
  # Sources that are compiled together are no headers of each other, as GCC takes them to be.
  if(LANESCOPE_UNITY)
    target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  # GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105329).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Wno-nested-anon-types)
  endif()
  if(EMSCRIPTEN)  # where no buffer is larger than a size of 32 bits says
    target_compile_options(${target} PRIVATE -Wno-shorten-64-to-32)
  endif()
  if(LANESCOPE_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND LANESCOPE_SANITIZE STREQUAL "")
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
