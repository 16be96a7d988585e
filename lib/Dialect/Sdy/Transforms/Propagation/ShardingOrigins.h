//===- ShardingOrigins.h - Origins of axes ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGORIGINS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGORIGINS_H

#include "OriginNames.h"
#include "PropagationObserver.h"
#include "ShardingGroups.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu::sdy {

/// Keeps, for each axis of each tensor, which sharding of the program it comes
/// from, and for each step which way axes went; after Shardy's attributes.
///
/// An origin is `input: 1`, `output: 0` (of the function, which is named if it
/// is not the only one), `constraint_0`, `mc_0_input: 1`, `mc_0_output: 0`, or
/// `op_0: 1` of a result of another op; `self` on that tensor itself. Origins
/// that attributes tell, of what was done before, are taken from there.
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
  /// A part of an axis, and where it comes from.
  struct AxisOrigin {
    sharding::AxisRef part;
    /// The axis that it came with: what the program says, not what was left
    /// of it to add.
    sharding::AxisRef whole;
    unsigned origin;
  };
  using AxisOrigins = SmallVector<AxisOrigin, 2>;
  using Edges = SmallVector<PropagationOneStepAttr>;
  /// Who got an axis from whom.
  struct Move {
    sharding::AxisRef axis;
    unsigned source;
    SmallVector<unsigned> targets;
  };

  /// The origin of that name, made at first use.
  unsigned getOrigin(StringRef name);
  /// `told`: origins from an attribute; the others are the tensor itself.
  void add(const Tensor *tensor, DictionaryAttr told,
           function_ref<std::string()> getName);
  void addFunction(FunctionOpInterface function);
  void addOfFunction(const Tensor *tensor, FunctionOpInterface function,
                     StringRef kind, unsigned index);
  void addResults(Operation *op);
  /// With the manual axes that the sharding of an argument of a manual
  /// computation lacks.
  SmallVector<sharding::AxisList> getAxes(const Tensor *tensor) const;
  AxisOrigins getOrigins(const Tensor *tensor,
                         const sharding::AxisRef &axis) const;
  DictionaryAttr getAttr(const Tensor *tensor) const;
  void addMoves(const PropagationStep &step, unsigned factor, unsigned target,
                SmallVectorImpl<Move> &moves);
  void addStep(const PropagationStep &step, ArrayRef<Move> moves);

  ModuleOp module;
  ShardingState &state;
  SmallVector<Origin> origins;
  llvm::StringMap<unsigned> originOfName;
  OriginNames names;
  /// Of the edges of arguments of manual computations.
  llvm::DenseMap<const Tensor *, SmallVector<sharding::AxisList>> leadingAxes;
  /// Results and arguments that are origins.
  llvm::DenseSet<Value> given;
  llvm::DenseMap<const Tensor *, AxisOrigins> originsOfTensor;
  /// Who gets what, once the step is over.
  SmallVector<std::pair<const Tensor *, const Tensor *>> copies;
  /// Of ops, and of the results of functions.
  llvm::MapVector<Operation *, Edges> edges;
  llvm::MapVector<std::pair<Operation *, unsigned>, Edges> resultEdges;
  int64_t numSteps = 0;
};

/// Says that the axes of `demand`, which `value` got, come from `origin`.
void setGivenOrigins(Value value, TensorShardingAttr demand, StringRef origin);
/// `sdy.sharding_origins` of a module in which nothing has propagated.
void writeGivenOrigins(ModuleOp module);

/// `#sdy.propagation_edges` of one step; axes in the order of their names.
PropagationEdgesAttr
getStepAttr(MLIRContext *context, int64_t step,
            SmallVector<AxisToPropagationDetailsAttr> details);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGORIGINS_H
