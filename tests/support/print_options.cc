// Prints the list of options as JSON, for scripts/option_docs.
#include <iostream>
#include <nlohmann/json.hpp>

#include "pipelines/options/option_docs.h"

int main() {
  std::cout << spuna::DescribeOptions().dump(2) << "\n";
  return std::cout.flush() ? 0 : 1;
}
