// registration_internal.h declares what this adds to the module.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugin/python/c_interface_internal.h"
#include "plugin/python/capsules_internal.h"
#include "plugin/python/numpy_internal.h"
#include "plugin/python/registration_internal.h"

namespace spuna::python {
namespace {

// A part of a pool that many processes expand.
class Partition {
 public:
  explicit Partition(spuna_partition* partition) : partition_(partition) {}

  static Partition Read(const nb::object& rows, std::int64_t first_number,
                        const std::string& options) {
    auto* const stream = Unwrap<ArrowArrayStream>(rows, kStreamCapsule);
    spuna_partition* partition = nullptr;
    Check([&](spuna_error* error) {
      return spuna_partition_read(stream, first_number, options.c_str(), &partition, error);
    });
    return Partition(partition);
  }

  static Partition Parse(const nb::bytes& bytes) {
    spuna_partition* partition = nullptr;
    Check([&, data = bytes.c_str(), size = bytes.size()](spuna_error* error) {
      return spuna_partition_parse(data, size, &partition, error);
    });
    return Partition(partition);
  }

  nb::bytes Serialize() const {
    char* bytes = nullptr;
    std::size_t size = 0;
    Check(
        [&](spuna_error* error) { return spuna_partition_serialize(get(), &bytes, &size, error); });
    const Text held(bytes);
    return nb::bytes(bytes, size);
  }

  std::int64_t NumRows() const { return spuna_partition_num_rows(get()); }
  std::int64_t Dimension() const { return spuna_partition_dimension(get()); }

  nb::object Numbers() const {
    const std::int64_t* const numbers = spuna_partition_numbers(get());
    return OwnedArray(std::make_unique<std::vector<std::int64_t>>(numbers, numbers + NumRows()),
                      NumRows());
  }

  nb::object Values() const {
    const float* const values = spuna_partition_values(get());
    return OwnedArray(
        std::make_unique<std::vector<float>>(values, values + NumRows() * Dimension()), NumRows(),
        Dimension());
  }

  void Merge(int bank, const Matrix& rows, const std::string& options) {
    Check([&](spuna_error* error) {
      return spuna_partition_merge(get(), static_cast<spuna_bank>(bank), rows.data(),
                                   static_cast<std::int64_t>(rows.shape(0)),
                                   static_cast<std::int64_t>(rows.shape(1)), options.c_str(),
                                   error);
    });
  }

  nb::object Scores(int ranking) const {
    auto scores = std::make_unique<std::vector<double>>(static_cast<std::size_t>(NumRows()));
    Check([&](spuna_error* error) {
      return spuna_partition_scores(get(), static_cast<spuna_ranking>(ranking), scores->data(),
                                    error);
    });
    return OwnedArray(std::move(scores), NumRows());
  }

  void Remove(const RowNumbers& numbers) {
    Check([&](spuna_error* error) {
      return spuna_partition_remove(get(), numbers.data(),
                                    static_cast<std::int64_t>(numbers.shape(0)), error);
    });
  }

 private:
  struct Deleter {
    void operator()(spuna_partition* partition) const { spuna_partition_free(partition); }
  };

  spuna_partition* get() const { return partition_.get(); }

  std::unique_ptr<spuna_partition, Deleter> partition_;
};

// The spectral entropy of a growing set of rows.
class Entropy {
 public:
  explicit Entropy(std::int64_t dimension) : dimension_(dimension) {
    spuna_entropy* entropy = nullptr;
    Check([&](spuna_error* error) { return spuna_entropy_make(dimension, &entropy, error); });
    entropy_.reset(entropy);
  }

  double Add(const Matrix& rows) {
    if (static_cast<std::int64_t>(rows.shape(1)) != dimension_) {
      throw nb::value_error("the rows have another dimension than those before");
    }
    double value = 0;
    Check([&](spuna_error* error) {
      return spuna_entropy_add(entropy_.get(), rows.data(),
                               static_cast<std::int64_t>(rows.shape(0)), &value, error);
    });
    return value;
  }

 private:
  struct Deleter {
    void operator()(spuna_entropy* entropy) const { spuna_entropy_free(entropy); }
  };

  std::int64_t dimension_;
  std::unique_ptr<spuna_entropy, Deleter> entropy_;
};

}  // namespace

void RegisterPartition(nb::module_& module) {
  nb::class_<Partition>(module, "Partition")
      .def_static("read", &Partition::Read)
      .def_static("parse", &Partition::Parse)
      .def("serialize", &Partition::Serialize)
      .def_prop_ro("num_rows", &Partition::NumRows)
      .def_prop_ro("dimension", &Partition::Dimension)
      .def("numbers", &Partition::Numbers)
      .def("values", &Partition::Values)
      .def("merge", &Partition::Merge)
      .def("scores", &Partition::Scores)
      .def("remove", &Partition::Remove);
  nb::class_<Entropy>(module, "Entropy").def(nb::init<std::int64_t>()).def("add", &Entropy::Add);
}

}  // namespace spuna::python
