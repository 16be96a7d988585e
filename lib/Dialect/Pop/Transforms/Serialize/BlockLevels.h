//===- BlockLevels.h - Levels of the ops of a block -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides the ops of a block into levels that can be executed one after the
// other. Some of the ops are members of sections, such as loops to be merged or
// the ops of batch phases. All members of a level can be executed after all
// other ops of the level, and so next to each other.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BLOCKLEVELS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BLOCKLEVELS_H

#include "ipu-mlir/Analysis/Scheduling/ScheduleGraph.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>

namespace mlir::pop {

/// Returns the least level of each node of `graph`. A node that depends on a
/// member has a higher level than the member, unless both are members and
/// `canShareLevel` returns true for them. A node that depends on another node
/// has at least its level.
std::vector<unsigned> computeLevels(
    const ipu::ScheduleGraph &graph, function_ref<bool(unsigned node)> isMember,
    function_ref<bool(unsigned before, unsigned after)> canShareLevel);

/// Raises the levels of nodes that are not members to the least level of the
/// nodes that depend on them. So ops come directly before the members that need
/// them. An op that no other op needs keeps its level.
void postponeToUses(const ipu::ScheduleGraph &graph,
                    function_ref<bool(unsigned node)> isMember,
                    std::vector<unsigned> &levels);

/// The key of a node: nodes with smaller keys come earlier.
using OrderKey = std::array<int64_t, 4>;

/// Returns the schedule of `graph` that executes, at each step, the node with
/// the smallest key of those whose predecessors have been executed. Of equal
/// keys, the node with the smaller number comes first.
ipu::Schedule orderByKeys(const ipu::ScheduleGraph &graph,
                          ArrayRef<OrderKey> keys);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_BLOCKLEVELS_H
