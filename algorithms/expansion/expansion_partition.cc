#include "algorithms/expansion/expansion_partition.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace spuna::algorithms {
namespace {

// What the bytes of a partition begin with; the last is the format's version.
constexpr std::array<char, 8> kMagic = {'s', 'p', 'u', 'n', 'a', 'p', 't', 1};

struct Header {
  std::array<char, 8> magic;
  std::uint64_t dimension;
  std::uint64_t num_rows;
  std::uint64_t num_neighbors;
  // The lengths of the lists: all rows have seen the same banks.
  std::uint64_t num_to_clean;
  std::uint64_t num_to_shifted;
};

[[noreturn]] void RefuseBytes() {
  throw std::invalid_argument("expected the bytes of a part of a pool but found others");
}

std::size_t LengthOf(const NearestDistances& lists) {
  return lists.num_queries() == 0 ? 0 : lists.squared(0).size();
}

void RequireBank(const NearestDistances& lists, const char* bank) {
  if (lists.num_queries() > 0 && LengthOf(lists) == 0) {
    throw std::invalid_argument(std::string("expected rows in the bank of ") + bank +
                                " rows but none has been merged");
  }
}

template <typename T>
void Append(std::string& bytes, std::span<const T> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void AppendLists(std::string& bytes, const NearestDistances& lists) {
  for (std::size_t i = 0; i < lists.num_queries(); ++i) Append(bytes, lists.squared(i));
}

// Hands out arrays of a text of known length, one after the other.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  std::vector<T> Take(std::uint64_t rows, std::uint64_t values_per_row) {
    if (values_per_row != 0 && rows > bytes_.size() / sizeof(T) / values_per_row) RefuseBytes();
    std::vector<T> values(rows * values_per_row);
    bytes_.copy(reinterpret_cast<char*>(values.data()), values.size() * sizeof(T));
    bytes_.remove_prefix(values.size() * sizeof(T));
    return values;
  }

  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

void TakeLists(Cursor& cursor, std::uint64_t num_rows, std::uint64_t length,
               NearestDistances& lists) {
  std::vector<double> values = cursor.Take<double>(num_rows, length);
  for (std::size_t i = 0; i < num_rows; ++i) {
    lists.Merge(i, std::span(values).subspan(i * length, length));
  }
}

// The lists of the kept rows alone.
NearestDistances KeptLists(const NearestDistances& lists, const RowNumbers& kept) {
  NearestDistances result(kept.size(), lists.num_neighbors());
  std::vector<double> list;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::span<const double> old = lists.squared(kept[i]);
    list.assign(old.begin(), old.end());
    result.Merge(i, list);
  }
  return result;
}

}  // namespace

ExpansionPartition::ExpansionPartition(Matrix rows, std::vector<std::int64_t> numbers,
                                       std::size_t num_neighbors)
    : rows_(std::move(rows)),
      numbers_(std::move(numbers)),
      to_clean_(numbers_.size(), num_neighbors),
      to_shifted_(numbers_.size(), num_neighbors) {
  if (rows_.num_rows() != numbers_.size()) {
    throw std::invalid_argument("expected a number for each of " +
                                std::to_string(rows_.num_rows()) + " rows but found " +
                                std::to_string(numbers_.size()));
  }
  if (num_neighbors < 1) throw std::invalid_argument("`k` must be at least 1, but is 0");
  if (std::ranges::adjacent_find(numbers_, std::greater_equal()) != numbers_.end()) {
    throw std::invalid_argument("expected ascending numbers of rows");
  }
}

void ExpansionPartition::Merge(const EmbeddingsView& added, SearchKind search,
                               const Execution& execution, NearestDistances& lists) {
  if (added.num_rows == 0 || numbers_.empty()) return;
  if (added.dimension != dimension()) {
    throw std::invalid_argument("expected rows of dimension " + std::to_string(dimension()) +
                                " but found " + std::to_string(added.dimension));
  }
  MakeNeighborIndex(search, added, lists.num_neighbors())
      ->MergeNearest({rows(), AllRows(numbers_.size())}, execution, lists);
}

std::vector<double> ExpansionPartition::SeedScores() const {
  RequireBank(to_clean_, "clean");
  std::vector<double> scores(numbers_.size());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = to_clean_.Minimum(i);
  return scores;
}

std::vector<double> ExpansionPartition::RoundScores() const {
  RequireBank(to_clean_, "clean");
  RequireBank(to_shifted_, "shifted");
  std::vector<double> scores(numbers_.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = to_shifted_.Mean(i) - to_clean_.Mean(i);
  }
  return scores;
}

void ExpansionPartition::Remove(std::span<const std::int64_t> numbers) {
  RowNumbers kept;
  std::size_t next = 0;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    while (next < numbers.size() && numbers[next] < numbers_[i]) ++next;
    if (next == numbers.size() || numbers[next] != numbers_[i]) {
      kept.push_back(static_cast<std::uint32_t>(i));
    }
  }
  if (kept.size() == numbers_.size()) return;
  to_clean_ = KeptLists(to_clean_, kept);
  to_shifted_ = KeptLists(to_shifted_, kept);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    numbers_[i] = numbers_[kept[i]];
    std::copy_n(rows_.values.data() + kept[i] * dimension(), dimension(),
                rows_.values.data() + i * dimension());
  }
  numbers_.resize(kept.size());
  rows_.values.resize(kept.size() * dimension());
}

std::string ExpansionPartition::Serialize() const {
  const Header header{kMagic,
                      dimension(),
                      numbers_.size(),
                      to_clean_.num_neighbors(),
                      LengthOf(to_clean_),
                      LengthOf(to_shifted_)};
  std::string bytes;
  bytes.reserve(sizeof(header) +
                numbers_.size() * (sizeof(std::int64_t) + dimension() * sizeof(float) +
                                   (header.num_to_clean + header.num_to_shifted) * sizeof(double)));
  Append(bytes, std::span<const Header>(&header, 1));
  Append(bytes, std::span<const std::int64_t>(numbers_));
  Append(bytes, std::span<const float>(rows_.values));
  AppendLists(bytes, to_clean_);
  AppendLists(bytes, to_shifted_);
  return bytes;
}

ExpansionPartition ExpansionPartition::Parse(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof(header)) RefuseBytes();
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes.remove_prefix(sizeof(header));
  const std::uint64_t longest = std::max(header.num_to_clean, header.num_to_shifted);
  const bool is_sound = header.magic == kMagic && header.dimension > 0 &&
                        header.num_neighbors >= longest && header.num_neighbors > 0 &&
                        header.num_neighbors <= std::numeric_limits<std::uint32_t>::max() &&
                        header.num_rows <= bytes.size() / sizeof(std::int64_t);
  if (!is_sound) RefuseBytes();
  Cursor cursor(bytes);
  auto numbers = cursor.Take<std::int64_t>(header.num_rows, 1);
  Matrix rows{cursor.Take<float>(header.num_rows, header.dimension), header.dimension};
  ExpansionPartition partition(std::move(rows), std::move(numbers), header.num_neighbors);
  TakeLists(cursor, header.num_rows, header.num_to_clean, partition.to_clean_);
  TakeLists(cursor, header.num_rows, header.num_to_shifted, partition.to_shifted_);
  if (!cursor.at_end()) RefuseBytes();
  return partition;
}

}  // namespace spuna::algorithms
