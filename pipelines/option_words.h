#pragma once

#include <map>
#include <string>

#include "pipelines/options.h"

namespace spuna {

/// The words that stand for the values of an enumeration, in every door to the options.
template <typename T>
const std::map<std::string, T>& OptionWords();

template <>
inline const std::map<std::string, algorithms::SearchKind>& OptionWords() {
  static const std::map<std::string, algorithms::SearchKind> words = {
      {"auto", algorithms::SearchKind::kAuto},
      {"kd-tree", algorithms::SearchKind::kKdTree},
      {"product", algorithms::SearchKind::kProduct}};
  return words;
}

template <>
inline const std::map<std::string, algorithms::OnStop>& OptionWords() {
  static const std::map<std::string, algorithms::OnStop> words = {
      {"keep", algorithms::OnStop::kKeep}, {"rollback", algorithms::OnStop::kRollback}};
  return words;
}

template <>
inline const std::map<std::string, InvalidRows>& OptionWords() {
  static const std::map<std::string, InvalidRows> words = {
      {"null", InvalidRows::kNull}, {"drop", InvalidRows::kDrop}, {"error", InvalidRows::kError}};
  return words;
}

template <>
inline const std::map<std::string, ScoreBy>& OptionWords() {
  static const std::map<std::string, ScoreBy> words = {{"classifier", ScoreBy::kClassifier},
                                                       {"neighbors", ScoreBy::kNeighbors}};
  return words;
}

}  // namespace spuna
