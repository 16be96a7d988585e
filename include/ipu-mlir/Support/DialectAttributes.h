//===- DialectAttributes.h - Tables of discardable attributes ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_DIALECTATTRIBUTES_H
#define IPU_MLIR_SUPPORT_DIALECTATTRIBUTES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::ipu {

/// A discardable attribute of a dialect, with its checks.
struct DialectAttribute {
  using Check = bool (*)(Operation *op, Attribute value);

  StringRef name;
  /// Returns whether the attribute may be on the op. This function is null if
  /// the attribute may be on any op. `place` is the part of the diagnostic that
  /// describes the ops on which the attribute may be.
  Check isInPlace = nullptr;
  StringRef place = {};
  /// Returns whether the value is valid. This function is null if any value is
  /// valid. `expected` is the part of the diagnostic that describes valid
  /// values.
  Check isValid = nullptr;
  StringRef expected = {};
  /// Does additional checks; null if there are none.
  LogicalResult (*verify)(Operation *op, Attribute value) = nullptr;
};

/// Verifies a discardable attribute of a dialect. `table` has all discardable
/// attributes of this dialect. Diagnostics consist of `prefix`, "attribute
/// '<name>'" and the problem.
LogicalResult verifyDialectAttribute(Operation *op, NamedAttribute attribute,
                                     ArrayRef<DialectAttribute> table,
                                     StringRef prefix = "");

namespace detail {
LogicalResult verifyOnlyKnownAttributes(Operation *op);
} // namespace detail

/// Verifies that each attribute without the prefix of a dialect is defined by
/// the op. Otherwise, a misspelt optional attribute would have no effect.
template <typename ConcreteType>
class OnlyKnownAttributes
    : public OpTrait::TraitBase<ConcreteType, OnlyKnownAttributes> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return detail::verifyOnlyKnownAttributes(op);
  }
};

/// Returns whether `value` is an AttrT.
template <typename AttrT>
bool isAttribute(Operation *, Attribute value) {
  return isa<AttrT>(value);
}

/// Returns whether `op` is an OpT.
template <typename OpT>
bool isOp(Operation *op, Attribute) {
  return isa<OpT>(op);
}

/// Returns whether `value` is a positive i64.
bool isPositiveI64(Operation *op, Attribute value);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_DIALECTATTRIBUTES_H
