#include "pipelines/report/thumbnail.h"

#include <arrow/util/base64.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "pipelines/report/pictures.h"

#define STBI_NO_STDIO
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

namespace spuna {
namespace {

constexpr std::size_t kMax = 25'000;
constexpr std::string_view kJpegUri = "data:image/jpeg;base64,";

struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> colors;  // Red, green and blue of each.
};

void Append(void* target, void* data, int size) {
  static_cast<std::string*>(target)->append(static_cast<const char*>(data), size);
}

// Noise around a color, which no format makes small.
std::vector<std::uint8_t> Noise(int width, int height, int channels, int around) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(width) * height * channels);
  std::uint32_t state = 7;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::uint8_t>(around + static_cast<int>(state >> 26) - 32);
  }
  return bytes;
}

std::string Png(int width, int height, int around = 120) {
  std::string png;
  const auto bytes = Noise(width, height, 3, around);
  stbi_write_png_to_func(Append, &png, width, height, 3, bytes.data(), 3 * width);
  return png;
}

std::string Jpeg(int width, int height) {
  std::string jpeg;
  const auto bytes = Noise(width, height, 3, 120);
  stbi_write_jpg_to_func(Append, &jpeg, width, height, 3, bytes.data(), 95);
  return jpeg;
}

Pixels Decode(std::string_view uri) {
  BOOST_REQUIRE(uri.starts_with(kJpegUri));
  const std::string bytes = *arrow::util::base64_decode(uri.substr(kJpegUri.size()));
  Pixels pixels;
  int channels = 0;
  stbi_uc* const data = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()),
                                              static_cast<int>(bytes.size()), &pixels.width,
                                              &pixels.height, &channels, 3);
  BOOST_REQUIRE(data != nullptr);
  pixels.colors.assign(data, data + 3 * pixels.width * pixels.height);
  stbi_image_free(data);
  return pixels;
}

double Mean(const std::vector<std::uint8_t>& values) {
  double sum = 0;
  for (const std::uint8_t value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The beginning of a PNG, as far as its size; the checksum is not looked at.
std::string PngHeader(std::uint32_t width, std::uint32_t height) {
  std::string header("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16);
  for (const std::uint32_t length : {width, height}) {
    for (const int shift : {24, 16, 8, 0}) header += static_cast<char>(length >> shift);
  }
  header += std::string("\x08\x02\0\0\0\0\0\0\0", 9);
  return header;
}

BOOST_AUTO_TEST_SUITE(thumbnail)

BOOST_AUTO_TEST_CASE(a_small_picture_is_taken_as_it_is) {
  for (const std::string& bytes : {Png(1, 1), Png(40, 30), Png(1, 500), Jpeg(64, 64)}) {
    BOOST_REQUIRE(bytes.size() < kMax / 2);
    BOOST_TEST(ThumbnailUri(bytes, kMax) == ToDataUri(bytes));
  }
  const std::string webp("RIFF\x10\0\0\0WEBPVP8 ", 16);
  BOOST_TEST(ThumbnailUri(webp, kMax) == ToDataUri(webp));
}

BOOST_AUTO_TEST_CASE(a_large_picture_shrinks_and_keeps_its_shape) {
  struct Case {
    int width, height, expected_width, expected_height;
  };
  for (const Case& size : {Case{1200, 800, 320, 213}, Case{300, 900, 107, 320},
                           Case{4000, 3, 320, 1}, Case{200, 100, 200, 100}}) {
    BOOST_TEST_CONTEXT(size.width << " x " << size.height) {
      const std::string uri = ThumbnailUri(Png(size.width, size.height), kMax);
      BOOST_TEST(uri.size() <= kMax);
      const Pixels pixels = Decode(uri);
      // Noise may have to shrink further, in the same shape.
      BOOST_TEST(pixels.width <= size.expected_width);
      BOOST_TEST(pixels.height <= size.expected_height);
      const double wanted = static_cast<double>(size.expected_width) / size.expected_height;
      const double found = static_cast<double>(pixels.width) / pixels.height;
      if (size.expected_height > 1) BOOST_TEST(std::abs(found - wanted) < 0.03 * wanted);
      BOOST_TEST(std::abs(Mean(pixels.colors) - 120) < 4);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_picture_that_is_easy_to_encode_keeps_all_320_pixels) {
  const std::vector<std::uint8_t> gray(3 * 2000 * 1000, 90);
  std::string png;
  stbi_write_png_to_func(Append, &png, 2000, 1000, 3, gray.data(), 6000);
  const std::string uri = ThumbnailUri(png, png.size());
  const Pixels pixels = Decode(uri);
  BOOST_TEST(pixels.width == 320);
  BOOST_TEST(pixels.height == 160);
}

BOOST_AUTO_TEST_CASE(a_picture_is_never_made_larger) {
  const std::string png = Png(130, 130);
  BOOST_REQUIRE(png.size() > kMax);
  const Pixels pixels = Decode(ThumbnailUri(png, kMax));
  BOOST_TEST(pixels.width <= 130);
  BOOST_TEST(pixels.height == pixels.width);
}

BOOST_AUTO_TEST_CASE(a_jpeg_shrinks_too) {
  const std::string jpeg = Jpeg(600, 600);
  BOOST_REQUIRE(jpeg.size() > kMax);
  const std::string uri = ThumbnailUri(jpeg, kMax);
  BOOST_TEST(uri.size() <= kMax);
  BOOST_TEST(std::abs(Mean(Decode(uri).colors) - 120) < 4);
}

BOOST_AUTO_TEST_CASE(every_limit_is_kept_or_there_is_nothing) {
  const std::string png = Png(700, 500);
  for (const std::size_t max : {0, 1, 100, 1'000, 2'000, 5'000, 10'000, 25'000, 60'000}) {
    BOOST_TEST_CONTEXT(max) {
      const std::string uri = ThumbnailUri(png, max);
      BOOST_TEST(uri.size() <= max);
      BOOST_TEST(uri.empty() == (max < 1'000));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_transparent_becomes_white) {
  std::vector<std::uint8_t> bytes = Noise(400, 400, 4, 40);
  for (std::size_t i = 3; i < bytes.size(); i += 4) bytes[i] = 0;
  std::string png;
  stbi_write_png_to_func(Append, &png, 400, 400, 4, bytes.data(), 1600);
  BOOST_REQUIRE(png.size() > kMax);
  BOOST_TEST(Mean(Decode(ThumbnailUri(png, kMax)).colors) > 253);
}

// A JPEG, black but for its white upper left quarter, with EXIF data in either order of bytes.
std::string TurnedJpeg(char orientation, bool big_endian) {
  constexpr int kWidth = 900;
  constexpr int kHeight = 600;
  std::vector<std::uint8_t> pixels = Noise(kWidth, kHeight, 3, 40);
  for (int y = 0; y < kHeight / 2; ++y) {
    for (int i = 0; i < 3 * kWidth / 2; ++i) pixels[3 * kWidth * y + i] += 160;
  }
  std::string jpeg;
  stbi_write_jpg_to_func(Append, &jpeg, kWidth, kHeight, 3, pixels.data(), 95);
  std::string tiff = big_endian
                         ? std::string("MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19)
                         : std::string("II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18);
  tiff += orientation;
  tiff.resize(28, '\0');
  const std::string exif = std::string(
                               "\xff\xe1\0\x24"
                               "Exif\0\0",
                               10) +
                           tiff;
  return jpeg.substr(0, 2) + exif + jpeg.substr(2);
}

BOOST_AUTO_TEST_CASE(a_picture_is_turned_as_its_camera_was_held) {
  // Where the white quarter of the file belongs: right, and below.
  struct Case {
    char orientation;
    bool swaps, right, below;
  };
  for (const Case& held :
       {Case{1, false, false, false}, Case{2, false, true, false}, Case{3, false, true, true},
        Case{4, false, false, true}, Case{5, true, false, false}, Case{6, true, true, false},
        Case{7, true, true, true}, Case{8, true, false, true}, Case{0, false, false, false},
        Case{9, false, false, false}}) {
    for (const bool big_endian : {false, true}) {
      BOOST_TEST_CONTEXT("orientation " << int{held.orientation}) {
        const Pixels pixels = Decode(ThumbnailUri(TurnedJpeg(held.orientation, big_endian), kMax));
        BOOST_TEST((pixels.height > pixels.width) == held.swaps);
        for (const bool right : {false, true}) {
          for (const bool below : {false, true}) {
            const int x = pixels.width * (right ? 3 : 1) / 4;
            const int y = pixels.height * (below ? 3 : 1) / 4;
            const bool is_white = pixels.colors[3 * (y * pixels.width + x)] > 120;
            BOOST_TEST(is_white == (right == held.right && below == held.below));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(other_bytes_are_nothing) {
  const std::string webp = std::string("RIFF\x10\0\0\0WEBPVP8 ", 16) + std::string(kMax, 'x');
  const std::string bitmap = "BM" + std::string(100, '\0');
  for (const std::string& bytes :
       {std::string(), std::string("x"), std::string(100'000, 'x'), std::string(100'000, '\0'),
        std::string("RIFF"), std::string("\xff\xd8\xff"), std::string("GIF8"),
        std::string("GIF89a"), std::string("<svg/>"), webp, bitmap}) {
    BOOST_TEST(ThumbnailUri(bytes, kMax) == "");
  }
}

BOOST_AUTO_TEST_CASE(a_picture_that_claims_to_be_vast_is_refused) {
  for (const std::uint32_t side : {8'001u, 60'000u, 1u << 24, 0x7fffffffu, 0xffffffffu}) {
    for (const std::size_t more : {0u, 100u, 100'000u}) {
      BOOST_TEST(ThumbnailUri(PngHeader(side, side) + std::string(more, 'x'), kMax) == "");
    }
  }
  BOOST_TEST(ThumbnailUri(PngHeader(0, 0), kMax) == "");
  BOOST_TEST(ThumbnailUri(PngHeader(0, 10), kMax) == "");
  const std::string gif("GIF89a\xff\xff\xff\xff\0\0\0", 13);
  BOOST_TEST(ThumbnailUri(gif + std::string(100'000, 'x'), kMax) == "");
}

// Whatever comes back fits; under the sanitizers this also shows that nothing is read too far.
void CheckAnyBytes(const std::string& bytes) {
  const std::string uri = ThumbnailUri(bytes, kMax);
  BOOST_TEST(uri.size() <= kMax);
  if (!uri.empty()) BOOST_TEST(uri.starts_with("data:image/"));
}

BOOST_AUTO_TEST_CASE(files_cut_at_any_length_do_no_harm) {
  for (const std::string& whole : {Png(200, 150), TurnedJpeg(6, true)}) {
    BOOST_REQUIRE(whole.size() > 2 * kMax);
    for (std::size_t length = 0; length < 200; ++length) CheckAnyBytes(whole.substr(0, length));
    for (std::size_t length = 200; length < whole.size(); length += whole.size() / 60) {
      CheckAnyBytes(whole.substr(0, length));
    }
  }
}

BOOST_AUTO_TEST_CASE(files_with_damage_anywhere_do_no_harm) {
  for (const std::string& whole : {Png(200, 150), TurnedJpeg(6, true)}) {
    for (std::size_t i = 0; i < whole.size(); i += i < 700 ? 7 : whole.size() / 60) {
      for (const char mask : {'\xff', '\x01', '\x40'}) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ mask);
        CheckAnyBytes(damaged);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
