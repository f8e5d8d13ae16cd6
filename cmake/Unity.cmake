# How sources are compiled: a whole module at once, because headers and templates take longer than the code itself; and
# optimised as far as the benchmarks show a gain.
option(LANESCOPE_UNITY "Compile many sources of a module at once; OFF finds missing includes, and is quicker when one source changes" ON)
set(lanescope_batch 40)  # sources at once, at most

# lanescope_unity(<variable> <target> <root> <sources>...): sets the variable to sources that each include up to
#   lanescope_batch of those given, by their paths in <root>, which the target must search for headers. So a file-local name
#   may occur only once in a module.
function(lanescope_unity variable target root)
  list(LENGTH ARGN count)
  if(NOT LANESCOPE_UNITY OR count LESS 2)
    set(${variable} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  math(EXPR batches "(${count} + ${lanescope_batch} - 1) / ${lanescope_batch}")
  set(made "")
  foreach(batch RANGE 1 ${batches})
    math(EXPR first "${count} * (${batch} - 1) / ${batches}")
    math(EXPR length "${count} * ${batch} / ${batches} - ${first}")
    list(SUBLIST ARGN ${first} ${length} sources)
    list(TRANSFORM sources REPLACE "^${root}/(.*)$" "#include \"\\1\"\n")
    list(JOIN sources "" text)
    set(file "${PROJECT_BINARY_DIR}/unity/${target}_${batch}.cpp")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
    list(APPEND made "${file}")
  endforeach()
  set(${variable} ${made} PARENT_SCOPE)
endfunction()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC's own garbage collector takes a seventh of the time if it may keep as little as it does by itself.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param=ggc-min-expand=300 --param=ggc-min-heapsize=1000000>")
endif()

# lanescope_optimise(<target> <how>): HOT: code that runs for each event or pixel. COLD: code that waits for people and files.
#   ONCE: tests.
function(lanescope_optimise target how)
  if(how STREQUAL "ONCE" AND LANESCOPE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)  # sanitizers check the modules
  elseif(how STREQUAL "HOT")
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()
