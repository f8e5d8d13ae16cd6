# Builds everything with the sanitizers listed in LANESCOPE_SANITIZE, or for fuzzing, with LANESCOPE_FUZZ.
option(LANESCOPE_FUZZ "Build the fuzz targets in fuzz/, which needs Clang" OFF)
if(LANESCOPE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT LANESCOPE_SANITIZE STREQUAL "")
    message(FATAL_ERROR "LANESCOPE_FUZZ is ON with ${CMAKE_CXX_COMPILER_ID} and LANESCOPE_SANITIZE "
                        "'${LANESCOPE_SANITIZE}'; allowed: Clang, and none")
  endif()
  # The conversion of a number that does not fit is undefined, too, but not one of the checks of "undefined".
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
elseif(LANESCOPE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(LANESCOPE_SANITIZE STREQUAL "thread")
  # GCC warns that the sanitizer does not support atomic_thread_fence, which the queue library uses.
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
  add_link_options(-fsanitize=thread)
elseif(NOT LANESCOPE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "LANESCOPE_SANITIZE is '${LANESCOPE_SANITIZE}'; allowed: empty, address, thread")
endif()
