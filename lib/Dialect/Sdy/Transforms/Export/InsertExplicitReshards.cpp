//===- InsertExplicitReshards.cpp - Reshards where shardings disagree -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: closed shardings. Out: tensors are resharded if shardings disagree:
// around ops with rules, and at edges of region ops, calls and returns. Each op
// is visited once: users of a result still see its former sharding. The minimal
// version reshards only a few dimensions, but handles unreduced axes like the
// full version, because the partitioner moves shards and does not know partial
// values.
//
//===----------------------------------------------------------------------===//

#include "../DataFlowEdges.h"
#include "../ShardingUtils.h"
#include "OpReshards.h"
#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_INSERTEXPLICITRESHARDSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::AxisList;

namespace {
class ReshardInserter {
public:
  ReshardInserter(ModuleOp module, bool isFull, bool avoidNamedComputations)
      : module(module), resharder(module), isFull(isFull),
        avoidNamedComputations(avoidNamedComputations) {}

  LogicalResult run();
  bool hasChanged() const { return resharder.hasChanged(); }

private:
  LogicalResult visit(Operation *op);
  LogicalResult verifySignature(FunctionOpInterface function);
  LogicalResult reshardPassed(const PassedOperand &passed, bool withDims);
  LogicalResult reshardBranch(Operation *op);
  LogicalResult reshardCallResults(CallOpInterface call);
  LogicalResult visitReshard(ReshardOp op);
  LogicalResult visitOther(Operation *op);
  LogicalResult insertMinimalReshards(Operation *op,
                                      const sharding::Rule &rule);
  void keepStarts(Operation *op, const std::optional<ValueSharding> &result,
                  ArrayRef<ValueSharding> operands,
                  MutableArrayRef<AxisList> kept);
  LogicalResult reduceOperands(Operation *op);
  /// The operand must be sharded like what it goes to; unless `withDims`, only
  /// its unreduced axes must be the same.
  LogicalResult reshardEdge(OpOperand &source, ValueSharding target,
                            bool withDims, AttachNoteFn attachNote = nullptr);

  ModuleOp module;
  ValueResharder resharder;
  bool isFull;
  /// Whether only partial sums that named computations take are resharded.
  bool avoidNamedComputations;
  /// Operands of terminators and region ops that are dealt with.
  llvm::SmallPtrSet<OpOperand *, 16> edgeSources;
};
} // namespace

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

LogicalResult ReshardInserter::run() {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (failed(visit(op)))
      return failure();
  return success();
}

LogicalResult ReshardInserter::visit(Operation *op) {
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    return isFull ? verifySignature(function) : success();
  if (auto reshard = dyn_cast<ReshardOp>(op))
    return visitReshard(reshard);
  if (auto all = getPassedOperands(op, resharder.getSymbols())) {
    bool withDims = isFull || isa<CallOpInterface, NamedComputationOp>(op);
    bool isAvoided = avoidNamedComputations && isa<NamedComputationOp>(op);
    for (const PassedOperand &passed : *all) {
      bool isTaken = passed.operand->getOwner() == op;
      if (failed(reshardPassed(passed, withDims && !(isAvoided && isTaken))))
        return failure();
    }
    auto call = dyn_cast<CallOpInterface>(op);
    return call ? reshardCallResults(call) : success();
  }
  if (isa<BranchOpInterface>(op))
    return reshardBranch(op);
  if (op->hasTrait<OpTrait::IsTerminator>() &&
      isa<FunctionOpInterface>(op->getParentOp()))
    return success();
  // What shards or groups values, or says how, has no data of its own.
  if (isa_and_nonnull<SdyDialect>(op->getDialect()) &&
      !isa<ConstantOp, PropagationBarrierOp, ReturnOp>(op))
    return success();
  return visitOther(op);
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

LogicalResult ReshardInserter::verifySignature(FunctionOpInterface function) {
  auto verify = [&](TensorShardingAttr sharding, StringRef kind, unsigned i) {
    if (!sharding || !resharder.get(sharding, sharding.getRank()).isMaximal())
      return success();
    return LogicalResult(
        function.emitOpError()
        << kind << " " << i << " has sharding " << sharding
        << " on one device, expected a sharding on the axes of a mesh");
  };
  StringAttr name = StringAttr::get(function.getContext(), kShardingAttrName);
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    if (failed(verify(function.getArgAttrOfType<TensorShardingAttr>(i, name),
                      "arg", i)))
      return failure();
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    if (failed(verify(function.getResultAttrOfType<TensorShardingAttr>(i, name),
                      "result", i)))
      return failure();
  return success();
}

LogicalResult ReshardInserter::reshardEdge(OpOperand &source,
                                           ValueSharding target, bool withDims,
                                           AttachNoteFn attachNote) {
  edgeSources.insert(&source);
  if (!isTensor(source.get()))
    return success();
  if (!withDims)
    target = resharder.makePartialLike(resharder.get(source.get()), target);
  return resharder.reshard(source, target, attachNote);
}

LogicalResult ReshardInserter::reshardPassed(const PassedOperand &passed,
                                             bool withDims) {
  ValueSharding target = resharder.get(
      passed.getSeenSharding(), getTensorShape(passed.operand->get()).size());
  if (passed.owner)
    return reshardEdge(*passed.operand, target, withDims);
  if (!isa<CallOpInterface>(passed.operand->getOwner()))
    return reshardEdge(
        *passed.operand, target, withDims, [&](InFlightDiagnostic &diag) {
          diag.attachNote(passed.getTargetLoc())
              << passed.getTargetName() << " has sharding " << passed.sharding;
        });
  // What a declaration does not say is not known; but it takes no partial
  // values.
  FunctionOpInterface callee = passed.function;
  if (!passed.sharding && callee.isExternal()) {
    ValueSharding from = resharder.get(passed.operand->get());
    if (!from.isUnreduced())
      return success();
    from.axes.unreduced.clear();
    target = resharder.make(from, from.axes);
  }
  return reshardEdge(*passed.operand, target, withDims);
}

/// The arguments of other blocks have no shardings: they are whole.
LogicalResult ReshardInserter::reshardBranch(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    ValueSharding whole =
        resharder.get(nullptr, getTensorShape(operand.get()).size());
    if (failed(reshardEdge(operand, whole, /*withDims=*/isFull)))
      return failure();
  }
  return success();
}

LogicalResult ReshardInserter::reshardCallResults(CallOpInterface call) {
  FunctionOpInterface callee = lookupCallee(call, resharder.getSymbols());
  for (OpResult result : call->getResults())
    if (isTensor(result) &&
        failed(insertCallResultReshards(result, callee, resharder,
                                        /*onlyUnreduced=*/!isFull)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// One that changes what is unreduced says how.
LogicalResult ReshardInserter::visitReshard(ReshardOp op) {
  if (!isTensor(op.getInput()))
    return success();
  ValueSharding from = resharder.get(op.getInput());
  ValueSharding to = resharder.get(op.getResult());
  if (haveSameParts(from, to))
    return success();
  OpBuilder builder = resharder.makeBuilder(op);
  FailureOr<Value> value =
      resharder.reshard(builder, op.getLoc(), op.getInput(), from, to,
                        {"operand 0", [&] { return op.emitOpError(); }});
  if (failed(value))
    return failure();
  op.replaceAllUsesWith(*value);
  op.erase();
  return success();
}

/// What of the operands' unreduced axes the op keeps, which results have too.
static SmallVector<AxisList> getKept(Operation *op, const ValueSharding &result,
                                     ArrayRef<ValueSharding> operands) {
  SmallVector<AxisList> kept(operands.size());
  PartialValueFlow flow = getPartialValueFlow(op, result.getKind());
  AxisList left = result.axes.unreduced;
  auto getCommon = [&](const ValueSharding &operand) {
    // With devices in another order, an axis tells other devices apart.
    bool isComparable = operand.mesh && operand.mesh == result.mesh &&
                        operand.getKind() == result.getKind();
    return isComparable ? getIntersection(left, operand.axes.unreduced)
                        : AxisList();
  };
  if (flow.together)
    for (unsigned i : flow.operands)
      left = getCommon(operands[i]);
  for (unsigned i : flow.operands) {
    kept[i] = getCommon(operands[i]);
    if (!flow.together)
      left = sharding::getDifference(left, kept[i]);
  }
  return kept;
}

/// A sum that is made in parts may start from parts.
void ReshardInserter::keepStarts(Operation *op,
                                 const std::optional<ValueSharding> &result,
                                 ArrayRef<ValueSharding> operands,
                                 MutableArrayRef<AxisList> kept) {
  for (unsigned i : getAddedOnce(op)) {
    const ValueSharding &operand = operands[i];
    if (!operand.isUnreduced() || operand.getKind() != ReductionKind::Sum)
      continue;
    std::optional<sharding::Rule> rule =
        getShardingRule(op, /*conservative=*/false);
    AxisList parts = rule ? getReductionAxes(op, *rule, resharder) : AxisList();
    // The minimal version makes parts only of results that are declared so, and
    // moves nothing to their mesh.
    if (!isFull && result && result->mesh != operand.mesh)
      continue;
    if (!isFull)
      parts =
          getIntersection(parts, result ? result->axes.unreduced : AxisList());
    parts = getIntersection(operand.axes.unreduced, parts);
    kept[i].append(sharding::getDifference(parts, kept[i]));
  }
}

/// Reduces operands over the axes along which partial values of them do not
/// make partial values of the results.
LogicalResult ReshardInserter::reduceOperands(Operation *op) {
  std::optional<ValueSharding> kept;
  for (Value result : op->getResults()) {
    if (!isTensor(result))
      continue;
    ValueSharding sharding = resharder.get(result);
    if (!kept)
      kept = sharding;
    else if (!haveSameParts(*kept, sharding))
      return op->emitOpError("results have different unreduced axes: ")
             << kept->attr << " and " << sharding.attr;
  }
  SmallVector<ValueSharding> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return resharder.get(value); });
  if (llvm::none_of(operands, std::mem_fn(&ValueSharding::isUnreduced)))
    return success();
  SmallVector<AxisList> keptAxes = kept
                                       ? getKept(op, *kept, operands)
                                       : SmallVector<AxisList>(operands.size());
  // Of partial values, each device would multiply its part of the operand by
  // what it sums up itself. The full version gathers what is summed up.
  if (!isFull)
    for (AxisList &list : keptAxes)
      list = sharding::getDifference(list, getSummedAxes(op, operands));
  keepStarts(op, kept, operands, keptAxes);
  for (OpOperand &operand : op->getOpOperands()) {
    if (edgeSources.contains(&operand) || !isTensor(operand.get()))
      continue;
    const ValueSharding &from = operands[operand.getOperandNumber()];
    AxisList removed = sharding::getDifference(
        from.axes.unreduced, keptAxes[operand.getOperandNumber()]);
    if (removed.empty())
      continue;
    OpBuilder builder = resharder.makeBuilder(op);
    operand.set(resharder.allReduce(builder, op->getLoc(), operand.get(), from,
                                    removed, from.getKind()));
  }
  return success();
}

/// Tensors of concatenations and results of some products only, and what is
/// unreduced.
LogicalResult
ReshardInserter::insertMinimalReshards(Operation *op,
                                       const sharding::Rule &rule) {
  auto isOnDevice = [&](Value value) {
    return resharder.get(value).isMaximal();
  };
  if (llvm::any_of(getTensors(op), isOnDevice))
    return success();
  if (isa<stablehlo::ConcatenateOp>(op) && !haveEqualShardings(op, resharder) &&
      failed(insertReshards(op, rule, resharder, /*reduces=*/false)))
    return failure();
  reshardProduct(op, rule, resharder);
  return introducePartialResults(op, rule, resharder);
}

LogicalResult ReshardInserter::visitOther(Operation *op) {
  if (failed(reduceOperands(op)))
    return failure();
  std::optional<sharding::Rule> rule =
      getShardingRule(op, /*conservative=*/false);
  if (!isFull && rule)
    return insertMinimalReshards(op, *rule);
  for (Value result : op->getResults())
    if (ValueSharding sharding = resharder.get(result);
        isFull && isTensor(result) && sharding.isMaximal()) {
      insertSingleDeviceReshards(op, sharding, resharder);
      return success();
    }
  if (rule)
    return insertReshards(op, *rule, resharder, /*reduces=*/true);
  // What is opaque says itself what it makes; others make no partial values.
  bool isOfWholes = llvm::none_of(op->getOperands(), [&](Value value) {
    return resharder.get(value).isUnreduced();
  });
  return isOfWholes && isPure(op) ? introduceUnreduced(op, resharder)
                                  : success();
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
struct InsertExplicitReshardsPass
    : sdy::impl::InsertExplicitReshardsPassBase<InsertExplicitReshardsPass> {
  using InsertExplicitReshardsPassBase::InsertExplicitReshardsPassBase;
  void runOnOperation() override {
    if (failed(verifyNoModulesInside(getOperation())))
      return signalPassFailure();
    ReshardInserter inserter(getOperation(), enableFullVersion,
                             avoidReshardsOnNamedComputations);
    if (failed(inserter.run()))
      return signalPassFailure();
    if (!inserter.hasChanged())
      markAllAnalysesPreserved();
  }
};
} // namespace
