// Digests of text: to tell whether two are the same, and whether one was changed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lanescope::lesson {

/// SHA-256, as 64 hex digits.
std::string digest_of(std::string_view text);

inline constexpr std::size_t kSealDigits = 32;
/// HMAC-SHA-256 of the fields and their order, with this program's key: the first 32 hex digits.
std::string seal_of(std::span<const std::string> fields);

/// The fields as one text from which they could be read again, so that different fields give different texts.
std::string joined_fields(std::span<const std::string> fields);

}  // namespace lanescope::lesson
