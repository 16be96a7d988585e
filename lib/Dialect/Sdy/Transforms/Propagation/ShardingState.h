//===- ShardingState.h - Shardings during propagation -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shardings of the values of a module as plain data. They are read from
// attributes at the first use, and changed shardings are written back at the
// end.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGSTATE_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGSTATE_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "ipu-mlir/Sharding/ShardingProjection.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

namespace mlir::ipu::sdy {

class ShardingState {
public:
  /// A value, or a result of a function, that can have a sharding.
  struct Tensor {
    Value value;
    FunctionOpInterface function;
    unsigned result = 0;

    sharding::TensorSharding sharding;
    /// The mesh, by name or inlined, and its definition. Null if there is no
    /// sharding.
    Attribute meshOrRef;
    MeshAttr mesh;
    ReductionKind reductionKind = ReductionKind::Sum;
    bool hasChanged = false;
    /// The time of the last change of `sharding`.
    uint64_t changedAt = 0;
    /// Whether the attribute has priorities. Any update removes them.
    bool hasPriorities = false;

    bool exists() const { return static_cast<bool>(meshOrRef); }
    bool hasAxes() const;
  };

  explicit ShardingState(ModuleOp module);

  /// Returns the tensor of a value. Returns null if the value cannot have a
  /// sharding: a block argument of an op that is neither a function nor a
  /// ShardableDataFlowOpInterface, or a value that is not a ranked tensor of
  /// static shape. A target of an edge has the tensor of the owner of the edge,
  /// or of its edge op.
  Tensor *get(Value value);
  Tensor *get(FunctionOpInterface function, unsigned result);
  /// Must be called after a change of the sharding.
  void markChanged(Tensor &tensor) {
    tensor.hasChanged = true;
    tensor.changedAt = ++now;
  }
  /// Returns the number of changes until now.
  uint64_t getTime() const { return now; }

  /// Must be called before the op of the value is erased.
  void forget(Value value) { tensorOfValue.erase(value); }

  /// Returns the sharding from which a tensor was read, or null if it has none.
  static TensorShardingAttr getGiven(const Tensor &tensor);
  TensorShardingAttr getAttr(const Tensor &tensor) const;
  /// Sets the attributes of all tensors that changed.
  void write();

private:
  void read(Tensor &tensor);
  /// Returns the manual axes that are not in the sharding of an argument of a
  /// manual computation.
  static SmallVector<sharding::AxisList> getHiddenAxes(const Tensor &tensor);

  ModuleOp module;
  /// Whether there are regions of unknown ops.
  bool hasOpaqueRegions = false;
  uint64_t now = 0;
  SymbolTableCollection symbols;
  std::deque<Tensor> tensors;
  llvm::DenseMap<Value, Tensor *> tensorOfValue;
  llvm::DenseMap<std::pair<Operation *, unsigned>, Tensor *> tensorOfResult;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGSTATE_H
