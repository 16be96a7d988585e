//===- Differentiator.h - Backward graphs of functions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is differentiated in a copy, the *joint graph*. Its own ops are
// followed by the ops that compute gradients, which may use all values of the
// function. A stitching strategy then splits the joint graph into the forward
// graph and the backward graph.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_DIFFERENTIATOR_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_DIFFERENTIATOR_H

#include "Scope.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {

/// The suffix of a function whose name was given to its caller.
constexpr StringLiteral kForwardSuffix = "_forward";

/// The gradients of a function to compute.
struct GradientRequest {
  /// Numbers of the results whose gradients are provided, in the order of the
  /// arguments of the backward graph.
  SmallVector<unsigned> provided;
  /// The values whose gradients are required, in the order of the results of
  /// the backward graph.
  SmallVector<GraphValueAttr> required;
  /// Whether the user gave `required`. Otherwise, values that no gradient
  /// reaches are left out.
  bool isExplicit = false;
};

/// Settings of the creation of backward graphs.
struct AutodiffSettings {
  Stitch stitch = Stitch::RecomputeAllNonInputs;
  RegionValues regionValues = RegionValues::Stash;
  /// Whether a required gradient that no path reaches is zero. Otherwise, it is
  /// an error.
  bool isUnreachedZero = false;
  /// The entry function, whose results the host gets. Null if the entry
  /// function is created afterwards.
  FunctionOpInterface entry;
};

/// Properties of a function that determine whether it can be called again.
struct CalleeEffects {
  /// Whether the function only computes and reads.
  bool isReadOnly = false;
  SmallVector<StringAttr> readVariables;
};

/// A function with its ops and the ops that compute its gradients.
struct JointGraph {
  /// Its arguments are the provided gradients, followed by the arguments of
  /// `forward`.
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
  /// Indexed by the names of functions.
  const llvm::StringMap<CalleeEffects> *callees = nullptr;
  /// The ops that name `forward`.
  ArrayRef<Operation *> users;

  unsigned getNumProvided() const { return provided.size(); }
};

/// Turns a joint graph into a backward graph. If the strategy requires it, adds
/// results to the forward graph and its calls; `replace` is called with each
/// result of a call and its replacement.
FailureOr<BackwardGraph> stitch(JointGraph joint,
                                const AutodiffSettings &settings,
                                ModuleOp module,
                                function_ref<void(Value, Value)> replace);

/// Differentiates a function and its callees.
class Differentiator {
public:
  Differentiator(ModuleOp module, const AutodiffSettings &settings)
      : module(module), symbols(module), effects(module), activity(effects),
        settings(settings) {}

  /// If `request` provides no gradients, the gradients of all results that
  /// depend on the values of required gradients are provided.
  FailureOr<BackwardGraph> run(func::FuncOp root, GradientRequest request);

  /// Returns the float variables that `function` and its callees use.
  const llvm::SetVector<StringAttr> &getVariables(func::FuncOp function) const {
    return activity.getVariables(function);
  }

private:
  struct Writes {
    llvm::SmallVector<std::pair<Value, GraphContext::Writer>> refs;
    llvm::SmallVector<std::pair<StringAttr, GraphContext::Writer>> variables;
  };

  LogicalResult verifyFunction(func::FuncOp function);
  Writes findWrites(func::FuncOp function);
  void shareWrites();
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
  llvm::DenseMap<Operation *, Writes> writesOf;
  llvm::DenseMap<StringAttr, GraphContext::Writer> writtenVariables;
  llvm::DenseMap<StringAttr, Type> refTypes;
  llvm::StringMap<CalleeEffects> callees;
  /// The ops that name a function, as long as its callers are not
  /// differentiated.
  llvm::StringMap<SmallVector<Operation *>> users;
  llvm::StringMap<BackwardGraph> graphs;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_DIFFERENTIATOR_H
