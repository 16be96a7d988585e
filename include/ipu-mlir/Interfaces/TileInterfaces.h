//===- TileInterfaces.h - Interfaces of ops on tiles ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces that describe tensor ops for the lowering onto tiles: the elements
// that one vertex reads and computes (CodeletOpInterface), ops that only rename
// elements (TileViewOpInterface), ops that only move elements
// (TileMoveOpInterface), ops that decompose into simpler ops
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

/// The part of one dimension of a tensor's domain that a vertex accesses. If
/// `loop` is >= 0, a vertex that runs positions [b, e) of this parallel loop
/// accesses elements [b * step, (e - 1) * step + extent). Otherwise it accesses
/// the whole dimension.
struct DimAccess {
  int64_t loop = -1;
  int64_t step = 1;
  int64_t extent = 1;
};

/// The access of a vertex to one operand or result. `domain` is a factorisation
/// of the tensor's elements in row-major order: its product is the number of
/// elements, and the buffer of the codelet has this rank. `layout` is the order
/// in which a vertex reads the elements of an operand, or in which it should
/// write the elements of a result. It is a layout of the domain as in
/// `#ipu.map`, with the preferred groups; the largest groups that fit are used.
/// `layout` is null if any order is possible. Vertices then read an operand
/// that has the domain of the result in the order in which they write the
/// result.
struct TileAccess {
  SmallVector<int64_t> domain;
  SmallVector<DimAccess> dims;
  AffineMap layout = {};
};

/// An op as a nest of parallel loops that may be split over tiles. Reduction
/// loops are not listed: each vertex runs them completely, so that a split
/// never changes the accumulation order. Each element of a result is written
/// exactly once.
struct TileForm {
  SmallVector<int64_t> loops;
  SmallVector<TileAccess> inputs;
  SmallVector<TileAccess> results;
};

/// The kind of the formula that estimates the cycles of a vertex; see
/// docs/device-model.md. In CodeletCost, `name` is the row of the cost table,
/// which is an op mnemonic. For reductions, `combined` is the number of
/// elements that each output combines. For contractions, it is the number of
/// leading dimensions of the output that number partial sums.
///
/// The kernel of a `Conv` moves by `stride` in the innermost spatial dimension.
/// The stride is 0 if the kernel is dilated, because some methods require a
/// kernel without dilation. A `ReduceColumns` combines rows of outputs. A
/// `Gather` reads a table and, as its second input, indices. It copies one row
/// of the table to its output for each index. A `Scatter` copies its first
/// input, and combines rows of the copy with the rows of the third input. The
/// second input has the indices of the combined rows. The whole op combines
/// `combined` rows. A `SelectAndScatter` processes windows of `combined`
/// elements, one for each element of its second input.
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

/// The elements of a row-major buffer that an offset, sizes and strides select.
/// All numbers are in elements. Strides may be zero (broadcast) or negative
/// (reversal).
struct StridedView {
  int64_t offset = 0;
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> strides;

  /// Returns the view of all elements of a row-major buffer of `shape`.
  static StridedView identity(ArrayRef<int64_t> shape);
  /// Returns whether the view selects elements from element 0 on, in the order
  /// of the buffer and without gaps.
  bool isContiguous() const;
  int64_t getNumElements() const;
};

/// A move of operand number `operand` to the region of the result that starts
/// at `offsets` and has the shape of the operand.
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
};

} // namespace mlir::ipu

#include "ipu-mlir/Interfaces/TileInterfaces.h.inc"

#endif // IPU_MLIR_INTERFACES_TILEINTERFACES_H
