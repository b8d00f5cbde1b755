#include "pipelines/report/picture_orientation.h"

#include <cstddef>
#include <cstdint>

namespace spuna {
namespace {

constexpr int kUpright = 1;

// Numbers in a part of a file, in its own order of bytes. What lies beyond its end is 0.
class Numbers {
 public:
  Numbers(std::string_view bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}

  std::uint32_t At(std::size_t position, std::size_t size) const {
    if (position > bytes_.size() || bytes_.size() - position < size) return 0;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t next = position + (big_endian_ ? i : size - 1 - i);
      number = number << 8U | static_cast<unsigned char>(bytes_[next]);
    }
    return number;
  }

 private:
  std::string_view bytes_;
  bool big_endian_;
};

// The EXIF data of a JPEG, which is a TIFF file; empty where it has none.
std::string_view FindExif(std::string_view jpeg) {
  constexpr std::string_view kName("Exif\0\0", 6);
  constexpr std::uint32_t kExif = 0xffe1;
  constexpr std::uint32_t kPixels = 0xffda;
  const Numbers numbers(jpeg, /*big_endian=*/true);
  if (numbers.At(0, 2) != 0xffd8) return {};
  for (std::size_t at = 2; at + 4 <= jpeg.size();) {
    const std::uint32_t marker = numbers.At(at, 2);
    const std::size_t size = numbers.At(at + 2, 2);
    if (marker < 0xff00 || marker == kPixels || size < 2) return {};
    const std::string_view part = jpeg.substr(at + 4, size - 2);
    if (marker == kExif && part.starts_with(kName)) return part.substr(kName.size());
    at += 2 + size;
  }
  return {};
}

}  // namespace

int OrientationOf(std::string_view jpeg) {
  constexpr std::size_t kEntrySize = 12;
  constexpr std::uint32_t kOrientation = 0x112;
  const std::string_view tiff = FindExif(jpeg);
  const Numbers numbers(tiff, tiff.starts_with("MM"));
  const std::size_t directory = numbers.At(4, 4);
  const std::size_t num_entries = numbers.At(directory, 2);
  for (std::size_t i = 0; i < num_entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntrySize;
    if (entry + kEntrySize > tiff.size()) break;
    if (numbers.At(entry, 2) != kOrientation) continue;
    const auto orientation = static_cast<int>(numbers.At(entry + 8, 2));
    return orientation >= 1 && orientation <= 8 ? orientation : kUpright;
  }
  return kUpright;
}

}  // namespace spuna
