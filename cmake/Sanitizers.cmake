# Builds everything with the sanitizers listed in LANESCOPE_SANITIZE; with LANESCOPE_FUZZ also the fuzz targets, for which
# every module counts what it runs. Clang compiles this in two thirds of GCC's time, and has libFuzzer.
option(LANESCOPE_FUZZ "Build the fuzz targets in fuzz/, which needs Clang and AddressSanitizer" OFF)
if(LANESCOPE_FUZZ AND NOT (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND LANESCOPE_SANITIZE STREQUAL "address"))
  message(FATAL_ERROR "LANESCOPE_FUZZ is ON with ${CMAKE_CXX_COMPILER_ID} and LANESCOPE_SANITIZE '${LANESCOPE_SANITIZE}'; "
                      "allowed: Clang, and address")
endif()
if(LANESCOPE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # libraries that are opened at run time have structs of their own
    add_compile_options(-fno-sanitize=function)
  endif()
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
  if(LANESCOPE_FUZZ)
    # The conversion of a number that does not fit is undefined, too, but not one of the checks of "undefined".
    add_compile_options(-fsanitize=fuzzer-no-link,float-cast-overflow)
  endif()
elseif(LANESCOPE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It warns that the sanitizer does not support atomic_thread_fence, which the queue library uses.
    add_compile_options(-Wno-tsan)
  endif()
  add_link_options(-fsanitize=thread)
elseif(NOT LANESCOPE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "LANESCOPE_SANITIZE is '${LANESCOPE_SANITIZE}'; allowed: empty, address, thread")
endif()
# The compilers' own names for it differ.
if(LANESCOPE_SANITIZE)
  add_compile_definitions(LANESCOPE_SANITIZED $<IF:$<STREQUAL:${LANESCOPE_SANITIZE},thread>,LANESCOPE_TSAN,LANESCOPE_ASAN>)
endif()
