//===- FuseOps.cpp - Ops of the fuse dialect --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::fuse;

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Fuse/IR/FuseOps.cpp.inc"

/// Whether `op` computes scalars from scalars, and may be done anywhere.
static bool isScalarOp(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return op->getNumResults() > 0 && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

/// Checks that an op may stand in a fusion.
static LogicalResult verifyBodyOp(FusionOp fusion, Operation *op) {
  if (isa<tensor::EmptyOp, tensor::DimOp, tensor::ExtractSliceOp,
          tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::InsertSliceOp>(op) ||
      isScalarOp(op))
    return success();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics()) {
    InFlightDiagnostic diagnostic =
        fusion.emitOpError()
        << "expects linalg ops on tensors, 'tensor.empty', 'tensor.dim', "
           "slices, reshapes and ops on scalars in its region but got '"
        << op->getName() << "'";
    diagnostic.attachNote(op->getLoc()) << "op is here";
    return diagnostic;
  }
  // Loops would not know of tensors that are read elsewhere.
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (isa<ShapedType>(value.getType())) {
      InFlightDiagnostic diagnostic =
          fusion.emitOpError()
          << "expects ops to read tensors only as operands but got '"
          << op->getName() << "' with a region that reads " << value.getType();
      diagnostic.attachNote(op->getLoc()) << "op is here";
      return diagnostic;
    }
  return success();
}

LogicalResult FusionOp::verify() {
  Block &block = getBody().front();
  // c1
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "expects region arguments of the operands' types ("
                         << getInputs().getTypes() << ") but got ("
                         << block.getArgumentTypes() << ")";
  // c2
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getResults().getTypes() != getResultTypes()) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "expects its region to yield ("
                                    << getResultTypes() << ") but got ";
    if (yield)
      diagnostic << "(" << yield.getResults().getTypes() << ")";
    else
      diagnostic << "'" << block.back().getName() << "'";
    diagnostic.attachNote(block.back().getLoc()) << "region ends here";
    return diagnostic;
  }

  llvm::DenseMap<StringAttr, Operation *> named;
  for (Operation &op : block.without_terminator()) {
    // c3
    if (failed(verifyBodyOp(*this, &op)))
      return failure();
    // c4
    auto name = op.getAttrOfType<StringAttr>(FuseDialect::kNameAttrName);
    if (!name)
      continue;
    auto [it, isNew] = named.insert({name, &op});
    if (!isNew) {
      InFlightDiagnostic diagnostic = op.emitOpError()
                                      << "has the name '" << name.getValue()
                                      << "' of another op of the fusion";
      diagnostic.attachNote(it->second->getLoc()) << "other op is here";
      return diagnostic;
    }
  }
  return success();
}
