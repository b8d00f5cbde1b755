#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace spuna {

/// The page on which a person looks at rows and marks each as shifted, clean or unsure. One HTML
/// file that needs no other file and no network.
///
///     title, subtitle  text
///     about            [sentence]: what the person is asked
///     next             text: the command to run with the saved file, shown at the end
///     key              text that names this review in the browser's storage: a review with another
///                      key has marks of its own
///     columns          [name]: the columns of the saved file, in order
///     rows             [row]: the rows to look at, in the order shown
///     answered         [row]: rows that have a `verdict` already; never shown, always saved
///
///     row    {id, file, row, score, why, drawn, probability, input, keep, picture, text, values,
///            neighbors: [other], nearest_trusted: other, nearest_trusted_distance}
///     other  {id, distance, picture, text, values}
///
/// `keep` is true, false or null. `picture` is a data: URI. `values` is [[name, text]], shown where
/// there is neither picture nor text. Every part but `key`, `columns` and `rows` may be null or
/// missing. An id is text, so that a large integer keeps its digits.
///
/// The saved file, CSV or JSON lines, has the marked rows in the order shown, then `answered`. Each
/// row has exactly `columns`: `verdict` is the mark ("shifted", "clean" or "unsure"), the others
/// are the row's parts of that name. In CSV a null is an empty field and an empty text is "".
///
/// The score, the reason and the distances of a row are hidden until it is marked or the person
/// asks for them. The page takes all of it as text: markup in an id is shown, never obeyed. Bytes
/// that are not UTF-8 are replaced, numbers that are not finite are missing.
std::string RenderReviewPage(const nlohmann::json& review);

}  // namespace spuna
