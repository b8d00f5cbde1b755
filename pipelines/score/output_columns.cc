#include "pipelines/score/output_columns.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <optional>

#include "arrow_io/parquet_input.h"
#include "pipelines/options/similar_name.h"

namespace spuna {
namespace {

using arrow_io::kAppended;

// Where a name is among fields.
std::optional<std::size_t> Find(const arrow::FieldVector& fields, const std::string& name) {
  const auto found = std::ranges::find(fields, name, &arrow::Field::name);
  if (found == fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fields.begin());
}

// The option that a column of ours needs and lacks; empty where there is none.
std::string MissingOption(const std::string& name, const ScoreOptions& options) {
  if (options.by != ScoreBy::kClassifier) return "";
  ScoreOptions with = options;
  with.p_values = true;
  if (Find(ScoreFields(with), name)) return "`p-values`";
  with.distances = true;
  return Find(ScoreFields(with), name) ? "`distances`" : "";
}

// What is wrong with a name that is neither a column of the input nor one of ours.
arrow::Status NoColumn(const std::string& name, const arrow::Schema& input,
                       const ScoreOptions& options, const std::string& where,
                       const HiveKeys& keys) {
  const std::string start = where + ": `columns`: there is no column '" + name + "'";
  if (std::ranges::find(keys, name, &HiveKeys::value_type::first) != keys.end()) {
    return arrow::Status::Invalid(
        start, " in the file: it is a hive key, which is in the path, there and in the output; ",
        "leave it out");
  }
  const std::string option = MissingOption(name, options);
  if (!option.empty()) return arrow::Status::Invalid(start, "; it is one of ours with ", option);
  std::vector<std::string> names = input.field_names();
  for (const auto& field : ScoreFields(options)) names.push_back(field->name());
  const std::string similar = SimilarName(name, names);
  std::string known;
  for (const std::string& other : names) known += (known.empty() ? "'" : ", '") + other + "'";
  return arrow::Status::Invalid(
      start, "; ", similar.empty() ? "" : "did you mean '" + similar + "'? ", "there are ", known);
}

// Whether our columns that are written are new to the input, or to be replaced.
arrow::Status CheckNew(const arrow::Schema& input, const ScoreOptions& options,
                       const std::string& where) {
  if (options.replace) return arrow::Status::OK();
  for (const auto& field : ScoreFields(options)) {
    const bool is_written =
        !options.columns ||
        std::ranges::find(*options.columns, field->name()) != options.columns->end();
    if (!is_written || input.GetAllFieldIndices(field->name()).empty()) continue;
    return arrow::Status::Invalid(where, ": there is a column '", field->name(),
                                  "' already; choose other names with `prefix`, or replace it with "
                                  "`--replace`");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::FieldVector ScoreFields(const ScoreOptions& options) {
  if (options.by == ScoreBy::kNeighbors) {
    return {arrow::field(options.prefix + "neighbor_score", arrow::float32())};
  }
  arrow::FieldVector fields = {arrow::field(options.prefix + "score", arrow::float32()),
                               arrow::field(options.prefix + "keep", arrow::boolean())};
  if (options.p_values) {
    fields.push_back(arrow::field(options.prefix + "p_value", arrow::float32()));
  }
  if (options.distances) {
    fields.push_back(arrow::field(options.prefix + "distance", arrow::float32()));
    fields.push_back(arrow::field(options.prefix + "distance_p_value", arrow::float32()));
  }
  return fields;
}

arrow::ArrayVector OutputColumns::ChooseOurs(const arrow::ArrayVector& all) const {
  arrow::ArrayVector chosen;
  for (const std::size_t column : ours) chosen.push_back(all[column]);
  return chosen;
}

arrow::Result<OutputColumns> ArrangeColumns(const arrow::Schema& input, const ScoreOptions& options,
                                            const std::string& where, const HiveKeys& keys) {
  ARROW_RETURN_NOT_OK(CheckNew(input, options, where));
  const arrow::FieldVector score_fields = ScoreFields(options);
  OutputColumns output;
  arrow::FieldVector fields;
  auto take = [&](int column) {
    fields.push_back(input.field(column));
    output.sources.push_back(column);
  };
  auto append = [&](std::size_t column) {
    fields.push_back(score_fields[column]);
    output.sources.push_back(kAppended);
    output.ours.push_back(column);
  };
  if (options.columns) {
    for (const std::string& name : *options.columns) {
      if (const auto ours = Find(score_fields, name)) {
        append(*ours);
        continue;
      }
      const std::vector<int> found = input.GetAllFieldIndices(name);
      if (found.empty()) return NoColumn(name, input, options, where, keys);
      if (found.size() > 1) {
        return arrow::Status::Invalid(where, ": `columns`: ", found.size(), " columns are called '",
                                      name, "'; rename all but one");
      }
      take(found[0]);
    }
  } else {
    for (int i = 0; i < input.num_fields(); ++i) {
      if (!Find(score_fields, input.field(i)->name())) take(i);
    }
    for (std::size_t i = 0; i < score_fields.size(); ++i) append(i);
  }
  output.schema = arrow::schema(std::move(fields), input.metadata());
  return output;
}

}  // namespace spuna
