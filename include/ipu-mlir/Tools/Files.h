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
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::ipu::tools {

/// Fails, with an error that names the path, if `path` is not a readable file
/// or pipe. Directories and devices are not readable files.
llvm::Error checkReadable(StringRef path);

/// Returns the bytes of a file; `-` is standard input. Errors name the path.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(StringRef path);

/// Returns the tensor in a .npy file or, if the path ends in .pb, in a file
/// with an ONNX TensorProto. Errors name the path.
llvm::Expected<HostTensor> readTensorFile(StringRef path, MLIRContext *context);

/// Returns the tensors in a .npz file. Errors name the path.
llvm::Expected<std::vector<NamedTensor>> readTensorsFile(StringRef path,
                                                         MLIRContext *context);

/// Returns `path` with links resolved. This is the path of the file that must
/// be created or replaced in order to write to `path`. Fails, with an error
/// that names the path, if the file cannot be created or replaced.
llvm::Expected<std::string> getReplaceable(StringRef path);

/// Creates the directory `path` if it does not exist.
llvm::Error makeDirectory(StringRef path);

/// The files that a tool reads and writes. A tool must not write a file that it
/// reads, and must not write a file twice.
class FileUses {
public:
  void addRead(StringRef path);
  /// Fails, with an error that names `option` and `path`, if the file is read
  /// or if another option writes it. The file need not exist.
  llvm::Error addWritten(StringRef option, StringRef path);

private:
  /// The option that writes a file. An empty name means that the file is read.
  struct Use {
    std::string option;
  };
  const Use *find(StringRef path) const;
  void add(StringRef path, const Use &use);

  /// `useOfPath` has the uses of all files by path, with links resolved.
  /// `useOfFile` has the uses of existing files by the identifier of the file.
  std::map<std::string, Use> useOfPath;
  std::map<llvm::sys::fs::UniqueID, Use> useOfFile;
};

/// A file that is written under a temporary name. Only keep() gives the file
/// its final name, so a tool that fails does not change an existing file.
/// Standard output and files that are not regular (a pipe, a device) are
/// written directly.
class OutputFile {
public:
  /// Creates the file `path`. Fails, with an error that names the path, if the
  /// file cannot be written.
  static llvm::Expected<std::unique_ptr<OutputFile>> create(StringRef path);
  ~OutputFile();

  llvm::raw_pwrite_stream &os() { return *stream; }
  /// Gives the file its final name. Fails, with an error that names the path,
  /// if some data could not be written.
  llvm::Error keep();

private:
  explicit OutputFile(StringRef path) : path(path) {}

  std::string path;
  /// The final path, with links resolved.
  std::string target;
  std::optional<llvm::sys::fs::TempFile> temporary;
  std::unique_ptr<llvm::raw_fd_ostream> stream;
};

/// Writes `text` in gzip format. The bytes depend only on `text`. Requires an
/// LLVM with zlib.
void writeGzip(StringRef text, llvm::raw_ostream &os);

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_FILES_H
