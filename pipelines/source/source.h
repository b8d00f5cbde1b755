#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow_io/input_files.h"
#include "arrow_io/parquet_input.h"
#include "pipelines/run/runtime.h"
#include "pipelines/source/bad_files.h"

namespace spuna {

/// An input of Parquet files: listed once, its footers read once, its embedding column known from
/// then on. Every part of a run that needs the input takes it from here.
class Source {
 public:
  /// How the embedding column is chosen: the one `asked` for, else the `preferred` one if it is
  /// there, else as arrow_io::FindEmbeddingColumn does.
  struct ColumnChoice {
    std::string asked;
    std::string preferred;
  };
  /// Called with a file that was opened for its footer, from several threads. An error makes it a
  /// bad file.
  using FileCheck = std::function<arrow::Status(const arrow_io::ParquetInput& file)>;
  /// Called with a file that was opened to be read.
  using FileVisit = std::function<arrow::Status(std::size_t file, const arrow_io::ParquetInput&)>;

  /// Lists the files behind paths. `max_bad_files` may be skipped, any number where it is not set.
  static arrow::Result<Source> List(const arrow_io::InputListing& listing, OnBadFile on_bad_file,
                                    std::optional<std::int64_t> max_bad_files = {});

  /// Decides whether the output is a file or a directory, by the names of the outputs: a single
  /// file goes into a directory where they end in '/'. An error where they do not agree.
  arrow::Status ChooseLayout(const std::string& output, const std::optional<std::string>& dropped);

  /// Reads all footers, several at a time, and resolves the embedding column by the first file that
  /// can be read. It is an error when no file is left, but for those that are left alone. `check`
  /// may be empty. What fails for a reason that may pass is tried again.
  arrow::Status Survey(const ColumnChoice& choice, const FileCheck& check, const Runtime& runtime);

  /// Leaves some files alone from here on, by number: they are listed, but not read. To be called
  /// before Survey.
  void LeaveAlone(std::vector<bool> files) { left_alone_ = std::move(files); }

  const std::string& option() const { return option_; }
  const std::vector<arrow_io::InputFile>& files() const { return input_.files; }
  /// Whether it was given as one file, so that the output is one file too.
  bool IsSingleFile() const { return input_.is_single_file; }
  /// What messages call it: its file, or how many there are.
  std::string name() const;
  /// The directory, or the place in a store, that holds all its files.
  std::string Root() const;
  /// What tells it in a configuration: its files' relative paths, sizes and times.
  nlohmann::json Fingerprint() const;
  /// The same with the footers in the place of times, which copying changes.
  arrow::Result<nlohmann::json> FooterFingerprint() const;

  // From Survey on.
  const std::string& embedding() const { return embedding_; }
  /// The rows of a file, 0 where it was skipped, and of all files.
  std::int64_t RowsOf(std::size_t file) const { return facts_[file].num_rows; }
  std::vector<std::int64_t> RowsOfFiles() const;
  std::int64_t num_rows() const;
  /// The dimension of the embeddings, from the footers or the first file's rows; 0 where none of
  /// these has one.
  std::int64_t dimension() const { return dimension_; }
  /// The columns of a file that is not bad.
  const arrow::Schema& SchemaOf(std::size_t file) const { return *facts_[file].schema; }
  /// The first file that is read.
  std::size_t FirstGood() const;

  /// Files that can't be read.
  BadFiles& bad_files() const { return *bad_files_; }
  bool IsBad(std::size_t file) const { return bad_files_->Has(input_.files[file]); }
  /// Whether a file is neither bad nor left alone.
  bool IsRead(std::size_t file) const { return !IsLeftAlone(file) && !IsBad(file); }

  /// Puts the files in the order of their relative paths.
  void SortByPath();
  /// The files in the order in which they were given.
  const std::vector<std::size_t>& GivenOrder() const { return given_order_; }

  /// An error, that there is nothing to read, where every file is bad.
  arrow::Status RequireFiles() const;

  /// Opens a file and reads it with `visit`, and makes sure that it did not change meanwhile. Where
  /// it did, that is the error, whatever else it led to. A file that can't be opened for a reason
  /// that may pass is tried again (RetryMayPass); one that can't be read to its end too, if
  /// `go_back` is given, which undoes what a visit did that failed.
  arrow::Status ReadFile(std::size_t file, const FileVisit& visit, const Runtime& runtime,
                         const std::function<void()>& go_back = {}) const;

  /// ReadFile of every file that is neither bad nor left alone, in order. Ends at the first error.
  arrow::Status ForEachFile(const FileVisit& visit, const Runtime& runtime) const;

 private:
  // What the footer of a file says.
  struct Facts {
    std::int64_t num_rows = 0;
    std::int64_t dimension = 0;
    std::shared_ptr<arrow::Schema> schema;
  };

  Source(arrow_io::InputFiles input, std::string option, OnBadFile on_bad_file,
         std::optional<std::int64_t> max_bad_files);

  bool IsLeftAlone(std::size_t file) const { return !left_alone_.empty() && left_alone_[file]; }

  arrow::Result<Facts> ReadFacts(const arrow_io::ParquetInput& parquet,
                                 const FileCheck& check) const;
  // The first file that can be read, still open.
  struct First {
    std::size_t file;
    std::unique_ptr<arrow_io::ParquetInput> parquet;
  };
  // Opens files until one can be read, and resolves the column there. Its facts are kept. None
  // where all others are left alone.
  arrow::Result<std::optional<First>> SurveyFirst(const ColumnChoice& choice,
                                                  const FileCheck& check, const Runtime& runtime);

  arrow_io::InputFiles input_;
  std::string option_;
  std::unique_ptr<BadFiles> bad_files_;
  // By number; empty for none.
  std::vector<bool> left_alone_;
  std::string embedding_;
  std::int64_t dimension_ = 0;
  std::vector<Facts> facts_;
  std::vector<std::size_t> given_order_;
};

/// Makes sure that a file did not change while it was read with this result. Where it did, that is
/// the error, whatever else it led to. What may pass stays as it is: its file is not looked at
/// again.
arrow::Status CheckUnchanged(const arrow_io::InputFile& file, const arrow::Status& read);

/// Resolves the embedding column of one schema, which messages call `where`.
arrow::Result<std::string> ResolveEmbeddingColumn(const arrow::Schema& schema,
                                                  const std::string& where,
                                                  const Source::ColumnChoice& choice);

}  // namespace spuna
