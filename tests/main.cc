#define BOOST_TEST_MODULE spuna
#include <boost/test/unit_test.hpp>

#include "algorithms/compute/blas.h"

// The tests run on the kernels that the program runs on.
struct ProgramStart {
  ProgramStart() { spuna::algorithms::ChooseBlasKernels(); }
};
BOOST_TEST_GLOBAL_FIXTURE(ProgramStart);
