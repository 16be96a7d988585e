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

  /// Fails, with a diagnostic at the op, if an op of the fusion cannot be
  /// scheduled or if an attribute does not fit its op.
  static FailureOr<FusionSchedule> read(FusionOp fusion);

  /// Sets the #fuse.schedule of all ops, and removes attributes that are empty.
  void write();

  /// Writes the schedule, or reports why the request that changed it was
  /// refused.
  LogicalResult apply(const MaybeViolation &violation, EmitErrorFn emitError);
  /// Emits the violation with its notes, each at its op. Returns failure.
  LogicalResult report(const Violation &violation, EmitErrorFn emitError) const;

  /// Returns the op of a tensor, or null for inputs.
  linalg::LinalgOp getOp(TensorId tensor) const { return ops[tensor]; }
  /// Returns the tensor of an op of the fusion, or of a block argument.
  std::optional<TensorId> getTensor(Operation *op) const;
  std::optional<TensorId> getTensor(Value value) const;

  /// Splits the reductions `axes` of the op off into a separate op before it,
  /// and returns the tensor of this new op (`<name>.rf`). Loops and positions
  /// are transferred. The fusion is written and read again, so all ids change.
  /// `listener` is notified of the ops that replace the old op.
  FailureOr<TensorId> rfactor(TensorId tensor, ArrayRef<int64_t> axes,
                              EmitErrorFn emitError,
                              OpBuilder::Listener *listener = nullptr);
  /// Clones the op of `tensor`, with its schedule, for the uses by `consumers`,
  /// and returns the tensor of the clone (`<name>.clone`). The fusion is
  /// written and read again, so all ids change.
  TensorId clone(TensorId tensor, ArrayRef<TensorId> consumers);
  /// Removes a clone, and restores the original for its consumers.
  void eraseClone(TensorId clone, TensorId original);

  /// Inserts an op, `<name>.cache`, between an input and all its readers, so
  /// that the read of the input has a tensor with loops and a position. Returns
  /// this tensor. The fusion is written and read again, so all ids change.
  FailureOr<TensorId> cacheRead(TensorId input, EmitErrorFn emitError);

  FusionOp getFusion() const { return fusion; }
  /// The value of symbol i of the schedule's extents: dimension `dim` of a
  /// block argument or of a value in the fusion.
  struct Symbol {
    Value value;
    unsigned dim;
  };
  ArrayRef<Symbol> getSymbols() const { return symbols; }
  /// Returns the initial value of a reduction if the `outs` operand is a
  /// `linalg.fill`, or null if the accumulator starts from the elements of
  /// `outs`.
  Value getFillValue(TensorId tensor, unsigned result) const;

  Schedule schedule;

private:
  friend class FusionReader;

  explicit FusionSchedule(FusionOp fusion)
      : schedule(fusion.getContext()), fusion(fusion) {}

  /// Reads the fusion that was just written. This cannot fail.
  void reread();

  FusionOp fusion;
  std::vector<linalg::LinalgOp> ops;
  llvm::MapVector<Operation *, TensorId> tensorOfOp;
  /// The tensor of a value, and the number of the result.
  llvm::DenseMap<Value, std::pair<TensorId, unsigned>> tensorOfValue;
  SmallVector<Symbol> symbols;
};

/// Returns whether the elements of `operand` are read. For a destination:
/// whether the body uses them, or a reduction has them as initial value. (The
/// result of a reduction of no elements is its initial value, whatever its body
/// uses.)
bool isReadOperand(linalg::LinalgOp op, OpOperand &operand);

/// Returns an op that copies `input`, an input of a fusion or a view of one,
/// for all schedule tensors that read it.
linalg::GenericOp createCache(FusionOp fusion, Value input);

/// Returns the name in the attribute `fuse.name`, or none.
StringAttr getTensorName(Operation *op);
/// Sets `fuse.name`, at and after `op`, of all tensors of the function that do
/// not have it, to their present names.
void pinTensorNames(Operation *op);

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_FUSIONSCHEDULE_H
