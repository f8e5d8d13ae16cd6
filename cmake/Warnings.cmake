# Warnings are errors in the project's own code; lanescope_warnings(<target>) turns them on.
option(LANESCOPE_WERROR "Treat warnings as errors" ON)
function(lanescope_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual)
  if(LANESCOPE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
