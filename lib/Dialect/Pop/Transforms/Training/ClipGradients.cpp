//===- ClipGradients.cpp - Clipping of gradients ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with functions that update weights and have limits of gradient
// norms (`pop.clip_norms`). Out: the same module with ops that clip the
// gradients.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "LaterOps.h"
#include "OptimizerSteps.h"
#include "TrainedFunction.h"

#include "ipu-mlir/Dialect/Pop/IR/OptimizerStates.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Support/LocationName.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

namespace mlir::pop {
#define GEN_PASS_DEF_CLIPGRADIENTSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {
/// Weights whose gradients have a norm together.
struct ClipGroup {
  ClipNormAttr norm;
  SmallVector<OptimizerStepOp> steps;

  /// A group without weights is of all of them.
  bool hasAll() const { return !norm.getWeights(); }
};
} // namespace

/// The group of each name. Fails if a weight would be clipped twice.
static FailureOr<llvm::StringMap<unsigned>>
getGroupsOfNames(func::FuncOp function, ArrayRef<ClipGroup> groups) {
  llvm::StringMap<unsigned> groupOf;
  for (auto [index, group] : llvm::enumerate(groups)) {
    if (group.hasAll() && groups.size() > 1)
      return function.emitOpError()
             << "clips the gradients of all weights in group #" << index
             << " of " << groups.size()
             << " groups; expects this group to be the only group";
    if (group.hasAll())
      continue;
    for (auto name : group.norm.getWeights().getAsRange<StringAttr>()) {
      auto [it, isNew] = groupOf.try_emplace(name.getValue(), index);
      if (!isNew)
        return function.emitOpError()
               << "clips the gradient of " << name << " in groups #"
               << it->second << " and #" << index << "; expects one group";
    }
  }
  return groupOf;
}

/// Fails if there are names of which no step updates the weight.
static LogicalResult verifyNames(func::FuncOp function,
                                 ArrayRef<ClipGroup> groups,
                                 const llvm::StringSet<> &updated) {
  std::string missing;
  llvm::raw_string_ostream os(missing);
  llvm::ListSeparator separator;
  for (const ClipGroup &group : groups) {
    if (group.hasAll())
      continue;
    for (auto name : group.norm.getWeights().getAsRange<StringAttr>())
      if (!updated.contains(name.getValue()))
        os << separator << "'" << name.getValue() << "'";
  }
  if (missing.empty())
    return success();
  return function.emitOpError()
         << "clips gradients of " << missing
         << "; expects names of weights that a 'pop.optimizer_step' updates";
}

/// Adds `step`, which updates `weights`, to its group, if it has one.
static LogicalResult addToGroup(OptimizerStepOp step,
                                ArrayRef<UpdatedWeight> weights,
                                const llvm::StringMap<unsigned> &groupOf,
                                MutableArrayRef<ClipGroup> groups) {
  if (groups.front().hasAll()) {
    groups.front().steps.push_back(step);
    return success();
  }
  auto getGroup = [&](const UpdatedWeight &weight) {
    auto it = groupOf.find(weight.name);
    return it == groupOf.end() ? std::optional<unsigned>() : it->second;
  };
  std::optional<unsigned> group = getGroup(weights.front());
  for (const UpdatedWeight &weight : weights)
    if (getGroup(weight) != group)
      return step.emitOpError()
             << "updates '" << weights.front().name << "' and '" << weight.name
             << "', which are not clipped together; expects weights of one "
                "group";
  if (group)
    groups[*group].steps.push_back(step);
  return success();
}

/// Finds the steps of `groups`, which are those of `function`.
static LogicalResult findSteps(func::FuncOp function, SymbolTable &symbols,
                               MutableArrayRef<ClipGroup> groups) {
  FailureOr<llvm::StringMap<unsigned>> groupOf =
      getGroupsOfNames(function, groups);
  if (failed(groupOf))
    return failure();
  llvm::StringSet<> updated;
  for (OptimizerStepOp step : getOptimizerSteps(function)) {
    SmallVector<UpdatedWeight> weights = getUpdatedWeights(step, symbols);
    for (const UpdatedWeight &weight : weights)
      updated.insert(weight.name);
    if (failed(addToGroup(step, weights, *groupOf, groups)))
      return failure();
  }
  if (failed(verifyNames(function, groups, updated)))
    return failure();
  for (const ClipGroup &group : groups)
    if (group.steps.empty())
      return function.emitOpError() << "clips the gradients of all weights; "
                                       "expects a 'pop.optimizer_step'";
  return success();
}

/// Fails if the steps of `group` have no norm together.
static LogicalResult verifyGroup(const ClipGroup &group, SymbolTable &symbols) {
  OptimizerStepOp first = group.steps.front();
  UpdatedWeight weight = getUpdatedWeights(first, symbols).front();
  for (OptimizerStepOp step : group.steps) {
    if (!step.getGradient())
      return step.emitOpError()
             << "has no gradient that could be clipped, because its velocity "
                "contains the gradient; expects attribute '"
             << PopDialect::kClipNormsAttrName
             << "' of the function before 'pop-add-optimizer'";
    if (step->getBlock() != first->getBlock()) {
      InFlightDiagnostic diag = step.emitOpError()
                                << "is clipped together with a step of another "
                                   "block; expects both steps in one block";
      diag.attachNote(first.getLoc()) << "the other step is here";
      return diag;
    }
    for (const UpdatedWeight &other : getUpdatedWeights(step, symbols))
      if (other.groups != weight.groups)
        return step.emitOpError()
               << "updates '" << other.name << "', which is clipped together "
               << "with '" << weight.name
               << "'; expects both weights to have the same groups of "
                  "replicas, on which their norms are equal";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Clipping
//===----------------------------------------------------------------------===//

static Type getComputeType(OptimizerStepOp step) {
  return getComputeType(getElementTypeOrSelf(step.getGradient()));
}

/// Returns the sum of the squares of the gradient, in the type of its
/// arithmetic.
static Value buildSquares(PopBuilder &b, OptimizerStepOp step) {
  Value wide = b.widen(step.getGradient());
  Value squares = b.mul(wide, wide);
  bool isScalar = cast<RankedTensorType>(wide.getType()).getRank() == 0;
  Value sum = isScalar ? squares : b.sumOfAll(squares);
  // Each replica has a part of the gradient.
  if (auto sharding =
          step->getAttrOfType<ReplicaGroupsAttr>(kStepShardingAttrName))
    sum = b.create<AllReduceOp>(sum.getType(), ipu::CollectiveOperator::Add,
                                sum, sharding);
  return sum;
}

namespace {
/// What gradients have to be divided by: the loss scale and the number of parts
/// of a batch, as far as they are known, and an operand.
struct GradientScale {
  explicit GradientScale(OptimizerStepOp step)
      : constant(double(step.getAccumulations())) {
    OptimizerAttr optimizer = step.getOptimizer();
    if (std::optional<double> number = optimizer.getConstant("loss_scale")) {
      constant *= *number;
      return;
    }
    SmallVector<StringRef> names = optimizer.getOperandSettings();
    operand =
        step.getSettings()[llvm::find(names, "loss_scale") - names.begin()];
  }
  bool operator==(const GradientScale &other) const {
    return constant == other.constant && operand == other.operand;
  }

  double constant;
  Value operand;
};

/// Clips the gradients of one group.
class GradientClipper {
public:
  GradientClipper(const ClipGroup &group, unsigned index,
                  const ipu::GraphEffects &effects)
      : group(group), effects(effects), first(group.steps.front()),
        loc(ipu::getNamedLoc("globalNorm_" + std::to_string(index),
                             first.getLoc())) {
    findInputs();
  }

  LogicalResult clip();

private:
  void findInputs();
  /// Makes all inputs of the norm come before the steps, and gives the first op
  /// that may follow it. Fails if an input depends on a step.
  FailureOr<Operation *> gatherInputs();
  /// Collects the steps and what has to follow them, up to the last input, and
  /// moves it after that. Returns an input among them, if there is one.
  Operation *moveSteps(bool readsLater);
  /// The step that is where most of the gradients are.
  OptimizerStepOp getMajorStep();
  /// The norm of gradients with equal scales, whose squares have these sums.
  Value buildNorm(PopBuilder &b, ArrayRef<Value> sums,
                  const GradientScale &scale);
  Value add(PopBuilder &b, ArrayRef<Value> sums) {
    return sums.size() == 1 ? sums.front() : Value(b.create<SumOp>(sums));
  }
  Value buildFactor(Operation *before);

  const ClipGroup &group;
  const ipu::GraphEffects &effects;
  OptimizerStepOp first;
  Location loc;
  /// The ops of the block of the steps that give the gradients and loss scales.
  llvm::DenseSet<Operation *> inputs;
  /// The last one; may be null.
  Operation *last = nullptr;
  /// The type of the norm.
  FloatType type;
};
} // namespace

void GradientClipper::findInputs() {
  for (OptimizerStepOp step : group.steps)
    for (Value input :
         {Value(step.getGradient()), GradientScale(step).operand}) {
      Operation *op = input ? input.getDefiningOp() : nullptr;
      if (!op || op->getBlock() != first->getBlock())
        continue;
      inputs.insert(op);
      if (!last || last->isBeforeInBlock(op))
        last = op;
    }
}

Operation *GradientClipper::moveSteps(bool readsLater) {
  llvm::DenseSet<Operation *> steps(group.steps.begin(), group.steps.end());
  LaterOps later(effects);
  for (Operation &op : *first->getBlock()) {
    if (steps.contains(&op) || later.mustFollow(&op)) {
      if (inputs.contains(&op))
        return &op;
      later.add(&op);
    } else if (readsLater && inputs.contains(&op)) {
      later.addReadOf(&op);
    }
    if (&op == last)
      break;
  }
  later.moveAfter(last);
  return nullptr;
}

FailureOr<Operation *> GradientClipper::gatherInputs() {
  if (!last || last->isBeforeInBlock(first))
    return first.getOperation();
  // What overwrites an accumulator had better wait, too, but need not.
  Operation *dependent = moveSteps(/*readsLater=*/true);
  if (dependent)
    dependent = moveSteps(/*readsLater=*/false);
  if (!dependent)
    return last->getNextNode();
  InFlightDiagnostic diag =
      first.emitOpError()
      << "has a gradient that cannot be clipped, because clipping needs a "
         "gradient or a loss scale that depends on this update; expects all "
         "gradients that are clipped together, and the loss scale, to be "
         "computed before the updates";
  diag.attachNote(dependent->getLoc()) << "this op depends on the update";
  return diag;
}

OptimizerStepOp GradientClipper::getMajorStep() {
  llvm::MapVector<std::optional<int64_t>, unsigned> counts;
  auto getCount = [&](OptimizerStepOp step) -> unsigned & {
    return counts[pop::getVgraph(step.getOperation())];
  };
  for (OptimizerStepOp step : group.steps)
    ++getCount(step);
  return *llvm::max_element(
      group.steps, [&](auto a, auto b) { return getCount(a) < getCount(b); });
}

Value GradientClipper::buildNorm(PopBuilder &b, ArrayRef<Value> sums,
                                 const GradientScale &scale) {
  Value norm = b.sqrt(add(b, sums));
  if (scale.operand)
    norm = b.div(norm, b.cast(scale.operand, type));
  if (scale.constant != 1)
    norm = b.div(norm, b.splat(scale.constant, type));
  return norm;
}

Value GradientClipper::buildFactor(Operation *before) {
  PopBuilder b(getMajorStep());
  b.setInsertionPoint(before);
  b.setLoc(loc);
  bool isWide = llvm::any_of(group.steps, [](OptimizerStepOp step) {
    return getComputeType(step).isF64();
  });
  type = isWide ? FloatType(b.getF64Type()) : FloatType(b.getF32Type());
  SmallVector<std::pair<GradientScale, SmallVector<Value>>> classes;
  for (OptimizerStepOp step : group.steps) {
    PopBuilder atStep(step);
    atStep.setInsertionPoint(before);
    Value sum = buildSquares(atStep, step);
    atStep.setLoc(loc);
    GradientScale scale(step);
    auto *it = llvm::find_if(
        classes, [&](const auto &entry) { return entry.first == scale; });
    if (it == classes.end())
      it = &classes.emplace_back(scale, SmallVector<Value>());
    it->second.push_back(atStep.cast(sum, type));
  }
  SmallVector<Value> norms;
  for (auto &[scale, sums] : classes)
    norms.push_back(buildNorm(b, sums, scale));
  Value norm = norms.front();
  if (norms.size() > 1) {
    for (Value &each : norms)
      each = b.mul(each, each);
    norm = b.sqrt(add(b, norms));
  }
  Value limit = b.splat(group.norm.getMaxNorm().getValueAsDouble(), type);
  return b.div(limit, b.max(limit, norm));
}

LogicalResult GradientClipper::clip() {
  FailureOr<Operation *> before = gatherInputs();
  if (failed(before))
    return failure();
  Value factor = buildFactor(*before);
  for (OptimizerStepOp step : group.steps) {
    PopBuilder b(step);
    Value gradient = b.widen(step.getGradient());
    b.setLoc(loc);
    Value ofStep = b.cast(factor, getComputeType(step));
    b.setLoc(step.getLoc());
    Value clipped = b.mul(gradient, ofStep);
    // The type in which the step computes is one of its gradient, too.
    step.getGradientMutable().assign(clipped);
  }
  remark::passed(first.getLoc(), getGraphRemark("ClipGradients"))
      << remark::metric("gradients", int64_t(group.steps.size()));
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ClipGradientsPass : pop::impl::ClipGradientsPassBase<ClipGradientsPass> {
  using ClipGradientsPassBase::ClipGradientsPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> functions = getFunctions();
    if (failed(functions))
      return signalPassFailure();
    if (functions->empty())
      return markAllAnalysesPreserved();
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : *functions)
      if (failed(clip(function, symbols)))
        return signalPassFailure();
  }

private:
  /// The functions whose gradients are clipped.
  FailureOr<SmallVector<func::FuncOp>> getFunctions();
  FailureOr<func::FuncOp> getAskedFunction();
  LogicalResult clip(func::FuncOp clipped, SymbolTable &symbols);
};
} // namespace

FailureOr<func::FuncOp> ClipGradientsPass::getAskedFunction() {
  auto rounded = static_cast<float>(maxNorm);
  if (maxNorm.hasValue() && (!(rounded > 0) || std::isinf(rounded)))
    return getOperation().emitError()
           << "'" << getArgument()
           << "' expects option 'max-norm' to be above 0, in the range of "
              "f32, but got "
           << maxNorm.getValue();
  FailureOr<func::FuncOp> asked =
      getTrainedFunction(getOperation(), function, getArgument());
  if (failed(asked))
    return failure();
  bool hasNorms = (*asked)->hasAttr(PopDialect::kClipNormsAttrName);
  if (hasNorms == maxNorm.hasValue())
    return asked->emitOpError()
           << "has " << (hasNorms ? "both" : "neither") << " attribute '"
           << PopDialect::kClipNormsAttrName << "' "
           << (hasNorms ? "and" : "nor") << " option 'max-norm' of '"
           << getArgument() << "'; expects exactly one of the two";
  return asked;
}

FailureOr<SmallVector<func::FuncOp>> ClipGradientsPass::getFunctions() {
  SmallVector<func::FuncOp> functions;
  if (maxNorm.hasValue() || !function.empty()) {
    FailureOr<func::FuncOp> asked = getAskedFunction();
    if (failed(asked))
      return failure();
    functions.push_back(*asked);
    return functions;
  }
  // A function that was differentiated has the attribute, too, but no steps.
  Operation *entry = ipu::getMainFunction(getOperation());
  for (auto clipped : getOperation().getOps<func::FuncOp>())
    if (clipped->hasAttr(PopDialect::kClipNormsAttrName) &&
        (clipped == entry || !getOptimizerSteps(clipped).empty()))
      functions.push_back(clipped);
  return functions;
}

LogicalResult ClipGradientsPass::clip(func::FuncOp clipped,
                                      SymbolTable &symbols) {
  SmallVector<ClipGroup> groups;
  if (maxNorm.hasValue())
    groups.push_back(
        {ClipNormAttr::get(&getContext(),
                           Builder(&getContext()).getF64FloatAttr(maxNorm),
                           /*weights=*/{}),
         {}});
  else
    for (Attribute norm :
         clipped->getAttrOfType<ArrayAttr>(PopDialect::kClipNormsAttrName))
      groups.push_back({cast<ClipNormAttr>(norm), {}});
  clipped->removeAttr(PopDialect::kClipNormsAttrName);
  if (groups.empty())
    return success();
  if (failed(findSteps(clipped, symbols, groups)))
    return failure();
  ipu::GraphEffects effects(getOperation());
  for (auto [index, group] : llvm::enumerate(groups))
    if (failed(verifyGroup(group, symbols)) ||
        failed(GradientClipper(group, index, effects).clip()))
      return failure();
  return success();
}
