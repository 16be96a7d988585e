//===- Npy.h - NumPy's file format for tensors ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types in NumPy's files are read as these types of MLIR:
//
// - |b1 as i1;
// - i1, i2, i4 and i8, which are signed, as signless integers;
// - u1, u2, u4 and u8 as unsigned integers;
// - f2, f4 and f8 as floats;
// - V2, which NumPy writes for arrays of bfloat16, as bf16;
// - V1, which NumPy writes for 8-bit types that it does not have, as ui8.
//
// Other types and big-endian data are errors. Tensors are written with the same
// types, except that 8-bit floats are written as u1.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_NPY_H
#define IPU_MLIR_HOST_NPY_H

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ipu {

/// Returns the tensor in `file`, which has the bytes of a .npy file of version
/// 1, 2 or 3. Data in Fortran order are converted to row-major order. The
/// function never reads beyond the bytes, and it does not allocate more memory
/// than the bytes require.
llvm::Expected<HostTensor> parseNpy(StringRef file, MLIRContext *context);

/// Returns the tensor in the file `path`. Errors do not name the path.
llvm::Expected<HostTensor> readNpy(StringRef path, MLIRContext *context);

/// Writes `tensor` in version 1.0, or in version 2.0 if the header is too long
/// for 1.0. The bytes are the same as NumPy's. NumPy does not have all element
/// types: bf16 is written as two bytes without a type ('<V2'), and a float of 8
/// bits is written as the uint8 with the same bits. The caller must check `os`
/// for errors.
void writeNpy(raw_ostream &os, const HostTensor &tensor);

/// Writes `tensor` to the file `path`. Errors do not name the path.
llvm::Error writeNpy(StringRef path, const HostTensor &tensor);

/// Changes the element type of `tensor`, which was read from a file, to
/// `elementType`, if `elementType` is an f8 type and the tensor has uint8
/// elements. In a file, uint8 elements may be the bits of any type of 8 bits.
void viewAs(Type elementType, HostTensor &tensor);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_NPY_H
