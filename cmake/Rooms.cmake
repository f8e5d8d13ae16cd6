# lanescope_room(<name> DEPENDS <targets>... [EXCLUDE <files>...]): one static library per folder of src/, with all its
#   sources but those excluded.
# lanescope_room_tests(<name> DEPENDS <targets>... [DISPLAY] [ONE_THREAD] [PLAIN_SUITES <suites>...]): one test
#   program per folder of tests/, all *_test.cpp. DISPLAY runs it under its own Xvfb, so that it opens real windows.
#   ONE_THREAD: nothing in it starts a thread that other tests do not start, too, so it is left out under
#   ThreadSanitizer. PLAIN_SUITES are such a part of it whose code other tests reach, too: both sanitizers leave it out.
function(lanescope_room name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  # capture/cupti needs CUDA's headers and is a library of its own, see Cuda.cmake.
  list(FILTER sources EXCLUDE REGEX "/src/(app/main\\.cpp|capture/cupti/.*)$")
  foreach(file ${ARG_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX "/${file}$")
  endforeach()
  if(sources)
    add_library(lanescope_${name} STATIC ${sources})
    target_include_directories(lanescope_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(lanescope_${name} PUBLIC ${ARG_DEPENDS})
    lanescope_warnings(lanescope_${name})
    lanescope_unity(lanescope_${name} rooms)
  else()
    add_library(lanescope_${name} INTERFACE)
    target_include_directories(lanescope_${name} INTERFACE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(lanescope_${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()

# The sanitizers watch the modules: the tests' own code (and the command line's) is compiled plainly, which takes a
# third of the time.
function(lanescope_plain_when_sanitized target)
  if(LANESCOPE_SANITIZE STREQUAL "address")
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)
  elseif(LANESCOPE_SANITIZE STREQUAL "thread")
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

function(lanescope_room_tests name)
  cmake_parse_arguments(ARG "DISPLAY;ONE_THREAD" "" "DEPENDS;LABELS;PLAIN_SUITES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp"
       "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.h")
  if(NOT sources OR (ARG_ONE_THREAD AND LANESCOPE_SANITIZE STREQUAL "thread"))
    return()
  endif()
  add_executable(${name}_tests ${sources})
  target_include_directories(${name}_tests PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${name}_tests PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name}_tests PRIVATE LANESCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             LANESCOPE_BINARY="$<TARGET_FILE:lanescope>")
  lanescope_warnings(${name}_tests)
  lanescope_unity(${name}_tests tests)
  lanescope_plain_when_sanitized(${name}_tests)
  set(environment "")
  if(LANESCOPE_SANITIZE STREQUAL "thread")
    set(environment "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
  elseif(LANESCOPE_SANITIZE STREQUAL "address")
    set(environment "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp")
  endif()
  if(ARG_PLAIN_SUITES AND LANESCOPE_SANITIZE)
    list(TRANSFORM ARG_PLAIN_SUITES APPEND ".*")
    list(JOIN ARG_PLAIN_SUITES ":" left_out)
    list(APPEND environment "GTEST_FILTER=-${left_out}")
  endif()
  if(ARG_DISPLAY)
    # Two halves beside each other: a window mostly waits for its display.
    foreach(half 0 1)
      add_test(NAME ${name}_${half} COMMAND xvfb-run -a -s "-screen 0 1920x1200x24" $<TARGET_FILE:${name}_tests>)
      # They take longest: what else there is runs beside them.
      set_tests_properties(${name}_${half} PROPERTIES TIMEOUT 900 COST 1000
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half};${environment}")
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name}_tests)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600 ENVIRONMENT "${environment}")
  endif()
endfunction()
