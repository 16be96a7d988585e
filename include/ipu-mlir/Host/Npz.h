//===- Npz.h - NumPy's file format for named tensors ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .npz file is a zip archive with a file NAME.npy for each tensor. Entries
// are written uncompressed, as by numpy.savez. Compressed entries, as written
// by numpy.savez_compressed, are refused.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_NPZ_H
#define IPU_MLIR_HOST_NPZ_H

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::ipu {

/// The tensors in `file`, the bytes of a .npz file, in the order of the file.
/// Fails for duplicate names, entries that are not tensors, and wrong
/// checksums. Never reads beyond the bytes, and allocates no more memory than
/// the bytes require.
llvm::Expected<std::vector<NamedTensor>> parseNpz(StringRef file,
                                                  MLIRContext *context);

/// The tensors in the file `path`; errors do not name the path.
llvm::Expected<std::vector<NamedTensor>> readNpz(StringRef path,
                                                 MLIRContext *context);

/// The bytes of a .npz file. Fails for names that are duplicate or too long,
/// and beyond 4 GiB.
llvm::Expected<std::string> formatNpz(ArrayRef<NamedTensor> tensors);

/// Writes the file `path`, or leaves an existing file unchanged: writes a
/// second file in the same folder, flushes it to the disk, and then renames it.
/// Errors do not name the path.
llvm::Error writeNpz(StringRef path, ArrayRef<NamedTensor> tensors);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_NPZ_H
