//===- InputFile.cpp - Files that the user names --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/InputFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::ipu;
namespace fs = llvm::sys::fs;

/// The time in which a writer has to open a pipe.
static constexpr int kWriterMilliseconds = 1000;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Error makeError(std::error_code code) {
  return makeError(code.message());
}

static llvm::Error makeSystemError() {
  return makeError(std::error_code(errno, std::generic_category()));
}

static llvm::Expected<fs::file_type> getInputType(StringRef path) {
  fs::file_status status;
  if (std::error_code code = fs::status(path, status))
    return makeError(code);
  switch (status.type()) {
  case fs::file_type::directory_file:
    return makeError("Is a directory");
  case fs::file_type::regular_file:
  case fs::file_type::fifo_file:
    return status.type();
  default:
    // A device may have no end.
    return makeError("not a regular file");
  }
}

/// Waits until there are data, or until no writer is left. Returns false if
/// nothing happens within the time; a negative time has no end.
static bool waitForData(int file, int milliseconds) {
  pollfd waited = {file, POLLIN, 0};
  return llvm::sys::RetryAfterSignal(-1, ::poll, &waited, nfds_t(1),
                                     milliseconds) != 0;
}

/// A pipe that is opened without blocking tells apart two cases in which there
/// are no data: read() returns 0 if no process writes to the pipe.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readPipe(StringRef path) {
  int file = ::open(path.str().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return makeSystemError();
  llvm::scope_exit close([&] { ::close(file); });
  std::string text;
  std::array<char, 1 << 16> part;
  bool hasWaited = false;
  while (true) {
    ssize_t size =
        llvm::sys::RetryAfterSignal(-1, ::read, file, part.data(), part.size());
    if (size > 0) {
      text.append(part.data(), size);
      continue;
    }
    if (size < 0) {
      if (errno != EAGAIN)
        return makeSystemError();
      (void)waitForData(file, /*milliseconds=*/-1);
      hasWaited = true;
      continue;
    }
    if (hasWaited || !text.empty())
      return llvm::MemoryBuffer::getMemBufferCopy(text, path);
    if (!waitForData(file, kWriterMilliseconds))
      return makeError("no process writes to this pipe");
    hasWaited = true;
  }
}

llvm::Error mlir::ipu::checkInputFile(StringRef path) {
  return getInputType(path).takeError();
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::ipu::readInputFile(StringRef path, bool isText) {
  llvm::Expected<fs::file_type> type = getInputType(path);
  if (!type)
    return type.takeError();
  if (*type == fs::file_type::fifo_file)
    return readPipe(path);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/isText);
  if (!buffer)
    return makeError(buffer.getError());
  return std::move(*buffer);
}
