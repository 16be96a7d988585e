//===- CostLevel.h - Precision of cycle estimates ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_COSTLEVEL_H
#define IPU_MLIR_ANALYSIS_COST_COSTLEVEL_H

namespace mlir::ipu {

/// `Fast` adds up the formulas of the vertices of a tile. `Detailed` gives the
/// part of each worker in each vertex to a context of the tile, so that a
/// vertex can begin while some workers are busy with another vertex. Both give
/// the same result for a tile with one vertex.
enum class CostLevel { Fast, Detailed };

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_COSTLEVEL_H
