//===- CostModel.h - Cycles, bytes and operations of steps ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of the device model, in integers. docs/device-model.md describes
// the formulas and their sources. The constants are in TargetModel and
// CodeletCosts.def.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_COSTMODEL_H
#define IPU_MLIR_ANALYSIS_COST_COSTMODEL_H

#include "ipu-mlir/Analysis/Cost/ContractionMethod.h"
#include "ipu-mlir/Analysis/Cost/CostLevel.h"
#include "ipu-mlir/Analysis/Cost/FlopUnit.h"
#include "ipu-mlir/Analysis/Cost/StepPart.h"
#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include <optional>

namespace mlir::ipu {

class ReplicaGroups;

/// One operand of a vertex: the sizes of its region and its element type.
struct VertexOperand {
  ArrayRef<int64_t> sizes;
  Type elementType;
};

/// Returns the cost attribute for a codelet with the cost formula `cost` on
/// elements of `elementType`. With `scalarOperand`, one operand has a single
/// element, which is used for all elements of the output. Returns null if the
/// cost table has no row for this formula and type.
CodeletCostAttr getCodeletCost(const CodeletCost &cost, Type elementType,
                               bool scalarOperand);

/// Returns the cycles of one vertex. The operands are in the order of the
/// codelet.
int64_t getVertexCycles(const TargetModel &target, CodeletCostAttr cost,
                        ArrayRef<VertexOperand> inputs,
                        ArrayRef<VertexOperand> outputs);

/// Returns the method with the fewest cycles for the vertex of a matmul or
/// convolution of floats. Returns std::nullopt for other vertices.
std::optional<ContractionMethod>
getContractionMethod(const TargetModel &target, CodeletCostAttr cost,
                     ArrayRef<VertexOperand> inputs,
                     ArrayRef<VertexOperand> outputs);
/// Returns the method of the group of vertices (VerticesOp) that executes the
/// most floating-point operations in a compute set. Returns std::nullopt if
/// these vertices have no method.
std::optional<ContractionMethod> getContractionMethod(const TargetModel &target,
                                                      ComputeSetOp op);

/// Returns the number of floating-point operations of one vertex: one for each
/// element of an elementwise result, and two for each multiply-add. Operations
/// on integers do not count.
int64_t getVertexFlops(CodeletCostAttr cost, ArrayRef<VertexOperand> inputs,
                       ArrayRef<VertexOperand> outputs);

/// The cost of one vertex, and the regions of its operands.
struct Vertex {
  CodeletCostAttr cost;
  SmallVector<VertexOperand> inputs, outputs;
};

/// Returns the cycles of a tile that runs `vertices` in one compute set.
int64_t getTileCycles(const TargetModel &target, ArrayRef<Vertex> vertices,
                      CostLevel level);

/// Returns the cost of a compute set.
StepCostAttr getComputeCost(const TargetModel &target, ComputeSetOp op,
                            CostLevel level = CostLevel::Fast);

/// Returns what each group of vertices contributes to the cost of a compute
/// set: on each IPU, the cycles of its vertex on the slowest tile.
SmallVector<StepPart> getComputeParts(const TargetModel &target,
                                      ComputeSetOp op, CostLevel level);

/// Returns what the moves with equal origins of an exchange would cost as an
/// exchange of their own, without the set-up.
SmallVector<StepPart> getExchangeParts(const TargetModel &target,
                                       ExchangeOp op);

/// Returns the cycles of each tile in a compute set, without the cycles that
/// start the compute set.
TileCounts getComputeTileCycles(const TargetModel &target, ComputeSetOp op,
                                CostLevel level);

/// Returns the unit that a vertex uses.
FlopUnit getFlopUnit(const TargetModel &target, CodeletCostAttr cost,
                     ArrayRef<VertexOperand> inputs,
                     ArrayRef<VertexOperand> outputs);
/// Returns the unit that is used by the group of vertices (VerticesOp) with the
/// most floating-point operations in a compute set.
FlopUnit getFlopUnit(const TargetModel &target, ComputeSetOp op);
/// Returns whether the matrix unit multiplies f8 numbers of `type`.
bool isNativeFloat8(const TargetModel &target, Type type);

/// Returns the cost of an exchange; see Exchange.h.
StepCostAttr getExchangeCost(const TargetModel &target, ExchangeOp op);

/// Returns the cost of a collective in `groups`, which are those of the op.
StepCostAttr getCollectiveCost(const TargetModel &target, CollectiveOp op,
                               const ReplicaGroups &groups);

/// The cycles of a copy between a variable and the host, for each IPU of a
/// replica. `link` has the cycles of the IPU's host link. `tile` has the cycles
/// of the slowest tile of the IPU.
struct HostCopyCycles {
  SmallVector<int64_t> link, tile;
};
HostCopyCycles getHostCopyCycles(const TargetModel &target, MemRefType type);

/// Returns the cost of a step. `tileCycles` contains the cycles of each tile of
/// a replica. An IPU takes as many cycles as its slowest tile, but at least as
/// many as its element of `ipuFloor`. If this number of cycles is not 0, the
/// IPU takes `fixed` cycles more. If `ipuFloor` is empty, all its elements
/// count as 0.
StepCostAttr makeStepCost(MLIRContext *context, const TargetModel &target,
                          const TileCounts &tileCycles,
                          ArrayRef<int64_t> ipuFloor, int64_t fixed,
                          int64_t flops, int64_t bytes);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_COSTMODEL_H
