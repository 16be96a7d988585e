//===- OutputFiles.h - Files of a run's outputs -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_OUTPUTFILES_H
#define IPU_MLIR_HOST_OUTPUTFILES_H

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/Error.h"

namespace mlir::ipu {

/// A file name for each name of a tensor, without `.npy`. Characters of a tensor's name
/// other than letters, digits, `.`, `_` and `-`, and a `.` in front, become
/// `_`; then `_` is added until the name differs from those before it and from
/// the names of tensors that are files' names as they are. Tensors have
/// different names.
std::vector<std::string> getFileNames(ArrayRef<StringRef> outputs);

/// Writes each tensor to NAME.npy in `directory`, which must be there. Errors
/// name the file.
llvm::Error writeResults(StringRef directory, ArrayRef<NamedTensor> outputs);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_OUTPUTFILES_H
