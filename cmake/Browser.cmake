# The program as WebAssembly: lanescope.js and lanescope.wasm, with the fonts in lanescope.data; scripts/web.sh puts the
# page around them.
add_executable(lanescope src/app/main_browser.cpp)
set_target_properties(lanescope PROPERTIES SUFFIX ".js")
target_link_options(lanescope PRIVATE
  -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=64MB -sMAXIMUM_MEMORY=4GB
  -sSTACK_SIZE=2MB -sENVIRONMENT=web,node -sEXIT_RUNTIME=0 -sFORCE_FILESYSTEM=1 -lidbfs.js
  -sEXPORTED_RUNTIME_METHODS=FS,addRunDependency,removeRunDependency -sSUPPORT_LONGJMP=wasm
  # What page.js uses.
  "-sDEFAULT_LIBRARY_FUNCS_TO_INCLUDE=$stringToNewUTF8,$UTF8ToString,$FS,$ENV")
if(LANESCOPE_WEB_FONTS)
  target_link_options(lanescope PRIVATE "SHELL:--preload-file ${LANESCOPE_WEB_FONTS}@/usr/share/fonts")
endif()
