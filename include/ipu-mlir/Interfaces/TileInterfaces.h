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

/// The part of one domain dimension that a vertex touches. If `loop` is >= 0,
/// a vertex that runs positions [b, e) of that parallel loop touches elements
/// [b * step, (e - 1) * step + extent); else it touches the whole dimension.
struct DimAccess {
  int64_t loop = -1;
  int64_t step = 1;
  int64_t extent = 1;
};

/// What a vertex touches of one operand or result. `domain` is a
/// factorisation of the tensor's row-major element order: its product is the
/// number of elements, and a codelet sees its buffer with this rank.
///
/// `layout` is the order in which a vertex reads the elements of an operand, or
/// should write those of a result: a layout of the domain as in `#ipu.map`,
/// with the groups that it would like best, the largest that fit being taken.
/// Null if any order does. Vertices whose operands have the domain of the
/// result read them in the order in which they write.
struct TileAccess {
  SmallVector<int64_t> domain;
  SmallVector<DimAccess> dims;
  AffineMap layout = {};
};

/// An op as a nest of parallel loops that may be split over tiles. Reduction
/// loops are not listed: a vertex runs them whole, so that a split never
/// changes the order of accumulation. Results are touched exactly once.
struct TileForm {
  SmallVector<int64_t> loops;
  SmallVector<TileAccess> inputs;
  SmallVector<TileAccess> results;
};

/// The formula by which a vertex's cycles are estimated; see
/// docs/device-model.md. `name` is the row of the cost table: an op mnemonic.
/// `combined` is, for reductions, the number of elements that each output
/// combines; for contractions, the number of leading dimensions of the output
/// that number partial sums. The kernel of a `Conv` moves by `stride` in the
/// innermost spatial dimension, or 0 if it is dilated, since some methods want
/// that it is not. A `ReduceColumns` combines rows of outputs. A
/// `Gather` reads a table and indices, its second input, and copies rows of the
/// table to its output, one for each index. A `Scatter` copies its first input
/// and combines its rows, of which the whole op has `combined`, with those of
/// the third by the indices of the second. A `SelectAndScatter` goes through
/// windows of `combined` elements, one for each element of its second input.
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

/// Elements of a row-major buffer seen through an offset and strides, all in
/// elements. Strides may be zero (broadcast) or negative (reversal).
struct StridedView {
  int64_t offset = 0;
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> strides;

  /// The view that shows a row-major buffer of `shape` as it is.
  static StridedView identity(ArrayRef<int64_t> shape);
  /// Whether elements are visited in buffer order without gaps from 0.
  bool isContiguous() const;
  int64_t getNumElements() const;
};

/// Operand `operand` fills the region of the result that starts at `offsets`
/// and has the operand's shape.
struct TileMove {
  unsigned operand;
  SmallVector<int64_t> offsets;
};

/// A way to split an op into smaller ones; see TilePlanOpInterface. `name` is
/// that of the loop that is split: "k", "n", "kernel", "rows"...
struct TileSplit {
  StringRef name;
  int64_t maxParts = 1;
  /// Whether parts are done one after the other.
  bool isSerial = true;
};

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/TileInterfaces.h.inc"

#endif // IPU_MLIR_INTERFACES_TILEINTERFACES_H
