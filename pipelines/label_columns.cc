#include "pipelines/label_columns.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>

#include <cmath>

#include "algorithms/neighbor_score.h"

namespace spuna {

const char* ToString(algorithms::PseudoLabel label) {
  return label == algorithms::PseudoLabel::kClean ? "clean" : "shifted";
}

arrow::FieldVector LabelColumns::Fields(const std::string& prefix, bool neighbor_scores) {
  arrow::FieldVector fields = {arrow::field(prefix + "label", arrow::utf8()),
                               arrow::field(prefix + "round", arrow::int32())};
  if (neighbor_scores) {
    fields.push_back(arrow::field(prefix + "neighbor_score", arrow::float32()));
  }
  return fields;
}

LabelColumns::LabelColumns(const algorithms::Expansion& expansion,
                           const std::vector<std::uint8_t>& pool_valid,
                           const std::vector<double>* neighbor_scores)
    : expansion_(expansion), pool_valid_(pool_valid), has_scores_(neighbor_scores != nullptr) {
  if (has_scores_) scores_ = algorithms::RoundToFloats(*neighbor_scores);
}

arrow::Result<LabelColumns::Run> LabelColumns::Next(std::int64_t count, const std::string& file) {
  if (next_row_ + static_cast<std::size_t>(count) > pool_valid_.size()) {
    return arrow::Status::IOError(file, ": it has more rows than before; did it change meanwhile?");
  }
  arrow::StringBuilder labels;
  arrow::Int32Builder rounds;
  arrow::FloatBuilder scores;
  arrow::BooleanBuilder valid_rows;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool valid = pool_valid_[next_row_++] != 0;
    ARROW_RETURN_NOT_OK(valid_rows.Append(valid));
    const algorithms::PseudoLabel label =
        valid ? expansion_.labels[next_valid_] : algorithms::PseudoLabel::kNone;
    if (label == algorithms::PseudoLabel::kNone) {
      ARROW_RETURN_NOT_OK(labels.AppendNull());
      ARROW_RETURN_NOT_OK(rounds.AppendNull());
    } else {
      ARROW_RETURN_NOT_OK(labels.Append(ToString(label)));
      ARROW_RETURN_NOT_OK(rounds.Append(expansion_.rounds[next_valid_]));
    }
    if (has_scores_) {
      const float score = valid ? scores_[next_valid_] : std::nanf("");
      ARROW_RETURN_NOT_OK(std::isnan(score) ? scores.AppendNull() : scores.Append(score));
    }
    next_valid_ += valid ? 1 : 0;
  }
  Run run;
  run.columns.resize(has_scores_ ? 3 : 2);
  ARROW_RETURN_NOT_OK(labels.Finish(&run.columns[0]));
  ARROW_RETURN_NOT_OK(rounds.Finish(&run.columns[1]));
  if (has_scores_) ARROW_RETURN_NOT_OK(scores.Finish(&run.columns[2]));
  ARROW_RETURN_NOT_OK(valid_rows.Finish(&run.valid));
  return run;
}

}  // namespace spuna
