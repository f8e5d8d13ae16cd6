// The library as a file: it must load into any program, and change as little there as possible.
#include <elf.h>
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// What the dynamic loader sees of a library for this machine.
struct Library {
  explicit Library(const char* path) {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    const auto& header = at<Elf64_Ehdr>(0);
    const Elf64_Shdr *dynamic = nullptr, *symbols = nullptr, *versions = nullptr;
    for (int i = 0; i < header.e_shnum; ++i) {
      const auto& section = at<Elf64_Shdr>(header.e_shoff + static_cast<std::size_t>(i) * sizeof(Elf64_Shdr));
      if (section.sh_type == SHT_DYNAMIC) dynamic = &section;
      if (section.sh_type == SHT_DYNSYM) symbols = &section;
      if (section.sh_type == SHT_GNU_verneed) versions = &section;
    }
    const auto texts = [&](const Elf64_Shdr& s) {
      return at<Elf64_Shdr>(header.e_shoff + s.sh_link * sizeof(Elf64_Shdr)).sh_offset;
    };
    for (std::size_t i = 0; i < dynamic->sh_size / sizeof(Elf64_Dyn); ++i) {
      const auto& entry = at<Elf64_Dyn>(dynamic->sh_offset + i * sizeof(Elf64_Dyn));
      if (entry.d_tag == DT_NEEDED) needed.insert(&bytes[texts(*dynamic) + entry.d_un.d_val]);
    }
    for (std::size_t i = 1; i < symbols->sh_size / sizeof(Elf64_Sym); ++i) {
      const auto& symbol = at<Elf64_Sym>(symbols->sh_offset + i * sizeof(Elf64_Sym));
      const std::string name = &bytes[texts(*symbols) + symbol.st_name];
      if (symbol.st_shndx != SHN_UNDEF) {
        exported.insert(name);
      } else if (ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
        imported.insert(name);
      }
    }
    std::size_t offset = versions->sh_offset;
    for (unsigned i = 0; i < versions->sh_info; ++i) {
      const auto& need = at<Elf64_Verneed>(offset);
      std::size_t aux = offset + need.vn_aux;
      for (unsigned j = 0; j < need.vn_cnt; ++j) {
        const auto& entry = at<Elf64_Vernaux>(aux);
        required.insert(&bytes[texts(*versions) + entry.vna_name]);
        aux += entry.vna_next;
      }
      offset += need.vn_next;
    }
  }
  template <typename T>
  const T& at(std::size_t offset) const {
    return *reinterpret_cast<const T*>(&bytes.at(offset));
  }
  std::vector<char> bytes;
  std::set<std::string> needed, exported, imported, required;
};

TEST(Library, NeedsLibcAlone) {
  const Library library(LANESCOPE_INJECT);
  EXPECT_THAT(library.needed, ElementsAre("libc.so.6"));
}

TEST(Library, ExportsWhatIsLookedUpByNameAlone) {
  const Library library(LANESCOPE_INJECT);
  EXPECT_THAT(library.exported,
              UnorderedElementsAre("InitializeInjection", "InitializeInjectionNvtx", "InitializeInjectionNvtx2",
                                   "InitializeInjectionNvtxExtension", "lanescope_enter", "lanescope_knob"));
}

TEST(Library, LoadsOnGlibc231) {
  const Library library(LANESCOPE_INJECT);
  EXPECT_FALSE(library.required.empty());
  for (const std::string& version : library.required) {
    int minor = 0;
    ASSERT_EQ(std::sscanf(version.c_str(), "GLIBC_2.%d", &minor), 1) << version;
    EXPECT_LE(minor, 31) << version;
  }
}

TEST(Library, NeitherAllocatesNorThrowsNorPrints) {
  const Library library(LANESCOPE_INJECT);
  for (const std::string& name : library.imported) {
    for (const char* forbidden : {"malloc", "calloc", "realloc", "printf", "puts", "perror", "pthread_mutex",
                                  "__cxa_throw", "_Zn", "_Zd", "_ZSt", "_ZNSt", "_Unwind", "__gxx"}) {
      EXPECT_EQ(name.find(forbidden), std::string::npos) << name;
    }
  }
}

}  // namespace
