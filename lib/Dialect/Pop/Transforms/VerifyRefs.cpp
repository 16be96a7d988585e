//===- VerifyRefs.cpp - Verification of the origins of refs -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, or errors at refs whose origin is not
// known statically.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_VERIFYREFSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

static constexpr StringLiteral kExpected =
    ", but expects refs only from variables, new tensors, views and arguments "
    "of functions";

static bool isRef(Value value) { return isa<RefType>(value.getType()); }

/// Adds where the refs among `values` come from.
static void addOrigins(llvm::SetVector<Value> &origins, ValueRange values) {
  for (Value value : values)
    if (isRef(value))
      origins.insert(getRefOrigin(value));
}

/// The refs that may enter or leave the regions of an op.
static llvm::SetVector<Value> getSources(Operation *op) {
  llvm::SetVector<Value> origins;
  addOrigins(origins, op->getOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!block.empty() &&
          block.back().mightHaveTrait<OpTrait::IsTerminator>())
        addOrigins(origins, block.back().getOperands());
  // Where a loop carries a ref round, it came in by an operand.
  if (!isa<FunctionOpInterface>(op))
    origins.remove_if([&](Value origin) {
      auto argument = dyn_cast<BlockArgument>(origin);
      return argument && argument.getOwner()->getParentOp() == op;
    });
  return origins;
}

static LogicalResult report(InFlightDiagnostic error,
                            const llvm::SetVector<Value> &origins) {
  error << kExpected;
  for (Value origin : origins)
    error.attachNote(origin.getLoc()) << "the value may be this ref";
  return error;
}

/// Checks that refs which the op makes refer to a tensor that the op names.
static LogicalResult verifyResults(Operation *op) {
  if (op->hasTrait<RefOrigin>())
    return success();
  auto view = dyn_cast<ViewLikeOpInterface>(op);
  if (view && isRef(view.getViewSource()))
    return success();
  for (OpResult result : op->getResults())
    if (isRef(result))
      return report(op->emitOpError()
                        << "has result #" << result.getResultNumber()
                        << " of type " << result.getType(),
                    getSources(op));
  return success();
}

/// Checks that a block has refs as arguments only where it is a function.
static LogicalResult verifyArguments(Block &block) {
  Operation *op = block.getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && block.isEntryBlock() &&
      block.getParent() == &function.getFunctionBody())
    return success();
  llvm::SetVector<Value> origins;
  if (block.isEntryBlock())
    origins = getSources(op);
  for (Block *predecessor : block.getPredecessors())
    addOrigins(origins, predecessor->getTerminator()->getOperands());
  for (BlockArgument argument : block.getArguments())
    if (isRef(argument)) {
      InFlightDiagnostic error = block.isEntryBlock()
                                     ? op->emitOpError() << "has argument #"
                                     : emitError(argument.getLoc())
                                           << "a block has argument #";
      error << argument.getArgNumber();
      if (block.isEntryBlock())
        error << " of a region";
      error << " of type " << argument.getType();
      return report(std::move(error), origins);
    }
  return success();
}

/// Checks that a function returns no refs.
static LogicalResult verifyReturns(FunctionOpInterface function) {
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (isa<RefType>(type))
      return report(function->emitOpError()
                        << "returns result #" << i << " of type " << type,
                    getSources(function));
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (failed(verifyReturns(function)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(verifyArguments(block)))
        return failure();
  return verifyResults(op);
}

namespace {
struct VerifyRefsPass : pop::impl::VerifyRefsPassBase<VerifyRefsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    bool isValid = true;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { isValid &= succeeded(verifyOp(op)); });
    if (!isValid)
      signalPassFailure();
  }
};
} // namespace
