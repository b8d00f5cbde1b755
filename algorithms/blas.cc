#include "algorithms/blas.h"

#include <cblas.h>

#include <armadillo>
#include <mlpack/core/util/version.hpp>
#include <mutex>
#include <sstream>

namespace spuna::algorithms {
namespace {

std::mutex scope_mutex;
int open_scopes = 0;
int threads_before = 1;

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
