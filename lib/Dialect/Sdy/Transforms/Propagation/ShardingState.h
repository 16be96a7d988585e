//===- ShardingState.h - Shardings during propagation -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shardings of the values of a module during propagation. They are read
// from attributes at their first use. At the end, changed shardings are written
// to the attributes.
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
    /// The mesh (its name or an inlined mesh), and the definition of the mesh.
    /// Both are null if there is no sharding.
    Attribute meshOrRef;
    MeshAttr mesh;
    ReductionKind reductionKind = ReductionKind::Sum;
    bool hasChanged = false;
    /// The time (getTime) of the last change of `sharding`.
    uint64_t changedAt = 0;
    /// Whether the sharding attribute has user priorities. An update of the
    /// sharding removes them.
    bool hasPriorities = false;

    bool exists() const { return static_cast<bool>(meshOrRef); }
    bool hasAxes() const;
  };

  explicit ShardingState(ModuleOp module);

  /// Returns the tensor of `value`, or null if it cannot have a sharding. Only
  /// ranked tensors of static shape can have shardings. Values in the regions
  /// of unregistered ops have none, and a block argument has one only if it is
  /// an argument of a function or on a data-flow edge. For a target of an edge,
  /// returns the tensor of the result of the edge op or, if there is no edge
  /// op, of the owner of the edge.
  Tensor *get(Value value);
  Tensor *get(FunctionOpInterface function, unsigned result);
  /// Records a change of `tensor.sharding`. Must be called after each change.
  void markChanged(Tensor &tensor) {
    tensor.hasChanged = true;
    tensor.changedAt = ++now;
  }
  /// Returns the number of changes until now.
  uint64_t getTime() const { return now; }

  /// Removes `value`. Must be called before the op that defines `value` is
  /// erased.
  void forget(Value value) { tensorOfValue.erase(value); }

  /// Returns the sharding attribute from which `tensor` was read, or null if
  /// there is none.
  static TensorShardingAttr getGiven(const Tensor &tensor);
  TensorShardingAttr getAttr(const Tensor &tensor) const;
  /// Sets the sharding attributes of all tensors that changed.
  void write();

private:
  void read(Tensor &tensor);
  /// Returns, if `tensor` is an argument of a manual computation, the manual
  /// axes of each dimension, which are not in `tensor.sharding`.
  static SmallVector<sharding::AxisList> getHiddenAxes(const Tensor &tensor);

  ModuleOp module;
  /// Whether the module contains unregistered ops with regions.
  bool hasOpaqueRegions = false;
  uint64_t now = 0;
  SymbolTableCollection symbols;
  std::deque<Tensor> tensors;
  llvm::DenseMap<Value, Tensor *> tensorOfValue;
  llvm::DenseMap<std::pair<Operation *, unsigned>, Tensor *> tensorOfResult;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGSTATE_H
