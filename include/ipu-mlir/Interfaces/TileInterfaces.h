//===- TileInterfaces.h - Interfaces of ops on tiles ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces that describe tensor ops to the lowering onto tiles: the elements
// that one vertex reads and computes (CodeletOpInterface), ops that only rename
// elements (TileViewOpInterface), ops that only move them
// (TileMoveOpInterface), ops that decompose into simpler ones
// (DecomposableOpInterface), and further ways to split an op
// (TilePlanOpInterface).
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_TILEINTERFACES_H
#define IPU_MLIR_INTERFACES_TILEINTERFACES_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::ipu {

/// The part of one domain dimension that a vertex accesses. If `loop` is >= 0,
/// a vertex that runs positions [b, e) of this parallel loop accesses elements
/// [b * step, (e - 1) * step + extent). Otherwise it accesses the whole
/// dimension.
struct DimAccess {
  int64_t loop = -1;
  int64_t step = 1;
  int64_t extent = 1;
};

/// The access of a vertex to one operand or result. `domain` is a factorisation
/// of the tensor's elements in row-major order: its product is the number of
/// elements, and a codelet sees its buffer with this rank. `layout` is the
/// order in which a vertex reads the elements of an operand, or in which it
/// should write those of a result. It is a layout of the domain as in
/// `#ipu.map`, with the preferred groups; the largest groups that fit are used.
/// Null if any order is possible. Vertices whose operands have the domain of
/// the result read them in the order in which they write.
struct TileAccess {
  SmallVector<int64_t> domain;
  SmallVector<DimAccess> dims;
  AffineMap layout = {};
};

/// An op as a nest of parallel loops that may be split over tiles. Reduction
/// loops are not listed: a vertex runs them completely, so a split never
/// changes the accumulation order. Each element of a result is written exactly
/// once.
struct TileForm {
  SmallVector<int64_t> loops;
  SmallVector<TileAccess> inputs;
  SmallVector<TileAccess> results;
};

/// The formula that estimates the cycles of a vertex; see docs/device-model.md.
/// `name` is the row of the cost table: an op mnemonic. For reductions,
/// `combined` is the number of elements that each output combines. For
/// contractions, it is the number of leading dimensions of the output that
/// number partial sums.
///
/// The kernel of a `Conv` moves by `stride` in the innermost spatial dimension.
/// The stride is 0 if the kernel is dilated, because some methods require a
/// kernel without dilation. A `ReduceColumns` combines rows of outputs. A
/// `Gather` reads a table and, as its second input, indices, and copies one row
/// of the table to its output for each index. A `Scatter` copies its first
/// input, and combines its rows with the rows of the third input by the indices
/// of the second input. The whole op combines `combined` rows. A
/// `SelectAndScatter` processes windows of `combined` elements, one for each
/// element of its second input.
enum class CodeletCostKind {
  Vector,
  Matmul,
  Conv,
  Reduce,
  ReduceColumns,
  Gather,
  Scatter,
  SelectAndScatter
};
struct CodeletCost {
  CodeletCostKind kind = CodeletCostKind::Vector;
  StringRef name;
  int64_t combined = 0;
  int64_t stride = 1;
};

/// The elements of a row-major buffer that an offset and strides select, all in
/// elements. Strides may be zero (broadcast) or negative (reversal).
struct StridedView {
  int64_t offset = 0;
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> strides;

  /// The view of all elements of a row-major buffer of `shape`.
  static StridedView identity(ArrayRef<int64_t> shape);
  /// Whether the view selects elements in the order of the buffer, without
  /// gaps, from element 0.
  bool isContiguous() const;
  int64_t getNumElements() const;
};

/// Operand `operand` fills the region of the result that starts at `offsets`
/// and has the shape of the operand.
struct TileMove {
  unsigned operand;
  SmallVector<int64_t> offsets;
};

/// A way to split an op into smaller ones; see TilePlanOpInterface. `name` is
/// the name of the loop that is split: "k", "n", "kernel", "rows"...
struct TileSplit {
  StringRef name;
  int64_t maxParts = 1;
  /// Whether the parts are executed one after the other.
  bool isSerial = true;
};

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/TileInterfaces.h.inc"

#endif // IPU_MLIR_INTERFACES_TILEINTERFACES_H
