// registration_internal.h declares what this adds to the module.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin/python/c_interface_internal.h"
#include "plugin/python/capsules_internal.h"
#include "plugin/python/listener_internal.h"
#include "plugin/python/model_internal.h"
#include "plugin/python/registration_internal.h"

namespace spuna::python {
namespace {

// Rows that a person shall look at. Immutable; empty until a call has filled `out`.
class ReviewList {
 public:
  ReviewList() = default;
  ReviewList(ReviewList&& other) noexcept : list_(std::exchange(other.list_, nullptr)) {}
  ReviewList& operator=(ReviewList&&) = delete;
  ~ReviewList() { spuna_review_list_free(list_); }

  spuna_review_list** out() { return &list_; }

  // A capsule with the rows.
  nb::object Rows() const {
    OutgoingStream rows;
    Check([&](spuna_error* error) { return spuna_review_list_rows(list_, rows.get(), error); });
    return rows.Capsule();
  }
  std::string Page() const { return TextOf(spuna_review_list_page); }
  std::string Summary() const { return TextOf(spuna_review_list_summary); }
  std::string Describe() const { return TextOf(spuna_review_list_describe); }

 private:
  template <typename Call>
  std::string TextOf(Call call) const {
    char* text = nullptr;
    Check([&](spuna_error* error) { return call(list_, &text, error); });
    return Text(text).get();
  }

  spuna_review_list* list_ = nullptr;
};

const spuna_model* HandleOf(const nb::object& model) {
  return model.is_none() ? nullptr : nb::cast<const Model&>(model).get();
}

ReviewList Review(const nb::object& trusted, const nb::object& pool, const nb::object& model,
                  const std::string& options, nb::object progress) {
  Listener listener(std::move(progress));
  auto* const trusted_stream =
      trusted.is_none() ? nullptr : Unwrap<ArrowArrayStream>(trusted, kStreamCapsule);
  auto* const pool_stream = Unwrap<ArrowArrayStream>(pool, kStreamCapsule);
  const spuna_model* const handle = HandleOf(model);
  ReviewList list;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_review(trusted_stream, pool_stream, handle, options.c_str(), callbacks, list.out(),
                        error);
  });
  return list;
}

ReviewList ReviewFiles(const std::vector<nb::bytes>& trusted, const std::vector<nb::bytes>& pool,
                       const nb::object& model, const std::string& options, nb::object progress) {
  Listener listener(std::move(progress));
  const Paths trusted_paths(trusted);
  const Paths pool_paths(pool);
  const spuna_model* const handle = HandleOf(model);
  ReviewList list;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_review_files(trusted_paths.data(), trusted_paths.size(), pool_paths.data(),
                              pool_paths.size(), handle, options.c_str(), callbacks, list.out(),
                              error);
  });
  return list;
}

}  // namespace

void RegisterReview(nb::module_& module) {
  nb::class_<ReviewList>(module, "ReviewList")
      .def("rows", &ReviewList::Rows)
      .def("page", &ReviewList::Page)
      .def("summary", &ReviewList::Summary)
      .def("describe", &ReviewList::Describe);
  module.def("review", &Review, nb::arg("trusted").none(), nb::arg("pool"), nb::arg("model").none(),
             nb::arg("options"), nb::arg("progress").none());
  module.def("review_files", &ReviewFiles, nb::arg("trusted"), nb::arg("pool"),
             nb::arg("model").none(), nb::arg("options"), nb::arg("progress").none());
}

}  // namespace spuna::python
