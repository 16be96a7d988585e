//===- HostElements.h - Elements of host tensors ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_HOSTELEMENTS_H
#define IPU_MLIR_HOST_HOSTELEMENTS_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::ipu {

/// Returns the bits of the element of `type` at `data`, zero-extended.
uint64_t loadBits(Type type, const char *data);
void storeBits(Type type, uint64_t bits, char *data);

/// Returns the value of the float with these bits. The result is exact, because
/// double represents all values of the float types that host tensors may have.
double decodeFloat(FloatType type, uint64_t bits);

/// Returns the bits of `value` rounded to nearest even. A value beyond the
/// greatest number becomes infinite, or NaN in types without infinities.
uint64_t encodeFloat(FloatType type, double value);

/// Returns the value of the integer with these bits. The bits are sign-extended
/// unless `type` is unsigned or i1.
__int128 decodeInteger(IntegerType type, uint64_t bits);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_HOSTELEMENTS_H
