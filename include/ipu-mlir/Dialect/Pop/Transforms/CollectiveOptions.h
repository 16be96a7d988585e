//===- CollectiveOptions.h - Options of merged collectives ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_COLLECTIVEOPTIONS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_COLLECTIVEOPTIONS_H

#include <cstdint>

namespace mlir::pop {

/// The default bound on the bytes of a merged collective. A collective of this
/// size takes little of its time for waits, so that a larger one saves little.
constexpr int64_t kDefaultMergedBytes = int64_t(1) << 24;

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_COLLECTIVEOPTIONS_H
