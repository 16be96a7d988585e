//===- ConstantOrScalarSplitter.cpp - Copies of constants -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: constants and expressions of constants. Out: each use by another op has
// a separate copy, so that shardings do not propagate from one use to
// another.
//
//===----------------------------------------------------------------------===//

#include "../Calls/CallUtils.h"
#include "../ConstantExpressions.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_CONSTANTORSCALARSPLITTERPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// Named computations and functions that compute constants from constants.
class ConstantComputations {
public:
  explicit ConstantComputations(ModuleOp module) : symbols(module) {}

  SymbolTable &getSymbols() { return symbols; }

  /// Callees come before their callers. One that calls itself is not known
  /// when it is asked for.
  void add(FunctionOpInterface function) {
    if (!function.isExternal() && function.getFunctionBody().hasOneBlock() &&
        isConstantBody(function.getFunctionBody().front()))
      functions.insert(function);
  }
  bool contains(Operation *op) {
    if (auto named = dyn_cast<NamedComputationOp>(op))
      return isConstantBody(named.getBody().front());
    auto call = dyn_cast<CallOpInterface>(op);
    FunctionOpInterface callee =
        call ? lookupCallee(call, symbols) : FunctionOpInterface();
    return callee && functions.contains(callee);
  }

private:
  bool isConstantBody(Block &body) {
    return llvm::all_of(body, [&](Operation &op) {
      return op.hasTrait<OpTrait::IsTerminator>() || isa<ShardingGroupOp>(op) ||
             isConstantSource(&op) || preservesConstants(&op) || contains(&op);
    });
  }

  SymbolTable symbols;
  llvm::DenseSet<Operation *> functions;
};

class Splitter {
public:
  explicit Splitter(ConstantComputations &computations)
      : computations(computations) {}

  /// `root`: a function or a named computation. Returns whether there was
  /// anything to split.
  bool run(Operation *root) {
    bool changed = false;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == root || isa<ShardingGroupOp>(op))
        return WalkResult::advance();
      // Nothing from outside is seen in it.
      bool isNamed = isa<NamedComputationOp>(op);
      if (isNamed)
        changed |= Splitter(computations).run(op);
      visit(op);
      return isNamed ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *op : llvm::reverse(split))
      eraseIfUnused(op);
    return changed || !split.empty();
  }

private:
  void visit(Operation *op) {
    if (isConstantExpression(op)) {
      constants.insert(op);
      split.insert(op);
    } else if (isScalarExpansion(
                   op, [&](Value value) { return isConstant(value); })) {
      split.insert(op);
    } else {
      for (OpOperand &operand : op->getOpOperands())
        if (auto result = dyn_cast<OpResult>(operand.get()))
          operand.set(clone(result));
    }
  }

  bool isConstant(Value value) const {
    Operation *definition = value.getDefiningOp();
    return definition && constants.contains(definition);
  }

  bool isConstantExpression(Operation *op) const {
    return isConstantSource(op) ||
           (llvm::all_of(op->getOperands(),
                         [&](Value operand) { return isConstant(operand); }) &&
            (preservesConstants(op) || computations.contains(op)));
  }

  bool isCloned(Value value) const {
    Operation *definition = value.getDefiningOp();
    return definition && split.contains(definition) &&
           !getTensorShape(value).empty();
  }

  /// Copies what `result` is computed from, operands first, and returns the
  /// copy of it. Scalars are not copied: they are not sharded.
  Value clone(OpResult result) {
    if (!isCloned(result))
      return result;
    IRMapping mapping;
    llvm::DenseSet<Operation *> seen;
    SmallVector<std::pair<OpResult, unsigned>> stack = {{result, 0}};
    while (!stack.empty()) {
      auto [current, next] = stack.back();
      Operation *op = current.getOwner();
      if (next == op->getNumOperands()) {
        cloneOne(current, mapping);
        stack.pop_back();
        continue;
      }
      ++stack.back().second;
      Value operand = op->getOperand(next);
      if (isCloned(operand) && seen.insert(operand.getDefiningOp()).second)
        stack.emplace_back(cast<OpResult>(operand), 0);
    }
    return mapping.lookup(result);
  }

  void cloneOne(OpResult result, IRMapping &mapping) {
    OpBuilder builder(result.getOwner());
    Operation *copy = builder.clone(*result.getOwner(), mapping);
    // Calls that share a function get the same shardings. The first copy takes
    // over the function of the original, which is erased.
    bool isFirst = copied.insert(result.getOwner()).second;
    if (auto call = dyn_cast<CallOpInterface>(copy); call && !isFirst) {
      SymbolTable &symbols = computations.getSymbols();
      setCallee(call, copyCallTree(lookupCallee(call, symbols), symbols));
    }
    // What is said of the value holds of all its copies.
    for (Operation *user : llvm::to_vector(result.getUsers()))
      if (isa<ShardingGroupOp>(user)) {
        builder.setInsertionPointAfterValue(mapping.lookup(result));
        builder.clone(*user, mapping);
      }
  }

  static void eraseIfUnused(Operation *op) {
    if (!llvm::all_of(op->getUsers(), llvm::IsaPred<ShardingGroupOp>))
      return;
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      user->erase();
    op->erase();
  }

  ConstantComputations &computations;
  /// What is copied for each use: constant expressions and broadcast scalars.
  llvm::SetVector<Operation *> split;
  llvm::DenseSet<Operation *> constants;
  llvm::DenseSet<Operation *> copied;
};

struct ConstantOrScalarSplitterPass
    : sdy::impl::ConstantOrScalarSplitterPassBase<
          ConstantOrScalarSplitterPass> {
  using ConstantOrScalarSplitterPassBase::ConstantOrScalarSplitterPassBase;
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](stablehlo::ConstantOp op) {
      changed = true;
      OpBuilder builder(op);
      auto constant =
          ConstantOp::create(builder, op.getLoc(), op.getType(), op.getValue());
      constant->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      op.replaceAllUsesWith(constant.getResult());
      op.erase();
    });
    ConstantComputations computations(getOperation());
    for (FunctionOpInterface function :
         FunctionCalls(getOperation()).getPostOrder()) {
      computations.add(function);
      changed |= Splitter(computations).run(function);
    }
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
