//===- CostLevel.h - Precision of cycle estimates ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_COSTLEVEL_H
#define IPU_MLIR_ANALYSIS_COST_COSTLEVEL_H

namespace mlir::ipu {

/// The precision of the estimated cycles of a tile. `Fast` adds up the cycles
/// of the vertices of the tile. `Detailed` assigns the part of each worker in
/// each vertex to a worker context of the tile, so that a vertex can begin
/// while some workers are still busy with another vertex. Both levels have the
/// same result for a tile with one vertex.
enum class CostLevel { Fast, Detailed };

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_COSTLEVEL_H
