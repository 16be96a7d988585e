//===- ShardingOrigins.h - Where axes come from -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGORIGINS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGORIGINS_H

#include "PropagationObserver.h"
#include "ShardingGroups.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu::sdy {

/// Keeps, for each axis of each tensor, which sharding of the program it comes
/// from, and for each step which way axes went; after Shardy's attributes.
///
/// An origin is `input: 1`, `output: 0` (of the function, which is named if it
/// is not the only one), `constraint_0`, `mc_0_input: 1`, `mc_0_output: 0`, or
/// `op_0: 1` of a result of another op; `self` on that tensor itself.
class ShardingOrigins : public PropagationObserver {
public:
  /// Takes what has a sharding now for an origin, before groups share theirs.
  ShardingOrigins(ModuleOp module, ShardingState &state);

  /// Before anything propagates.
  void start(const ShardingGroups &groups);

  void notifyStep(const PropagationStep &step) override;
  void notifyCopy(const ShardingState::Tensor &from,
                  const ShardingState::Tensor &to) override;

  /// `sdy.sharding_origins`, and the names of what can be an origin.
  void writeOrigins();
  /// `sdy.propagation_edges`.
  void writeEdges();

private:
  using Tensor = ShardingState::Tensor;
  struct Origin {
    std::string name;
    const Tensor *tensor;
  };
  /// Parts of axes, and where each comes from.
  using AxisOrigins = SmallVector<std::pair<sharding::AxisRef, unsigned>, 2>;
  using Edges = SmallVector<PropagationOneStepAttr>;

  void add(const Tensor *tensor, std::string name);
  void addFunction(FunctionOpInterface function);
  void addOfFunction(const Tensor *tensor, FunctionOpInterface function,
                     StringRef kind, unsigned index);
  void addResults(Operation *op);
  /// The name of the op as an origin, made at first use.
  const std::string &getName(Operation *op);
  /// With the manual axes that the sharding of an argument of a manual
  /// computation lacks.
  SmallVector<sharding::AxisList> getAxes(const Tensor *tensor) const;
  AxisOrigins getOrigins(const Tensor *tensor,
                         const sharding::AxisRef &axis) const;
  DictionaryAttr getAttr(const Tensor *tensor) const;

  ModuleOp module;
  ShardingState &state;
  SmallVector<Origin> origins;
  /// Of the edges of arguments of manual computations.
  llvm::DenseMap<const Tensor *, SmallVector<sharding::AxisList>> leadingAxes;
  /// Results and arguments that are origins.
  llvm::DenseSet<Value> given;
  llvm::DenseMap<const Tensor *, AxisOrigins> originsOfTensor;
  /// Who gets what, once the step is over.
  SmallVector<std::pair<const Tensor *, const Tensor *>> copies;
  llvm::MapVector<Operation *, std::string> names;
  llvm::StringMap<unsigned> numNames;
  /// Of ops, and of the results of functions.
  llvm::MapVector<Operation *, Edges> edges;
  llvm::MapVector<std::pair<Operation *, unsigned>, Edges> resultEdges;
  int64_t numSteps = 0;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGORIGINS_H
