#pragma once

#include <cstddef>
#include <string>

namespace spuna::algorithms {

/// Keeps OpenBLAS to one thread while it lives, so that a product's rounding depends on the shape
/// of its block alone and our own threads have the cores to themselves.
///
/// The setting belongs to the process: scopes may overlap on several threads, and the last one to
/// end restores what the first one found.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

/// The addresses that OpenBLAS takes for each thread that multiplies; memory only as it is used.
inline constexpr std::size_t kBlasBufferBytes = std::size_t{128} << 20;

/// Makes sure of OpenBLAS's buffers for products on so many threads at once, for as long as the
/// process lives; false where the system does not give it the addresses. A product without a buffer
/// would not fail: it would wait for ever. Any thread may call it.
bool ReserveBlasBuffers(std::size_t num_threads);

/// Makes OpenBLAS use the kernels that fit the CPU.
///
/// OpenBLAS before 0.3.25 takes a CPU younger than itself for a Pentium 4 and runs at a quarter of
/// the speed (its issue 4267). Where OpenBLAS is our own this happens when it is loaded. Otherwise
/// to be called when a program starts, before any other use of OpenBLAS and while there is one
/// thread. Does nothing where OPENBLAS_CORETYPE is set or the choice is good.
void ChooseBlasKernels();

/// The versions of the numeric libraries in this build.
std::string OpenBlasVersion();
std::string ArmadilloVersion();
std::string MlpackVersion();

}  // namespace spuna::algorithms
