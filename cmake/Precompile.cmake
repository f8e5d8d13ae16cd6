# lanescope_precompile(<target> <headers>): with LANESCOPE_PCH, the headers that most sources include are compiled once
# per build and kind of target: lanescope_room_headers, or lanescope_test_headers. That makes a build from nothing a fifth
# quicker, and is no good for one that ccache could make cheap.
option(LANESCOPE_PCH "Precompile the headers that most sources include" OFF)

function(lanescope_precompile target headers)
  if(LANESCOPE_PCH)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

if(LANESCOPE_PCH)
  file(WRITE "${PROJECT_BINARY_DIR}/precompiled.cpp" "int main() {}  // only its headers matter\n")
  set(lanescope_standard_headers <algorithm> <chrono> <cstdint> <functional> <map> <memory> <mutex> <optional> <string> <string_view>
      <thread> <vector>)
  add_library(lanescope_room_headers OBJECT "${PROJECT_BINARY_DIR}/precompiled.cpp")
  target_link_libraries(lanescope_room_headers PRIVATE third_party::fmt)
  lanescope_warnings(lanescope_room_headers)  # they count as another way of compiling
  target_precompile_headers(lanescope_room_headers PRIVATE ${lanescope_standard_headers} <fmt/format.h>)
endif()
