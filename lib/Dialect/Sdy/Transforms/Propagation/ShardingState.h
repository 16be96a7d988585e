//===- ShardingState.h - Shardings during propagation -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shardings of a module's values as plain data: they are read from
// attributes on first use, and changed ones are written back at the end.
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
  /// What can have a sharding: a value, or a result of a function.
  struct Tensor {
    Value value;
    FunctionOpInterface function;
    unsigned result = 0;

    sharding::TensorSharding sharding;
    /// The mesh by name or as it is, and what that is; null: no sharding.
    Attribute meshOrRef;
    MeshAttr mesh;
    ReductionKind reductionKind = ReductionKind::Sum;
    bool hasChanged = false;
    /// When `sharding` was changed last.
    uint64_t changedAt = 0;
    /// The attribute has priorities: any update of it drops them.
    bool hasPriorities = false;

    bool exists() const { return static_cast<bool>(meshOrRef); }
    bool hasAxes() const;
  };

  explicit ShardingState(ModuleOp module);

  /// The tensor of a value; null if it cannot have a sharding: a block argument
  /// of an op that is neither function nor ShardableDataFlowOpInterface, or
  /// something other than a ranked tensor of static shape. The tensor of a
  /// target of an edge is that of its owner, or of the edge's op.
  Tensor *get(Value value);
  Tensor *get(FunctionOpInterface function, unsigned result);
  /// After its sharding has changed.
  void markChanged(Tensor &tensor) {
    tensor.hasChanged = true;
    tensor.changedAt = ++now;
  }
  /// How many changes there have been.
  uint64_t getTime() const { return now; }

  /// Before the value's op is erased.
  void forget(Value value) { tensorOfValue.erase(value); }

  /// The sharding that a tensor was read from; null if it has none.
  static TensorShardingAttr getGiven(const Tensor &tensor);
  TensorShardingAttr getAttr(const Tensor &tensor) const;
  /// Sets the attributes of all tensors that changed.
  void write();

private:
  void read(Tensor &tensor);
  /// The manual axes that the sharding of a manual computation's argument
  /// lacks.
  static SmallVector<sharding::AxisList> getHiddenAxes(const Tensor &tensor);

  ModuleOp module;
  /// Whether there are regions of ops that nothing is known of.
  bool hasOpaqueRegions = false;
  uint64_t now = 0;
  SymbolTableCollection symbols;
  std::deque<Tensor> tensors;
  llvm::DenseMap<Value, Tensor *> tensorOfValue;
  llvm::DenseMap<std::pair<Operation *, unsigned>, Tensor *> tensorOfResult;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGSTATE_H
