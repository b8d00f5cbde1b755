#include "pipelines/report/thumbnail.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "pipelines/report/picture_orientation.h"
#include "pipelines/report/pictures.h"

namespace {

// A small file can claim to unpack to gigabytes. 64 megapixels of four bytes fit; more is refused.
constexpr std::size_t kMaxAllocation = 320'000'000;

void* LimitedAllocate(std::size_t size) { return size > kMaxAllocation ? nullptr : malloc(size); }
void* LimitedReallocate(void* memory, std::size_t size) {
  return size > kMaxAllocation ? nullptr : realloc(memory, size);
}

}  // namespace

// stb is compiled here and nowhere else, for this file alone: others that use it define it too.
#define STBI_MALLOC(size) LimitedAllocate(size)
#define STBI_REALLOC(memory, size) LimitedReallocate(memory, size)
#define STBI_FREE(memory) free(memory)
#define STBI_ASSERT(condition) ((void)0)  // Bytes of users never abort.
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_GIF
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>
#ifndef STBIR_NO_SIMD
#define STBIR_NO_SIMD
#endif
#define STB_IMAGE_RESIZE_STATIC
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb_image_resize2.h>
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

namespace spuna {
namespace {

constexpr std::size_t kMaxInput = 100'000'000;
constexpr std::int64_t kMaxPixels = 64'000'000;
constexpr int kMaxSide = 320;
constexpr int kMinSide = 16;

// Rows of pixels, four bytes each: red, green, blue, opacity.
struct Picture {
  int width;
  int height;
  std::vector<std::uint8_t> pixels;
};

const stbi_uc* Begin(const std::string& bytes) {
  return reinterpret_cast<const stbi_uc*>(bytes.data());
}

// Scaled to `side` pixels on the longer side; empty where that fails.
Picture Scale(const std::uint8_t* pixels, int width, int height, int side) {
  const double factor = static_cast<double>(side) / std::max(width, height);
  const auto scaled = [factor](int length) {
    return std::max(1, static_cast<int>(std::lround(factor * length)));
  };
  Picture result{scaled(width), scaled(height), {}};
  result.pixels.resize(4 * static_cast<std::size_t>(result.width) * result.height);
  const auto* done = stbir_resize_uint8_srgb(pixels, width, height, 0, result.pixels.data(),
                                             result.width, result.height, 0, STBIR_RGBA);
  if (done == nullptr) result.pixels.clear();
  return result;
}

Picture Decode(const std::string& bytes) {
  int width = 0;
  int height = 0;
  int channels = 0;
  const std::unique_ptr<stbi_uc, decltype(&free)> pixels(
      stbi_load_from_memory(Begin(bytes), static_cast<int>(bytes.size()), &width, &height,
                            &channels, 4),
      free);
  if (pixels == nullptr) return {};
  return Scale(pixels.get(), width, height, std::min(kMaxSide, std::max(width, height)));
}

// The picture as its camera saw it, by an orientation of EXIF.
Picture Turn(const Picture& picture, int orientation) {
  const bool swaps = orientation >= 5;
  const bool from_right = orientation == 2 || orientation == 3 || orientation >= 7;
  const bool from_below =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Picture turned{
      swaps ? picture.height : picture.width, swaps ? picture.width : picture.height, {}};
  turned.pixels.resize(picture.pixels.size());
  std::uint8_t* to = turned.pixels.data();
  for (int row = 0; row < turned.height; ++row) {
    for (int column = 0; column < turned.width; ++column) {
      int x = swaps ? row : column;
      int y = swaps ? column : row;
      if (from_right) x = picture.width - 1 - x;
      if (from_below) y = picture.height - 1 - y;
      const auto at = 4 * (static_cast<std::size_t>(y) * picture.width + x);
      to = std::copy_n(picture.pixels.data() + at, 4, to);
    }
  }
  return turned;
}

// Puts the picture on white: JPEG has no opacity, and what is transparent may have any color.
void Flatten(Picture& picture) {
  for (std::size_t i = 0; i < picture.pixels.size(); i += 4) {
    const int opacity = picture.pixels[i + 3];
    for (std::size_t color = i; color < i + 3; ++color) {
      const int mixed = picture.pixels[color] * opacity + 255 * (255 - opacity);
      picture.pixels[color] = static_cast<std::uint8_t>((mixed + 127) / 255);
    }
    picture.pixels[i + 3] = 255;
  }
}

std::string EncodeJpeg(const Picture& picture, int quality) {
  std::string encoded;
  const auto append = [](void* target, void* data, int size) {
    static_cast<std::string*>(target)->append(static_cast<const char*>(data),
                                              static_cast<std::size_t>(size));
  };
  if (stbi_write_jpg_to_func(append, &encoded, picture.width, picture.height, 4,
                             picture.pixels.data(), quality) == 0) {
    return "";
  }
  return encoded;
}

std::string UriThatFits(const std::string& bytes, std::size_t max_bytes) {
  // Four characters for three bytes: what is larger anyway is not worth encoding.
  if (bytes.size() > max_bytes) return "";
  std::string uri = ToDataUri(bytes);
  return uri.size() <= max_bytes ? uri : "";
}

}  // namespace

std::string ThumbnailUri(const std::string& bytes, std::size_t max_bytes) {
  if (bytes.empty() || bytes.size() > kMaxInput) return "";
  const bool is_webp = bytes.starts_with("RIFF");
  if (is_webp) return UriThatFits(bytes, max_bytes);
  int width = 0;
  int height = 0;
  int channels = 0;
  if (stbi_info_from_memory(Begin(bytes), static_cast<int>(bytes.size()), &width, &height,
                            &channels) == 0 ||
      width < 1 || height < 1 || std::int64_t{width} * height > kMaxPixels) {
    return "";
  }
  std::string as_it_is = UriThatFits(bytes, max_bytes);
  if (!as_it_is.empty()) return as_it_is;
  Picture picture = Decode(bytes);
  if (picture.pixels.empty()) return "";
  if (const int orientation = OrientationOf(bytes); orientation != 1) {
    picture = Turn(picture, orientation);
  }
  Flatten(picture);
  while (true) {
    for (const int quality : {85, 70, 55, 40}) {
      std::string uri = UriThatFits(EncodeJpeg(picture, quality), max_bytes);
      if (!uri.empty()) return uri;
    }
    const int side = std::max(picture.width, picture.height) * 3 / 4;
    if (side < kMinSide) return "";
    picture = Scale(picture.pixels.data(), picture.width, picture.height, side);
    if (picture.pixels.empty()) return "";
  }
}

}  // namespace spuna
