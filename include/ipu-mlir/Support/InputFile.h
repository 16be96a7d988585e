//===- InputFile.h - Files that the user names ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_INPUTFILE_H
#define IPU_MLIR_SUPPORT_INPUTFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace mlir::ipu {

/// Returns an error unless `path` names a regular file or a pipe. The error
/// does not name the path.
llvm::Error checkInputFile(StringRef path);

/// Reads a regular file or a pipe. The function waits for a process that writes
/// to the pipe, but no longer than a second. If `isText`, a null character
/// follows the text. Errors do not name the path.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInputFile(StringRef path, bool isText = false);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_INPUTFILE_H
