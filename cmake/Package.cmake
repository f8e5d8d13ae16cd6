# What `cmake --install` copies, and the Debian package that CPack makes of it (scripts/package.sh).
#   lanescope_written    all that is copied, with the page for man and the completions, which the program itself writes;
#                        not part of `all`
set(written "${PROJECT_BINARY_DIR}/written")
set(write env -i LC_ALL=C.UTF-8 LANESCOPE_CUDA=off $<TARGET_FILE:lanescope>)
add_custom_command(
  OUTPUT "${written}/lanescope.1.gz" "${written}/lanescope.bash" "${written}/_lanescope" "${written}/lanescope.fish"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${written}"
  COMMAND ${write} --man | gzip -9n > "${written}/lanescope.1.gz"
  COMMAND ${write} --completions bash > "${written}/lanescope.bash"
  COMMAND ${write} --completions zsh > "${written}/_lanescope"
  COMMAND ${write} --completions fish > "${written}/lanescope.fish"
  DEPENDS lanescope
  VERBATIM)
add_custom_target(lanescope_written DEPENDS "${written}/lanescope.1.gz")
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
install(FILES LICENSE DESTINATION share/doc/lanescope RENAME copyright)
install(FILES packaging/lanescope.svg DESTINATION share/icons/hicolor/scalable/apps)
install(FILES packaging/lanescope.desktop packaging/lanescope-open.desktop DESTINATION share/applications)
install(FILES packaging/lanescope.xml DESTINATION share/mime/packages)
install(FILES "${written}/lanescope.1.gz" DESTINATION share/man/man1 OPTIONAL)
install(FILES "${written}/lanescope.bash" DESTINATION share/bash-completion/completions RENAME lanescope OPTIONAL)
install(FILES "${written}/_lanescope" DESTINATION share/zsh/vendor-completions OPTIONAL)
install(FILES "${written}/lanescope.fish" DESTINATION share/fish/vendor_completions.d OPTIONAL)

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
