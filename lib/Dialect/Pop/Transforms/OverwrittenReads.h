//===- OverwrittenReads.h - Reads of refs that are overwritten --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_OVERWRITTENREADS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_OVERWRITTENREADS_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// The ops of a block that may access a memory location, in their order.
class BlockAccesses {
public:
  BlockAccesses(Block &block, const ipu::GraphEffects &effects);

  /// Return whether an op after `first`, up to and including `last`, may write
  /// (read) the elements of `origin`, which is known.
  bool mayWrite(Operation *first, Operation *last, const ipu::RefOrigin &origin,
                const ipu::GraphEffects &effects) const;
  bool mayRead(Operation *first, Operation *last, const ipu::RefOrigin &origin,
               const ipu::GraphEffects &effects) const;

private:
  struct Access {
    unsigned number;
    Operation *op;
  };
  using AccessesOf = llvm::DenseMap<ipu::MemoryLocation, SmallVector<Access>>;
  bool mayAccess(ArrayRef<Access> accesses, unsigned first, unsigned last,
                 function_ref<bool(Operation *)> mayAccessOrigin) const;
  bool mayAccess(const AccessesOf &accessesOf, Operation *first,
                 Operation *last, const ipu::RefOrigin &origin,
                 function_ref<bool(Operation *)> mayAccessOrigin) const;

  llvm::DenseMap<Operation *, unsigned> numbers;
  AccessesOf readersOf, writersOf;
  /// `callers` contains calls and ops with calls. A table of all that they may
  /// access would be too large.
  SmallVector<Access> callers;
  /// `unknown` contains the ops that may access anything.
  SmallVector<Access> unknown;
};

/// Returns the op of the block of `tensor` that is, or contains, the last use
/// of `tensor`, or of a view or a scalar of it. Returns null if there is no
/// use. A use as a result of the block sets `isResult`, because its users are
/// elsewhere.
Operation *findLastUse(Value tensor, bool &isResult);

/// Returns the reads whose ref may change before the last use of the tensor
/// that was read, in the order of the program. This tensor needs storage of its
/// own. All other tensors that are read can share the storage of the ref.
SmallVector<ReadOp> findOverwrittenReads(ModuleOp module,
                                         const ipu::GraphEffects &effects);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_OVERWRITTENREADS_H
