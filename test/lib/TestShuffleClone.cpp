//===- TestShuffleClone.cpp - Clones at other addresses ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, with ops and blocks that were
// allocated in a random order with gaps in between. Uses are in the same
// order. If a pass gives another text for it, the pass depends on
// addresses.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <random>

using namespace mlir;

namespace {
/// Clones the ops of a module without its blocks' order in memory.
class ShuffledClone {
public:
  ShuffledClone(ModuleOp module, unsigned seed)
      : module(module), generator(seed) {}

  void replaceBody();

private:
  int64_t draw(int64_t bound) { return generator() % bound; }
  template <typename T>
  void shuffle(SmallVectorImpl<T> &items);
  void leaveGap();
  void collect(Block &block);
  void cloneBlocks();
  void cloneOps();
  void attach(Operation *op);
  void setUses();
  void orderUses(Value value);

  ModuleOp module;
  std::mt19937 generator;
  /// Of the original module, in its order.
  SmallVector<Block *> blocks;
  SmallVector<Operation *> ops;
  IRMapping mapping;
  DenseMap<Operation *, Operation *> clones;
  /// What lies between the ops until the clone is complete.
  SmallVector<std::unique_ptr<char[]>> gaps;
};

class TestShuffleClone
    : public PassWrapper<TestShuffleClone, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestShuffleClone)
  TestShuffleClone() = default;
  TestShuffleClone(const TestShuffleClone &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-shuffle-clone"; }
  StringRef getDescription() const final {
    return "Allocate the ops of a module in a random order";
  }
  void runOnOperation() override {
    ShuffledClone(getOperation(), seed).replaceBody();
  }

private:
  Option<unsigned> seed{*this, "seed", llvm::cl::desc("Draws another order"),
                        llvm::cl::init(0)};
};
} // namespace

/// std::shuffle is not the same everywhere.
template <typename T>
void ShuffledClone::shuffle(SmallVectorImpl<T> &items) {
  for (size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[draw(i)]);
}

/// Allocates memory, and frees some, so that ops take the place of it.
void ShuffledClone::leaveGap() {
  if (draw(2) == 0)
    gaps.push_back(std::make_unique<char[]>(16 + draw(400)));
  if (!gaps.empty() && draw(3) == 0)
    gaps[draw(gaps.size())].reset();
}

void ShuffledClone::collect(Block &block) {
  for (Operation &op : block) {
    ops.push_back(&op);
    for (Region &region : op.getRegions())
      for (Block &nested : region) {
        blocks.push_back(&nested);
        collect(nested);
      }
  }
}

void ShuffledClone::cloneBlocks() {
  SmallVector<Block *> order(blocks);
  shuffle(order);
  for (Block *block : order) {
    leaveGap();
    auto *clone = new Block();
    mapping.map(block, clone);
    for (BlockArgument argument : block->getArguments())
      mapping.map(argument,
                  clone->addArgument(argument.getType(), argument.getLoc()));
  }
}

/// Blocks are there already: they may be successors.
void ShuffledClone::cloneOps() {
  SmallVector<Operation *> order(ops);
  shuffle(order);
  auto options =
      Operation::CloneOptions().cloneRegions(false).cloneOperands(false);
  for (Operation *op : order) {
    leaveGap();
    clones[op] = op->clone(mapping, options);
  }
}

void ShuffledClone::attach(Operation *op) {
  Operation *clone = clones.lookup(op);
  for (auto [from, to] : llvm::zip(op->getRegions(), clone->getRegions()))
    for (Block &block : from) {
      Block *cloned = mapping.lookup(&block);
      to.push_back(cloned);
      for (Operation &nested : block)
        cloned->push_back(clones.lookup(&nested));
    }
}

/// Sets the operands again, the use first that was first for the original: the
/// latest use of a value is the first of its list.
void ShuffledClone::orderUses(Value value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    uses.push_back(&use);
  Value cloned = mapping.lookup(value);
  for (OpOperand *use : llvm::reverse(uses))
    clones.lookup(use->getOwner())
        ->getOpOperand(use->getOperandNumber())
        .set(cloned);
}

void ShuffledClone::setUses() {
  for (Operation *op : ops) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(mapping.lookup(operand));
    clones.lookup(op)->setOperands(operands);
  }
  for (Block *block : blocks)
    for (BlockArgument argument : block->getArguments())
      orderUses(argument);
  for (Operation *op : ops)
    for (Value result : op->getResults())
      orderUses(result);
}

void ShuffledClone::replaceBody() {
  Block &body = *module.getBody();
  collect(body);
  cloneBlocks();
  cloneOps();
  setUses();
  for (Operation *op : ops)
    attach(op);
  SmallVector<Operation *> top;
  for (Operation &op : body)
    top.push_back(clones.lookup(&op));
  body.clear();
  for (Operation *op : top)
    body.push_back(op);
}

namespace mlir::ipu::test {
void registerTestShuffleClone() { PassRegistration<TestShuffleClone>(); }
} // namespace mlir::ipu::test
