//===- JitContractions.h - Vectors of contractions --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg.generic with reductions (matrix products, convolutions, pooling) is
// emitted with one lane of a vector for each position of the parallel loop that
// indexes the output's last dimension. The order of reductions does not change,
// so each lane computes the bits of the scalar loops.
//
// In large products of two operands, one operand depends on the lanes and the
// other on other parallel loops, the rows. These products are packed: blocks of
// both operands are copied so that the innermost loop reads consecutive
// elements, and accumulators of several rows and vectors stay in registers for
// a block of the reductions. Between two blocks they are in the output, which
// changes no bit.
//
// If all readers of a contraction's output add partial sums of it, both ops are
// emitted as one, and partial sums stay in registers.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCONTRACTIONS_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCONTRACTIONS_H

#include "../../Program/EngineCodelets.h"
#include "Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::ipu {

/// The number of vectors of lanes in a tile of a packed contraction.
constexpr int64_t kTileVectors = 2;

/// How the vector loop moves an operand.
enum class LaneAccess { Same, Contiguous, Strided };

/// Emits loops for a linalg.generic whose innermost loop is parallel and
/// contains its reductions.
class ContractionBuilder {
public:
  ContractionBuilder(linalg::GenericOp op, const JitTarget &target)
      : op(op), target(target), b(op.getLoc(), op) {}
  /// `op` computes partial sums: each position of the reduction loops
  /// `sumLoops` has one. `sum`, whose input is the output of `op`, adds them to
  /// its own output.
  ContractionBuilder(linalg::GenericOp op, linalg::GenericOp sum,
                     ArrayRef<unsigned> sumLoops, const JitTarget &target)
      : op(op), sum(sum), target(target), b(op.getLoc(), op),
        sumLoops(sumLoops) {}

  /// Whether the op has the form that build() requires.
  bool matches();
  /// Emits the loops before the op. They also do the work of `fill`, which is
  /// null or sets the values of the output directly before, and of `sumFill`,
  /// which does this for the output of partial sums.
  void build(linalg::GenericOp fill, linalg::GenericOp sumFill = {});

private:
  bool matchesOperand(OpOperand &operand);

  Value takeInitial(linalg::GenericOp fill);
  void joinLanes();
  void buildParallel(ArrayRef<unsigned> loops, function_ref<void()> inner);
  void buildVectors();
  void buildRows();
  void buildBlock(int64_t rows, Value firstRow);
  SmallVector<Value> buildSums(unsigned next, int64_t rows, Value firstRow,
                               ValueRange totals);
  SmallVector<Value>
  buildLoop(unsigned loop, ValueRange values,
            function_ref<SmallVector<Value>(ValueRange)> inner);
  SmallVector<Value> buildReductions(unsigned next, int64_t rows,
                                     Value firstRow, ValueRange accumulators);
  SmallVector<Value> buildBody(int64_t rows, Value firstRow,
                               ValueRange accumulators);
  /// The body of `generic` on vectors.
  Value buildElements(linalg::GenericOp generic,
                      function_ref<Value(OpOperand &)> getInput,
                      Value accumulator);
  Value addPartial(Value total, Value partial);

  // Packed blocks. An operand of a product, and the parallel loops that move it
  // alone. The positions of these loops are numbered in a row, the innermost
  // loop fastest. A panel has `width` of these positions for each reduction.
  struct PackedSide {
    OpOperand *operand = nullptr;
    SmallVector<unsigned> loops;
    int64_t width = 0, vectorSize = 0;
    /// The type of an element after packing.
    Type element;
    /// The memory of the operand, and of the panels.
    Value source, packed;
    /// Tables. For the positions of the block: their offsets in the operand,
    /// and in the output. For the reductions of the region: their offsets in
    /// the operand in the order of reductions, the offsets in the order of
    /// memory, and their numbers in that order.
    Value offsets, outputs, reductions, inMemory, numbers;
    /// The distance by which each loop moves the operand.
    SmallVector<Value> strides;
    /// For each of `loops`: its size, and the distances by which it moves the
    /// operand and the output.
    SmallVector<Value> loopSizes, loopStrides, loopOutputs;
    /// The number of reductions that are contiguous in the operand.
    Value run;
    /// The number of positions, and the greatest number of positions of a
    /// block.
    Value size, block;
  };
  /// A table to fill, and the distance by which each loop moves its entries.
  struct OffsetTable {
    Value table;
    SmallVector<Value> strides;
  };

  /// Calls `inner` in a loop over blocks of at most `step` positions, with the
  /// start and the size of each block.
  void forEachBlock(Value size, Value step,
                    function_ref<void(Value first, Value count)> inner);
  void forEach(Value size, function_ref<void(Value position)> inner);
  /// Calls one of two functions at run time.
  void choose(Value condition, function_ref<void()> then,
              function_ref<void()> otherwise = nullptr);

  bool matchesPacked();
  void findSharedLoop();
  /// Whether the op is large enough, computed at run time.
  Value isLarge();
  void buildPacked();
  void preparePacked(PackedSide &side, int64_t &scratch, int64_t bytes);
  SmallVector<Value> getBoxSteps();
  bool canExchangeSides();
  void exchangeSides();
  /// The number of contiguous positions of loops.
  Value getRun(ArrayRef<Value> sizes, ArrayRef<Value> strides);
  /// Calls `inner` for regions of reductions in order, at positions of the
  /// shared loop.
  void forEachBox(unsigned next, ArrayRef<Value> steps,
                  function_ref<void()> inner);
  void buildBox();
  void fillTables(ArrayRef<Value> sizes, Value first, Value count, Value padded,
                  ArrayRef<OffsetTable> tables);
  SmallVector<unsigned> getMemoryOrder(PackedSide &side);
  void fillReductions(PackedSide &side);
  void fillPositions(PackedSide &side, Value first, Value count);
  void pack(PackedSide &side, Value count);
  Value packElements(PackedSide &side, Value elements);
  void prefetch(PackedSide &side, Value at, int64_t locality);
  Value spreadMask(Value mask, int64_t distance, int64_t part);
  void packTransposed(PackedSide &side, Value position, Value start);
  SmallVector<Value> transpose(SmallVector<Value> vectors);
  /// The lanes and rows of the block, and the reductions of the region.
  struct PackedBlock {
    Value numLanes, numRows, reduction, numReductions;
    /// Whether these are the first reductions of an output.
    Value isFirst;
    /// The number of partial sums with so many reductions each.
    Value numSums = {};
  };
  void buildSumTiles(Value numLanes, Value numRows, Value chain);
  void buildTiles(const PackedBlock &block);
  void buildTile(const PackedBlock &block, Value lane, Value row,
                 Value isContiguous);
  void copyTile(const PackedBlock &block, Value lane, Value row, bool isLoad);
  SmallVector<Value> buildTileSums(const PackedBlock &block, Value lane,
                                   Value row, ValueRange totals);
  SmallVector<Value> buildTileReductions(const PackedBlock &block, Value lane,
                                         Value row, ValueRange accumulators);
  /// Whether the positions whose offsets begin at `first` are contiguous.
  Value areContiguous(Value table, Value first, int64_t size);
  Value getScratch(Type element, int64_t byteOffset);
  Value getFlat(OpOperand &operand);
  SmallVector<Value> getStrides(OpOperand &operand, Value &offset);
  Value loadIndex(Value table, Value at);

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
    if (Value size = joinedSizes.lookup(loop))
      return size;
    return memref::DimOp::create(b, op->getOperand(ranges[loop].operand),
                                 ranges[loop].dim);
  }
  SmallVector<Value> getIndices(OpOperand &operand, Value lane = {});
  Value loadLanes(OpOperand &operand);
  Value getStride(OpOperand &operand, ValueRange strides, unsigned loop);
  Value loadStrided(OpOperand &operand);
  Value toVector(Value value);
  void setRow(Value firstRow, int64_t row);
  OpOperand &getOutput() { return *op.getDpsInitOperand(0); }

  linalg::GenericOp op, sum;
  const JitTarget &target;
  ImplicitLocOpBuilder b;
  SmallVector<LoopRange> ranges;
  /// Loops over partial sums are neither parallel nor reductions.
  SmallVector<unsigned> parallel, reductions, sumLoops;
  std::vector<LaneAccess> accesses;
  unsigned vectorLoop = 0;
  /// The loop that is divided into blocks, or -1.
  int64_t rowLoop = -1;
  int64_t lanes = 0;
  /// The initial values of accumulators, and of their sums, if they are not in
  /// the output.
  Value initial, sumInitial;
  /// Sizes of loops that joinLanes() changed.
  llvm::SmallDenseMap<unsigned, Value> joinedSizes;
  /// The positions of all loops.
  SmallVector<Value> positions;
  /// If only some lanes are used: the mask of these lanes, and the last valid
  /// position.
  Value mask, lastPosition;

  // Packed blocks.
  PackedSide rowSide, laneSide;
  /// Loops that move both operands, or neither.
  SmallVector<unsigned> outer;
  /// The reductions that are packed together: those after a loop of `outer`,
  /// which may be -1.
  SmallVector<unsigned> boxLoops;
  int64_t sharedLoop = -1;
  /// The memory of the output, the accumulators of a tile that is not stored
  /// unchanged, and the distances by which loops move the output.
  Value output, tile;
  SmallVector<Value> outputStrides;
  /// The starts of the operands and of the output at the current positions.
  Value rowStart, laneStart, outputStart;
  /// The sizes of the loops in the region.
  SmallVector<Value> boxSizes;
  Value boxSize, isFirstBox, isOnlyBox;
  /// The loop over the reductions of a tile.
  Operation *tileLoop = nullptr;
  /// Whether all loops that move both operands, or neither, are at their first
  /// position; and whether the loops over partial sums are.
  Value isFirstPosition, isFirstSum;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCONTRACTIONS_H
