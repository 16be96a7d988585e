//===- Files.h - Files that ipu-run reads and writes ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_FILES_H
#define IPU_MLIR_TOOLS_IPU_RUN_FILES_H

#include "ipu-mlir/Executor/Executor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>
#include <vector>

namespace mlir::ipu::run {

/// Fails, naming the path, unless it is a file that can be read. A path that
/// has no end (a device) or no bytes (a directory) is none.
llvm::Error checkReadable(StringRef path);

/// The bytes of a file; `-` is standard input. Errors name the path.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(StringRef path);

/// The tensor in a .npy file or, if the path ends in .pb, an ONNX TensorProto.
/// Errors name the path.
llvm::Expected<HostTensor> readTensorFile(StringRef path, MLIRContext *context);

/// Makes `path` a directory, unless it is one.
llvm::Error makeDirectory(StringRef path);

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_FILES_H
