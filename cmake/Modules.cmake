# lanescope_module(<name> DEPENDS <targets>... [EXCLUDE <files>...] [ONLY <files>...] [PRECOMPILE <headers>...]): one
#   static library per folder of src/, with all its sources but those excluded, or only those named. PRECOMPILE: headers that most of its sources include.
# lanescope_module_tests(<name> DEPENDS <targets>... [DISPLAY] [HALVES] [ONE_THREAD] [ONLY_PLAIN <suites>...]
#                        [WITHOUT_TSAN <suites>...]): one test program per folder of tests/, all *_test.cpp.
#   DISPLAY: under its own Xvfb, so that it opens real windows. HALVES: in two processes side by side, as DISPLAY does, too.
#   ONLY_PLAIN: suites that no sanitizer runs, because they repeat with other values what other suites run, too.
#   ONE_THREAD: it starts no thread that other tests do not start, too, so ThreadSanitizer leaves it out; likewise the
#   suites in WITHOUT_TSAN.
function(lanescope_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;EXCLUDE;ONLY;PRECOMPILE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  # capture/cupti needs CUDA's headers and is a library of its own, see Cuda.cmake.
  list(FILTER sources EXCLUDE REGEX "/src/(app/main\\.cpp|capture/cupti/.*)$")
  if(ARG_ONLY)
    list(TRANSFORM ARG_ONLY PREPEND "${PROJECT_SOURCE_DIR}/src/${name}/" OUTPUT_VARIABLE sources)
  endif()
  foreach(file ${ARG_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX "/${file}$")
  endforeach()
  if(sources)
    add_library(lanescope_${name} STATIC ${sources})
    target_include_directories(lanescope_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(lanescope_${name} PUBLIC ${ARG_DEPENDS})
    lanescope_warnings(lanescope_${name})
    if(name MATCHES "^(base|trace|ops|device|capture|workload|analysis)$")
      target_compile_options(lanescope_${name} PRIVATE -fno-semantic-interposition)
    endif()
    lanescope_precompiled(lanescope_${name} HEADERS ${ARG_PRECOMPILE})
    lanescope_unity(lanescope_${name} modules)
  else()
    add_library(lanescope_${name} INTERFACE)
    target_include_directories(lanescope_${name} INTERFACE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(lanescope_${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()

function(lanescope_module_tests name)
  cmake_parse_arguments(ARG "DISPLAY;HALVES;ONE_THREAD" "" "DEPENDS;LABELS;ONLY_PLAIN;WITHOUT_TSAN" ${ARGN})
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
  lanescope_test_code(${name}_tests)
  lanescope_unity(${name}_tests tests)
  set(environment "")
  if(LANESCOPE_SANITIZE STREQUAL "thread")
    set(environment "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
  elseif(LANESCOPE_SANITIZE STREQUAL "address")
    # GCC 12 guesses where glibc put the thread-local data of a loaded library, and with an unlucky address the search
    # for leaks at the end reads from nowhere: "Tracer caught signal 11". So it is not to look there.
    set(environment "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp"
                    "ASAN_OPTIONS=intercept_tls_get_addr=0")
  endif()
  # Of a long log only the end may be kept: it is to hold the failure, not what passed after it.
  list(APPEND environment "GTEST_BRIEF=1")
  set(left_out "")
  if(LANESCOPE_SANITIZE)
    list(APPEND left_out ${ARG_ONLY_PLAIN})
  endif()
  if(LANESCOPE_SANITIZE STREQUAL "thread")
    list(APPEND left_out ${ARG_WITHOUT_TSAN})
  endif()
  if(left_out)
    list(TRANSFORM left_out APPEND ".*")
    list(JOIN left_out ":" left_out)
    list(APPEND environment "GTEST_FILTER=-${left_out}")
  endif()
  # A sanitizer takes five times as long, and a busy machine twice that.
  set(timeout 900)
  if(LANESCOPE_SANITIZE)
    set(timeout 2400)
  endif()
  if(ARG_DISPLAY OR ARG_HALVES)
    set(command $<TARGET_FILE:${name}_tests>)
    if(ARG_DISPLAY AND LANESCOPE_SANITIZE)
      find_package(Python3 REQUIRED COMPONENTS Interpreter)
      set(command "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/again.py" ${command})
    endif()
    if(ARG_DISPLAY)
      set(command xvfb-run -a -s "-screen 0 1920x1200x24" ${command})
    endif()
    # Two halves in parallel: a window mostly waits for its display, and the program for its threads.
    foreach(half 0 1)
      add_test(NAME ${name}_${half} COMMAND ${command})
      # They take longest, so they start first.
      set_tests_properties(${name}_${half} PROPERTIES TIMEOUT ${timeout} COST 1000
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half};${environment}")
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name}_tests)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${timeout} ENVIRONMENT "${environment}")
  endif()
endfunction()
