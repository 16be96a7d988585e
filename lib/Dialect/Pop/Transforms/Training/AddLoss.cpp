//===- AddLoss.cpp - Losses of models ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with a function that computes predictions. Out: the same module,
// where the function also takes targets and returns its loss.
//
//===----------------------------------------------------------------------===//

#include "InitialStates.h"
#include "TrainedFunction.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

namespace mlir::pop {
#define GEN_PASS_DEF_ADDLOSSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// The name of the result that is the loss.
static constexpr StringLiteral kLoss = "loss";

static bool isOfLabels(LossKind kind) {
  return kind == LossKind::CrossEntropy || kind == LossKind::Nll ||
         kind == LossKind::NllOfProbabilities;
}

namespace {
struct AddLossPass : pop::impl::AddLossPassBase<AddLossPass> {
  using AddLossPassBase::AddLossPassBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> found =
        getTrainedFunction(getOperation(), function, getArgument());
    if (failed(found))
      return signalPassFailure();
    FailureOr<unsigned> index = findOutput(*found);
    if (failed(index) || failed(verifyOutput(*found, *index)) ||
        failed(verifyNames(*found)))
      return signalPassFailure();
    addLoss(*found, *index);
  }

private:
  FailureOr<unsigned> findOutput(func::FuncOp function);
  LogicalResult verifyOutput(func::FuncOp function, unsigned index);
  LogicalResult verifyNames(func::FuncOp function);
  LogicalResult verifyLabelOptions(func::FuncOp function,
                                   RankedTensorType type);
  Value addArgument(func::FuncOp function, StringRef name, Type type);
  Value addTarget(func::FuncOp function, RankedTensorType output);
  Value buildLoss(OpBuilder &b, Location loc, Value output, Value target);
  Value buildClassWeights(OpBuilder &b, Location loc, Type elementType);
  void addLoss(func::FuncOp function, unsigned index);
  void giveOwnBatches(func::FuncOp function);
};
} // namespace

static StringRef getResultName(func::FuncOp function, unsigned index) {
  auto name = function.getResultAttrOfType<StringAttr>(
      index, PopDialect::kNameAttrName);
  return name ? name.getValue() : StringRef();
}

/// The result that option `output` names, or the only one.
FailureOr<unsigned> AddLossPass::findOutput(func::FuncOp function) {
  unsigned count = function.getNumResults();
  if (output.empty() && count == 1)
    return 0u;
  for (unsigned i = 0; i < count; ++i)
    if (!output.empty() && getResultName(function, i) == output)
      return i;
  InFlightDiagnostic diag = function.emitOpError();
  if (output.empty())
    return diag << "has " << count << " results; '" << getArgument()
                << "' expects option 'output' to name the result whose loss is "
                   "computed";
  return diag << "expects option 'output' to name a result but got '"
              << output.getValue() << "'";
}

LogicalResult AddLossPass::verifyOutput(func::FuncOp function, unsigned index) {
  auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[index]);
  if (!type || !isa<FloatType>(type.getElementType()))
    return function.emitOpError()
           << "expects result #" << index
           << ", whose loss is computed, to be a tensor of floats but got "
           << function.getResultTypes()[index];
  if (isOfLabels(loss) && type.getRank() < 2)
    return function.emitOpError()
           << "expects result #" << index
           << ", whose loss is computed, to have dimensions for the batch and "
              "for classes but got "
           << type;
  return verifyLabelOptions(function, type);
}

LogicalResult AddLossPass::verifyLabelOptions(func::FuncOp function,
                                              RankedTensorType type) {
  if (!factor.empty() && eachLoss)
    return function.emitOpError()
           << "expects no option 'factor' with 'each-loss', because losses of "
              "positions have no sum";
  if (!isOfLabels(loss)) {
    if (ignoreIndex == -1 && classWeights.empty())
      return success();
    return function.emitOpError()
           << "expects no option '"
           << (classWeights.empty() ? "ignore-index" : "class-weights")
           << "', because the targets of the loss are not labels";
  }
  auto classes = static_cast<size_t>(type.getDimSize(1));
  if (!classWeights.empty() && classWeights.size() != classes)
    return function.emitOpError()
           << "expects option 'class-weights' to have a weight for each of "
           << classes << " classes but got " << classWeights.size();
  return success();
}

LogicalResult AddLossPass::verifyNames(func::FuncOp function) {
  StringRef ofTargets = loss == LossKind::Identity ? StringRef() : target;
  if (!factor.empty() && factor == ofTargets)
    return function.emitOpError()
           << "expects options 'target' and 'factor' to be different names but "
              "got '"
           << factor.getValue() << "' twice";
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name =
        function.getArgAttrOfType<StringAttr>(i, PopDialect::kNameAttrName);
    if (!name || name.empty())
      continue;
    bool isOfTargets = name == ofTargets;
    if (isOfTargets || name == factor)
      return function.emitOpError()
             << "expects no argument '" << name.getValue() << "', because the "
             << (isOfTargets ? "targets get" : "factor gets") << " this name";
  }
  return success();
}

/// Adds an argument after all others.
Value AddLossPass::addArgument(func::FuncOp function, StringRef argumentName,
                               Type type) {
  auto name = StringAttr::get(&getContext(), argumentName);
  NamedAttrList attributes;
  attributes.set(PopDialect::kNameAttrName, name);
  unsigned index = function.getNumArguments();
  (void)function.insertArgument(index, type,
                                attributes.getDictionary(&getContext()),
                                NameLoc::get(name, function.getLoc()));
  return function.getArgument(index);
}

/// Adds the argument for the labels of `output`, or for what it should be.
Value AddLossPass::addTarget(func::FuncOp function, RankedTensorType output) {
  RankedTensorType type = output;
  if (isOfLabels(loss)) {
    SmallVector<int64_t> shape(output.getShape());
    shape.erase(shape.begin() + 1);
    type = RankedTensorType::get(shape, IntegerType::get(&getContext(), 32));
  }
  return addArgument(function, target, type);
}

/// Returns null if all classes have the weight 1.
Value AddLossPass::buildClassWeights(OpBuilder &b, Location loc,
                                     Type elementType) {
  if (classWeights.empty())
    return nullptr;
  ArrayRef<double> weights = *classWeights;
  auto f64 = RankedTensorType::get({static_cast<int64_t>(weights.size())},
                                   b.getF64Type());
  return ConstantOp::create(b, loc,
                            getScaled(DenseElementsAttr::get(f64, weights),
                                      f64.clone(elementType), 1.0));
}

Value AddLossPass::buildLoss(OpBuilder &b, Location loc, Value output,
                             Value target) {
  auto type = cast<RankedTensorType>(output.getType());
  // Narrow floats are computed in f32: their loss is not rounded.
  Type element = type.getElementType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = b.getF32Type();
  ArrayRef<int64_t> shape;
  LossReduction reduction =
      factor.empty() ? LossReduction::Mean : LossReduction::Sum;
  Value weights = buildClassWeights(b, loc, element);
  IntegerAttr ignored;
  if (ignoreIndex != -1)
    ignored = b.getI64IntegerAttr(ignoreIndex);
  if (eachLoss) {
    reduction = LossReduction::None;
    shape = isOfLabels(loss)
                ? cast<RankedTensorType>(target.getType()).getShape()
                : type.getShape();
  }
  auto result = RankedTensorType::get(shape, element);
  switch (loss) {
  case LossKind::L1:
    return L1LossOp::create(b, loc, result, reduction, output, target,
                            /*accum=*/nullptr);
  case LossKind::L2:
    return L2LossOp::create(b, loc, result, reduction, output, target,
                            /*accum=*/nullptr);
  case LossKind::BinaryCrossEntropy:
  case LossKind::BinaryCrossEntropyOfLogits:
    return BinaryCrossEntropyLossOp::create(
        b, loc, result, reduction, output, target, /*accum=*/nullptr,
        /*of_logits=*/loss == LossKind::BinaryCrossEntropyOfLogits);
  case LossKind::CrossEntropy:
    return CrossEntropyLossOp::create(b, loc, result, reduction, output, target,
                                      weights, ignored, /*accum=*/nullptr);
  case LossKind::Nll:
  case LossKind::NllOfProbabilities:
    return NllLossOp::create(
        b, loc, result, reduction, output, target, weights, ignored,
        /*accum=*/nullptr,
        /*of_probabilities=*/loss == LossKind::NllOfProbabilities);
  case LossKind::Identity:
    return IdentityLossOp::create(b, loc, result, reduction, output,
                                  /*accum=*/nullptr);
  }
  llvm_unreachable("unknown kind of loss");
}

/// The loss is the first result; the output is the second, if it stays.
void AddLossPass::addLoss(func::FuncOp function, unsigned index) {
  Operation *terminator = function.getBody().front().getTerminator();
  Value output = terminator->getOperand(index);
  DictionaryAttr outputAttrs = function.getResultAttrDict(index);
  Value targets;
  if (loss != LossKind::Identity)
    targets = addTarget(function, cast<RankedTensorType>(output.getType()));
  if (ownBatches)
    giveOwnBatches(function);
  OpBuilder b(terminator);
  auto name = b.getStringAttr(kLoss);
  Location loc = NameLoc::get(name, output.getLoc());
  Value result = buildLoss(b, loc, output, targets);
  inheritSchedule(output, result.getDefiningOp());
  if (!factor.empty()) {
    result = MulOp::create(b, loc, result,
                           addArgument(function, factor, result.getType()));
    inheritSchedule(output, result.getDefiningOp());
  }

  SmallVector<Value> results = {result};
  NamedAttrList lossAttrs;
  lossAttrs.set(PopDialect::kNameAttrName, name);
  SmallVector<NamedAttrList> attributes = {lossAttrs};
  if (!onlyLoss) {
    results.push_back(output);
    attributes.emplace_back(outputAttrs);
  }
  // The host gets those of all parts of a batch.
  for (NamedAttrList &each : attributes)
    each.set(PopDialect::kAnchorAttrName,
             AnchorAttr::get(&getContext(), AnchorKind::All, 0));
  terminator->setOperands(results);
  (void)function.eraseResults(BitVector(function.getNumResults(), true));
  for (auto [i, value] : llvm::enumerate(results))
    (void)function.insertResult(i, value.getType(),
                                attributes[i].getDictionary(&getContext()));
}

/// Arguments with a default value are no part of the batch.
void AddLossPass::giveOwnBatches(func::FuncOp function) {
  auto each = ReplicaGroupsAttr::getStrided(&getContext(), 1, 1);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, PopDialect::kDefaultAttrName) &&
        !function.getArgAttr(i, PopDialect::kGroupsAttrName))
      function.setArgAttr(i, PopDialect::kGroupsAttrName, each);
}
