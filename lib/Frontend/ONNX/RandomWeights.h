//===- RandomWeights.h - Random values of weights ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is a weight without a value if all its uses are weights of operators,
// and if it is an input to which the host gives no file, or the result of a
// ConstantOfShape. Initializers without data are weights, too.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_RANDOMWEIGHTS_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_RANDOMWEIGHTS_H

#include "Proto.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu::onnx {

class RandomWeights {
public:
  /// Finds the values that nodes of `graph` use only as weights.
  RandomWeights(uint64_t seed, const proto::GraphProto &graph);

  /// Returns whether all uses of a value of the graph are weights, and there is
  /// a use.
  bool isWeight(StringRef name) const;

  /// Returns random values, or null unless the elements are floats that take
  /// less than 2 GiB. They depend only on the seed, the name and the type.
  ElementsAttr make(StringRef name, RankedTensorType type) const;

private:
  /// What a weight does, which determines the range of its elements.
  enum class Role {
    /// Not only a weight.
    None,
    /// Factors, and variances: 0.5 to 1.5.
    Scale,
    /// Biases and means: -0.1 to 0.1.
    Shift,
    /// Rows of a table: -1 to 1.
    Table,
    /// Matrices and kernels: the variance of elements is 1 / n for sums of n
    /// products. A sum runs over all dimensions but dimension 0.
    Rows,
    /// A sum runs over all dimensions but dimension 1.
    Columns,
    /// A sum runs over the last dimension.
    Last,
    /// A sum runs over the dimension before the last one.
    BeforeLast,
  };

  static Role getRole(const proto::NodeProto &node, int operand);
  static double getBound(Role role, ArrayRef<int64_t> shape);

  uint64_t seed;
  llvm::StringMap<Role> roles;
};

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_RANDOMWEIGHTS_H
