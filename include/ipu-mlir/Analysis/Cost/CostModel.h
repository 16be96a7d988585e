//===- CostModel.h - Cycles, bytes and operations of steps ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of the device model, in integers. docs/device-model.md states
// them with their sources. Constants come from TargetModel and
// CodeletCosts.def.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_COSTMODEL_H
#define IPU_MLIR_ANALYSIS_COST_COSTMODEL_H

#include "ipu-mlir/Analysis/Cost/ContractionMethod.h"
#include "ipu-mlir/Analysis/Cost/CostLevel.h"
#include "ipu-mlir/Analysis/Cost/FlopUnit.h"
#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include <optional>

namespace mlir::ipu {

/// One operand of a vertex: the sizes of its region and its element type.
struct VertexOperand {
  ArrayRef<int64_t> sizes;
  Type elementType;
};

/// The cost attribute for a codelet that computes `cost` on elements of
/// `elementType`. With `scalarOperand`, one operand is a single element for all
/// outputs. Null if the table has no row with this name and type.
CodeletCostAttr getCodeletCost(const CodeletCost &cost, Type elementType,
                               bool scalarOperand);

/// Cycles of one vertex. Its operands are in order, outputs last.
int64_t getVertexCycles(const TargetModel &target, CodeletCostAttr cost,
                        ArrayRef<VertexOperand> inputs,
                        ArrayRef<VertexOperand> outputs);

/// The method by which the vertex of a matmul or convolution of floats
/// multiplies: the method with the fewest cycles. None for other vertices.
std::optional<ContractionMethod>
getContractionMethod(const TargetModel &target, CodeletCostAttr cost,
                     ArrayRef<VertexOperand> inputs,
                     ArrayRef<VertexOperand> outputs);
/// The method of the vertices that do most of the operations of a compute set.
std::optional<ContractionMethod> getContractionMethod(const TargetModel &target,
                                                      ComputeSetOp op);

/// Floating-point operations of one vertex: one for each element of an
/// elementwise result, two for each multiply-add. Operations on integers do not
/// count.
int64_t getVertexFlops(CodeletCostAttr cost, ArrayRef<VertexOperand> inputs,
                       ArrayRef<VertexOperand> outputs);

/// One vertex: its cost and the regions of its operands.
struct Vertex {
  CodeletCostAttr cost;
  SmallVector<VertexOperand> inputs, outputs;
};

/// Cycles of a tile that runs `vertices` in one compute set.
int64_t getTileCycles(const TargetModel &target, ArrayRef<Vertex> vertices,
                      CostLevel level);

/// Cost of a compute set.
StepCostAttr getComputeCost(const TargetModel &target, ComputeSetOp op,
                            CostLevel level = CostLevel::Fast);

/// Cycles of each tile in a compute set, without the cycles that start the
/// compute set.
TileCounts getComputeTileCycles(const TargetModel &target, ComputeSetOp op,
                                CostLevel level);

/// The unit that a vertex uses.
FlopUnit getFlopUnit(const TargetModel &target, CodeletCostAttr cost,
                     ArrayRef<VertexOperand> inputs,
                     ArrayRef<VertexOperand> outputs);
/// The unit that does most of the operations of a compute set.
FlopUnit getFlopUnit(const TargetModel &target, ComputeSetOp op);
/// Whether the matrix unit multiplies f8 numbers of `type`.
bool isNativeFloat8(const TargetModel &target, Type type);

/// Cost of an exchange: see Exchange.h.
StepCostAttr getExchangeCost(const TargetModel &target, ExchangeOp op);

/// Cost of a collective in groups of `groupSize` replicas.
StepCostAttr getCollectiveCost(const TargetModel &target, CollectiveOp op,
                               int64_t groupSize);

/// Cycles of a copy between a variable and the host on each IPU of a replica:
/// those of the host link of the IPU, and those of its fullest tile.
struct HostCopyCycles {
  SmallVector<int64_t> link, tile;
};
HostCopyCycles getHostCopyCycles(const TargetModel &target, MemRefType type);

/// Adds up the cycles of each tile of a replica to the cost of a step. An IPU
/// takes as long as its slowest tile, but at least `ipuFloor` (0 if empty). It
/// takes `fixed` cycles more if it does anything.
StepCostAttr makeStepCost(MLIRContext *context, const TargetModel &target,
                          const TileCounts &tileCycles,
                          ArrayRef<int64_t> ipuFloor, int64_t fixed,
                          int64_t flops, int64_t bytes);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_COSTMODEL_H
