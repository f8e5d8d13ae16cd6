# Python itself rather than a script called python3 that looks for it, such as pyenv's: that takes half a second for each
# start in the tests.
find_program(lanescope_python3 python3)
mark_as_advanced(lanescope_python3)
if(lanescope_python3 AND NOT Python3_EXECUTABLE)
  execute_process(COMMAND "${lanescope_python3}" -c "import sys; print(sys.executable)" OUTPUT_VARIABLE python
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(EXISTS "${python}")
    set(Python3_EXECUTABLE "${python}" CACHE FILEPATH "Python, for the tests")
  endif()
endif()
