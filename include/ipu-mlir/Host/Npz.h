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

/// The tensors in `file`, the bytes of a .npz file, in its order. Fails at
/// names that come twice, entries that are no tensors, and wrong checksums;
/// never reads past the bytes and allocates no more than they account for.
llvm::Expected<std::vector<NamedTensor>> parseNpz(StringRef file,
                                                  MLIRContext *context);

/// The tensors in the file `path`; errors do not name the path.
llvm::Expected<std::vector<NamedTensor>> readNpz(StringRef path,
                                                 MLIRContext *context);

/// Bytes of a .npz file. Fails for names that come twice or are too long, and
/// beyond 4 GiB.
llvm::Expected<std::string> formatNpz(ArrayRef<NamedTensor> tensors);

/// Writes the file `path`, or leaves what is there: writes another file beside
/// it, brings that to the disk and then gives it the name. Errors do not name
/// the path.
llvm::Error writeNpz(StringRef path, ArrayRef<NamedTensor> tensors);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_NPZ_H
