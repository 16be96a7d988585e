//===- BatchAxes.h - Batch axes of tensors ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the batch axes of tensors by data flow, and the ops that can process a
// batch in parts. The sharding rules of ops say how axes flow: if a factor that
// no reduction needs connects the batch axis of an operand with dimensions of
// results, then these dimensions are the batch axes of the results. The axis of
// a tensor may be any dimension. If a reshape merges dimensions, the batch is
// the outermost part of the merged dimension, so that each part of the batch is
// one slice.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BATCHAXES_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BATCHAXES_H

#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::pop {

/// An op that processes each part of a batch apart, and so computes the same
/// bits.
struct BatchOp {
  /// The dimension of a tensor that each part has as a whole.
  static constexpr int64_t kWhole = -1;

  /// The dimension of each operand and of each result that is divided into
  /// parts, or kWhole.
  SmallVector<int64_t, 3> operandDims;
  SmallVector<int64_t, 1> resultDims;
  /// This flag is set if the op sums over the batch. The sum of each part then
  /// continues the sum of the parts before.
  bool isSum = false;
};

/// Returns the type of one of `numParts` parts of a tensor along dimension
/// `dim`, or the type of the tensor if `dim` is BatchOp::kWhole.
RankedTensorType getPartType(Type type, int64_t dim, int64_t numParts);

/// Clones `op` for one part of a batch. `operands` are parts of the operands.
Operation *clonePart(OpBuilder &b, Operation *op, const BatchOp &batchOp,
                     ValueRange operands, int64_t numParts);

/// The batch axes of the tensors of a module, and the ops that can process the
/// batch in parts. Axes do not flow into regions, out of regions or through
/// calls.
class BatchAxes {
public:
  /// `numParts` is the number of parts into which each batch is divided. Copies
  /// between placements process parts only if `dividesCopies` is set.
  BatchAxes(ModuleOp module, int64_t numParts, bool dividesCopies);

  /// Finds the axes, from the marks `pop.batch_axis`. If the module has no
  /// marks, finds them from dimension `axis` of the inputs of the main
  /// function. Emits an error and fails if axes contradict each other, or if
  /// `numParts` does not divide a batch.
  LogicalResult compute(int64_t axis);

  /// Returns how `op` processes the parts of a batch, or null if it needs the
  /// whole batch or has none.
  const BatchOp *lookup(Operation *op) const {
    auto it = batchOps.find(op);
    return it == batchOps.end() ? nullptr : &it->second;
  }
  /// Returns the number of ops that need the whole batch, although it is
  /// computed in parts.
  int64_t getNumWholeOps() const { return numWholeOps; }
  /// Returns the number of ops that process the parts of a batch.
  int64_t getNumBatchOps() const { return batchOps.size(); }

private:
  LogicalResult computeMarked(FunctionOpInterface function);
  LogicalResult computeInputs(int64_t axis);
  LogicalResult setInput(Value value, int64_t axis, Operation *reporter);
  LogicalResult visit(Block &block);
  LogicalResult visit(Operation *op);
  /// Returns the batch axis of `operand`, or kWhole if it has none.
  int64_t getAxis(OpOperand &operand) const;
  FailureOr<std::optional<unsigned>>
  findFactor(Operation *op, const ipu::sharding::Rule &rule) const;
  std::optional<BatchOp> findBatchOp(Operation *op,
                                     const ipu::sharding::Rule &rule,
                                     unsigned factor) const;
  bool isApplicableToParts(Operation *op) const;

  ModuleOp module;
  int64_t numParts;
  bool dividesCopies;
  bool roundsStochastically;
  llvm::DenseMap<Value, int64_t> axes;
  llvm::DenseMap<Operation *, BatchOp> batchOps;
  int64_t numWholeOps = 0;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BATCHAXES_H
