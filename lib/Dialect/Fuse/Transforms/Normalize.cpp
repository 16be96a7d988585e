//===- Normalize.cpp - Normalisation of linalg ops --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/Normalize.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <deque>

using namespace mlir;
using namespace mlir::fuse;

/// Gives the op that stands for `from` its name and schedule.
static void carryOver(Operation *from, Operation *to) {
  for (StringRef name :
       {FuseDialect::kNameAttrName, FuseDialect::kScheduleAttrName})
    if (Attribute attribute = from->getAttr(name))
      to->setAttr(name, attribute);
}

FailureOr<linalg::GenericOp> fuse::generalize(RewriterBase &rewriter,
                                              linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return generic;
  StringAttr name = getTensorName(op);
  Attribute schedule = op->getAttr(FuseDialect::kScheduleAttrName);
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> generic =
      linalg::generalizeNamedOp(rewriter, op);
  if (failed(generic))
    return failure();
  if (name)
    (*generic)->setAttr(FuseDialect::kNameAttrName, name);
  if (schedule)
    (*generic)->setAttr(FuseDialect::kScheduleAttrName, schedule);
  return generic;
}

LogicalResult fuse::decompose(RewriterBase &rewriter, Operation *op) {
  auto aggregated = dyn_cast<linalg::AggregatedOpInterface>(op);
  if (!aggregated)
    return failure();
  // Verifiers accept other types, with which MLIR's decompositions crash.
  for (Type type : op->getOperandTypes()) {
    constexpr StringLiteral what = "cannot be decomposed into linalg ops: ";
    if (!isa<RankedTensorType>(type))
      return op->emitOpError()
             << what << "expects its operands to be tensors but got " << type;
    if (Type element = getElementTypeOrSelf(type); !isa<FloatType>(element))
      return op->emitOpError() << what
                               << "expects the elements of its operands to be "
                                  "floats but got "
                               << element;
  }
  Operation *before = op->getPrevNode();
  rewriter.setInsertionPoint(op);
  FailureOr<SmallVector<Value>> values =
      aggregated.decomposeOperation(rewriter);
  if (failed(values))
    return op->emitOpError() << "cannot be decomposed into linalg ops";
  if (StringAttr name = getTensorName(op)) {
    unsigned number = 0;
    Operation *first =
        before ? before->getNextNode() : &op->getBlock()->front();
    for (Operation *part = first; part != op; part = part->getNextNode())
      if (isScheduleTensor(part))
        part->setAttr(
            FuseDialect::kNameAttrName,
            rewriter.getStringAttr(name.getValue() + "." + Twine(number++)));
  }
  rewriter.replaceOp(op, *values);
  return success();
}

//===----------------------------------------------------------------------===//
// Unit reductions
//===----------------------------------------------------------------------===//

ScheduleAttr fuse::dropLoops(ScheduleAttr schedule, ArrayRef<bool> dropped) {
  // `gone` runs along with the loops; numbers count those that are not gone.
  SmallVector<bool> gone(dropped);
  auto renumber = [&](int64_t axis) {
    return llvm::count(ArrayRef<bool>(gone).take_front(axis), false);
  };
  std::deque<SmallVector<int64_t>> numbers;
  SmallVector<ScheduleStep> steps;
  auto add = [&](StepKind kind, SmallVector<int64_t> values) {
    numbers.push_back(std::move(values));
    steps.push_back({kind, numbers.back()});
  };
  for (const ScheduleStep &step : schedule.getSteps()) {
    ArrayRef<int64_t> old = step.numbers;
    switch (step.kind) {
    case StepKind::Split:
      if (!gone[old[0]])
        add(step.kind, {renumber(old[0]), old[1], old[2]});
      gone.insert(gone.begin() + old[0], gone[old[0]]);
      break;
    case StepKind::Merge:
      if (!gone[old[0]] && !gone[old[1]])
        add(step.kind, {renumber(old[0]), renumber(old[1])});
      gone[old[0]] = gone[old[0]] && gone[old[1]];
      gone.erase(gone.begin() + old[1]);
      break;
    case StepKind::Reorder: {
      SmallVector<int64_t> order;
      SmallVector<bool> moved;
      for (int64_t axis : old) {
        if (!gone[axis])
          order.push_back(renumber(axis));
        moved.push_back(gone[axis]);
      }
      gone = moved;
      add(step.kind, std::move(order));
      break;
    }
    case StepKind::RFactor: {
      SmallVector<int64_t> kept;
      for (int64_t axis : old)
        if (!gone[axis])
          kept.push_back(renumber(axis));
      add(step.kind, std::move(kept));
      break;
    }
    case StepKind::Type:
      if (!gone[old[0]])
        add(step.kind, {renumber(old[0]), old[1]});
      break;
    }
  }
  SmallVector<StringAttr> names;
  for (auto [name, isGone] : llvm::zip_equal(schedule.getNames(), dropped))
    if (!isGone)
      names.push_back(name);
  std::optional<int64_t> computeWith = schedule.getComputeWith();
  if (computeWith)
    computeWith = renumber(*computeWith);
  return ScheduleAttr::get(schedule.getContext(), names, steps,
                           renumber(schedule.getComputeAt()), computeWith);
}

/// Replaces linalg.index by the index among the loops that are left.
static void renumberIndices(RewriterBase &rewriter, linalg::GenericOp op,
                            ArrayRef<bool> dropped) {
  for (auto index :
       llvm::make_early_inc_range(op.getBody()->getOps<linalg::IndexOp>())) {
    rewriter.setInsertionPoint(index);
    if (dropped[index.getDim()])
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(index, 0);
    else
      rewriter.modifyOpInPlace(index, [&] {
        index.setDim(llvm::count(dropped.take_front(index.getDim()), false));
      });
  }
}

FailureOr<linalg::LinalgOp> fuse::dropUnitReductions(RewriterBase &rewriter,
                                                     linalg::LinalgOp op) {
  SmallVector<bool> dropped;
  for (auto [type, range] :
       llvm::zip_equal(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    dropped.push_back(type == utils::IteratorType::reduction && range == 1);
  // Partial results have their reductions in their indexing maps.
  auto isInResult = [&](AffineMap map) {
    for (auto [dim, isDropped] : llvm::enumerate(dropped))
      if (isDropped && map.isFunctionOfDim(dim))
        return true;
    return false;
  };
  if (!llvm::is_contained(dropped, true) ||
      llvm::any_of(op->getResults(), [&](OpResult result) {
        return isInResult(op.getIndexingMapMatchingResult(result));
      }))
    return op;
  FailureOr<linalg::GenericOp> generic = generalize(rewriter, op);
  if (failed(generic))
    return failure();

  MLIRContext *context = rewriter.getContext();
  SmallVector<AffineExpr> replacement;
  SmallVector<utils::IteratorType> types;
  for (auto [isDropped, type] :
       llvm::zip_equal(dropped, generic->getIteratorTypesArray())) {
    replacement.push_back(isDropped ? getAffineConstantExpr(0, context)
                                    : getAffineDimExpr(types.size(), context));
    if (!isDropped)
      types.push_back(type);
  }
  SmallVector<AffineMap> maps;
  for (AffineMap map : generic->getIndexingMapsArray())
    maps.push_back(map.replaceDimsAndSymbols(replacement, {}, types.size(), 0));

  rewriter.setInsertionPoint(*generic);
  auto result = linalg::GenericOp::create(
      rewriter, generic->getLoc(), generic->getResultTypes(),
      generic->getInputs(), generic->getOutputs(), maps, types);
  rewriter.inlineRegionBefore(generic->getRegion(), result.getRegion(),
                              result.getRegion().begin());
  carryOver(*generic, result);
  if (auto schedule =
          result->getAttrOfType<ScheduleAttr>(FuseDialect::kScheduleAttrName))
    result->setAttr(FuseDialect::kScheduleAttrName,
                    dropLoops(schedule, dropped));
  renumberIndices(rewriter, result, dropped);
  rewriter.replaceOp(*generic, result);
  return cast<linalg::LinalgOp>(result.getOperation());
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// The size of a result is that of the initial tensor, which may be an operand
/// of the fusion to come while the result is inside.
static void takeSizesFromInits(RewriterBase &rewriter, tensor::DimOp dim) {
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!index)
    return;
  Value source = dim.getSource();
  while (auto result = dyn_cast<OpResult>(source)) {
    auto op = dyn_cast<linalg::LinalgOp>(result.getOwner());
    if (!op || !op.hasPureTensorSemantics())
      break;
    source = op.getDpsInitOperand(result.getResultNumber())->get();
  }
  auto empty = source.getDefiningOp<tensor::EmptyOp>();
  if (empty && *index >= 0 && *index < empty.getType().getRank() &&
      empty.getType().isDynamicDim(*index))
    return rewriter.replaceOp(dim, empty.getDynamicSize(*index));
  if (source != dim.getSource())
    rewriter.modifyOpInPlace(dim, [&] { dim.getSourceMutable().set(source); });
}

/// A concatenation of what linalg ops compute becomes insertions at constant
/// offsets, which those ops may write in place.
static void decomposeConcat(RewriterBase &rewriter, tensor::ConcatOp concat) {
  auto isComputed = [](Value value) {
    Operation *op = value.getDefiningOp();
    return op && isScheduleTensor(op);
  };
  if (concat.getResultType().isDynamicDim(concat.getDim()) ||
      llvm::none_of(concat.getInputs(), isComputed) ||
      llvm::any_of(concat.getInputs(), [&](Value value) {
        return cast<RankedTensorType>(value.getType())
            .isDynamicDim(concat.getDim());
      }))
    return;
  rewriter.setInsertionPoint(concat);
  FailureOr<SmallVector<Value>> values = concat.decomposeOperation(rewriter);
  if (succeeded(values))
    rewriter.replaceOp(concat, *values);
}

LogicalResult fuse::normalize(RewriterBase &rewriter, Operation *root) {
  SmallVector<Operation *> aggregated;
  root->walk([&](Operation *op) {
    auto style = dyn_cast<DestinationStyleOpInterface>(op);
    if (isa<linalg::AggregatedOpInterface>(op) && style &&
        !style.hasPureBufferSemantics())
      aggregated.push_back(op);
  });
  for (Operation *op : aggregated)
    if (failed(decompose(rewriter, op)))
      return failure();

  SmallVector<linalg::LinalgOp> ops;
  SmallVector<tensor::DimOp> dims;
  root->walk([&](Operation *op) {
    if (isScheduleTensor(op))
      ops.push_back(cast<linalg::LinalgOp>(op));
    else if (auto dim = dyn_cast<tensor::DimOp>(op))
      dims.push_back(dim);
  });
  for (linalg::LinalgOp op : ops)
    if (failed(dropUnitReductions(rewriter, op)))
      return failure();
  for (tensor::DimOp dim : dims)
    takeSizesFromInits(rewriter, dim);
  SmallVector<linalg::GenericOp> copies;
  root->walk([&](linalg::GenericOp op) { copies.push_back(op); });
  for (linalg::GenericOp op : copies)
    foldCopy(rewriter, op);
  SmallVector<tensor::ConcatOp> concats;
  root->walk([&](tensor::ConcatOp op) { concats.push_back(op); });
  for (tensor::ConcatOp op : concats)
    decomposeConcat(rewriter, op);
  return success();
}
