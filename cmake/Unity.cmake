# lanescope_unity(<target> <kind>): compiles sources of the kinds (modules, tests) in LANESCOPE_UNITY in groups whose
# file-local names differ. Precompiled headers do not replace it: they share what is parsed, a group also shares the
# templates it instantiates. The preset debug compiles each source alone, which finds a missing include and is quicker when
# one source changes.
set(LANESCOPE_UNITY "" CACHE STRING "What is compiled several sources at once: empty, tests, or modules;tests")

function(lanescope_unity target kind)
  if(NOT kind IN_LIST LANESCOPE_UNITY)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/unity_groups.py")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_avx2\\.cpp$")  # compiled with other options
  execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/unity_groups.py" 8 ${sources}
                  WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" groups "${groups}")
  set(number 0)
  foreach(group ${groups})
    string(REPLACE "|" ";" files "${group}")
    set_source_files_properties(${files} PROPERTIES UNITY_GROUP "group_${number}")
    math(EXPR number "${number} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
