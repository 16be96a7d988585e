//===- JitContractions.h - Fast loops for reductions over vectors -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg.generic whose innermost loop is parallel and whose reductions run
// inside of it (matrix products, convolutions, pooling) is written with one
// lane of a vector for each position of the innermost loop. Reductions stay in
// their order, so that each lane does what the scalar loops do: the same bits.
//
// Of products of two operands, one of which moves with the lanes and the other
// with another parallel loop, the rows, large ones are packed: blocks of both
// operands are copied to where the innermost loop reads one element after the
// other, and accumulators of several rows and vectors stay in registers for a
// block of the reductions. Between two blocks they are in the output, which
// changes no bit.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCONTRACTIONS_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCONTRACTIONS_H

#include "../../Program/EngineCodelets.h"
#include "Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::ipu {

/// How an operand moves with the vector loop.
enum class LaneAccess { Same, Contiguous, Strided };

/// Writes a linalg.generic whose innermost loop is parallel and whose
/// reductions run inside of it.
class ContractionBuilder {
public:
  ContractionBuilder(linalg::GenericOp op, const JitTarget &target)
      : op(op), target(target), b(op.getLoc(), op) {}

  /// Whether the op has the form that build() wants.
  bool matches();
  /// Writes the loops before the op. They do what `fill` does, too, which is
  /// null or gives the output its values right before.
  void build(linalg::GenericOp fill);

private:
  bool matchesOperand(OpOperand &operand);
  bool matchesBody();

  void buildParallel(ArrayRef<unsigned> loops, function_ref<void()> inner);
  void buildVectors();
  void buildRows();
  void buildBlock(int64_t rows, Value firstRow);
  SmallVector<Value> buildReductions(unsigned next, int64_t rows,
                                     Value firstRow, ValueRange accumulators);
  SmallVector<Value> buildBody(int64_t rows, Value firstRow,
                               ValueRange accumulators);
  /// The op's body on vectors.
  Value buildElements(function_ref<Value(OpOperand &)> getInput,
                      Value accumulator);

  // Packed blocks.
  bool matchesPacked();
  void findLines();
  /// Finds what is known at run time of lines.
  void measureLines();
  /// Whether the op is large enough, at run time.
  Value isLarge();
  void buildPacked();
  /// Of lanes, rows and reductions, counted over all reduction loops.
  struct PackedBlock {
    Value lane, numLanes, row, numRows, reduction, numReductions;
  };
  /// The number of lanes that are packed together.
  Value getNumLanes() {
    return joinedLanes ? joinedLanes : getSize(vectorLoop);
  }
  /// Lanes from `lane` on, those of `used` alone, at the current positions of
  /// the reductions.
  Value gatherLanes(Value lane, Value used);
  void packPanel(Value lane, Value left, Value start, Value first, Value count,
                 bool isWhole);
  void packLanes(Value firstLane, Value numBlockLanes, Value first,
                 Value count);
  void packRows(Value firstRow, Value numBlockRows, Value first, Value count);
  void buildTiles(const PackedBlock &block);
  void buildTile(const PackedBlock &block, Value lane, Value numLanes,
                 Value row, Value numRows);
  SmallVector<Value> buildTileReductions(const PackedBlock &block, Value lane,
                                         Value row, ValueRange accumulators);
  /// Runs `inner` for `count` positions of the reductions, from number `first`
  /// on, with a number that starts from 0.
  void forEachReduction(Value first, Value count,
                        function_ref<void(Value)> inner);
  Value getScratch(Type element, int64_t byteOffset);

  Value getIndex(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value lhs, Value rhs) { return arith::AddIOp::create(b, lhs, rhs); }
  Value add(Value lhs, int64_t rhs) { return add(lhs, getIndex(rhs)); }
  Value multiply(Value lhs, Value rhs) {
    return arith::MulIOp::create(b, lhs, rhs);
  }
  Value multiply(Value lhs, int64_t rhs) {
    return multiply(lhs, getIndex(rhs));
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
    return arith::CmpIOp::create(b, predicate, lhs, getIndex(rhs));
  }
  Value getSize(unsigned loop) {
    return memref::DimOp::create(b, op->getOperand(ranges[loop].operand),
                                 ranges[loop].dim);
  }
  SmallVector<Value> getIndices(OpOperand &operand, Value lane = {});
  Value loadLanes(OpOperand &operand);
  Value loadStrided(OpOperand &operand);
  Value toVector(Value value);
  void setRow(Value firstRow, int64_t row);
  OpOperand &getOutput() { return *op.getDpsInitOperand(0); }

  linalg::GenericOp op;
  const JitTarget &target;
  ImplicitLocOpBuilder b;
  SmallVector<LoopRange> ranges;
  SmallVector<unsigned> parallel, reductions;
  std::vector<LaneAccess> accesses;
  unsigned vectorLoop = 0;
  /// The loop that is blocked, or -1.
  int64_t rowLoop = -1;
  int64_t lanes = 0;
  /// What accumulators start from, if they are not in the output.
  Value initial;
  /// Positions of all loops.
  SmallVector<Value> positions;
  /// If only some lanes are in use: which, and the last position there is.
  Value mask, lastPosition;

  // Packed blocks.
  OpOperand *lanesOperand = nullptr, *rowsOperand = nullptr;
  unsigned packedRowLoop = 0;
  /// A loop whose positions are lines of lanes next to each other, or -1. Where
  /// the output has no gaps between lines, its lanes are joined.
  int64_t lineLoop = -1;
  /// Lanes that are joined, lines that are passed over at a time, and how far
  /// the operand moves with a line and with a lane.
  Value joinedLanes, lineStep, lineStride, laneStride;
  /// Whether the lines of the operand are next to each other in memory.
  Value isDense;
  /// The first line of those that are joined.
  Value firstLine;
  Value packedLanes, packedRows;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCONTRACTIONS_H
