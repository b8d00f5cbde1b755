#include "pipelines/report/pool_pass.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "pipelines/report/group_counts.h"
#include "pipelines/report/pictures.h"
#include "pipelines/report/reasons.h"
#include "pipelines/score/batch_scorer.h"
#include "pipelines/score/label_columns.h"
#include "pipelines/source/named_column.h"
#include "pipelines/source/row_texts.h"

namespace spuna {
namespace {

constexpr const char* kTruths = "a boolean or 0 or 1";

// The columns of a part that are looked at. Those that were only asked for need not be in every
// part; where one is not, it is null.
struct Columns {
  NamedColumn embedding;
  std::optional<NamedColumn> id;
  std::vector<std::optional<NamedColumn>> groups;
  std::optional<NamedColumn> truth;

  static arrow::Result<Columns> Find(const PoolPart& part, const std::string& embedding,
                                     const IdColumn& id, const PoolPassOptions& options) {
    auto find = [&](const std::string& name) {
      return NamedColumn::FindIfThere(part.schema(), part.name(), part.hive_keys(), name);
    };
    Columns columns;
    ARROW_ASSIGN_OR_RAISE(columns.embedding, NamedColumn::Find(part.schema(), part.name(), {},
                                                               embedding, "embedding"));
    if (id.IsIn(part.schema(), part.hive_keys())) {
      ARROW_ASSIGN_OR_RAISE(columns.id, find(id.name));
    }
    for (const std::string& name : options.group_by) {
      ARROW_ASSIGN_OR_RAISE(std::optional<NamedColumn> column, find(name));
      columns.groups.push_back(std::move(column));
    }
    if (!options.truth.empty()) {
      ARROW_ASSIGN_OR_RAISE(columns.truth, find(options.truth));
    }
    return columns;
  }

  std::vector<int> ToRead() const {
    std::vector<const NamedColumn*> all = {&embedding};
    if (id) all.push_back(&*id);
    if (truth) all.push_back(&*truth);
    for (const std::optional<NamedColumn>& group : groups) {
      if (group) all.push_back(&*group);
    }
    return Positions(all);
  }
};

// A batch of a part of the pool, and what belongs to it.
struct PoolBatch {
  const PoolPart& part;
  /// Where the part begins among the rows of the pool that was fitted.
  std::int64_t first_row_of_part;
  const Columns& columns;
  const arrow::RecordBatch& rows;
  /// The number of its first row within the part.
  std::int64_t first_row;
  const ScoredBatch& scored;
};

// Counts rows and explains those that are dropped, a batch at a time.
class PoolObserver {
 public:
  PoolObserver(const PoolKnowledge& known, const PoolPassOptions& options, const Runtime& runtime)
      : reasons_(known.findings()),
        options_(options),
        runtime_(runtime),
        groups_(options.group_by.size()),
        highest_(options.num_highest, options.image) {
    if (known.fit == nullptr) return;
    labels_.emplace(known.fit->expansion, known.fit->pool_valid, nullptr);
    if (!options.decisions) return;
    result_.decisions.resize(known.fit->first_rows.size());
    result_.ids.resize(known.fit->first_rows.size());
  }

  arrow::Status Add(std::size_t part, const PoolBatch& pool) {
    result_.counts += pool.scored.counts;
    if (options_.decisions) ARROW_RETURN_NOT_OK(Remember(part, pool));
    ARROW_RETURN_NOT_OK(CountTruth(pool));
    ARROW_RETURN_NOT_OK(CountGroups(pool));
    const ScoredBatch& scored = pool.scored;
    for (std::int64_t i = 0; i < scored.score->length(); ++i) {
      if (scored.score->IsNull(i)) continue;
      ++result_.scores[BinOf(scored.score->Value(i), PoolPassResult::kNumBins)];
    }
    const bool names_rows = options_.on_reasons || options_.num_highest > 0;
    return names_rows ? Explain(pool) : arrow::Status::OK();
  }

  arrow::Status EndPart(const PoolPart& part) {
    ++result_.num_parts;
    return highest_.EndPart(part);
  }

  PoolPassResult Finish() && {
    for (const GroupCounts& counts : groups_) result_.groups.push_back(counts.Sorted());
    result_.highest = std::move(highest_).Finish();
    return std::move(result_);
  }

 private:
  arrow::Status Remember(std::size_t part, const PoolBatch& pool) {
    const ScoredBatch& scored = pool.scored;
    for (std::int64_t i = 0; i < scored.score->length(); ++i) {
      const RowDecision valid =
          scored.dropped->Value(i) ? RowDecision::kDropped : RowDecision::kKept;
      result_.decisions[part].push_back(scored.score->IsNull(i) ? RowDecision::kInvalid : valid);
    }
    if (options_.id.empty()) return arrow::Status::OK();
    if (!pool.columns.id) {
      result_.ids[part].resize(result_.decisions[part].size());
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(const auto ids, pool.columns.id->Texts(pool.rows));
    for (std::int64_t i = 0; i < ids->length(); ++i) {
      result_.ids[part].emplace_back();
      if (ids->IsValid(i)) result_.ids[part].back() = ids->GetString(i);
    }
    return arrow::Status::OK();
  }

  static std::size_t BinOf(float score, std::size_t num_bins) {
    const auto bin = static_cast<std::size_t>(std::max(score, 0.0F) * static_cast<float>(num_bins));
    return std::min(bin, num_bins - 1);
  }

  arrow::Status CountTruth(const PoolBatch& pool) {
    if (!pool.columns.truth) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto truth, pool.columns.truth->Numbers(pool.rows, kTruths));
    const arrow::FloatArray& scores = *pool.scored.score;
    for (std::int64_t i = 0; i < scores.length(); ++i) {
      if (scores.IsNull(i) || truth->IsNull(i)) continue;
      PoolPassResult::Bin& bin =
          result_.reliability[BinOf(scores.Value(i), result_.reliability.size())];
      ++bin.rows;
      bin.shifted += truth->Value(i) != 0 ? 1 : 0;
      bin.score_sum += scores.Value(i);
    }
    return arrow::Status::OK();
  }

  arrow::Status CountGroups(const PoolBatch& pool) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::shared_ptr<arrow::StringArray> texts;
      if (const auto& column = pool.columns.groups[g]) {
        ARROW_ASSIGN_OR_RAISE(texts, column->Texts(pool.rows));
      }
      for (std::int64_t i = 0; i < pool.rows.num_rows(); ++i) {
        if (pool.scored.score->IsNull(i)) continue;
        const bool is_null = texts == nullptr || texts->IsNull(i);
        groups_[g].Add(is_null ? "(null)" : texts->GetString(i), pool.scored.dropped->Value(i));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status Explain(const PoolBatch& pool) {
    const arrow::RecordBatch& rows = pool.rows;
    std::shared_ptr<arrow::Int32Array> rounds;
    if (labels_) {
      ARROW_ASSIGN_OR_RAISE(const LabelColumns::Run labels,
                            labels_->Rows(pool.first_row_of_part + pool.first_row, rows.num_rows(),
                                          pool.part.name()));
      rounds = labels.round;
    }
    std::shared_ptr<arrow::StringArray> ids;
    if (pool.columns.id) {
      ARROW_ASSIGN_OR_RAISE(ids, pool.columns.id->Texts(rows));
    }
    const ScoredBatch& scored = pool.scored;
    std::vector<DroppedRow> explained;
    algorithms::Matrix embeddings{{}, static_cast<std::size_t>(scored.rows.dimension)};
    for (std::int64_t i = 0; i < rows.num_rows(); ++i) {
      if (!scored.dropped->Value(i)) continue;
      if (options_.on_reasons) {
        const float* const row = scored.rows.values + i * scored.rows.dimension;
        embeddings.values.insert(embeddings.values.end(), row, row + scored.rows.dimension);
      }
      const std::int64_t number = pool.first_row + i;
      explained.push_back(
          {ids != nullptr && ids->IsValid(i) ? ids->GetString(i) : pool.part.PlaceOf(number),
           pool.part.path(), number, scored.score->Value(i),
           scored.p_value != nullptr ? scored.p_value->Value(i) : -1,
           rounds != nullptr && rounds->IsValid(i) ? rounds->Value(i) : -1,
           scored.verdicts.contains(static_cast<std::size_t>(i)),
           scored.odd.empty() ? algorithms::OddRow::kNo : scored.odd[static_cast<std::size_t>(i)]});
      const DroppedRow& row = explained.back();
      if (highest_.Takes(row.score)) highest_.Add(row.id, row.score, row.row);
    }
    if (explained.empty() || !options_.on_reasons) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto reasons,
                          reasons_.Make(explained, embeddings.view(), runtime_.MakeExecution()));
    return options_.on_reasons(reasons);
  }

  // Of the fit, where it is known.
  std::optional<LabelColumns> labels_;
  Reasons reasons_;
  const PoolPassOptions& options_;
  const Runtime& runtime_;
  PoolPassResult result_;
  std::vector<GroupCounts> groups_;
  HighestRows highest_;
};

// Reads the pictures of typical rows as their parts come by.
class TypicalPictures {
 public:
  // Without findings there are none.
  TypicalPictures(const Findings* findings, const std::string& column)
      : column_(findings == nullptr ? "" : column) {
    if (column_.empty()) return;
    for (const auto& kind : findings->typical_rows) {
      for (const Findings::TypicalRow& typical : kind) rows_.push_back(typical.row);
    }
    std::ranges::sort(rows_);
    const auto repeated = std::ranges::unique(rows_);
    rows_.erase(repeated.begin(), repeated.end());
    places_ = PickRows(findings->pool_rows, rows_);
    std::size_t next = 0;
    for (const std::vector<std::int64_t>& rows : places_.rows) {
      first_.push_back(next);
      next += rows.size();
    }
  }

  arrow::Status Read(std::size_t number, const PoolPart& part,
                     std::map<std::uint32_t, std::string>& pictures) {
    if (column_.empty()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(std::vector<std::string> uris,
                          part.Pictures(places_.rows[number], column_));
    for (std::size_t i = 0; i < uris.size(); ++i) {
      if (!uris[i].empty()) pictures[rows_[first_[number] + i]] = std::move(uris[i]);
    }
    return arrow::Status::OK();
  }

 private:
  std::string column_;
  std::vector<std::uint32_t> rows_;
  RowSample places_;
  // Where the rows of each part begin in `rows_`: files before it may have become bad since the
  // fit, and are not read then.
  std::vector<std::size_t> first_;
};

}  // namespace

arrow::Result<PoolPassResult> RunPoolPass(const PoolRows& pool, const PoolKnowledge& known,
                                          const ScoreOptions& scoring,
                                          const PoolPassOptions& options, StageClock& clock) {
  if (known.fit != nullptr && !known.fit->findings) {
    return arrow::Status::Invalid("a pass over the pool of a fit needs its findings");
  }
  if (known.fit == nullptr && options.decisions) {
    return arrow::Status::Invalid("a pass over a pool needs a fit to remember decisions");
  }
  ScoreOptions own = scoring;
  own.p_values = options.on_reasons && !known.model.calibration.empty();
  ARROW_ASSIGN_OR_RAISE(const auto model, PreparedModel::Make(known.model, own));
  const IdColumn id = pool.FindIdColumn(options.id);
  PoolObserver observer(known, options, clock.runtime());
  TypicalPictures typical(known.findings(), options.image);
  std::map<std::uint32_t, std::string> pictures;
  const auto num_rows = static_cast<double>(std::max<std::int64_t>(pool.num_rows(), 1));
  std::int64_t rows_done = 0;
  ARROW_RETURN_NOT_OK(pool.ForEachPart(
      [&](std::size_t number, const PoolPart& part) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const Columns columns,
                              Columns::Find(part, pool.embedding(), id, options));
        BatchScorer scorer = BatchScorer::MakeForColumn(model, part.name(), pool.embedding());
        if (known.reviews != nullptr) scorer.DecideBy(known.reviews->Of(part.path()));
        ARROW_RETURN_NOT_OK(typical.Read(number, part, pictures));
        const std::int64_t first_row_of_part =
            known.fit == nullptr ? 0 : known.fit->first_rows[number];
        ARROW_RETURN_NOT_OK(part.ForEachBatch(
            columns.ToRead(),
            [&](const arrow::RecordBatch& rows, std::int64_t first_row) -> arrow::Status {
              ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
              ARROW_ASSIGN_OR_RAISE(const ScoredBatch scored,
                                    scorer.Score(rows, first_row, clock.runtime()));
              ARROW_RETURN_NOT_OK(observer.Add(
                  number, {part, first_row_of_part, columns, rows, first_row, scored}));
              rows_done += rows.num_rows();
              clock.Report(options.stage, static_cast<double>(rows_done) / num_rows, rows_done);
              return arrow::Status::OK();
            }));
        return observer.EndPart(part);
      },
      clock.runtime()));
  clock.Pause();
  PoolPassResult result = std::move(observer).Finish();
  result.pictures = std::move(pictures);
  return result;
}

arrow::Status CheckPoolPassColumns(const std::vector<ColumnPlace>& places,
                                   const PoolPassOptions& options) {
  using Check = std::function<arrow::Status(const ColumnPlace&, const NamedColumn&)>;
  auto check_column = [&](const std::string& name, const char* option,
                          const Check& check) -> arrow::Status {
    bool is_there = false;
    for (const ColumnPlace& place : places) {
      ARROW_ASSIGN_OR_RAISE(
          const std::optional<NamedColumn> column,
          NamedColumn::FindIfThere(place.schema, place.name, place.hive_keys, name));
      is_there |= column.has_value();
      if (column && check) ARROW_RETURN_NOT_OK(check(place, *column));
    }
    if (is_there || places.empty()) return arrow::Status::OK();
    const ColumnPlace& first = places.front();
    return NamedColumn::Find(first.schema, first.name, first.hive_keys, name, option).status();
  };
  for (const std::string& name : options.group_by) {
    ARROW_RETURN_NOT_OK(check_column(name, "group-by", {}));
  }
  if (!options.id.empty()) ARROW_RETURN_NOT_OK(check_column(options.id, "id", {}));
  if (!options.truth.empty()) {
    ARROW_RETURN_NOT_OK(check_column(options.truth, "truth",
                                     [](const ColumnPlace& place, const NamedColumn& column) {
                                       return column.CheckNumbers(place.schema, kTruths);
                                     }));
  }
  if (options.image.empty()) return arrow::Status::OK();
  return check_column(options.image, "report-image",
                      [](const ColumnPlace& place, const NamedColumn& column) {
                        return CheckPictureColumn(place.schema, column);
                      });
}

}  // namespace spuna
