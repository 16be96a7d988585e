//===- InsertedCopies.cpp - Copies of values for their readers --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InsertedCopies.h"

#include "ipu-mlir/Support/LocationName.h"

using namespace mlir;
using namespace mlir::pop;

void InsertedCopies::redirect(OpOperand &operand, int64_t destination,
                              const Twine &name, CreateFn create) {
  Value value = operand.get();
  Value &copy = copies[{value, destination}];
  if (!copy) {
    Operation *reader =
        value.getParentBlock()->findAncestorOpInBlock(*operand.getOwner());
    OpBuilder b(operand.getOwner());
    if (reader)
      b.setInsertionPoint(reader);
    else
      b.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    if (StringAttr own = ipu::getLocationName(loc))
      loc = ipu::getNamedLoc((own.getValue() + " on " + name).str(), loc);
    copy = create(b, loc);
  }
  operand.set(copy);
}
