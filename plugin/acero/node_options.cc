#include "plugin/acero/node_options.h"

#include <utility>

namespace spuna::acero {
namespace {

arrow::Status ValidateFit(const FitOptions& fit, const std::string& prefix) {
  ARROW_RETURN_NOT_OK(fit.Validate());
  ScoreOptions score;
  score.prefix = prefix;
  return score.Validate();
}

}  // namespace

ExpandNodeOptions::ExpandNodeOptions(FitOptions fit_options, std::string column_prefix)
    : fit(std::move(fit_options)), prefix(std::move(column_prefix)) {}

arrow::Status ExpandNodeOptions::Validate() const { return ValidateFit(fit, prefix); }

DistillNodeOptions::DistillNodeOptions(FitOptions fit_options, std::string column_prefix,
                                       OnModel callback)
    : fit(std::move(fit_options)),
      prefix(std::move(column_prefix)),
      on_model(std::move(callback)) {}

arrow::Status DistillNodeOptions::Validate() const { return ValidateFit(fit, prefix); }

CleanNodeOptions::CleanNodeOptions(FitOptions fit_options, std::string column_prefix,
                                   OnModel callback)
    : fit(std::move(fit_options)),
      prefix(std::move(column_prefix)),
      on_model(std::move(callback)) {}

arrow::Status CleanNodeOptions::Validate() const { return ValidateFit(fit, prefix); }

ScoreNodeOptions::ScoreNodeOptions(std::shared_ptr<const Model> fitted, ScoreOptions score_options)
    : model(std::move(fitted)), score(std::move(score_options)) {}

arrow::Status ScoreNodeOptions::Validate() const {
  if (model == nullptr) return arrow::Status::Invalid("spuna_score: `model` is missing");
  return score.Validate();
}

}  // namespace spuna::acero
