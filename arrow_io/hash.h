#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace spuna::arrow_io {

/// XXH3 of some bytes: fast, and the same on every machine. Nothing that keeps secrets.
std::uint64_t Hash(const void* bytes, std::size_t num_bytes, std::uint64_t seed = 0);

/// 128 bits of it as 32 hexadecimal digits.
std::string HashDigits(const std::string& bytes);

}  // namespace spuna::arrow_io
