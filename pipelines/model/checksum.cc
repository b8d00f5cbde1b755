#include "pipelines/model/checksum.h"

#include <cstddef>
#include <utility>

#include "arrow_io/hash.h"

namespace spuna {
namespace {

constexpr const char* kKey = "checksum";
constexpr std::size_t kNumDigits = 32;

std::string Zeros() { return std::string(kNumDigits, '0'); }

// Where the digits begin; npos if they are nowhere. Quotes inside of other texts have a backslash
// before them, so this can only be the key.
std::size_t PlaceOf(const std::string& digits, const std::string& bytes) {
  const std::string before = std::string("\"") + kKey + "\":\"";
  const std::size_t place = bytes.find(before + digits + "\"");
  return place == std::string::npos ? place : place + before.size();
}

}  // namespace

std::string SerializeWithChecksum(Safetensors file) {
  file.metadata[kKey] = Zeros();
  std::string bytes = file.Serialize();
  return bytes.replace(PlaceOf(Zeros(), bytes), kNumDigits, arrow_io::HashDigits(bytes));
}

arrow::Status VerifyChecksum(const std::string& bytes, const Safetensors& file, bool is_required) {
  const auto entry = file.metadata.find(kKey);
  if (entry == file.metadata.end()) {
    if (!is_required) return arrow::Status::OK();
    return arrow::Status::Invalid("it is damaged: it has no checksum; fit again or take a backup");
  }
  const std::string& expected = entry->second;
  const std::size_t place = PlaceOf(expected, bytes);
  std::string zeroed = bytes;
  if (place != std::string::npos && expected.size() == kNumDigits) {
    zeroed.replace(place, kNumDigits, Zeros());
  }
  const std::string found = arrow_io::HashDigits(zeroed);
  if (found == expected) return arrow::Status::OK();
  return arrow::Status::Invalid("it is damaged: its checksum is ", found, " but should be ",
                                expected, "; fit again or take a backup");
}

}  // namespace spuna
