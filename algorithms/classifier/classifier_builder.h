#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/classifier/classifier.h"
#include "algorithms/classifier/linear_discriminant.h"
#include "algorithms/classifier/soft_network.h"
#include "algorithms/compute/standardization.h"
#include "algorithms/space/whitening.h"

namespace spuna::algorithms {

/// Joins networks over whitened rows and linear functions of standardized rows to one classifier
/// that takes embeddings as they are. Its logit is the sum of the parts' logits, each times its
/// scale.
class ClassifierBuilder {
 public:
  explicit ClassifierBuilder(const Standardization& standardization);

  void AddNetwork(const SoftNetwork& network, const Whitening& whitening, double scale);

  /// The linear function must stand on the standardization that the builder was made with. It
  /// becomes two hidden units: relu(x) - relu(-x).
  void AddLinear(const LinearDiscriminant& linear, double scale);

  /// Throws std::invalid_argument where a number is not finite.
  Classifier Build(double offset) &&;

 private:
  void AddUnit(double bias, double output);

  Classifier classifier_;
  std::vector<float> output_;
  double bias_ = 0;
};

}  // namespace spuna::algorithms
