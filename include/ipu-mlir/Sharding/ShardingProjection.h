//===- ShardingProjection.h - Shardings by factor ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data of propagation: the shardings of an op's operands and results by
// factor instead of by dimension. The classes follow Shardy's
// ShardingProjection.
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

/// Returns the sharding of a tensor for which no sharding is given: all
/// dimensions are open and have no axes.
TensorSharding getOpenSharding(unsigned rank);

struct FactorSharding {
  unsigned factor = 0;
  AxisList axes;
  bool isClosed = false;
  /// Whether the factor is the last factor of its dimension. Only the last
  /// factor can be sharded over a number of devices that does not divide the
  /// size of the factor.
  bool isMinorMost = false;
  /// The axes of the dimension that follow `axes` but do not fit the factor.
  AxisList overflow;

  bool operator==(const FactorSharding &other) const {
    return factor == other.factor && axes == other.axes &&
           isClosed == other.isClosed && isMinorMost == other.isMinorMost &&
           overflow == other.overflow;
  }
};

struct TensorFactorShardings {
  /// The factors in the order of dimensions. The factors of one dimension are
  /// in the order from major to minor. If a factor overflows, the next
  /// factor of its dimension is the last one that is present.
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
  /// Builds the projection of an op. `shardings` are the shardings of the
  /// operands, followed by the shardings of the results. A null pointer means
  /// that a tensor has no sharding. The dimensions of such a tensor are closed
  /// if `closedIfMissing` is set, and open otherwise.
  static ShardingProjection build(ArrayRef<const TensorSharding *> shardings,
                                  const Rule &rule,
                                  bool closedIfMissing = false);

  unsigned getNumTensors() const { return tensors.size(); }
  unsigned getNumOperands() const { return numOperands; }
  const TensorFactorShardings &getTensor(unsigned i) const {
    return tensors[i];
  }
  TensorFactorShardings &getTensor(unsigned i) { return tensors[i]; }

  /// Sets the axes of a factor in one tensor to `axes` if the present axes are
  /// a strict prefix of `axes`. Returns whether the axes changed.
  bool expandSharding(unsigned tensor, unsigned factor, ArrayRef<AxisRef> axes);

  bool operator==(const ShardingProjection &other) const {
    return numOperands == other.numOperands && tensors == other.tensors;
  }

private:
  unsigned numOperands = 0;
  SmallVector<TensorFactorShardings, 4> tensors;
};

/// Returns the projection of one tensor.
TensorFactorShardings projectTensor(const TensorSharding *sharding,
                                    const TensorMapping &mapping,
                                    const Rule &rule,
                                    bool closedIfMissing = false);

/// The inverse of projectTensor(): returns the sharding by dimension. If a
/// factor of a dimension is not fully sharded, the axes of later factors of
/// this dimension are omitted, because they would require a strided view.
TensorSharding makeTensorSharding(const TensorFactorShardings &projection,
                                  const TensorMapping &mapping,
                                  const Rule &rule);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_SHARDINGPROJECTION_H
