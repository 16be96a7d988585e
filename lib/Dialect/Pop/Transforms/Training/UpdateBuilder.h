//===- UpdateBuilder.h - Builder of the updates of weights ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_UPDATEBUILDER_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_UPDATEBUILDER_H

#include "OptimizerUpdates.h"
#include "States.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Support/LocationName.h"
#include <map>

namespace mlir::pop {

/// Builds the updates at the end of a function. Ops are on the virtual graph of
/// the weight, as far as it has one, and have the schedule of what makes the
/// gradient. What several updates share is where gradients start, in their
/// first stage, and is copied to the virtual graphs of the weights.
class UpdateBuilder : OpBuilder::Listener {
public:
  UpdateBuilder(func::FuncOp function, const UpdateSettings &settings,
                SymbolTable &symbols)
      : function(function), settings(settings), symbols(symbols),
        terminator(function.getBody().front().getTerminator()),
        b(terminator, this), states(function, symbols, b) {}

  LogicalResult run(ArrayRef<Parameter> parameters);

private:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override;

  //===--------------------------------------------------------------------===//
  // Placement
  //===--------------------------------------------------------------------===//

  void findHome(ArrayRef<Parameter> parameters);
  /// Calls `build`, whose result several updates share.
  template <typename FnT>
  auto buildShared(FnT build);
  /// Returns `value`, which several updates share, on the virtual graph of the
  /// weight.
  Value getHere(Value value);

  //===--------------------------------------------------------------------===//
  // States
  //===--------------------------------------------------------------------===//

  NamedAttrList getPlacementAttrs(const Parameter &parameter);
  State addState(StateSpec spec, const Parameter &parameter);
  State getWeight(const Parameter &parameter, Location loc);
  /// Returns the state `name`, which no parameter has alone. It is an argument
  /// if any parameter is.
  State addShared(StringRef name);

  //===--------------------------------------------------------------------===//
  // Gradients
  //===--------------------------------------------------------------------===//

  bool accumulates() const { return settings.accumulationFactor > 1; }
  ReplicaGroupsAttr getGroups(const Parameter &parameter);
  /// The location of all ops of an update. Their cost is not a part of the cost
  /// of the layer, of which the gradient has the name.
  Location getLoc(const Parameter &parameter) const {
    return ipu::getNamedLoc("update of " + parameter.name,
                            terminator->getOperand(parameter.result).getLoc());
  }
  Location getLocOfSettings() {
    return ipu::getNamedLoc("optimizer settings", function.getLoc());
  }
  /// Returns when `reduce` is called.
  GradientReduction getReduction(const Parameter &parameter) const;
  Value reduce(const Parameter &parameter, Value gradient);
  /// Returns the groups of replicas that hold equal parts of a weight in parts,
  /// or null if no two replicas do.
  ReplicaGroupsAttr getReplicasOfPart(const Parameter &parameter) const;
  /// Returns the gradient after it is accumulated and combined over replicas.
  Value combine(const Parameter &parameter, Value gradient);
  /// Accumulates the gradient into the velocity of an SGD1.
  FailureOr<Value> accumulateVelocity(const Parameter &parameter,
                                      State &velocity, Value gradient);
  Value getCounter();
  /// Returns `factor` times the number of replicas, which each update computes
  /// once.
  Value getScaledByReplicas(double factor);

  //===--------------------------------------------------------------------===//
  // Updates
  //===--------------------------------------------------------------------===//

  LogicalResult addUpdate(const Parameter &parameter);
  FailureOr<SmallVector<State>> addStates(const Parameter &parameter);
  /// Returns the state `count`, the number of updates of the weight, or the
  /// state of an earlier weight whose updates always have the same number.
  Value getCommonCount(const Parameter &parameter, Value count);
  FailureOr<ElementsAttr> getInitial(const Parameter &parameter,
                                     const OptimizerState &state);
  /// Returns the optimizer with its streams and schedules as operands, and
  /// appends these operands.
  FailureOr<OptimizerAttr> resolve(const Parameter &parameter,
                                   SmallVectorImpl<Value> &operands);
  /// Returns the value of setting `name`, which is no constant.
  FailureOr<Value> getSetting(const Parameter &parameter, StringRef name,
                              Attribute setting);
  FailureOr<Value> getStreamed(const Parameter &parameter, StringAttr name);
  Value getScheduled(ScheduleAttr schedule);
  LogicalResult scaleLoss(ArrayRef<Parameter> parameters);
  void scaleOperand(LossScaleOp op, FloatAttr number, Value given);

  bool sharesArguments = false;
  func::FuncOp function;
  const UpdateSettings &settings;
  SymbolTable &symbols;
  Operation *terminator;
  OpBuilder b;
  StateBuilder states;
  /// The virtual graph of the weight; may be null.
  Attribute vgraph;
  /// The op that new ops have the schedule of; may be null.
  Operation *source = nullptr;
  /// The op, and its virtual graph, that ops which several updates share have
  /// the schedule of; may be null.
  Operation *home = nullptr;
  Attribute homeVgraph;
  /// Copies of shared values, by their virtual graphs.
  llvm::DenseMap<std::pair<Value, Attribute>, Value> copies;
  /// The execution context that new ops have if there are several parts of the
  /// batch.
  ExecutionContext context = ExecutionContext::Normal;
  TrainingRole role = TrainingRole::Update;
  Value counter;
  std::map<double, Value> scaledByReplicas;
  Value updates;
  llvm::DenseMap<Attribute, Value> settingValues;
  /// The number of updates of the first weight with these groups and this
  /// placement.
  llvm::DenseMap<Attribute, Value> commonCounts;
};

template <typename FnT>
auto UpdateBuilder::buildShared(FnT build) {
  Attribute ownVgraph = std::exchange(vgraph, homeVgraph);
  Operation *ownSource = std::exchange(source, home);
  auto result = build();
  vgraph = ownVgraph;
  source = ownSource;
  return result;
}

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_UPDATEBUILDER_H
