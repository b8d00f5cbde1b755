#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace spuna {

/// Memory that nobody has touched yet, in large pages where the system has them: a matrix of
/// gigabytes then comes without millions of page faults. Throws std::bad_alloc.
void* AllocateUntouched(std::size_t num_bytes);
void FreeUntouched(void* memory);

/// A vector whose new elements are not set, so that whoever fills them is the first to touch their
/// memory.
template <typename T>
struct UninitializedAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  T* allocate(std::size_t count) { return static_cast<T*>(AllocateUntouched(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { FreeUntouched(memory); }

  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

template <typename T>
using UntouchedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace spuna
