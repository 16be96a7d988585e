//===- HoistedOps.h - Ops that are executed earlier -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_HOISTEDOPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_HOISTEDOPS_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {

/// The ops with effects of each block, by the memory locations that they read
/// or write.
///
/// GraphEffects keeps a summary for each op, so that the memory of an erased op
/// must not be used again for another op. Erased ops are therefore only deleted
/// together with this object.
class EffectfulOps {
public:
  explicit EffectfulOps(const ipu::GraphEffects &effects) : effects(effects) {}
  ~EffectfulOps();

  const ipu::GraphEffects &getEffects() const { return effects; }
  /// Returns the ops of `block`, in any order, whose effects may conflict with
  /// an effect on `location`.
  SmallVector<Operation *> getOpsOf(Block &block,
                                    const ipu::MemoryLocation &location);
  /// Returns all ops of `block` with effects, in any order.
  SmallVector<Operation *> getOps(Block &block);
  /// Erases `op`, whose results have no uses.
  void erase(Operation *op);
  /// Adds ops that were created in `block`.
  void add(Block &block, ArrayRef<Operation *> created);

private:
  struct OpsOfBlock {
    llvm::DenseMap<ipu::MemoryLocation, SmallVector<Operation *, 2>>
        ofLocations;
    /// Calls, whose locations may be many, and ops with unknown effects.
    SmallVector<Operation *> others;
    SmallVector<Operation *> all;
  };

  OpsOfBlock &getOpsOfBlock(Block &block);
  void add(OpsOfBlock &ops, Operation *op);

  const ipu::GraphEffects &effects;
  llvm::DenseMap<Block *, OpsOfBlock> ofBlocks;
  llvm::SetVector<Operation *> erased;
};

/// A set of ops of one block that are to be executed directly after an earlier
/// op, and the ops between them that have to be executed before them.
class HoistedOps {
public:
  /// `ops` are after `position` and in the order of the program.
  HoistedOps(Operation *position, ArrayRef<Operation *> ops,
             EffectfulOps &effectful)
      : position(position), block(position->getBlock()), ops(ops),
        set(ops.begin(), ops.end()), effectful(effectful) {}

  /// Finds the ops that have to be executed before the set: ops whose results
  /// or effects the set needs, and ops that use what the set overwrites, so
  /// that it needs no copy. Returns false if one of them depends on the set.
  bool findEarlierOps();
  /// Moves the ops that were found to positions before `position`. Their order
  /// does not change.
  void moveEarlierOps();

private:
  bool require(Operation *op);
  bool requireOperands();
  bool requireReaders();
  bool requireReadersOf(ReadOp read);
  bool requireConflictingOps();
  bool conflictsWithOpsBefore(Operation *op) const;
  void addEffects(Operation *op, Operation *before);
  void visitLater(Operation *op, Operation *before);
  Operation *getLast() const { return ops.back(); }

  Operation *position;
  Block *block;
  SmallVector<Operation *> ops;
  llvm::DenseSet<Operation *> set;
  EffectfulOps &effectful;
  llvm::DenseSet<Operation *> earlier;
  /// The effects of the set and of the earlier ops that were visited.
  ipu::EffectSummary summary;
  /// A heap of the ops whose effects may conflict with `summary`. The last op
  /// of the program is visited first.
  SmallVector<Operation *> unvisited;
  llvm::DenseSet<Operation *> seen;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_HOISTEDOPS_H
