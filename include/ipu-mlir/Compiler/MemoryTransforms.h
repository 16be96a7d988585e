//===- MemoryTransforms.h - Transforms that save tile memory ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_COMPILER_MEMORYTRANSFORMS_H
#define IPU_MLIR_COMPILER_MEMORYTRANSFORMS_H

#include <cstdint>
#include <string>
#include <vector>

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

  /// The classes and names of variables that `pop-shard-variables` divides over
  /// replicas.
  std::vector<std::string> shardedVariables;
  /// The classes and names of variables that `pop-remote-setup` moves to
  /// streaming memory.
  std::vector<std::string> remoteVariables;
  /// The number of execution phases, by `pop-streaming-memory`. If it is 0, the
  /// pass does not run.
  int64_t phases = 0;
  /// If this flag is set, tensors are in streaming memory while no phase needs
  /// them. It needs several phases.
  bool remoteTensors = false;

  /// Returns whether one of the transforms looks at one function, so that all
  /// functions have to be inlined before.
  bool needInlining() const { return batchParts != 1 || outlines; }

  /// Return the passes in their order, as the text of a pipeline, which is
  /// empty if there are none: those on variables, which run when all updates
  /// exist and before pipelines, and all others.
  std::string getVariablePasses() const;
  std::string getPasses() const;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_COMPILER_MEMORYTRANSFORMS_H
