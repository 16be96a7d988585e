//===- MemoryTransforms.h - Transforms that save tile memory ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_COMPILER_MEMORYTRANSFORMS_H
#define IPU_MLIR_COMPILER_MEMORYTRANSFORMS_H

#include <cstdint>
#include <string>

namespace mlir::ipu {

/// The transforms with which a program needs less tile memory; see
/// docs/memory-transforms.md. By default, none of them runs.
struct MemoryTransforms {
  /// The number of parts in which loops process batches, by
  /// `pop-batch-serialize`.
  int64_t batchParts = 1;
  /// The greatest number of parts into which `pop-serialize-matmuls` divides a
  /// matmul. If it is 0, the pass does not run.
  int64_t matmulParts = 0;
  /// If this flag is set, `pop-outline` creates functions for repeated
  /// sequences of ops.
  bool outlines = false;
  /// If this flag is set, `pop-schedule` is the last of the passes on the
  /// graph.
  bool schedules = false;

  /// Returns whether one of the transforms looks at one function, so that all
  /// functions have to be inlined before.
  bool needInlining() const { return batchParts != 1 || outlines; }

  /// Returns the passes in their order, as the text of a pipeline, which is
  /// empty if there are none.
  std::string getPasses() const;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_COMPILER_MEMORYTRANSFORMS_H
