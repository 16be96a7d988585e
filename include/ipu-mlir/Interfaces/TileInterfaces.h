//===- TileInterfaces.h - Interfaces of ops on tiles ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces that describe tensor ops for the lowering onto tiles:
// - CodeletOpInterface states which elements one vertex reads and computes;
// - TileViewOpInterface is for ops that only change the indices of elements;
// - TileMoveOpInterface is for ops that only move elements;
// - DecomposableOpInterface is for ops that decompose into simpler ops;
// - TilePlanOpInterface states further ways to split an op.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_TILEINTERFACES_H
#define IPU_MLIR_INTERFACES_TILEINTERFACES_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::ipu {

/// The part of one dimension of a tensor's domain that a vertex accesses. If
/// `loop` is not negative, it is the number of a parallel loop. A vertex that
/// executes the positions [b, e) of this loop accesses the elements [b * step,
/// (e - 1) * step + extent). If `loop` is negative, each vertex accesses the
/// whole dimension.
struct DimAccess {
  int64_t loop = -1;
  int64_t step = 1;
  int64_t extent = 1;
};

/// The access of a vertex to one operand or result. `domain` is a factorisation
/// of the tensor's elements in row-major order: the product of its sizes is the
/// number of elements. The buffer of the codelet has as many dimensions as
/// `domain`. `layout` is the order in which a vertex reads the elements of an
/// operand, or should write the elements of a result. Like the layout in
/// `#ipu.map`, `layout` refers to the dimensions of the domain. `layout` may
/// divide dimensions into groups. The sizes of these groups are preferred
/// sizes: each size is reduced to its largest divisor that (C6) of `#ipu.map`
/// allows. `layout` is null if any order is possible. In this case, if an
/// operand has the same domain as the result, a vertex reads the operand in the
/// order in which it writes the result.
struct TileAccess {
  SmallVector<int64_t> domain;
  SmallVector<DimAccess> dims;
  AffineMap layout = {};
};

/// An op as a nest of parallel loops that may be split over tiles. Reduction
/// loops are not listed: each vertex runs them completely, so that a split
/// never changes the accumulation order. Each element of a result is written
/// exactly once.
///
/// Some ops change a part of an input and keep the rest of it. `updatedInput`
/// is the number of this input, which has the domain and the access of the
/// first result. If `isInPlace` is set, the input and the first result have the
/// same buffer, and a vertex only writes the part that changes.
struct TileForm {
  SmallVector<int64_t> loops;
  SmallVector<TileAccess> inputs;
  SmallVector<TileAccess> results;
  std::optional<unsigned> updatedInput = std::nullopt;
  bool isInPlace = false;
};

/// The kind of the formula that estimates the cycles of a vertex; see
/// docs/device-model.md. In CodeletCost, `name` is an op mnemonic, which
/// selects the row of the cost table. The other fields depend on the kind:
/// - `Vector`: for a sum of more than two operands, `combined` is the number of
///   operands.
/// - `Matmul`, `Conv`: `combined` is the number of leading dimensions of the
///   output that are indices of partial sums. The kernel of a `Conv` moves by
///   `stride` in the innermost spatial dimension. `stride` is 0 if the kernel
///   is dilated, because some methods require a kernel without dilation.
/// - `Reduce`, `ReduceColumns`, `ReduceBlocks`: `combined` is the number of
///   elements that each output combines. A `ReduceColumns` combines whole rows
///   of its input. A `ReduceBlocks` combines rows that are in the input's
///   order.
/// - `Gather`: the first input is a table, and the second input has indices.
///   For each index, a row of the table is copied to the output.
/// - `Scatter`: the first input is copied to the output. Then rows of the
///   output are combined with the rows of the third input; the second input has
///   the indices of these rows. `combined` is the number of rows of the whole
///   result.
/// - `ScatterBuckets`: as for `Scatter`, but the rows of the second input are
///   lists of updates for blocks of rows.
/// - `BucketIndices`: the output has such lists for chunks of `combined`
///   indices. Its first two dimensions number the chunks.
/// - `SelectAndScatter`: there is a window of `combined` elements for each
///   element of the second input.
/// - `Sort`: rows of `combined` elements of all inputs are sorted together.
/// - `DynamicSlice`: the output is a region of the first input.
/// - `DynamicUpdate`: a region of the output is the second input. `combined` is
///   1 if the rest of the output has to be copied from the first input, and 0
///   if these two have the same buffer.
enum class CodeletCostKind {
  Vector,
  Matmul,
  Conv,
  Reduce,
  ReduceColumns,
  Gather,
  Scatter,
  ScatterBuckets,
  BucketIndices,
  SelectAndScatter,
  Sort,
  ReduceBlocks,
  DynamicSlice,
  DynamicUpdate
};
struct CodeletCost {
  CodeletCostKind kind = CodeletCostKind::Vector;
  StringRef name;
  int64_t combined = 0;
  int64_t stride = 1;
};

/// The elements of a row-major buffer that an offset, sizes and strides select.
/// All numbers are in elements. Strides may be zero (broadcast) or negative
/// (reversal).
struct StridedView {
  int64_t offset = 0;
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> strides;

  /// Returns the view of all elements of a row-major buffer of `shape`.
  static StridedView identity(ArrayRef<int64_t> shape);
  /// Returns whether the view selects the first getNumElements() elements of
  /// the buffer, in the order of the buffer.
  bool isContiguous() const;
  int64_t getNumElements() const;
  /// Returns the view of the same elements, in the same order, with the
  /// dimensions `shape`. Fails if no strides express it. `shape` has as many
  /// elements as this view.
  FailureOr<StridedView> reshape(ArrayRef<int64_t> shape) const;
};

/// A move of the operand with the number `operand` to a region of the result.
/// The region starts at `offsets` and has the shape of the operand.
struct TileMove {
  unsigned operand;
  SmallVector<int64_t> offsets;
};

/// A way to split an op into smaller ops; see TilePlanOpInterface. `name` is
/// the name of the split loop, for example "k", "n", "kernel" or "rows".
struct TileSplit {
  StringRef name;
  int64_t maxParts = 1;
  /// Whether the parts are executed one after the other.
  bool isSerial = true;
  /// This flag is set if each new op works on all parts. The number of ops then
  /// depends little on the number of parts, and many parts are possible.
  bool isBatched = false;
};

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/TileInterfaces.h.inc"

#endif // IPU_MLIR_INTERFACES_TILEINTERFACES_H
