#pragma once

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

/// The versions of the numeric libraries in this build.
std::string OpenBlasVersion();
std::string ArmadilloVersion();
std::string MlpackVersion();

}  // namespace spuna::algorithms
