//===- WeightsFromHost.cpp - Ops executed when weights load -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an entry function, some of whose ops have the execution context
// `weights_from_host`. Out: these ops are in a branch that only the first run
// after a transfer of weights executes. Their results are in variables.
//
//===----------------------------------------------------------------------===//

#include "GraphTransforms.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::pop {
#define GEN_PASS_DEF_WEIGHTSFROMHOSTPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
/// Builds the branch of an entry function.
class BranchBuilder {
public:
  BranchBuilder(FunctionOpInterface entry, SymbolTable &symbols)
      : entry(entry), symbols(symbols), b(entry) {}

  LogicalResult run();

private:
  void collect();
  bool isOfBranch(Operation *op) const { return ofBranch.contains(op); }
  LogicalResult verifyOperands(Operation *op) const;
  LogicalResult verifyResults(Operation *op);
  GetVariableOp addScratch(StringRef name, Location loc, ElementsAttr value,
                           std::optional<int64_t> vgraph);
  void build();
  Value cloneFree(Value value);
  void keep(Value result, scf::IfOp branch);

  FunctionOpInterface entry;
  SymbolTable &symbols;
  OpBuilder b;
  SmallVector<Operation *> ops;
  llvm::DenseSet<Operation *> ofBranch;
  /// Copies of constants and refs that are in the branch.
  IRMapping copies;
};
} // namespace

static bool isFree(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || isHandle(op);
}

void BranchBuilder::collect() {
  for (Operation &op : entry.getFunctionBody().front().without_terminator()) {
    if (getExecutionContext(&op) != ExecutionContext::WeightsFromHost)
      continue;
    op.walk([](Operation *nested) {
      nested->removeAttr(PopDialect::kExecutionContextAttrName);
    });
    if (isFree(&op))
      continue;
    ops.push_back(&op);
    ofBranch.insert(&op);
  }
}

/// Returns the values that `op` and the ops in its regions use and that are
/// defined outside of `op`.
static SmallVector<Value> getUsedValues(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values.takeVector();
}

LogicalResult BranchBuilder::verifyOperands(Operation *op) const {
  for (Value value : getUsedValues(op)) {
    Operation *source = value.getDefiningOp();
    if (source && (isOfBranch(source) ||
                   (isFree(source) && succeeded(verifyOperands(source)))))
      continue;
    InFlightDiagnostic diag =
        op->emitOpError()
        << "is executed when weights are loaded but uses a value that is "
           "computed in each run; expects a variable for this value";
    if (source)
      diag.attachNote(source->getLoc())
          << "'" << source->getName() << "' computes it";
    return diag;
  }
  return success();
}

LogicalResult BranchBuilder::verifyResults(Operation *op) {
  for (Value result : op->getResults()) {
    if (isa<RankedTensorType>(result.getType()))
      continue;
    for (Operation *user : result.getUsers())
      if (!isOfBranch(
              entry.getFunctionBody().front().findAncestorOpInBlock(*user))) {
        InFlightDiagnostic diag =
            user->emitOpError()
            << "is executed in each run but uses a value of type "
            << result.getType()
            << " that is computed when weights are loaded; expects a tensor";
        diag.attachNote(op->getLoc())
            << "'" << op->getName() << "' computes it";
        return diag;
      }
  }
  return success();
}

/// Declares a scratch tensor on the virtual graph `vgraph` before the function,
/// and returns a ref to it.
GetVariableOp BranchBuilder::addScratch(StringRef name, Location loc,
                                        ElementsAttr value,
                                        std::optional<int64_t> vgraph) {
  OpBuilder::InsertionGuard guard(b);
  auto type = cast<RankedTensorType>(value.getShapedType());
  auto scratch = ScratchOp::create(b, loc, name, type, value);
  scratch->remove();
  symbols.insert(scratch, Block::iterator(entry));
  b.setInsertionPointToStart(&entry.getFunctionBody().front());
  auto ref =
      GetVariableOp::create(b, loc, RefType::get(type), scratch.getSymName());
  setVgraph(scratch, vgraph);
  setVgraph(ref, vgraph);
  return ref;
}

Value BranchBuilder::cloneFree(Value value) {
  Operation *source = value.getDefiningOp();
  if (!source || isOfBranch(source))
    return value;
  if (Value copy = copies.lookupOrNull(value))
    return copy;
  for (Value operand : source->getOperands())
    cloneFree(operand);
  b.clone(*source, copies);
  return copies.lookup(value);
}

/// Writes `result` to a scratch tensor at the end of the branch. Ops outside of
/// the branch read the tensor.
void BranchBuilder::keep(Value result, scf::IfOp branch) {
  auto isOutside = [&](OpOperand &use) {
    return !branch->isProperAncestor(use.getOwner());
  };
  if (!llvm::any_of(result.getUses(), isOutside))
    return;
  Location loc = result.getLoc();
  auto type = cast<RankedTensorType>(result.getType());
  auto zero = cast<ElementsAttr>(
      DenseElementsAttr::get(type, b.getZeroAttr(type.getElementType())));
  std::optional<int64_t> vgraph = getVgraph(result);
  GetVariableOp ref = addScratch("weights_from_host", loc, zero, vgraph);
  setVgraph(CopyInPlaceOp::create(b, loc, ref, result), vgraph);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(branch);
  auto read = ReadOp::create(b, loc, ref);
  setVgraph(read, vgraph);
  result.replaceUsesWithIf(read, isOutside);
}

void BranchBuilder::build() {
  Location loc = ops.front()->getLoc();
  std::optional<int64_t> vgraph;
  for (Operation *op : ops)
    if (!vgraph)
      vgraph = getVgraph(op);
  auto flagType = RankedTensorType::get({}, b.getI1Type());
  GetVariableOp flag = addScratch(
      "weights_loaded", loc, DenseElementsAttr::get(flagType, true), vgraph);
  b.setInsertionPointAfter(flag);
  auto loaded = ReadOp::create(b, loc, flag);
  setVgraph(loaded, vgraph);
  Value condition = tensor::ExtractOp::create(b, loc, loaded, ValueRange());
  auto branch = scf::IfOp::create(b, loc, condition);
  b.setInsertionPoint(branch.thenYield());
  for (Operation *op : ops) {
    for (Value value : getUsedValues(op)) {
      Value copy = cloneFree(value);
      value.replaceUsesWithIf(
          copy, [&](OpOperand &use) { return op->isAncestor(use.getOwner()); });
    }
    op->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  }
  for (Operation *op : ops)
    for (Value result : op->getResults())
      keep(result, branch);
  auto isFalse =
      ConstantOp::create(b, loc, DenseElementsAttr::get(flagType, false));
  setVgraph(isFalse, vgraph);
  setVgraph(CopyInPlaceOp::create(b, loc, flag, isFalse), vgraph);
}

LogicalResult BranchBuilder::run() {
  collect();
  for (Operation *op : ops)
    if (failed(verifyOperands(op)) || failed(verifyResults(op)))
      return failure();
  if (!ops.empty())
    build();
  return success();
}

namespace {
struct WeightsFromHost : pop::impl::WeightsFromHostPassBase<WeightsFromHost> {
  using WeightsFromHostPassBase::WeightsFromHostPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto function = symbols.lookup<FunctionOpInterface>(entry);
    if (function && !function.isExternal() &&
        function.getFunctionBody().hasOneBlock() &&
        failed(BranchBuilder(function, symbols).run()))
      signalPassFailure();
  }
};
} // namespace
