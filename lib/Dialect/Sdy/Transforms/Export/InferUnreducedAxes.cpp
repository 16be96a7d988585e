//===- InferUnreducedAxes.cpp - Partial values that are reduced later -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program that reduces partial values itself, by sdy.all_reduce and
// sdy.reduce_scatter. Out: the values between the op that makes the partial
// values and the reduction are declared as unreduced. Without this, partial
// values would be reduced before the first value that is not declared so, and
// the reduction of the program would add whole values.
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "OpReshards.h"
#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_INFERUNREDUCEDAXESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::AxisList;
using sharding::AxisRef;

namespace {
/// Axes along which a value may be partial, on a mesh.
struct PartialAxes {
  MeshAttr mesh;
  AxisList axes;

  bool contains(const AxisRef &axis) const {
    return sharding::getDifference(axis, axes).empty();
  }
};

/// A reduction of partial values that is in the program.
struct Reduction {
  Operation *op;
  ReductionKind kind;
  TensorShardingAttr out;
  MeshAttr mesh;
  AxisList axes;
};

/// The values that may be partial values of one kind.
class PartialValues {
public:
  PartialValues(const ValueResharder &resharder, ReductionKind kind)
      : resharder(resharder), kind(kind) {}

  void visit(Operation *op);
  PartialAxes get(Value value) const { return known.lookup(value); }
  /// Returns the unreduced axes that `value` is declared to have.
  PartialAxes getDeclared(Value value) const;
  /// Declares that the value of `use`, and values from which it is computed,
  /// are unreduced along `axis`, up to those that are already declared so or
  /// whose op makes partial values. Values without a sharding get the one that
  /// `getDefault` returns for their rank.
  void declare(OpOperand &use, const AxisRef &axis,
               function_ref<TensorShardingAttr(int64_t)> getDefault);
  /// Lets all uses of newly declared values that `declare` has not reached read
  /// whole values, as before. Inserts `ReshardT` ops for this.
  template <typename ReshardT>
  void restoreOtherUses();

private:
  /// The axes along which the op makes partial values of whole operands.
  PartialAxes getMade(Operation *op) const;
  /// The axes along which results are partial if operands are.
  PartialAxes getPassed(Operation *op) const;
  /// Removes axes along which the results cannot be partial.
  void restrictToResults(Operation *op, PartialAxes &partial) const;
  SmallVector<OpOperand *> getSources(Operation *op, const AxisRef &axis) const;

  const ValueResharder &resharder;
  ReductionKind kind;
  llvm::DenseMap<Value, PartialAxes> known;
  /// The axes that values are newly declared to be unreduced along, and those
  /// along which uses of these values take partial values.
  llvm::MapVector<Value, AxisList> added;
  llvm::DenseMap<OpOperand *, AxisList> taken;
};
} // namespace

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Values that may be partial
//===----------------------------------------------------------------------===//

PartialAxes PartialValues::getDeclared(Value value) const {
  ValueSharding sharding = resharder.get(value);
  if (sharding.getKind() != kind || !sharding.isUnreduced())
    return {};
  return {sharding.mesh, sharding.axes.unreduced};
}

PartialAxes PartialValues::getMade(Operation *op) const {
  if (isa_and_nonnull<SdyDialect>(op->getDialect()) ||
      getReductionKind(op) != kind)
    return {};
  SmallVector<ValueSharding> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return resharder.get(value); });
  PartialAxes made;
  for (const ValueSharding &operand : operands) {
    if (!operand.mesh || operand.isFullyReplicated())
      continue;
    if (made.mesh && made.mesh != operand.mesh)
      return {};
    made.mesh = operand.mesh;
  }
  made.axes = getSummedAxes(op, operands);
  return made;
}

/// Whether the op only declares another sharding of its operand.
static bool isReshard(Operation *op) {
  return isa<ReshardOp, ShardingConstraintOp>(op);
}

/// The kind of the partial values that the op, a collective, reduces.
static std::optional<ReductionKind> getCollectiveKind(Operation *op) {
  if (auto reduce = dyn_cast<AllReduceOp>(op))
    return reduce.getReductionKind();
  if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    return scatter.getReductionKind();
  return std::nullopt;
}

PartialAxes PartialValues::getPassed(Operation *op) const {
  // A collective keeps all partial values that it does not reduce.
  if (isCollective(op)) {
    PartialAxes passed = get(op->getOperand(0));
    std::optional<ReductionKind> reduced = getCollectiveKind(op);
    if (reduced && *reduced != kind)
      return {};
    if (passed.mesh)
      passed.axes = sharding::getDifference(
          passed.axes, getReducedAxes(op, kind, passed.mesh));
    return passed;
  }
  // A reshard of a value that is declared to be partial says what of it is
  // reduced. One of another value changes nothing.
  if (isReshard(op)) {
    PartialAxes passed = get(op->getOperand(0));
    passed.axes = sharding::getDifference(passed.axes,
                                          getDeclared(op->getOperand(0)).axes);
    return passed;
  }
  PartialAxes passed;
  PartialValueFlow flow = getPartialValueFlow(op, kind);
  for (unsigned i : flow.operands) {
    PartialAxes operand = get(op->getOperand(i));
    if (flow.together && i != flow.operands.front()) {
      if (passed.mesh != operand.mesh)
        return {};
      passed.axes = getIntersection(passed.axes, operand.axes);
      continue;
    }
    if (passed.mesh && operand.mesh && passed.mesh != operand.mesh)
      return {};
    passed.mesh = passed.mesh ? passed.mesh : operand.mesh;
    passed.axes.append(sharding::getDifference(operand.axes, passed.axes));
  }
  return passed;
}

void PartialValues::restrictToResults(Operation *op,
                                      PartialAxes &partial) const {
  for (Value result : op->getResults()) {
    if (!isTensor(result))
      continue;
    ValueSharding sharding = resharder.get(result);
    if (!sharding.attr)
      continue;
    bool isOther = sharding.mesh != partial.mesh ||
                   (sharding.isUnreduced() && sharding.getKind() != kind);
    if (isOther)
      partial.axes.clear();
    AxisList used =
        getAxisList(sharding.attr.getReplicatedAxes(), sharding.mesh);
    for (const sharding::DimSharding &dim : sharding.axes.dims)
      used.append(dim.axes);
    partial.axes = sharding::getDifference(partial.axes, used);
  }
}

void PartialValues::visit(Operation *op) {
  // Calls and region ops have declared values only.
  bool isOpaque = isa<CallOpInterface, ShardableDataFlowOpInterface>(op);
  PartialAxes partial;
  if (!isOpaque) {
    partial = getPassed(op);
    PartialAxes made = getMade(op);
    if (!made.axes.empty() && (!partial.mesh || partial.mesh == made.mesh)) {
      partial.mesh = made.mesh;
      partial.axes.append(sharding::getDifference(made.axes, partial.axes));
    }
    restrictToResults(op, partial);
  }
  for (Value result : op->getResults()) {
    if (!isTensor(result))
      continue;
    PartialAxes declared = getDeclared(result);
    declared.axes.append(sharding::getDifference(partial.axes, declared.axes));
    declared.mesh = declared.mesh ? declared.mesh : partial.mesh;
    if (!declared.axes.empty())
      known[result] = {declared.mesh, getSorted(declared.axes)};
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        if (PartialAxes declared = getDeclared(argument);
            !declared.axes.empty())
          known[argument] = declared;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

SmallVector<OpOperand *> PartialValues::getSources(Operation *op,
                                                   const AxisRef &axis) const {
  if (isReshard(op) || isCollective(op))
    return {&op->getOpOperand(0)};
  if (getMade(op).contains(axis))
    return {};
  SmallVector<OpOperand *> sources;
  PartialValueFlow flow = getPartialValueFlow(op, kind);
  for (unsigned i : flow.operands)
    if (get(op->getOperand(i)).contains(axis) &&
        (flow.together || sources.empty()))
      sources.push_back(&op->getOpOperand(i));
  return sources;
}

/// `sharding` with these unreduced axes.
static TensorShardingAttr setUnreduced(TensorShardingAttr sharding,
                                       MeshAttr mesh, ArrayRef<AxisRef> axes,
                                       ReductionKind kind) {
  auto refs = llvm::map_to_vector(getSorted(axes), [&](const AxisRef &ref) {
    return getAxisRefAttr(sharding.getContext(), ref, mesh);
  });
  return TensorShardingAttr::get(sharding.getContext(), sharding.getMeshOrRef(),
                                 sharding.getDimShardings(),
                                 sharding.getReplicatedAxes(), refs,
                                 refs.empty() ? ReductionKind::Sum : kind);
}

static void append(AxisList &axes, const AxisRef &axis) {
  axes.append(sharding::getDifference(axis, axes));
}

void PartialValues::declare(
    OpOperand &use, const AxisRef &axis,
    function_ref<TensorShardingAttr(int64_t)> getDefault) {
  SmallVector<OpOperand *> worklist = {&use};
  while (!worklist.empty()) {
    OpOperand *current = worklist.pop_back_val();
    append(taken[current], axis);
    Value value = current->get();
    if (getDeclared(value).contains(axis))
      continue;
    Operation *op = value.getDefiningOp();
    MeshAttr mesh = get(value).mesh;
    for (Value result : op->getResults()) {
      if (!isTensor(result))
        continue;
      TensorShardingAttr sharding = getSharding(result);
      if (!sharding)
        sharding = getDefault(getTensorShape(result).size());
      AxisList axes = getAxisList(sharding.getUnreducedAxes(), mesh);
      append(axes, axis);
      setSharding(result, setUnreduced(sharding, mesh, axes, kind));
      append(added[result], axis);
    }
    llvm::append_range(worklist, getSources(op, axis));
  }
}

template <typename ReshardT>
void PartialValues::restoreOtherUses() {
  for (const auto &[value, axes] : added) {
    TensorShardingAttr sharding = getSharding(value);
    MeshAttr mesh = get(value).mesh;
    AxisList declared = getAxisList(sharding.getUnreducedAxes(), mesh);
    // Uses that take parts along the same axes share a reshard.
    SmallVector<std::pair<AxisList, Value>> reshards;
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      AxisList whole = sharding::getDifference(axes, taken.lookup(&use));
      if (whole.empty())
        continue;
      auto *it = llvm::find_if(
          reshards, [&](auto &entry) { return entry.first == whole; });
      if (it == reshards.end()) {
        OpBuilder builder(value.getContext());
        builder.setInsertionPointAfterValue(value);
        AxisList rest = sharding::getDifference(declared, whole);
        Value reshard =
            ReshardT::create(builder, value.getLoc(), value.getType(), value,
                             setUnreduced(sharding, mesh, rest, kind));
        it = &reshards.emplace_back(whole, reshard);
      }
      use.set(it->second);
    }
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Along manual axes, devices have different values, which are not partial
/// values of one value.
static void removeManualAxes(Reduction &reduction) {
  for (auto manual = reduction.op->getParentOfType<ManualComputationOp>();
       manual; manual = manual->getParentOfType<ManualComputationOp>())
    llvm::erase_if(reduction.axes, [&](const AxisRef &axis) {
      StringRef name = reduction.mesh.getAxes()[axis.axis].getName();
      return manual.getManualAxes().contains(name);
    });
}

static Reduction getReduction(Operation *op, ReductionKind kind,
                              SymbolTable &symbols) {
  TensorShardingAttr out = getSharding(op->getResult(0));
  MeshAttr mesh = out.getMesh(symbols);
  Reduction reduction = {op, kind, out, mesh, getReducedAxes(op, kind, mesh)};
  removeManualAxes(reduction);
  return reduction;
}

static void warnOfWholeValues(const Reduction &reduction,
                              ArrayRef<AxisRef> axes) {
  InFlightDiagnostic warning =
      emitWarning(reduction.op->getLoc())
      << "'" << reduction.op->getName()
      << "' op expects an operand with partial values along {";
  llvm::interleaveComma(axes, warning, [&](const AxisRef &axis) {
    warning << getAxisRefAttr(reduction.op->getContext(), axis, reduction.mesh)
                   .toString();
  });
  warning << "} but got whole values, of which each device adds one";
}

namespace {
struct InferUnreducedAxesPass
    : sdy::impl::InferUnreducedAxesPassBase<InferUnreducedAxesPass> {
  using InferUnreducedAxesPassBase::InferUnreducedAxesPassBase;

  void runOnOperation() override {
    ValueResharder resharder(getOperation());
    SmallVector<Reduction> reductions;
    getOperation().walk([&](Operation *op) {
      if (std::optional<ReductionKind> kind = getCollectiveKind(op))
        reductions.push_back(getReduction(op, *kind, resharder.getSymbols()));
    });
    if (!reductions.empty() && failed(verifyNoModulesInside(getOperation())))
      return signalPassFailure();
    hasChanged = false;
    for (ReductionKind kind :
         {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min})
      infer(reductions, kind, resharder);
    if (!hasChanged)
      markAllAnalysesPreserved();
  }

private:
  void infer(ArrayRef<Reduction> reductions, ReductionKind kind,
             const ValueResharder &resharder);

  bool hasChanged = false;
};
} // namespace

void InferUnreducedAxesPass::infer(ArrayRef<Reduction> reductions,
                                   ReductionKind kind,
                                   const ValueResharder &resharder) {
  auto isOfKind = [&](const Reduction &reduction) {
    return reduction.kind == kind;
  };
  if (llvm::none_of(reductions, isOfKind))
    return;
  PartialValues values(resharder, kind);
  getOperation().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { values.visit(op); });
  for (const Reduction &reduction : reductions) {
    if (!isOfKind(reduction))
      continue;
    OpOperand &operand = reduction.op->getOpOperand(0);
    PartialAxes partial = values.get(operand.get());
    auto getDefault = [&](int64_t rank) {
      return (isFinal ? TensorShardingAttr::getFullyClosed
                      : TensorShardingAttr::getFullyOpen)(
          &getContext(), rank, reduction.out.getMeshOrRef());
    };
    AxisList whole;
    for (const AxisRef &axis : reduction.axes) {
      if (partial.mesh != reduction.mesh || !partial.contains(axis)) {
        whole.push_back(axis);
        continue;
      }
      hasChanged |= !values.getDeclared(operand.get()).contains(axis);
      values.declare(operand, axis, getDefault);
    }
    // A maximum of equal values is this value.
    if (isFinal && kind == ReductionKind::Sum && !whole.empty())
      warnOfWholeValues(reduction, whole);
  }
  if (isFinal)
    values.restoreOtherUses<ReshardOp>();
  else
    values.restoreOtherUses<ShardingConstraintOp>();
}
