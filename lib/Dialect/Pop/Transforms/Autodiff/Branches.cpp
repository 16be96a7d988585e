//===- Branches.cpp - Differentiation of branches and sequences -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch is differentiated as a branch on the same condition. Its results are
// the gradients of the values that its regions use and that are defined above
// the branch. Values of a region that gradients need are further results of the
// forward branch, which are zero if the region was not executed. A sequence is
// differentiated as the ops in it.
//
//===----------------------------------------------------------------------===//

#include "RegionScope.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Marks what the results of `op` depend on that have a gradient.
static llvm::DenseSet<Value> findReachedIn(Operation *op,
                                           ArrayRef<Value> gradients) {
  llvm::DenseSet<Value> reached;
  for (Region &region : op->getRegions()) {
    Operation *yield = region.front().getTerminator();
    for (auto [value, gradient] :
         llvm::zip_equal(yield->getOperands(), gradients))
      if (gradient)
        reached.insert(value);
    findReached(region, reached);
  }
  return reached;
}

/// The op that executes one of as many regions, empty ones, as `op` on the same
/// condition.
static Operation *buildBranch(OpBuilder &b, Operation *op, Scope &scope,
                              TypeRange types) {
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(scope.getForward(operand));
  state.addTypes(types);
  state.addAttributes(op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion()->emplaceBlock();
  return b.create(state);
}

static LogicalResult buildRegion(Operation *op, Region &region,
                                 ArrayRef<Value> gradients,
                                 ArrayRef<Value> captures, Block *backward,
                                 Scope &inner) {
  Operation *yield = region.front().getTerminator();
  for (auto [value, gradient] :
       llvm::zip_equal(yield->getOperands(), gradients))
    inner.addValue(value, gradient, op);
  if (failed(inner.differentiate(yield->getPrevNode())))
    return failure();
  OperationState state(op->getLoc(), yield->getName());
  PopBuilder b(op);
  for (Value capture : captures) {
    Value gradient = inner.takeGradient(capture);
    b.setInsertionPointToEnd(backward);
    state.addOperands(
        gradient
            ? gradient
            : buildZeros(b, op->getLoc(), getGradientType(capture.getType())));
  }
  b.setInsertionPointToEnd(backward);
  b.create(state);
  return success();
}

/// Lets the forward op keep what `inner`, the scopes of its regions, ask for.
/// Returns the op that takes the place of `op`.
static Operation *keepValues(Operation *op, Scope &scope,
                             ArrayRef<std::unique_ptr<RegionScope>> inner) {
  SmallVector<RegionScope::Kept> kept;
  for (const auto &region : inner)
    llvm::append_range(kept, region->getKept());
  if (kept.empty())
    return op;
  SmallVector<Type> types;
  for (const RegionScope::Kept &entry : kept)
    types.push_back(entry.value.getType());
  Operation *extended = extendOp(op, scope, {}, types);
  for (Region &region : extended->getRegions()) {
    Operation *yield = region.front().getTerminator();
    PopBuilder b(extended);
    b.setInsertionPoint(yield);
    for (RegionScope::Kept entry : kept) {
      Value value =
          region.isAncestor(entry.value.getParentRegion())
              ? entry.value
              : buildZeros(b, extended->getLoc(), entry.value.getType());
      yield->insertOperands(yield->getNumOperands(), value);
    }
  }
  for (auto [entry, result] :
       llvm::zip_equal(kept, extended->getResults().take_back(kept.size())))
    RegionScope::replacePlaceholder(entry, scope.getForward(result),
                                    scope.getContext());
  return extended;
}

LogicalResult mlir::pop::differentiateBranch(Operation *op, Scope &scope) {
  SmallVector<Value> gradients;
  for (Value result : op->getResults())
    gradients.push_back(scope.takeGradient(result));
  SmallVector<Value> captures =
      getActiveCaptures(op, scope, findReachedIn(op, gradients));
  if (captures.empty())
    return success();
  SmallVector<Type> types;
  for (Value capture : captures)
    types.push_back(getGradientType(capture.getType()));
  PopBuilder b(op);
  b.restoreInsertionPoint(scope.getInsertPoint());
  Operation *branch = buildBranch(b, op, scope, types);

  Operation *anchor = scope.setAnchor(branch);
  SmallVector<std::unique_ptr<RegionScope>> inner;
  LogicalResult result = success();
  for (auto [region, backward] :
       llvm::zip_equal(op->getRegions(), branch->getRegions())) {
    inner.push_back(
        std::make_unique<RegionScope>(scope, region, &backward.front()));
    if (succeeded(result))
      result = buildRegion(op, region, gradients, captures, &backward.front(),
                           *inner.back());
  }
  if (scope.getContext().hasFailed)
    result = failure();
  if (succeeded(result))
    op = keepValues(op, scope, inner);
  scope.setAnchor(anchor);
  if (failed(result))
    return failure();
  for (auto [capture, gradient] :
       llvm::zip_equal(captures, branch->getResults()))
    scope.addValue(capture, gradient, op);
  return success();
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

namespace {
/// Builds gradients where the sequence is.
class SequenceScope : public RegionScope {
public:
  SequenceScope(Scope &parent, Operation *op)
      : RegionScope(parent, op->getRegion(0), /*backward=*/nullptr), op(op) {
    OpBuilder b(op->getContext());
    b.restoreInsertionPoint(getInsertPoint());
    start = UnrealizedConversionCastOp::create(b, op->getLoc(), TypeRange(),
                                               ValueRange());
  }
  ~SequenceScope() override { start->erase(); }

  OpBuilder::InsertPoint getInsertPoint() const override {
    return parent->getInsertPoint();
  }
  Operation *setAnchor(Operation *anchor) override {
    return parent->setAnchor(anchor);
  }
  Scope &getCollector(Value value) override {
    return isOwn(value) ? *this : parent->getCollector(value);
  }

  /// Lets the sequence give what was asked for as results.
  void finish();

private:
  Operation *op;
  /// A mark before all that is built for the sequence.
  Operation *start;
};
} // namespace

void SequenceScope::finish() {
  if (getKept().empty())
    return;
  auto values = llvm::map_to_vector(
      getKept(), [](const Kept &kept) { return kept.value; });
  Operation *extended =
      extendOp(op, *parent, {}, TypeRange(ValueRange(values)));
  Operation *yield = extended->getRegion(0).front().getTerminator();
  yield->insertOperands(yield->getNumOperands(), values);
  // Where the sequence is computed again, it is before what uses its results.
  Operation *anchor = parent->setAnchor(start);
  auto results = llvm::map_to_vector(
      extended->getResults().take_back(values.size()),
      [&](Value result) { return parent->getForward(result); });
  parent->setAnchor(anchor);
  for (auto [kept, result] : llvm::zip_equal(getKept(), results))
    replacePlaceholder(kept, result, context);
}

LogicalResult mlir::pop::differentiateSequence(InSequenceOp op, Scope &scope) {
  SmallVector<Value> gradients;
  for (Value result : op->getResults())
    gradients.push_back(scope.takeGradient(result));
  SequenceScope inner(scope, op);
  Operation *yield = op->getRegion(0).front().getTerminator();
  for (auto [value, gradient] :
       llvm::zip_equal(yield->getOperands(), gradients))
    inner.addValue(value, gradient, yield);
  if (failed(inner.differentiate(yield->getPrevNode())))
    return failure();
  inner.finish();
  return success();
}
