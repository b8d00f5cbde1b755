#pragma once

#include <cstddef>
#include <string>

namespace spuna {

/// The bytes of a PNG, JPEG, GIF or WebP as a data: URI of at most `max_bytes` characters, for a
/// page that shows many pictures.
///
/// A picture that fits is taken as it is. A larger one becomes a JPEG of at most 320 pixels a side,
/// on white where it is transparent, smaller and coarser until it fits. "" where there is nothing
/// to show: other bytes, a broken file, a picture of more than 64 megapixels, or a WebP that does
/// not fit, since WebP is not decoded.
std::string ThumbnailUri(const std::string& bytes, std::size_t max_bytes);

}  // namespace spuna
