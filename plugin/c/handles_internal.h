// Plain data behind the opaque types of spuna.h: no source file.
#pragma once

#include <memory>

#include "pipelines/jobs/clean_result.h"
#include "pipelines/jobs/review_run.h"
#include "pipelines/model/model.h"

struct spuna_model {
  std::shared_ptr<const spuna::Model> model;
};

struct spuna_cleaned {
  std::shared_ptr<const spuna::CleanResult> result;
};

struct spuna_review_list {
  spuna::ReviewReport report;
};
