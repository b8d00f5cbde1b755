#include "algorithms/compute/vector_kernels.h"

#include <vector>

namespace spuna::algorithms {

extern const VectorKernels kPortableKernels;
#if defined(__x86_64__)
extern const VectorKernels kAvx2Kernels;
extern const VectorKernels kAvx512Kernels;
#endif

std::span<const VectorKernels* const> AvailableKernels() {
  static const std::vector<const VectorKernels*> available = [] {
    std::vector<const VectorKernels*> found{&kPortableKernels};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) found.push_back(&kAvx2Kernels);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
      found.push_back(&kAvx512Kernels);
    }
#endif
    return found;
  }();
  return available;
}

const VectorKernels& Kernels() {
  static const VectorKernels& widest = *AvailableKernels().back();
  return widest;
}

}  // namespace spuna::algorithms
