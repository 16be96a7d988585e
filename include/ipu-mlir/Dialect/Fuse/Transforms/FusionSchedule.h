//===- FusionSchedule.h - The schedule of a fuse.fusion ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the ops of a fusion and their #fuse.schedule attributes into a
// Schedule, and writes a changed schedule back. All passes and transform ops
// that change schedules use this class, as in this example:
//
//   FailureOr<FusionSchedule> fusion = FusionSchedule::read(op);
//   std::optional<TensorId> tensor = fusion->getTensor(op);
//   return fusion->apply(fusion->schedule.split(*tensor, 1, 32), emitError);
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONSCHEDULE_H
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONSCHEDULE_H

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {

class FusionSchedule {
public:
  using EmitErrorFn = function_ref<InFlightDiagnostic()>;

  /// Reads `fusion`. If an op cannot be scheduled, or if its #fuse.schedule
  /// does not fit the op, emits an error at the op and fails.
  static FailureOr<FusionSchedule> read(FusionOp fusion);

  /// Sets the #fuse.schedule attributes of all ops. An op whose schedule is
  /// empty gets no attribute.
  void write();

  /// If `violation` is std::nullopt, writes the schedule. Otherwise, reports
  /// the violation and returns failure.
  LogicalResult apply(const MaybeViolation &violation, EmitErrorFn emitError);
  /// Emits the violation, with each note at the op of the note's tensor.
  /// Returns failure.
  LogicalResult report(const Violation &violation, EmitErrorFn emitError) const;

  /// Returns the op that computes `tensor`, or null if the tensor is an input.
  linalg::LinalgOp getOp(TensorId tensor) const { return ops[tensor]; }
  /// Return the tensor that `op` computes, or the tensor that corresponds to
  /// `value`. Return std::nullopt if the schedule has no such tensor. `value`
  /// may be a result of an op or a block argument of the fusion.
  std::optional<TensorId> getTensor(Operation *op) const;
  std::optional<TensorId> getTensor(Value value) const;

  /// Splits the reduction of `tensor` into two ops: a new op, `<name>.rf`,
  /// reduces only `axes` (indices of loops), and the op of the tensor reduces
  /// the partial values. Returns the tensor of the new op. The loops and
  /// positions of all tensors are kept. The fusion is written and read again,
  /// so all ids change. Both ops together replace the original op of
  /// `tensor`, and `listener` is notified of both.
  FailureOr<TensorId> rfactor(TensorId tensor, ArrayRef<int64_t> axes,
                              EmitErrorFn emitError,
                              OpBuilder::Listener *listener = nullptr);
  /// Clones the op of `tensor` with its schedule, and lets `consumers` use the
  /// clone. Returns the tensor of the clone, `<name>.clone`. The fusion is
  /// written and read again, so all ids change.
  TensorId clone(TensorId tensor, ArrayRef<TensorId> consumers);
  /// Removes `clone`. Its consumers use `original` instead.
  void eraseClone(TensorId clone, TensorId original);

  /// Inserts a copy op, `<name>.cache`, between an input and all its readers.
  /// The copy is a tensor with loops and a position, so that reads of the input
  /// can be scheduled. Returns the tensor of the copy. The fusion is written
  /// and read again, so all ids change.
  FailureOr<TensorId> cacheRead(TensorId input, EmitErrorFn emitError);

  FusionOp getFusion() const { return fusion; }
  /// The value of a symbol in the extents of the schedule: the size of
  /// dimension `dim` of `value`, which is a block argument of the fusion or a
  /// value in the fusion.
  struct Symbol {
    Value value;
    unsigned dim;
  };
  ArrayRef<Symbol> getSymbols() const { return symbols; }
  /// If the `outs` operand of a reduction is the result of a `linalg.fill`,
  /// returns the scalar with which the operand is filled. Otherwise, the
  /// accumulator starts from the elements of the `outs` operand, and the
  /// function returns null.
  Value getFillValue(TensorId tensor, unsigned result) const;

  Schedule schedule;

private:
  friend class FusionReader;

  explicit FusionSchedule(FusionOp fusion)
      : schedule(fusion.getContext()), fusion(fusion) {}

  /// Reads the fusion again after it was written. This cannot fail.
  void reread();

  FusionOp fusion;
  std::vector<linalg::LinalgOp> ops;
  llvm::MapVector<Operation *, TensorId> tensorOfOp;
  /// For each value, its tensor, and the number of the result of this tensor to
  /// which the value corresponds.
  llvm::DenseMap<Value, std::pair<TensorId, unsigned>> tensorOfValue;
  SmallVector<Symbol> symbols;
};

/// Returns whether `op` reads the elements of `operand`. For a destination
/// operand, this holds if the body uses the elements, or if `op` is a
/// reduction. (If a reduction combines no elements, its result is the initial
/// value, which is an element of the destination operand.)
bool isReadOperand(linalg::LinalgOp op, OpOperand &operand);

/// Creates an op that copies `input`, which is an input of `fusion` or a view
/// of an input. All schedule tensors that read `input` read the copy instead.
/// Returns the op.
linalg::GenericOp createCache(FusionOp fusion, Value input);

/// Returns the attribute `fuse.name` of `op`, or null if there is none.
StringAttr getTensorName(Operation *op);
/// Sets `fuse.name` of `op`, and of all later ops of the function that are
/// schedule tensors, to their default names. Ops that already have this
/// attribute keep their names. The default name of an op contains the index of
/// the op among the schedule tensors of the function. This index changes if a
/// schedule tensor is inserted before the op, but the attribute does not.
void pinTensorNames(Operation *op);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONSCHEDULE_H
