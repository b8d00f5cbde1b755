#include "arrow_io/hash.h"

// The functions as a part of this file: nothing to link, and nothing for others to find.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>

namespace spuna::arrow_io {

std::uint64_t Hash(const void* bytes, std::size_t num_bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, num_bytes, seed);
}

namespace {

std::string Digits(const XXH128_hash_t& hash) {
  char digits[33];
  std::snprintf(digits, sizeof(digits), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return digits;
}

}  // namespace

std::string HashDigits(const std::string& bytes) {
  return Digits(XXH3_128bits(bytes.data(), bytes.size()));
}

struct RunningHash::State {
  XXH3_state_t state;
};

RunningHash::RunningHash() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->state);
}

RunningHash::~RunningHash() = default;

void RunningHash::Add(const void* bytes, std::size_t num_bytes) {
  XXH3_128bits_update(&state_->state, bytes, num_bytes);
}

std::string RunningHash::Digits() const {
  return arrow_io::Digits(XXH3_128bits_digest(&state_->state));
}

}  // namespace spuna::arrow_io
