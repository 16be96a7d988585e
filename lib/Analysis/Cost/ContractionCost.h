//===- ContractionCost.h - Cycles of matmuls and convolutions ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_COST_CONTRACTIONCOST_H
#define IPU_MLIR_LIB_ANALYSIS_COST_CONTRACTIONCOST_H

#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"

namespace mlir::ipu {

/// The computation of a matmul or conv vertex. It consists of `blocks * groups`
/// independent products. The output of each product has `rows * width`
/// positions and, at each position, `columns` elements. An element of the
/// output is a sum over `depth` channels and over all positions of the kernel;
/// a matmul has a kernel with one position.
struct Contraction {
  Contraction(CodeletCostAttr cost, ArrayRef<VertexOperand> inputs,
              ArrayRef<VertexOperand> outputs);

  Count getMultiplyAddsPerOutput() const { return depth * getKernelSize(); }
  Count getKernelSize() const {
    return kernelPlanes * kernelRows * kernelWidth;
  }

  Type inputType, outputType;
  bool isConv, startsFromZero;
  /// Whether all blocks of addends have `depth` channels. Otherwise `depth` is
  /// their mean, and no method that requires few channels is used.
  bool hasEqualBlocks = true;
  /// The stride of the innermost dimension, or 0 if the kernel is dilated.
  int64_t stride;
  /// The number of elements of the first operand.
  Count inputElements = 1;
  Count blocks = 1, groups, depth, columns;
  Count rows = 1, width = 1;
  Count kernelPlanes = 1, kernelRows = 1, kernelWidth = 1;
};

struct ContractionCost {
  ContractionMethod method;
  Count cycles;
};

/// Returns the method that takes the fewest cycles for a contraction of floats,
/// and these cycles.
ContractionCost getContractionCost(const TargetModel &target,
                                   const Contraction &contraction);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_COST_CONTRACTIONCOST_H
