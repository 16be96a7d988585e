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

/// Records the origin of each axis of each tensor, and the paths of axes in
/// each step, in the form of Shardy's attributes. The origin of an axis is the
/// sharding of the program from which propagation took the axis. Its name is
/// `input: 1` or `output: 0` for the main function (other functions are named),
/// `constraint_0`, `mc_0_input: 1`, `mc_0_output: 0`, or `op_0: 1` for a result
/// of another op. If the origin is the sharding of the tensor itself, its name
/// is `self`. Origins of earlier propagations are read from attributes.
class ShardingOrigins : public PropagationObserver {
public:
  /// All tensors that have a sharding when the object is created are origins.
  /// Therefore, the object must be created before ShardingGroups::sync.
  ShardingOrigins(ModuleOp module, ShardingState &state);

  /// Starts the recording. Must be called before propagation.
  void start(const ShardingGroups &groups);

  void notifyStep(const PropagationStep &step) override;
  void notifyCopy(const ShardingState::Tensor &from,
                  const ShardingState::Tensor &to) override;

  /// Writes the attributes `sdy.sharding_origins`, and the names of ops that
  /// are possible origins.
  void writeOrigins();
  /// Writes the attributes `sdy.propagation_edges`.
  void writeEdges();

private:
  using Tensor = ShardingState::Tensor;
  struct Origin {
    std::string name;
    const Tensor *tensor;
  };
  /// A part of an axis of a tensor, and the origin of this part.
  struct AxisOrigin {
    sharding::AxisRef part;
    /// The axis or sub-axis in the sharding of the origin, which contains
    /// `part`.
    sharding::AxisRef whole;
    unsigned origin;
  };
  using AxisOrigins = SmallVector<AxisOrigin, 2>;
  using Edges = SmallVector<PropagationOneStepAttr>;
  /// The propagation of an axis from one tensor to other tensors in a step.
  struct Move {
    sharding::AxisRef axis;
    unsigned source;
    SmallVector<unsigned> targets;
  };

  /// Returns the index of the origin `name`. Creates the origin if it does not
  /// exist.
  unsigned getOrigin(StringRef name);
  /// Adds the origins of the axes of `tensor`. `told` contains origins from an
  /// attribute, and may be null. The origin of all other axes is the tensor
  /// itself, whose name `getName` returns.
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
  /// The leading manual axes (getLeadingManualAxes) of tensors that are
  /// arguments of manual computations.
  llvm::DenseMap<const Tensor *, SmallVector<sharding::AxisList>> leadingAxes;
  /// The results and arguments that are origins.
  llvm::DenseSet<Value> given;
  llvm::DenseMap<const Tensor *, AxisOrigins> originsOfTensor;
  /// Pairs of tensors: the second tensor gets the origins of the first one at
  /// the end of the step.
  SmallVector<std::pair<const Tensor *, const Tensor *>> copies;
  /// The recorded paths of axes, by the op and by the result of a function.
  llvm::MapVector<Operation *, Edges> edges;
  llvm::MapVector<std::pair<Operation *, unsigned>, Edges> resultEdges;
  int64_t numSteps = 0;
};

/// Records in the attributes of `value` that the axes of `demand`, which became
/// its sharding, have the origin `origin`.
void setGivenOrigins(Value value, TensorShardingAttr demand, StringRef origin);
/// Writes the attributes `sdy.sharding_origins` of a module that was not
/// propagated yet.
void writeGivenOrigins(ModuleOp module);

/// Returns the part of `#sdy.propagation_edges` for one step. Its axes are
/// sorted by name.
PropagationEdgesAttr
getStepAttr(MLIRContext *context, int64_t step,
            SmallVector<AxisToPropagationDetailsAttr> details);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGORIGINS_H
