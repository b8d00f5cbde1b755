#pragma once

#include <cstdint>
#include <string>

namespace spuna {

/// 14000 as "14,000".
std::string Count(std::int64_t count);

/// A number in the manner of printf.
std::string Format(const char* format, double value);

/// 0.0213 as "2.1 %".
std::string Percent(double share);

}  // namespace spuna
