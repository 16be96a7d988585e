//===- NumberedOp.cpp - Numbers of decomposed ops -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumberedOp.h"

#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"

using namespace mlir;
using namespace mlir::pop;

static DrawAttr getDraw(Operation *op) {
  return op->getAttrOfType<DrawAttr>(PopDialect::kDrawAttrName);
}

std::optional<NumberedOp> NumberedOp::get(Operation *op) {
  DrawAttr draw = getDraw(op);
  return draw ? std::optional(NumberedOp(op, draw)) : std::nullopt;
}

void NumberedOp::addPart(Operation *op) {
  if (getDraw(op) || !ipu::mayRoundStochastically(op))
    return;
  int64_t part = draw.getPart() + numParts++;
  if (part < DrawAttr::kMaxParts)
    op->setAttr(PopDialect::kDrawAttrName,
                DrawAttr::get(op->getContext(), draw.getNumber(), part,
                              draw.getOffset()));
}

LogicalResult NumberedOp::verifyNumParts() const {
  int64_t limit = DrawAttr::kMaxParts - draw.getPart();
  if (numParts <= limit)
    return success();
  return emitError(loc) << "'" << name << "' op is decomposed into " << numParts
                        << " ops that may round, but " << draw
                        << " allows at most " << limit;
}
