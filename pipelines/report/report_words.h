#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/findings/embedding_plane.h"
#include "pipelines/report/report_contents.h"

namespace spuna {

/// What a run found, in words, the most important first.
std::vector<std::string> SummarySentences(const ReportContents& contents);

/// What a reader should know before trusting it.
std::vector<std::string> WarningSentences(const ReportContents& contents);

/// What an axis of the plane shows.
std::string AxisName(algorithms::PlaneAxis axis);

}  // namespace spuna
