//===- NestedTileMappings.h - Random nested grids -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_DIALECT_IPU_NESTEDTILEMAPPINGS_H
#define IPU_MLIR_UNITTESTS_DIALECT_IPU_NESTEDTILEMAPPINGS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ipu {

/// Returns `mapping` with its grid nested over some IPUs, which may add parts
/// without elements, or returns `mapping` unchanged. `draw` returns a random
/// number between two numbers.
template <typename Draw>
TileMappingAttr drawNested(TileMappingAttr mapping, Draw draw) {
  SmallVector<int64_t> grid, ipus;
  int64_t ofIPU = 1;
  for (int64_t parts : mapping.getGrid()) {
    ipus.push_back(draw(1, 3));
    grid.push_back(llvm::alignTo(parts, ipus.back()));
    ofIPU *= grid.back() / ipus.back();
  }
  if (mapping.getDomain().empty() || computeProduct(ipus) == 1)
    return mapping;
  return TileMappingAttr::get(mapping.getContext(), mapping.getDomain(), grid,
                              mapping.getBlocks(), mapping.getFirst(),
                              mapping.getLayout(), ipus, ofIPU + draw(0, 2));
}

} // namespace mlir::ipu

#endif // IPU_MLIR_UNITTESTS_DIALECT_IPU_NESTEDTILEMAPPINGS_H
