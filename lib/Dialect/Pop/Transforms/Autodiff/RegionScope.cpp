//===- RegionScope.cpp - Differentiation of a region ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionScope.h"

#include "../DrawAdvances.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Scalars.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::pop;

Value mlir::pop::buildZeros(OpBuilder &b, Location loc, Type type) {
  return PopBuilder(b, loc).zeros(cast<RankedTensorType>(type));
}

Operation *mlir::pop::extendOp(Operation *op, Scope &scope, ValueRange operands,
                               TypeRange results) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addOperands(operands);
  state.addTypes(op->getResultTypes());
  state.addTypes(results);
  state.addAttributes(op->getAttrs());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *extended = OpBuilder(op).create(state);
  ResultRange replacements =
      extended->getResults().take_front(op->getNumResults());
  for (auto [from, to] : llvm::zip_equal(op->getResults(), replacements))
    scope.replaceForward(from, to);
  scope.getContext().retire(op, replacements);
  return extended;
}

SmallVector<Value>
mlir::pop::getActiveCaptures(Operation *op, Scope &scope,
                             const llvm::DenseSet<Value> &reached) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  used.remove_if([&](Value value) { return !reached.contains(value); });
  // Callees use variables by their names.
  op->walk([&](CallOpInterface call) {
    if (llvm::any_of(call->getResults(),
                     [&](Value result) { return reached.contains(result); }))
      used.insert_range(scope.getContext().getVariablesOf(call));
  });
  return llvm::filter_to_vector(used, [&](Value value) {
    return scope.isActive(value) && getGradientType(value.getType());
  });
}

//===----------------------------------------------------------------------===//
// RegionScope
//===----------------------------------------------------------------------===//

bool RegionScope::isOwn(Value value) const {
  return region->isAncestor(value.getParentRegion());
}

void RegionScope::replaceForward(Value from, Value to) {
  Scope::replaceForward(from, to);
  if (Value value = imported.lookupOrNull(from)) {
    imported.map(to, value);
    imported.erase(from);
  }
  for (Kept &entry : kept)
    if (entry.value == from)
      entry.value = to;
}

/// Returns whether `op` only renames elements of a tensor that is not larger
/// than the result. Keeping this tensor takes no more memory than keeping the
/// result.
static bool isViewOfSmaller(Operation *op) {
  if (!isa<ipu::TileViewOpInterface>(op))
    return false;
  auto getSize = [](Value value) {
    return cast<ShapedType>(value.getType()).getNumElements();
  };
  // A view of a variable reads what later iterations may have written.
  return isa<RankedTensorType>(op->getOperand(0).getType()) &&
         getSize(op->getOperand(0)) <= getSize(op->getResult(0));
}

/// Returns whether the backward region computes `value` again. Values that are
/// rounded with random bits are kept: the iterations of a backward loop are in
/// reverse order, so that the number of advances since the forward op is not a
/// constant.
bool RegionScope::isComputedAgain(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || findNumberedDraw(op))
    return false;
  bool isKept = isa<RankedTensorType>(value.getType()) &&
                !op->hasTrait<OpTrait::ConstantLike>() &&
                !isViewOfSmaller(op) &&
                context.regionValues == RegionValues::Stash;
  return !isKept && isRepeatable(op, context);
}

Value RegionScope::importForward(Value value) {
  if (Value known = imported.lookupOrNull(value))
    return known;
  // What is computed again comes after what it is computed from.
  SmallVector<std::pair<Value, bool>> stack{{value, false}};
  while (!stack.empty()) {
    auto [next, isReady] = stack.pop_back_val();
    if (imported.contains(next))
      continue;
    if (!isOwn(next)) {
      imported.map(next, parent->getForward(next));
      continue;
    }
    auto ofIndex = next.getDefiningOp<FromScalarOp>();
    if (Value index = ofIndex ? importIndex(ofIndex) : Value()) {
      imported.map(next, index);
      continue;
    }
    if (Value scalar = importScalar(next)) {
      imported.map(next, scalar);
      continue;
    }
    if (!isComputedAgain(next)) {
      imported.map(next, keep(next));
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (isReady) {
      computeAgain(op);
      continue;
    }
    stack.push_back({next, true});
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value operand : used)
      stack.push_back({operand, false});
  }
  return imported.lookup(value);
}

void RegionScope::computeAgain(Operation *op) {
  OpBuilder b(op->getContext());
  b.restoreInsertionPoint(getInsertPoint());
  Operation *clone = b.clone(*op, imported);
  clone->walk([](Operation *nested) {
    setTrainingRole(nested, TrainingRole::Recomputed);
  });
  // An index of a loop around the op is the element of a tensor here.
  clone->walk([&](FromScalarOp scalar) {
    Value tensor = getTensorOfScalar(scalar.getInput());
    if (!tensor)
      return;
    b.setInsertionPoint(scalar);
    if (tensor.getType() != scalar.getType())
      tensor = CastOp::create(b, scalar.getLoc(), scalar.getType(), tensor);
    if (scalar == clone)
      imported.map(op->getResult(0), tensor);
    scalar.replaceAllUsesWith(tensor);
    scalar.erase();
  });
  // Once it has more results, it may be cloned again: clones of blocks do not
  // have arguments that are in the mapping.
  op->walk([&](Block *block) {
    for (Value argument : block->getArguments())
      imported.erase(argument);
  });
}

/// Reports that gradients need `value`, of which there is one for each
/// execution of the region.
void RegionScope::reportNotKept(Value value) {
  if (!context.hasFailed)
    emitError(value.getLoc())
        << "gradients need this value of a region, but it cannot be kept "
           "because its type "
        << value.getType()
        << " is not a tensor type, and cannot be computed again because its op "
           "has effects";
  context.hasFailed = true;
}

Value RegionScope::keep(Value value) {
  OpBuilder b(value.getContext());
  if (backward)
    b.setInsertionPointToStart(backward);
  else
    b.restoreInsertionPoint(getInsertPoint());
  auto placeholder = UnrealizedConversionCastOp::create(
      b, value.getLoc(), value.getType(), ValueRange());
  if (isa<RankedTensorType>(value.getType()))
    kept.push_back({value, placeholder.getResult(0)});
  else
    reportNotKept(value);
  return placeholder.getResult(0);
}

void RegionScope::replacePlaceholder(const Kept &kept, Value value,
                                     GraphContext &context) {
  context.retire(kept.placeholder.getDefiningOp(), value);
}
