#pragma once

#include <arrow/status.h>

#include <exception>
#include <new>
#include <optional>
#include <string>

namespace spuna::arrow_io {

/// Why a run or a file failed, as far as it decides what to do next.
enum class FailureKind {
  kCorrupt,        ///< reading the file again won't mend it
  kMayPass,        ///< the store, the network or another program is in the way; later it may not be
  kNotAllowed,     ///< who runs this may not read it
  kNothingToRead,  ///< no file is there, or none that can be read
};

/// What JSON and messages call it: "corrupt", "may pass", "not allowed", "nothing to read".
std::string NameOf(FailureKind kind);

/// The error with its kind, which stays with it whatever message is put around
/// (Status::WithMessage). A detail that Arrow has given it is kept inside. OK stays OK.
arrow::Status WithKind(const arrow::Status& status, FailureKind kind);

/// The kind that an error was given; none where nobody gave it one.
std::optional<FailureKind> KindOf(const arrow::Status& status);

/// What the system says of an error ("[errno 13] Permission denied"), which Arrow keeps apart from
/// the message; "" for nothing.
std::string SystemReason(const arrow::Status& status);

/// The kind of an error of the system (errno) at opening or reading a file.
FailureKind KindOfErrno(int number);

/// An error of the system at a file: the message is `what`, then the system's own.
arrow::Status SystemFailure(const std::string& what, int number);

/// Gives an error of reading a file of this machine its kind, where the system's number tells it.
/// An error that has a kind keeps it.
arrow::Status FileFailure(const arrow::Status& status);

/// Gives an error of a store's client its kind. S3, Google and Azure tell it in words only, so
/// it must come as the client made it, without names of files around it. One that says nothing we
/// know may pass: such a file must not be taken for a corrupt one. The result is an IOError,
/// unless memory or patience ran out.
arrow::Status StoreFailure(const arrow::Status& status);

/// Asks a store with `work`, which returns a Result and may throw: Azure's client does where there
/// is no connection.
template <typename Work>
auto AskStore(Work&& work) -> decltype(work()) {
  try {
    auto result = work();
    if (result.ok()) return result;
    return StoreFailure(result.status());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return StoreFailure(arrow::Status::IOError(error.what()));
  }
}

}  // namespace spuna::arrow_io
