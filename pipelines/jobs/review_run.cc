#include "pipelines/jobs/review_run.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "arrow_io/table_output.h"
#include "arrow_io/uri.h"
#include "pipelines/fit/file_fit.h"
#include "pipelines/jobs/fit_run.h"
#include "pipelines/matrix/source_rows.h"
#include "pipelines/model/model.h"
#include "pipelines/review/review_page.h"
#include "pipelines/run/job_paths.h"
#include "pipelines/run/output_set.h"
#include "pipelines/run/system_memory.h"

namespace spuna {
namespace {

using nlohmann::json;

constexpr const char* kPage = "out";
constexpr const char* kList = "list";
// How many of the most similar pool rows are shown beside a row that has neither picture nor text.
constexpr std::size_t kNeighborsShown = 3;

// The places of rows by their numbers in a sample.
std::vector<RowPlace> PlacesOf(const RowSample& sample) {
  std::vector<RowPlace> places;
  for (std::size_t file = 0; file < sample.rows.size(); ++file) {
    for (const std::int64_t row : sample.rows[file]) places.emplace_back(file, row);
  }
  return places;
}

// A word as a shell takes it.
std::string ShellWord(const std::string& word) {
  const bool is_plain = std::ranges::all_of(word, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter >= 0x80 ||
           std::string_view("@%+=:,./_-").find(static_cast<char>(letter)) != std::string_view::npos;
  });
  if (is_plain && !word.empty()) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

// The command that takes what a person will have said.
std::string NextCommand(const ReviewJob& job) {
  std::string command = "spuna clean";
  auto add = [&](const char* option, const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      command += std::string(" ") + option + " " + ShellWord(arrow_io::MaskSecrets(path));
    }
    if (paths.empty()) command += std::string(" ") + option + " …";
  };
  add("--trusted", job.fit.trusted);
  add("--pool", job.fit.pool);
  command += " --out …";
  if (!job.fit.reviewed.empty()) add("--reviewed", job.fit.reviewed);
  return command + " --reviewed review.csv --refit";
}

// The chosen rows, and what is known of the rows around them.
struct Choice {
  std::vector<ChosenRow> rows;
  std::vector<RowPlace> pool_places;
  std::vector<RowPlace> trusted_places;
  std::vector<std::string> pool_ids;
  std::vector<std::string> trusted_ids;
};

// Chooses among the rows of a pool, by a fit or by a model.
class Reviewer {
 public:
  Reviewer(const ReviewJob& job, StageClock& clock) : job_(job), clock_(clock) {}

  arrow::Result<ReviewReport> Choose(const Model* model) {
    ARROW_RETURN_NOT_OK(model != nullptr ? ChooseBy(*model) : ChooseByFit());
    clock_.Report("choose");
    ARROW_RETURN_NOT_OK(MakeList());
    report_.skipped = pool_->bad_files().skipped();
    report_.seconds = clock_.Seconds();
    report_.peak_memory_bytes = PeakMemoryBytes();
    return std::move(report_);
  }

 private:
  FaceColumns Columns() const { return {job_.image, job_.text}; }

  ChoiceOptions Options() const {
    // Another round draws other rows.
    return {job_.rows, job_.random_share,
            job_.fit.options.seed + static_cast<std::uint64_t>(report_.reviewed_before),
            job_.image.empty() && job_.text.empty() ? kNeighborsShown : 0};
  }

  // A byte for each valid row of the pool: whether somebody has looked at it.
  std::vector<std::uint8_t> FindReviewed(const PlacedReviews* reviews) {
    std::vector<std::uint8_t> is_reviewed;
    if (reviews == nullptr) return is_reviewed;
    for (const auto& [file, row] : choice_.pool_places) {
      const FileReviews* const of_file = reviews->Of(pool_->files()[file]);
      const bool is_known = of_file != nullptr && of_file->contains(row);
      is_reviewed.push_back(is_known ? 1 : 0);
      report_.reviewed_before += is_known ? 1 : 0;
    }
    return is_reviewed;
  }

  arrow::Status ChooseByFit() {
    ARROW_ASSIGN_OR_RAISE(FitRequest request, MakeFitRequest(job_.fit));
    request_ = std::make_unique<FitRequest>(std::move(request));
    pool_ = &request_->pool;
    trusted_ = &request_->trusted;
    request_->extras.ids = true;
    request_->id = job_.id;
    ARROW_RETURN_NOT_OK(request_->Survey({}, clock_.runtime()));
    ARROW_RETURN_NOT_OK(CheckFaceColumns(*pool_, Columns()));
    request_->examine = [this](const FitInput& trusted, const FitInput& pool,
                               const FitResult& result, const RowSample& pool_rows) {
      choice_.pool_places = PlacesOf(pool_rows);
      const std::vector<RowPlace> all = PlacesOf(EveryRow(*trusted_));
      for (const std::int64_t number : trusted.numbers) {
        choice_.trusted_places.push_back(all[static_cast<std::size_t>(number)]);
      }
      const std::vector<std::uint8_t> is_reviewed = FindReviewed(request_->pool_reviews.get());
      Take({trusted, pool, result.calibration_rows, is_reviewed, result.model, result.pool});
    };
    clock_.Expect({"read", "seed", "expand", "entropy", "distill", "choose"});
    ARROW_ASSIGN_OR_RAISE(const FitResult fit, Fit(*request_, /*checkpoint=*/nullptr, clock_));
    report_.fit = JobReport::Fit{fit.model.options, fit.model.summary, fit.model.dimension()};
    report_.review = DescribeReview(*request_, /*is_learned=*/true);
    return arrow::Status::OK();
  }

  arrow::Status ChooseBy(const Model& model) {
    const FitJob& fit = job_.fit;
    ARROW_ASSIGN_OR_RAISE(Source listed, Source::List({fit.pool, "pool", fit.all_files},
                                                      fit.on_bad_file, fit.max_bad_files));
    listed_pool_.emplace(std::move(listed));
    pool_ = &*listed_pool_;
    const Source::ColumnChoice column{fit.options.embedding, model.options.embedding};
    ARROW_RETURN_NOT_OK(listed_pool_->Survey(column, {}, clock_.runtime()));
    ARROW_RETURN_NOT_OK(CheckFaceColumns(*pool_, Columns()));
    FitInput trusted;
    trusted.rows.dimension = model.dimension();
    if (!fit.trusted.empty()) {
      ARROW_ASSIGN_OR_RAISE(
          Source other, Source::List({fit.trusted, "trusted", fit.all_files}, OnBadFile::kError));
      listed_trusted_.emplace(std::move(other));
      trusted_ = &*listed_trusted_;
      ARROW_RETURN_NOT_OK(listed_trusted_->Survey(column, {}, clock_.runtime()));
      ARROW_RETURN_NOT_OK(Read(*trusted_, "", model, trusted, choice_.trusted_places));
    }
    FitInput pool;
    ARROW_RETURN_NOT_OK(Read(*pool_, job_.id, model, pool, choice_.pool_places));
    ARROW_ASSIGN_OR_RAISE(const ReviewedRows reviewed,
                          ReadReviewedRows(fit.reviewed, pool_->embedding()));
    ARROW_ASSIGN_OR_RAISE(
        const PlacedReviews placed,
        PlaceReviews(reviewed, /*of_trusted=*/false, *pool_, job_.id, clock_.runtime()));
    const std::vector<std::uint8_t> is_reviewed = FindReviewed(&placed);
    const RowScores scores =
        ScoreRows(model, pool.rows.view(), {model.decision.far, false, false}, clock_.Execution());
    Take({trusted, pool, {}, is_reviewed, model, scores});
    return arrow::Status::OK();
  }

  // Reads the rows of an input that a model can score, or a sample of them.
  arrow::Status Read(const Source& source, const std::string& id, const Model& model,
                     FitInput& input, std::vector<RowPlace>& places) {
    const FitOptions& options = job_.fit.options;
    RowsRequest request{source, options.invalid, "", "", ResolveIdColumn(source, id)};
    RowSample sample = EveryRow(source);
    SourceRows rows;
    if (options.fit_rows > 0 && source.num_rows() > options.fit_rows) {
      sample = SampleRows(source.files(), source.RowsOfFiles(), options.fit_rows,
                          options.fit_sample, options.seed);
      ARROW_ASSIGN_OR_RAISE(rows, ReadSampledRows(request, sample, clock_));
    } else {
      ARROW_ASSIGN_OR_RAISE(rows, ReadAllRows(request, clock_));
    }
    if (rows.matrix.dimension != model.dimension()) {
      return arrow::Status::Invalid("`", source.option(), "`: column '", source.embedding(),
                                    "' of ", source.name(), ": expected dimension ",
                                    model.dimension(), ", that of the model, but found ",
                                    rows.matrix.dimension);
    }
    places = PlacesOf(OnlyValid(source, std::move(sample), rows.matrix.valid));
    input.rows = std::move(rows.matrix);
    input.ids = std::move(rows.ids);
    return arrow::Status::OK();
  }

  void Take(const ChoiceRows& rows) {
    algorithms::Execution execution = clock_.Execution();
    execution.on_progress = nullptr;
    choice_.rows = ChooseRows(rows, Options(), execution);
    choice_.pool_ids = rows.pool.ids;
    choice_.trusted_ids = rows.trusted.ids;
  }

  // Reads what is shown of the chosen rows.
  arrow::Status MakeList() {
    std::set<RowPlace> of_pool;
    std::set<RowPlace> of_trusted;
    for (const ChosenRow& row : choice_.rows) {
      if (row.calibrates) continue;
      of_pool.insert(choice_.pool_places[row.row]);
      for (const auto& other : row.neighbors) of_pool.insert(choice_.pool_places[other.row]);
      if (row.nearest_trusted) {
        of_trusted.insert(choice_.trusted_places[row.nearest_trusted->row]);
      }
    }
    ARROW_ASSIGN_OR_RAISE(const auto pool_faces,
                          ReadFaces(*pool_, of_pool, Columns(), clock_.runtime()));
    std::map<RowPlace, RowFace> trusted_faces;
    if (trusted_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(trusted_faces,
                            ReadFaces(*trusted_, of_trusted, Columns(), clock_.runtime()));
    }
    for (ChosenRow& row : choice_.rows) {
      ReviewItem item;
      const RowPlace place =
          (row.calibrates ? choice_.trusted_places : choice_.pool_places)[row.row];
      const Source& source = row.calibrates ? *trusted_ : *pool_;
      item.id = (row.calibrates ? choice_.trusted_ids : choice_.pool_ids)[row.row];
      item.file = source.files()[place.first].relative_path.string();
      item.row = place.second;
      item.chosen = std::move(row);
      const ChosenRow& chosen = item.chosen;
      if (chosen.calibrates) {
        report_.list.answered.push_back(std::move(item));
        continue;
      }
      ++report_.chosen[chosen.why];
      item.face = pool_faces.at(place);
      if (chosen.nearest_trusted) {
        const std::uint32_t nearest = chosen.nearest_trusted->row;
        item.nearest_trusted = {choice_.trusted_ids[nearest], chosen.nearest_trusted->distance,
                                trusted_faces.at(choice_.trusted_places[nearest])};
      }
      for (const auto& other : chosen.neighbors) {
        item.neighbors.push_back({choice_.pool_ids[other.row], other.distance,
                                  pool_faces.at(choice_.pool_places[other.row])});
      }
      report_.list.rows.push_back(std::move(item));
    }
    report_.list.pool_name = pool_->name();
    report_.list.next = NextCommand(job_);
    return arrow::Status::OK();
  }

  const ReviewJob& job_;
  StageClock& clock_;
  std::unique_ptr<FitRequest> request_;
  std::optional<Source> listed_pool_;
  std::optional<Source> listed_trusted_;
  const Source* pool_ = nullptr;
  const Source* trusted_ = nullptr;
  Choice choice_;
  ReviewReport report_;
};

arrow::Status CheckPaths(const ReviewJob& job) {
  JobPaths paths;
  ARROW_RETURN_NOT_OK(paths.AddInputs(job.fit.trusted, "trusted"));
  ARROW_RETURN_NOT_OK(paths.AddInputs(job.fit.pool, "pool"));
  ARROW_RETURN_NOT_OK(paths.AddInputs(job.fit.reviewed, "reviewed"));
  if (job.model) ARROW_RETURN_NOT_OK(paths.AddInputs({*job.model}, "model"));
  if (!job.output.empty()) ARROW_RETURN_NOT_OK(paths.AddOutput(job.output, kPage));
  if (job.list) ARROW_RETURN_NOT_OK(paths.AddOutput(*job.list, kList));
  return arrow::Status::OK();
}

arrow::Status WriteTable(const ReviewList& list, const arrow_io::StagedOutput& output) {
  ARROW_ASSIGN_OR_RAISE(const auto table, TableOf(list));
  ARROW_ASSIGN_OR_RAISE(
      const auto file,
      arrow_io::TableOutput::Create(output.path(), output.target().string(), ReviewSchema()));
  ARROW_RETURN_NOT_OK(file->Write(*table));
  return file->Close();
}

}  // namespace

std::vector<FitWarning> ReviewReport::Warnings() const {
  return fit ? WarningsOf(fit->summary, fit->options, fit->dimension) : std::vector<FitWarning>();
}

json ToJson(const ReviewReport& report) {
  json described = {{"rows", report.list.rows.size()},
                    {"chosen", report.chosen},
                    {"calibration_rows_answered", report.list.answered.size()},
                    {"reviewed_before", report.reviewed_before},
                    {"skipped", SkippedToJson(report.skipped)},
                    {"seconds", report.seconds},
                    {"peak_memory_bytes", report.peak_memory_bytes},
                    {"warnings", json::array()}};
  for (const FitWarning& warning : report.Warnings()) {
    described["warnings"].push_back(ToJson(warning));
  }
  if (report.page) described["page"] = *report.page;
  if (report.table) described["list"] = *report.table;
  return described;
}

arrow::Result<ReviewReport> RunReview(const ReviewJob& job, const Model* model, StageClock& clock) {
  ARROW_RETURN_NOT_OK(job.Validate());
  if (model == nullptr && !job.model && job.fit.trusted.empty()) {
    return arrow::Status::Invalid("`trusted` or `model` is required: rows to fit on, or a model");
  }
  ARROW_RETURN_NOT_OK(CheckPaths(job));
  OutputSet outputs;
  const bool may_replace = job.fit.overwrite;
  std::optional<std::string> page;
  if (!job.output.empty()) page = job.output;
  ARROW_RETURN_NOT_OK(outputs.Add(kPage, page, may_replace));
  ARROW_RETURN_NOT_OK(outputs.Add(kList, job.list, may_replace));
  std::optional<Model> loaded;
  if (model == nullptr && job.model) {
    ARROW_ASSIGN_OR_RAISE(loaded, LoadModel(*job.model));
    model = &*loaded;
  }
  ARROW_ASSIGN_OR_RAISE(ReviewReport report, Reviewer(job, clock).Choose(model));
  if (page) ARROW_RETURN_NOT_OK(outputs.Write(kPage, RenderReviewPage(PageOf(report.list))));
  if (job.list) ARROW_RETURN_NOT_OK(WriteTable(report.list, *outputs.Find(kList)));
  ARROW_RETURN_NOT_OK(clock.runtime().CheckStop());
  ARROW_RETURN_NOT_OK(outputs.Commit());
  report.page = page;
  report.table = job.list;
  return report;
}

}  // namespace spuna
