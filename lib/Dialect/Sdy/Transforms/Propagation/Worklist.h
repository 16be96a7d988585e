//===- Worklist.h - Worklist of ops -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stack of ops without duplicates. Ops are visited in the order of MLIR's
// greedy rewrite driver. If shardings conflict, the result of propagation
// depends on this order.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_WORKLIST_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_WORKLIST_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ipu::sdy {

class Worklist {
public:
  /// Creates an empty worklist for the ops inside of `root`, which are numbered
  /// in pre-order.
  explicit Worklist(Operation *root) : root(root) {
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == root)
        return;
      numberOfOp[op] = ops.size();
      ops.push_back(op);
    });
    waiting.resize(ops.size());
  }

  /// Adds all ops, such that the first op in program order is visited first.
  void fill() {
    stack.clear();
    for (size_t i = ops.size(); i-- > 0;)
      if (ops[i])
        stack.push_back(i);
    waiting.set();
  }

  /// Adds `op` and then the ops around it, except ops that are already in the
  /// list.
  void push(Operation *op) {
    for (; op && op != root; op = op->getParentOp()) {
      unsigned number = numberOfOp.lookup(op);
      if (waiting.test(number))
        continue;
      waiting.set(number);
      stack.push_back(number);
    }
  }

  /// Removes and returns the next op, or null if there is none.
  Operation *pop() {
    while (!stack.empty()) {
      unsigned number = stack.pop_back_val();
      if (!ops[number])
        continue;
      waiting.reset(number);
      return ops[number];
    }
    return nullptr;
  }

  void erase(Operation *op) {
    auto it = numberOfOp.find(op);
    ops[it->second] = nullptr;
    numberOfOp.erase(it);
  }

private:
  Operation *root;
  /// The ops by their numbers. Erased ops are null.
  SmallVector<Operation *, 0> ops;
  llvm::DenseMap<Operation *, unsigned> numberOfOp;
  llvm::BitVector waiting;
  SmallVector<unsigned, 0> stack;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_WORKLIST_H
