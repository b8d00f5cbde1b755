#define BOOST_TEST_MODULE spuna
#include <boost/test/unit_test.hpp>
