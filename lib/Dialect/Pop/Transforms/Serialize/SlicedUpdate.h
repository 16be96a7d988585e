//===- SlicedUpdate.h - Updates of refs by parts of a tensor ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the ops that update refs by a tensor, such as the update of a weight by
// its gradient, and replaces them by updates of slices of the refs. The tensor
// then need not exist as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_SLICEDUPDATE_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_SLICEDUPDATE_H

#include "HoistedOps.h"
#include "MatmulDivision.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pop {

/// The ops that depend on the result of an op, `source`, up to ops that write
/// refs. Each element of the refs depends on one element of the result, so that
/// the ops can be executed for one slice of the result after the other.
class SlicedUpdate {
public:
  /// Returns the update by the result of `source`, divided along dimension
  /// `axis`. Returns std::nullopt if the result has other uses, if it cannot be
  /// divided, or if the ops cannot be executed directly after `source`.
  static std::optional<SlicedUpdate> find(Operation *source, int64_t axis,
                                          EffectfulOps &effectful);

  /// Moves the ops that have to be executed before the update to positions
  /// before `source`.
  void prepare();
  /// Builds the update by the elements `range`, where `part` is the slice of
  /// the result of `source` that has these elements.
  void build(OpBuilder &b, PartRange range, Value part);
  /// Erases `source` and the update by its whole result.
  void finish();

private:
  SlicedUpdate(Operation *source, EffectfulOps &effectful)
      : source(source), effectful(effectful) {}

  bool findOps(int64_t axis);
  bool addUser(Operation *op, Value value, SmallVectorImpl<Value> &worklist);
  bool writesAlongOneAxis() const;
  bool isDivided(Value value) const { return axes.contains(value); }
  bool canReadAgain(ReadOp read, int64_t axis) const;
  Value getSlice(PopBuilder &b, Value value, int64_t axis, PartRange range);
  Value getOperand(PopBuilder &b, Operation *op, Value operand,
                   PartRange range);

  Operation *source;
  EffectfulOps &effectful;
  std::optional<HoistedOps> hoisted;
  /// The first op that is created is after this op. It is null if it is the
  /// first op of the block.
  Operation *previous = nullptr;
  /// Maps each op of the update to the dimension along which it is divided, in
  /// the order of the program.
  llvm::MapVector<Operation *, int64_t> ops;
  /// Maps each tensor that depends on the result of `source` to the dimension
  /// along which it is divided.
  llvm::DenseMap<Value, int64_t> axes;
  /// The slices, of values and dimensions, that the current part uses.
  llvm::DenseMap<std::pair<Value, int64_t>, Value> slices;
  /// The slices of tensors that depend on the result of `source`.
  llvm::DenseMap<Value, Value> parts;
  /// Results of the ops that are not divided, such as the number of updates of
  /// an optimizer, and the equal results of the first part.
  llvm::MapVector<Value, Value> scalars;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_SLICEDUPDATE_H
