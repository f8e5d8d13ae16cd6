# What opens windows and loads OpenGL, for packaging/portable.
foreach(part DOCS TESTS EXAMPLES WAYLAND)
  set(GLFW_BUILD_${part} OFF CACHE BOOL "" FORCE)
endforeach()
set(GLFW_INSTALL OFF CACHE BOOL "" FORCE)
add_subdirectory("${LANESCOPE_PORTS}/glfw3" "${PROJECT_BINARY_DIR}/glfw" EXCLUDE_FROM_ALL)
target_compile_options(glfw PRIVATE -w)

# libepoxy's own build is Meson's; what it does is to write the functions from the registry's tables.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(epoxy "${PROJECT_BINARY_DIR}/epoxy")
file(MAKE_DIRECTORY "${epoxy}/include/epoxy" "${epoxy}/src")
file(WRITE "${epoxy}/src/config.h" "#pragma once\n#define EPOXY_PUBLIC extern\n"
     "#define ENABLE_EGL 1\n#define ENABLE_GLX 1\n#define HAVE_KHRPLATFORM_H 1\n")
set(epoxy_sources "${LANESCOPE_PORTS}/libepoxy/src/dispatch_common.c")
foreach(kind gl egl glx)
  execute_process(COMMAND "${Python3_EXECUTABLE}" "${LANESCOPE_PORTS}/libepoxy/src/gen_dispatch.py"
                          --outputdir "${epoxy}/gen" --includedir "${epoxy}/include/epoxy" --srcdir "${epoxy}/src"
                          "${LANESCOPE_PORTS}/libepoxy/registry/${kind}.xml" COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND epoxy_sources "${epoxy}/src/${kind}_generated_dispatch.c")
  if(NOT kind STREQUAL "gl")
    list(APPEND epoxy_sources "${LANESCOPE_PORTS}/libepoxy/src/dispatch_${kind}.c")
  endif()
endforeach()
add_library(port_epoxy STATIC ${epoxy_sources})
target_compile_options(port_epoxy PRIVATE -w -include "${epoxy}/src/config.h")
target_include_directories(port_epoxy SYSTEM PUBLIC "${epoxy}/include" "${LANESCOPE_PORTS}/libepoxy/include"
                           PRIVATE "${LANESCOPE_PORTS}/libepoxy/src" "${epoxy}/src")
target_link_libraries(port_epoxy PUBLIC ${CMAKE_DL_LIBS})
add_library(third_party::epoxy ALIAS port_epoxy)
