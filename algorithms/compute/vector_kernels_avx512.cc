// A table of vector_kernels.h, compiled for one instruction set: no header of its own.

#include "algorithms/compute/vector_kernels_internal.h"

namespace spuna::algorithms {

extern const VectorKernels kAvx512Kernels;
const VectorKernels kAvx512Kernels = MakeKernels("avx512");

}  // namespace spuna::algorithms
