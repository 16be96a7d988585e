//===- JitContractions.h - Vectors of contractions --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is a linalg.generic with reductions: a matrix product, a
// convolution or a pooling. The emitted code vectorizes the parallel loop that
// indexes the last dimension of the output: each lane of a vector computes one
// iteration of this loop. The order of reductions does not change, so each lane
// computes the same bits as the scalar loops.
//
// In a large product of two operands, one operand depends on the lanes, and the
// other operand depends on other parallel loops, which are called rows. These
// products are packed. Blocks of both operands are copied so that the innermost
// loop reads consecutive elements. The accumulators of several rows and vectors
// stay in registers while a block of the reductions is computed. Between two
// such blocks, the accumulators are stored in the output, which changes no bit.
//
// If only one op reads the output of a contraction, and this op adds the
// output's elements as partial sums, both ops are emitted together. The partial
// sums then stay in registers.
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

/// How the element of an operand changes from one lane to the next.
enum class LaneAccess { Same, Contiguous, Strided };

/// Emits loops for a linalg.generic whose innermost loop is parallel. The
/// reduction loops become the innermost emitted loops.
class ContractionBuilder {
public:
  ContractionBuilder(linalg::GenericOp op, const JitTarget &target)
      : op(op), target(target), b(op.getLoc(), op) {}
  /// Creates a builder for two ops. `op` computes a partial sum in each
  /// iteration of the reduction loops `sumLoops`. `sum`, whose input is the
  /// output of `op`, adds the partial sums to its own output.
  ContractionBuilder(linalg::GenericOp op, linalg::GenericOp sum,
                     ArrayRef<unsigned> sumLoops, const JitTarget &target)
      : op(op), sum(sum), target(target), b(op.getLoc(), op),
        sumLoops(sumLoops) {}

  /// Returns whether the op has the form that build() requires.
  bool matches();
  /// Emits the loops before `op`. They also do the work of `fill` and of
  /// `sumFill`. `fill` is null or the op that findFill() returns for `op`.
  /// `sumFill` is null or the op that findFill() returns for `sum`.
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
  /// Emits the body of `generic` on vectors, and returns its result.
  Value buildElements(linalg::GenericOp generic,
                      function_ref<Value(OpOperand &)> getInput,
                      Value accumulator);
  Value addPartial(Value total, Value partial);

  // Packed blocks.
  //
  // An operand of a packed product, and the parallel loops on which only this
  // operand depends. The iterations of these loops, called positions, are
  // numbered consecutively; the innermost loop varies fastest. A reduction is
  // one iteration of the reduction loops. A panel contains the elements of
  // `width` positions for each reduction.
  struct PackedSide {
    OpOperand *operand = nullptr;
    SmallVector<unsigned> loops;
    int64_t width = 0, vectorSize = 0;
    /// The type of an element of the operand after packing.
    Type element;
    /// The memory of the operand, and the memory of its panels.
    Value source, packed;
    /// Tables. For each position of the current block, `offsets` contains its
    /// offset in the operand, and `outputs` its offset in the output. For each
    /// reduction of the current region of reductions, `reductions` contains its
    /// offset in the operand. `inMemory` contains these offsets in the order of
    /// the operand's memory, and `numbers` contains the numbers of the
    /// reductions in that order.
    Value offsets, outputs, reductions, inMemory, numbers;
    /// For each loop of the op, the distance in the operand between consecutive
    /// iterations.
    SmallVector<Value> strides;
    /// For each of `loops`: its size, and the distances between consecutive
    /// iterations in the operand and in the output.
    SmallVector<Value> loopSizes, loopStrides, loopOutputs;
    /// The number of consecutive reductions that are contiguous in the operand.
    Value run;
    /// The number of all positions, and the maximum number of positions of a
    /// block.
    Value size, block;
  };
  /// A table to fill, and, for each loop, the difference between the entries of
  /// consecutive iterations.
  struct OffsetTable {
    Value table;
    SmallVector<Value> strides;
  };

  /// Emits a loop over blocks of [0, size) with at most `step` positions each.
  /// `inner` emits the body, and gets the start and the size of the block.
  void forEachBlock(Value size, Value step,
                    function_ref<void(Value first, Value count)> inner);
  void forEach(Value size, function_ref<void(Value position)> inner);
  /// Emits an scf.if that executes the ops that one of two functions emits.
  void choose(Value condition, function_ref<void()> then,
              function_ref<void()> otherwise = nullptr);

  bool matchesPacked();
  void findSharedLoop();
  Value getRunInOutput(PackedSide &side);
  /// Emits ops that compute whether the op is large enough for packing.
  Value isLarge();
  void buildPacked();
  void preparePacked(PackedSide &side, int64_t &scratch, int64_t bytes);
  SmallVector<Value> getRegionSteps();
  bool canExchangeSides();
  void exchangeSides();
  /// Emits ops that compute the number of contiguous positions of loops with
  /// these sizes and strides.
  Value getRun(ArrayRef<Value> sizes, ArrayRef<Value> strides);
  /// Emits loops over regions of reductions, in order. A region consists of a
  /// range of each of `regionLoops`. `inner` emits the body.
  void forEachRegion(unsigned next, ArrayRef<Value> steps,
                     function_ref<void()> inner);
  void buildRegion();
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
  /// A block of lanes, rows and reductions: the numbers of its lanes and rows,
  /// its first reduction, and the number of its reductions.
  struct PackedBlock {
    Value numLanes, numRows, reduction, numReductions;
    /// Whether the block contains the first reductions of its outputs.
    Value isFirst;
    /// For partial sums: the number of partial sums in the block. Each of them
    /// has `numReductions` reductions.
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
  /// Emits ops that compute whether `size` offsets in `table`, from entry
  /// `first` on, are contiguous.
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
  /// The loops of the op by kind. `sumLoops` are neither in `parallel` nor in
  /// `reductions`.
  SmallVector<unsigned> parallel, reductions, sumLoops;
  std::vector<LaneAccess> accesses;
  unsigned vectorLoop = 0;
  /// The parallel loop that is divided into blocks of rows, or -1.
  int64_t rowLoop = -1;
  int64_t lanes = 0;
  /// The initial values of the accumulators, and of the sums of partial sums. A
  /// value is null if the output contains the initial values.
  Value initial, sumInitial;
  /// The sizes of the loops that joinLanes() merged with the loop over lanes.
  llvm::SmallDenseMap<unsigned, Value> joinedSizes;
  /// The current iteration of each loop.
  SmallVector<Value> positions;
  /// If only some lanes are used: the mask of these lanes, and the last valid
  /// iteration.
  Value mask, lastPosition;

  // Packed blocks.
  PackedSide rowSide, laneSide;
  /// The loops on which both operands depend, and those on which neither
  /// depends.
  SmallVector<unsigned> outer;
  /// The loops whose ranges form a region of reductions: `sharedLoop`, if there
  /// is one, and then the reduction loops.
  SmallVector<unsigned> regionLoops;
  /// A loop over partial sums, or a loop on which both operands depend. Several
  /// of its iterations are packed together. -1 if there is no such loop.
  int64_t sharedLoop = -1;
  /// The memory of the output; the memory for the accumulators of a tile that
  /// cannot be stored directly; and, for each loop, the distance in the output
  /// between consecutive iterations.
  Value output, tile;
  SmallVector<Value> outputStrides;
  /// The offsets of the operands and of the output at the current iterations of
  /// the outer loops.
  Value rowStart, laneStart, outputStart;
  /// The size of each of `regionLoops` in the current region, the number of
  /// reductions of the region, whether it is the first region of its outputs,
  /// and whether there is only one region.
  SmallVector<Value> regionSizes;
  Value regionSize, isFirstRegion, isOnlyRegion;
  /// The emitted loop over the reductions of a tile.
  Operation *tileLoop = nullptr;
  /// Whether all loops of `outer` are in their first iteration, and whether the
  /// loops over partial sums are.
  Value isFirstPosition, isFirstSum;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCONTRACTIONS_H
