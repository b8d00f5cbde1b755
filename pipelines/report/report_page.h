#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace spuna {

/// A report as one HTML page that needs no other file and no network.
///
/// Every part but `title` and `summary` may be null or missing, and is then left out of the page:
///
///     title, subtitle    text
///     summary, warnings  [sentence]
///     facts              [[name, text]]
///     scores             {edges: [n + 1], pool: [n], trusted: [n], threshold}, counts of rows;
///                        trusted may be missing
///     reliability        {bins: [{score, shifted, rows}]}
///     entropy            {values: [a round], stopped_by: "entropy" or "exhausted", stop_round}
///     rounds             [{round, clean, shifted, purity_clean, purity_shifted}]
///     plane              {x, y, note, points: [{x, y, kind, id, score}]}, where x and y of the
///                        plane name the axes and kind is "trusted", "kept" or "dropped"
///     kinds              [{name, rows, typical: [{id, score, image}]}], image a data: URI
///     highest            [{id, score, image}], as the typical rows of a kind
///     groups             [{columns, rows: [{value, rows, dropped, share, low, high}]}]
///     history            [{batch, time, rows, share, low, high, evidence, found}]
///     evidence_needed    number
///     settings, versions {name: value}
///     seconds            {stage: number}
///     peak_memory_bytes  number
///
/// The page takes all of it as text: markup in an id is shown, never obeyed. Bytes that are not
/// UTF-8 are replaced, numbers that are not finite are missing.
std::string RenderReportPage(const nlohmann::json& report);

}  // namespace spuna
