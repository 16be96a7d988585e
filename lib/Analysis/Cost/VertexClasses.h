//===- VertexClasses.h - Classes of equal vertices --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Regions of the operands of `ipu.vertices` on a grid of tiles have few
// different sizes along each axis: those of full regions, of a remainder, of
// empty regions, and of truncated halos at the end. A class of tiles has one of
// these sizes along each axis.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCLASSES_H
#define IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCLASSES_H

#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"

namespace mlir::ipu {

struct VertexClass {
  /// For each operand, the sizes of its region.
  SmallVector<SmallVector<int64_t>> sizes;
  int64_t numTiles = 0;
};

struct VertexClasses {
  std::vector<VertexClass> classes;
  /// 1 + the class of the vertex of each tile; 0 for tiles without a vertex.
  TileCounts classOfTile;
};

/// Classes of the tiles of `op`, which is for a target of `numTiles` tiles.
VertexClasses getVertexClasses(VerticesOp op, int64_t numTiles);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCLASSES_H
