// The same, compressed: the JSON inside is mutated, and at times the compressed bytes.
#include <zlib.h>

#include "examine.h"
#include "io/trace_file.h"
#include "json_mutator.h"

using namespace lanescope;

namespace {

constexpr int kGzip = 15 + 16;  // for zlib: the window's size, and gzip's head

std::string inflated(std::string_view bytes) {
  std::string out(std::size_t{1} << 20, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

std::string deflated(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::accepted(
      [&] { fuzz::examine(io::read_chrome_trace(bytes, "input.json.gz", nullptr, fuzz::limits_for(bytes)), bytes); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  fuzz::Dice dice(seed);
  if (dice.one_in(3)) return LLVMFuzzerMutate(data, size, max_size);
  std::string made = deflated(fuzz::mutated_json(inflated(fuzz::text_of(data, size)), dice));
  if (dice.one_in(8)) made += made;  // a file may have several members
  return fuzz::give(made, data, size, max_size);
}
