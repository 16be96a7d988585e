//===- DialectAttributes.h - Tables of discardable attributes ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_DIALECTATTRIBUTES_H
#define IPU_MLIR_SUPPORT_DIALECTATTRIBUTES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::ipu {

/// A discardable attribute of ops.
struct DialectAttribute {
  using Check = bool (*)(Operation *op, Attribute value);

  StringRef name;
  /// Where it belongs, in words as well; null: on any op.
  Check isInPlace = nullptr;
  StringRef place = {};
  /// What it is, in words as well; null: anything.
  Check isValid = nullptr;
  StringRef expected = {};
  /// What else has to hold; null: nothing.
  LogicalResult (*verify)(Operation *op, Attribute value) = nullptr;
};

/// Verifies an attribute of a dialect that has those of `table` and no others.
/// Diagnostics are `prefix`, "attribute '<name>'", and what is wrong.
LogicalResult verifyDialectAttribute(Operation *op, NamedAttribute attribute,
                                     ArrayRef<DialectAttribute> table,
                                     StringRef prefix = "");

/// Whether `value` is an AttrT, on whatever op.
template <typename AttrT>
bool isAttribute(Operation *, Attribute value) {
  return isa<AttrT>(value);
}

/// Whether `op` is an OpT, whatever the value.
template <typename OpT>
bool isOp(Operation *op, Attribute) {
  return isa<OpT>(op);
}

/// Whether `value` is a positive i64.
bool isPositiveI64(Operation *op, Attribute value);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_DIALECTATTRIBUTES_H
