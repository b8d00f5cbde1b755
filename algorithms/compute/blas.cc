#include "algorithms/compute/blas.h"

#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
#include <armadillo>
#include <cstddef>
#include <cstdlib>
#include <mlpack/core/util/version.hpp>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

// Exported by OpenBLAS builds that choose their kernels at run time; absent from others.
extern "C" {
[[gnu::weak]] void gotoblas_init();
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
// In all builds: a buffer for one product, of which there are as many as were ever in use at once.
[[gnu::weak]] void* blas_memory_alloc(int kind);
[[gnu::weak]] void blas_memory_free(void* buffer);
// In builds with threads: how many it has started, and on how many it works.
[[gnu::weak]] extern int blas_num_threads;
[[gnu::weak]] extern int blas_cpu_number;
}

#ifdef SPUNA_OWNS_OPENBLAS
// OpenBLAS's archive holds LAPACK in Fortran, which calls this one function of the Fortran runtime
// (to put two letters together into an option). With it here the runtime is not needed.
extern "C" __attribute__((visibility("hidden"))) void _gfortran_concat_string(
    std::size_t length, char* out, std::size_t first_length, const char* first,
    std::size_t second_length, const char* second) {
  const std::size_t from_first = std::min(length, first_length);
  const std::size_t from_second = std::min(length - from_first, second_length);
  std::copy_n(first, from_first, out);
  std::copy_n(second, from_second, out + from_first);
  std::fill_n(out + from_first + from_second, length - from_first - from_second, ' ');
}
#endif

namespace spuna::algorithms {
namespace {

std::mutex scope_mutex;
int open_scopes = 0;
int threads_before = 1;

#if defined(SPUNA_OWNS_OPENBLAS)
// Every product of ours is on one thread (SingleThreadedBlas), so an OpenBLAS of our own starts no
// others. They would take 128 MB of addresses each, and try for ever where there are none. To be
// done before it sets itself up, which it does without a priority.
[[gnu::constructor(101)]] void StartNoBlasThreads() {
  if (&blas_num_threads == nullptr || &blas_cpu_number == nullptr) return;
  blas_num_threads = 1;
  blas_cpu_number = 1;
}

// Where OpenBLAS is our own, loading is the moment: nobody multiplies yet. OpenBLAS itself may not
// have been set up, which it does once.
[[gnu::constructor]] void ChooseBlasKernelsOnLoad() {
  if (gotoblas_init != nullptr) gotoblas_init();
  ChooseBlasKernels();
}
#endif

}  // namespace

SingleThreadedBlas::SingleThreadedBlas() {
  const std::scoped_lock lock(scope_mutex);
  if (open_scopes++ == 0) {
    threads_before = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
}

SingleThreadedBlas::~SingleThreadedBlas() {
  const std::scoped_lock lock(scope_mutex);
  if (--open_scopes == 0) openblas_set_num_threads(threads_before);
}

bool ReserveBlasBuffers(std::size_t num_threads) {
  if (blas_memory_alloc == nullptr || blas_memory_free == nullptr) return true;
  static std::mutex mutex;
  static std::set<void*> buffers;
  const std::scoped_lock lock(mutex);
  if (buffers.size() >= num_threads) return true;
  // OpenBLAS asks again and again for a buffer that it does not get. So we ask first.
  const std::size_t num_missing = num_threads - buffers.size();
  std::vector<void*> tried;
  tried.reserve(num_missing);
  for (bool is_there = true; is_there && tried.size() < num_missing;) {
    void* const addresses =
        mmap(nullptr, kBlasBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    is_there = addresses != MAP_FAILED;
    if (is_there) tried.push_back(addresses);
  }
  for (void* const addresses : tried) munmap(addresses, kBlasBufferBytes);
  if (tried.size() < num_missing) return false;
  // A buffer that we hold is not given out again: the next one is one we know, or a new one.
  std::vector<void*> held;
  held.reserve(num_threads);
  while (buffers.size() < num_threads) {
    void* const buffer = blas_memory_alloc(0);
    if (buffer == nullptr) break;
    held.push_back(buffer);
    buffers.insert(buffer);
  }
  for (void* const buffer : held) blas_memory_free(buffer);
  return buffers.size() >= num_threads;
}

void ChooseBlasKernels() {
#if defined(__x86_64__)
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  const bool can_choose = gotoblas_dynamic_init != nullptr && gotoblas_dynamic_quit != nullptr;
  if (!can_choose || std::getenv(kVariable) != nullptr ||
      std::string_view(openblas_get_corename()) != "Prescott") {
    return;
  }
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  if (!has_avx2) return;
  setenv(kVariable, has_avx512 ? "SkylakeX" : "Haswell", 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(kVariable);
#endif
}

std::string OpenBlasVersion() {
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …": the second word.
  std::istringstream words(openblas_get_config());
  std::string name;
  std::string version;
  words >> name >> version;
  return version;
}

std::string ArmadilloVersion() {
  std::ostringstream out;
  out << arma::arma_version::major << '.' << arma::arma_version::minor << '.'
      << arma::arma_version::patch;
  return out.str();
}

std::string MlpackVersion() {
  std::ostringstream out;
  out << MLPACK_VERSION_MAJOR << '.' << MLPACK_VERSION_MINOR << '.' << MLPACK_VERSION_PATCH;
  return out.str();
}

}  // namespace spuna::algorithms
