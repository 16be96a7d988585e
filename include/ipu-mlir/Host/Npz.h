//===- Npz.h - NumPy's file format for named tensors ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .npz file is a zip archive with a file NAME.npy for each tensor. Entries
// are written uncompressed, as by numpy.savez. Compressed entries, as written
// by numpy.savez_compressed, are errors.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_NPZ_H
#define IPU_MLIR_HOST_NPZ_H

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::ipu {

/// Returns the tensors in `file`, which has the bytes of a .npz file. The
/// tensors are in the order of the file. Fails for duplicate names, entries
/// that are not tensors, and wrong checksums. The function never reads beyond
/// the bytes, and it does not allocate more memory than the bytes require.
llvm::Expected<std::vector<NamedTensor>> parseNpz(StringRef file,
                                                  MLIRContext *context);

/// Returns the tensors in the file `path`. Errors do not name the path.
llvm::Expected<std::vector<NamedTensor>> readNpz(StringRef path,
                                                 MLIRContext *context);

/// Returns the bytes of a .npz file with `tensors`. Fails if names are
/// duplicate or too long, or if the file would exceed 4 GiB.
llvm::Expected<std::string> formatNpz(ArrayRef<NamedTensor> tensors);

/// Writes `tensors` to the file `path`. If the function fails, an existing file
/// at `path` does not change: the function writes a second file in the same
/// folder, flushes the second file to the disk, and then renames it to `path`.
/// Errors do not name the path.
llvm::Error writeNpz(StringRef path, ArrayRef<NamedTensor> tensors);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_NPZ_H
