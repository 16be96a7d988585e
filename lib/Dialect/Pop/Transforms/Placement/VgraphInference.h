//===- VgraphInference.h - Virtual graphs of connected values ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the virtual graph of each value of a module in which some ops have
// virtual graphs.
//
// Values that must be on one IPU are in one class: the operands and results of
// an op that is not a copy between IPUs, all refs to a variable, and what a
// loop, a branch or a function gets for one of its arguments or results. A
// class has the virtual graph of any of its members.
//
// First, placed ops place their results and the refs that they read, because a
// ref cannot be copied. Then the program is visited in its order. A tensor
// joins the class of its reader unless both are placed on different IPUs; such
// an operand is a crossing. An op without a virtual graph first joins the
// placed operand of the greatest virtual graph. So it is where it reads, and
// does not send values back.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PLACEMENT_VGRAPHINFERENCE_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PLACEMENT_VGRAPHINFERENCE_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "llvm/ADT/IntEqClasses.h"

namespace mlir::pop {

class VgraphInference {
public:
  /// Handles an operand whose value is on another virtual graph than `reader`,
  /// which reads it.
  using CrossingFn = llvm::function_ref<LogicalResult(
      OpOperand &operand, int64_t reader, VgraphUse value)>;

  explicit VgraphInference(ModuleOp module) : module(module), calls(module) {}

  /// Functions that have callers but no virtual graph are on the IPUs of their
  /// calls, so that a call is an op like any other. `pop-place-graphs` places
  /// what is in them. Must be called before run().
  void keepUnplacedGraphs();

  /// Places all values. Fails if `visitCrossing` fails.
  LogicalResult run(CrossingFn visitCrossing);

  /// Returns whether the module has a virtual graph.
  bool isPlaced() const { return least != INT64_MAX; }
  /// Sets the virtual graphs of all ops, variables and arguments.
  void setVgraphs();
  /// Places constants where they are used. A constant is cloned for each
  /// further virtual graph that uses it.
  void placeConstants();

private:
  /// An op, a value or the op of a symbol.
  using Node = const void *;
  static Node getNode(Operation *op) { return op; }
  static Node getNode(Value value) { return value.getAsOpaquePointer(); }

  unsigned getNumber(Node node);
  std::optional<VgraphUse> &getPlaced(Node node) {
    return placed[classes.findLeader(getNumber(node))];
  }
  std::optional<VgraphUse> place(Node node, VgraphUse at);
  std::optional<VgraphUse> join(Node node, Node other);

  bool hasStoredValues(Operation *op) const;
  bool isOpaqueCall(Operation *op) const;
  Node getReader(OpOperand &operand) const;

  void collectOps();
  void placeDeclared(Operation *op);
  void passTo(OpOperand &operand, ValueRange targets);
  void joinRegions(RegionBranchOpInterface branch);
  LogicalResult joinCall(CallOpInterface call, FunctionOpInterface callee);
  void joinReturns(FunctionOpInterface function);
  void joinVariables(Operation *call, FunctionOpInterface callee);
  LogicalResult placeOp(Operation *op);
  LogicalResult visitRef(GetVariableOp ref);
  LogicalResult visitOperand(OpOperand &operand, CrossingFn visitCrossing);
  LogicalResult visitOperands(Operation *op, bool areRefs,
                              CrossingFn visitCrossing);
  void followOperands(Operation *op);

  IntegerAttr getAttr(Node node);
  void setVgraph(Operation *op);
  void placeConstant(Operation *constant);

  ModuleOp module;
  ipu::FunctionCalls calls;
  SymbolTableCollection symbols;
  /// The functions whose ops are not placed.
  llvm::DenseSet<Operation *> kept;
  /// The ops in the order of the program, callees before their callers.
  SmallVector<Operation *> ops;
  /// The arguments or results of regions and functions that get an operand.
  llvm::DenseMap<OpOperand *, Node> passed;
  llvm::DenseMap<Node, unsigned> numbers;
  llvm::IntEqClasses classes;
  /// The ops or arguments that place the classes, by the leaders of classes.
  SmallVector<std::optional<VgraphUse>> placed;
  /// The least virtual graph of the program. It has the values that nothing
  /// places, such as the number of a loop's iterations.
  int64_t least = INT64_MAX;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_PLACEMENT_VGRAPHINFERENCE_H
