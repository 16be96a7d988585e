//===- Canonicalize.cpp - Canonical form of placed programs -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: any op. Out: the same op in canonical form. New
// ops have the placement of the op that was rewritten,
// and constants are unique for each value and
// placement.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::pop {
#define GEN_PASS_DEF_CANONICALIZEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Where a tensor is, out of a placement, which also says when an op is
/// executed: a constant is not executed.
static DictionaryAttr getLocation(Operation *op) {
  NamedAttrList location;
  for (StringRef name :
       {PopDialect::kVgraphAttrName, PopDialect::kStageAttrName,
        PopDialect::kTileSetAttrName})
    if (Attribute value = op->getAttr(name))
      location.append(name, value);
  return location.getDictionary(op->getContext());
}

namespace {
/// Leaves one constant of each value and location in a region, at its start.
class ConstantUniquer {
public:
  explicit ConstantUniquer(Region &region) : block(region.front()) {}

  /// Makes `constant` the one of its value and location, if it is the first.
  void add(Operation *constant) { getUnique(constant, getLocation(constant)); }
  /// Lets `use`, of a constant, use the one that it should.
  void replace(OpOperand &use);

private:
  Operation *getUnique(Operation *constant, DictionaryAttr location);
  void moveToStart(Operation *constant);

  Block &block;
  Operation *last = nullptr;
  using Key = std::tuple<OperationName, Attribute, Type, DictionaryAttr>;
  llvm::DenseMap<Key, Operation *> unique;
};
} // namespace

void ConstantUniquer::moveToStart(Operation *constant) {
  if (last)
    constant->moveAfter(last);
  else
    constant->moveBefore(&block, block.begin());
  last = constant;
}

/// The constant that equals `constant` and is at `location`: itself, if it is
/// the first.
Operation *ConstantUniquer::getUnique(Operation *constant,
                                      DictionaryAttr location) {
  Attribute value;
  matchPattern(constant, m_Constant(&value));
  Operation *&first = unique[{constant->getName(), value,
                              constant->getResult(0).getType(), location}];
  if (first)
    return first;
  if (location == getLocation(constant)) {
    first = constant;
  } else {
    first = constant->clone();
    block.push_front(first);
  }
  moveToStart(first);
  for (NamedAttribute attribute : pop::getPlacement(first))
    first->removeAttr(attribute.getName());
  for (NamedAttribute attribute : location)
    first->setAttr(attribute.getName(), attribute.getValue());
  return first;
}

void ConstantUniquer::replace(OpOperand &use) {
  Operation *constant = use.get().getDefiningOp();
  // A constant without placement may be anywhere, and so may its copies for
  // ops without one.
  DictionaryAttr location = getLocation(constant);
  DictionaryAttr wanted = getLocation(use.getOwner());
  bool isElsewhere = !location.empty() && !wanted.empty();
  use.set(getUnique(constant, isElsewhere ? wanted : location)->getResult(0));
}

static bool isConstant(Operation *op) {
  return op && op->hasTrait<OpTrait::ConstantLike>() &&
         op->getNumResults() == 1;
}

/// Calls `visit` for the ops of a region and of the regions in it that use its
/// values, in the order of the program.
static void walkOps(Region &region, function_ref<void(Operation *)> visit) {
  for (Operation &op : region.getOps()) {
    visit(&op);
    if (!op.hasTrait<OpTrait::IsIsolatedFromAbove>())
      for (Region &nested : op.getRegions())
        walkOps(nested, visit);
  }
}

static void uniqueConstants(Region &region) {
  SmallVector<Operation *> constants;
  // Not in the order of use lists, which rewrites leave in any order.
  SmallVector<OpOperand *> uses;
  walkOps(region, [&](Operation *op) {
    if (isConstant(op))
      constants.push_back(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isConstant(operand.get().getDefiningOp()))
        uses.push_back(&operand);
  });
  if (constants.empty())
    return;
  ConstantUniquer uniquer(region);
  for (Operation *constant : constants)
    uniquer.add(constant);
  for (OpOperand *use : uses)
    uniquer.replace(*use);
  for (Operation *constant : constants)
    if (constant->use_empty())
      constant->erase();
}

static void uniqueConstants(Operation *root) {
  root->walk([](Operation *op) {
    if (!op->hasTrait<OpTrait::IsIsolatedFromAbove>() || isa<ModuleOp>(op))
      return;
    for (Region &region : op->getRegions())
      uniqueConstants(region);
  });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct CanonicalizePass : pop::impl::CanonicalizePassBase<CanonicalizePass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      name.getCanonicalizationPatterns(all, context);
    patterns = std::make_shared<FrozenRewritePatternSet>(std::move(all));
    return success();
  }

  void runOnOperation() override {
    PlacementListener listener;
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal)
        .enableConstantCSE(false)
        .setListener(&listener);
    // Canonical forms are best effort: a limit on iterations is no failure.
    (void)applyPatternsGreedily(getOperation(), *patterns, config);
    uniqueConstants(getOperation());
  }

private:
  std::shared_ptr<const FrozenRewritePatternSet> patterns;
};
} // namespace
