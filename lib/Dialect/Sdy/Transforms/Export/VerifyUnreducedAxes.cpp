//===- VerifyUnreducedAxes.cpp - Verification of partial values -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: closed shardings.
// Out: errors if an op uses partial values as whole values, or partial values
// of one kind as partial values of another kind. Constraints, reshards and
// collectives have verifiers of their own.
//
//===----------------------------------------------------------------------===//

#include "../DataFlowEdges.h"
#include "../ShardingUtils.h"
#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_VERIFYUNREDUCEDAXESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::AxisList;

namespace {
/// The unreduced axes of an operand or a result.
struct PartialValue {
  /// Where to point, and what it is called there: "operand 0".
  Location location;
  std::string name;
  TensorShardingAttr sharding;
  MeshAttr mesh;
  AxisList axes;

  std::string format(ArrayRef<sharding::AxisRef> refs) const {
    std::string text = "{";
    for (auto [i, ref] : llvm::enumerate(refs))
      text += (i ? ", " : "") +
              getAxisRefAttr(sharding.getContext(), ref, mesh).toString();
    return text + "}";
  }
  void attachNote(InFlightDiagnostic &diag) const {
    Diagnostic &note = diag.attachNote(location);
    if (sharding)
      note << name << " has sharding " << sharding;
    else
      note << name << " has no sharding";
  }
};

class Verifier {
public:
  explicit Verifier(ModuleOp module) : symbols(module) {}

  LogicalResult verify(Operation *op);

private:
  PartialValue getPartialValue(Location location, const Twine &name,
                               TensorShardingAttr sharding);
  PartialValue getOperand(OpOperand &operand) {
    return getPartialValue(operand.get().getLoc(),
                           "operand " + Twine(operand.getOperandNumber()),
                           getUseSharding(operand.get()));
  }

  /// Of `before`, all axes are in some of `after`, of one kind; others are
  /// introduced, of kind `introduced`.
  LogicalResult verifyKept(Operation *op, ArrayRef<PartialValue> before,
                           ArrayRef<PartialValue> after,
                           std::optional<ReductionKind> introduced);
  /// `operand` has the axes of `target`, unless it is a reshard.
  LogicalResult verifyEqual(OpOperand &operand, const PartialValue &target);
  LogicalResult verifyResults(Operation *op);
  LogicalResult verifyPassed(Operation *op, const PassedOperand &passed);

  SymbolTable symbols;
};
} // namespace

PartialValue Verifier::getPartialValue(Location location, const Twine &name,
                                       TensorShardingAttr sharding) {
  PartialValue value{location, name.str(), sharding, {}, {}};
  if (sharding && !sharding.getUnreducedAxes().empty())
    value.mesh = sharding.getMesh(symbols);
  if (value.mesh)
    value.axes = getAxisList(sharding.getUnreducedAxes(), value.mesh);
  return value;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Whether the two are on one mesh, or one has no axes, which fit any.
static bool areComparable(const PartialValue &a, const PartialValue &b) {
  return !a.mesh || !b.mesh || a.mesh == b.mesh;
}

/// What of `value` none of `others` has.
static AxisList getMissing(const PartialValue &value,
                           ArrayRef<PartialValue> others) {
  AxisList missing = value.axes;
  for (const PartialValue &other : others)
    missing = areComparable(value, other)
                  ? sharding::getDifference(missing, other.axes)
                  : AxisList();
  return missing;
}

LogicalResult Verifier::verifyKept(Operation *op, ArrayRef<PartialValue> before,
                                   ArrayRef<PartialValue> after,
                                   std::optional<ReductionKind> introduced) {
  for (const PartialValue &from : before) {
    AxisList gone = getMissing(from, after);
    if (!gone.empty()) {
      InFlightDiagnostic diag = op->emitOpError("does not keep unreduced axes ")
                                << from.format(gone) << " of " << from.name;
      from.attachNote(diag);
      return diag;
    }
    for (const PartialValue &to : after) {
      if (!areComparable(from, to) || from.axes.empty() || to.axes.empty() ||
          from.sharding.getReductionKind() == to.sharding.getReductionKind() ||
          sharding::getDifference(to.axes, from.axes) == to.axes)
        continue;
      InFlightDiagnostic diag =
          op->emitOpError("changes the kind of unreduced "
                          "axes from ")
          << stringifyReductionKind(from.sharding.getReductionKind()) << " in "
          << from.name << " to "
          << stringifyReductionKind(to.sharding.getReductionKind()) << " in "
          << to.name;
      from.attachNote(diag);
      return diag;
    }
  }
  for (const PartialValue &to : after) {
    AxisList added = getMissing(to, before);
    if (added.empty() || introduced == to.sharding.getReductionKind())
      continue;
    InFlightDiagnostic diag =
        op->emitOpError("introduces unreduced axes ")
        << to.format(added) << " of kind "
        << stringifyReductionKind(to.sharding.getReductionKind()) << " in "
        << to.name << ", expected "
        << (introduced ? stringifyReductionKind(*introduced) : "none");
    to.attachNote(diag);
    return diag;
  }
  return success();
}

LogicalResult Verifier::verifyEqual(OpOperand &operand,
                                    const PartialValue &target) {
  PartialValue value = getOperand(operand);
  if (operand.get().getDefiningOp<ReshardOp>() ||
      !areComparable(value, target) ||
      (value.axes == target.axes &&
       (value.axes.empty() || value.sharding.getReductionKind() ==
                                  target.sharding.getReductionKind())))
    return success();
  auto describe = [](const PartialValue &side) {
    if (side.axes.empty())
      return std::string("none");
    return side.format(side.axes) + " of kind " +
           stringifyReductionKind(side.sharding.getReductionKind()).str();
  };
  InFlightDiagnostic diag = operand.getOwner()->emitOpError("has ");
  if (value.axes.empty())
    diag << "no unreduced axes";
  else
    diag << "unreduced axes " << describe(value);
  diag << " in " << value.name << ", expected " << describe(target);
  value.attachNote(diag);
  target.attachNote(diag);
  return diag;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// What kind of partial values the op makes: that of its reduction. Others may
/// be told to make those of sums, which is to be done after them.
static std::optional<ReductionKind> getIntroducedKind(Operation *op) {
  std::optional<sharding::Rule> rule =
      getShardingRule(op, /*conservative=*/false);
  bool isReduction =
      rule && llvm::any_of(rule->factors, [](const sharding::Factor &factor) {
        return factor.type == sharding::FactorType::Reduction;
      });
  return isReduction ? getReductionKind(op) : ReductionKind::Sum;
}

static bool hasUnreduced(Value value) {
  TensorShardingAttr sharding = getSharding(value);
  return sharding && !sharding.getUnreducedAxes().empty();
}

LogicalResult Verifier::verifyResults(Operation *op) {
  // Most ops have none.
  if (llvm::none_of(op->getOperands(), hasUnreduced) &&
      llvm::none_of(op->getResults(), hasUnreduced))
    return success();
  SmallVector<PartialValue> before, after;
  for (OpOperand &operand : op->getOpOperands())
    before.push_back(getOperand(operand));
  for (OpResult result : op->getResults())
    after.push_back(getPartialValue(op->getLoc(),
                                    "result " + Twine(result.getResultNumber()),
                                    getSharding(result)));
  return verifyKept(op, before, after, getIntroducedKind(op));
}

LogicalResult Verifier::verifyPassed(Operation *op,
                                     const PassedOperand &passed) {
  PartialValue target = getPartialValue(
      passed.getTargetLoc(), passed.getTargetName(), passed.sharding);
  // An operand of a region op may become partial, what its body yields may not.
  if (passed.owner && passed.operand->getOwner() == op)
    return verifyKept(op, getOperand(*passed.operand), target,
                      ReductionKind::Sum);
  if (target.mesh)
    target.axes =
        getAxisList(passed.getSeenSharding().getUnreducedAxes(), target.mesh);
  return verifyEqual(*passed.operand, target);
}

LogicalResult Verifier::verify(Operation *op) {
  // Those of this dialect that change unreduced axes have verifiers.
  if (isa_and_nonnull<SdyDialect>(op->getDialect()) &&
      !isa<ShardableDataFlowOpInterface, ConstantOp>(op))
    return success();
  if (auto all = getPassedOperands(op, symbols)) {
    for (const PassedOperand &passed : *all)
      if (failed(verifyPassed(op, passed)))
        return failure();
    return success();
  }
  if (isa<CallOpInterface>(op))
    return success();
  return op->getNumResults() ? verifyResults(op) : success();
}

namespace {
struct VerifyUnreducedAxesPass
    : sdy::impl::VerifyUnreducedAxesPassBase<VerifyUnreducedAxesPass> {
  using VerifyUnreducedAxesPassBase::VerifyUnreducedAxesPassBase;
  void runOnOperation() override {
    if (failed(verifyNoModulesInside(getOperation())))
      return signalPassFailure();
    Verifier verifier(getOperation());
    // All errors, not only the first.
    bool hasFailed = false;
    getOperation().walk(
        [&](Operation *op) { hasFailed |= failed(verifier.verify(op)); });
    if (hasFailed)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
