//===- Differentiator.h - Backward graphs of functions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is differentiated in a copy, the *joint graph*. The joint graph
// contains the ops of the function and, after them, the ops that compute
// gradients and may use all values of the function. A stitching strategy then
// turns the joint graph into a backward graph, and extends the forward graph if
// necessary.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_DIFFERENTIATOR_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_DIFFERENTIATOR_H

#include "../DrawAdvances.h"
#include "Scope.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {

/// The suffix that is appended to the name of a forward function if its old
/// name becomes the name of the function that calls the forward and backward
/// graphs.
constexpr StringLiteral kForwardSuffix = "_forward";

/// A request for gradients of a function.
struct GradientRequest {
  /// The numbers of the results whose gradients are provided, in the order of
  /// the arguments of the backward graph.
  SmallVector<unsigned> provided;
  /// The values whose gradients are required, in the order of the results of
  /// the backward graph.
  SmallVector<GraphValueAttr> required;
  /// Whether the user specified `required`. If not, values on which no provided
  /// result depends are omitted from `required`.
  bool isExplicit = false;
};

/// Settings of the creation of backward graphs.
struct AutodiffSettings {
  Stitch stitch = Stitch::RecomputeAllNonInputs;
  RegionValues regionValues = RegionValues::Stash;
  /// Whether the required gradient of a value on which no provided result
  /// depends is zero. If not, such a request is an error.
  bool isUnreachedZero = false;
  /// The entry function, whose results the host reads. It is null if the entry
  /// function is created after differentiation.
  FunctionOpInterface entry;
};

/// Properties of a function that determine whether the backward graph can call
/// it again.
struct CalleeEffects {
  /// This flag is set if the function writes nothing and has no other side
  /// effects, except that it may advance the random bits of rounding.
  bool isReadOnly = false;
  SmallVector<StringAttr> readVariables;
};

/// A joint graph: the ops of a function and the ops that compute its gradients.
struct JointGraph {
  /// The joint graph as a function. Its arguments are the provided gradients,
  /// followed by the arguments of `forward`.
  func::FuncOp function;
  func::FuncOp forward;
  /// The first op after the ops of the forward graph.
  Operation *firstGradient = nullptr;
  SmallVector<unsigned> provided;
  /// The results of the forward graph.
  SmallVector<Value> results;
  SmallVector<GraphValueAttr> outputs;
  SmallVector<Value> gradients;
  const GraphContext *context = nullptr;
  /// The effects of functions, by their names.
  const llvm::StringMap<CalleeEffects> *callees = nullptr;
  /// The ops that refer to `forward` by its symbol.
  ArrayRef<Operation *> users;

  unsigned getNumProvided() const { return provided.size(); }
};

/// Places the ops of `function` that have no virtual graph or no stage, if
/// other ops have one: these are ops that loops and branches have for their
/// gradients. `marker` is between the forward graph and the gradients, whose
/// stages do not have the order of the backward graph yet. The program has
/// `numStages`.
void placeRest(func::FuncOp function, Operation *marker, int64_t numStages);

/// Turns `joint` into a backward graph. If the strategy requires this, adds
/// results to the forward graph and to its calls. Calls are then replaced, and
/// `replace` is called with each result of an old call and the result that
/// replaces it. With `shifter`, recomputed ops draw the random bits of the
/// forward graph.
FailureOr<BackwardGraph> stitch(JointGraph joint,
                                const AutodiffSettings &settings,
                                ModuleOp module, DrawShifter &shifter,
                                function_ref<void(Value, Value)> replace);

/// Differentiates a function and its callees.
class Differentiator {
public:
  Differentiator(ModuleOp module, const AutodiffSettings &settings)
      : module(module), symbols(module), effects(module), activity(effects),
        settings(settings), shifter(symbols) {}

  /// Differentiates `root` and its callees, and returns the backward graph of
  /// `root`. If `request.provided` is empty, the gradients of all results that
  /// depend on values whose gradients are required become arguments of the
  /// backward graph.
  FailureOr<BackwardGraph> run(func::FuncOp root, GradientRequest request);

  /// Returns the float variables that `function` and its callees use.
  const llvm::SetVector<StringAttr> &getVariables(func::FuncOp function) const {
    return activity.getVariables(function);
  }

  /// Places `op`, which has the placement of the op of a forward graph whose
  /// gradient it computes: stage s of P stages has its gradients in stage
  /// 2 * P - 1 - s.
  void placeGradient(Operation *op) const;

private:
  struct Writes {
    llvm::SmallVector<std::pair<Value, GraphContext::Writer>> refs;
    llvm::SmallVector<std::pair<StringAttr, GraphContext::Writer>> variables;
  };

  void countStages();
  LogicalResult verifyFunction(func::FuncOp function);
  Writes findWrites(func::FuncOp function);
  void shareWrites();
  bool isReadOnly(FunctionOpInterface function) const;
  void findCalleeEffects();
  GradientRequest getWholeRequest(func::FuncOp function);
  FailureOr<BackwardGraph> getCustomGraph(func::FuncOp function);
  LogicalResult replaceDeclaration(func::FuncOp forward, func::FuncOp backward);
  FailureOr<JointGraph> buildJoint(func::FuncOp function,
                                   const GradientRequest &request,
                                   GraphContext &context);
  LogicalResult differentiate(JointGraph &joint, const GradientRequest &request,
                              GraphContext &context);
  void addVariables(func::FuncOp joint, const GraphActivity &active,
                    GraphContext &context);

  ModuleOp module;
  SymbolTable symbols;
  ipu::GraphEffects effects;
  Activity activity;
  AutodiffSettings settings;
  DrawShifter shifter;
  llvm::DenseMap<Operation *, Writes> writesOf;
  llvm::DenseMap<StringAttr, GraphContext::Writer> writtenVariables;
  /// The number of stages of the functions that are differentiated.
  int64_t numStages = 0;
  llvm::DenseMap<StringAttr, Type> refTypes;
  llvm::StringMap<CalleeEffects> callees;
  /// The ops that refer to each function by its symbol. The list is valid until
  /// the callers of the function are differentiated.
  llvm::StringMap<SmallVector<Operation *>> users;
  llvm::StringMap<BackwardGraph> graphs;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_DIFFERENTIATOR_H
