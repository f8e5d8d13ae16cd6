# Builds everything with the sanitizers listed in LANESCOPE_SANITIZE.
if(LANESCOPE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(LANESCOPE_SANITIZE STREQUAL "thread")
  # GCC warns that the sanitizer does not support atomic_thread_fence, which the queue library uses.
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
  add_link_options(-fsanitize=thread)
elseif(NOT LANESCOPE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "LANESCOPE_SANITIZE is '${LANESCOPE_SANITIZE}'; allowed: empty, address, thread")
endif()
