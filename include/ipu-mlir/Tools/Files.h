//===- Files.h - Files that tools read and write ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_FILES_H
#define IPU_MLIR_TOOLS_FILES_H

#include "ipu-mlir/Executor/Run/Executor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::ipu::tools {

/// Fails, naming the path, unless it is a file that can be read. A path that
/// has no end (a device) or no bytes (a directory) is none.
llvm::Error checkReadable(StringRef path);

/// The bytes of a file; `-` is standard input. Errors name the path.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(StringRef path);

/// The tensor in a .npy file or, if the path ends in .pb, an ONNX TensorProto.
/// Errors name the path.
llvm::Expected<HostTensor> readTensorFile(StringRef path, MLIRContext *context);

/// The tensors in a .npz file. Errors name the path.
llvm::Expected<std::vector<NamedTensor>> readTensorsFile(StringRef path,
                                                         MLIRContext *context);

/// Where a file has to be that takes the place of `path`: links followed.
/// Fails, naming the path, unless there may be a new file.
llvm::Expected<std::string> getReplaceable(StringRef path);

/// Makes `path` a directory, unless it is one.
llvm::Error makeDirectory(StringRef path);

/// The files that a tool reads and writes: a tool writes none that it reads,
/// and none twice.
class FileUses {
public:
  void addRead(StringRef path) { readPaths.push_back(path.str()); }
  /// Fails, naming `option` and `path`, if the file is read or if another
  /// option writes it, whether it exists or not.
  llvm::Error addWritten(StringRef option, StringRef path);

private:
  std::vector<std::string> readPaths;
  /// Paths with the options that write them.
  std::vector<std::pair<std::string, std::string>> written;
};

/// A file that is written beside the one it will be, and takes its place only
/// when it is kept: a run that fails leaves what was there. Standard output and
/// what is no regular file (a pipe, a device) are written directly.
class OutputFile {
public:
  /// Fails, naming the path, unless it can be written.
  static llvm::Expected<std::unique_ptr<OutputFile>> create(StringRef path);
  ~OutputFile();

  llvm::raw_pwrite_stream &os() { return *stream; }
  /// Fails, naming the path, if anything could not be written.
  llvm::Error keep();

private:
  explicit OutputFile(StringRef path) : path(path) {}

  std::string path;
  /// Where it will be, links followed.
  std::string target;
  std::optional<llvm::sys::fs::TempFile> temporary;
  std::unique_ptr<llvm::raw_fd_ostream> stream;
};

/// Writes `text` in gzip's format, the same each time. LLVM has to have zlib.
void writeGzip(StringRef text, llvm::raw_ostream &os);

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_FILES_H
