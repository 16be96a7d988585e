//===- VertexClasses.h - Classes of equal vertices --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the operands of `ipu.vertices` are divided among a grid of tiles, their
// regions have only a few different sizes along each axis of the grid. These
// are the sizes of full regions, of the last region if it is smaller, of empty
// regions, and of regions whose halo is truncated at the end. The tiles of a
// class have regions of the same sizes.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCLASSES_H
#define IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCLASSES_H

#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"

namespace mlir::ipu {

struct VertexClass {
  /// The sizes of the region of each operand.
  SmallVector<SmallVector<int64_t>> sizes;
  int64_t numTiles = 0;
};

struct VertexClasses {
  std::vector<VertexClass> classes;
  /// For each tile, 1 plus the index of the class of its vertex, or 0 if the
  /// tile has no vertex.
  TileCounts classOfTile;
};

/// Returns the classes of the vertices of `op` on a target of `numTiles` tiles.
VertexClasses getVertexClasses(VerticesOp op, int64_t numTiles);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCLASSES_H
