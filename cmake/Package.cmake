# What `cmake --install` copies, and the Debian package that CPack makes of it (scripts/package.sh).
#   lanescope_written    all that is copied, with the pages for man, which help2man makes of the help; not part of `all`
set(written "${PROJECT_BINARY_DIR}/written")
add_custom_target(lanescope_written
  COMMAND sh "${PROJECT_SOURCE_DIR}/packaging/man-pages.sh" $<TARGET_FILE:lanescope> ${PROJECT_VERSION} "${written}"
  DEPENDS lanescope
  VERBATIM)
if(TARGET lanescope_inject)
  add_dependencies(lanescope_written lanescope_inject)  # which the program itself does not need
endif()

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # a package needs no tests
install(TARGETS lanescope RUNTIME DESTINATION bin)
foreach(library lanescope_cuda lanescope_inject)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION lib/lanescope)
  endif()
endforeach()
install(FILES python/lanescope.py DESTINATION share/lanescope)  # to copy: its own licence is in it
install(FILES LICENSE DESTINATION share/doc/lanescope RENAME copyright)
install(FILES packaging/lanescope.svg DESTINATION share/icons/hicolor/scalable/apps)
install(FILES packaging/lanescope.desktop packaging/lanescope-open.desktop DESTINATION share/applications)
install(FILES packaging/lanescope.xml DESTINATION share/mime/packages)
install(DIRECTORY "${written}/" DESTINATION share/man/man1 OPTIONAL)
install(FILES packaging/lanescope.bash DESTINATION share/bash-completion/completions RENAME lanescope)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lanescope)
set(CPACK_PACKAGE_VENDOR "The Lanescope authors")
set(CPACK_PACKAGE_CONTACT "The Lanescope authors <lanescope@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "oscilloscope for CPU-GPU programs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Lanescope runs a training loop, records every CUDA call of the CPU and every
kernel and copy of the GPU, and draws both live on one time axis. It attaches to
your own programs, opens traces of the PyTorch profiler and of Nsight Systems,
and simulates a GPU where there is none.")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is opened at run time, so that no tool finds it.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libgl1, libegl1, libxcb1, fonts-inter, fonts-jetbrains-mono, fonts-wqy-microhei")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libgl1-mesa-dri, xclip, xdg-utils")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "wl-clipboard, zenity | kdialog, xvfb, xauth")
include(CPack)
