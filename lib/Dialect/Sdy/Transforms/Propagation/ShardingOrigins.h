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

/// Records, for each axis of each tensor, the sharding of the program from
/// which it comes, and for each step the paths of axes; like Shardy's
/// attributes. An origin is `input: 1`, `output: 0` (of the function, which is
/// named if it is not the only one), `constraint_0`, `mc_0_input: 1`,
/// `mc_0_output: 0`, or `op_0: 1` for a result of another op. On the tensor
/// itself, it is `self`. Origins of earlier propagation are read from
/// attributes.
class ShardingOrigins : public PropagationObserver {
public:
  /// Tensors that have a sharding at construction are origins. Must be created
  /// before groups share their shardings.
  ShardingOrigins(ModuleOp module, ShardingState &state);

  /// Must be called before propagation.
  void start(const ShardingGroups &groups);

  void notifyStep(const PropagationStep &step) override;
  void notifyCopy(const ShardingState::Tensor &from,
                  const ShardingState::Tensor &to) override;

  /// Writes `sdy.sharding_origins`, and the names of possible origins.
  void writeOrigins();
  /// Writes `sdy.propagation_edges`.
  void writeEdges();

private:
  using Tensor = ShardingState::Tensor;
  struct Origin {
    std::string name;
    const Tensor *tensor;
  };
  /// A part of an axis, and its origin.
  struct AxisOrigin {
    sharding::AxisRef part;
    /// The axis at the origin, as in the program, and not only the added part.
    sharding::AxisRef whole;
    unsigned origin;
  };
  using AxisOrigins = SmallVector<AxisOrigin, 2>;
  using Edges = SmallVector<PropagationOneStepAttr>;
  /// A transfer of an axis from one tensor to another.
  struct Move {
    sharding::AxisRef axis;
    unsigned source;
    SmallVector<unsigned> targets;
  };

  /// Returns the origin with this name. It is created at the first use.
  unsigned getOrigin(StringRef name);
  /// `told`: origins from an attribute. For all other axes, the origin is the
  /// tensor itself.
  void add(const Tensor *tensor, DictionaryAttr told,
           function_ref<std::string()> getName);
  void addFunction(FunctionOpInterface function);
  void addOfFunction(const Tensor *tensor, FunctionOpInterface function,
                     StringRef kind, unsigned index);
  void addResults(Operation *op);
  /// Returns the axes of a tensor, including manual axes that are not in the
  /// sharding of an argument of a manual computation.
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
  /// For the edges of arguments of manual computations.
  llvm::DenseMap<const Tensor *, SmallVector<sharding::AxisList>> leadingAxes;
  /// Results and arguments that are origins.
  llvm::DenseSet<Value> given;
  llvm::DenseMap<const Tensor *, AxisOrigins> originsOfTensor;
  /// Copies to make at the end of the step.
  SmallVector<std::pair<const Tensor *, const Tensor *>> copies;
  /// Edges of ops, and of the results of functions.
  llvm::MapVector<Operation *, Edges> edges;
  llvm::MapVector<std::pair<Operation *, unsigned>, Edges> resultEdges;
  int64_t numSteps = 0;
};

/// Records that the axes of `demand`, which were given to `value`, come from
/// `origin`.
void setGivenOrigins(Value value, TensorShardingAttr demand, StringRef origin);
/// Writes `sdy.sharding_origins` of a module before any propagation.
void writeGivenOrigins(ModuleOp module);

/// `#sdy.propagation_edges` of one step, with axes in the order of their names.
PropagationEdgesAttr
getStepAttr(MLIRContext *context, int64_t step,
            SmallVector<AxisToPropagationDetailsAttr> details);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGORIGINS_H
