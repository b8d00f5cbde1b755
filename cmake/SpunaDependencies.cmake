# Everything that spuna stands on, as targets. docs/architecture.md says why each was chosen.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(tomlplusplus 3 REQUIRED)
# Its headers alone: the program of the wheel must not need a library that a machine may lack.
add_library(spuna::tomlplusplus INTERFACE IMPORTED)
set_target_properties(spuna::tomlplusplus PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
  $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_INCLUDE_DIRECTORIES>)

set(SPUNA_DEPS_DIR "${CMAKE_CURRENT_SOURCE_DIR}/.deps" CACHE PATH "Where scripts/bootstrap unpacks")
set(SPUNA_ARROW_DIR "${SPUNA_DEPS_DIR}/wheels/pyarrow")
include(SpunaArrow)

# OpenBLAS itself, not whatever libblas points to: its thread count is set by name. The archive is
# taken where there is one. A plugin then carries its own OpenBLAS, and neither its threads nor its
# kernels are those of the process that loads it.
find_library(SPUNA_OPENBLAS_FILE NAMES libopenblas.a openblas REQUIRED
  PATH_SUFFIXES openblas-pthread)
find_path(SPUNA_OPENBLAS_INCLUDE_DIR cblas.h REQUIRED
  PATH_SUFFIXES openblas openblas-pthread x86_64-linux-gnu/openblas-pthread
                aarch64-linux-gnu/openblas-pthread)
add_library(spuna::openblas UNKNOWN IMPORTED)
set_target_properties(spuna::openblas PROPERTIES
  IMPORTED_LOCATION "${SPUNA_OPENBLAS_FILE}"
  INTERFACE_INCLUDE_DIRECTORIES "${SPUNA_OPENBLAS_INCLUDE_DIR}")
if(SPUNA_OPENBLAS_FILE MATCHES "\\.a$")
  set_target_properties(spuna::openblas PROPERTIES
    INTERFACE_COMPILE_DEFINITIONS SPUNA_OWNS_OPENBLAS
    INTERFACE_LINK_LIBRARIES "Threads::Threads;m")
endif()

# Armadillo and mlpack are used as headers. Without OpenMP: its sums would depend on the threads.
find_path(SPUNA_ARMADILLO_INCLUDE_DIR armadillo REQUIRED)
add_library(spuna::armadillo INTERFACE IMPORTED)
set_target_properties(spuna::armadillo PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${SPUNA_ARMADILLO_INCLUDE_DIR}"
  INTERFACE_COMPILE_DEFINITIONS
    "ARMA_DONT_USE_WRAPPER;ARMA_DONT_USE_HDF5;ARMA_DONT_USE_ARPACK;ARMA_DONT_USE_SUPERLU;ARMA_WARN_LEVEL=0")

find_path(SPUNA_MLPACK_INCLUDE_DIR mlpack/methods/ann/ffn.hpp REQUIRED
  HINTS "${SPUNA_DEPS_DIR}/mlpack/usr/include" NO_CACHE)
# mlpack's core includes stb's image functions; with SIMD they define globals in every user of it.
add_library(spuna::mlpack INTERFACE IMPORTED)
set_target_properties(spuna::mlpack PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${SPUNA_MLPACK_INCLUDE_DIR};${SPUNA_MLPACK_INCLUDE_DIR}/stb"
  INTERFACE_COMPILE_DEFINITIONS "MLPACK_USE_SYSTEM_STB;STBIR_NO_SIMD")

# Headers alone.
find_path(SPUNA_BOOST_INCLUDE_DIR boost/math/special_functions/beta.hpp REQUIRED)
add_library(spuna::boost_math INTERFACE IMPORTED)
set_target_properties(spuna::boost_math PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${SPUNA_BOOST_INCLUDE_DIR}")

# What draws the charts of a report; compiled in.
find_file(SPUNA_CHART_JS chart.min.js
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist NO_DEFAULT_PATH)
if(NOT SPUNA_CHART_JS)
  message(FATAL_ERROR "expected Chart.js 3 as chart.min.js in /usr/share/javascript/chart.js but "
    "found none; install libjs-chart.js (scripts/bootstrap does) or set SPUNA_CHART_JS to the file")
endif()

if(SPUNA_BUILD_TESTS)
  find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)
endif()
if(SPUNA_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
