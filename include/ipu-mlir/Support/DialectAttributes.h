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
  /// Whether the attribute may be on the op, with a text for the diagnostic;
  /// null if it may be on any op.
  Check isInPlace = nullptr;
  StringRef place = {};
  /// Whether the value is valid, with a text for the diagnostic; null if any
  /// value is valid.
  Check isValid = nullptr;
  StringRef expected = {};
  /// Additional checks; null if there are none.
  LogicalResult (*verify)(Operation *op, Attribute value) = nullptr;
};

/// Verifies an attribute of a dialect whose only attributes are those of
/// `table`. Diagnostics consist of `prefix`, "attribute '<name>'" and the
/// problem.
LogicalResult verifyDialectAttribute(Operation *op, NamedAttribute attribute,
                                     ArrayRef<DialectAttribute> table,
                                     StringRef prefix = "");

/// Whether `value` is an AttrT, on any op.
template <typename AttrT>
bool isAttribute(Operation *, Attribute value) {
  return isa<AttrT>(value);
}

/// Whether `op` is an OpT, for any value.
template <typename OpT>
bool isOp(Operation *op, Attribute) {
  return isa<OpT>(op);
}

/// Whether `value` is a positive i64.
bool isPositiveI64(Operation *op, Attribute value);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_DIALECTATTRIBUTES_H
