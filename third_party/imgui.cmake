# Dear ImGui 1.86 to 1.92. Debian ships it as a static library with its GLFW and OpenGL 3 back ends and FreeType;
# elsewhere it is fetched and built with the same three.
pkg_check_modules(imgui QUIET IMPORTED_TARGET imgui)
add_library(third_party_imgui INTERFACE)
add_library(third_party::imgui ALIAS third_party_imgui)
if(imgui_FOUND AND NOT FETCHCONTENT_SOURCE_DIR_IMGUI)
  # The package's headers count as system headers, so that our warnings do not apply to them. The folder of the back ends
  # is added, too, since they include "imgui.h" from one level up.
  target_include_directories(third_party_imgui SYSTEM INTERFACE ${imgui_INCLUDE_DIRS} /usr/include/imgui/backends)
  target_link_libraries(third_party_imgui INTERFACE PkgConfig::imgui Freetype::Freetype ${CMAKE_DL_LIBS})
else()
  FetchContent_Declare(imgui GIT_REPOSITORY https://github.com/ocornut/imgui.git GIT_TAG v1.91.9)
  FetchContent_MakeAvailable(imgui)
  add_library(imgui_fetched STATIC
    ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp ${imgui_SOURCE_DIR}/imgui_tables.cpp
    ${imgui_SOURCE_DIR}/imgui_widgets.cpp ${imgui_SOURCE_DIR}/backends/imgui_impl_glfw.cpp
    ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp ${imgui_SOURCE_DIR}/misc/freetype/imgui_freetype.cpp
    ${imgui_SOURCE_DIR}/misc/cpp/imgui_stdlib.cpp)
  target_include_directories(imgui_fetched SYSTEM PUBLIC ${imgui_SOURCE_DIR} ${imgui_SOURCE_DIR}/backends
                             ${imgui_SOURCE_DIR}/misc/freetype ${imgui_SOURCE_DIR}/misc/cpp)
  target_link_libraries(imgui_fetched PUBLIC glfw Freetype::Freetype ${CMAKE_DL_LIBS})
  target_link_libraries(third_party_imgui INTERFACE imgui_fetched)
endif()
