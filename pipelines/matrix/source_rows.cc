#include "pipelines/matrix/source_rows.h"

#include <iterator>
#include <utility>

namespace spuna {
namespace {

void MoveInto(std::vector<std::string>& all, std::vector<std::string> texts) {
  all.insert(all.end(), std::make_move_iterator(texts.begin()),
             std::make_move_iterator(texts.end()));
}

}  // namespace

arrow::Status SourceRows::AppendTexts(const RowsRequest& request, std::size_t file,
                                      const arrow_io::ParquetInput& parquet,
                                      const std::vector<std::int64_t>& rows,
                                      const Runtime& runtime) {
  if (rows.empty()) return arrow::Status::OK();
  if (!request.classes.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto texts,
                          ReadTexts(parquet, rows, {request.classes, "stratify"}, runtime));
    MoveInto(classes, std::move(texts));
  }
  if (!request.groups.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto texts,
                          ReadTexts(parquet, rows, {request.groups, "fold-by"}, runtime));
    MoveInto(groups, std::move(texts));
  }
  if (request.ids) {
    ARROW_ASSIGN_OR_RAISE(
        auto texts, ReadIds(request.source.files()[file], parquet, rows, *request.ids, runtime));
    MoveInto(ids, std::move(texts));
  }
  return arrow::Status::OK();
}

}  // namespace spuna
