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
