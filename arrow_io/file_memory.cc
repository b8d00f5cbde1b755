#include "arrow_io/file_memory.h"

#include <arrow/memory_pool.h>

#include <cstdlib>

namespace spuna::arrow_io {

arrow::MemoryPool* FileMemory() {
  static arrow::MemoryPool* const pool = [] {
    arrow::MemoryPool* jemalloc = nullptr;
    // Whoever names a pool gets it.
    const bool is_chosen = std::getenv("ARROW_DEFAULT_MEMORY_POOL") != nullptr;
    return !is_chosen && arrow::jemalloc_memory_pool(&jemalloc).ok() ? jemalloc
                                                                     : arrow::default_memory_pool();
  }();
  return pool;
}

}  // namespace spuna::arrow_io
