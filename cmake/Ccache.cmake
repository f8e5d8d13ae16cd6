# A compiler cache makes a second build (another preset, another clone) cheap. It is used if it is installed. Paths are
# relative to the project, and the compiler's own list of headers is taken: running the preprocessor first costs a tenth.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 "${CCACHE_PROGRAM}")
endif()
