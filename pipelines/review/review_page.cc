#include "pipelines/review/review_page.h"

#include <nlohmann/json.hpp>

#include "pipelines/report/page_template.h"
#include "pipelines/report/report_files_internal.h"
#include "pipelines/review/review_files_internal.h"

namespace spuna {

std::string RenderReviewPage(const nlohmann::json& review) {
  const std::string data = ScriptSafeJson(review);
  const PagePart parts[] = {
      {"{{page_style}}", kPageStyle},
      {"{{style}}", kReviewStyle},
      {"{{data}}", data},
      {"{{elements}}", kPageElements},
      {"{{marks}}", kReviewMarks},
      {"{{saved_file}}", kReviewSavedFile},
      {"{{row_view}}", kReviewRowView},
      {"{{script}}", kReviewScript},
  };
  return FillTemplate(kReviewTemplate, parts);
}

}  // namespace spuna
