// A table of vector_kernels.h, compiled for one instruction set: no header of its own.

#include "algorithms/compute/vector_kernels_internal.h"

namespace spuna::algorithms {

extern const VectorKernels kPortableKernels;
const VectorKernels kPortableKernels = MakeKernels("portable");

}  // namespace spuna::algorithms
