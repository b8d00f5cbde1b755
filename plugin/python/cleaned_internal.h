#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>

#include "plugin/c/spuna.h"
#include "plugin/python/model_internal.h"
#include "plugin/python/reopen_internal.h"

namespace spuna::python {

namespace nb = nanobind;

/// A pool that was cleaned. Immutable.
class Cleaned {
 public:
  /// `reopen` opens its rows again; null where the C interface does. It is empty until a call has
  /// filled `out`.
  explicit Cleaned(std::shared_ptr<Reopen> reopen) : reopen_(std::move(reopen)) {}
  Cleaned(Cleaned&& other) noexcept
      : reopen_(std::move(other.reopen_)), cleaned_(std::exchange(other.cleaned_, nullptr)) {}
  Cleaned& operator=(Cleaned&&) = delete;
  ~Cleaned() { spuna_cleaned_free(cleaned_); }

  spuna_cleaned** out() { return &cleaned_; }

  Model GetModel() const;
  /// A capsule with the scored rows.
  nb::object Rows() const;
  std::string Summary() const;
  std::string Describe() const;
  /// The numbers of kept or dropped rows as a numpy array, and their ids as JSON.
  nb::object Numbers(bool kept) const;
  std::string Ids(bool kept) const;
  nb::object Reasons(nb::object progress) const;
  void WriteReasons(const nb::bytes& path, bool overwrite, nb::object progress) const;
  void WriteReport(const nb::bytes& path, bool overwrite, nb::object progress) const;

  /// Runs what may open the rows, and raises what that raised in place of the error that came of
  /// it.
  template <typename Work>
  void WithRows(Work&& work) const {
    try {
      work();
    } catch (nb::python_error&) {
      if (reopen_) reopen_->Rethrow();
      throw;
    }
  }

 private:
  std::shared_ptr<Reopen> reopen_;
  spuna_cleaned* cleaned_ = nullptr;
};

}  // namespace spuna::python
