//===- PhaseStarts.h - Division of a sequence into phases ---------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PHASESTARTS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PHASESTARTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir::pop {

/// Divides a sequence of ops into `phases` phases of at least one op. Op i has
/// the weight `weights[i]`, and `liveBytes[i]` bytes are live before it. Both
/// are at least 0, and there are at least as many ops as phases. Returns the
/// number of the first op of each phase except the first phase.
///
/// The heaviest phase has at most 5/4 of the weight of the heaviest phase of a
/// division with the least such weight. Of all such divisions, the result has
/// the fewest bytes that are live at the beginnings of phases. Of several such
/// divisions, it is the one whose last phase begins earliest, then the one
/// whose phase before begins earliest, and so on.
llvm::SmallVector<int64_t> findPhaseStarts(llvm::ArrayRef<int64_t> weights,
                                           llvm::ArrayRef<int64_t> liveBytes,
                                           int64_t phases);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PHASESTARTS_H
