#include "pipelines/score/label_columns.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <cmath>
#include <string_view>

#include "algorithms/expansion/neighbor_score.h"

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
                           const std::vector<std::uint8_t>& fitted,
                           const std::vector<double>* neighbor_scores,
                           const std::vector<std::uint8_t>& valid)
    : valid_(valid),
      labels_(fitted.size(), algorithms::PseudoLabel::kNone),
      rounds_(fitted.size(), -1),
      has_scores_(neighbor_scores != nullptr) {
  std::vector<float> scores;
  if (has_scores_) {
    scores = algorithms::RoundToFloats(*neighbor_scores);
    scores_.assign(fitted.size(), std::nanf(""));
  }
  std::size_t next = 0;
  for (std::size_t row = 0; row < fitted.size(); ++row) {
    if (fitted[row] == 0) continue;
    labels_[row] = expansion.labels[next];
    rounds_[row] = expansion.rounds[next];
    if (has_scores_) scores_[row] = scores[next];
    ++next;
  }
}

arrow::Result<LabelColumns::Run> LabelColumns::Rows(std::int64_t first_row, std::int64_t count,
                                                    const std::string& file) const {
  const auto begin = static_cast<std::size_t>(first_row);
  const auto end = begin + static_cast<std::size_t>(count);
  if (end > valid_.size()) {
    return arrow::Status::IOError(file, ": it has more rows than before; did it change meanwhile?");
  }
  arrow::StringBuilder labels;
  arrow::Int32Builder rounds;
  arrow::FloatBuilder scores;
  arrow::BooleanBuilder valid_rows;
  for (std::size_t row = begin; row < end; ++row) {
    ARROW_RETURN_NOT_OK(valid_rows.Append(valid_[row] != 0));
    if (labels_[row] == algorithms::PseudoLabel::kNone) {
      ARROW_RETURN_NOT_OK(labels.AppendNull());
      ARROW_RETURN_NOT_OK(rounds.AppendNull());
    } else {
      ARROW_RETURN_NOT_OK(labels.Append(ToString(labels_[row])));
      ARROW_RETURN_NOT_OK(rounds.Append(rounds_[row]));
    }
    if (has_scores_) {
      ARROW_RETURN_NOT_OK(std::isnan(scores_[row]) ? scores.AppendNull()
                                                   : scores.Append(scores_[row]));
    }
  }
  Run run;
  run.columns.resize(has_scores_ ? 3 : 2);
  ARROW_RETURN_NOT_OK(labels.Finish(&run.columns[0]));
  ARROW_RETURN_NOT_OK(rounds.Finish(&run.round));
  run.columns[1] = run.round;
  if (has_scores_) ARROW_RETURN_NOT_OK(scores.Finish(&run.columns[2]));
  ARROW_RETURN_NOT_OK(valid_rows.Finish(&run.valid));
  return run;
}

bool HoldsLabels(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY) {
    return HoldsLabels(*static_cast<const arrow::DictionaryType&>(type).value_type());
  }
  return arrow::is_string(type.id()) || type.id() == arrow::Type::STRING_VIEW;
}

arrow::Result<algorithms::Expansion> ReadLabels(const arrow::RecordBatchVector& batches,
                                                const std::string& column, const std::string& where,
                                                const std::vector<std::uint8_t>& pool_valid) {
  algorithms::Expansion expansion;
  std::size_t row = 0;
  for (const auto& batch : batches) {
    ARROW_ASSIGN_OR_RAISE(const auto array,
                          arrow::compute::Cast(*batch->GetColumnByName(column), arrow::utf8()));
    const auto& labels = static_cast<const arrow::StringArray&>(*array);
    for (std::int64_t i = 0; i < labels.length(); ++i, ++row) {
      algorithms::PseudoLabel label = algorithms::PseudoLabel::kNone;
      if (!labels.IsNull(i)) {
        const std::string_view text = labels.GetView(i);
        if (text != "clean" && text != "shifted") {
          return arrow::Status::Invalid("column '", column, "' of ", where,
                                        ": expected 'clean', 'shifted' or null but found '", text,
                                        "' at row ", row);
        }
        label =
            text == "clean" ? algorithms::PseudoLabel::kClean : algorithms::PseudoLabel::kShifted;
      }
      if (pool_valid[row] == 0) continue;
      expansion.labels.push_back(label);
      expansion.rounds.push_back(label == algorithms::PseudoLabel::kNone ? -1 : 0);
    }
  }
  return expansion;
}

}  // namespace spuna
