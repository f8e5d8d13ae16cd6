# This system's compiler, the C library that scripts/portable-sysroot.sh unpacks, and the C++ library linked in.
set(CMAKE_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../../build/portable-sysroot")
cmake_path(NORMAL_PATH CMAKE_SYSROOT)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# The compiler would look in its own system's folders first. The unwinder's must come before all others.
set(libraries "${CMAKE_SYSROOT}/usr/lib/x86_64-linux-gnu")
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
      "-B${libraries} -L${CMAKE_SYSROOT}/unwinder -L${libraries} -L${CMAKE_SYSROOT}/lib/x86_64-linux-gnu -static-libstdc++ -static-libgcc -pthread")
endforeach()
