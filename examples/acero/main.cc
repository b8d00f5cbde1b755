// Cleans a Parquet dataset inside one Acero plan: scan, clean, keep, count by source, write.
//
//   clean_in_acero TRUSTED_DIR POOL_DIR OUT_DIR
#include <arrow/acero/exec_plan.h>
#include <arrow/acero/options.h>
#include <arrow/compute/expression.h>
#include <arrow/dataset/discovery.h>
#include <arrow/dataset/file_parquet.h>
#include <arrow/dataset/plan.h>
#include <arrow/dataset/scanner.h>
#include <arrow/filesystem/localfs.h>

#include <iostream>
#include <string>

#include "plugin/acero/node_options.h"
#include "plugin/acero/register.h"

namespace {

namespace ac = arrow::acero;
namespace cp = arrow::compute;
namespace ds = arrow::dataset;

// A scan of all columns of a dataset, in the order of its rows.
arrow::Result<ac::Declaration> Scan(const std::string& directory) {
  arrow::fs::FileSelector selector;
  selector.base_dir = directory;
  selector.recursive = true;
  ARROW_ASSIGN_OR_RAISE(auto factory, ds::FileSystemDatasetFactory::Make(
                                          std::make_shared<arrow::fs::LocalFileSystem>(), selector,
                                          std::make_shared<ds::ParquetFileFormat>(), {}));
  ARROW_ASSIGN_OR_RAISE(auto dataset, factory->Finish());
  auto options = std::make_shared<ds::ScanOptions>();
  std::vector<cp::Expression> columns;
  for (const auto& field : dataset->schema()->fields()) {
    columns.push_back(cp::field_ref(field->name()));
  }
  options->projection = cp::project(columns, dataset->schema()->field_names());
  return ac::Declaration::Sequence(
      {{"scan", ds::ScanNodeOptions(dataset, options, /*require_sequenced_output=*/true,
                                    /*implicit_ordering=*/true)},
       {"project", ac::ProjectNodeOptions(columns, dataset->schema()->field_names())}});
}

arrow::Status CleanDataset(const std::string& trusted, const std::string& pool,
                           const std::string& out) {
  ds::internal::Initialize();
  ARROW_RETURN_NOT_OK(spuna::acero::Register());
  ARROW_ASSIGN_OR_RAISE(auto scan_trusted, Scan(trusted));
  ARROW_ASSIGN_OR_RAISE(auto scan_pool, Scan(pool));

  ds::FileSystemDatasetWriteOptions write;
  write.file_write_options = std::make_shared<ds::ParquetFileFormat>()->DefaultWriteOptions();
  write.filesystem = std::make_shared<arrow::fs::LocalFileSystem>();
  write.base_dir = out;
  write.partitioning = ds::Partitioning::Default();
  write.basename_template = "kept-{i}.parquet";

  const ac::AggregateNodeOptions by_source(
      {{"hash_count_all", "kept"}, {"hash_mean", nullptr, "spuna_score", "mean_score"}},
      {"source"});
  const ac::Declaration plan = ac::Declaration::Sequence(
      {{"spuna_clean", {scan_trusted, scan_pool}, spuna::acero::CleanNodeOptions()},
       {"filter", ac::FilterNodeOptions(cp::field_ref("spuna_keep"))},
       {"aggregate", by_source},
       {"write", ds::WriteNodeOptions(write)}});
  return ac::DeclarationToStatus(plan);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: clean_in_acero TRUSTED_DIR POOL_DIR OUT_DIR\n";
    return 2;
  }
  const arrow::Status status = CleanDataset(argv[1], argv[2], argv[3]);
  if (!status.ok()) {
    std::cerr << "clean_in_acero: " << status.message() << "\n";
    return 1;
  }
  std::cout << "rows kept by source: " << argv[3] << "/kept-0.parquet\n";
  return 0;
}
