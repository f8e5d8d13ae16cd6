#include "io/png.h"

#include <png.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>

#include "base/error.h"
#include "base/translate.h"
#include "io/atomic_file.h"
#include "io/utf8.h"

// libpng reports errors by longjmp. Every function below that calls setjmp therefore holds no object with a destructor
// and changes no local variable that is read after the jump; all memory belongs to its caller.

namespace lanescope::io {
namespace {

constexpr png_uint_32 kMaxSide = 65'535;
constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 27;  // half a gigabyte of RGBA
constexpr png_alloc_size_t kMaxChunkBytes = 8u << 20;
constexpr png_alloc_size_t kMaxAllocation = 16u << 20;

struct Message {
  char text[160] = "";
};

void on_error(png_structp png, png_const_charp text) {
  auto* message = static_cast<Message*>(png_get_error_ptr(png));
  std::snprintf(message->text, sizeof message->text, "%s", text);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

/// libpng takes memory for a chunk by the length the file claims, up to 2 GB, before it looks at what is there.
png_voidp allocate(png_structp, png_alloc_size_t size) { return size <= kMaxAllocation ? std::malloc(size) : nullptr; }
void release(png_structp, png_voidp memory) { std::free(memory); }

struct Writer {
  png_structp png;
  png_infop info = nullptr;
  explicit Writer(Message& message)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, on_error, on_warning)) {
    if (png) info = png_create_info_struct(png);
  }
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
};

struct Reader {
  png_structp png;
  png_infop info = nullptr;
  explicit Reader(Message& message)
      : png(png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &message, on_error, on_warning, nullptr, allocate,
                                     release)) {
    if (png) info = png_create_info_struct(png);
  }
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& why) {
  throw base::FileError(path.string() + ": " + why);
}

// --- text chunks -----------------------------------------------------------------------------------------------------

/// Latin-1 if every character has a place there; tEXt allows no control characters but the line feed.
bool to_latin1(std::string_view utf8, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < utf8.size();) {
    const char32_t c = next_code_point(utf8, i);
    const bool printable = c == '\n' || (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && c <= 0xFF);
    if (!printable) return false;
    out += static_cast<char>(static_cast<unsigned char>(c));
  }
  return true;
}

std::string from_latin1(std::string_view latin1) {
  std::string out;
  for (const char c : latin1) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

/// A keyword is 1 to 79 Latin-1 characters without leading, trailing or double spaces.
std::string keyword_of(std::string_view key) {
  std::string keyword;
  for (std::size_t i = 0; i < key.size() && keyword.size() < 79;) {
    const char32_t c = next_code_point(key, i);
    const bool printable = (c > 0x20 && c < 0x7F) || (c > 0xA0 && c <= 0xFF);
    if (printable) {
      keyword += static_cast<char>(static_cast<unsigned char>(c));
    } else if (c == ' ' ? !keyword.empty() && keyword.back() != ' ' : true) {
      keyword += c == ' ' ? ' ' : '?';
    }
  }
  while (!keyword.empty() && keyword.back() == ' ') keyword.pop_back();
  return keyword.empty() ? "Comment" : keyword;
}

struct TextChunks {
  explicit TextChunks(const std::map<std::string, std::string>& text) {
    strings.reserve(text.size() * 2);  // the chunks point into it
    for (const auto& [key, value] : text) {
      const std::string whole = value.substr(0, value.find('\0'));  // no text chunk can hold a zero byte
      std::string latin1;
      const bool fits = to_latin1(whole, latin1);
      png_text chunk{};
      chunk.compression = fits ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
      chunk.key = strings.emplace_back(keyword_of(key)).data();
      std::string& body = strings.emplace_back(fits ? latin1 : valid_utf8(whole));
      chunk.text = body.data();
      (fits ? chunk.text_length : chunk.itxt_length) = body.size();
      chunks.push_back(chunk);
    }
  }
  std::vector<std::string> strings;
  std::vector<png_text> chunks;
};

// --- the functions that setjmp ---------------------------------------------------------------------------------------

bool encode(const Writer& w, std::FILE* stream, const Image& image, const TextChunks& text, png_bytepp rows) {
  if (setjmp(png_jmpbuf(w.png))) return false;
  png_init_io(w.png, stream);
  png_set_user_limits(w.png, kMaxSide, kMaxSide);
  png_set_IHDR(w.png, w.info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
               PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_text(w.png, w.info, text.chunks.data(), static_cast<int>(text.chunks.size()));
  png_write_info(w.png, w.info);
  png_write_image(w.png, rows);
  png_write_end(w.png, nullptr);
  return true;
}

bool decode_header(const Reader& r, std::FILE* stream, png_uint_32* width, png_uint_32* height,
                   std::uint64_t* encoded_row_bytes) {
  if (setjmp(png_jmpbuf(r.png))) return false;
  png_init_io(r.png, stream);
  png_set_user_limits(r.png, kMaxSide, kMaxSide);
  png_set_chunk_cache_max(r.png, 1000);
  png_set_chunk_malloc_max(r.png, kMaxChunkBytes);
  png_read_info(r.png, r.info);
  *width = png_get_image_width(r.png, r.info);
  *height = png_get_image_height(r.png, r.info);
  *encoded_row_bytes = png_get_rowbytes(r.png, r.info);
  png_set_expand(r.png);
  png_set_scale_16(r.png);
  png_set_gray_to_rgb(r.png);
  png_set_add_alpha(r.png, 0xFF, PNG_FILLER_AFTER);
  png_set_interlace_handling(r.png);
  png_read_update_info(r.png, r.info);
  return true;
}

bool decode_pixels(const Reader& r, png_bytepp rows) {
  if (setjmp(png_jmpbuf(r.png))) return false;
  png_read_image(r.png, rows);
  png_read_end(r.png, r.info);
  return true;
}

}  // namespace

namespace {

// Says what is wrong with a picture or with writing it, under `name`.
void encode_to(std::FILE* stream, const std::filesystem::path& name, const Image& image,
               const std::map<std::string, std::string>& text) {
  const auto width = static_cast<std::size_t>(image.width);
  if (image.width <= 0 || image.height <= 0 || image.width > static_cast<int>(kMaxSide) ||
      image.height > static_cast<int>(kMaxSide) ||
      image.pixels.size() != width * static_cast<std::size_t>(image.height) * 4) {
    fail(name, base::tr("a picture must have 1 to 65535 pixels in each direction, and four bytes per pixel"));
  }
  // libpng does not change the rows, but its types do not say so.
  std::vector<png_bytep> rows(static_cast<std::size_t>(image.height));
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = const_cast<png_bytep>(image.pixels.data() + y * width * 4);
  const TextChunks chunks(text);
  Message message;
  const Writer writer(message);
  if (!writer.info) fail(name, base::tr("cannot write: out of memory"));
  errno = 0;
  if (!encode(writer, stream, image, chunks, rows.data())) {
    const int error = errno;  // a full disk shows here; libpng itself only says "Write Error"
    fail(name, std::string(base::tr("cannot write")) + ": " +
                   (error != 0 ? base::system_error_text(error) : std::string(message.text)));
  }
}

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image, const std::map<std::string, std::string>& text) {
  AtomicFile file(path);
  encode_to(file.stream(), path, image, text);
  file.commit();
}

std::vector<std::uint8_t> png_bytes(const Image& image, const std::map<std::string, std::string>& text) {
  struct Memory {
    char* bytes = nullptr;
    std::size_t size = 0;
    std::FILE* stream = open_memstream(&bytes, &size);
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() {
      if (stream) std::fclose(stream);
      std::free(bytes);
    }
  } memory;
  const char* const name = base::tr("PNG in memory");
  if (!memory.stream) fail(name, base::tr("cannot write: out of memory"));
  encode_to(memory.stream, name, image, text);
  if (std::fflush(memory.stream) != 0) fail(name, base::tr("cannot write: out of memory"));
  return {memory.bytes, memory.bytes + memory.size};
}

Image read_png(const std::filesystem::path& path, std::map<std::string, std::string>* text) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    fail(path, std::string(base::tr("cannot read")) + ": " + base::system_error_text(EISDIR));
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail(path, std::string(base::tr("cannot read")) + ": " + base::system_error_text(errno));

  Message message;
  const Reader reader(message);
  if (!reader.info) fail(path, base::tr("cannot read: out of memory"));
  const auto broken = [&] { fail(path, std::string(base::tr("not a readable PNG")) + ": " + message.text); };
  png_uint_32 width = 0, height = 0;
  std::uint64_t encoded_row_bytes = 0;
  if (!decode_header(reader, file.get(), &width, &height, &encoded_row_bytes)) broken();
  if (std::uint64_t{width} * height > kMaxPixels) fail(path, base::tr("not a readable PNG: the picture is too large"));
  // A few bytes that claim a huge picture are not worth the memory: no compressed byte stands for more than 1,032.
  const std::uintmax_t file_bytes = std::filesystem::file_size(path, ignored);
  if (!ignored && encoded_row_bytes * height / 1032 > file_bytes) {
    fail(path, base::tr("not a readable PNG: the file is too short for the picture it announces"));
  }
  const std::size_t stride = std::size_t{width} * 4;
  if (png_get_rowbytes(reader.png, reader.info) != stride)
    fail(path, base::tr("not a readable PNG: unknown pixel format"));

  Image image{static_cast<int>(width), static_cast<int>(height), {}};
  image.pixels.resize(stride * height);
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = image.pixels.data() + y * stride;
  if (!decode_pixels(reader, rows.data())) broken();

  if (text) {
    png_textp chunks = nullptr;
    int count = 0;
    png_get_text(reader.png, reader.info, &chunks, &count);
    for (int i = 0; i < count; ++i) {
      const png_text& chunk = chunks[i];
      if (!chunk.key || !chunk.text) continue;
      const bool unicode = chunk.compression >= PNG_ITXT_COMPRESSION_NONE;
      (*text)[from_latin1(chunk.key)] = unicode ? valid_utf8(chunk.text) : from_latin1(chunk.text);
    }
  }
  return image;
}

}  // namespace lanescope::io
