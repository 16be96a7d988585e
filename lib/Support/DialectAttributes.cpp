//===- DialectAttributes.cpp - Tables of discardable attributes -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/DialectAttributes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ipu;

bool mlir::ipu::isPositiveI64(Operation *, Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() > 0;
}

/// Returns the name in `names` that is most similar to `name`, or an empty
/// string if more than a third of the characters would have to be edited.
static StringRef getNearest(StringRef name, ArrayRef<StringAttr> names) {
  StringRef nearest;
  unsigned best = std::max<unsigned>(name.size() / 3, 1) + 1;
  for (StringRef candidate : names) {
    unsigned distance = name.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

LogicalResult mlir::ipu::detail::verifyOnlyKnownAttributes(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name.contains('.'))
      continue;
    InFlightDiagnostic diag = op->emitOpError()
                              << "has no attribute '" << name << "'";
    StringRef nearest = getNearest(name, op->getName().getAttributeNames());
    if (!nearest.empty())
      return diag << "; did you mean '" << nearest << "'?";
    return diag << "; an attribute that the op does not define needs the "
                   "prefix of a dialect";
  }
  return success();
}

LogicalResult
mlir::ipu::verifyDialectAttribute(Operation *op, NamedAttribute attribute,
                                  ArrayRef<DialectAttribute> table,
                                  StringRef prefix) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  const auto *row = llvm::find_if(
      table, [&](const DialectAttribute &row) { return row.name == name; });
  if (row == table.end())
    return op->emitOpError()
           << "has unknown attribute '" << name << "' of dialect '"
           << attribute.getNameDialect()->getNamespace() << "'";
  if (row->isInPlace && !row->isInPlace(op, value))
    return op->emitOpError()
           << prefix << "attribute '" << name << "' " << row->place;
  if (row->isValid && !row->isValid(op, value))
    return op->emitOpError() << prefix << "attribute '" << name << "' "
                             << row->expected << " but got " << value;
  return row->verify ? row->verify(op, value) : success();
}
