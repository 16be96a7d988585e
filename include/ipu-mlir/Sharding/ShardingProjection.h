//===- ShardingProjection.h - Shardings by factor ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data of propagation: the shardings of an op's operands and results, by
// factor instead of by dimension. After Shardy's ShardingProjection.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_SHARDINGPROJECTION_H
#define IPU_MLIR_SHARDING_SHARDINGPROJECTION_H

#include "ipu-mlir/Sharding/Axes.h"
#include "ipu-mlir/Sharding/Rule.h"

namespace mlir::ipu::sharding {

struct DimSharding {
  AxisList axes;
  /// Nothing may be added.
  bool isClosed = false;

  bool operator==(const DimSharding &other) const {
    return isClosed == other.isClosed && axes == other.axes;
  }
};

struct TensorSharding {
  SmallVector<DimSharding, 2> dims;
  AxisList replicated;
  AxisList unreduced;

  bool operator==(const TensorSharding &other) const {
    return dims == other.dims && replicated == other.replicated &&
           unreduced == other.unreduced;
  }
  bool operator!=(const TensorSharding &other) const {
    return !(*this == other);
  }
};

/// All dimensions open and unsharded: what a tensor without sharding has.
TensorSharding getOpenSharding(unsigned rank);

struct FactorSharding {
  unsigned factor = 0;
  AxisList axes;
  bool isClosed = false;
  /// The last factor of its dimension: takes axes that do not divide it.
  bool isMinorMost = false;
  /// Axes of the dimension that follow `axes` but do not fit the factor.
  AxisList overflow;

  bool operator==(const FactorSharding &other) const {
    return factor == other.factor && axes == other.axes &&
           isClosed == other.isClosed && isMinorMost == other.isMinorMost &&
           overflow == other.overflow;
  }
};

struct TensorFactorShardings {
  /// In the order of dimensions, then major to minor. A factor that follows an
  /// overflowing one but for the next is absent.
  SmallVector<FactorSharding, 4> factors;
  AxisList replicated;
  AxisList unreduced;

  const FactorSharding *find(unsigned factor) const;
  FactorSharding *find(unsigned factor);
  bool operator==(const TensorFactorShardings &other) const {
    return factors == other.factors && replicated == other.replicated &&
           unreduced == other.unreduced;
  }
};

class ShardingProjection {
public:
  /// `shardings`: of operands, then results; null: none, that is open (or
  /// closed, if `closedIfMissing`).
  static ShardingProjection build(ArrayRef<const TensorSharding *> shardings,
                                  const Rule &rule,
                                  bool closedIfMissing = false);

  unsigned getNumTensors() const { return tensors.size(); }
  unsigned getNumOperands() const { return numOperands; }
  const TensorFactorShardings &getTensor(unsigned i) const {
    return tensors[i];
  }
  TensorFactorShardings &getTensor(unsigned i) { return tensors[i]; }

  /// Sets the axes of a factor in one tensor to `axes`, if what it has is a
  /// strict prefix of them. Returns whether it did.
  bool expandSharding(unsigned tensor, unsigned factor, ArrayRef<AxisRef> axes);

  bool operator==(const ShardingProjection &other) const {
    return numOperands == other.numOperands && tensors == other.tensors;
  }

private:
  unsigned numOperands = 0;
  SmallVector<TensorFactorShardings, 4> tensors;
};

/// The factors of one tensor.
TensorFactorShardings projectTensor(const TensorSharding *sharding,
                                    const TensorMapping &mapping,
                                    const Rule &rule,
                                    bool closedIfMissing = false);

/// Back to dimensions. What would need a strided view is left out: axes of a
/// factor that follows one that is not fully sharded.
TensorSharding makeTensorSharding(const TensorFactorShardings &projection,
                                  const TensorMapping &mapping,
                                  const Rule &rule);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_SHARDINGPROJECTION_H
