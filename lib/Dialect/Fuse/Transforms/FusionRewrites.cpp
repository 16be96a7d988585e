//===- FusionRewrites.cpp - Rewrites of a fusion's ops ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a fusion and its schedule. Out: the fusion with one more op: the partial
// reduction of an rfactor, or a clone.
//
//===----------------------------------------------------------------------===//

#include "FusionViews.h"
#include "ReductionCombiner.h"
#include "ScheduleSteps.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Normalize.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

void FusionSchedule::reread() {
  FailureOr<FusionSchedule> result = read(fusion);
  assert(succeeded(result) && "what was written cannot be read");
  *this = std::move(*result);
}

/// A name that no tensor of the schedule has.
static std::string getFreshName(const Schedule &schedule, TensorId tensor,
                                StringRef suffix) {
  std::string base = schedule.getTensor(tensor).name + suffix.str();
  std::string name = base;
  for (unsigned i = 1; schedule.lookup(name); ++i)
    name = base + std::to_string(i);
  return name;
}

//===----------------------------------------------------------------------===//
// rfactor
//===----------------------------------------------------------------------===//

namespace {
/// Makes the two ops of an rfactor that was done in the schedule already.
class RFactorRewriter {
public:
  RFactorRewriter(const Schedule &schedule, TensorId partial, TensorId final,
                  ArrayRef<FusionSchedule::Symbol> symbols)
      : schedule(schedule), partial(schedule.getTensor(partial)),
        final(schedule.getTensor(final)), symbols(symbols) {}

  /// Fails if an index has no expression.
  LogicalResult findDims();
  /// A piece of a loop that has more values than the loop, if any: the result
  /// of a linalg op cannot be larger than its loops.
  std::optional<AxisId> getLongPiece() const { return longPiece; }
  linalg::GenericOp createPartial(RewriterBase &rewriter, linalg::GenericOp op,
                                  ArrayRef<TypedAttr> neutral);
  linalg::GenericOp createFinal(RewriterBase &rewriter, linalg::GenericOp op,
                                linalg::GenericOp partialOp,
                                ArrayRef<Operation *> combiners);

private:
  /// A dimension of the partial result.
  struct Dim {
    AxisId axis;
    AffineExpr index;
    /// The root axis of the final tensor that reads it.
    AxisId reader;
  };

  OpFoldResult getSize(RewriterBase &rewriter, Location loc, AxisId axis);
  SmallVector<utils::IteratorType> getIteratorTypes(const Tensor &tensor);
  AffineMap getMap(ArrayRef<AxisId> axes, ArrayRef<AxisId> root) const;

  const Schedule &schedule;
  const Tensor &partial;
  const Tensor &final;
  ArrayRef<FusionSchedule::Symbol> symbols;
  /// Per result: loops first, then pieces of loops.
  SmallVector<SmallVector<Dim>> dims;
  std::optional<AxisId> longPiece;
};
} // namespace

LogicalResult RFactorRewriter::findDims() {
  for (auto [number, logical] : llvm::enumerate(partial.logical)) {
    SmallVector<Dim> loops, pieces;
    for (auto [axis, reader] :
         llvm::zip_equal(logical, final.operands[number].axes)) {
      AffineExpr index = getIndexOf(schedule, axis, partial.root);
      if (!index)
        return failure();
      bool isPiece = schedule.getAxis(axis).definition.has_value();
      // The index of a piece may be that of a whole loop.
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        if (schedule.getAxis(partial.root[loop.getPosition()]).extent !=
            schedule.getAxis(axis).extent)
          longPiece = axis;
      (isPiece ? pieces : loops).push_back({axis, index, *reader});
    }
    llvm::append_range(loops, pieces);
    dims.push_back(std::move(loops));
  }
  return success();
}

OpFoldResult RFactorRewriter::getSize(RewriterBase &rewriter, Location loc,
                                      AxisId axis) {
  AffineExpr extent = schedule.getAxis(axis).extent;
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return rewriter.getIndexAttr(constant.getValue());
  SmallVector<OpFoldResult> sizes;
  for (const FusionSchedule::Symbol &symbol : symbols)
    sizes.push_back(
        extent.isFunctionOfSymbol(sizes.size())
            ? tensor::getMixedSize(rewriter, loc, symbol.value, symbol.dim)
            : rewriter.getIndexAttr(0));
  return affine::makeComposedFoldedAffineApply(
      rewriter, loc, AffineMap::get(0, symbols.size(), extent), sizes);
}

SmallVector<utils::IteratorType>
RFactorRewriter::getIteratorTypes(const Tensor &tensor) {
  return llvm::map_to_vector(tensor.root, [&](AxisId axis) {
    return schedule.getAxis(axis).isReduction() ? utils::IteratorType::reduction
                                                : utils::IteratorType::parallel;
  });
}

AffineMap RFactorRewriter::getMap(ArrayRef<AxisId> axes,
                                  ArrayRef<AxisId> root) const {
  SmallVector<AffineExpr> exprs;
  for (AxisId axis : axes)
    exprs.push_back(getIndexOf(schedule, axis, root));
  return AffineMap::get(root.size(), 0, exprs, schedule.getContext());
}

linalg::GenericOp RFactorRewriter::createPartial(RewriterBase &rewriter,
                                                 linalg::GenericOp op,
                                                 ArrayRef<TypedAttr> neutral) {
  Location loc = op.getLoc();
  SmallVector<Value> inits;
  SmallVector<AffineMap> maps = SmallVector<AffineMap>(
      ArrayRef(op.getIndexingMapsArray()).take_front(op.getNumDpsInputs()));
  for (auto [list, value] : llvm::zip_equal(dims, neutral)) {
    SmallVector<OpFoldResult> sizes;
    SmallVector<AffineExpr> exprs;
    for (const Dim &dim : list) {
      sizes.push_back(getSize(rewriter, loc, dim.axis));
      exprs.push_back(dim.index);
    }
    maps.push_back(
        AffineMap::get(partial.root.size(), 0, exprs, rewriter.getContext()));
    Value scalar = arith::ConstantOp::create(rewriter, loc, value);
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, sizes, value.getType());
    inits.push_back(
        linalg::FillOp::create(rewriter, loc, scalar, empty).getResult(0));
  }
  auto result = linalg::GenericOp::create(
      rewriter, loc, ValueRange(inits).getTypes(), op.getInputs(), inits, maps,
      getIteratorTypes(partial));
  rewriter.cloneRegionBefore(op.getRegion(), result.getRegion(),
                             result.getRegion().begin());
  return result;
}

linalg::GenericOp
RFactorRewriter::createFinal(RewriterBase &rewriter, linalg::GenericOp op,
                             linalg::GenericOp partialOp,
                             ArrayRef<Operation *> combiners) {
  SmallVector<AffineMap> maps;
  for (ArrayRef<Dim> list : dims)
    maps.push_back(getMap(
        llvm::map_to_vector(list, [](const Dim &dim) { return dim.reader; }),
        final.root));
  for (ArrayRef<AxisId> logical : final.logical)
    maps.push_back(getMap(logical, final.root));
  return linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), partialOp.getResults(),
      op.getOutputs(), maps, getIteratorTypes(final),
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        SmallVector<Value> results;
        for (auto [number, combiner] : llvm::enumerate(combiners)) {
          Value partialValue = args[number];
          Value accumulator = args[combiners.size() + number];
          // The accumulator stays where it was among the operands.
          bool isFirst =
              combiner->getOperand(0) == op.getRegionOutputArgs()[number];
          IRMapping mapping;
          mapping.map(combiner->getOperand(0),
                      isFirst ? accumulator : partialValue);
          mapping.map(combiner->getOperand(1),
                      isFirst ? partialValue : accumulator);
          results.push_back(builder.clone(*combiner, mapping)->getResult(0));
        }
        linalg::YieldOp::create(builder, loc, results);
      });
}

/// The op by which each result of a reduction is accumulated, and its neutral
/// element.
static LogicalResult findCombiners(linalg::LinalgOp op,
                                   SmallVectorImpl<Operation *> &combiners,
                                   SmallVectorImpl<TypedAttr> &neutral,
                                   StringRef name,
                                   FusionSchedule::EmitErrorFn emitError) {
  for (OpResult result : op->getResults()) {
    SmallVector<Operation *> chain;
    std::optional<TypedAttr> element;
    if (matchReduction(op.getRegionOutputArgs(), result.getResultNumber(),
                       chain) &&
        chain.size() == 1 && chain[0]->getNumOperands() == 2)
      element = fuse::getNeutralElement(chain[0]);
    if (!element) {
      InFlightDiagnostic diagnostic = emitError();
      diagnostic << "cannot rfactor tensor '" << name << "': result "
                 << result.getResultNumber()
                 << " is not accumulated by one op with a neutral element";
      diagnostic.attachNote(op.getLoc()) << "op is here";
      return diagnostic;
    }
    combiners.push_back(chain[0]);
    neutral.push_back(*element);
  }
  return success();
}

FailureOr<TensorId> FusionSchedule::rfactor(TensorId tensor,
                                            ArrayRef<int64_t> axes,
                                            EmitErrorFn emitError,
                                            OpBuilder::Listener *listener) {
  Schedule changed = schedule;
  TensorId partial;
  if (MaybeViolation violation = changed.rfactor(tensor, axes, partial))
    return report(*violation, emitError);
  std::string name = schedule.getTensor(tensor).name;
  RFactorRewriter factor(changed, partial, tensor, symbols);
  if (!schedule.getTensor(tensor).frozen.empty())
    return emitError() << "cannot rfactor tensor '" << name
                       << "': it is a partial result of another tensor";
  if (failed(factor.findDims()))
    return emitError() << "cannot rfactor tensor '" << name
                       << "': axes that were split from its loops depend on "
                          "sizes that are not constant";
  if (std::optional<AxisId> piece = factor.getLongPiece())
    return emitError()
           << "cannot rfactor tensor '" << name << "': axis '"
           << changed.getAxis(*piece).name
           << "' has more values than the loop from which it was split";
  SmallVector<Operation *> combiners;
  SmallVector<TypedAttr> neutral;
  if (failed(findCombiners(ops[tensor], combiners, neutral, name, emitError)))
    return failure();

  pinTensorNames(ops[tensor]);
  std::string partialName = getFreshName(schedule, tensor, ".rf");
  IRRewriter rewriter(fusion.getContext(), listener);
  FailureOr<linalg::GenericOp> op = generalize(rewriter, ops[tensor]);
  if (failed(op))
    return emitError() << "cannot rfactor tensor '" << name
                       << "': its op cannot be generalized to 'linalg.generic'";
  // Generalising copies the body.
  combiners.clear();
  neutral.clear();
  if (failed(findCombiners(cast<linalg::LinalgOp>(op->getOperation()),
                           combiners, neutral, name, emitError)))
    return failure();

  rewriter.setInsertionPoint(*op);
  linalg::GenericOp first = factor.createPartial(rewriter, *op, neutral);
  linalg::GenericOp second =
      factor.createFinal(rewriter, *op, first, combiners);
  first->setAttr(FuseDialect::kNameAttrName,
                 rewriter.getStringAttr(partialName));
  second->setAttr(FuseDialect::kNameAttrName, rewriter.getStringAttr(name));

  tensorOfOp.erase(ops[tensor]);
  ops.resize(changed.getNumTensors());
  ops[partial] = cast<linalg::LinalgOp>(first.getOperation());
  ops[tensor] = cast<linalg::LinalgOp>(second.getOperation());
  tensorOfOp[first] = partial;
  tensorOfOp[second] = tensor;
  schedule = std::move(changed);
  rewriter.replaceOp(*op, second);
  write();
  reread();
  return *getTensor(first.getOperation());
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

linalg::GenericOp fuse::createCache(FusionOp fusion, Value input) {
  OpBuilder builder = OpBuilder::atBlockBegin(&fusion.getBody().front());
  if (Operation *view = input.getDefiningOp())
    builder.setInsertionPointAfter(view);
  Location loc = input.getLoc();
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : input.getUses())
    if (isScheduleTensor(use.getOwner()))
      reads.push_back(&use);
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, input),
      type.getElementType());
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(type.getRank(), type.getContext());
  auto cache = linalg::GenericOp::create(
      builder, loc, type, input, empty, {map, map},
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [](OpBuilder &body, Location at, ValueRange arguments) {
        linalg::YieldOp::create(body, at, arguments.front());
      });
  for (OpOperand *read : reads)
    read->set(cache.getResult(0));
  return cache;
}

FailureOr<TensorId> FusionSchedule::cacheRead(TensorId input,
                                              EmitErrorFn emitError) {
  std::string name = schedule.getTensor(input).name;
  if (!schedule.getTensor(input).isInput)
    return emitError() << "cannot cache reads of tensor '" << name
                       << "': expects an input of the fusion but an op of the "
                          "fusion computes it";
  if (schedule.getConsumers(input).empty())
    return emitError() << "cannot cache reads of tensor '" << name
                       << "': no tensor reads it";
  write();
  pinTensorNames(ops[schedule.getConsumers(input).front()]);
  Value value;
  for (auto [other, tensor] : tensorOfValue)
    if (tensor.first == input)
      value = other;
  linalg::GenericOp cache = createCache(fusion, value);
  cache->setAttr(FuseDialect::kNameAttrName,
                 StringAttr::get(fusion.getContext(),
                                 getFreshName(schedule, input, ".cache")));
  reread();
  return *getTensor(cache.getOperation());
}

//===----------------------------------------------------------------------===//
// Clones
//===----------------------------------------------------------------------===//

/// The same views of `base`, where `value` is.
static Value cloneViews(Value value, Value base) {
  Operation *op = value.getDefiningOp();
  if (!op || !isView(op))
    return base;
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  IRMapping mapping;
  mapping.map(getViewSource(op), cloneViews(getViewSource(op), base));
  return builder.clone(*op, mapping)->getResult(0);
}

TensorId FusionSchedule::clone(TensorId tensor, ArrayRef<TensorId> consumers) {
  write();
  Operation *op = ops[tensor];
  pinTensorNames(op);
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  copy->setAttr(FuseDialect::kNameAttrName, builder.getStringAttr(getFreshName(
                                                schedule, tensor, ".clone")));
  for (TensorId consumer : consumers)
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), copy->getResults()))
      for (OpOperand &operand : ops[consumer]->getOpOperands())
        if (getViewBase(operand.get()) == from)
          operand.set(cloneViews(operand.get(), to));
  reread();
  return *getTensor(copy);
}

void FusionSchedule::eraseClone(TensorId clone, TensorId original) {
  ops[clone]->replaceAllUsesWith(ops[original]->getResults());
  ops[clone]->erase();
  reread();
}
