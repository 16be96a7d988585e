//===- DividedModel.h - The equal part of each IPU --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If each IPU of a replica computes an equal part of a program, mostly a part
// of the batch, it is enough to plan the part of one IPU. For each tensor, an
// IPU then has either one of equal parts or, for example for weights, all
// elements.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_MODEL_DIVIDEDMODEL_H
#define IPU_MLIR_PLANNER_MODEL_DIVIDEDMODEL_H

#include "ipu-mlir/Planner/Model/PlanModel.h"
#include "ipu-mlir/Planner/Partition/PartitionCache.h"

namespace mlir::ipu {

/// The division of a tensor of which each IPU has an equal part. The dimensions
/// before the divided one have `outer` elements, and a part has `size` elements
/// of the divided dimension.
struct TensorDivision {
  int64_t outer = 1, size = 1;
};

struct DividedModel {
  /// The part of one IPU. It has the tensors and the steps of the program.
  PlanModel part;
  int64_t numParts = 1;
  /// The divisions of tensors, by number. An IPU has all elements of a tensor
  /// without division.
  SmallVector<std::optional<TensorDivision>> divisions;

  /// `mappings` has the tile mappings of all tensors of `part`. Returns the
  /// tile mappings of the tensors of `model`, the whole program, on `numParts`
  /// IPUs. If a constant that steps read, or a scratch variable that steps copy
  /// to, is not divided, all of its elements are on each IPU. Other tensors
  /// that are not divided are on the first IPU. Returns std::nullopt if there
  /// are no such tile mappings.
  std::optional<SmallVector<TileMappingAttr>>
  getWholeMappings(const PlanModel &model,
                   ArrayRef<TileMappingAttr> mappings) const;
};

/// Divides the program of `model` into `numParts` equal parts, each of which
/// one IPU of the model's target computes. The target of `model` has one IPU.
/// The results of the program are divided along their first dimension, and what
/// ops read follows. Returns std::nullopt if an op needs elements of several
/// parts, or if a tensor would have to be whole that ops compute. `cache` has
/// the problems of `model`, and must outlive the result.
std::optional<DividedModel>
divideModel(const PlanModel &model, int64_t numParts, PartitionCache &cache);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_MODEL_DIVIDEDMODEL_H
