#include "pipelines/matrix/untouched_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace spuna {

void* AllocateUntouched(std::size_t num_bytes) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const bool is_large = num_bytes >= 4 * kLargePage;
  const std::size_t alignment = is_large ? kLargePage : alignof(std::max_align_t);
  if (num_bytes > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc();
  const std::size_t rounded = (num_bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, std::max(rounded, alignment));
  if (memory == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (is_large) madvise(memory, rounded, MADV_HUGEPAGE);  // A wish: whether it is heard or not.
#endif
  return memory;
}

void FreeUntouched(void* memory) { std::free(memory); }

}  // namespace spuna
