#include "session_mutator.h"

#include <zstd.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "io/session_format.h"

namespace lanescope::fuzz {
namespace {

namespace session = io::session;

struct Chunk {
  std::uint32_t type = 0;
  std::string content;
};

std::vector<Chunk> chunks_of(std::string_view bytes) {
  std::vector<Chunk> chunks;
  bytes.remove_prefix(std::min(bytes.size(), session::kFileHeadBytes));
  while (bytes.size() >= session::kChunkHeadBytes) {
    session::Bytes head(bytes.substr(0, session::kChunkHeadBytes));
    const auto type = head.take<std::uint32_t>(), packing = head.take<std::uint32_t>();
    const auto stored = head.take<std::uint32_t>(), size = head.take<std::uint32_t>();
    bytes.remove_prefix(session::kChunkHeadBytes);
    const std::string_view content = bytes.substr(0, std::min<std::size_t>(stored, bytes.size()));
    bytes.remove_prefix(content.size());
    Chunk chunk{type, {}};
    if (packing == static_cast<std::uint32_t>(session::Packing::Zstd) && size <= (1u << 20)) {
      chunk.content.resize(size);
      const std::size_t unpacked = ZSTD_decompress(chunk.content.data(), size, content.data(), content.size());
      chunk.content.resize(ZSTD_isError(unpacked) ? 0 : unpacked);
    } else {
      chunk.content = content;
    }
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

std::string file_of(const std::vector<Chunk>& chunks, Dice& dice) {
  std::string file(session::kMagic);
  session::put(file, dice.one_in(100) ? static_cast<std::uint16_t>(dice.below(4)) : session::kFormat);
  session::put(file, std::uint16_t{0});
  session::put(file, session::checksum(file));
  for (const Chunk& chunk : chunks) {
    std::string content = chunk.content;
    auto packing = static_cast<std::uint32_t>(session::Packing::None);
    auto size = static_cast<std::uint32_t>(content.size());
    if (dice.one_in(4)) {
      std::string packed(ZSTD_compressBound(content.size()), '\0');
      packed.resize(ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 1));
      content = std::move(packed);
      packing = static_cast<std::uint32_t>(session::Packing::Zstd);
    }
    if (dice.one_in(100)) packing = static_cast<std::uint32_t>(dice.below(4));
    if (dice.one_in(100)) size = static_cast<std::uint32_t>(dice.extreme());
    std::string head;
    session::put(head, chunk.type);
    session::put(head, packing);
    session::put(head, static_cast<std::uint32_t>(content.size()));
    session::put(head, size);
    session::put(head, session::checksum(content));
    session::put(head, session::checksum(head));
    file += head + content;
  }
  return file;
}

constexpr std::uint32_t kTypes[] = {session::kFacts,     session::kHealth,   session::kLanes,  session::kNames,
                                    session::kArguments, session::kLaunches, session::kStacks, session::kEvents,
                                    session::kNotes,     session::kCoverage, session::kStep,   session::kEnd};

void change_content(std::string& content, Dice& dice) {
  if (dice.one_in(2) || content.empty()) {  // as bytes
    const std::size_t room = content.size() + 64, size = content.size();
    content.resize(room);
    content.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(content.data()), size, room));
    return;
  }
  // A number of one to eight bytes.
  const std::size_t width = std::min<std::size_t>(std::size_t{1} << dice.below(4), content.size());
  const std::size_t at = dice.below(content.size() - width + 1);
  const std::int64_t value = dice.extreme();
  content.replace(at, width, reinterpret_cast<const char*>(&value), width);
}

void change_chunks(std::vector<Chunk>& chunks, Dice& dice) {
  if (chunks.empty()) chunks.push_back({kTypes[dice.below(std::size(kTypes))], {}});
  const std::size_t a = dice.below(chunks.size()), b = dice.below(chunks.size());
  switch (dice.below(10)) {
    case 0:
      std::swap(chunks[a], chunks[b]);
      break;
    case 1: {
      Chunk copy = chunks[a];
      chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(b), std::move(copy));
      break;
    }
    case 2:
      chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(a));
      break;
    case 3:
      chunks[a].type = dice.one_in(4) ? static_cast<std::uint32_t>(dice.bits()) : kTypes[dice.below(std::size(kTypes))];
      break;
    default:
      change_content(chunks[a].content, dice);
  }
}

std::string mutated_session(std::string_view bytes, Dice& dice) {
  std::vector<Chunk> chunks = chunks_of(bytes);
  for (std::size_t n = 1 + dice.below(3); n > 0; --n) change_chunks(chunks, dice);
  return file_of(chunks, dice);
}

}  // namespace

std::size_t mutate_session(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  Dice dice(seed);
  if (dice.one_in(8)) return LLVMFuzzerMutate(data, size, max_size);
  return give(mutated_session(text_of(data, size), dice), data, size, max_size);
}

}  // namespace lanescope::fuzz
