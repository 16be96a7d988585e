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

/// How an operand moves with the vector loop.
enum class LaneAccess { Same, Contiguous, Strided };

/// Writes a linalg.generic whose innermost loop is parallel and whose
/// reductions run inside of it.
class ContractionBuilder {
public:
  ContractionBuilder(linalg::GenericOp op, const JitTarget &target)
      : op(op), target(target), b(op.getLoc(), op) {}
  /// `op` adds up partial sums: each position of the reduction loops `sumLoops`
  /// has one, which `sum`, whose input it is, adds to the output.
  ContractionBuilder(linalg::GenericOp op, linalg::GenericOp sum,
                     ArrayRef<unsigned> sumLoops, const JitTarget &target)
      : op(op), sum(sum), target(target), b(op.getLoc(), op),
        sumLoops(sumLoops) {}

  /// Whether the op has the form that build() wants.
  bool matches();
  /// Writes the loops before the op. They do what `fill` does, too, which is
  /// null or gives the output its values right before, and `sumFill`, which
  /// does so for the output of partial sums.
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

  // Packed blocks.
  /// An operand of a product, and the parallel loops that move it alone: their
  /// positions are numbered in a row, the innermost loop fastest. A panel has
  /// `width` of these for each reduction.
  struct PackedSide {
    OpOperand *operand = nullptr;
    SmallVector<unsigned> loops;
    int64_t width = 0, vectorSize = 0;
    /// What an element is when it is packed.
    Type element;
    /// The operand's memory, and that of panels.
    Value source, packed;
    /// Of the block's positions: where they are in the operand, and in the
    /// output. Of the region's reductions: where they are in the operand in
    /// their order, where in the order of memory, and which they are in that.
    Value offsets, outputs, reductions, inMemory, numbers;
    /// How far a loop moves the operand.
    SmallVector<Value> strides;
    /// Of `loops`: how often each runs, and how far it moves the operand and
    /// the output.
    SmallVector<Value> loopSizes, loopStrides, loopOutputs;
    /// Reductions that are next to each other in the operand.
    Value run;
    /// How many positions there are, and the most of a block.
    Value size, block;
  };
  /// A table to fill: how far each loop moves what is in it.
  struct OffsetTable {
    Value table;
    SmallVector<Value> strides;
  };

  /// Calls `inner` in a loop over blocks of at most `step`, with the start and
  /// the size of each.
  void forEachBlock(Value size, Value step,
                    function_ref<void(Value first, Value count)> inner);
  void forEach(Value size, function_ref<void(Value position)> inner);
  /// Calls one of two functions at run time.
  void choose(Value condition, function_ref<void()> then,
              function_ref<void()> otherwise = nullptr);

  bool matchesPacked();
  void findSharedLoop();
  /// Whether the op is large enough, at run time.
  Value isLarge();
  void buildPacked();
  void preparePacked(PackedSide &side, int64_t &scratch, int64_t bytes);
  SmallVector<Value> getBoxSteps();
  bool canExchangeSides();
  void exchangeSides();
  /// How many positions of loops are next to each other.
  Value getRun(ArrayRef<Value> sizes, ArrayRef<Value> strides);
  /// Calls `inner` for regions of reductions in their order, at positions of
  /// the shared loop.
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
  /// Of lanes and rows in the block, and of the reductions in the region.
  struct PackedBlock {
    Value numLanes, numRows, reduction, numReductions;
    /// Whether these are the first ones of an output.
    Value isFirst;
    /// How many partial sums there are of so many reductions each.
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
  /// Whether the positions whose offsets begin at `first` are next to each
  /// other.
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
  /// The loop that is blocked, or -1.
  int64_t rowLoop = -1;
  int64_t lanes = 0;
  /// What accumulators, and sums of them, start from, if that is not in the
  /// output.
  Value initial, sumInitial;
  /// Sizes of loops that joinLanes() changed.
  llvm::SmallDenseMap<unsigned, Value> joinedSizes;
  /// Positions of all loops.
  SmallVector<Value> positions;
  /// If only some lanes are in use: which, and the last position there is.
  Value mask, lastPosition;

  // Packed blocks.
  PackedSide rowSide, laneSide;
  /// Loops that move both operands, or neither.
  SmallVector<unsigned> outer;
  /// Reductions, after the loop of `outer`, or -1, whose reductions are packed
  /// together.
  SmallVector<unsigned> boxLoops;
  int64_t sharedLoop = -1;
  /// The output's memory, accumulators of a tile that is not stored as it is,
  /// and how far loops move the output.
  Value output, tile;
  SmallVector<Value> outputStrides;
  /// Where operands and the output begin, at the current positions.
  Value rowStart, laneStart, outputStart;
  /// Sizes of the loops in the region.
  SmallVector<Value> boxSizes;
  Value boxSize, isFirstBox, isOnlyBox;
  /// The loop over the reductions of a tile.
  Operation *tileLoop = nullptr;
  /// Whether all loops that move both operands, or neither, begin, and whether
  /// those over partial sums do.
  Value isFirstPosition, isFirstSum;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCONTRACTIONS_H
