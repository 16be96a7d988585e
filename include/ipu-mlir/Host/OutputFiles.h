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

/// Returns a file name, without `.npy`, for each name of a tensor. A name that
/// consists of letters, digits, `.`, `_` and `-`, and that has no leading `.`,
/// is a valid file name and does not change. In other names, `_` replaces a
/// leading `.` and each character that is not a letter, a digit, `.`, `_` or
/// `-`. Then `_` is appended until the result differs from all earlier results
/// and from all names of tensors that are valid file names. Tensors must have
/// different names.
std::vector<std::string> getFileNames(ArrayRef<StringRef> outputs);

/// Writes each tensor to NAME.npy in `directory`, which must exist. `names` are
/// all outputs of the program, of which a run may write only some: the file of
/// an output does not depend on which of the others are written. Calls
/// `renamed` for each file that does not have the name of its output. Errors
/// name the file.
llvm::Error
writeResults(StringRef directory, ArrayRef<NamedTensor> outputs,
             ArrayRef<StringRef> names,
             function_ref<void(StringRef name, StringRef path)> renamed);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_OUTPUTFILES_H
