# How sources are compiled: a whole module at once, because headers and templates take longer than the code itself; and
# optimised as far as the benchmarks show a gain.
option(LANESCOPE_UNITY "Compile a module's sources at once; OFF finds missing includes, and is quicker when one changes" ON)

# lanescope_unity(<variable> <target> <root> <sources>...): sets the variable to a source that includes those given, by their
#   paths in <root>, which the target must search for headers. So a file-local name may occur only once in a module.
function(lanescope_unity variable target root)
  list(LENGTH ARGN count)
  if(NOT LANESCOPE_UNITY OR count LESS 2)
    set(${variable} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  list(TRANSFORM ARGN REPLACE "^${root}/(.*)$" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
  list(JOIN includes "" text)
  set(unit "${PROJECT_BINARY_DIR}/unity/${target}.cpp")
  file(CONFIGURE OUTPUT "${unit}" CONTENT "${text}" @ONLY)
  set(${variable} "${unit}" PARENT_SCOPE)
endfunction()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC's own garbage collector takes a seventh of the time if it may keep as little as it does by itself.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param=ggc-min-expand=300 --param=ggc-min-heapsize=1000000>")
endif()

# lanescope_optimise(<target> <level>): O3: code that computes or reads every byte; O2: code that runs for each event or
#   pixel; O1: for each iteration or click; Og, which compiles fastest: code that waits for people and files, and tests.
function(lanescope_optimise target level)
  if(level STREQUAL "TESTS" AND LANESCOPE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)  # sanitizers check the modules
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT EMSCRIPTEN)  # a page is small and fast before it is made soon
    string(REPLACE "TESTS" "Og" level ${level})
    target_compile_options(${target} PRIVATE -${level} -fno-semantic-interposition)
    if(level STREQUAL "Og" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # it follows values less far, and warns in vain
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()
