# GCC copies structures of 32 to 8192 bytes with "rep movsq", which takes the processor some 30 cycles to start, and what
# has just been copied cannot be read for longer still. Ours have a few hundred bytes, and are copied for every iteration.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-mmemcpy-strategy=unrolled_loop:512:noalign,libcall:-1:noalign>")
endif()
