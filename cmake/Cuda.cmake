# Targets that need the CUDA toolkit's headers or compiler. Without a toolkit they are not built; the program is the same.
#   lanescope_own      records our own loops: the code of src/inject without its ends in a foreign program; CUPTI itself is
#                      found at run time
#   lanescope_cuda     liblanescope_cuda.so, the back end that the program opens (src/cuda_backend)
#   lanescope_inject   liblanescope_inject.so, which an attached program loads (src/inject); needs NVTX's headers, too
# LANESCOPE_HAS_CUDA says whether they are there, LANESCOPE_HAS_INJECT whether the last one is.
set(LANESCOPE_HAS_CUDA OFF)
set(LANESCOPE_HAS_INJECT OFF)
if(NOT LANESCOPE_CUDA)
  return()
endif()

# lanescope_no_cuda(<why>): builds without CUDA; an error if CUDA was requested.
macro(lanescope_no_cuda why)
  if(LANESCOPE_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA: ${why}; the program is built without its CUDA back end")
    return()
  endif()
  message(FATAL_ERROR "LANESCOPE_CUDA is ${LANESCOPE_CUDA}, but: ${why}; allowed: install CUDA 13, or OFF")
endmacro()

find_package(CUDAToolkit QUIET)
if(NOT CUDAToolkit_FOUND)
  lanescope_no_cuda("there is no toolkit here")
elseif(CUDAToolkit_VERSION VERSION_LESS 13.0)
  lanescope_no_cuda("the toolkit is ${CUDAToolkit_VERSION}, and 13.0 or newer is needed")
endif()
# A compiler that does not work must not stop CMake.
include(CheckLanguage)
if(NOT DEFINED ENV{CUDACXX} AND CUDAToolkit_NVCC_EXECUTABLE)
  set(ENV{CUDACXX} "${CUDAToolkit_NVCC_EXECUTABLE}")
endif()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  lanescope_no_cuda("nvcc does not work here")
endif()
# Turing to Blackwell, and PTX for later architectures; 80 runs on all 8.x. CMake's own trial needs none of them.
set(architectures 75-real 80-real 90-real 100-real 120)
if(DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(architectures ${CMAKE_CUDA_ARCHITECTURES})
endif()
set(CMAKE_CUDA_ARCHITECTURES OFF)
enable_language(CUDA)
set(CMAKE_CUDA_ARCHITECTURES ${architectures})
# CMake before 3.26 does not know that nvcc supports C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
find_package(CUDAToolkit REQUIRED)
find_file(lanescope_cupti_header cupti.h PATHS ${CUDAToolkit_INCLUDE_DIRS}
          "${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include" "${CUDAToolkit_TARGET_DIR}/extras/CUPTI/include"
          NO_DEFAULT_PATH)
if(NOT lanescope_cupti_header)
  lanescope_no_cuda("the toolkit has no cupti.h")
endif()
get_filename_component(lanescope_cupti_include "${lanescope_cupti_header}" DIRECTORY)
set(LANESCOPE_HAS_CUDA ON)
message(STATUS "CUDA: ${CUDAToolkit_VERSION}, for ${CMAKE_CUDA_ARCHITECTURES}")

# What only a foreign program needs: what its driver and its NVTX call.
file(GLOB own_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/inject/*.cpp")
list(FILTER own_sources EXCLUDE REGEX "/(inject|nvtx|connection|knobs)\\.cpp$")
list(APPEND own_sources "${PROJECT_SOURCE_DIR}/src/cuda_backend/own_capture.cpp")
lanescope_unity(own_units lanescope_own "${PROJECT_SOURCE_DIR}/src" ${own_sources})
add_library(lanescope_own STATIC ${own_units})
target_link_libraries(lanescope_own PUBLIC lanescope_capture ${CMAKE_DL_LIBS})
target_include_directories(lanescope_own SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS} "${lanescope_cupti_include}")
target_compile_definitions(lanescope_own PRIVATE LANESCOPE_OWN_LOOPS)
lanescope_warnings(lanescope_own)

file(GLOB backend_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cuda_backend/*.cpp")
list(FILTER backend_sources EXCLUDE REGEX "/own_capture\\.cpp$")
file(GLOB backend_kernels CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cuda_backend/*.cu")
lanescope_unity(backend_units lanescope_cuda "${PROJECT_SOURCE_DIR}/src" ${backend_sources})
add_library(lanescope_cuda MODULE ${backend_units} ${backend_kernels})
target_include_directories(lanescope_cuda PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(lanescope_cuda PRIVATE lanescope_own lanescope_device CUDA::cudart_static)
set_target_properties(lanescope_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                      CUDA_RUNTIME_LIBRARY Static LINKER_LANGUAGE CXX CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden)
# Only the functions that are looked up by name are exported.
set(exports "${PROJECT_SOURCE_DIR}/src/cuda_backend/exports.map")
target_link_options(lanescope_cuda PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic "-Wl,--version-script=${exports}")
set_property(TARGET lanescope_cuda APPEND PROPERTY LINK_DEPENDS "${exports}")
# Global options, such as a sanitizer's, are for the host compiler only.
get_target_property(host_options lanescope_cuda COMPILE_OPTIONS)
set_property(TARGET lanescope_cuda PROPERTY COMPILE_OPTIONS)
if(host_options)
  target_compile_options(lanescope_cuda PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${host_options}>")
endif()
target_compile_options(lanescope_cuda PRIVATE
                       "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion>")
if(LANESCOPE_WERROR)
  target_compile_options(lanescope_cuda PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
                                                "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()

# What goes into somebody else's program: no C++ library, no exceptions, nothing needed but libc, and as few names as
# possible. A sanitizer would have to be in that program, too, so this is always built without.
find_file(lanescope_nvtx_header nvtx3/nvToolsExt.h PATHS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
if(NOT lanescope_nvtx_header)
  message(STATUS "CUDA: the toolkit has no nvtx3/nvToolsExt.h; the library for attached programs is not built")
  return()
endif()
set(LANESCOPE_HAS_INJECT ON)
file(GLOB inject_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/inject/*.cpp")
list(FILTER inject_sources EXCLUDE REGEX "/here\\.cpp$")  # records our own loops
lanescope_unity(inject_units lanescope_inject "${PROJECT_SOURCE_DIR}/src" ${inject_sources})
lanescope_embed(lanescope_knobs NAMESPACE lanescope::inject::knobs_file ROOT src/inject FILES src/inject/knobs.py)
add_library(lanescope_inject MODULE ${inject_units} "${PROJECT_BINARY_DIR}/embedded/lanescope_knobs.cpp")
target_include_directories(lanescope_inject PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/embedded")
target_include_directories(lanescope_inject SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} "${lanescope_cupti_include}")
set_target_properties(lanescope_inject PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                      CXX_VISIBILITY_PRESET hidden COMPILE_OPTIONS "" LINK_OPTIONS "" LINKER_LANGUAGE CXX)
lanescope_warnings(lanescope_inject)
target_compile_options(lanescope_inject PRIVATE -O2 -fno-exceptions -fno-rtti -fno-threadsafe-statics)
set(inject_exports "${PROJECT_SOURCE_DIR}/src/inject/exports.map")
target_link_options(lanescope_inject PRIVATE -nodefaultlibs -Wl,--as-needed -Wl,-z,now -Wl,-z,defs
                                             -Wl,--exclude-libs,ALL "-Wl,--version-script=${inject_exports}"
                                             -Wl,-soname,liblanescope_inject.so)  # for python/lanescope.py
target_link_libraries(lanescope_inject PRIVATE c gcc)
set_property(TARGET lanescope_inject APPEND PROPERTY LINK_DEPENDS "${inject_exports}")
