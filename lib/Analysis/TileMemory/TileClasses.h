//===- TileClasses.h - Classes of tiles -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_TILECLASSES_H
#define IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_TILECLASSES_H

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"

namespace mlir::ipu {

/// Divides the tiles into classes. The tiles of a class have the same number in
/// each of `counts`.
std::vector<TileClass> makeClasses(int64_t numTiles,
                                   ArrayRef<const TileCounts *> counts);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_TILECLASSES_H
