#pragma once

#include <arrow/status.h>

#include <string>

#include "pipelines/model/safetensors.h"

namespace spuna {

/// The bytes of a safetensors file that holds its own checksum, as the metadata `checksum`: the 128
/// bits of XXH3, 32 hexadecimal digits, of the file's bytes with zeros in place of the digits.
std::string SerializeWithChecksum(Safetensors file);

/// Checks the bytes that `file` was read from against its checksum. An error where the two differ,
/// and where `is_required` and there is none.
arrow::Status VerifyChecksum(const std::string& bytes, const Safetensors& file, bool is_required);

}  // namespace spuna
