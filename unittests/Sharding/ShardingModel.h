//===- ShardingModel.h - Slow model of factor propagation -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second implementation of lib/Sharding that follows the description of
// Shardy's algorithms: it has one plain loop for each sentence, and no code is
// shared.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_SHARDING_SHARDINGMODEL_H
#define IPU_MLIR_UNITTESTS_SHARDING_SHARDINGMODEL_H

#include "ipu-mlir/Sharding/FactorPropagation.h"
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace mlir::ipu::sharding::model {

using Axes = std::vector<AxisRef>;

struct FactorState {
  Axes axes;
  bool isClosed = false;
  bool isMinorMost = false;
  Axes overflow;
};

struct Tensor {
  std::map<unsigned, FactorState> factors;
  Axes replicated, unreduced;
};

/// The operands, followed by the results.
using Tensors = std::vector<Tensor>;

struct Setting {
  const Rule &rule;
  MeshSizes mesh;
  std::function<Direction(unsigned)> getDirection;
  bool conservative = false;
  bool isElementwise = false;
};

bool doesContain(AxisRef a, AxisRef b);
bool isPrefix(AxisRef a, AxisRef b);
/// Returns -1 if `a` is not a prefix of `b`, 0 if both are equal, and 1 if `a`
/// is a strict prefix.
int comparePrefix(const Axes &a, const Axes &b);
int64_t multiply(const Axes &axes);
/// Returns the part of `a` that is major to `b`.
std::optional<AxisRef> cut(AxisRef a, AxisRef b);
std::optional<AxisRef> cut(std::optional<AxisRef> a, const Axes &list);

Tensor project(const TensorSharding &sharding, const TensorMapping &mapping,
               const Rule &rule);
TensorSharding unproject(const Tensor &tensor, const TensorMapping &mapping,
                         const Rule &rule);

Axes getCompatible(const Tensors &tensors, unsigned factor,
                   const Setting &setting);
void propagateBasic(Tensors &tensors, const Setting &setting);
void propagateAggressive(Tensors &tensors, const Setting &setting);

/// Returns a text for comparisons and messages.
std::string format(const Tensor &tensor, MeshSizes mesh);
std::string format(const Tensors &tensors, MeshSizes mesh);
/// Converts a projection of the library to the model's form.
Tensors convert(const ShardingProjection &projection);

} // namespace mlir::ipu::sharding::model

#endif // IPU_MLIR_UNITTESTS_SHARDING_SHARDINGMODEL_H
