//===- CollectiveForm.cpp - Collectives as columns of a matrix ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveForm.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;
using ipu::CollectiveOperator;

/// Returns the number of parts of type `part` that `whole` has, the last of
/// which may be truncated. Returns std::nullopt if parts are not contiguous
/// elements of `whole`.
static std::optional<int64_t> countParts(RankedTensorType whole,
                                         RankedTensorType part, int64_t axis) {
  ArrayRef<int64_t> shape = whole.getShape();
  if (llvm::any_of(shape.take_front(axis), [](int64_t n) { return n != 1; }))
    return std::nullopt;
  return llvm::divideCeil(shape[axis], part.getDimSize(axis));
}

std::optional<CollectiveForm> mlir::pop::getCollectiveForm(Operation *op) {
  using Form = std::optional<CollectiveForm>;
  // The result of a merged collective would not have this tile mapping.
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      op->hasAttr(ipu::IPUDialect::kTileMappingAttrName))
    return std::nullopt;
  auto operand = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!operand || !result || operand.getNumElements() == 0 ||
      result.getNumElements() == 0)
    return std::nullopt;
  auto getForm = [&](int64_t operandRows, int64_t resultRows,
                     std::optional<int64_t> axis = std::nullopt) {
    return CollectiveForm{operandRows, resultRows,
                          operand.getNumElements() / operandRows, axis};
  };
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](AllReduceOp op) -> Form {
        if (op.getKind() == CollectiveOperator::Local)
          return std::nullopt;
        return getForm(1, 1);
      })
      .Case<BroadcastOp, CollectivePermuteOp>(
          [&](auto) -> Form { return getForm(1, 1); })
      .Case([&](ReduceScatterOp op) -> Form {
        std::optional<int64_t> parts =
            countParts(operand, result, op.getAxis());
        // Zeros after a truncated part are not in the operand.
        if (op.getKind() == CollectiveOperator::Local || !parts ||
            operand.getNumElements() != result.getNumElements() * *parts)
          return std::nullopt;
        return getForm(*parts, 1, op.getAxis());
      })
      .Case([&](AllGatherOp op) -> Form {
        if (std::optional<int64_t> parts =
                countParts(result, operand, op.getAxis()))
          return getForm(1, *parts, op.getAxis());
        return std::nullopt;
      })
      .Default([](Operation *) -> Form { return std::nullopt; });
}

Attribute mlir::pop::getCollectiveKey(Operation *op,
                                      const CollectiveForm &form) {
  Builder b(op->getContext());
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase(kAxisAttrName);
  attributes.erase(PopDialect::kDrawAttrName);
  Type elementType = getElementTypeOrSelf(op->getResult(0));
  return b.getArrayAttr({b.getStringAttr(op->getName().getStringRef()),
                         attributes.getDictionary(b.getContext()),
                         TypeAttr::get(elementType),
                         b.getI64IntegerAttr(form.operandRows),
                         b.getI64IntegerAttr(form.resultRows)});
}

LogicalResult mlir::pop::verifyMaxBytes(Operation *op, StringRef pass,
                                        int64_t maxBytes) {
  if (maxBytes > 0)
    return success();
  return op->emitError() << "'" << pass
                         << "' expects option 'max-bytes' to be at least 1 but "
                            "got "
                         << maxBytes;
}
