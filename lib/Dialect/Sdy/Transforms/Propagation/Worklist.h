//===- Worklist.h - Which op comes next -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stack without duplicates: the visit order of MLIR's greedy rewrite driver,
// which decides results where shardings conflict.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_WORKLIST_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_WORKLIST_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ipu::sdy {

class Worklist {
public:
  /// All ops inside of `root`: the first in program order comes first.
  void fill(Operation *root) {
    this->root = root;
    stack.clear();
    position.clear();
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != root)
        stack.push_back(op);
    });
    std::reverse(stack.begin(), stack.end());
    for (auto [i, op] : llvm::enumerate(stack))
      position[op] = i;
  }

  /// The op, unless it waits already, then the ops around it.
  void push(Operation *op) {
    for (; op && op != root; op = op->getParentOp())
      if (position.try_emplace(op, stack.size()).second)
        stack.push_back(op);
  }

  /// The next op; null if there is none.
  Operation *pop() {
    while (!stack.empty()) {
      Operation *op = stack.pop_back_val();
      if (!op)
        continue;
      position.erase(op);
      return op;
    }
    return nullptr;
  }

  void erase(Operation *op) {
    auto it = position.find(op);
    if (it == position.end())
      return;
    stack[it->second] = nullptr;
    position.erase(it);
  }

private:
  Operation *root = nullptr;
  SmallVector<Operation *> stack;
  llvm::DenseMap<Operation *, size_t> position;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_WORKLIST_H
