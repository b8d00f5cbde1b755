#pragma once

#include <arrow/type_fwd.h>

namespace spuna::arrow_io {

/// The memory that files are read into and written from. Buffers of many megabytes come and go with
/// every batch; jemalloc, where Arrow has it, keeps them, while Arrow's usual choice gives them
/// back to the system and pays for fresh pages each time.
arrow::MemoryPool* FileMemory();

}  // namespace spuna::arrow_io
