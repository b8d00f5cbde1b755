// The Python extension: the C interface, in Python's terms. Streams come and go as the capsules of
// the Arrow PyCapsule interface; everything else is done in python/spuna.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plugin/c/spuna.h"

namespace nb = nanobind;

namespace {

constexpr const char* kStreamCapsule = "arrow_array_stream";
constexpr const char* kSchemaCapsule = "arrow_schema";
constexpr const char* kArrayCapsule = "arrow_array";

[[noreturn]] void Raise(spuna_code code, const spuna_error& error) {
  PyObject* type = PyExc_RuntimeError;
  if (code == SPUNA_INVALID) type = PyExc_ValueError;
  if (code == SPUNA_IO) type = PyExc_OSError;
  if (code == SPUNA_OUT_OF_MEMORY) type = PyExc_MemoryError;
  PyErr_SetString(type, error.message);
  throw nb::python_error();
}

// Calls a function of the C interface without the GIL. `call` gets the error to fill.
template <typename Call>
void Check(Call&& call) {
  spuna_error error{};
  spuna_code code = SPUNA_OK;
  {
    const nb::gil_scoped_release released;
    code = call(&error);
  }
  if (code != SPUNA_OK) Raise(code, error);
}

// What a capsule holds; nobody else may use it afterwards, which the callee sees to.
template <typename T>
T* Unwrap(nb::handle capsule, const char* name) {
  auto* const pointer = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (pointer == nullptr) throw nb::python_error();
  return pointer;
}

// A stream that is handed to Python: released with its capsule unless someone took it over.
class OutgoingStream {
 public:
  OutgoingStream() = default;
  ~OutgoingStream() {
    if (stream_ != nullptr && stream_->release != nullptr) stream_->release(stream_.get());
  }
  OutgoingStream(const OutgoingStream&) = delete;
  OutgoingStream& operator=(const OutgoingStream&) = delete;

  ArrowArrayStream* get() { return stream_.get(); }

  nb::object Capsule() {
    PyObject* const capsule = PyCapsule_New(stream_.get(), kStreamCapsule, [](PyObject* object) {
      std::unique_ptr<ArrowArrayStream> held(
          static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(object, kStreamCapsule)));
      if (held->release != nullptr) held->release(held.get());
    });
    if (capsule == nullptr) throw nb::python_error();
    static_cast<void>(stream_.release());
    return nb::steal(capsule);
  }

 private:
  std::unique_ptr<ArrowArrayStream> stream_ =
      std::make_unique<ArrowArrayStream>(ArrowArrayStream{});
};

// Passes progress on to a Python callable, and lets Ctrl-C and the callable's own exceptions end
// the call. Signals are looked for on the calling thread, now and then; other threads see a flag.
class Listener {
 public:
  explicit Listener(nb::object callable) : callable_(std::move(callable)) {}

  spuna_callbacks callbacks() {
    spuna_callbacks result{};
    result.context = this;
    result.should_stop = [](void* context) -> int {
      return static_cast<Listener*>(context)->ShouldStop() ? 1 : 0;
    };
    result.on_progress = [](void* context, const char* stage, double done) {
      static_cast<Listener*>(context)->OnProgress(stage, done);
    };
    return result;
  }

  // Raises what ended the call, if it came from here. With the GIL.
  void Rethrow() {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  static constexpr auto kInterval = std::chrono::milliseconds(50);

  bool ShouldStop() {
    if (stopped_) return true;
    if (std::this_thread::get_id() != thread_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look_ < kInterval) return false;
    last_look_ = now;
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) Stop(std::make_exception_ptr(nb::python_error()));
    return stopped_;
  }

  void OnProgress(const char* stage, double done) {
    if (stopped_ || callable_.is_none()) return;
    const nb::gil_scoped_acquire acquired;
    try {
      callable_(stage, done);
    } catch (...) {
      Stop(std::current_exception());
    }
  }

  void Stop(const std::exception_ptr& exception) {
    exception_ = exception;
    stopped_ = true;
  }

  nb::object callable_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_look_;
  std::atomic<bool> stopped_{false};
  std::exception_ptr exception_;
};

// A call that may be cancelled. What it has made by then must be held by someone.
template <typename Call>
void CheckCancellable(Listener& listener, Call&& call) {
  const spuna_callbacks callbacks = listener.callbacks();
  try {
    Check([&](spuna_error* error) { return call(&callbacks, error); });
  } catch (nb::python_error&) {
    listener.Rethrow();
    throw;
  }
  listener.Rethrow();
}

struct ModelDeleter {
  void operator()(spuna_model* model) const { spuna_model_free(model); }
};
using ModelHandle = std::unique_ptr<spuna_model, ModelDeleter>;

// Paths come as bytes, since they need not be text.
std::string PathOf(const nb::bytes& path) { return {path.c_str(), path.size()}; }

class Paths {
 public:
  explicit Paths(const std::vector<nb::bytes>& paths) {
    for (const nb::bytes& path : paths) paths_.push_back(PathOf(path));
    for (const std::string& path : paths_) pointers_.push_back(path.c_str());
  }

  const char* const* data() const { return pointers_.data(); }
  std::size_t size() const { return pointers_.size(); }

 private:
  std::vector<std::string> paths_;
  std::vector<const char*> pointers_;
};

// Text of the C interface.
struct TextDeleter {
  void operator()(char* text) const { spuna_string_free(text); }
};
using Text = std::unique_ptr<char, TextDeleter>;

class Model {
 public:
  explicit Model(spuna_model* model) : model_(model) {}

  static Model Load(const nb::bytes& path) {
    spuna_model* model = nullptr;
    Check([&, name = PathOf(path)](spuna_error* error) {
      return spuna_model_load(name.c_str(), &model, error);
    });
    return Model(model);
  }

  static Model Parse(const nb::bytes& bytes) {
    spuna_model* model = nullptr;
    Check([&, data = bytes.c_str(), size = bytes.size()](spuna_error* error) {
      return spuna_model_parse(data, size, &model, error);
    });
    return Model(model);
  }

  void Save(const nb::bytes& path, bool overwrite) const {
    Check([&, name = PathOf(path)](spuna_error* error) {
      return spuna_model_save(get(), name.c_str(), overwrite ? 1 : 0, error);
    });
  }

  nb::bytes Serialize() const {
    char* bytes = nullptr;
    std::size_t size = 0;
    Check([&](spuna_error* error) { return spuna_model_serialize(get(), &bytes, &size, error); });
    const Text held(bytes);
    return nb::bytes(bytes, size);
  }

  std::string Describe() const {
    char* json = nullptr;
    Check([&](spuna_error* error) { return spuna_model_describe(get(), &json, error); });
    return Text(json).get();
  }

  nb::object Score(const nb::object& input, const std::string& options) const {
    OutgoingStream out;
    auto* const stream = Unwrap<ArrowArrayStream>(input, kStreamCapsule);
    Check([&](spuna_error* error) {
      return spuna_score_stream(get(), stream, options.c_str(), out.get(), error);
    });
    return out.Capsule();
  }

 private:
  spuna_model* get() const { return model_.get(); }

  ModelHandle model_;
};

// A model that a call makes, held from the moment it is there.
class NewModel {
 public:
  spuna_model** out() { return &model_; }
  ~NewModel() { spuna_model_free(model_); }
  NewModel() = default;
  NewModel(const NewModel&) = delete;
  NewModel& operator=(const NewModel&) = delete;

  Model Take() { return Model(std::exchange(model_, nullptr)); }

 private:
  spuna_model* model_ = nullptr;
};

Model Fit(const nb::object& trusted, const nb::object& pool, const std::string& options,
          nb::object progress) {
  Listener listener(std::move(progress));
  auto* const trusted_stream = Unwrap<ArrowArrayStream>(trusted, kStreamCapsule);
  auto* const pool_stream = Unwrap<ArrowArrayStream>(pool, kStreamCapsule);
  NewModel model;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_fit(trusted_stream, pool_stream, options.c_str(), callbacks, model.out(), error);
  });
  return model.Take();
}

Model FitFiles(const std::vector<nb::bytes>& trusted, const std::vector<nb::bytes>& pool,
               const std::string& options, nb::object progress) {
  Listener listener(std::move(progress));
  const Paths trusted_paths(trusted);
  const Paths pool_paths(pool);
  NewModel model;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_fit_files(trusted_paths.data(), trusted_paths.size(), pool_paths.data(),
                           pool_paths.size(), options.c_str(), callbacks, model.out(), error);
  });
  return model.Take();
}

nb::tuple Clean(const nb::object& trusted, const nb::object& pool, const std::string& options,
                nb::object progress) {
  Listener listener(std::move(progress));
  auto* const trusted_stream = Unwrap<ArrowArrayStream>(trusted, kStreamCapsule);
  auto* const pool_stream = Unwrap<ArrowArrayStream>(pool, kStreamCapsule);
  OutgoingStream out;
  NewModel model;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_clean_stream(trusted_stream, pool_stream, options.c_str(), callbacks, out.get(),
                              model.out(), error);
  });
  nb::object capsule = out.Capsule();
  return nb::make_tuple(model.Take(), std::move(capsule));
}

void CheckClean(const nb::object& pool, const std::string& options) {
  auto* const stream = pool.is_none() ? nullptr : Unwrap<ArrowArrayStream>(pool, kStreamCapsule);
  Check([&](spuna_error* error) { return spuna_check_clean(stream, options.c_str(), error); });
}

void CheckScore(const std::string& options) {
  Check([&](spuna_error* error) { return spuna_check_score(options.c_str(), error); });
}

std::string Evaluate(const nb::object& input, const std::string& truth, const std::string& score) {
  Listener listener{nb::none()};
  auto* const stream = Unwrap<ArrowArrayStream>(input, kStreamCapsule);
  char* json = nullptr;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_evaluate_stream(stream, truth.c_str(), score.c_str(), callbacks, &json, error);
  });
  return Text(json).get();
}

std::string EvaluateFiles(const std::vector<nb::bytes>& paths, const std::string& truth,
                          const std::string& score) {
  Listener listener{nb::none()};
  const Paths list(paths);
  char* json = nullptr;
  CheckCancellable(listener, [&](const spuna_callbacks* callbacks, spuna_error* error) {
    return spuna_evaluate_files(list.data(), list.size(), truth.c_str(), score.c_str(), callbacks,
                                &json, error);
  });
  return Text(json).get();
}

nb::object ReadParquet(const std::vector<nb::bytes>& paths, const std::string& options) {
  const Paths list(paths);
  OutgoingStream out;
  Check([&](spuna_error* error) {
    return spuna_read_parquet(list.data(), list.size(), options.c_str(), out.get(), error);
  });
  return out.Capsule();
}

nb::object ArrayStream(const nb::object& schema, const nb::object& array) {
  auto* const arrow_schema = Unwrap<ArrowSchema>(schema, kSchemaCapsule);
  auto* const arrow_array = Unwrap<ArrowArray>(array, kArrayCapsule);
  OutgoingStream out;
  Check([&](spuna_error* error) {
    return spuna_array_stream(arrow_schema, arrow_array, out.get(), error);
  });
  return out.Capsule();
}

// Appends a float32 column of a batch; not a number where it is null.
void AppendFloats(const ArrowArray& column, std::vector<float>& values) {
  const auto* const valid = static_cast<const std::uint8_t*>(column.buffers[0]);
  const auto* const floats = static_cast<const float*>(column.buffers[1]);
  for (std::int64_t i = column.offset; i < column.offset + column.length; ++i) {
    const bool is_valid = valid == nullptr || ((valid[i / 8] >> (i % 8)) & 1) != 0;
    values.push_back(is_valid ? floats[i] : std::numeric_limits<float>::quiet_NaN());
  }
}

// An array of numpy's that owns these values.
template <typename T, typename... Sizes>
nb::object OwnedArray(std::unique_ptr<std::vector<T>> values, Sizes... sizes) {
  T* const data = values->data();
  const nb::capsule owner(values.release(),
                          [](void* held) noexcept { delete static_cast<std::vector<T>*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<sizeof...(Sizes)>>(
      data, {static_cast<std::size_t>(sizes)...}, owner));
}

// Reads a stream to its end, and returns the float32 column at this distance from the last one.
nb::object ReadFloats(const nb::object& capsule, int from_last) {
  auto* const stream = Unwrap<ArrowArrayStream>(capsule, kStreamCapsule);
  auto values = std::make_unique<std::vector<float>>();
  bool at_end = false;
  while (!at_end) {
    // Between batches Ctrl-C is heard.
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    Check([&](spuna_error* error) {
      ArrowArray batch;
      if (stream->get_next(stream, &batch) != 0) {
        const char* const reason = stream->get_last_error(stream);
        std::snprintf(error->message, sizeof(error->message), "%s",
                      reason == nullptr ? "" : reason);
        return SPUNA_INVALID;
      }
      at_end = batch.release == nullptr;
      if (at_end) return SPUNA_OK;
      AppendFloats(*batch.children[batch.n_children - 1 - from_last], *values);
      batch.release(&batch);
      return SPUNA_OK;
    });
  }
  const std::size_t size = values->size();
  return OwnedArray(std::move(values), size);
}

using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::object MatrixStream(const Matrix& matrix) {
  // The array is held until the last stream or batch that refers to its values is gone.
  auto* const owner = new Matrix(matrix);
  auto release = [](void* held) {
    // At the end of the process there may be no interpreter to give it back to.
    if (!nb::is_alive()) return;
    const nb::gil_scoped_acquire acquired;
    delete static_cast<Matrix*>(held);
  };
  OutgoingStream out;
  Check([&](spuna_error* error) {
    return spuna_matrix_stream(matrix.data(), static_cast<std::int64_t>(matrix.shape(0)),
                               static_cast<std::int64_t>(matrix.shape(1)), release, owner,
                               out.get(), error);
  });
  return out.Capsule();
}

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

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

  nb::object RowNumbers() const {
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

  void Remove(const Numbers& numbers) {
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

NB_MODULE(_spuna, module) {
  // What others hold until the process ends is not ours to report.
  nb::set_leak_warnings(false);
  nb::class_<Model>(module, "Model")
      .def_static("load", &Model::Load)
      .def_static("parse", &Model::Parse)
      .def("save", &Model::Save)
      .def("serialize", &Model::Serialize)
      .def("describe", &Model::Describe)
      .def("score", &Model::Score);
  nb::class_<Partition>(module, "Partition")
      .def_static("read", &Partition::Read)
      .def_static("parse", &Partition::Parse)
      .def("serialize", &Partition::Serialize)
      .def_prop_ro("num_rows", &Partition::NumRows)
      .def_prop_ro("dimension", &Partition::Dimension)
      .def("numbers", &Partition::RowNumbers)
      .def("values", &Partition::Values)
      .def("merge", &Partition::Merge)
      .def("scores", &Partition::Scores)
      .def("remove", &Partition::Remove);
  nb::class_<Entropy>(module, "Entropy").def(nb::init<std::int64_t>()).def("add", &Entropy::Add);
  module.def("fit", &Fit, nb::arg("trusted"), nb::arg("pool"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("clean", &Clean, nb::arg("trusted"), nb::arg("pool"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("fit_files", &FitFiles, nb::arg("trusted"), nb::arg("pool"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("check_clean", &CheckClean, nb::arg("pool").none(), nb::arg("options"));
  module.def("check_score", &CheckScore);
  module.def("evaluate", &Evaluate);
  module.def("evaluate_files", &EvaluateFiles);
  module.def("read_parquet", &ReadParquet);
  module.def("read_floats", &ReadFloats);
  module.def("array_stream", &ArrayStream);
  module.def("matrix_stream", &MatrixStream);
  module.attr("version") = spuna_version();
}
