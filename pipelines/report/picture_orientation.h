#pragma once

#include <string_view>

namespace spuna {

/// How the camera of a JPEG was held, by its EXIF data: 1 (upright) to 8, as EXIF numbers them. 1
/// for everything else.
int OrientationOf(std::string_view jpeg);

}  // namespace spuna
