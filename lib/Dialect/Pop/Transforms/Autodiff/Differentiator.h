//===- Differentiator.h - Backward graphs of functions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is differentiated in a copy, the *joint graph*: its own ops are
// followed by those that compute gradients, which may use all values of the
// former. A stitching strategy then splits the joint graph into the forward
// graph and the backward graph.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_DIFFERENTIATOR_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_DIFFERENTIATOR_H

#include "Scope.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {

/// What the name of a function ends with whose name its caller got.
constexpr StringLiteral kForwardSuffix = "_forward";

/// What gradients are wanted of a function.
struct GradientRequest {
  /// Numbers of the results whose gradients are provided, in the order of the
  /// arguments of the backward graph.
  SmallVector<unsigned> provided;
  /// What gradients are required of, in the order of the results of the
  /// backward graph.
  SmallVector<GraphValueAttr> required;
  /// Whether `required` was asked for; else those that are not reached are left
  /// out.
  bool isExplicit = false;
};

/// How backward graphs are made.
struct AutodiffSettings {
  Stitch stitch = Stitch::RecomputeAllNonInputs;
  RegionValues regionValues = RegionValues::Stash;
  /// Whether a required gradient that is not reached is zero; else it is an
  /// error.
  bool isUnreachedZero = false;
  /// The entry function, whose results belong to the host; null if it is made
  /// afterwards.
  FunctionOpInterface entry;
};

/// What calling a function again depends on.
struct CalleeEffects {
  /// Whether it only computes and reads.
  bool isReadOnly = false;
  SmallVector<StringAttr> readVariables;
};

/// A function with its ops and those that compute its gradients.
struct JointGraph {
  /// Its arguments are the provided gradients and then those of `forward`.
  func::FuncOp function;
  func::FuncOp forward;
  /// The first op after those of the forward graph.
  Operation *firstGradient = nullptr;
  SmallVector<unsigned> provided;
  /// What the forward graph returns.
  SmallVector<Value> results;
  SmallVector<GraphValueAttr> outputs;
  SmallVector<Value> gradients;
  const GraphContext *context = nullptr;
  /// By the names of functions.
  const llvm::StringMap<CalleeEffects> *callees = nullptr;
  /// The ops that name `forward`.
  ArrayRef<Operation *> users;

  unsigned getNumProvided() const { return provided.size(); }
};

/// Makes a backward graph of a joint graph, which it becomes; adds results to
/// the forward graph, and to the calls of it, if the strategy does so:
/// `replace` gets each result of a call and what takes its place.
FailureOr<BackwardGraph> stitch(JointGraph joint,
                                const AutodiffSettings &settings,
                                ModuleOp module,
                                function_ref<void(Value, Value)> replace);

/// Differentiates a function and the functions that it calls.
class Differentiator {
public:
  Differentiator(ModuleOp module, const AutodiffSettings &settings)
      : module(module), symbols(module), effects(module), activity(effects),
        settings(settings) {}

  /// If `request` provides no gradients, those of all results that depend on
  /// what gradients are required of are provided.
  FailureOr<BackwardGraph> run(func::FuncOp root, GradientRequest request);

  /// The float variables that `function` and what it calls use.
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
  /// The ops that name a function, until its callers are differentiated.
  llvm::StringMap<SmallVector<Operation *>> users;
  llvm::StringMap<BackwardGraph> graphs;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_DIFFERENTIATOR_H
