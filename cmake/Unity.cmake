# lanescope_unity(<target> <kind>): sources of the kinds (rooms, tests) that LANESCOPE_UNITY names and that do not get into
# each other's way are compiled together, which makes a build from nothing three times quicker. A build of each alone is
# the one that tells of a missing include.
set(LANESCOPE_UNITY "" CACHE STRING "What is compiled several sources at once: empty, tests, or rooms;tests")

function(lanescope_unity target kind)
  if(NOT kind IN_LIST LANESCOPE_UNITY)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/unity_groups.py")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_avx2\\.cpp$")  # compiled in another way
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
