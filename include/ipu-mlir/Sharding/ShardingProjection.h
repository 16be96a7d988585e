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
  /// Whether no axes may be added.
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

/// The sharding of a tensor without a given sharding: all dimensions are open
/// and not sharded.
TensorSharding getOpenSharding(unsigned rank);

struct FactorSharding {
  unsigned factor = 0;
  AxisList axes;
  bool isClosed = false;
  /// Whether the factor is the last factor of its dimension. Only this factor
  /// can have axes that do not divide it.
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
  /// In the order of dimensions, then major to minor. Factors after an
  /// overflowing factor are absent, except the next one.
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
  /// `shardings` are those of the operands, then of the results. Null means a
  /// tensor without sharding, which is open (or closed with `closedIfMissing`).
  static ShardingProjection build(ArrayRef<const TensorSharding *> shardings,
                                  const Rule &rule,
                                  bool closedIfMissing = false);

  unsigned getNumTensors() const { return tensors.size(); }
  unsigned getNumOperands() const { return numOperands; }
  const TensorFactorShardings &getTensor(unsigned i) const {
    return tensors[i];
  }
  TensorFactorShardings &getTensor(unsigned i) { return tensors[i]; }

  /// Sets the axes of a factor in one tensor to `axes`, if its present axes are
  /// a strict prefix of them. Returns whether the axes changed.
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

/// The inverse: shardings by dimension. Axes that would require a strided view
/// are omitted: axes of a factor after a factor that is not fully sharded.
TensorSharding makeTensorSharding(const TensorFactorShardings &projection,
                                  const TensorMapping &mapping,
                                  const Rule &rule);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_SHARDINGPROJECTION_H
