// Its source is written by cmake/EmbedFiles.cmake.
#pragma once

#include <string_view>

namespace spuna {

// The files that a review's page is made of, compiled in by cmake/EmbedFiles.cmake.
extern const std::string_view kReviewTemplate;
extern const std::string_view kReviewStyle;
extern const std::string_view kReviewMarks;
extern const std::string_view kReviewSavedFile;
extern const std::string_view kReviewRowView;
extern const std::string_view kReviewScript;

}  // namespace spuna
