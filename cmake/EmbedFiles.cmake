# Run by lanescope_embed at build time: writes FILES as byte arrays to OUT.
set(body "#include \"${TARGET}.h\"\n\n#include <array>\n\nnamespace ${NAMESPACE} {\nnamespace {\n")
set(table "")
set(count 0)
foreach(file IN LISTS FILES)
  file(READ "${file}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  file(RELATIVE_PATH path "${ROOT}" "${file}")
  # One extra zero byte makes even an empty file a valid array.
  string(APPEND body "const unsigned char kFile${count}[] = {${bytes}0x00};\n")
  string(APPEND table "    File{\"${path}\", {reinterpret_cast<const char*>(kFile${count}), ${size}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND body "}  // namespace\n\nstd::span<const File> files() {\n  static const std::array<File, ${count}> table{{\n${table}  }};\n"
       "  return table;\n}\n\nconst File* find(std::string_view path) {\n  for (const File& file : files()) {\n"
       "    if (file.path == path) return &file;\n  }\n  return nullptr;\n}\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${body}")
