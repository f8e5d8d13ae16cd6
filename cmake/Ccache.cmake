# A compiler cache makes a second build (another preset, another clone) cheap. It is used if it is installed.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_HOST_WIN32)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_CURRENT_LIST_DIR}/cached-compiler.sh" "${CCACHE_PROGRAM}" "${PROJECT_SOURCE_DIR}")
endif()
