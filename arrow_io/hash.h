#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace spuna::arrow_io {

/// XXH3 of some bytes: fast, and the same on every machine. Nothing that keeps secrets.
std::uint64_t Hash(const void* bytes, std::size_t num_bytes, std::uint64_t seed = 0);

/// 128 bits of it as 32 hexadecimal digits.
std::string HashDigits(const std::string& bytes);

/// The same of bytes that come one part after another.
class RunningHash {
 public:
  RunningHash();
  ~RunningHash();

  void Add(const void* bytes, std::size_t num_bytes);
  std::string Digits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spuna::arrow_io
