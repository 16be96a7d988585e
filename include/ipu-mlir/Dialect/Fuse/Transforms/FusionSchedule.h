//===- FusionSchedule.h - The schedule of a fuse.fusion ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the ops of a fusion and their #fuse.schedule attributes into a
// Schedule, and writes a changed schedule back. All passes and transform ops
// that schedule go through here:
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

  /// Fails, with a diagnostic at the op concerned, if an op of the fusion
  /// cannot be scheduled or an attribute does not fit its op.
  static FailureOr<FusionSchedule> read(FusionOp fusion);

  /// Sets the #fuse.schedule of all ops; removes those that say nothing.
  void write();

  /// Writes the schedule, or reports why the request that changed it failed.
  LogicalResult apply(const MaybeViolation &violation, EmitErrorFn emitError);
  /// Emits the violation with its notes, each at its op. Returns failure.
  LogicalResult report(const Violation &violation, EmitErrorFn emitError) const;

  /// The op of a tensor; null for inputs.
  linalg::LinalgOp getOp(TensorId tensor) const { return ops[tensor]; }
  /// The tensor of an op of the fusion, or of a block argument.
  std::optional<TensorId> getTensor(Operation *op) const;
  std::optional<TensorId> getTensor(Value value) const;

  /// Splits the reductions `axes` of the op off into an op of its own, before
  /// it, and returns that op's tensor (`<name>.rf`). Loops and positions carry
  /// over. Writes and reads anew: all ids change. `listener` hears which ops
  /// stand for the old one.
  FailureOr<TensorId> rfactor(TensorId tensor, ArrayRef<int64_t> axes,
                              EmitErrorFn emitError,
                              OpBuilder::Listener *listener = nullptr);
  /// Clones the op of `tensor` for the uses by `consumers`, with its schedule;
  /// returns the clone's tensor (`<name>.clone`). Writes and reads anew: all
  /// ids change.
  TensorId clone(TensorId tensor, ArrayRef<TensorId> consumers);
  /// Takes a clone back.
  void eraseClone(TensorId clone, TensorId original);

  /// Puts an op, `<name>.cache`, between an input and all that read it, so that
  /// reading the input has a tensor with loops and a position; returns that.
  /// Writes and reads anew: all ids change.
  FailureOr<TensorId> cacheRead(TensorId input, EmitErrorFn emitError);

  FusionOp getFusion() const { return fusion; }
  /// The value of symbol i of the schedule's extents: a dimension (`dim`) of a
  /// block argument or of a value in the fusion.
  struct Symbol {
    Value value;
    unsigned dim;
  };
  ArrayRef<Symbol> getSymbols() const { return symbols; }
  /// The initial value of a reduction: what `linalg.fill` sets, if its `outs`
  /// is that; null if the accumulator starts from the elements of `outs`.
  Value getFillValue(TensorId tensor, unsigned result) const;

  Schedule schedule;

private:
  friend class FusionReader;

  explicit FusionSchedule(FusionOp fusion)
      : schedule(fusion.getContext()), fusion(fusion) {}

  /// Reads what was written, which cannot fail.
  void reread();

  FusionOp fusion;
  std::vector<linalg::LinalgOp> ops;
  llvm::MapVector<Operation *, TensorId> tensorOfOp;
  /// Tensor and number of its result.
  llvm::DenseMap<Value, std::pair<TensorId, unsigned>> tensorOfValue;
  SmallVector<Symbol> symbols;
};

/// Whether the elements of `operand` are read: of a destination, those that the
/// body uses, or that a reduction starts from (a reduction of no elements is
/// what it starts from, whatever its body uses).
bool isReadOperand(linalg::LinalgOp op, OpOperand &operand);

/// An op that copies `input`, an input of a fusion or a view of one, for all
/// schedule tensors that read it.
linalg::GenericOp createCache(FusionOp fusion, Value input);

/// The name that `fuse.name` gives, or none.
StringAttr getTensorName(Operation *op);
/// Sets `fuse.name` of all tensors of the function at and after `op` that have
/// none, to what they are called now.
void pinTensorNames(Operation *op);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONSCHEDULE_H
