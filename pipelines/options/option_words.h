// Templates over enumerations: no source file.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipelines/options/options.h"

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
inline const std::map<std::string, Recipe>& OptionWords() {
  static const std::map<std::string, Recipe> words = {
      {"robust", Recipe::kRobust}, {"fast", Recipe::kFast}, {"paper", Recipe::kPaper}};
  return words;
}

template <>
inline const std::map<std::string, algorithms::Metric>& OptionWords() {
  static const std::map<std::string, algorithms::Metric> words = {
      {"euclidean", algorithms::Metric::kEuclidean},
      {"whitened", algorithms::Metric::kWhitened},
      {"cosine", algorithms::Metric::kCosine},
      {"contrast", algorithms::Metric::kContrast}};
  return words;
}

template <>
inline const std::map<std::string, algorithms::Seeds>& OptionWords() {
  static const std::map<std::string, algorithms::Seeds> words = {
      {"distance", algorithms::Seeds::kDistance},
      {"cross-fitted", algorithms::Seeds::kCrossFitted}};
  return words;
}

template <>
inline const std::map<std::string, algorithms::Sides>& OptionWords() {
  static const std::map<std::string, algorithms::Sides> words = {
      {"even", algorithms::Sides::kEven}, {"share", algorithms::Sides::kShare}};
  return words;
}

template <>
inline const std::map<std::string, algorithms::Targets>& OptionWords() {
  static const std::map<std::string, algorithms::Targets> words = {
      {"labels", algorithms::Targets::kLabels},
      {"soft", algorithms::Targets::kSoft},
      {"refined", algorithms::Targets::kRefined},
      {"discriminant", algorithms::Targets::kDiscriminant},
      {"pool", algorithms::Targets::kPool}};
  return words;
}

template <>
inline const std::map<std::string, bool>& OptionWords() {
  static const std::map<std::string, bool> words = {{"on", true}, {"off", false}};
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
inline const std::map<std::string, FarRows>& OptionWords() {
  static const std::map<std::string, FarRows> words = {
      {"drop", FarRows::kDrop}, {"keep", FarRows::kKeep}, {"null", FarRows::kNull}};
  return words;
}

template <>
inline const std::map<std::string, OnBadFile>& OptionWords() {
  static const std::map<std::string, OnBadFile> words = {{"error", OnBadFile::kError},
                                                         {"skip", OnBadFile::kSkip}};
  return words;
}

template <>
inline const std::map<std::string, FitSample>& OptionWords() {
  static const std::map<std::string, FitSample> words = {{"uniform", FitSample::kUniform},
                                                         {"by-partition", FitSample::kByPartition}};
  return words;
}

template <>
inline const std::map<std::string, Calibration>& OptionWords() {
  static const std::map<std::string, Calibration> words = {
      {"none", Calibration::kNone}, {"split", Calibration::kSplit}, {"cross", Calibration::kCross}};
  return words;
}

template <>
inline const std::map<std::string, ScoreBy>& OptionWords() {
  static const std::map<std::string, ScoreBy> words = {{"classifier", ScoreBy::kClassifier},
                                                       {"neighbors", ScoreBy::kNeighbors}};
  return words;
}

/// The words of a switch.
inline std::vector<std::string> OptionSwitchWords() { return {"off", "on"}; }

/// The words, for messages.
template <typename T>
std::string AllowedWords() {
  std::string allowed;
  for (const auto& [word, meaning] : OptionWords<T>()) {
    allowed += (allowed.empty() ? "'" : ", '") + word + "'";
  }
  return allowed;
}

/// The word for a value, and the value of a word. Throws std::invalid_argument for other words.
template <typename T>
std::string ToWord(T value) {
  for (const auto& [word, meaning] : OptionWords<T>()) {
    if (meaning == value) return word;
  }
  return "";
}

template <typename T>
T FromWord(const std::string& word) {
  const auto& words = OptionWords<T>();
  const auto found = words.find(word);
  if (found != words.end()) return found->second;
  throw std::invalid_argument("expected one of " + AllowedWords<T>() + " but found '" + word + "'");
}

}  // namespace spuna
