#include "pipelines/report/highest_rows.h"

#include <arrow/api.h>

#include <boost/test/unit_test.hpp>

namespace spuna {
namespace {

// A part whose rows have pictures that tell their numbers.
class NumberedPart : public PoolPart {
 public:
  explicit NumberedPart(std::string name) : name_(std::move(name)) {}

  std::string name() const override { return name_; }
  std::string path() const override { return name_; }
  const arrow::Schema& schema() const override { return *schema_; }
  const std::vector<std::pair<std::string, std::string>>& hive_keys() const override {
    return keys_;
  }
  std::string PlaceOf(std::int64_t row) const override { return name_ + std::to_string(row); }
  arrow::Status ForEachBatch(const std::vector<int>&, const Visit&) const override {
    return arrow::Status::NotImplemented("not read");
  }
  arrow::Result<std::vector<std::string>> Pictures(std::span<const std::int64_t> rows,
                                                   const std::string& column) const override {
    BOOST_TEST(std::ranges::is_sorted(rows));
    std::vector<std::string> pictures;
    for (const std::int64_t row : rows) pictures.push_back(column + PlaceOf(row));
    return pictures;
  }

 private:
  std::string name_;
  std::shared_ptr<arrow::Schema> schema_ = arrow::schema({});
  std::vector<std::pair<std::string, std::string>> keys_;
};

void Offer(HighestRows& rows, const std::string& id, float score, std::int64_t number) {
  if (rows.Takes(score)) rows.Add(id, score, number);
}

std::string Ids(const std::vector<ExampleRow>& rows) {
  std::string ids;
  for (const ExampleRow& row : rows) ids += row.id;
  return ids;
}

BOOST_AUTO_TEST_SUITE(highest_rows)

BOOST_AUTO_TEST_CASE(the_highest_come_first_and_of_equals_the_earlier) {
  for (const std::size_t num_rows : {0, 1, 3, 10}) {
    HighestRows rows(num_rows, "");
    const std::pair<const char*, float> given[] = {{"a", 0.5F}, {"b", 0.9F}, {"c", 0.5F},
                                                   {"d", 0.9F}, {"e", 0.7F}, {"f", 0.1F}};
    std::int64_t number = 0;
    for (const auto& [id, score] : given) Offer(rows, id, score, number++);
    const std::string all = "bdeacf";
    BOOST_TEST(Ids(std::move(rows).Finish()) == all.substr(0, num_rows));
  }
}

BOOST_AUTO_TEST_CASE(each_picture_is_that_of_its_part) {
  HighestRows rows(3, "image:");
  Offer(rows, "a", 0.9F, 7);
  Offer(rows, "b", 0.8F, 2);
  Offer(rows, "c", 0.7F, 4);
  BOOST_TEST(rows.EndPart(NumberedPart("first")).ok());
  Offer(rows, "d", 0.85F, 2);
  BOOST_TEST(rows.EndPart(NumberedPart("second")).ok());
  BOOST_TEST(rows.EndPart(NumberedPart("third")).ok());
  const std::vector<ExampleRow> highest = std::move(rows).Finish();
  BOOST_TEST(Ids(highest) == "adb");
  BOOST_TEST(highest[0].picture == "image:first7");
  BOOST_TEST(highest[1].picture == "image:second2");
  BOOST_TEST(highest[2].picture == "image:first2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
