//===- VirtualGraphs.h - Virtual graphs of programs -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_VIRTUALGRAPHS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_VIRTUALGRAPHS_H

#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace mlir::pop {

/// Returns whether `op` computes or moves values, so that it needs a placement
/// in a placed program. Constants and handles of variables are where they are
/// used; loops, branches and calls are where the ops in them are.
bool needsPlacement(Operation *op);

/// Returns the virtual graph that the results of `op` are on or, if it has no
/// results, the virtual graph of `op`. For a copy between IPUs, this is the
/// destination.
std::optional<int64_t> getVgraphOfResults(Operation *op);

/// Sets the virtual graph of `op` to `vgraph`, if there is one and `op` has
/// none.
void setVgraph(Operation *op, std::optional<int64_t> vgraph);

/// A virtual graph, and the location of the op or argument that states it.
struct VgraphUse {
  int64_t vgraph;
  Location loc;
};

/// Returns the first virtual graph that `root`, an op or an argument of a
/// function in it, or a copy between IPUs in it states, or std::nullopt if
/// there is none. A module with a virtual graph is a placed program: each of
/// its ops is on one IPU.
std::optional<VgraphUse> findFirstVgraph(Operation *root);

/// Verifies that a replica of `numIPUs` IPUs has the virtual graphs that ops,
/// arguments and copies between IPUs in `module` state.
LogicalResult verifyVgraphs(ModuleOp module, int64_t numIPUs);

/// Adds the virtual graph of `value`, and the stage and phases of the op that
/// defines it, to `op`, except those that `op` already has. If `value` is
/// passed on by a loop, a branch or a call without a virtual graph, the virtual
/// graph and the stage are those of the op that computes the value.
void inheritSchedule(Value value, Operation *op);

/// Does the work of `pop-infer-vgraphs`.
LogicalResult inferVgraphs(ModuleOp module);

/// Does the work of `pop-inter-ipu-copy`.
LogicalResult insertIpuCopies(ModuleOp module);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_VIRTUALGRAPHS_H
