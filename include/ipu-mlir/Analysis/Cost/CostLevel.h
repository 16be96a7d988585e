//===- CostLevel.h - Precision of cycle estimates ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_COSTLEVEL_H
#define IPU_MLIR_ANALYSIS_COST_COSTLEVEL_H

namespace mlir::ipu {

/// The precision of the estimated cycles of a tile. `Fast` adds up the cycles
/// of the vertices of the tile. `Detailed` divides each vertex into parts, each
/// for one worker. Each part is assigned to the worker of the tile that becomes
/// free next. Some workers can therefore begin a vertex while other workers
/// still execute the previous vertex. Both levels have the same result for a
/// tile with one vertex.
enum class CostLevel { Fast, Detailed };

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_COSTLEVEL_H
