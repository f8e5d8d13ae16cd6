# GCC copies structures of 32 to 8192 bytes with "rep movsq", which takes the processor some 30 cycles to start, and what
# has just been copied cannot be read for longer still. Ours have a few hundred bytes, and are copied for every iteration.
include(CheckCXXCompilerFlag)
set(copies "-mmemcpy-strategy=unrolled_loop:512:noalign,libcall:-1:noalign")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  check_cxx_compiler_flag("${copies}" LANESCOPE_UNROLLS_COPIES)  # on x86 only
endif()
if(LANESCOPE_UNROLLS_COPIES)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${copies}>")
endif()
