#include "algorithms/compute/vector_kernels_internal.h"

namespace spuna::algorithms {

extern const VectorKernels kPortableKernels;
const VectorKernels kPortableKernels = MakeKernels("portable");

}  // namespace spuna::algorithms
