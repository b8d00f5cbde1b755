#include "algorithms/compute/vector_kernels_internal.h"

namespace spuna::algorithms {

extern const VectorKernels kAvx2Kernels;
const VectorKernels kAvx2Kernels = MakeKernels("avx2");

}  // namespace spuna::algorithms
