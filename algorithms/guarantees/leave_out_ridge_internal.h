#pragma once

#include <armadillo>
#include <vector>

#include "algorithms/compute/execution.h"
#include "algorithms/rows/ranking.h"
#include "algorithms/rows/row_set.h"

namespace spuna::algorithms {

/// Ridge regressions of several targets at once on the same rows, each row predicted by the
/// regression without the row's group.
///
/// With H = X' (X X' + ridge)^-1 X and R = I - H for the rows of a group, the prediction without
/// them is y - R^-1 (y - H y) (Sherman, Morrison and Woodbury); of a row that is alone it is
/// (H y - h_ii y_i) / (1 - h_ii). One inverse serves all groups and all targets, and no split into
/// folds, that chance could have made otherwise, is needed.
class LeaveOutRidge {
 public:
  /// Every row is in exactly one of `groups`.
  LeaveOutRidge(const RowSet& rows, const std::vector<RowNumbers>& groups,
                const Execution& execution);

  /// One column for each of `targets`.
  arma::fmat Predict(const arma::fmat& targets) const;

 private:
  // Several rows and their R^-1.
  struct Group {
    arma::uvec rows;
    arma::fmat inverse_rest;
  };

  arma::fmat rows_;
  std::vector<float> leverage_;
  arma::fmat inverse_;
  RowNumbers alone_;
  std::vector<Group> groups_;
};

}  // namespace spuna::algorithms
