#include "pipelines/report/highest_rows.h"

#include <algorithm>

namespace spuna {

bool HighestRows::Takes(float score) const {
  if (entries_.size() < num_rows_) return true;
  return num_rows_ > 0 && score > entries_.back().row.score;
}

void HighestRows::Add(std::string id, float score, std::int64_t row) {
  const auto before =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.row.score < score; });
  entries_.insert(before, {{std::move(id), score, ""}, row});
  if (entries_.size() > num_rows_) entries_.pop_back();
}

arrow::Status HighestRows::EndPart(const PoolPart& part) {
  std::vector<Entry*> of_part;
  for (Entry& entry : entries_) {
    if (entry.number >= 0) of_part.push_back(&entry);
  }
  std::ranges::sort(of_part, {}, &Entry::number);
  std::vector<std::int64_t> numbers;
  for (Entry* const entry : of_part) numbers.push_back(std::exchange(entry->number, -1));
  if (image_.empty() || numbers.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(std::vector<std::string> pictures, part.Pictures(numbers, image_));
  for (std::size_t i = 0; i < of_part.size(); ++i) of_part[i]->row.picture = std::move(pictures[i]);
  return arrow::Status::OK();
}

std::vector<ExampleRow> HighestRows::Finish() && {
  std::vector<ExampleRow> rows;
  for (Entry& entry : entries_) rows.push_back(std::move(entry.row));
  return rows;
}

}  // namespace spuna
